"""Filters, signatures and cascades where pyarrow is not installed. Run by `make python` in an environment of its own."""

import importlib.util
import pathlib
import tempfile

import numpy
import tamis

assert importlib.util.find_spec("pyarrow") is None, "pyarrow is installed here"

seen = tamis.BloomFilter(items=1000, rate=0.001)
assert seen.add("leek") and not seen.add("leek")
seen.update(numpy.arange(100), ["turnip"])
assert "turnip" in seen and 99 in seen
assert seen.contains_many(numpy.arange(100)).all()
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "seen.tamis"
    seen.save(path)
    assert tamis.Filter.load(path) == seen

counts = tamis.CountingFilter(items=1000)
counts.update(["leek", "leek"])
assert counts.count_many(["leek", "carrot"]).tolist() == [2, 0]

left, right = tamis.MinHash(), tamis.MinHash()
left.update_batch(["leek", "turnip"])
right.update_batch(["leek", "turnip"])
assert left.jaccard(right) == 1.0
index = tamis.MinHashLSH(threshold=0.5)
index.insert("a", "wash two leeks and cut them into rings")
assert index.query("wash two leeks and cut them into rings") == ["a"]
assert tamis.Cascade.train({"leaf": ["leek"], "root": ["carrot"]})["leek"] == "leaf"

try:
    tamis.near_duplicates(["wash two leeks"])
except tamis.ParameterError as refused:
    assert "pip install pyarrow" in str(refused)
else:
    raise AssertionError("tables were made without pyarrow")
print("filters work without pyarrow")
