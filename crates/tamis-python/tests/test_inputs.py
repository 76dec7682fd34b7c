"""The table of inputs: whatever texts are in, the same pairs, groups, copies and labels come out, in a frame of that kind."""

import json
import pathlib
import random

import datasets
import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
import tamis

WORDS = [f"word{number}" for number in range(2000)]


def corpus(documents=300, seed=11):
    """Texts of which some are near-copies or copies of others; every 25th is missing, and one is empty."""
    chance = random.Random(seed)
    texts = []
    for number in range(documents):
        if number > 10 and number % 4 == 0 and texts[number - 5]:
            words = texts[number - 5].split()
            for _ in range(chance.randrange(4)):
                words[chance.randrange(len(words))] = chance.choice(WORDS)
            texts.append(" ".join(words))
        elif number % 25 == 13:
            texts.append(None)
        else:
            texts.append(" ".join(chance.choices(WORDS, k=chance.randrange(30, 60))))
    texts[5] = ""
    return texts


TEXTS = corpus()
IDS = [f"d{number}" for number in range(len(TEXTS))]
NULLS = sum(text is None for text in TEXTS)
ROWS = [{"id": id, "text": text} for id, text in zip(IDS, TEXTS)]


def table(kind=None):
    kind = kind or pyarrow.string()
    return pyarrow.table({"id": IDS, "text": pyarrow.array(TEXTS, kind)})


def jsonl(folder):
    path = folder / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def parquet(folder):
    path = folder / "corpus.parquet"
    pyarrow.parquet.write_table(table(), path, row_group_size=50)
    return path


def shards(folder):
    """The corpus in three files."""
    for part in range(3):
        pyarrow.parquet.write_table(table().slice(part * 100, 100), folder / f"part-{part}.parquet")
    return [folder / f"part-{part}.parquet" for part in range(3)]


def splits():
    one, other = table().slice(0, 120), table().slice(120)
    return datasets.DatasetDict(
        {"train": datasets.Dataset(one), "test": datasets.Dataset(other)}
    )


TABLES = {
    "pyarrow": lambda _: table(),
    "large strings": lambda _: table(pyarrow.large_string()),
    "string views": lambda _: table(pyarrow.string_view()),
    "categories": lambda _: table().set_column(
        1, "text", table().column("text").dictionary_encode()
    ),
    "record batch": lambda _: table().to_batches()[0],
    "chunks": lambda _: pyarrow.concat_tables([table().slice(0, 7), table().slice(7)]),
    "pandas": lambda _: pandas.DataFrame(ROWS),
    "pandas with gaps": lambda _: pandas.DataFrame(ROWS).astype({"text": "string"}),
    "pandas categories": lambda _: pandas.DataFrame(ROWS).astype({"text": "category"}),
    "pandas with an index": lambda _: pandas.DataFrame(ROWS, index=range(1000, 1300)),
    "polars": lambda _: polars.DataFrame(ROWS),
    "polars lazy": lambda _: polars.DataFrame(ROWS).lazy(),
    "polars categories": lambda _: polars.DataFrame(ROWS).with_columns(
        polars.col("text").cast(polars.Categorical)
    ),
    "Hugging Face": lambda _: datasets.Dataset(table()),
    "Hugging Face, indices": lambda _: datasets.Dataset(table()).select(range(len(TEXTS))),
    "Hugging Face splits": lambda _: splits(),
    "DuckDB": lambda _: duckdb.from_arrow(table()),
    "reader": lambda _: table().to_reader(max_chunksize=40),
    "dataset": lambda folder: pyarrow.dataset.dataset(shards(folder)),
    "scanner": lambda _: pyarrow.dataset.Scanner.from_batches(table().to_reader()),
    "batches of pyarrow": lambda _: iter(table().to_batches(max_chunksize=40)),
    "batches of pandas": lambda _: (
        pandas.DataFrame(ROWS[start : start + 60]) for start in range(0, 300, 60)
    ),
    "batches of polars": lambda _: iter(polars.DataFrame(ROWS).iter_slices(64)),
    "records": lambda _: iter(ROWS),
}

FILES = {
    "JSONL": jsonl,
    "JSONL, str": lambda folder: str(jsonl(folder)),
    "Parquet": parquet,
    "list of paths": shards,
    "list of str": lambda folder: [str(path) for path in shards(folder)],
    "glob": lambda folder: shards(folder) and str(folder / "part-*.parquet"),
}

COLUMNS = {
    "list": lambda: TEXTS,
    "tuple": lambda: tuple(TEXTS),
    "generator": lambda: iter(TEXTS),
    "NumPy objects": lambda: numpy.array(TEXTS, dtype=object),
    "NumPy with NaN": lambda: numpy.array([t if t is not None else numpy.nan for t in TEXTS], object),
    "pyarrow array": lambda: pyarrow.array(TEXTS),
    "pyarrow views": lambda: pyarrow.array(TEXTS, pyarrow.string_view()),
    "pyarrow chunks": lambda: pyarrow.chunked_array([TEXTS[:50], TEXTS[50:]]),
    "pyarrow categories": lambda: pyarrow.array(TEXTS).dictionary_encode(),
    "pandas series": lambda: pandas.Series(TEXTS),
    "pandas categories": lambda: pandas.Series(TEXTS, dtype="category"),
    "polars series": lambda: polars.Series(TEXTS),
    "polars categories": lambda: polars.Series(TEXTS, dtype=polars.Categorical),
}


def rows(found):
    """The rows of any frame."""
    frame = found.to_table() if hasattr(found, "summary") else found
    if isinstance(frame, pyarrow.RecordBatchReader):
        frame = frame.read_all()
    elif hasattr(frame, "collect"):
        frame = frame.collect().to_arrow()
    elif isinstance(frame, datasets.DatasetDict):
        frame = pyarrow.concat_tables([split.with_format("arrow")[:] for split in frame.values()])
    elif isinstance(frame, datasets.Dataset):
        frame = frame.with_format("arrow")[:]
    elif isinstance(frame, pandas.DataFrame):
        frame = pyarrow.Table.from_pandas(frame, preserve_index=False)
    elif not isinstance(frame, pyarrow.Table):
        frame = pyarrow.table(frame)
    return list(zip(*(column.to_pylist() for column in frame.columns)))


def jaccard(left, right):
    sets = []
    for text in (left, right):
        words = text.split()
        sets.append({tuple(words[at : at + 3]) for at in range(max(1, len(words) - 2))})
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


# What is to be found, by comparing all with all.
EXPECTED = sorted(
    (IDS[left], IDS[right], pytest.approx(jaccard(TEXTS[left], TEXTS[right])))
    for left in range(len(TEXTS))
    for right in range(left + 1, len(TEXTS))
    if TEXTS[left] and TEXTS[right] and jaccard(TEXTS[left], TEXTS[right]) >= 0.7
)
FIRST = tamis.deduplicate(table(), 0.7)


def test_there_is_something_to_find():
    assert len(EXPECTED) > 40 and NULLS > 5
    assert len(rows(FIRST.kept)) + len(rows(FIRST.removed)) == len(TEXTS)


@pytest.mark.parametrize("kind", [*TABLES, *FILES])
def test_pairs_of(kind, tmp_path):
    data = (TABLES | FILES)[kind](tmp_path)
    found = tamis.near_duplicates(data, 0.7)
    assert sorted(rows(found)) == EXPECTED
    assert found.summary.counts == {"pairs": len(EXPECTED)} and found.summary.complete
    assert found.summary.documents == len(TEXTS) - NULLS
    assert found.summary.skipped == NULLS
    assert found.summary.empty == 1


@pytest.mark.parametrize("kind", COLUMNS)
def test_pairs_of_texts(kind):
    numbered = sorted((int(left[1:]), int(right[1:]), s) for left, right, s in EXPECTED)
    found = tamis.near_duplicates(COLUMNS[kind](), 0.7)
    assert sorted(rows(found)) == numbered
    assert found.summary.nulls == NULLS
    assert sorted(rows(tamis.near_duplicates(COLUMNS[kind](), 0.7, ids=IDS))) == EXPECTED


KINDS = {
    "pandas": pandas.DataFrame,
    "pandas categories": pandas.DataFrame,
    "pandas with an index": pandas.DataFrame,
    "polars": polars.DataFrame,
    "polars lazy": polars.LazyFrame,
    "polars categories": polars.DataFrame,
    "pyarrow": pyarrow.Table,
    "chunks": pyarrow.Table,
    "Hugging Face": datasets.Dataset,
    "Hugging Face, indices": datasets.Dataset,
    "reader": pyarrow.RecordBatchReader,
    "dataset": pyarrow.RecordBatchReader,
    "batches of polars": pyarrow.RecordBatchReader,
    "JSONL": pyarrow.RecordBatchReader,
    "Parquet": pyarrow.RecordBatchReader,
    "glob": pyarrow.RecordBatchReader,
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_given_comes_back(kind, tmp_path):
    def data():
        return (TABLES | FILES)[kind](tmp_path)

    assert type(tamis.near_duplicates(data(), 0.7).pairs) is KINDS[kind]
    assert type(tamis.clusters(data(), 0.7).clusters) is KINDS[kind]
    assert type(tamis.label(data(), 0.7).rows) is KINDS[kind]
    kept, removed = tamis.deduplicate(data(), 0.7)
    assert type(kept) is KINDS[kind]


@pytest.mark.parametrize("kind", [*TABLES, "Parquet", "list of paths"])
def test_copies_of(kind, tmp_path):
    kept, removed = tamis.deduplicate((TABLES | FILES)[kind](tmp_path), 0.7)
    assert rows(kept) == rows(FIRST.kept)
    if kind != "Hugging Face splits":
        assert rows(removed) == rows(FIRST.removed)


@pytest.mark.parametrize("kind", [*TABLES, "Parquet", "list of paths"])
def test_labels_of(kind, tmp_path):
    data = (TABLES | FILES)[kind](tmp_path)
    labelled = tamis.label(data, 0.7)
    found = rows(labelled.rows)
    assert [row[:2] for row in found] == list(zip(IDS, TEXTS))
    assert [row[0] for row in found if row[4]] == [row[0] for row in rows(FIRST.kept)]
    stands = {id: kept for id, kept, _ in rows(FIRST.removed)}
    groups = rows(tamis.clusters(table(), 0.7))
    first_of = {id: first for first, id, _ in groups}
    numbers = {}
    for id, text, cluster, representative, _keep in found:
        if text is None:
            assert cluster is None and representative is None
        else:
            assert representative == stands.get(id, id)
            assert numbers.setdefault(first_of.get(id, id), cluster) == cluster
    assert sorted(numbers.values()) == list(range(len(numbers)))


def test_the_rows_of_a_split_stay_in_it():
    kept, _ = tamis.deduplicate(splits(), 0.7)
    labelled = tamis.label(splits(), 0.7).rows
    assert isinstance(kept, datasets.DatasetDict) and list(kept) == ["train", "test"]
    assert [len(split) for split in labelled.values()] == [120, len(TEXTS) - 120]
    assert {"cluster", "representative", "keep"} <= set(labelled["test"].column_names)


def test_pandas_keeps_its_index():
    frame = pandas.DataFrame(ROWS, index=range(1000, 1300))
    kept, _ = tamis.deduplicate(frame, 0.7)
    assert list(frame.loc[kept.index].id) == list(kept.id)
    assert list(tamis.label(frame, 0.7).rows.index) == list(frame.index)


def test_polars_has_methods():
    frame = polars.DataFrame(ROWS)
    labelled = frame.tamis.label(0.7)
    assert isinstance(labelled, polars.DataFrame)
    assert labelled.columns == ["id", "text", "cluster", "representative", "keep"]
    assert frame.tamis.deduplicate(0.7).equals(labelled.filter("keep").select("id", "text"))
    assert sorted(frame.tamis.near_duplicates(0.7).rows()) == EXPECTED
    assert isinstance(frame.lazy().tamis.clusters(0.7), polars.LazyFrame)


@pytest.mark.parametrize("other", ["list", "frame", "file"])
def test_against_others(other, tmp_path):
    """Only what is similar to one of the others goes, and pairs are those with them."""
    others, own = slice(0, 100), slice(100, None)
    numbers = {id: number for number, id in enumerate(IDS)}
    data = {
        "list": lambda: TEXTS[others],
        "frame": lambda: polars.DataFrame(ROWS[others]),
        "file": lambda: jsonl(tmp_path),
    }
    if other == "file":
        path = tmp_path / "corpus.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS[others]))
        data["file"] = lambda: path
    frame = pandas.DataFrame(ROWS[own])
    across = [
        (right, numbers[left] if other == "list" else left)
        for left, right, _ in EXPECTED
        if numbers[left] < 100 <= numbers[right]
    ]
    assert across
    found = tamis.near_duplicates(frame, 0.7, against=data[other]())
    assert sorted(row[:2] for row in rows(found)) == sorted(across)
    assert found.summary.others == sum(text is not None for text in TEXTS[others])
    kept, removed = tamis.deduplicate(frame, 0.7, against=data[other]())
    assert set(removed.id) == {right for right, _ in across}
    assert len(kept) + len(removed) == len(frame)
    labelled = tamis.label(frame, 0.7, against=data[other]()).rows
    assert list(labelled[labelled.keep].id) == list(kept.id)


@pytest.mark.parametrize("keep", ["last", "smallest:weight", "largest:weight", "longest"])
def test_which_copy_stays(keep):
    """Of each pair of a group of two the preferred one stays."""
    chance = random.Random(2)
    weights = [chance.randrange(1000) for _ in TEXTS]
    frame = polars.DataFrame(ROWS).with_columns(weight=polars.Series(weights))
    kept, _ = tamis.deduplicate(frame, 0.7, keep=keep)
    stays = set(kept.get_column("id"))
    better = {
        "last": lambda number: number,
        "smallest:weight": lambda number: -weights[number],
        "largest:weight": lambda number: weights[number],
        "longest": lambda number: len(TEXTS[number]),
    }[keep]
    linked = [id for left, right, _ in EXPECTED for id in (left, right)]
    checked = 0
    for left, right, _ in EXPECTED:
        one, other = int(left[1:]), int(right[1:])
        if linked.count(left) == linked.count(right) == 1 and better(one) != better(other):
            assert (left in stays) == (better(one) > better(other))
            assert (right in stays) == (better(other) > better(one))
            checked += 1
    assert checked > 5


REFUSED = {
    "numbers": (lambda: [1, 2], TypeError, "text 0 is not str but int"),
    "a number among texts": (lambda: ["a", 7], TypeError, "text 1 is not str but int"),
    "bytes": (lambda: [b"a"], TypeError, "text 0 is not str but bytes"),
    "a column of numbers": (
        lambda: pyarrow.table({"text": [1, 2]}),
        TypeError,
        "the column text holds int64",
    ),
    "no column of texts": (
        lambda: polars.DataFrame({"words": ["a"]}),
        ValueError,
        "there is no column text, content, body, message; it has words",
    ),
    "labels that are there": (
        lambda: polars.DataFrame({"text": ["a"], "keep": [1]}),
        ValueError,
        "there is a column keep already",
    ),
    "a table of NumPy": (lambda: numpy.array([["a"]]), ValueError, "one dimension"),
    "an array of numbers": (lambda: numpy.arange(3), TypeError, "an array of texts holds strings"),
    "a file that is not there": (
        lambda: pathlib.Path("none.jsonl"),
        FileNotFoundError,
        "none.jsonl",
    ),
    "a pattern of nothing": (lambda: "none-*.jsonl", FileNotFoundError, "no file is called so"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    data, kind, sentence = REFUSED[case]
    with pytest.raises(tamis.Error, match=sentence) as refused:
        tamis.label(data())
    assert isinstance(refused.value, kind)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"memory": "much"}, "write an amount of memory"),
        ({"memory": "1M"}, "too little memory"),
        ({"threads": 0}, "at least one thread"),
        ({"progress": 7}, "progress is True, False or a function"),
        ({"ids": ["a"]}, "fewer ids than texts"),
        ({"recall": 1.5}, "the recall"),
    ],
)
def test_options_that_make_no_sense(options, sentence):
    with pytest.raises(tamis.ParameterError, match=sentence):
        tamis.near_duplicates(["a", "b"], **options)


def test_progress_is_told():
    told = []
    tamis.near_duplicates(table(), 0.7, progress=lambda *call: told.append(call), threads=1)
    assert {stage for stage, _, _ in told} == {"reading", "candidates", "verifying"}
    assert told[0] == ("reading", len(TEXTS), None)
    for stage in ("candidates", "verifying"):
        done = [done for name, done, _ in told if name == stage]
        assert done == sorted(done) and done[-1] == told[-1][2] if stage == "verifying" else done


def test_what_progress_raises_comes_through():
    def stop(stage, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tamis.near_duplicates(table(), 0.7, progress=stop)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(threads):
    assert sorted(rows(tamis.near_duplicates(table(), 0.7, threads=threads))) == EXPECTED


def test_the_summary_is_what_the_command_prints():
    summary = tamis.label(table(), 0.7).summary
    lines = str(summary).splitlines()
    assert lines[0] == f"skipped {NULLS}: the text is null (row 13; row 38; row 63; ...)"
    assert lines[1] == "noted 1: the text is empty"
    assert lines[2] == "compared by words:3, whitespace tokens"
    assert lines[3].startswith(f"{len(TEXTS) - NULLS} documents, ")
    assert "every candidate is verified" in lines[4]
    assert summary.warnings == lines[:2]


@pytest.mark.parametrize("keep", ["first", "last", "longest", "largest:weight", "smallest:weight"])
@pytest.mark.parametrize("tokens", ["whitespace", "unicode"])
def test_labels_are_those_of_the_command(keep, tokens, command, tmp_path):
    """Also of chains, whose ends are not alike: a group then keeps several texts."""
    chance = random.Random(3)
    words = chance.choices(WORDS, k=60)
    chain = [" ".join(words[at : at + 40]) + "." for at in range(0, 20, 2)]
    texts = [text for text in TEXTS if text is not None] + chain
    data = [
        {"id": f"n{number}", "text": text, "weight": chance.randrange(1000)}
        for number, text in enumerate(texts)
    ]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in data))
    output = tmp_path / "labelled.jsonl"
    options = ["--threshold", 0.7, "--keep", keep, "--tokens", tokens, "--quiet"]
    command("similar", "label", *options, path, "-o", output)
    expected = [json.loads(line) for line in output.read_text().splitlines()]
    labels = ("id", "cluster", "representative", "keep")
    expected = [tuple(row[name] for name in labels) for row in expected]
    table = pyarrow.Table.from_pylist(data)
    found = tamis.label(table, 0.7, keep=keep, tokens=tokens).rows.select(labels)
    assert rows(found) == expected
    stay = {}
    for _id, cluster, _, stays in expected:
        stay[cluster] = stay.get(cluster, 0) + stays
    assert max(stay.values()) > 1, "a chain keeps several"
    if ":" not in keep:
        # The documents of a file are those of the table.
        found = tamis.label(path, 0.7, keep=keep, tokens=tokens).rows.read_all().select(labels)
        assert rows(found) == expected


def test_a_folder_of_shards_keeps_all_columns(tmp_path):
    frame = polars.DataFrame(ROWS).with_columns(more=polars.arange(len(ROWS)))
    for part in range(3):
        frame.slice(part * 100, 100).write_parquet(tmp_path / f"part-{part}.parquet")
    labelled = tamis.label(str(tmp_path), 0.7).rows.read_all()
    assert labelled.column_names == ["id", "text", "more", "cluster", "representative", "keep"]
    assert labelled.column("more").to_pylist() == list(range(len(ROWS)))


def test_representatives_against_others():
    """What goes has its place taken by one of the others; names of two types become strings."""
    texts = [TEXTS[0], TEXTS[1]]
    own = pyarrow.table({"id": [7, 8], "text": [TEXTS[1], TEXTS[2]]})
    others = pyarrow.table({"id": ["a", "b"], "text": texts})
    labelled = tamis.label(own, 0.7, against=others)
    assert labelled.column("representative").to_pylist() == ["b", "8"]
    assert labelled.column("keep").to_pylist() == [False, True]
