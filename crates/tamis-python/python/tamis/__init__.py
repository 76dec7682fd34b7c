"""Tamis: a fine sieve for collections too large to keep.

Filters answer whether something was seen, signatures what it is like, cascades which class it is in, all in a few bits for
each item. Files are those of the command `tamis`, byte for byte.

>>> import tamis
>>> seen = tamis.BloomFilter(items=1000, rate=0.001)
>>> seen.update(["leek", "turnip"])
>>> "leek" in seen, "carrot" in seen
(True, False)
"""

import sys as _sys
from importlib.metadata import version as _version

from tamis import plan
from tamis._errors import (
    Error,
    FileError,
    FormatError,
    MismatchError,
    MissingFileError,
    NotFoundError,
    ParameterError,
    TextError,
    UnsupportedError,
    WrongTypeError,
)
from tamis._indexes import MinHashLSHEnsemble, MinHashLSHForest
from tamis._results import Clusters, Deduplicated, Labelled, Pairs, Summary
from tamis._similar import clusters, deduplicate, label, near_duplicates, signatures
from tamis._sketches import (
    LeanMinHash,
    WeightedMinHash,
    WeightedMinHashGenerator,
    bBitMinHash,
)
from tamis._tamis import (
    BloomFilter,
    Cascade,
    CountingFilter,
    Filter,
    GrowingFilter,
    MinHash,
    MinHashLSH,
    MutableFilter,
    RotatingFilter,
    StaticFilter,
)

__version__ = _version("tamis")

# Whoever uses polars finds `frame.tamis`; `import tamis.polars` does the same.
if "polars" in _sys.modules:
    from tamis import polars as polars

__all__ = [
    "BloomFilter",
    "Cascade",
    "Clusters",
    "CountingFilter",
    "Deduplicated",
    "Error",
    "FileError",
    "Filter",
    "FormatError",
    "GrowingFilter",
    "Labelled",
    "LeanMinHash",
    "MinHash",
    "MinHashLSH",
    "MinHashLSHEnsemble",
    "MinHashLSHForest",
    "MismatchError",
    "MissingFileError",
    "MutableFilter",
    "NotFoundError",
    "Pairs",
    "ParameterError",
    "RotatingFilter",
    "StaticFilter",
    "Summary",
    "TextError",
    "UnsupportedError",
    "WeightedMinHash",
    "WeightedMinHashGenerator",
    "WrongTypeError",
    "__version__",
    "bBitMinHash",
    "clusters",
    "deduplicate",
    "label",
    "near_duplicates",
    "plan",
    "signatures",
]
