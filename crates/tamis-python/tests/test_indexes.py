"""Indexes over signatures and texts: recall, verification, and the further sketches of datasketch."""

import copy
import pickle
import random

import datasketch
import numpy
import pytest
import tamis

WORDS = [f"word{number}" for number in range(3000)]


def pairs_at(similarity, count, seed=3, size=120):
    """Pairs of texts whose sets of words have this similarity."""
    chance = random.Random(seed)
    common = round(2 * size * similarity / (1 + similarity))
    for _ in range(count):
        words = chance.sample(WORDS, 2 * size - common)
        yield " ".join(words[:size]), " ".join(words[size - common :])


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.9])
def test_bands_follow_from_the_recall(threshold):
    lsh = tamis.MinHashLSH(threshold)
    found = 1 - (1 - threshold**lsh.r) ** lsh.b
    assert found >= 0.99 and lsh.b * lsh.r <= 128
    # One row more would find too little.
    assert 1 - (1 - threshold ** (lsh.r + 1)) ** (128 // (lsh.r + 1)) < 0.99
    assert tamis.MinHashLSH(threshold, recall=0.9).r >= lsh.r


def test_pairs_at_the_threshold_are_found():
    """Of 500 pairs at least 0.99 less five standard errors, 0.0045 each."""
    lsh = tamis.MinHashLSH(0.8, shingle="words:1")
    asked = []
    for number, (left, right) in enumerate(pairs_at(0.82, 500)):
        lsh.insert(number, left)
        asked.append(right)
    found = sum(number in lsh.query(text) for number, text in enumerate(asked))
    assert found / 500 >= 0.99 - 5 * 0.0045
    # datasketch's choice for the same threshold finds fewer.
    theirs = tamis.MinHashLSH(0.8, weights=(0.5, 0.5), shingle="words:1")
    for number, (left, _) in enumerate(pairs_at(0.82, 500)):
        theirs.insert(number, left)
    assert sum(number in theirs.query(text) for number, text in enumerate(asked)) < found


def test_texts_are_verified_unless_it_is_turned_off():
    verified = tamis.MinHashLSH(0.8, shingle="words:1")
    candidates = tamis.MinHashLSH(0.8, shingle="words:1", verify=False)
    asked = []
    for number, (left, right) in enumerate(pairs_at(0.7, 300)):
        verified.insert(number, left)
        candidates.insert(number, left)
        asked.append(right)
    assert all(verified.query(text) == [] for text in asked)
    assert sum(number in candidates.query(text) for number, text in enumerate(asked)) > 100
    # Signatures of the same texts are candidates, and cannot be verified.
    rows = tamis.signatures(asked[:1], "words:1")
    signed = tamis.MinHash(hashvalues=rows[0])
    assert verified.query(signed) == candidates.query(signed)


def test_too_few_components_are_told():
    with pytest.warns(UserWarning, match="4 components find 0.9375 of the pairs"):
        lsh = tamis.MinHashLSH(0.5, 4)
    assert (lsh.b, lsh.r) == (4, 1)
    with pytest.raises(tamis.ParameterError, match="ask for more components or less recall"):
        tamis.MinHashLSH(0.5, 4, recall=0.99)
    with pytest.raises(tamis.ParameterError, match="give one of them"):
        tamis.MinHashLSH(0.5, recall=0.9, params=(10, 2))


def signed(items, **options):
    minhash = tamis.MinHash(**options)
    minhash.update_batch(items)
    return minhash


def test_what_an_index_has_inside():
    lsh = tamis.MinHashLSH(0.5)
    with lsh.insertion_session() as session:
        session.insert("a", signed(range(10)))
        session.insert(("b", 2), signed(range(100, 200)))
    assert lsh.keys() == list(lsh.keys) == ["a", ("b", 2)]
    assert "a" in lsh.keys and len(lsh.keys) == 2 and len(lsh.keys["a"]) == lsh.b
    assert [hash in table for hash, table in zip(lsh.keys["a"], lsh.hashtables)] == [True] * lsh.b
    assert [sum(table.values()) for table in lsh.get_counts()] == [2] * lsh.b
    with lsh.deletion_session() as session:
        session.remove("a")
    assert lsh.keys() == [("b", 2)]
    with pytest.raises(KeyError):
        lsh.keys["a"]


def test_merging():
    one, other = tamis.MinHashLSH(0.5), tamis.MinHashLSH(0.5)
    one.insert("a", signed(range(10)))
    other.insert("b", signed(range(50, 60)))
    one.merge(other)
    assert one.query(signed(range(50, 60))) == ["b"] and len(one) == 2
    with pytest.raises(ValueError, match="'b' is in both"):
        one.merge(other, check_overlap=True)
    one.merge(other)
    one.merge(one)
    assert len(one) == 2
    with pytest.raises(tamis.MismatchError):
        one.merge(tamis.MinHashLSH(0.9))
    seeded = tamis.MinHashLSH(0.5)
    seeded.insert("c", signed(range(3), seed=9))
    with pytest.raises(tamis.MismatchError, match="the seed is 1 here and 9 there"):
        one.merge(seeded)


def test_an_index_of_texts_is_pickled():
    lsh = tamis.MinHashLSH(0.8, shingle="chars:4", lowercase=True, normalize="nfc")
    lsh.insert("a", "Wash the leeks well and cut them into rings")
    for again in (pickle.loads(pickle.dumps(lsh)), copy.deepcopy(lsh)):
        assert again.query("wash the leeks well and cut them into rings") == ["a"]
        assert again.query("peel the carrots and cut them into slices") == []


def test_hash_functions_of_ones_own():
    """Anything may be an item, and the function goes wherever the signature goes."""
    one = tamis.MinHash(hashfunc=abs)
    one.update_batch([-1, 2.0 and 2, -3])
    assert one == signed([1, 2, 3])
    assert one.copy().hashfunc is abs and tamis.MinHash.union(one, one).hashfunc is abs
    again = pickle.loads(pickle.dumps(one))
    again.update(-4)
    assert again == signed([1, 2, 3, 4])
    assert tamis.MinHash.bulk([[-1], [2]], hashfunc=abs) == [signed([1]), signed([2])]


@pytest.mark.parametrize("num_perm", [1, 2, 4, 10])
def test_short_signatures(num_perm):
    left, right = signed(range(100), num_perm=num_perm), signed(range(100), num_perm=num_perm)
    assert left.jaccard(right) == 1.0 and len(left.hashvalues) == num_perm


def test_lean_signatures_are_as_long_as_they_say():
    lean = tamis.LeanMinHash(signed(range(20), num_perm=32))
    assert {lean: 1}[tamis.LeanMinHash(signed(range(20), num_perm=32))] == 1
    assert hash(lean) != hash(tamis.LeanMinHash(signed(range(21), num_perm=32)))
    for order in "@=<>!":
        buffer = bytearray(lean.bytesize(order) + 5)
        lean.serialize(buffer, order)
        assert tamis.LeanMinHash.deserialize(buffer, order) == lean
    with pytest.raises(TypeError, match="takes no items"):
        lean.update(b"a")
    with pytest.raises(ValueError, match="the buffer has 3 bytes"):
        lean.serialize(bytearray(3))
    with pytest.raises(ValueError, match="no LeanMinHash"):
        tamis.LeanMinHash.deserialize(b"\xff" * 40)
    again = pickle.loads(pickle.dumps(lean))
    assert again == lean and type(again) is type(lean.copy()) is tamis.LeanMinHash
    assert lean.jaccard(signed(range(20), num_perm=32)) == 1.0


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 32])
@pytest.mark.parametrize("similarity", [0.2, 0.5, 0.9])
def test_few_bits_estimate_the_same(bits, similarity):
    """Within five standard errors of a share of equal components, widened by what chance takes away."""
    common = round(2000 * similarity / (1 + similarity))
    left = signed(range(1000), num_perm=2048)
    right = signed(range(1000 - common, 2000 - common), num_perm=2048)
    few = [tamis.bBitMinHash(minhash, bits) for minhash in (left, right)]
    tolerance = 5 * 0.5 / 2048**0.5 / (1 - 0.5**bits)
    assert few[0].jaccard(few[1]) == pytest.approx(similarity, abs=tolerance)
    assert pickle.loads(pickle.dumps(few[0])) == few[0] != few[1]
    assert few[0].bytesize() == 8 + 4 + 1 + 8 + 2048 * bits // 8


@pytest.mark.parametrize("library", [datasketch, tamis], ids=["datasketch", "tamis"])
def test_weighted_sets(library):
    chance = numpy.random.default_rng(5)
    generator = library.WeightedMinHashGenerator(50, sample_size=1024)
    index = library.MinHashLSH(0.6, num_perm=1024)
    for number in range(5):
        left = chance.uniform(0.5, 10, 50)
        right = left * chance.choice([1.0, 0.5], 50)
        exact = numpy.minimum(left, right).sum() / numpy.maximum(left, right).sum()
        signatures = [generator.minhash(left), generator.minhash(right)]
        # Five standard errors of 1024 samples.
        assert signatures[0].jaccard(signatures[1]) == pytest.approx(exact, abs=5 * 0.5 / 32)
        index.insert(number, signatures[0])
        assert number in index.query(signatures[1])


def test_weights_are_checked():
    generator = tamis.WeightedMinHashGenerator(3)
    for weights in ([1, 2], [0, 0, 0], [1, -1, 1], [1, float("nan"), 1]):
        with pytest.raises(tamis.ParameterError):
            generator.minhash(weights)
    other = tamis.WeightedMinHashGenerator(3, seed=2).minhash([1, 2, 3])
    with pytest.raises(tamis.MismatchError):
        generator.minhash([1, 2, 3]).jaccard(other)
    index = tamis.MinHashLSH(0.5)
    index.insert("a", generator.minhash([1, 2, 3]))
    with pytest.raises(tamis.MismatchError, match="number of values in a component is 2 here"):
        index.query(signed([1]))


@pytest.mark.parametrize("library", [datasketch, tamis], ids=["datasketch", "tamis"])
def test_a_forest_finds_the_nearest(library):
    forest = library.MinHashLSHForest(num_perm=256)
    for start in range(0, 2000, 100):
        minhash = library.MinHash(num_perm=256)
        minhash.update_batch([str(item).encode() for item in range(start, start + 1000)])
        forest.add(start, minhash)
    forest.index()
    asked = library.MinHash(num_perm=256)
    asked.update_batch([str(item).encode() for item in range(1000, 2000)])
    assert set(forest.query(asked, 3)) == {900, 1000, 1100}
    assert 900 in forest and not forest.is_empty()


def test_a_forest_orders_by_similarity_and_is_pickled():
    forest = tamis.MinHashLSHForest(num_perm=256)
    for start in (300, 0, 100):
        forest.add(start, signed(range(start, start + 1000), num_perm=256))
    assert forest.query(signed(range(1000), num_perm=256), 3) == []
    forest.index()
    forest = pickle.loads(pickle.dumps(forest))
    assert forest.query(signed(range(1000), num_perm=256), 3) == [0, 100, 300]
    with pytest.raises(ValueError):
        forest.add(0, signed([1], num_perm=256))
    with pytest.raises(tamis.MismatchError):
        forest.query(signed([1]), 1)
    with pytest.raises(KeyError):
        forest.get_minhash_hashvalues("none")


def test_an_ensemble_finds_what_contains_a_set():
    """Sets of very different sizes, of which each second contains the query."""
    sizes = [100 * 2**number for number in range(8)]
    starts = [0 if number % 2 else 10**6 for number in range(8)]
    ensemble = tamis.MinHashLSHEnsemble(threshold=0.8, num_perm=256, num_part=8)
    ensemble.index(
        (number, signed(range(start, start + size), num_perm=256), size)
        for number, (start, size) in enumerate(zip(starts, sizes))
    )
    assert list(ensemble.query(signed(range(100), num_perm=256), 100)) == [1, 3, 5, 7]


def test_an_ensemble_finds_what_is_at_its_threshold():
    """Of 200 sets that hold 0.85 of the query at least 0.99 less five standard errors."""
    chance = random.Random(8)
    entries = []
    for number in range(200):
        size = chance.randrange(100, 2000)
        items = [*range(85), *(f"{number}-{item}" for item in range(size - 85))]
        entries.append((number, signed(items, num_perm=256), size))
    ensemble = tamis.MinHashLSHEnsemble(threshold=0.8, num_perm=256)
    ensemble.index(entries)
    found = list(ensemble.query(signed(range(100), num_perm=256), 100))
    assert len(set(found)) == len(found) >= 200 * (0.99 - 5 * (0.99 * 0.01 / 200) ** 0.5)
    with pytest.raises(ValueError, match="make another one"):
        ensemble.index(entries)
