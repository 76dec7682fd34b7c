"""A million generated documents with planted near-copies on Spark, beside the command.

    python bench/spark.py --tamis target/release/tamis --folder FOLDER [--documents 1000000] [--skewed]

Executors are processes of their own on this machine. The run with two executors is done twice: as it is, and with one of them killed
half-way; a run with one executor tells what the second one is worth. Pairs and groups must be those of `tamis similar`, exactly.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy

THRESHOLD = 0.8


def generate(path: pathlib.Path, documents: int, skewed: bool) -> None:
    """Texts of 60 words of ten thousand, some far more common than others; one in ten is a near-copy of an earlier one. In a
    skewed corpus every second text is the same.
    """
    chance = numpy.random.default_rng(1)
    vocabulary = numpy.array([f"w{number}" for number in range(10_000)])
    weights = 1 / (numpy.arange(10_000) + 10)
    same = "the same text again and again for every second document"
    with path.open("w") as out:
        for start in range(0, documents, 10_000):
            texts = chance.choice(10_000, (10_000, 60), p=weights / weights.sum())
            for number in range(start, min(start + 10_000, documents)):
                row = number - start
                if row and number % 10 == 0:
                    texts[row] = texts[chance.integers(row)]
                    changes = chance.integers(60, size=chance.integers(5))
                    texts[row, changes] = chance.integers(10_000, size=len(changes))
                text = same if skewed and number % 2 else " ".join(vocabulary[texts[row]])
                out.write(json.dumps({"id": number, "text": text}) + "\n")


def by_command(tamis: str, verb: str, source: pathlib.Path) -> tuple[set[tuple[int, ...]], float]:
    start = time.perf_counter()
    words = [tamis, "similar", verb, "--quiet", "--threshold", str(THRESHOLD), str(source)]
    output = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    took = time.perf_counter() - start
    rows = (line.split("\t") for line in output.splitlines())
    if verb == "pairs":
        return {(int(a), int(b), round(float(s) * 1e12)) for a, b, s in rows}, took
    return {(int(a), int(b)) for a, b, _ in rows}, took


def session_of(executors: int, memory: int, folder: pathlib.Path) -> Any:
    from pyspark.sql import SparkSession

    os.environ |= {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "localhost",
    }
    builder = SparkSession.builder.master(f"local-cluster[{executors},1,{memory}]").appName("tamis")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": f"{memory}m",
        "spark.sql.shuffle.partitions": "16",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(folder / "local"),
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.sparkContext.setCheckpointDir(str(folder / "checkpoints"))
    return session


def executors_of(parent: int) -> list[int]:
    """The processes of the executors that this process has started."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            continue
        if "CoarseGrainedExecutorBackend" in line and re.search(r"app-\d+-\d+", line):
            if descends(int(entry.name), parent):
                found.append(int(entry.name))
    return found


def pin(executors: list[int]) -> None:
    """Gives each executor, and the workers that it starts, a core of its own."""
    for core, process in enumerate(sorted(executors)):
        for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {core % (os.cpu_count() or 1)})


def descends(process: int, ancestor: int) -> bool:
    while process > 1:
        if process == ancestor:
            return True
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
        process = int(stat.rpartition(")")[2].split()[1])
    return False


def by_spark(
    source: pathlib.Path,
    executors: int,
    memory: int,
    folder: pathlib.Path,
    pinned: bool,
    kill_after: float | None,
) -> tuple[set[tuple[int, ...]], set[tuple[int, ...]], float, float]:
    from tamis import spark as sieve

    session = session_of(executors, memory, folder)
    # Executors are there before the clock starts.
    session.range(0, 1000, 1, 2 * executors).count()
    if pinned:
        pin(executors_of(os.getpid()))
    start = time.perf_counter()
    if kill_after is not None:

        def kill() -> None:
            victim = executors_of(os.getpid())[0]
            os.kill(victim, signal.SIGKILL)
            print(
                f"    executor {victim} killed after {time.perf_counter() - start:.0f} s",
                flush=True,
            )

        threading.Timer(kill_after, kill).start()
    frame = session.read.schema("id long, text string").json(str(source)).repartition(16)
    pairs = sieve.near_duplicates(frame, threshold=THRESHOLD).persist()
    rows = {(r.left, r.right, round(r.similarity * 1e12)) for r in pairs.toLocalIterator()}
    until_pairs = time.perf_counter() - start
    groups = {(r.representative, r.id) for r in sieve.clusters(pairs).toLocalIterator()}
    took = time.perf_counter() - start
    session.stop()
    return rows, groups, until_pairs, took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tamis", required=True)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--memory", type=int, default=3072)
    parser.add_argument("--skewed", action="store_true")
    parser.add_argument(
        "--pin", action="store_true", help="a core for each executor, as on machines of one core"
    )
    parser.add_argument(
        "--executors",
        default="2,2k,1",
        help="runs to make, by executors; with k one is killed half-way through the time of the run before",
    )
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{'skewed' if arguments.skewed else 'plain'}-{arguments.documents}.jsonl"
    if not source.exists():
        generate(source, arguments.documents, arguments.skewed)
    print(f"{arguments.documents} documents, {source.stat().st_size / 1e6:.0f} MB", flush=True)
    groups, took = by_command(arguments.tamis, "clusters", source)
    print(f"  tamis similar clusters: {len(groups)} members, {took:.1f} s", flush=True)
    expected = None
    if not arguments.skewed:
        expected, took = by_command(arguments.tamis, "pairs", source)
        print(f"  tamis similar pairs: {len(expected)} pairs, {took:.1f} s", flush=True)
    kill_after = None
    runs = [int(word.rstrip("k")) for word in arguments.executors.split(",")]
    killed = [word.endswith("k") for word in arguments.executors.split(",")]
    for executors, is_killed in zip(runs, killed):
        print(
            f"  Spark, {executors} executors" + (", one killed half-way" if is_killed else ""),
            flush=True,
        )
        found, grouped, until_pairs, took = by_spark(
            source,
            executors,
            arguments.memory,
            folder,
            arguments.pin,
            kill_after if is_killed else None,
        )
        kill_after = took / 2
        same = (
            "not compared"
            if expected is None
            else ("the same" if found == expected else "DIFFERENT")
        )
        together = "the same" if grouped == groups else "DIFFERENT"
        print(
            f"    pairs {same} ({len(found)}), groups {together} ({len(grouped)}), "
            f"{until_pairs:.1f} s to the pairs, {took:.1f} s in all",
            flush=True,
        )


if __name__ == "__main__":
    main()
