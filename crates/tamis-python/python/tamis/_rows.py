"""The rows of a corpus once more: without copies, or with labels."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tamis import _tamis
from tamis._errors import ParameterError
from tamis._inputs import Back, arrow, named
from tamis._options import is_address
from tamis._results import Deduplicated, Labelled

if TYPE_CHECKING:
    from tamis._similar import Run

_LABELS = ("cluster", "representative", "keep")


def kept_rows(run: "Run") -> Deduplicated:
    """What stays and what goes."""
    pa = arrow()
    against = run.others is not None
    goes, kept, similarities = run.prepared.copies(against)
    names = [run.names(goes), run.names(kept, against), pa.array(similarities)]
    removed = run.back.of(pa.table(names, names=["id", "kept", "similarity"]))
    own = run.prepared.documents - run.prepared.others
    run.summary.counts |= {"removed": len(goes), "kept": own - len(goes)}
    stays = _stays(run, goes)

    def mask(documents: Any) -> Any:
        # A row without a text is no document, and stays.
        return (documents < 0) | stays[documents]

    if run.streams:
        rows = _stream(run, lambda table, documents: Back().some(table, mask(documents)))
    else:
        rows = run.back.some(_given(run), mask(_documents(run)))
    return Deduplicated(rows, removed, run.finish())


def labelled_rows(run: "Run") -> Labelled:
    """All rows, and in which group each is."""
    import numpy

    pa = arrow()
    firsts, against = run.prepared.firsts(), run.others is not None
    goes, kept, _ = run.prepared.copies(against)
    numbers, clusters = numpy.unique(firsts, return_inverse=True)
    sizes = numpy.bincount(clusters, minlength=len(numbers))
    run.summary.counts |= {
        "groups": int((sizes > 1).sum()),
        "members": int(sizes[sizes > 1].sum()),
        "removed": len(goes),
    }
    stays = _stays(run, goes)
    # Who stays in the place of each: itself, or the one for which it goes.
    places_of = numpy.arange(len(firsts), dtype=numpy.int64) + run.prepared.others
    places_of[goes - run.prepared.others] = kept

    def labels(documents: Any) -> dict[str, Any]:
        has_none = documents < 0
        known = documents[~has_none]
        # Each row takes its place among those with a text.
        places = pa.array(numpy.cumsum(~has_none) - 1, mask=has_none)
        stands = numpy.ascontiguousarray(places_of[known])
        return {
            "cluster": pa.array(clusters[known].astype(numpy.int64)).take(places),
            "representative": _names(run, stands).take(places),
            "keep": pa.array(has_none | stays[documents]),
        }

    if run.streams:

        def add(table: Any, documents: Any) -> Any:
            _free(table.column_names)
            return Back().with_columns(table, labels(documents))

        return Labelled(_stream(run, add), run.finish())
    given = _given(run)
    _free(_columns(given))
    return Labelled(run.back.with_columns(given, labels(_documents(run))), run.finish())


def _names(run: "Run", documents: Any) -> Any:
    """The names of documents of either side; as strings, if the sides have names of different types."""
    import numpy

    pa = arrow()
    is_other = documents < run.prepared.others
    own = run.names(numpy.ascontiguousarray(documents[~is_other]))
    if run.others is None:
        return own
    other = run.names(numpy.ascontiguousarray(documents[is_other]), True)
    if own.type != other.type:
        own, other = own.cast(pa.string()), other.cast(pa.string())
    order = numpy.argsort(numpy.argsort(is_other, kind="stable"), kind="stable")
    return pa.concat_arrays([own, other]).take(pa.array(order))


def _given(run: "Run") -> Any:
    """What was given, as a frame: texts without columns get some."""
    corpus = run.own.corpus
    assert corpus is not None
    return corpus.given if corpus.given is not None else corpus.back.of(next(corpus.rows()))


def _columns(frame: Any) -> Any:
    """The names of the columns of any frame."""
    if hasattr(frame, "collect_schema"):
        return frame.collect_schema().names()
    return frame.column_names if hasattr(frame, "column_names") else frame.columns


def _free(names: Any) -> None:
    """Refuses columns that are called as labels are."""
    if isinstance(names, dict):
        names = {name for part in names.values() for name in part}
    for name in _LABELS:
        if name in names:
            raise ParameterError(f"there is a column {name} already; rename it first")


def _stays(run: "Run", goes: Any) -> Any:
    """Whether each document stays; one more for what is no document."""
    import numpy

    others = run.prepared.others
    stays = numpy.ones(run.prepared.documents - others + 1, dtype=bool)
    stays[goes - others] = False
    return stays


def _documents(run: "Run") -> Any:
    """The number of each row's document; -1 of a row without a text."""
    import numpy

    count = run.prepared.documents - run.prepared.others
    rows = run.prepared.rows(False)
    documents = numpy.arange(count, dtype=numpy.int64)
    if rows is None:
        return documents
    all_rows = numpy.full(run.prepared.seen, -1, dtype=numpy.int64)
    all_rows[rows] = documents
    return all_rows


def _stream(run: "Run", change: Callable[[Any, Any], Any]) -> Any:
    """A reader of rows that are changed batch by batch."""
    pa = arrow()
    tables = _tables(run)
    head = next(tables, None)
    if head is None:
        return pa.RecordBatchReader.from_batches(pa.schema([]), iter(()))
    changed = change(*head)

    def batches() -> Iterator[Any]:
        yield from changed.to_batches()
        for table, documents in tables:
            yield from change(table, documents).cast(changed.schema).to_batches()

    return pa.RecordBatchReader.from_batches(changed.schema, batches())


def _tables(run: "Run") -> Iterator[tuple[Any, Any]]:
    """All rows once more, and the number of each row's document."""
    import numpy

    files = run.own.files
    if files is not None:
        parts = _tamis.Files(files, run.options.text, run.options.id).files()
        if all(kind == "parquet" for _, kind in parts):
            yield from _of_parquet(run, [path for path, _ in parts])
            return
    start = 0
    if files is not None:
        for table in _of_documents(run, files):
            yield table, numpy.arange(start, start + table.num_rows, dtype=numpy.int64)
            start += table.num_rows
        return
    corpus = run.own.corpus
    assert corpus is not None
    documents = _documents(run)
    for table in corpus.rows():
        yield table, documents[start : start + table.num_rows]
        start += table.num_rows


def _of_documents(run: "Run", files: list[str]) -> Iterator[Any]:
    pa = arrow()
    for ids, texts in _tamis.Files(files, run.options.text, run.options.id).documents():
        yield pa.table({"id": pa.array(ids), "text": pa.array(texts)})


def _of_parquet(run: "Run", files: list[str]) -> Iterator[tuple[Any, Any]]:
    """The rows of Parquet files with all columns; those without a text are no documents."""
    import numpy
    import pyarrow.parquet

    pa = arrow()
    schema, seen = None, 0
    for path in files:
        source = pa.PythonFile(_tamis.ObjectFile(path), mode="r") if is_address(path) else path
        with pyarrow.parquet.ParquetFile(source) as file:
            text, _ = named(file.schema_arrow.names, run.options.text, run.options.id)
            schema = schema or file.schema_arrow
            for batch in file.iter_batches(batch_size=8192):
                table = pa.Table.from_batches([batch]).cast(schema)
                has_text = table.column(text).is_valid().to_numpy()
                documents = numpy.where(has_text, seen + numpy.cumsum(has_text) - 1, -1)
                seen += int(has_text.sum())
                _must_agree(run, seen, is_end=False)
                yield table, documents
    _must_agree(run, seen, is_end=True)


def _must_agree(run: "Run", seen: int, is_end: bool) -> None:
    """Refuses files that have changed since they were compared."""
    own = run.prepared.documents - run.prepared.others
    if seen > own or (is_end and seen != own):
        raise ParameterError(
            f"the files have {seen:,} texts now, and had {own:,} when they were compared"
        )
