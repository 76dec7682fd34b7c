"""Speed beside the peers, in one run: best of several rounds, as ratios.

    python bench/speed.py texts.jsonl

The file has a text in each line, under `text`. rensa, datasketch and rbloom must be installed. `--json FILE` keeps the figures.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import datasketch
import numpy
import pyarrow
import rbloom
import rensa
import tamis

K = 128
KEYS = 1_000_000
SINGLE = 200_000


def best(work: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """The least and the median time of so many rounds, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times), statistics.median(times)


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


def signatures(texts: list[str], rounds: int) -> dict[str, tuple[float, float]]:
    column = pyarrow.array(texts)
    some = texts[:: max(1, len(texts) // 3000)]
    scale = sum(map(len, texts)) / sum(map(len, some))
    slow = best(lambda: with_datasketch(some), max(2, rounds // 3))
    return {
        "tamis, list": best(lambda: tamis.signatures(texts), rounds),
        "tamis, Arrow": best(lambda: tamis.signatures(column), rounds),
        "rensa": best(lambda: with_rensa(texts), max(2, rounds // 2)),
        "datasketch": (slow[0] * scale, slow[1] * scale),
    }


def update_batch(rounds: int) -> dict[str, tuple[float, float]]:
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


def filters(rounds: int) -> tuple[dict[str, tuple[float, float]], dict[str, tuple[float, float]]]:
    """A million keys at 1 %, half of the questions for keys that are in."""
    keys = [f"key number {n}" for n in range(KEYS)]
    asked = [f"key number {n}" for n in range(KEYS // 2, KEYS + KEYS // 2)]
    column = pyarrow.array(asked)
    numbers = numpy.arange(KEYS // 2, KEYS + KEYS // 2)
    ours, theirs = tamis.BloomFilter(KEYS, 0.01), rbloom.Bloom(KEYS, 0.01)
    ours.update(keys)
    theirs.update(keys)

    def one_by_one(filter: Any, keys: list[str]) -> Callable[[], Any]:
        return lambda: [key in filter for key in keys]

    batches = {
        "tamis, Arrow": best(lambda: ours.contains_many(column), rounds),
        "tamis, list": best(lambda: ours.contains_many(asked), rounds),
        "tamis, NumPy integers": best(lambda: ours.contains_many(numbers), rounds),
        "rbloom, one by one": best(one_by_one(theirs, asked), rounds),
    }
    single = asked[KEYS // 2 - SINGLE // 2 :][:SINGLE]
    return batches, {
        "tamis": best(one_by_one(ours, single), rounds * 2),
        "rbloom": best(one_by_one(theirs, single), rounds * 2),
    }


def show(title: str, figures: dict[str, tuple[float, float]], unit: str, amount: float) -> None:
    print(f"\n{title}")
    least = {name: pair[0] for name, pair in figures.items()}
    for name, (fastest, median) in figures.items():
        rate = amount / fastest if unit == "MB/s" else fastest / amount * 1e9
        others = [
            f"{least[other] / fastest:.1f} x {other}"
            for other in figures
            if name.startswith("tamis") and not other.startswith("tamis")
        ]
        print(f"  {name:24} {rate:10.1f} {unit}   median {median:8.4f} s   {', '.join(others)}")


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
    batches, single = filters(rounds)
    show("BloomFilter of a million keys, lookups in batches", batches, "ns per key", KEYS)
    show("BloomFilter of a million keys, single `in`", single, "ns per key", SINGLE)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as out:
            json.dump(
                {
                    "signatures": from_text,
                    "update_batch": items,
                    "batches": batches,
                    "single": single,
                },
                out,
            )


if __name__ == "__main__":
    main()
