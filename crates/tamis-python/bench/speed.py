"""Speed beside the peers, in one run: best of several rounds, as ratios of time by the clock and of processor time.

    python bench/speed.py texts.jsonl

The file has a text in each line, under `text`. rensa, datasketch and rbloom must be installed. `--json FILE` keeps the figures.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import datasketch
import numpy
import pyarrow
import rbloom
import rensa
import tamis

K = 128
KEYS = 1_000_000
SINGLE = 200_000


class Times(NamedTuple):
    """Of several rounds, in seconds."""

    least: float
    median: float
    processor: float
    """The least time of all cores together."""

    def times(self, factor: float) -> "Times":
        return Times(*(factor * each for each in self))


def in_turn(works: dict[str, Callable[[], Any]], rounds: int) -> dict[str, Times]:
    """Times of works that take turns, so that what else the machine does troubles all of them."""
    clock: dict[str, list[float]] = {name: [] for name in works}
    processor: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter(), time.process_time()
            result = work()
            end = time.perf_counter(), time.process_time()
            # Ended outside of the clock, for all alike.
            del result
            clock[name].append(end[0] - start[0])
            processor[name].append(end[1] - start[1])
    return {
        name: Times(min(clock[name]), statistics.median(clock[name]), min(processor[name]))
        for name in works
    }


def best(work: Callable[[], Any], rounds: int) -> Times:
    return in_turn({"": work}, rounds)[""]


def shingles(text: str) -> list[str]:
    """Runs of three words, as a Python program makes them."""
    words = text.split()
    if len(words) < 3:
        return [" ".join(words)] if words else []
    return [" ".join(words[i : i + 3]) for i in range(len(words) - 2)]


def with_rensa(texts: list[str]) -> None:
    for text in texts:
        minhash = rensa.RMinHash(num_perm=K, seed=1)
        minhash.update(shingles(text))
        minhash.digest()


def with_datasketch(texts: list[str]) -> None:
    for text in texts:
        minhash = datasketch.MinHash(num_perm=K)
        minhash.update_batch([shingle.encode() for shingle in shingles(text)])
        minhash.digest()


def signatures(texts: list[str], rounds: int) -> dict[str, Times]:
    column = pyarrow.array(texts)
    some = texts[:: max(1, len(texts) // 3000)]
    scale = sum(map(len, texts)) / sum(map(len, some))
    slow = best(lambda: with_datasketch(some), max(2, rounds // 3))
    return {
        "tamis, list": best(lambda: tamis.signatures(texts), rounds),
        "tamis, Arrow": best(lambda: tamis.signatures(column), rounds),
        "rensa": best(lambda: with_rensa(texts), max(2, rounds // 2)),
        "datasketch": slow.times(scale),
    }


def update_batch(rounds: int) -> dict[str, Times]:
    """1,000 sets of 300 items."""
    sets = [[f"item {n} of {s}".encode() for n in range(300)] for s in range(1000)]

    def run(library: Any) -> Callable[[], None]:
        def work() -> None:
            for items in sets:
                minhash = library.MinHash(num_perm=K)
                minhash.update_batch(items)

        return work

    return {
        "tamis": best(run(tamis), rounds),
        "datasketch": best(run(datasketch), max(2, rounds // 3)),
    }


def filters(rounds: int) -> tuple[dict[str, Times], dict[str, Times], dict[str, Times]]:
    """A million keys at 1 %, half of the questions for keys that are in."""
    keys = [f"key number {n}" for n in range(KEYS)]
    asked = [f"key number {n}" for n in range(KEYS // 2, KEYS + KEYS // 2)]
    column = pyarrow.array(asked)
    octets = [key.encode() for key in asked]
    numbers = numpy.arange(KEYS // 2, KEYS + KEYS // 2)
    integers = numbers.tolist()
    ours, theirs = tamis.BloomFilter(KEYS, 0.01), rbloom.Bloom(KEYS, 0.01)
    ours.update(keys)
    theirs.update(keys)
    our_numbers, their_numbers = tamis.BloomFilter(KEYS, 0.01), rbloom.Bloom(KEYS, 0.01)
    our_numbers.update(range(KEYS))
    their_numbers.update(range(KEYS))

    def one_by_one(filter: Any, keys: list[Any]) -> Callable[[], Any]:
        return lambda: [key in filter for key in keys]

    batches = in_turn(
        {
            "tamis, Arrow": lambda: ours.contains_many(column),
            "tamis, list of str": lambda: ours.contains_many(asked),
            "tamis, list of bytes": lambda: ours.contains_many(octets),
            "rbloom, str one by one": one_by_one(theirs, asked),
        },
        rounds * 3,
    )
    of_numbers = in_turn(
        {
            "tamis, NumPy integers": lambda: our_numbers.contains_many(numbers),
            "tamis, list of int": lambda: our_numbers.contains_many(integers),
            "rbloom, int one by one": one_by_one(their_numbers, integers),
        },
        rounds * 3,
    )
    single = asked[KEYS // 2 - SINGLE // 2 :][:SINGLE]
    works = {"tamis": one_by_one(ours, single), "rbloom": one_by_one(theirs, single)}
    return batches, of_numbers, in_turn(works, rounds * 5)


def show(title: str, figures: dict[str, Times], unit: str, amount: float) -> None:
    print(f"\n{title}")
    for name, times in figures.items():
        rate = amount / times.least if unit == "MB/s" else times.least / amount * 1e9
        others = [
            f"{figures[other].least / times.least:.1f} x {other} ({figures[other].processor / times.processor:.1f} by processor time)"
            for other in figures
            if name.startswith("tamis") and not other.startswith("tamis")
        ]
        print(
            f"  {name:24} {rate:8.1f} {unit}   median {times.median:8.4f} s   processor {times.processor:8.4f} s   {', '.join(others)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    with open(arguments.texts, encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    size = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{len(texts)} texts, {size:.1f} MB; {os.cpu_count()} cores")
    rounds = arguments.rounds
    from_text = signatures(texts, rounds)
    show("text to signatures of 128 components, words:3", from_text, "MB/s", size)
    items = update_batch(rounds)
    show("MinHash.update_batch, 1,000 sets of 300 items", items, "ns per item", 300_000)
    batches, of_numbers, single = filters(rounds)
    show("BloomFilter of a million keys, lookups in batches", batches, "ns per key", KEYS)
    show("BloomFilter of a million integers, lookups in batches", of_numbers, "ns per key", KEYS)
    show("BloomFilter of a million keys, single `in`", single, "ns per key", SINGLE)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as out:
            json.dump(
                {
                    "signatures": from_text,
                    "update_batch": items,
                    "batches": batches,
                    "integers": of_numbers,
                    "single": single,
                },
                out,
            )


if __name__ == "__main__":
    main()
