"""Signatures, near-duplicates and copies: the same as those of the command."""

import copy
import json
import multiprocessing
import pickle
import random

import numpy
import pyarrow
import pyarrow.parquet
import pytest
import tamis

WORDS = [f"word{number}" for number in range(2000)]


def corpus(documents=400, seed=5):
    """Texts of 30 to 60 words, of which some are near-copies and some copies of others."""
    chance = random.Random(seed)
    texts = []
    for number in range(documents):
        if number > 10 and number % 4 == 0:
            words = texts[chance.randrange(number)].split()
            for _ in range(chance.randrange(4)):
                words[chance.randrange(len(words))] = chance.choice(WORDS)
        else:
            words = chance.choices(WORDS, k=chance.randrange(30, 60))
        texts.append(" ".join(words))
    return texts


TEXTS = corpus()


@pytest.fixture
def jsonl(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(
        "".join(json.dumps({"id": f"d{i}", "text": t}) + "\n" for i, t in enumerate(TEXTS))
    )
    return path


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "corpus.parquet"
    table = pyarrow.table({"id": [f"d{i}" for i in range(len(TEXTS))], "text": TEXTS})
    pyarrow.parquet.write_table(table, path)
    return path


def printed(output):
    rows = [line.split("\t") for line in output.splitlines()]
    return [(left, right, float(similarity)) for left, right, similarity in rows]


def rows(table):
    return list(zip(*(column.to_pylist() for column in table.columns)))


def test_pairs_are_those_of_the_command(command, jsonl, parquet):
    expected = printed(command("similar", "pairs", "--quiet", "--threshold", "0.7", jsonl))
    assert len(expected) > 50
    ids = [f"d{i}" for i in range(len(TEXTS))]
    table = pyarrow.table({"id": ids, "text": TEXTS})
    for data, names in [
        (jsonl, None),
        (str(parquet), None),
        ([jsonl], None),
        (TEXTS, ids),
        (pyarrow.array(TEXTS), ids),
        (table, None),
        (table.to_batches()[0], None),
    ]:
        assert rows(tamis.near_duplicates(data, 0.7, ids=names)) == expected
    numbers = rows(tamis.near_duplicates(TEXTS, 0.7))
    assert [(f"d{left}", f"d{right}", s) for left, right, s in numbers] == expected


def test_options_are_those_of_the_command(command, jsonl):
    options = ["--threshold", "0.5", "--shingle", "chars:5", "--components", "64", "--seed", "9"]
    expected = printed(command("similar", "pairs", "--quiet", *options, jsonl))
    found = tamis.near_duplicates(jsonl, 0.5, "chars:5", 64, seed=9)
    assert rows(found) == expected
    options = ["--threshold", "0.5", "--bands", "40", "--rows", "3"]
    expected = printed(command("similar", "pairs", "--quiet", *options, jsonl))
    assert rows(tamis.near_duplicates(jsonl, 0.5, params=(40, 3))) == expected


def test_groups_are_those_of_the_command(command, jsonl):
    expected = printed(command("similar", "clusters", "--quiet", "--threshold", "0.7", jsonl))
    assert rows(tamis.clusters(jsonl, 0.7)) == expected
    ids = [f"d{i}" for i in range(len(TEXTS))]
    assert rows(tamis.clusters(TEXTS, 0.7, ids=ids)) == expected


@pytest.mark.parametrize("keep", ["first", "longest", "largest:weight"])
def test_copies_are_those_of_the_command(command, tmp_path, keep):
    chance = random.Random(3)
    table = pyarrow.table(
        {
            "id": [f"d{i}" for i in range(len(TEXTS))],
            "text": TEXTS,
            "weight": [chance.randrange(100) for _ in TEXTS],
        }
    )
    path, clean, report = (
        tmp_path / name for name in ["all.parquet", "clean.parquet", "removed.tsv"]
    )
    pyarrow.parquet.write_table(table, path)
    command(
        "similar", "dedup", "--quiet", "--threshold", "0.7", "--keep", keep, path, "-o", clean, "--report", report
    )  # fmt: skip
    kept, removed = tamis.deduplicate(table, 0.7, keep=keep)
    assert rows(kept) == rows(pyarrow.parquet.read_table(clean))
    assert rows(removed) == printed("\n".join(report.read_text().splitlines()[1:]))
    assert rows(tamis.deduplicate(path, 0.7, keep=keep).kept.read_all()) == rows(kept)


def test_copies_of_a_list():
    kept, removed = tamis.deduplicate(TEXTS, 0.7, keep="longest")
    table = pyarrow.table({"id": range(len(TEXTS)), "text": TEXTS})
    again = tamis.deduplicate(table, 0.7, keep="longest")
    assert rows(kept) == rows(again.kept) and rows(removed) == rows(again.removed)
    assert kept.num_rows + removed.num_rows == len(TEXTS)
    assert tamis.near_duplicates(kept, 0.7).num_rows == 0


def test_signatures_of_everything_are_the_same(jsonl, parquet):
    expected = tamis.signatures(TEXTS)
    assert expected.shape == (len(TEXTS), 128) and expected.dtype == numpy.uint64
    for texts in [
        tuple(TEXTS),
        iter(TEXTS),
        pyarrow.array(TEXTS),
        pyarrow.chunked_array([TEXTS]),
        parquet,
        str(jsonl),
    ]:
        assert (tamis.signatures(texts) == expected).all()
    assert (tamis.signatures(pyarrow.table({"text": TEXTS})) == expected).all()
    assert (tamis.signatures(TEXTS, seed=2) != expected).any()
    assert tamis.signatures(TEXTS, "chars:4", 64).shape == (len(TEXTS), 64)


def test_signatures_estimate_the_exact_similarity():
    signed = [tamis.MinHash(hashvalues=row) for row in tamis.signatures(TEXTS, num_perm=1024)]
    for left, right, similarity in rows(tamis.near_duplicates(TEXTS, 0.6))[:100]:
        # Five standard errors of 1024 components.
        assert abs(signed[left].jaccard(signed[right]) - similarity) < 5 * 0.5 / 32


def test_options_of_texts():
    upper = [text.upper() for text in TEXTS[:10]]
    assert (tamis.signatures(upper, lowercase=True) == tamis.signatures(TEXTS[:10])).all()
    composed, apart = ["açúcar e limão bem frio"], ["ac\u0327u\u0301car e lima\u0303o bem frio"]
    assert (tamis.signatures(composed) != tamis.signatures(apart)).any()
    assert (tamis.signatures(composed) == tamis.signatures(apart, normalize="nfc")).all()


def test_minhash_pickles_copies_and_is_saved(tmp_path):
    signed = tamis.MinHash(64, seed=3)
    signed.update_batch(["a", "b", "c"])
    signed.save(tmp_path / "a.tamis")
    for other in [
        pickle.loads(pickle.dumps(signed)),
        copy.copy(signed),
        copy.deepcopy(signed),
        signed.copy(),
        tamis.MinHash.load(tmp_path / "a.tamis"),
        tamis.MinHash(hashvalues=signed.digest(), seed=3),
        tamis.MinHash(hashvalues=signed.digest().tolist(), seed=3),
    ]:
        assert other == signed and other.jaccard(signed) == 1.0
        assert (other.num_perm, other.seed) == (64, 3)
        other.update("d")
        assert other != signed


def test_items_in_any_order_and_portion():
    whole, parts = tamis.MinHash(), tamis.MinHash()
    whole.update_batch(numpy.arange(1000))
    for number in reversed(range(1000)):
        parts.update(number)
    assert whole == parts
    parts.clear()
    assert parts.is_empty() and parts == tamis.MinHash()


def test_lsh_pickles_and_copies():
    lsh = tamis.MinHashLSH(0.5, 128)
    for number, row in enumerate(tamis.signatures(TEXTS)):
        lsh.insert(("text", number), tamis.MinHash(hashvalues=row))
    lsh.remove(("text", 3))
    asked = [tamis.MinHash(hashvalues=row) for row in tamis.signatures(TEXTS[:50])]
    for other in [pickle.loads(pickle.dumps(lsh)), copy.copy(lsh), copy.deepcopy(lsh)]:
        assert other.keys() == lsh.keys() and len(other) == len(TEXTS) - 1
        assert [other.query(a) for a in asked] == [lsh.query(a) for a in asked]
        other.remove(("text", 4))
        assert ("text", 4) in lsh
        with pytest.raises(tamis.MismatchError):
            other.query(tamis.MinHash(seed=7))


def child(queue):
    queue.put(int(tamis.signatures(TEXTS).sum(dtype=numpy.uint64)))


def test_a_forked_process_has_threads_of_its_own():
    expected = int(tamis.signatures(TEXTS).sum(dtype=numpy.uint64))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == expected
    process.join(60)
    assert process.exitcode == 0
