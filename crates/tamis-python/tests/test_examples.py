"""The examples do what they say."""

import pathlib
import subprocess
import sys

import pyarrow
import pyarrow.parquet

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def run(name, *arguments):
    words = [sys.executable, EXAMPLES / name, *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def test_seen(tmp_path):
    today = tmp_path / "today.txt"
    today.write_text("leek\nturnip\n")
    assert run("seen.py", tmp_path / "seen.tamis", today) == "leek\nturnip\n"
    today.write_text("turnip\ncarrot\n")
    assert run("seen.py", tmp_path / "seen.tamis", today) == "carrot\n"


def test_clean(tmp_path):
    text = "wash the leeks and cut them into rings before you melt the butter"
    table = pyarrow.table({"id": [1, 2, 3], "text": [text, text + " slowly", "peel two carrots"]})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    names = [tmp_path / name for name in ["a.parquet", "kept.parquet", "removed.parquet"]]
    assert run("clean.py", *names) == "2 rows stay, 1 go\n"
    assert pyarrow.parquet.read_table(names[1]).column("id").to_pylist() == [2, 3]


def test_neighbours(tmp_path):
    lines = tmp_path / "lines.txt"
    lines.write_text(
        "wash the leeks and cut them into thin rings\npeel the carrots and the turnips\n"
    )
    found = run("neighbours.py", lines, "wash the leeks and cut them into thick rings")
    assert found == "wash the leeks and cut them into thin rings\n"
