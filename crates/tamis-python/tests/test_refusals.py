"""Wrong input: an exception with a sentence, never an abort of the interpreter."""

import builtins

import numpy
import pyarrow
import pytest
import tamis

LONE = "a\ud800b"


def filter():
    return tamis.BloomFilter(100)


def saved(tmp_path):
    path = tmp_path / "a.tamis"
    filter().save(path)
    return path


SIGNED = tamis.MinHash()
LSH = tamis.MinHashLSH()
CASCADE = tamis.Cascade.train({"a": ["x"], "b": ["y"]}, reject=16)

REFUSALS = {
    "a key of None": (lambda: filter().add(None), TypeError, "got NoneType"),
    "a key of a float": (lambda: 1.5 in filter(), TypeError, "got float"),
    "a key of a list": (lambda: ["a"] in filter(), TypeError, "got list"),
    "a lone surrogate": (lambda: filter().add(LONE), ValueError, "lone surrogate"),
    "a lone surrogate in a batch": (
        lambda: filter().update(["a", LONE]),
        ValueError,
        "lone surrogate",
    ),
    "None in a batch": (lambda: filter().update(["a", None]), TypeError, "got NoneType"),
    "a str as a batch": (lambda: filter().update("abc"), TypeError, "got str"),
    "bytes as a batch": (lambda: filter().contains_many(b"abc"), TypeError, "got bytes"),
    "None as a batch": (lambda: filter().update(None), TypeError, "got NoneType"),
    "a number as a batch": (lambda: filter().update(7), TypeError, "got int"),
    "a null of Arrow": (
        lambda: filter().update(pyarrow.array(["a", None])),
        TypeError,
        "row 1 is null",
    ),
    "floats of Arrow": (lambda: filter().update(pyarrow.array([1.5])), TypeError, "not Float64"),
    "floats of NumPy": (lambda: filter().update(numpy.array([1.5])), TypeError, "got float"),
    "a matrix": (
        lambda: filter().update(numpy.zeros((2, 2), dtype=int)),
        ValueError,
        "one dimension",
    ),
    "a table as a batch": (
        lambda: filter().update(pyarrow.table({"a": ["x"]})),
        TypeError,
        "many columns",
    ),
    "a rate of 2": (lambda: tamis.BloomFilter(10, 2.0), ValueError, "got 2"),
    "a rate of nothing": (lambda: tamis.BloomFilter(10, float("nan")), ValueError, "got NaN"),
    "absurdly many keys": (lambda: tamis.BloomFilter(2**62), ValueError, "ask for fewer items"),
    "a layout that there is not": (
        lambda: tamis.BloomFilter(10, layout="round"),
        ValueError,
        "round",
    ),
    "a hash that there is not": (lambda: tamis.BloomFilter(10, hash="md5"), ValueError, "md5"),
    "counters of 3 bits": (lambda: tamis.CountingFilter(10, bits=3), ValueError, "got 3"),
    "mixed seeds": (
        lambda: filter() | tamis.BloomFilter(100, seed=1),
        ValueError,
        "the seed is 0 here",
    ),
    "mixed sizes": (lambda: filter() | tamis.BloomFilter(999), ValueError, "do not match"),
    "mixed kinds": (lambda: filter() | tamis.CountingFilter(100), ValueError, "the kind is"),
    "a file that is not there": (
        lambda: tamis.Filter.load("none"),
        FileNotFoundError,
        "cannot read none",
    ),
    "a path with NUL": (lambda: tamis.Filter.load("a\0b"), OSError, "NUL byte"),
    "a folder": (lambda: tamis.Filter.load("."), OSError, "cannot read"),
    "signatures of mixed seeds": (
        lambda: SIGNED.jaccard(tamis.MinHash(seed=2)),
        ValueError,
        "the seed",
    ),
    "signatures of mixed lengths": (
        lambda: SIGNED.merge(tamis.MinHash(64)),
        ValueError,
        "components",
    ),
    "a signature of no components": (lambda: tamis.MinHash(0), ValueError, "between 1 and 4096"),
    "an item of None": (lambda: SIGNED.update(None), TypeError, "got NoneType"),
    "components of text": (lambda: tamis.MinHash(hashvalues=["a"] * 16), TypeError, "hashvalues"),
    "a union of nothing": (lambda: tamis.MinHash.union(), ValueError, "at least one"),
    "bands that do not fit": (lambda: tamis.MinHashLSH(params=(20, 20)), ValueError, "do not fit"),
    "a threshold of 7": (lambda: tamis.MinHashLSH(threshold=7), ValueError, "at most 1"),
    "another length in an index": (
        lambda: LSH.insert("a", tamis.MinHash(64)),
        ValueError,
        "num_perm",
    ),
    "removing what is not in": (lambda: LSH.remove("a"), KeyError, "no signature under 'a'"),
    "a category of a number": (lambda: tamis.Cascade.train({1: ["a"]}), TypeError, "got int"),
    "no category": (lambda: tamis.Cascade.train({}), ValueError, "at least one"),
    "training with text": (lambda: tamis.Cascade.train("ab"), TypeError, "got str"),
    "training with None": (lambda: tamis.Cascade.train(None), TypeError, "got NoneType"),
    "a key in two categories": (
        lambda: tamis.Cascade.train([("a", "x"), ("a", "y")]),
        ValueError,
        "'x' and 'y'",
    ),
    "a key that was not trained": (lambda: CASCADE["z"], KeyError, "'z' was not trained"),
    "40 bits to refuse by": (
        lambda: tamis.Cascade.train({"a": ["x"]}, reject=40),
        ValueError,
        "at most 32",
    ),
    "texts of None": (
        lambda: tamis.signatures(["a", None]),
        TypeError,
        "text 1 is not str but NoneType",
    ),
    "texts with a null": (
        lambda: tamis.signatures(pyarrow.array(["a", None])),
        TypeError,
        "row 1 is null",
    ),
    "texts with a lone surrogate": (
        lambda: tamis.signatures(["a", LONE]),
        ValueError,
        "text 1 has a lone",
    ),
    "texts that are numbers": (lambda: tamis.near_duplicates(7), TypeError, "got int"),
    "texts of Arrow that are numbers": (
        lambda: tamis.signatures(pyarrow.array([1])),
        TypeError,
        "holds int64",
    ),
    "a shingle that there is not": (
        lambda: tamis.signatures(["a"], "verbs:3"),
        ValueError,
        "verbs:3",
    ),
    "pictures": (lambda: tamis.signatures(["a"], "picture"), ValueError, "by the command"),
    "a form that there is not": (
        lambda: tamis.signatures(["a"], normalize="x"),
        ValueError,
        "nfkc",
    ),
    "a threshold of 0": (lambda: tamis.near_duplicates(["a"], threshold=0), ValueError, "above 0"),
    "more recall than there is": (
        lambda: tamis.near_duplicates(["a"], threshold=0.01, num_perm=16),
        ValueError,
        "more components or less recall",
    ),
    "a file of texts that is not there": (
        lambda: tamis.near_duplicates("none.parquet"),
        FileNotFoundError,
        "none.parquet",
    ),
    "a column that there is not": (
        lambda: tamis.near_duplicates(pyarrow.table({"a": ["x"]}), text="b"),
        ValueError,
        "there is no column b; it has a",
    ),
    "fewer ids than texts": (
        lambda: tamis.near_duplicates(["a b c"] * 2, ids=["x"]),
        ValueError,
        "fewer ids",
    ),
    "another way to keep": (lambda: tamis.deduplicate(["a"], keep="best"), ValueError, "longest"),
    "a rate and memory": (lambda: tamis.plan.filter(10, 0.1, memory=10), ValueError, "not both"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refused_with_a_sentence(name):
    call, builtin, sentence = REFUSALS[name]
    with pytest.raises(tamis.Error) as refusal:
        call()
    assert isinstance(refusal.value, builtin), type(refusal.value).__mro__
    assert sentence in str(refusal.value)
    assert type(refusal.value).__module__ == "tamis"


# Python itself refuses what is no number or no text where one is needed.
@pytest.mark.parametrize(
    "call",
    [
        lambda: tamis.BloomFilter("many"),
        lambda: tamis.BloomFilter(None),
        lambda: tamis.BloomFilter(-1),
        lambda: tamis.BloomFilter(10, seed=2**70),
        lambda: tamis.BloomFilter(),
        lambda: tamis.MinHash(seed="a"),
        lambda: SIGNED.jaccard(None),
        lambda: SIGNED.jaccard(filter()),
        lambda: LSH.query(7),
        lambda: LSH.insert([], SIGNED),
        lambda: filter() | None,
        lambda: filter() & 3,
        lambda: tamis.Filter(),
        lambda: tamis.Filter.load(7),
    ],
)
def test_python_refuses_what_is_no_argument(call):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        call()


def test_every_shorter_or_changed_file_is_refused(tmp_path):
    path, broken = saved(tmp_path), tmp_path / "broken.tamis"
    whole = path.read_bytes()
    for length in [0, 1, 7, 63, 64, len(whole) // 2, len(whole) - 1]:
        broken.write_bytes(whole[:length])
        with pytest.raises(tamis.FormatError, match="broken.tamis"):
            tamis.Filter.load(broken)
    broken.write_bytes(whole + b"more")
    with pytest.raises(tamis.FormatError, match="follow the end"):
        tamis.Filter.load(broken)
    for place in range(0, len(whole), 7):
        broken.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(tamis.FormatError):
            tamis.Filter.load(broken)


def test_files_of_another_kind_are_refused(tmp_path):
    path = saved(tmp_path)
    with pytest.raises(tamis.FormatError, match="this is a Bloom filter"):
        tamis.CountingFilter.load(path)
    with pytest.raises(tamis.FormatError, match="this is a Bloom filter"):
        tamis.Cascade.load(path)
    with pytest.raises(tamis.FormatError):
        tamis.MinHash.load(path)
    CASCADE.save(path)
    with pytest.raises(tamis.FormatError, match="a filter is needed"):
        tamis.Filter.load(path)


def test_files_that_cannot_be_written(tmp_path):
    with pytest.raises(FileNotFoundError) as refusal:
        filter().save(tmp_path / "none" / "a.tamis")
    assert isinstance(refusal.value, tamis.Error)


def test_a_key_that_raises_raises():
    class Hostile:
        def __index__(self):
            raise RuntimeError("no number today")

    with pytest.raises(RuntimeError, match="no number today"):
        filter().add(Hostile())
    with pytest.raises(RuntimeError, match="no more"):
        filter().update(raising())


def raising():
    yield "a"
    raise RuntimeError("no more")


def test_empty_input_is_no_error():
    empty = filter()
    empty.update([])
    assert len(empty) == 0 and empty.contains_many([]).shape == (0,)
    assert "" not in empty
    empty.add("")
    assert "" in empty
    assert tamis.signatures([]).shape == (0, 128)
    assert tamis.near_duplicates([]).num_rows == 0
    assert tamis.clusters(["", ""]).num_rows == 0
    assert tamis.deduplicate([]).kept.num_rows == 0
    assert len(tamis.StaticFilter([])) == 0
    assert tamis.MinHash().count() == 0.0
    assert LSH.query(tamis.MinHash()) == []


def test_all_exceptions_are_one_tree():
    tree = [getattr(tamis, name) for name in tamis.__all__ if name.endswith("Error")]
    assert len(tree) == 10
    for exception in tree:
        assert issubclass(exception, tamis.Error)
        assert exception.__doc__
        assert exception.__name__ not in dir(builtins)
