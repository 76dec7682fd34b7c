"""Objects of a real S3 server as inputs: the same as files."""

import json
import pathlib
import subprocess
import sys

import pyarrow
import pyarrow.parquet
import pytest
import tamis
from test_inputs import EXPECTED, ROWS, rows, table

SCRIPT = pathlib.Path(__file__).parents[2] / "tamis-cli" / "tests" / "s3.py"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A bucket `corpus` with the same documents in two formats; the address of its server."""
    root = tmp_path_factory.mktemp("bucket")
    (root / "shards").mkdir()
    for part in range(3):
        path = root / "shards" / f"part-{part}.parquet"
        pyarrow.parquet.write_table(table().slice(part * 100, 100), path, row_group_size=30)
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    (root / "corpus.jsonl").write_text(lines)
    server = subprocess.Popen(
        [sys.executable, SCRIPT, f"corpus={root}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    address = server.stdout.readline().strip()
    assert address.startswith("http://")
    yield address
    server.stdin.close()
    server.wait()


@pytest.fixture(autouse=True)
def environment(store, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", store)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


PLACES = {
    "object": "s3://corpus/corpus.jsonl",
    "folder": "s3://corpus/shards/",
    "pattern": "s3://corpus/shards/part-*.parquet",
    "list": [f"s3://corpus/shards/part-{part}.parquet" for part in range(3)],
}


@pytest.mark.parametrize("place", PLACES)
def test_pairs_of(place):
    found = tamis.near_duplicates(PLACES[place], 0.7)
    assert isinstance(found.pairs, pyarrow.RecordBatchReader)
    assert sorted(rows(found)) == EXPECTED


@pytest.mark.parametrize("place", ["folder", "pattern", "list"])
def test_rows_of_parquet_have_all_columns(place):
    expected = tamis.label(table(), 0.7)
    assert rows(tamis.label(PLACES[place], 0.7)) == rows(expected)
    kept, removed = tamis.deduplicate(PLACES[place], 0.7)
    first = tamis.deduplicate(table(), 0.7)
    assert rows(kept) == rows(first.kept) and rows(removed) == rows(first.removed)


def test_signatures_and_others():
    texts = [row["text"] for row in ROWS if row["text"] is not None]
    assert (tamis.signatures(PLACES["object"]) == tamis.signatures(texts)).all()
    kept, removed = tamis.deduplicate(texts[:50], 0.7, against=PLACES["folder"])
    assert len(kept) == 1 and len(removed) == 49, "an empty text is like no other"


@pytest.mark.parametrize(
    "place, kind, sentence",
    [
        ("s3://corpus/none.jsonl", FileNotFoundError, "there is no such object"),
        ("s3://none/corpus.jsonl", FileNotFoundError, "there is no such"),
        ("s3://corpus/none-*.jsonl", FileNotFoundError, "no file matches"),
        ("http://127.0.0.1:1/corpus.jsonl", OSError, "onnection refused"),
    ],
)
def test_refused(place, kind, sentence):
    for work in (tamis.near_duplicates, tamis.label):
        with pytest.raises(tamis.Error, match=sentence) as refused:
            work(place)
        assert isinstance(refused.value, kind)
