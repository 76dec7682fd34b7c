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
# So many documents are compared before the clock starts.
WARM = 50_000
# Stages that take so many seconds are told.
LONG = 1.0


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
        # Ten parts of the file of a million documents: more than there are cores.
        "spark.sql.files.maxPartitionBytes": "32m",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(folder / "local"),
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.dir": (folder / "events").resolve().as_uri(),
    }.items():
        builder = builder.config(name, value)
    (folder / "events").mkdir(exist_ok=True)
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


def processor_time(parent: int) -> float:
    """The seconds of all cores that a process, and those that it has started, have taken."""
    ticks = 0
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and descends(int(entry.name), parent):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                # Of itself, and of its children that have ended.
                ticks += sum(int(field) for field in fields[11:15])
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def stages(log: pathlib.Path, least: float) -> list[str]:
    """The stages that took longest, by the log of a run: when each started, how long it took, and how long its tasks in each executor."""
    lines, tasks = [], {}
    origin = None
    for line in log.read_text().splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerTaskEnd":
            ran = tasks.setdefault(event["Stage ID"], {})
            info = event["Task Info"]
            took = (info["Finish Time"] - info["Launch Time"]) / 1000
            ran.setdefault(info["Executor ID"], []).append(took)
        if event["Event"] == "SparkListenerStageCompleted":
            stage = event["Stage Info"]
            start, end = stage["Submission Time"] / 1000, stage["Completion Time"] / 1000
            origin = origin or start
            if end - start < least:
                continue
            ran = tasks.get(stage["Stage ID"], {})
            each = ", ".join(f"{sum(t):.1f} s of {len(t)}" for _, t in sorted(ran.items()))
            what = stage["Stage Name"].split(" at ")[0]
            lines.append(
                f"stage {stage['Stage ID']:3} {start - origin:6.1f} s + {end - start:5.1f} s  {what:16} tasks by executor: {each}"
            )
    return lines


def descends(process: int, ancestor: int) -> bool:
    while process > 1:
        if process == ancestor:
            return True
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
        process = int(stat.rpartition(")")[2].split()[1])
    return False


def by_spark(
    source: pathlib.Path,
    warm: pathlib.Path,
    executors: int,
    memory: int,
    folder: pathlib.Path,
    pinned: bool,
    kill_after: float | None,
) -> tuple[set[tuple[int, ...]], set[tuple[int, ...]], float, float]:
    from tamis import spark as sieve

    session = session_of(executors, memory, folder)
    # Executors are there, and have compiled what they will run, before the clock starts.
    few = session.read.schema("id long, text string").json(str(warm))
    sieve.clusters(sieve.near_duplicates(few, threshold=THRESHOLD)).collect()
    if pinned:
        pin(executors_of(os.getpid()))
    before = {each: processor_time(each) for each in executors_of(os.getpid())}
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
    frame = session.read.schema("id long, text string").json(str(source))
    pairs = sieve.near_duplicates(frame, threshold=THRESHOLD).persist()
    rows = {(r.left, r.right, round(r.similarity * 1e12)) for r in pairs.collect()}
    until_pairs = time.perf_counter() - start
    groups = {(r.representative, r.id) for r in sieve.clusters(pairs).collect()}
    took = time.perf_counter() - start
    times = {each: processor_time(each) - before.get(each, 0.0) for each in executors_of(os.getpid())}
    each_took = ", ".join(f"{seconds:.0f} s" for seconds in times.values())
    print(f"    processor time by executor: {each_took}; load {os.getloadavg()[0]:.1f}", flush=True)
    log = folder / "events" / session.sparkContext.applicationId
    session.stop()
    print(*(f"    {line}" for line in stages(log, LONG)), sep="\n", flush=True)
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
    warm = folder / f"plain-{WARM}.jsonl"
    if not warm.exists():
        generate(warm, WARM, False)
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
            warm,
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
