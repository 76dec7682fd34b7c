"""Limits of memory hold, measured as the memory of a whole process: also for more pairs than would fit."""

import json
import random
import subprocess
import sys

import pytest

# So many copies of one text are 48 million pairs.
COPIES = 9_800
PAIRS = COPIES * (COPIES - 1) // 2

# The peak of this program in MiB. What getrusage says begins with the memory of the process that has started it.
PEAK = """
with open("/proc/self/status") as status:
    peak = next(line for line in status if line.startswith("VmHWM:"))
print(int(peak.split()[1]) >> 10)
"""


def run(script, *arguments, limit=None):
    """Runs a script that prints what it found, and its peak in MiB at last."""
    head = "import resource, sys\nimport tamis\n"
    if limit is not None:
        head += f"resource.setrlimit(resource.RLIMIT_AS, ({limit << 20}, {limit << 20}))\n"
    words = [sys.executable, "-c", head + script, *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout.split(), done.stderr


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    path = tmp_path_factory.mktemp("memory") / "copies.jsonl"
    text = "peel the carrots and cut them into slices now and then"
    rows = (json.dumps({"id": str(row), "text": text}) for row in range(COPIES))
    path.write_text("".join(row + "\n" for row in rows))
    return path


def test_48_million_pairs_stream(copies):
    script = f"""
found = tamis.near_duplicates(sys.argv[1], memory="256M")
print(sum(len(batch) for batch in found.pairs), found.summary.complete)
{PEAK}
"""
    code, printed, stderr = run(script, copies)
    assert code == 0, stderr
    assert printed[:2] == [str(PAIRS), "True"]
    assert int(printed[2]) < 400, f"{printed[2]} MiB"


def test_memory_that_is_refused_ends_the_work_and_is_no_hang(copies):
    """All pairs at once do not fit. Arrow raises an exception; where Python or Rust is refused the memory, the process ends and says so."""
    script = """
found = tamis.near_duplicates(sys.argv[1], memory="64M", threads=2)
try:
    found.to_table()
except MemoryError:
    print("refused")
print(len(tamis.near_duplicates(["wash two leeks"] * 3)))
"""
    code, printed, stderr = run(script, copies, limit=2048)
    if code == 0:
        assert printed == ["refused", "3"]
    else:
        assert "memory allocation of" in stderr or "MemoryError" in stderr, stderr


def test_memory_follows_the_limit_and_not_the_corpus(tmp_path):
    """Sets of 80 MB of text take several times as much; with a small limit they are in files."""
    chance = random.Random(5)
    words = [f"word{number}" for number in range(50_000)]
    path = tmp_path / "corpus.jsonl"
    with path.open("w") as file:
        for row in range(100_000):
            text = " ".join(chance.choices(words, k=90))
            file.write(json.dumps({"id": str(row), "text": text}) + "\n")
    script = f"""
found = tamis.near_duplicates(sys.argv[1], memory=sys.argv[2], threads=2)
print(sum(len(batch) for batch in found.pairs))
{PEAK}
"""
    peaks = {}
    for memory in ("64M", "2G"):
        code, printed, stderr = run(script, path, memory)
        assert code == 0, stderr
        peaks[memory] = int(printed[1])
    assert peaks["64M"] < 64 + 180, peaks
    assert peaks["64M"] < peaks["2G"], peaks
