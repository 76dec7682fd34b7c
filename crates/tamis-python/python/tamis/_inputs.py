"""What can be compared: texts, frames, streams and files, and how a frame of the same kind is made again."""

import glob
import os
from collections.abc import Callable, Iterator
from typing import Any

from tamis._errors import MissingFileError, ParameterError, TextError, WrongTypeError
from tamis._options import is_address, is_path

TEXT_COLUMNS = ("text", "content", "body", "message")

# Rows that are handed on at once.
_ROWS = 4096


def arrow() -> Any:
    """pyarrow, which tables need and filters do not."""
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError:
        raise ParameterError("tables need pyarrow: pip install pyarrow") from None
    return pyarrow


class Corpus:
    """Documents that can be read in batches: their texts, their names, and all their columns.

    `batches` gives tables with all columns, and can be called again if `repeats`; `text` and `id` are columns of them.
    """

    def __init__(
        self,
        batches: Callable[[], Iterator[Any]],
        back: "Back",
        text: str,
        id: str | None,
        repeats: bool,
        given: Any = None,
    ) -> None:
        self.given = given
        """What was given, if it has columns."""
        self._batches, self.back, self.text, self.id = batches, back, text, id
        self.repeats = repeats
        self._ids: list[Any] = []
        self._spool: Any = None

    def texts(self, keep: tuple[str, str | None], again: bool) -> Iterator[tuple[Any, Any]]:
        """Texts and ranks, batch by batch. With `again` rows can be read a second time."""
        pa = arrow()
        row = 0
        self._ids = []
        for batch in self._batches():
            self._check(batch)
            if self.id is not None:
                self._ids += _chunks(batch.column(self.id))
            if again and not self.repeats:
                self._keep(batch)
            column = text_column(batch.column(self.text), self.text)
            ranks = _ranks(keep, batch, row)
            chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
            start = 0
            for chunk in chunks:
                end = start + len(chunk)
                some = ranks if ranks is None or isinstance(ranks, str) else ranks[start:end]
                yield chunk, some
                start = end
            row += len(column)

    def names(self, rows: Any) -> Any:
        """The names of these rows: what is in the id column, or the rows themselves."""
        pa = arrow()
        if self.id is None:
            return pa.array(rows)
        ids = pa.chunked_array(self._ids) if self._ids else pa.array([], pa.int64())
        if len(rows) and len(ids) <= int(rows.max()):
            raise ParameterError("there are fewer ids than texts")
        taken = ids.take(pa.array(rows))
        return taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken

    def rows(self) -> Iterator[Any]:
        """All columns, batch by batch, a second time."""
        if self._spool is not None:
            batches: Iterator[Any] = self._spool.batches()
            return batches
        return self._batches()

    def _keep(self, batch: Any) -> None:
        if self._spool is None:
            self._spool = _Spool(batch.schema)
        self._spool.write(batch)

    def _check(self, batch: Any) -> None:
        names = batch.column_names
        for column in (self.text, self.id):
            if column is not None and column not in names:
                raise ParameterError(f"there is no column {column}; it has {', '.join(names)}")


class _Spool:
    """Batches that come only once, kept in a temporary file."""

    def __init__(self, schema: Any) -> None:
        import tempfile

        self._folder = tempfile.TemporaryDirectory(prefix="tamis-")
        self._path = os.path.join(self._folder.name, "rows.arrow")
        self._sink = arrow().OSFile(self._path, "wb")
        self._writer = arrow().ipc.new_file(self._sink, schema)

    def write(self, batch: Any) -> None:
        self._writer.write(batch)

    def batches(self) -> Iterator[Any]:
        self._writer.close()
        self._sink.close()
        pa = arrow()
        with pa.OSFile(self._path, "rb") as source:
            reader = pa.ipc.open_file(source)
            for number in range(reader.num_record_batches):
                yield pa.Table.from_batches([reader.get_batch(number)])


class Back:
    """Makes frames of one kind: of tables, of some rows of what was given, and of it with further columns."""

    streams = False

    def of(self, table: Any) -> Any:
        """A frame of this table."""
        return table

    def some(self, given: Any, stays: Any) -> Any:
        """The rows that stay."""
        pa = arrow()
        try:
            return given.filter(pa.array(stays))
        except pa.ArrowNotImplementedError:
            # pyarrow chooses no rows of string views.
            return _without_views(given).filter(pa.array(stays)).cast(given.schema)

    def with_columns(self, given: Any, columns: dict[str, Any]) -> Any:
        """All rows with further columns."""
        for name, column in columns.items():
            given = given.append_column(name, column)
        return given


def _without_views(table: Any) -> Any:
    pa = arrow()
    fields = [
        field.with_type(pa.large_string()) if is_view(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


class _Stream(Back):
    """Batches that are read one after the other."""

    streams = True


class _Pandas(Back):
    def of(self, table: Any) -> Any:
        return table.to_pandas()

    def some(self, given: Any, stays: Any) -> Any:
        return given[stays]

    def with_columns(self, given: Any, columns: dict[str, Any]) -> Any:
        made = {}
        for name, column in columns.items():
            values = column.to_pandas()
            values.index = given.index
            made[name] = values
        return given.assign(**made)


class _Polars(Back):
    def of(self, table: Any) -> Any:
        import polars

        return polars.from_arrow(table)

    def some(self, given: Any, stays: Any) -> Any:
        import polars

        return given.filter(polars.Series(stays))

    def with_columns(self, given: Any, columns: dict[str, Any]) -> Any:
        import polars

        made: dict[str, Any] = {name: polars.from_arrow(column) for name, column in columns.items()}
        return given.with_columns(**made)


class _Lazy(_Polars):
    def of(self, table: Any) -> Any:
        return super().of(table).lazy()

    def some(self, given: Any, stays: Any) -> Any:
        return super().some(given.collect(), stays).lazy()

    def with_columns(self, given: Any, columns: dict[str, Any]) -> Any:
        return super().with_columns(given.collect(), columns).lazy()


class _HuggingFace(Back):
    def of(self, table: Any) -> Any:
        import datasets

        return datasets.Dataset(table)

    def some(self, given: Any, stays: Any) -> Any:
        return given.select(stays.nonzero()[0])

    def with_columns(self, given: Any, columns: dict[str, Any]) -> Any:
        for name, column in columns.items():
            given = given.add_column(name, column.to_pylist())
        return given


class _Splits(_HuggingFace):
    """The splits of a `DatasetDict`, one after the other."""

    def some(self, given: Any, stays: Any) -> Any:
        return self._each(
            given, lambda split, place: super(_Splits, self).some(split, stays[place])
        )

    def with_columns(self, given: Any, columns: dict[str, Any]) -> Any:
        def add(split: Any, place: slice) -> Any:
            part = {name: column[place] for name, column in columns.items()}
            return super(_Splits, self).with_columns(split, part)

        return self._each(given, add)

    def _each(self, given: Any, make: Callable[[Any, slice], Any]) -> Any:
        made, start = {}, 0
        for name, split in given.items():
            made[name] = make(split, slice(start, start + len(split)))
            start += len(split)
        return type(given)(made)


def files_of(data: Any) -> list[str] | None:
    """The files that are meant, patterns expanded; `None` for what is no path."""
    if not is_path(data):
        return None
    given = [data] if isinstance(data, str | os.PathLike) else data
    paths: list[str] = []
    for path in map(os.fspath, given):
        if is_address(path):
            # Stores match patterns themselves.
            paths.append(path)
        elif not os.path.exists(path) and glob.has_magic(path):
            found = sorted(glob.glob(path, recursive=True))
            if not found:
                raise MissingFileError(f"cannot read {path}: no file is called so")
            paths += found
        else:
            paths.append(path)
    return paths


def corpus_of(data: Any, text: str | None, id: str | None, ids: Any) -> Corpus:
    """The documents of texts, frames and streams."""
    pa = arrow()
    # Frames are known by their modules, so that nothing is imported that is not in use.
    module = type(data).__module__.partition(".")[0]
    if isinstance(data, str | bytes) or data is None:
        raise WrongTypeError(f"texts are an iterable of str, got {type(data).__name__}")
    if module == "datasets" and isinstance(data, dict):
        tables = [split.with_format("arrow")[:] for split in data.values()]
        table = pa.concat_tables(tables, promote_options="default")
        return _of_table(table, _Splits(), text, id, ids, data)
    if module == "datasets" and hasattr(data, "with_format") and hasattr(data, "__len__"):
        table = data.with_format("arrow")[:]
        return _of_table(table, _HuggingFace(), text, id, ids, data)
    if module == "polars":
        return _of_polars(data, text, id, ids)
    if module == "pandas":
        if hasattr(data, "columns"):
            table = pa.Table.from_pandas(data, preserve_index=False)
            return _of_table(table, _Pandas(), text, id, ids, data)
        return _of_column(pa.array(data, from_pandas=True), _Pandas(), text, id, ids)
    if isinstance(data, pa.Table):
        return _of_table(data, Back(), text, id, ids)
    if isinstance(data, pa.RecordBatch):
        return _of_table(pa.Table.from_batches([data]), Back(), text, id, ids)
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return _of_column(data, Back(), text, id, ids)
    if hasattr(data, "to_batches") or isinstance(data, pa.RecordBatchReader):
        return _of_stream(data, text, id, ids)
    if hasattr(data, "dtype") and hasattr(data, "ndim"):
        return _of_column(_of_numpy(data), Back(), text, id, ids)
    if hasattr(data, "__arrow_c_stream__"):
        reader = pa.RecordBatchReader.from_stream(data)
        return _of_table(reader.read_all(), Back(), text, id, ids)
    if isinstance(data, list | tuple) and all(isinstance(t, str) or t is None for t in data):
        return _of_column(_strings(data), Back(), text, id, ids)
    return _of_iterable(data, text, id, ids)


def text_column(column: Any, name: str) -> Any:
    """A column of strings, of whatever kind: categories are looked up."""
    pa = arrow()
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_null(kind):
        return column.cast(pa.string())
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or is_view(kind)):
        raise WrongTypeError(f"texts are strings; the column {name} holds {kind}")
    return column


def is_view(kind: Any) -> bool:
    """Whether these are string views, which old versions of pyarrow do not know."""
    known = getattr(arrow().types, "is_string_view", None)
    return known is not None and bool(known(kind))


def _chunks(column: Any) -> list[Any]:
    pa = arrow()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return list(column.chunks) if isinstance(column, pa.ChunkedArray) else [column]


def named(names: list[str], text: str | None, id: str | None) -> tuple[str, str | None]:
    """The columns of texts and names among these."""
    wanted = text or next((name for name in TEXT_COLUMNS if name in names), None)
    if wanted is None or wanted not in names:
        raise ParameterError(
            f"there is no column {text or ', '.join(TEXT_COLUMNS)}; it has {', '.join(names)}"
        )
    if id is not None and id not in names:
        raise ParameterError(f"there is no column {id}; it has {', '.join(names)}")
    return wanted, id or ("id" if "id" in names else None)


def _of_table(
    table: Any, back: Back, text: str | None, id: str | None, ids: Any, given: Any = None
) -> Corpus:
    if ids is not None:
        raise ParameterError("a table has its names in a column; say which with id=")
    text, id = named(table.column_names, text, id)
    given = table if given is None else given
    return Corpus(lambda: iter([table]), back, text, id, True, given)


def _of_column(column: Any, back: Back, text: str | None, id: str | None, ids: Any) -> Corpus:
    """Texts without columns, which get a column `id` and one with the texts."""
    pa = arrow()
    if text is not None or id is not None:
        raise ParameterError("columns are for tables and files; name documents of a list with ids=")
    column = text_column(column, "of texts")
    has_names = ids is not None
    if ids is None:
        ids = pa.array(range(len(column)), pa.int64())
    elif not isinstance(ids, pa.Array | pa.ChunkedArray):
        ids = pa.array(ids)
    if len(ids) < len(column):
        raise ParameterError("there are fewer ids than texts")
    if len(ids) > len(column):
        raise ParameterError("there are more ids than texts")
    table = pa.table({"id": ids, "text": column})
    return Corpus(lambda: iter([table]), back, "text", "id" if has_names else None, True)


def _of_polars(data: Any, text: str | None, id: str | None, ids: Any) -> Corpus:
    if hasattr(data, "collect"):
        return _of_table(data.collect().to_arrow(), _Lazy(), text, id, ids, data)
    if hasattr(data, "columns"):
        return _of_table(data.to_arrow(), _Polars(), text, id, ids, data)
    return _of_column(data.to_arrow(), _Polars(), text, id, ids)


def _of_stream(data: Any, text: str | None, id: str | None, ids: Any) -> Corpus:
    """A dataset or a reader of pyarrow."""
    pa = arrow()
    if ids is not None:
        raise ParameterError("a table has its names in a column; say which with id=")
    schema = data.projected_schema if hasattr(data, "projected_schema") else data.schema
    text, id = named(schema.names, text, id)
    # A scanner may be one of a reader, and is scanned once.
    repeats = hasattr(data, "scanner")

    def batches() -> Iterator[Any]:
        for batch in data.to_batches() if hasattr(data, "to_batches") else data:
            yield pa.Table.from_batches([batch])

    return Corpus(batches, _Stream(), text, id, repeats)


def _of_numpy(data: Any) -> Any:
    """The column of an array of NumPy, in which None and NaN are null."""
    if data.ndim != 1:
        raise ParameterError(f"an array of texts has one dimension, got {data.ndim}")
    if data.dtype.kind not in "OUT":
        raise WrongTypeError(f"an array of texts holds strings, got {data.dtype}")
    return _strings([None if text != text else text for text in data.tolist()])


def _strings(texts: Any) -> Any:
    """A column of these texts, of which None is null."""
    pa = arrow()
    for row, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise WrongTypeError(f"text {row} is not str but {type(text).__name__}")
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:
        for row, text in enumerate(texts):
            if text is not None and any("\ud800" <= char <= "\udfff" for char in text):
                raise TextError(
                    f"text {row} has a lone surrogate, which has no UTF-8; "
                    'decode it with errors="replace"'
                ) from None
        raise


def _of_iterable(data: Any, text: str | None, id: str | None, ids: Any) -> Corpus:
    """An iterable of texts, of records, or of batches: its first item says which."""
    import itertools

    try:
        items = iter(data)
    except TypeError:
        got = type(data).__name__
        raise WrongTypeError(f"texts are an iterable of str, got {got}") from None
    head = list(itertools.islice(items, 1))
    first = head[0] if head else None
    items = itertools.chain(head, items)
    if first is None or isinstance(first, str | bytes | int | float):
        return _of_column(_strings(list(items)), Back(), text, id, ids)
    if ids is not None:
        raise ParameterError("batches have their names in a column; say which with id=")
    tables = _tables(items, first)
    table = next(tables)
    chosen, name = named(table.column_names, text, id)
    schema = table.schema

    def batches() -> Iterator[Any]:
        for batch in itertools.chain([table], tables):
            yield batch if batch.schema == schema else batch.cast(schema)

    return Corpus(batches, _Stream(), chosen, name, False)


def _tables(items: Iterator[Any], first: Any) -> Iterator[Any]:
    """Tables of batches, or of records some at a time."""
    import itertools

    pa = arrow()
    if isinstance(first, dict):
        if all(isinstance(value, list | tuple) for value in first.values()):
            yield from map(pa.table, items)
            return
        while rows := list(itertools.islice(items, _ROWS)):
            yield pa.Table.from_pylist(rows)
        return
    for batch in items:
        yield table_of(batch)


def table_of(batch: Any) -> Any:
    """The table of a batch: of pyarrow, pandas or polars, or texts."""
    pa = arrow()
    if isinstance(batch, pa.Table):
        return batch
    if isinstance(batch, pa.RecordBatch):
        return pa.Table.from_batches([batch])
    module = type(batch).__module__.partition(".")[0]
    if module == "pandas" and hasattr(batch, "columns"):
        return pa.Table.from_pandas(batch, preserve_index=False)
    if module == "polars" and hasattr(batch, "columns"):
        return batch.to_arrow()
    if isinstance(batch, pa.Array | pa.ChunkedArray):
        return pa.table({"text": batch})
    if isinstance(batch, list | tuple):
        return pa.table({"text": _strings(list(batch))})
    if hasattr(batch, "__arrow_c_stream__") or hasattr(batch, "__arrow_c_array__"):
        return pa.table(batch)
    got = type(batch).__name__
    raise WrongTypeError(f"a batch is a table, a frame or a list of texts, got {got}")


def _ranks(keep: tuple[str, str | None], table: Any, row: int) -> Any:
    """How much each row is preferred: numbers, `"longest"`, or `None` if the first of several is."""
    import numpy

    kind, column = keep
    if kind == "first":
        return None
    if kind == "longest":
        return "longest"
    if kind == "last":
        return numpy.arange(row, row + table.num_rows, dtype=numpy.float64)
    if column not in table.column_names:
        raise ParameterError(f"there is no column {column}; it has {', '.join(table.column_names)}")
    pa = arrow()
    numbers = table.column(column).cast(pa.float64())
    values = pa.compute.fill_null(numbers, float("nan")).to_numpy()
    values = values if kind == "largest" else -values
    return numpy.nan_to_num(values, nan=-numpy.inf, posinf=numpy.inf, neginf=-numpy.inf)

