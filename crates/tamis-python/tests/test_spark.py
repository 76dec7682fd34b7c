"""Spark on two executors of their own processes: the same pairs, groups and copies as the command."""

import json
import os
import pathlib
import random
import shutil
import sys

import pytest
import tamis
from pyspark.sql import SparkSession
from tamis import spark as sieve

WORDS = [f"word{number}" for number in range(3000)]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    os.environ |= {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "localhost",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("tamis")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "1024m",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "300",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.sparkContext.setCheckpointDir(str(tmp_path_factory.mktemp("checkpoints")))
    application = session.sparkContext.applicationId
    yield session
    session.stop()
    import pyspark

    shutil.rmtree(pathlib.Path(pyspark.__file__).parent / "work" / application, ignore_errors=True)


def corpus(documents, seed=7):
    """Texts of which every third is a near-copy of an earlier one, and some are empty or short."""
    chance = random.Random(seed)
    texts = []
    for number in range(documents):
        if number % 3 == 2:
            words = texts[chance.randrange(max(0, number - 60), number)].split()
            for _ in range(min(len(words), chance.randrange(6))):
                words[chance.randrange(len(words))] = chance.choice(WORDS)
        elif number % 50 == 10:
            words = chance.choices(WORDS[:3], k=chance.randrange(3))
        else:
            words = chance.choices(WORDS, k=chance.randrange(20, 60))
        texts.append(" ".join(words))
    return texts


@pytest.fixture(scope="module")
def documents(session, tmp_path_factory):
    """The same documents as a DataFrame and as a file for the command."""
    chance = random.Random(1)
    rows = [(i, text, chance.randrange(100)) for i, text in enumerate(corpus(2000))]
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    names = ("id", "text", "weight")
    path.write_text("".join(json.dumps(dict(zip(names, row))) + "\n" for row in rows))
    shuffled = rows.copy()
    chance.shuffle(shuffled)
    frame = session.createDataFrame(
        [*shuffled, (5000, None, 1)], "id long, text string, weight long"
    )
    return frame.repartition(3).cache(), path


def printed(output):
    rows = (line.split("\t") for line in output.splitlines())
    return sorted((int(left), int(right), float(similarity)) for left, right, similarity in rows)


def test_there_are_two_executors(session):
    from pyspark import SparkContext

    assert session.sparkContext.master == "local-cluster[2,1,1024]"
    assert isinstance(session.sparkContext, SparkContext)
    processes = session.range(0, 200, 1, 8).rdd.mapPartitions(lambda _: [os.getppid()]).collect()
    assert len(set(processes)) == 2


def test_pairs_and_groups_are_those_of_the_command(session, documents, command):
    frame, path = documents
    expected = printed(command("similar", "pairs", "--quiet", "--threshold", "0.6", path))
    pairs = sieve.near_duplicates(frame, threshold=0.6).cache()
    found = sorted(tuple(row) for row in pairs.collect())
    assert len(expected) > 300
    assert found == expected
    groups = printed(command("similar", "clusters", "--quiet", "--threshold", "0.6", path))
    found = sorted(tuple(row) for row in sieve.clusters(pairs).collect())
    assert found == [(representative, member) for representative, member, _ in groups]


def test_copies_are_those_of_the_command(documents, command, tmp_path):
    keep = "largest:weight"
    frame, path = documents
    clean = tmp_path / "clean.jsonl"
    command("similar", "dedup", "--quiet", "--threshold", "0.6", "--keep", keep, path, "-o", clean)
    expected = [json.loads(line)["id"] for line in clean.read_text().splitlines()]
    kept = sieve.deduplicate(frame, threshold=0.6, keep=keep)
    assert kept.columns == frame.columns
    # A text that is null takes no part, and stays.
    assert sorted(row.id for row in kept.select("id").collect()) == [*expected, 5000]


def test_sets_stay_where_they_are(session, documents):
    """Candidates are few, so they are sent to the sets: no set goes through a shuffle before it is known to be in one."""
    found = sieve.near_duplicates(documents[0], threshold=0.6)
    found.collect()
    plan = found._jdf.queryExecution().executedPlan().toString()
    assert "BroadcastHashJoin" in plan and "LeftSemi" in plan
    assert "SortMergeJoin [id" not in plan


def test_a_skewed_corpus_finishes(session, command, tmp_path):
    """Half of the texts are one, and every text begins in the same way."""
    texts = [f"the same {text}" for text in corpus(1000, seed=2)]
    texts += ["one text that half of all documents have in common, word by word"] * 1000
    path = tmp_path / "skewed.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in enumerate(texts)))
    frame = session.createDataFrame(list(enumerate(texts)), "id long, text string").repartition(4)
    pairs = sieve.near_duplicates(frame, threshold=0.6, max_copies=20).cache()
    equal = pairs.where("left >= 1000").count()
    assert equal == 20 * 19 // 2 + 980
    groups = printed(command("similar", "clusters", "--quiet", "--threshold", "0.6", path))
    found = sorted(tuple(row) for row in sieve.clusters(pairs).collect())
    assert found == [(representative, member) for representative, member, _ in groups]
    kept = sieve.deduplicate(frame, threshold=0.6)
    assert kept.where("id >= 1000").count() == 1


def test_large_bands_are_bounded(session):
    """At a threshold of 0.3 with 60 bands of one row many texts share one; the bound is kept, across batches."""
    texts = [f"common words here {i} {i * 7} {i * 13}" for i in range(2000)]
    frame = session.createDataFrame(list(enumerate(texts)), "id long, text string").repartition(3)
    found = sieve.near_duplicates(
        frame, threshold=0.2, shingle="words:1", params=(60, 1), max_band=50
    )
    assert 2000 <= found.count() < 60 * (2000 + 50 * 50)


def test_groups_of_long_chains(session):
    chance = random.Random(4)
    names = [f"node {number:05}" for number in range(3000)]
    chance.shuffle(names)
    chains = [names[:1500], names[1500:2900]]
    pairs = [pair for chain in chains for pair in zip(chain, chain[1:])]
    chance.shuffle(pairs)
    frame = session.createDataFrame(pairs, "left string, right string")
    found = sorted(tuple(row) for row in sieve.clusters(frame).collect())
    assert found == sorted((min(chain), name) for chain in chains for name in chain)


def test_filters_and_cascades(session, tmp_path):
    rows = [("leek", 1), ("carrot", 2), (None, 3), ("pineapple", 4)]
    frame = session.createDataFrame(rows, "name string, number long").repartition(2)
    seen = tamis.BloomFilter(100, 0.0001)
    seen.update(["leek", 2])
    seen.save(tmp_path / "seen.tamis")
    for filter in [seen, str(tmp_path / "seen.tamis")]:
        found = {
            row.number: row.contained for row in sieve.contains(frame, "name", filter).collect()
        }
        assert found == {1: True, 2: False, 3: None, 4: False}
    found = {
        row.number: row.seen for row in sieve.contains(frame, "number", seen, "seen").collect()
    }
    assert found == {1: False, 2: True, 3: False, 4: False}
    cascade = tamis.Cascade.train({"leaf": ["leek"], "root": ["carrot"]}, reject=20)
    found = {row.number: row.category for row in sieve.classify(frame, "name", cascade).collect()}
    assert found == {1: "leaf", 2: "root", 3: None, 4: None}


def test_wrong_input_is_refused_on_the_driver(session):
    frame = session.createDataFrame([(1, "a")], "id long, text string")
    for call in [
        lambda: sieve.near_duplicates(frame, threshold=2),
        lambda: sieve.near_duplicates(frame, shingle="verbs:2"),
        lambda: sieve.near_duplicates(frame, max_band=1),
        lambda: sieve.deduplicate(frame, keep="last"),
        lambda: sieve.contains(frame, "none", tamis.BloomFilter(10)),
        lambda: sieve.contains(frame, "text", tamis.BloomFilter(10), "id"),
        lambda: sieve.contains(frame, "text", "none.tamis"),
    ]:
        with pytest.raises(tamis.Error):
            call()
    empty = session.createDataFrame([], "id long, text string")
    pairs = sieve.near_duplicates(empty)
    assert pairs.count() == 0 and sieve.clusters(pairs).count() == 0


@pytest.mark.parametrize("twice", [7, None])
def test_ids_that_do_not_name_one_document_are_refused(session, twice):
    rows = [(number, f"a text of its own {number}") for number in range(10)]
    rows += [(twice, "another text"), (twice, "and one more")]
    frame = session.createDataFrame(rows, "id long, text string")
    for function in (sieve.near_duplicates, sieve.deduplicate):
        with pytest.raises(tamis.ParameterError, match="ids must be unique and not null"):
            function(frame)
