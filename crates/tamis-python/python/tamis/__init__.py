"""Tamis: a fine sieve for collections too large to keep.

Filters answer whether something was seen, signatures what it is like, cascades which class it is in, all in a few bits for
each item. Files are those of the command `tamis`, byte for byte.

>>> import tamis
>>> seen = tamis.BloomFilter(items=1000, rate=0.001)
>>> seen.update(["leek", "turnip"])
>>> "leek" in seen, "carrot" in seen
(True, False)
"""

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
from tamis._similar import (
    Deduplicated,
    clusters,
    deduplicate,
    near_duplicates,
    signatures,
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

__all__ = [
    "BloomFilter",
    "Cascade",
    "CountingFilter",
    "Deduplicated",
    "Error",
    "FileError",
    "Filter",
    "FormatError",
    "GrowingFilter",
    "MinHash",
    "MinHashLSH",
    "MismatchError",
    "MissingFileError",
    "MutableFilter",
    "NotFoundError",
    "ParameterError",
    "RotatingFilter",
    "StaticFilter",
    "TextError",
    "UnsupportedError",
    "WrongTypeError",
    "__version__",
    "clusters",
    "deduplicate",
    "near_duplicates",
    "plan",
    "signatures",
]
