"""The peers in Python, on the same word 3-shingles, each in its fastest way.

peers.py sign TEXTS ROUNDS                     megabytes per second, as JSON
peers.py search NAME THRESHOLD TEXTS PAIRS     processor time and memory, as JSON; pairs in a file
"""

import json
import sys
import time
from array import array

COMPONENTS = 128
BATCH = 1000
# Of false candidates and of misses: those who find little are no measure.
WEIGHTS = (0.1, 0.9)


def shingles(text):
    words = text.split()
    if len(words) < 3:
        return [" ".join(words)] if words else []
    return [" ".join(run) for run in zip(words, words[1:], words[2:])]


def sign_rensa(texts):
    from rensa import RMinHash

    return RMinHash.from_token_sets([shingles(text) for text in texts], COMPONENTS, 42)


def sign_datasketch(texts):
    from datasketch import MinHash

    sets = [[shingle.encode() for shingle in shingles(text)] for text in texts]
    return MinHash.bulk(sets, num_perm=COMPONENTS)


SIGN = {"rensa": sign_rensa, "datasketch": sign_datasketch}


def batches(texts):
    return (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))


def sign(path, rounds):
    texts = read(path)
    size = sum(len(text.encode()) for text in texts) / 1e6
    times = {name: [] for name in SIGN}
    for _ in range(rounds):
        for name in SIGN:
            start = time.perf_counter()
            for batch in batches(texts):
                SIGN[name](batch)
            times[name].append(time.perf_counter() - start)
    return [
        {
            "contender": name,
            "components": COMPONENTS,
            "best": size / min(all_times),
            "median": size / sorted(all_times)[len(all_times) // 2],
        }
        for name, all_times in times.items()
    ]


def bands(threshold):
    """Bands for an index that takes a number of them: least area of false candidates and misses,
    weighted as for the other index."""

    def area(count):
        rows = COMPONENTS // count
        points = [(step + 0.5) / 1000 for step in range(1000)]
        found = [1 - (1 - point**rows) ** count for point in points]
        return sum(WEIGHTS[0] * p if point < threshold else WEIGHTS[1] * (1 - p) for point, p in zip(points, found))

    return min((count for count in range(1, COMPONENTS + 1) if COMPONENTS % count == 0), key=area)


def search(name, threshold, path, pairs_path):
    texts = read(path)
    import datasketch
    import rensa

    before = time.process_time()
    numbers = [number for number, text in enumerate(texts) if text.strip()]
    kept = [texts[number] for number in numbers]
    signatures = [signature for batch in batches(kept) for signature in SIGN[name](batch)]
    if name == "rensa":
        index = rensa.RMinHashLSH(threshold, COMPONENTS, bands(threshold))
        insert = index.insert
    else:
        index = datasketch.MinHashLSH(threshold=threshold, num_perm=COMPONENTS, weights=WEIGHTS)
        insert = lambda key, signature: index.insert(key, signature, check_duplication=False)
    pairs = array("I")
    for place, signature in enumerate(signatures):
        for other in index.query(signature):
            if signature.jaccard(signatures[other]) >= threshold:
                pairs.extend((numbers[other], numbers[place]))
        insert(place, signature)
    cost = {"cpu": time.process_time() - before, "memory": largest_memory()}
    if sys.byteorder == "big":
        pairs.byteswap()
    with open(pairs_path, "wb") as file:
        pairs.tofile(file)
    return cost


def largest_memory():
    try:
        with open("/proc/self/status") as file:
            lines = [line.split() for line in file if line.startswith("VmHWM:")]
        return int(lines[0][1]) * 1024 / 1e6
    except (OSError, IndexError):
        return None


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


if __name__ == "__main__":
    if sys.argv[1] == "sign":
        result = sign(sys.argv[2], int(sys.argv[3]))
    else:
        result = search(sys.argv[2], float(sys.argv[3]), sys.argv[4], sys.argv[5])
    print(json.dumps(result))
