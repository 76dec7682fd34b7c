"""The idioms of datasketch: the same calls on both, and the results within statistics.

Each test runs with either library in the place of `sketch`; tolerances are five standard errors of what is estimated, with
fixed seeds.
"""

import math
import pickle

import datasketch
import pytest
import tamis

K = 256


def signed(sketch, items, **options):
    minhash = sketch.MinHash(num_perm=K, **options)
    for item in items:
        minhash.update(str(item).encode("utf8"))
    return minhash


def overlapping(similarity, size=1000):
    """Two sets of this size and similarity."""
    common = round(2 * size * similarity / (1 + similarity))
    return range(0, size), range(size - common, 2 * size - common)


@pytest.fixture(params=[datasketch, tamis], ids=["datasketch", "tamis"])
def sketch(request):
    return request.param


@pytest.mark.parametrize("similarity", [0.0, 0.1, 0.5, 0.8, 1.0])
def test_jaccard(sketch, similarity):
    left, right = (signed(sketch, items) for items in overlapping(similarity))
    tolerance = 5 * math.sqrt(max(similarity * (1 - similarity), 0.01) / K)
    assert left.jaccard(right) == pytest.approx(similarity, abs=tolerance)


def test_update_batch_is_many_updates(sketch):
    minhash = sketch.MinHash(num_perm=K)
    minhash.update_batch([str(item).encode("utf8") for item in range(500)])
    assert minhash == signed(sketch, range(500))
    assert minhash.jaccard(signed(sketch, range(500))) == 1.0


@pytest.mark.parametrize("size", [1, 10, 1000, 20_000])
def test_count(sketch, size):
    minhash = sketch.MinHash(num_perm=K)
    minhash.update_batch([str(item).encode("utf8") for item in range(size)])
    # datasketch's estimate of small sets is the less exact one.
    assert minhash.count() == pytest.approx(size, rel=5 / math.sqrt(K), abs=0.5)


def test_merge_is_the_union(sketch):
    left, right = (signed(sketch, items) for items in overlapping(0.3))
    union = signed(sketch, range(0, 2000 - round(2000 * 0.3 / 1.3)))
    left.merge(right)
    assert left == union
    assert (left.digest() == union.digest()).all()


def test_static_union_and_bulk(sketch):
    sets = [[b"a", b"b"], [b"b", b"c"], [b"d"]]
    parts = list(sketch.MinHash.bulk(sets, num_perm=K))
    union = sketch.MinHash.union(*parts)
    whole = sketch.MinHash(num_perm=K)
    whole.update_batch([b"a", b"b", b"c", b"d"])
    assert union == whole


def test_copy_clear_and_length(sketch):
    minhash = signed(sketch, range(10))
    copied = minhash.copy()
    minhash.clear()
    assert minhash.is_empty() and not copied.is_empty()
    assert len(minhash) == K and minhash.num_perm == K and minhash.seed == 1
    assert copied == signed(sketch, range(10))


def test_hashvalues_make_the_same_again(sketch):
    minhash = signed(sketch, range(100))
    # datasketch has several schemes of functions, and wants to know which.
    scheme = {"scheme": minhash.scheme} if sketch is datasketch else {}
    again = sketch.MinHash(hashvalues=minhash.hashvalues, seed=minhash.seed, **scheme)
    assert again == minhash and again.digest().shape == (K,)


def test_pickle(sketch):
    minhash = signed(sketch, range(100))
    assert pickle.loads(pickle.dumps(minhash)) == minhash


def test_mixed_seeds_and_lengths_are_a_value_error(sketch):
    with pytest.raises(ValueError):
        signed(sketch, [1]).jaccard(signed(sketch, [1], seed=2))
    with pytest.raises(ValueError):
        signed(sketch, [1]).merge(sketch.MinHash(num_perm=64))


def test_lsh(sketch):
    similarities = [0.2, 0.5, 0.8, 0.9, 0.95]
    asked = signed(sketch, range(1000))
    lsh = sketch.MinHashLSH(threshold=0.7, num_perm=K)
    for similarity in similarities:
        lsh.insert(f"at {similarity}", signed(sketch, overlapping(similarity)[1]))
    found = lsh.query(asked)
    assert {"at 0.9", "at 0.95"} <= set(found)
    assert "at 0.2" not in found
    assert "at 0.9" in lsh and not lsh.is_empty()
    lsh.remove("at 0.9")
    assert "at 0.9" not in lsh and "at 0.9" not in lsh.query(asked)
    with pytest.raises(ValueError):
        lsh.remove("at 0.9")
    with pytest.raises(ValueError):
        lsh.insert("at 0.5", asked)
    again = pickle.loads(pickle.dumps(lsh))
    assert sorted(again.query(asked)) == sorted(lsh.query(asked))


def test_lsh_with_bands_and_rows(sketch):
    lsh = sketch.MinHashLSH(num_perm=K, params=(32, 8))
    assert (lsh.b, lsh.r) == (32, 8)
    lsh.insert(("any", "key"), signed(sketch, range(100)))
    assert lsh.query(signed(sketch, range(100))) == [("any", "key")]


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.7, 0.8, 0.9])
@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.2, 0.8)])
def test_both_cut_signatures_alike(threshold, weights):
    """The same trade-off; integrals are computed in different ways, so that neighbours may be chosen."""
    theirs = datasketch.MinHashLSH(threshold=threshold, num_perm=128, weights=weights)
    ours = tamis.MinHashLSH(threshold=threshold, num_perm=128, weights=weights)
    assert abs(theirs.r - ours.r) <= 1

    def found(lsh, similarity):
        return 1 - (1 - similarity**lsh.r) ** lsh.b

    for similarity in [threshold - 0.1, threshold, min(threshold + 0.1, 1.0)]:
        assert found(ours, similarity) == pytest.approx(found(theirs, similarity), abs=0.15)


def test_estimates_are_at_least_as_exact_as_theirs():
    """Root mean square errors over 60 pairs of sets of 1000."""
    errors = {}
    for sketch in (datasketch, tamis):
        squares = []
        for number in range(60):
            similarity = 0.1 + 0.8 * number / 60
            left, right = overlapping(similarity)
            exact = len(set(left) & set(right)) / len(set(left) | set(right))
            move = number * 10_000
            pair = [sketch.MinHash(num_perm=K), sketch.MinHash(num_perm=K)]
            for minhash, items in zip(pair, (left, right)):
                minhash.update_batch([str(move + item).encode() for item in items])
            squares.append((pair[0].jaccard(pair[1]) - exact) ** 2)
        errors[sketch.__name__] = math.sqrt(sum(squares) / len(squares))
    assert errors["tamis"] < 1.2 * errors["datasketch"], errors
