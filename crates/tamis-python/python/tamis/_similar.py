"""Signatures, near-duplicates and copies of texts, from lists, Arrow and files."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy
import numpy.typing
import pyarrow

from tamis import _tamis
from tamis._errors import ParameterError, WrongTypeError

__all__ = ["Deduplicated", "clusters", "deduplicate", "near_duplicates", "signatures"]

_TEXT_COLUMNS = ("text", "content", "body", "message")
_MEMORY = 2 << 30


class _Documents(NamedTuple):
    """Texts, and what they are called."""

    texts: Any
    ids: Any
    table: Any


def _paths(data: Any) -> list[str] | None:
    """The files that are meant: a path, or several; `None` for texts."""
    if isinstance(data, str | os.PathLike):
        return [os.fspath(data)]
    if isinstance(data, list | tuple) and data and isinstance(data[0], os.PathLike):
        return [os.fspath(path) for path in data]
    return None


def _table(data: Any) -> Any:
    """The table that this is, if it is one."""
    if isinstance(data, pyarrow.Table):
        return data
    if isinstance(data, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([data])
    if hasattr(data, "columns") and hasattr(data, "__arrow_c_stream__"):
        return pyarrow.table(data)
    return None


def _documents(data: Any, text: str | None, id: str | None, ids: Any) -> _Documents:
    table = _table(data)
    if table is None:
        if text is not None or id is not None:
            raise ParameterError(
                "columns are for tables and files; name documents of a list with ids="
            )
        return _Documents(data, None if ids is None else _column(ids), None)
    if ids is not None:
        raise ParameterError("a table has its names in a column; say which with id=")
    names = table.column_names
    text = text or next((name for name in _TEXT_COLUMNS if name in names), None)
    if text is None or text not in names:
        wanted = text or ", ".join(_TEXT_COLUMNS)
        raise ParameterError(f"there is no column {wanted}; it has {', '.join(names)}")
    if id is not None and id not in names:
        raise ParameterError(f"there is no column {id}; it has {', '.join(names)}")
    id = id or ("id" if "id" in names else None)
    return _Documents(table.column(text), None if id is None else table.column(id), table)


def _column(ids: Any) -> Any:
    if isinstance(ids, pyarrow.Array | pyarrow.ChunkedArray):
        return ids
    return pyarrow.array(ids)


def _named(ids: Any, numbers: Any) -> Any:
    """The names of documents with these numbers; the numbers, if they have no names."""
    if ids is None:
        return pyarrow.array(numbers)
    if len(numbers) and len(ids) <= int(numbers.max()):
        raise ParameterError("there are fewer ids than texts")
    return ids.take(pyarrow.array(numbers))


def _rows(names: tuple[str, str], left: Any, right: Any, similarity: Any) -> Any:
    return pyarrow.table({names[0]: left, names[1]: right, "similarity": pyarrow.array(similarity)})


def _by_place(names: tuple[str, str], documents: _Documents, found: Any) -> Any:
    """A table of what was found by the numbers of documents."""
    left, right, similarity = found
    return _rows(names, _named(documents.ids, left), _named(documents.ids, right), similarity)


def _by_name(names: tuple[str, str], found: Any) -> Any:
    """A table of what was found in files."""
    left, right, similarity = found
    left, right = (pyarrow.array(side, type=pyarrow.string()) for side in (left, right))
    return _rows(names, left, right, similarity)


def signatures(
    texts: Any,
    shingle: str = "words:3",
    num_perm: int = 128,
    *,
    seed: int = 1,
    lowercase: bool = False,
    normalize: str | None = None,
    text: str | None = None,
) -> numpy.typing.NDArray[numpy.uint64]:
    """The signature of each text: an array of `num_perm` columns and a row for each text.

    `texts` is a list, an Arrow column, a table with a column `text`, or the path of a file (Parquet, JSONL, CSV, TSV, lines,
    plain or packed). A row is `MinHash(hashvalues=row, seed=seed)`.

    >>> import tamis
    >>> rows = tamis.signatures(["peel the carrots", "peel the carrots", "wash two leeks"])
    >>> rows.shape, bool((rows[0] == rows[1]).all())
    ((3, 128), True)
    >>> tamis.MinHash(hashvalues=rows[0]).jaccard(tamis.MinHash(hashvalues=rows[2]))
    0.0
    """
    comparison = _tamis.Comparison(shingle, num_perm, seed, lowercase, normalize)
    paths = _paths(texts)
    if paths is not None:
        return _tamis.signatures_of_files(comparison, paths, text, None)
    return comparison.signatures(_documents(texts, text, None, None).texts)


def near_duplicates(
    data: Any,
    threshold: float = 0.8,
    shingle: str = "words:3",
    num_perm: int = 128,
    *,
    recall: float = 0.995,
    params: tuple[int, int] | None = None,
    seed: int = 0,
    lowercase: bool = False,
    normalize: str | None = None,
    ids: Any = None,
    text: str | None = None,
    id: str | None = None,
    memory: int = _MEMORY,
) -> Any:
    """All pairs of texts that are at least as similar as `threshold`: an Arrow table of `left`, `right` and `similarity`.

    The same pairs as `tamis similar pairs`: every similarity is exact, and of the pairs at the threshold the part `recall` is found.
    `data` is a list of texts, named by `ids` or by their places; an Arrow column; a table; or the path of a file, read as the command
    reads it. `text` and `id` name the columns of tables and files. `memory` is what may be held before parts go to disk.

    >>> import tamis
    >>> texts = ["peel the carrots and cut them into slices", "wash two leeks", "peel the carrots and cut them into slices now"]
    >>> tamis.near_duplicates(texts, threshold=0.5).to_pylist()
    [{'left': 0, 'right': 2, 'similarity': 0.8571428571428571}]
    """
    comparison = _tamis.Comparison(
        shingle, num_perm, seed, lowercase, normalize, threshold, recall, params
    )
    paths = _paths(data)
    if paths is not None:
        found = _tamis.pairs_of_files(comparison, paths, text, id, memory)
        return _by_name(("left", "right"), found)
    documents = _documents(data, text, id, ids)
    return _by_place(("left", "right"), documents, comparison.pairs(documents.texts, memory))


def clusters(
    data: Any,
    threshold: float = 0.8,
    shingle: str = "words:3",
    num_perm: int = 128,
    *,
    recall: float = 0.995,
    params: tuple[int, int] | None = None,
    seed: int = 0,
    lowercase: bool = False,
    normalize: str | None = None,
    ids: Any = None,
    text: str | None = None,
    id: str | None = None,
    memory: int = _MEMORY,
) -> Any:
    """The groups of texts that chains of similar pairs connect: an Arrow table of `representative`, `id` and `similarity`.

    The representative is the first of its group, and has a row of its own. The arguments are those of `near_duplicates`.

    >>> import tamis
    >>> texts = ["peel the carrots and cut them into slices", "wash two leeks", "peel the carrots and cut them into slices now"]
    >>> tamis.clusters(texts, threshold=0.5, ids=["a", "b", "c"]).column("id").to_pylist()
    ['a', 'c']
    """
    comparison = _tamis.Comparison(
        shingle, num_perm, seed, lowercase, normalize, threshold, recall, params
    )
    paths = _paths(data)
    if paths is not None:
        found = _tamis.clusters_of_files(comparison, paths, text, id, memory)
        return _by_name(("representative", "id"), found)
    documents = _documents(data, text, id, ids)
    return _by_place(
        ("representative", "id"), documents, comparison.clusters(documents.texts, memory)
    )


class Deduplicated(NamedTuple):
    """What stays, and what goes."""

    kept: Any
    """The rows that stay, in their order: those of the table, or `id` and `text` of a list."""
    removed: Any
    """An Arrow table of `id`, `kept` (the one that stays in its place) and `similarity`."""


def deduplicate(
    data: Any,
    threshold: float = 0.8,
    shingle: str = "words:3",
    num_perm: int = 128,
    *,
    keep: str = "first",
    recall: float = 0.995,
    params: tuple[int, int] | None = None,
    seed: int = 0,
    lowercase: bool = False,
    normalize: str | None = None,
    ids: Any = None,
    text: str | None = None,
    id: str | None = None,
    memory: int = _MEMORY,
) -> Deduplicated:
    """The texts without copies, as Arrow tables of what stays and of what goes.

    Every text that goes is similar to one that stays, and no two that stay were found similar, as by `tamis similar dedup`.
    `keep` says which copy stays: the `"first"`, the `"longest"`, or the one with the `"largest:COLUMN"` of a table. `data` is a list, an
    Arrow column, a table, or the path of a Parquet file; the other arguments are those of `near_duplicates`.

    >>> import tamis
    >>> texts = ["peel the carrots and cut them into slices", "wash two leeks", "peel the carrots and cut them into slices now"]
    >>> kept, removed = tamis.deduplicate(texts, threshold=0.5, keep="longest")
    >>> kept.column("id").to_pylist(), removed.column("id").to_pylist()
    ([1, 2], [0])
    """
    paths = _paths(data)
    if paths is not None:
        data = _parquet(paths)
    documents = _documents(data, text, id, ids)
    texts = documents.texts
    if documents.table is None and not isinstance(texts, pyarrow.Array | pyarrow.ChunkedArray):
        texts = texts if isinstance(texts, list) else _listed(texts)
    comparison = _tamis.Comparison(
        shingle, num_perm, seed, lowercase, normalize, threshold, recall, params
    )
    ranks = _ranks(keep, texts, documents.table)
    found = comparison.copies(texts, ranks, memory)
    removed = _by_place(("id", "kept"), documents, found)
    stays = numpy.ones(len(texts), dtype=bool)
    stays[found[0]] = False
    table = documents.table
    if table is None:
        names = documents.ids if documents.ids is not None else pyarrow.array(range(len(texts)))
        column = texts if not isinstance(texts, list) else pyarrow.array(texts, pyarrow.string())
        table = pyarrow.table({"id": names, "text": column})
    return Deduplicated(table.filter(pyarrow.array(stays)), removed)


def _listed(texts: Iterable[str]) -> list[str]:
    try:
        return list(texts)
    except TypeError:
        raise WrongTypeError(f"texts are an iterable of str, got {type(texts).__name__}") from None


def _parquet(paths: Sequence[str]) -> Any:
    import pyarrow.parquet

    for path in paths:
        if not path.endswith(".parquet"):
            raise ParameterError(
                f"{path} is no Parquet file; `tamis similar dedup` rewrites other formats in place"
            )
    return pyarrow.concat_tables([pyarrow.parquet.read_table(path) for path in paths])


def _ranks(keep: str, texts: Any, table: Any) -> numpy.typing.NDArray[numpy.float64] | None:
    """How much each text is preferred; `None` if the first of several is."""
    import pyarrow.compute

    if keep == "first":
        return None
    if keep == "longest":
        if isinstance(texts, list):
            if not all(isinstance(text, str) for text in texts):
                return None
            lengths = [len(text.encode("utf-8", "surrogatepass")) for text in texts]
            return numpy.array(lengths, dtype=numpy.float64)
        ranks = pyarrow.compute.binary_length(texts)
    elif keep.startswith("largest:") and table is not None:
        column = keep.removeprefix("largest:")
        if column not in table.column_names:
            raise ParameterError(
                f"there is no column {column}; it has {', '.join(table.column_names)}"
            )
        ranks = table.column(column)
    else:
        raise ParameterError(
            f'write "first", "longest" or, for a table, "largest:COLUMN"; got {keep!r}'
        )
    ranks = pyarrow.compute.fill_null(ranks.cast(pyarrow.float64()), float("-inf"))
    values: numpy.typing.NDArray[numpy.float64] = (
        ranks.to_numpy(zero_copy_only=False)
        if isinstance(ranks, pyarrow.Array)
        else ranks.to_numpy()
    )
    return numpy.ascontiguousarray(
        numpy.nan_to_num(values, nan=-numpy.inf, posinf=numpy.inf, neginf=-numpy.inf)
    )
