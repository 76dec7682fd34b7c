"""Filters: what is promised, in every kind, with every sort of keys."""

import copy
import pickle
import threading

import numpy
import pyarrow
import pytest
import tamis

MAKERS = {
    "blocked": lambda: tamis.BloomFilter(1000, 0.001),
    "classic": lambda: tamis.BloomFilter(1000, 0.001, layout="classic"),
    "counting": lambda: tamis.CountingFilter(1000, 0.001),
    "growing": lambda: tamis.GrowingFilter(100, 0.001),
    "rotating": lambda: tamis.RotatingFilter(3, 1000, 0.001),
}


@pytest.fixture(params=MAKERS)
def filter(request):
    return MAKERS[request.param]()


def test_what_was_added_is_found(filter):
    filter.add("açúcar")
    filter.add(b"\xff\x00")
    filter.add(42)
    filter.update(str(i) for i in range(500))
    assert "açúcar" in filter and b"\xff\x00" in filter and 42 in filter
    assert all(str(i) in filter for i in range(500))
    assert len(filter) == 503
    strangers = filter.contains_many(range(10_000, 20_000))
    # One in a thousand is promised; 30 of 10,000 are six standard deviations more than 10.
    assert strangers.sum() < 30


def test_one_key_in_every_type():
    filter = tamis.BloomFilter(100)
    filter.add("7")
    for key in ["7", b"7", bytearray(b"7"), memoryview(b"7")]:
        assert key in filter
    filter = tamis.BloomFilter(100)
    filter.add(7)
    for key in [7, numpy.int64(7), numpy.uint8(7)]:
        assert key in filter
    filter.add(-(10**30))
    assert -(10**30) in filter and 10**30 not in filter
    filter.add(True)
    assert 1 in filter
    with pytest.raises(tamis.ParameterError, match="128 bits"):
        filter.add(1 << 128)


def test_a_query_of_the_other_kind_is_refused():
    for make in MAKERS.values():
        filter = make()
        assert filter.key_kinds == "no keys" and 7 not in filter and "7" not in filter
        filter.update(range(100))
        assert filter.key_kinds == "integers" and 7 in filter
        refused = pytest.raises(tamis.WrongTypeError, match="built from integers")
        with refused:
            "7" in filter
        with refused:
            filter.contains_many(["7"])
        with refused:
            filter.contains_many([7, "7"])
        with refused:
            filter.contains_many(pyarrow.array(["7"]))
        assert filter.contains_many(numpy.arange(100)).all()
        filter.add("leek")
        assert filter.key_kinds == "text and integers"
        assert "leek" in filter and 7 in filter and "7" not in filter
        assert tamis.Filter.load_bytes(filter.to_bytes()).key_kinds == filter.key_kinds
    basket = tamis.CountingFilter(100)
    basket.add("7")
    for ask in [basket.count, basket.remove, lambda key: basket.remove_many([key])]:
        with pytest.raises(tamis.WrongTypeError, match="asks for integers"):
            ask(7)
    fixed = tamis.StaticFilter(range(100))
    assert fixed.key_kinds == "integers" and 7 in fixed
    with pytest.raises(tamis.WrongTypeError):
        "7" in fixed


def test_integers_are_the_same_in_the_command(command, tmp_path):
    lines = "".join(f"{i}\n" for i in range(-500, 500))
    theirs, ours = tmp_path / "theirs.tamis", tmp_path / "ours.tamis"
    command("filter", "build", "--items", "1000", "--integers", "-o", theirs, input=lines)
    filter = tamis.BloomFilter(1000)
    filter.update(range(-500, 500))
    filter.save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    assert all(i in tamis.Filter.load(theirs) for i in range(-500, 500))
    assert command("filter", "check", "--integers", ours, input=lines) == lines
    with pytest.raises(tamis.WrongTypeError):
        "7" in tamis.Filter.load(theirs)


@pytest.mark.parametrize(
    "keys",
    [
        [str(i) for i in range(300)],
        tuple(range(300)),
        (str(i) for i in range(300)),
        range(300),
        {str(i) for i in range(300)},
        numpy.arange(300),
        numpy.arange(300, dtype=numpy.uint16),
        numpy.arange(600)[::2] // 2,
        numpy.array([str(i) for i in range(300)]),
        numpy.array([str(i).encode() for i in range(300)]),
        numpy.array([str(i) for i in range(300)], dtype=object),
        pyarrow.array([str(i) for i in range(300)]),
        pyarrow.array([str(i) for i in range(300)], pyarrow.large_string()),
        pyarrow.array([str(i) for i in range(300)], pyarrow.string_view()),
        pyarrow.array([str(i).encode() for i in range(300)]),
        pyarrow.array(range(300), pyarrow.int32()),
        pyarrow.array([str(i) for i in range(-5, 305)])[5:305],
        pyarrow.chunked_array([[str(i) for i in range(100)], [str(i) for i in range(100, 300)]]),
    ],
    ids=lambda keys: f"{type(keys).__name__}-{getattr(keys, 'dtype', getattr(keys, 'type', ''))}",
)
def test_batches_of_every_type_are_the_same_keys(keys):
    filter = tamis.BloomFilter(1000)
    filter.update(keys)
    if not hasattr(keys, "__next__"):
        assert filter.contains_many(keys).all()
    is_text = filter.key_kinds == "text"
    assert filter.key_kinds in ("text", "integers")
    expected = tamis.BloomFilter(1000)
    expected.update([str(i) if is_text else i for i in range(300)])
    assert filter == expected


def test_batches_and_single_questions_agree(filter):
    keys = [f"key{i}" for i in range(1000)]
    filter.update(keys[:500])
    assert filter.contains_many(keys).tolist() == [key in filter for key in keys]
    assert filter.contains_many([]).tolist() == []


def bits_of(keys):
    """The file of a filter with these keys: one bit less or more is another file."""
    filter = tamis.BloomFilter(100_000, 1e-6)
    filter.update(keys)
    return filter.to_bytes()


def odd_keys(length):
    """Keys of every plain type in one list, and here and there one of another type."""
    plain = ["leek", "açúcar", "火鍋", "", b"", b"\xff\x00", 0, -1, 10**18, -(2**63), "x" * 300]
    odd = [10**30, True, bytearray(b"pear"), memoryview(b"plum"), numpy.int64(-5), type("Text", (str,), {})("own")]
    for number in range(length):
        if number % 97 == 13:
            yield odd[number % len(odd)]
        else:
            key = plain[number % len(plain)]
            yield key if number % 3 else f"{key!r} {number}"


@pytest.mark.parametrize("length", [0, 1, 31, 32, 33, 100, 4095, 4096, 4097, 9000])
def test_a_list_has_the_same_keys_as_its_iterator(length):
    keys = list(odd_keys(length))
    expected = bits_of(iter(keys))
    assert bits_of(keys) == expected
    assert bits_of(tuple(keys)) == expected
    filter = tamis.BloomFilter(100_000, 1e-6)
    filter.update(keys[::2])
    assert filter.contains_many(keys).tolist() == [key in filter for key in keys]


def test_a_list_of_nothing_but_odd_keys():
    numbers = list(numpy.arange(5000))
    assert bits_of(numbers) == bits_of(range(5000))


def test_a_list_that_is_changed_while_it_is_read():
    """A key that Tamis asks for its number empties the list: no key is read that is no longer there."""
    keys = []

    class Emptying:
        def __index__(self):
            keys.clear()
            return 7

    keys += [f"key number {number}" for number in range(50)] + [Emptying()]
    keys += [f"key number {number}" for number in range(50, 5000)]
    filter = tamis.BloomFilter(10_000, 1e-6)
    filter.update(keys)
    assert len(filter) == 51 and 7 in filter and "key number 49" in filter


@pytest.mark.parametrize(
    "kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_numbers_are_one_key_in_every_array(kind):
    limits = numpy.iinfo(kind)
    edges = {0, limits.min, limits.max}
    for power in range(20):
        edges |= {sign * 10**power + step for sign in (1, -1) for step in (-1, 0, 1)}
        edges |= {sign * int("1234567890123456789"[:power] or 0) for sign in (1, -1)}
        edges |= {sign * 7 * 10**power for sign in (1, -1)}
    edges |= set(range(-10_100, 10_100))
    chance = numpy.random.default_rng(3)
    edges |= set(chance.integers(limits.min, limits.max, 3000, dtype=kind, endpoint=True).tolist())
    numbers = sorted(number for number in edges if limits.min <= number <= limits.max)
    expected = bits_of(numpy.array(numbers, dtype=kind))
    assert bits_of(numbers) == expected
    assert bits_of(iter(numbers)) == expected
    assert bits_of(tuple(numbers)) == expected
    wide = "uint64" if kind.startswith("u") else "int64"
    assert bits_of(numpy.array(numbers, dtype=wide)) == expected


def test_large_arrays_are_answered_in_order():
    """More keys than one thread takes, in chunks of odd lengths, of strings and of numbers."""
    numbers = numpy.arange(100_000)
    filter = tamis.BloomFilter(100_000, 1e-6)
    filter.update(numbers[::3])
    expected = [number % 3 == 0 for number in range(100_000)]
    assert filter.contains_many(numbers).tolist() == expected
    filter = tamis.BloomFilter(100_000, 1e-6)
    filter.update(str(number) for number in numbers[::3])
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.binary(), pyarrow.string_view()):
        whole = pyarrow.array([str(number) for number in range(100_000)]).cast(kind)
        chunks = pyarrow.chunked_array([whole[:40_001], whole[40_001:40_002], whole[40_002:]])
        assert filter.contains_many(whole).tolist() == expected
        assert filter.contains_many(chunks).tolist() == expected
    basket = tamis.CountingFilter(100_000, 1e-6)
    basket.update(numbers[::3])
    assert basket.count_many(numbers).tolist() == [int(each) for each in expected]


def test_union_and_intersection():
    for name in ["blocked", "classic", "counting", "rotating"]:
        left, right = MAKERS[name](), MAKERS[name]()
        left.update(["a", "both"])
        right.update(["b", "both"])
        union, common = left | right, left & right
        assert all(key in union for key in ["a", "b", "both"])
        assert "both" in common and "a" not in common and "b" not in common
        assert type(union) is type(left) and "b" not in left
        left |= right
        assert left == union
        left &= left
        assert "a" in left
    grown = tamis.GrowingFilter(10)
    grown.update(range(1000))
    other = tamis.GrowingFilter(10)
    other.add("b")
    assert "b" in (grown | other)
    with pytest.raises(tamis.UnsupportedError):
        grown & other


def test_counting():
    basket = tamis.CountingFilter(100)
    basket.update(["leek"] * 3 + ["turnip"])
    assert basket.count("leek") == 3 and basket.max_count == 15
    assert basket.remove("leek") and basket.count("leek") == 2
    assert not basket.remove("carrot")
    basket.update(["often"] * 20)
    assert basket.count("often") == 15
    with pytest.raises(tamis.UnsupportedError, match="too often"):
        basket.remove("often")
    assert basket.remove_many(["turnip", "carrot", "often"]) == (1, 1, 1)
    assert tamis.CountingFilter(10, bits=8).max_count == 255


def test_files_are_those_of_the_command(command, tmp_path):
    keys = "".join(f"{i}\n" for i in range(1000))
    kinds = {
        "blocked": ([], lambda: tamis.BloomFilter(1000, 0.01)),
        "classic": (["--layout", "classic"], lambda: tamis.BloomFilter(1000, layout="classic")),
        "counting": (["--counting", "4"], lambda: tamis.CountingFilter(1000)),
        "growing": (["--growing"], lambda: tamis.GrowingFilter(1000)),
        "rotating": (["--rotating", "5"], lambda: tamis.RotatingFilter(5, 1000)),
        "seeded": (["--seed", "7"], lambda: tamis.BloomFilter(1000, seed=7)),
        "farmhash": (["--hash", "farmhash64"], lambda: tamis.BloomFilter(1000, hash="farmhash64")),
    }
    for name, (options, make) in kinds.items():
        theirs, ours = tmp_path / f"{name}.tamis", tmp_path / f"{name}-python.tamis"
        command("filter", "build", "--items", "1000", *options, "-o", theirs, input=keys)
        filter = make()
        filter.update(str(i) for i in range(1000))
        filter.save(ours)
        assert ours.read_bytes() == theirs.read_bytes(), name
        opened = tamis.Filter.load(theirs)
        assert type(opened) is type(filter) and opened == filter
        assert all(str(i) in opened for i in range(1000))
        assert "sound" in command("filter", "verify", ours)


def test_static_filters_are_those_of_the_command(command, tmp_path):
    theirs, ours = tmp_path / "theirs.tamis", tmp_path / "ours.tamis"
    keys = tmp_path / "keys.txt"
    keys.write_text("".join(f"{i}\n" for i in range(1000)))
    command("filter", "build", "--static", "--integers", "--rate", "0.001", "-o", theirs, keys)
    filter = tamis.StaticFilter(range(1000), 0.001)
    filter.save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    assert 999 in tamis.StaticFilter.load(theirs) and len(filter) == 1000


def test_objects_pickle_and_copy(filter):
    filter.update([f"key {i}" for i in range(100)])
    for other in [
        pickle.loads(pickle.dumps(filter)),
        copy.copy(filter),
        copy.deepcopy(filter),
    ]:
        assert other == filter and type(other) is type(filter)
        other.add("new")
        assert other != filter and "new" not in filter
    static = tamis.StaticFilter(["a", "b"])
    assert pickle.loads(pickle.dumps(static)) == static


def test_properties():
    filter = tamis.BloomFilter(1000, 0.01, layout="classic", hash="murmur3", seed=3)
    assert (filter.items, filter.layout, filter.hash, filter.seed) == (
        1000,
        "classic",
        "murmur3",
        3,
    )
    assert filter.hashes == 7 and 9000 < filter.bits < 10_000
    assert filter.rate == pytest.approx(0.01, rel=0.05)
    filter.update(range(1000))
    assert 0.4 < filter.fill < 0.6
    assert filter.estimated_items == pytest.approx(1000, rel=0.1)
    assert filter.current_false_positive_rate == pytest.approx(0.01, rel=0.3)
    assert "1000 keys" in repr(filter)
    filter.clear()
    assert len(filter) == 0 and not filter


def test_threads_work_on_one_filter_together():
    """No thread waits forever, and no key is lost, while others add, ask, merge and are refused."""
    filter, other = tamis.GrowingFilter(1000), tamis.GrowingFilter(1000, seed=1)

    def work(number):
        for turn in range(20):
            filter.update(numpy.arange(2000) + number * 2000)
            assert number * 2000 in filter
            with pytest.raises(tamis.MismatchError):
                filter.__ior__(other)
            assert filter.contains_many([number * 2000]).all()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert filter.contains_many(numpy.arange(8000)).all()


def of(*keys, **options):
    made = tamis.BloomFilter(items=1000, rate=0.001, **options)
    made.update(keys)
    return made


@pytest.mark.parametrize("layout", ["blocked", "classic"])
def test_a_bloom_filter_is_a_set(layout):
    some, more = of("a", layout=layout), of("a", "b", layout=layout)
    assert some <= more and some < more and more >= some and more > some
    assert some.issubset(more) and more.issuperset(some) and not more <= some
    assert some <= some and not some < some
    assert some.union(more, ["c"]) == of("a", "b", "c", layout=layout)
    assert some.intersection(more) == some == more.intersection(["a"], some)
    assert some == of("a", layout=layout), "nothing has changed"
    more.intersection_update(["b", "x"], more)
    assert more == of("b", layout=layout)
    more.update(more, some, ["d"])
    assert more == of("a", "b", "d", layout=layout)
    copied = more.copy()
    copied.add("e")
    assert "e" in copied and "e" not in more
    with pytest.raises(tamis.MismatchError):
        some <= of("a", seed=3, layout=layout)
    with pytest.raises(tamis.UnsupportedError, match="only Bloom filters are sets of bits"):
        tamis.CountingFilter(100) <= tamis.CountingFilter(100)
    with pytest.raises(TypeError):
        some < {"a"}


@pytest.mark.parametrize("layout", ["blocked", "classic"])
def test_equality_is_of_what_is_in(layout):
    once, thrice = of("a", layout=layout), of("a", "a", "a", layout=layout)
    assert (len(once), len(thrice)) == (1, 3) and once == thrice
    thrice.add("b")
    assert once != thrice
    assert once != of("a", layout=layout, seed=1)
    assert pickle.loads(pickle.dumps(thrice)) == thrice


@pytest.mark.parametrize(
    "made",
    [
        lambda: tamis.BloomFilter(1000, 0.0001),
        lambda: tamis.CountingFilter(1000, 0.0001),
        lambda: tamis.GrowingFilter(1000, 0.0001),
        lambda: tamis.RotatingFilter(3, 1000, 0.0001),
    ],
)
def test_adding_tells_whether_the_key_was_new(made):
    seen = made()
    assert [seen.add(key) for key in ["a", "b", "a", b"b", 7, "c"]] == [
        True, True, False, False, True, True,
    ]  # fmt: skip


def test_the_names_of_other_libraries():
    named = tamis.BloomFilter(capacity=500, error_rate=0.02)
    assert (named.capacity, named.error_rate) == (named.items, named.rate) == (500, 0.02)
    assert named.approx_items == 0.0 and named.size_in_bits == named.bits and not named
    named.update(str(number) for number in range(300))
    # Five per cent is more than five standard errors of the estimate at this fill.
    assert named.approx_items == pytest.approx(300, rel=0.05) and named
    assert tamis.BloomFilter.load_bytes(named.save_bytes()) == named
    assert tamis.GrowingFilter(initial_capacity=10, error_rate=0.05).error_rate == 0.05
    with pytest.raises(tamis.ParameterError, match="items and capacity are the same"):
        tamis.BloomFilter(100, capacity=100)
    with pytest.raises(tamis.ParameterError, match="say for how many keys"):
        tamis.BloomFilter(rate=0.1)
    with pytest.raises(tamis.ParameterError, match="load without hash_func"):
        tamis.BloomFilter.load_bytes(named.save_bytes(), hash)
    with pytest.raises(tamis.FormatError, match="not a CountingFilter"):
        tamis.CountingFilter.load_bytes(named.save_bytes())
