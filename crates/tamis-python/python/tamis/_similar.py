"""Signatures, near-duplicates, groups and copies of texts: of lists, frames, streams and files."""

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tamis import _tamis
from tamis._errors import ParameterError
from tamis._inputs import Back, Corpus, arrow, corpus_of, files_of
from tamis._options import kept_by, memory_of, progress_of
from tamis._results import Clusters, Deduplicated, Labelled, Pairs, Summary
from tamis._rows import kept_rows, labelled_rows

if TYPE_CHECKING:
    import numpy.typing

__all__ = ["clusters", "deduplicate", "label", "near_duplicates", "signatures"]

_MEMORY = 2 << 30


class Side(NamedTuple):
    """Documents of one side: those of a corpus, or those of files."""

    corpus: Corpus | None
    files: list[str] | None


class Run:
    """Documents that are read and signed, and what they are called."""

    def __init__(
        self,
        comparison: Any,
        data: Any,
        options: "_Options",
        keep: str = "first",
        again: bool = False,
    ) -> None:
        self.started = time.perf_counter()
        self.data, self.options = data, options
        chosen = kept_by(keep)
        self.own = _side(data, options.text, options.id, options.ids)
        given = self._given(self.own, chosen, again)
        self.others = None
        other = None
        if options.against is not None:
            self.others = _side(options.against, options.text, options.id, None)
            other = self._given(self.others, ("first", None), False)
        memory = memory_of(options.memory)
        progress = progress_of(options.progress)
        self.prepared = comparison.prepare(given, other, memory, options.threads, progress)
        self.summary = Summary(self.prepared, options.threshold, comparison.params, comparison.compared)
        self._rows = self.prepared.rows(False), self.prepared.rows(True)

    @property
    def streams(self) -> bool:
        """Whether the result is a stream, because the input is one."""
        return self.own.corpus is None or self.own.corpus.back.streams

    @property
    def back(self) -> Back:
        """What makes frames of the kind that was given."""
        return Back() if self.own.corpus is None else self.own.corpus.back

    def _given(self, side: Side, keep: tuple[str, str | None], again: bool) -> Any:
        text, id = self.options.text, self.options.id
        if side.files is not None:
            return _tamis.Files(side.files, text, id, *keep)
        assert side.corpus is not None
        return side.corpus.texts(keep, again)

    def names(self, numbers: Any, other: bool = False) -> Any:
        """The names of documents of one side."""
        side = self.others if other else self.own
        assert side is not None
        if side.files is not None:
            return arrow().array(self.prepared.names(numbers))
        assert side.corpus is not None
        return side.corpus.names(self.rows(numbers, other))

    def rows(self, numbers: Any, other: bool = False) -> Any:
        """The rows of documents of one side."""
        place = numbers if other else numbers - self.prepared.others
        rows = self._rows[other]
        return place if rows is None else rows[place]

    def finish(self) -> Summary:
        """The summary, once all is found."""
        self.summary.seconds = time.perf_counter() - self.started
        self.summary.complete = True
        return self.summary

    def frame(self, names: tuple[str, str], found: Iterator[Any], make: Callable[..., Any]) -> Any:
        """A frame of the rows that are found: a stream for a stream."""
        pa = arrow()
        batches = _batches(found, make, names)
        if not self.streams:
            first, tables = next(batches), []
            tables = [first, *batches]
            self.finish()
            return self.back.of(pa.Table.from_batches(tables))
        # The schema is that of an empty batch, which comes first.
        first = next(batches)

        def rest() -> Iterator[Any]:
            yield from batches
            self.finish()

        return pa.RecordBatchReader.from_batches(first.schema, rest())


class _Options(NamedTuple):
    """What the functions have in common, beside the comparison."""

    threshold: float
    ids: Any
    text: str | None
    id: str | None
    against: Any
    memory: int | str
    threads: int | None
    progress: Any


def _batches(
    found: Iterator[Any], make: Callable[..., Any], names: tuple[str, str]
) -> Iterator[Any]:
    import numpy

    pa = arrow()
    columns = [*names, "similarity"]
    none = numpy.empty(0, numpy.int64)
    left, right = make(none, none)
    similarity = pa.array([], pa.float64())
    yield pa.RecordBatch.from_arrays([left, right, similarity], columns)
    for one, other, similarities in found:
        left, right = make(one, other)
        yield pa.RecordBatch.from_arrays([left, right, pa.array(similarities)], columns)


def _side(data: Any, text: str | None, id: str | None, ids: Any) -> Side:
    files = files_of(data)
    if files is None:
        return Side(corpus_of(data, text, id, ids), None)
    if ids is not None:
        raise ParameterError("files name their documents; say which column with id=")
    return Side(None, files)


def _counted(summary: Summary, found: Iterator[Any], name: str) -> Iterator[Any]:
    summary.counts[name] = 0
    for batch in found:
        summary.counts[name] += len(batch[2])
        yield batch


def signatures(
    texts: Any,
    shingle: str = "words:3",
    num_perm: int = 128,
    *,
    seed: int = 1,
    tokens: str = "whitespace",
    lowercase: bool = False,
    normalize: str | None = None,
    text: str | None = None,
) -> "numpy.typing.NDArray[numpy.uint64]":
    """The signature of each text: an array of `num_perm` columns and a row for each text.

    `texts` is whatever `near_duplicates` takes. A null is refused. A row is `MinHash(hashvalues=row, seed=seed)`.

    >>> import tamis
    >>> rows = tamis.signatures(["peel the carrots", "peel the carrots", "wash two leeks"])
    >>> rows.shape, bool((rows[0] == rows[1]).all())
    ((3, 128), True)
    >>> tamis.MinHash(hashvalues=rows[0]).jaccard(tamis.MinHash(hashvalues=rows[2]))
    0.0
    """
    import numpy

    comparison = _tamis.Comparison(shingle, num_perm, seed, lowercase, normalize, tokens=tokens)
    files = files_of(texts)
    if files is not None:
        return comparison.signatures(_tamis.Files(files, text))
    if isinstance(texts, list | tuple) and text is None:
        return comparison.signatures(texts)
    chunks = corpus_of(texts, text, None, None).texts(("first", None), False)
    made = [comparison.signatures(chunk) for chunk, _ in chunks]
    return made[0] if len(made) == 1 else numpy.concatenate([numpy.empty((0, num_perm), numpy.uint64), *made])


def near_duplicates(
    data: Any,
    threshold: float = 0.8,
    shingle: str = "words:3",
    num_perm: int = 128,
    *,
    recall: float = 0.995,
    params: tuple[int, int] | None = None,
    seed: int = 0,
    tokens: str = "whitespace",
    lowercase: bool = False,
    normalize: str | None = None,
    ids: Any = None,
    text: str | None = None,
    id: str | None = None,
    against: Any = None,
    memory: int | str = _MEMORY,
    threads: int | None = None,
    progress: Any = None,
) -> Pairs:
    """All pairs of texts that are at least as similar as `threshold`: `left`, `right` and `similarity`, and a summary.

    The same pairs as `tamis similar pairs`: every similarity is exact, and of the pairs at the threshold the part `recall` is found.

    `data` is a list of texts, an array of NumPy, a frame or column of pandas, polars, pyarrow or Hugging Face, a reader or dataset of
    pyarrow, an iterable of batches, or the path of files (a pattern, a list of paths, an address such as `s3://bucket/shards/`), read as the command reads them. Pairs come
    back in a frame of the same kind; those of readers and files as a reader. Texts are named by `ids`, by the column `id`, or by
    their rows; `text` names their column. Nulls are skipped and counted. `tokens` says what a word of a shingle is: `"whitespace"`, or
    `"unicode"` (words of annex 29, without punctuation).

    With `against`, other documents, pairs are those of a text (`left`) with one of them (`right`). `memory` is what may be held before
    parts go to disk; `threads` is the number of threads; `progress` is `True`, or is called with a stage, how much is done, and how much
    there is.

    >>> import tamis
    >>> texts = ["peel the carrots and cut them into slices", "wash two leeks", "peel the carrots and cut them into slices now"]
    >>> found = tamis.near_duplicates(texts, threshold=0.5)
    >>> found.to_pylist()
    [{'left': 0, 'right': 2, 'similarity': 0.8571428571428571}]
    >>> found.summary.documents, found.summary.counts
    (3, {'pairs': 1})
    """
    comparison = _tamis.Comparison(
        shingle, num_perm, seed, lowercase, normalize, threshold, recall, params, tokens
    )
    options = _Options(threshold, ids, text, id, against, memory, threads, progress)
    run = Run(comparison, data, options)
    across = against is not None

    def names(left: Any, right: Any) -> tuple[Any, Any]:
        # Those to compare with have the first numbers.
        return (run.names(right), run.names(left, True)) if across else (run.names(left), run.names(right))

    found = _counted(run.summary, run.prepared.pairs(across), "pairs")
    return Pairs(run.frame(("left", "right"), found, names), run.summary)


def clusters(
    data: Any,
    threshold: float = 0.8,
    shingle: str = "words:3",
    num_perm: int = 128,
    *,
    singletons: bool = False,
    recall: float = 0.995,
    params: tuple[int, int] | None = None,
    seed: int = 0,
    tokens: str = "whitespace",
    lowercase: bool = False,
    normalize: str | None = None,
    ids: Any = None,
    text: str | None = None,
    id: str | None = None,
    against: Any = None,
    memory: int | str = _MEMORY,
    threads: int | None = None,
    progress: Any = None,
) -> Clusters:
    """The groups of texts that chains of similar pairs connect: `representative`, `id` and `similarity`, and a summary.

    The representative is the first of its group, and has a row of its own; with `singletons` so does a text that is like no other.
    Documents `against` which texts are compared connect them, and are no members. The arguments are those of `near_duplicates`.

    >>> import tamis
    >>> texts = ["peel the carrots and cut them into slices", "wash two leeks", "peel the carrots and cut them into slices now"]
    >>> tamis.clusters(texts, threshold=0.5, ids=["a", "b", "c"]).column("id").to_pylist()
    ['a', 'c']
    """
    comparison = _tamis.Comparison(
        shingle, num_perm, seed, lowercase, normalize, threshold, recall, params, tokens
    )
    options = _Options(threshold, ids, text, id, against, memory, threads, progress)
    run = Run(comparison, data, options)
    groups = run.prepared.groups(singletons)
    run.summary.counts |= dict(zip(("groups", "members"), groups.counts, strict=True))

    def names(left: Any, right: Any) -> tuple[Any, Any]:
        return run.names(left), run.names(right)

    return Clusters(run.frame(("representative", "id"), groups, names), run.summary)


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
    tokens: str = "whitespace",
    lowercase: bool = False,
    normalize: str | None = None,
    ids: Any = None,
    text: str | None = None,
    id: str | None = None,
    against: Any = None,
    memory: int | str = _MEMORY,
    threads: int | None = None,
    progress: Any = None,
) -> Deduplicated:
    """The texts without copies: what stays, what goes, and a summary.

    Every text that goes is similar to one that stays, and no two that stay were found similar, as by `tamis similar dedup`.
    `keep` says which copy stays: the `"first"`, the `"last"`, the `"longest"`, or the one with the `"largest:COLUMN"` or
    `"smallest:COLUMN"`. With `against` only those texts go that are similar to one of these other documents. Rows without a text
    stay.

    Rows come back in a frame of the kind that was given; those of a list as `id` and `text`, and so do the documents of files that
    are not Parquet. The other arguments are those of `near_duplicates`.

    >>> import tamis
    >>> texts = ["peel the carrots and cut them into slices", "wash two leeks", "peel the carrots and cut them into slices now"]
    >>> kept, removed = tamis.deduplicate(texts, threshold=0.5, keep="longest")
    >>> kept.column("id").to_pylist(), removed.column("id").to_pylist()
    ([1, 2], [0])
    """
    comparison = _tamis.Comparison(
        shingle, num_perm, seed, lowercase, normalize, threshold, recall, params, tokens
    )
    options = _Options(threshold, ids, text, id, against, memory, threads, progress)
    run = Run(comparison, data, options, keep, again=True)
    return kept_rows(run)


def label(
    data: Any,
    threshold: float = 0.8,
    shingle: str = "words:3",
    num_perm: int = 128,
    *,
    keep: str = "first",
    recall: float = 0.995,
    params: tuple[int, int] | None = None,
    seed: int = 0,
    tokens: str = "whitespace",
    lowercase: bool = False,
    normalize: str | None = None,
    ids: Any = None,
    text: str | None = None,
    id: str | None = None,
    against: Any = None,
    memory: int | str = _MEMORY,
    threads: int | None = None,
    progress: Any = None,
) -> Labelled:
    """All rows with the columns `cluster`, `representative` and `keep`, and a summary.

    The same labels as those of `tamis similar label`. `cluster` numbers the groups of `clusters` in the order of their first texts, those of
    one text included; `keep` is false for what `deduplicate` removes; `representative` names the text that stays in its place, its own if it
    stays (with `against`, one of the others). A row without a text is in no group, and is kept. The arguments are those of `deduplicate`.

    >>> import tamis
    >>> texts = ["peel the carrots and cut them into slices", "wash two leeks", "peel the carrots and cut them into slices now"]
    >>> labelled = tamis.label(texts, threshold=0.5)
    >>> labelled.column("cluster").to_pylist(), labelled.column("keep").to_pylist()
    ([0, 1, 0], [True, True, False])
    """
    comparison = _tamis.Comparison(
        shingle, num_perm, seed, lowercase, normalize, threshold, recall, params, tokens
    )
    options = _Options(threshold, ids, text, id, against, memory, threads, progress)
    run = Run(comparison, data, options, keep, again=True)
    return labelled_rows(run)
