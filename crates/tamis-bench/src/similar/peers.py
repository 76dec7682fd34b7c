"""The peers in Python, on the same word 3-shingles, each in its fastest way.

peers.py sign TEXTS ROUNDS                     megabytes per second, as JSON
peers.py search NAME THRESHOLD TEXTS PAIRS     processor time and memory, as JSON; pairs in a file

Programs that remove copies and tell no pairs (text-dedup, datatrove, fastdedup) write each document that they remove as a pair with
itself. datatrove gets the words between white space, as all others do; text-dedup and fastdedup have words of their own.
"""

import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
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


def write_rows(texts, path):
    """The texts as records, numbered."""
    with open(path, "w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            file.write(json.dumps({"id": str(number), "text": text}) + "\n")


def text_dedup(rows, threshold, folder):
    """All but the first of each group; what is too short to be compared stays."""
    from text_dedup.config.base import load_config_from_toml
    from text_dedup.minhash import main

    import pickle

    folder = pathlib.Path(folder)
    config = folder / "config.toml"
    config.write_text(
        f"""
[input]
input_type = "local_files"
file_type = "json"
[input.read_arguments]
path = "json"
data_files = "{rows}"
split = "train"
cache_dir = "{folder / 'cache'}"
[algorithm]
algorithm_name = "minhash"
text_column = "text"
num_perm = {COMPONENTS}
threshold = {threshold}
ngram_size = 3
min_length = 1
num_proc = 1
false_positive_weight = {WEIGHTS[0]}
false_negative_weight = {WEIGHTS[1]}
[output]
output_dir = "{folder / 'out'}"
save_clusters = true
[debug]
logging_level = 40
"""
    )
    main(load_config_from_toml(config))
    with open(folder / "out" / "clusters.pickle", "rb") as file:
        groups = {}
        for document, group in pickle.load(file).items():
            groups.setdefault(group, []).append(document)
    return [document for group in groups.values() for document in sorted(group)[1:]]


class Words:
    """What stands between white space."""

    def word_tokenize(self, text):
        return text.split()


def datatrove(rows, threshold, folder):
    """Its four steps, each with one task after the other."""
    from datatrove.executor.local import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.utils.text import TextNormConfig

    as_it_is = TextNormConfig(**{name: False for name in TextNormConfig.__dataclass_fields__})
    count = bands(threshold)
    config = MinhashConfig(
        n_grams=3, num_buckets=count, hashes_per_bucket=COMPONENTS // count, norm_config=as_it_is
    )
    folder = pathlib.Path(folder)
    names = ("signatures", "buckets", "removed")
    signatures, buckets, removed = (str(folder / name) for name in names)
    sign = MinhashDedupSignature(output_folder=signatures, config=config)
    sign.word_tokenizer = Words()
    rows = pathlib.Path(rows)
    reader = JsonlReader(str(rows.parent), glob_pattern=rows.name)
    steps = [
        ([reader, sign], 1),
        ([MinhashDedupBuckets(input_folder=signatures, output_folder=buckets, config=config)], count),
        ([MinhashDedupCluster(input_folder=buckets, output_folder=removed, config=config)], 1),
    ]
    for number, (pipeline, tasks) in enumerate(steps):
        logs = str(folder / f"logs-{number}")
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, logging_dir=logs).run()
    path = pathlib.Path(removed) / "000000.remove"
    if not path.exists():
        return []
    return [number for (number,) in struct.iter_unpack("<I", path.read_bytes())]


def fastdedup(rows, threshold, folder):
    """What is not in its output."""
    output = pathlib.Path(folder) / "kept.jsonl"
    count = bands(threshold)
    options = ["--threshold", str(threshold), "--field", "text", "--word-shingles", "--shingle-size", "3"]
    options += ["--num-hashes", str(COMPONENTS), "--bands", str(count)]
    options += ["--rows-per-band", str(COMPONENTS // count)]
    program = [os.environ["FASTDEDUP"], "fuzzy-dedup", "-i", rows, "-o", str(output), *options]
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
    with open(rows, encoding="utf-8") as file:
        left = {json.loads(line)["id"] for line in file}
    with open(output, encoding="utf-8") as file:
        left -= {json.loads(line)["id"] for line in file}
    return sorted(map(int, left))


REMOVE = {"text-dedup": text_dedup, "datatrove": datatrove, "fastdedup": fastdedup}


def remove(name, threshold, path, pairs_path):
    """The cost of a program that removes copies, and which they are."""
    with tempfile.TemporaryDirectory(prefix="tamis-bench-") as folder:
        rows = os.path.join(folder, "rows", "rows.jsonl")
        os.mkdir(os.path.dirname(rows))
        write_rows(read(path), rows)
        # The work is done in a process of its own, whose memory and time are counted alone.
        words = [sys.executable, __file__, "remove", name, threshold, rows, folder, pairs_path]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss * 1024 / 1e6}


def removed(name, threshold, rows, folder, pairs_path):
    pairs = array("I")
    for document in REMOVE[name](rows, float(threshold), folder):
        pairs.extend((document, document))
    if sys.byteorder == "big":
        pairs.byteswap()
    with open(pairs_path, "wb") as file:
        pairs.tofile(file)


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
    elif sys.argv[1] == "remove":
        result = removed(*sys.argv[2:])
    elif sys.argv[2] in REMOVE:
        result = remove(*sys.argv[2:])
    else:
        result = search(sys.argv[2], float(sys.argv[3]), sys.argv[4], sys.argv[5])
    print(json.dumps(result))
