"""What comes back: frames of the kind that was given, and a summary of what was read and found."""

from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["Clusters", "Deduplicated", "Labelled", "Pairs", "Summary"]


class Notice(NamedTuple):
    """Something that was noticed in reading."""

    skipped: bool
    """Whether it was left out; otherwise it was used."""
    count: int  # type: ignore[assignment]  # of tuples, which nobody needs here
    """How often."""
    what: str
    """What it was."""
    places: list[str]
    """Where it was first."""

    def __str__(self) -> str:
        verb = "skipped" if self.skipped else "noted"
        places = "; ".join(self.places) + ("; ..." if self.count > len(self.places) else "")
        return f"{verb} {self.count:,}: {self.what}" + (f" ({places})" if self.places else "")


class Summary:
    """What was read and found: what the command prints on standard error.

    >>> import tamis
    >>> print(tamis.clusters(["wash two leeks", None, "wash two leeks"]).summary)  # doctest: +ELLIPSIS
    skipped 1: the text is null (row 1)
    compared by words:3, whitespace tokens
    2 documents, 28 B: 1 group of 2 documents; ... s
    of the pairs at similarity 0.8 the bands find 99.8 %, of more similar ones more (21 bands of 6 rows); every candidate is verified
    """

    documents: int
    """The documents that were compared."""
    others: int
    """How many of them were only there to be compared with."""
    bytes: int
    """The bytes of their texts."""
    nulls: int
    """Rows without a text, which were skipped."""
    empty: int
    """Texts that are empty."""
    threshold: float
    compared: str
    """What was compared: `words:3, whitespace tokens`."""
    recall: float
    """The part of the pairs at the threshold that the bands find."""
    params: tuple[int, int]
    """Bands and rows."""
    counts: dict[str, int]
    """What was found: `pairs`, or `groups` and `members`, or `removed` and `kept`."""
    seconds: float
    complete: bool
    """Whether all was found; a stream counts while it is read."""
    notices: list[Notice]

    def __init__(
        self, prepared: Any, threshold: float, params: tuple[int, int], compared: str
    ) -> None:
        self.documents, self.others = prepared.documents, prepared.others
        self.bytes, self.nulls, self.empty = prepared.bytes, prepared.nulls, prepared.empty
        self.threshold, self.params, self.compared = threshold, params, compared
        bands, rows = params
        self.recall = 1.0 - (1.0 - threshold**rows) ** bands
        self.notices = [Notice(*notice) for notice in prepared.notices()]
        self.counts, self.seconds, self.complete = {}, 0.0, False

    @property
    def skipped(self) -> int:
        """How many rows, records or files were left out."""
        return sum(notice.count for notice in self.notices if notice.skipped)

    @property
    def warnings(self) -> list[str]:
        """What was left out, and what is unusual, as sentences."""
        lines = [str(notice) for notice in self.notices]
        if self.empty:
            lines.append(f"noted {self.empty:,}: the text is empty")
        return lines

    def __str__(self) -> str:
        what = _counted(self.documents, "document")
        if self.others:
            what += f", {self.others:,} of them to compare with"
        if self.bytes:
            what += f", {_size(self.bytes)}"
        bands, rows = self.params
        found = _found(self.counts, self.threshold) + ("" if self.complete else " so far")
        return "\n".join(
            [
                *self.warnings,
                f"compared by {self.compared}",
                f"{what}: {found}; {self.seconds:.1f} s",
                f"of the pairs at similarity {self.threshold} the bands find {_percent(self.recall)}, "
                f"of more similar ones more ({bands} bands of {rows} rows); every candidate is verified",
            ]
        )

    def __repr__(self) -> str:
        return f"<tamis.Summary: {self.documents:,} documents, {self.counts}>"


def _found(counts: dict[str, int], threshold: float) -> str:
    if "pairs" in counts:
        return f"{_counted(counts['pairs'], 'pair')} at {threshold} or more"
    if "groups" in counts:
        members = _counted(counts["members"], "document")
        found = f"{_counted(counts['groups'], 'group')} of {members}"
        return found + (f", {counts['removed']:,} to remove" if "removed" in counts else "")
    return f"{counts.get('removed', 0):,} removed, {counts.get('kept', 0):,} kept"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %"


def _size(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


class _Result:
    """A frame of the kind that was given, and a `summary`. Other names are those of the frame: `result.columns`.

    What comes from files and readers is a `pyarrow.RecordBatchReader`. It can be read once; `to_table` reads it into memory, and so do
    the names of a table.
    """

    summary: Summary

    def __init__(self, frame: Any, summary: Summary) -> None:
        self._frame = frame
        self.summary = summary

    def to_table(self) -> Any:
        """All of it as a table of pyarrow."""
        import pyarrow

        if isinstance(self._frame, pyarrow.RecordBatchReader):
            self._frame = self._frame.read_all()
        if isinstance(self._frame, pyarrow.Table):
            return self._frame
        if hasattr(self._frame, "collect"):
            return self._frame.collect().to_arrow()
        if hasattr(self._frame, "with_format"):
            return self._frame.with_format("arrow")[:]
        return pyarrow.table(self._frame)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__arrow_c_stream__":
            raise AttributeError(name)
        frame = self.__dict__["_frame"]
        return getattr(frame if hasattr(frame, name) else self.to_table(), name)

    def __len__(self) -> int:
        return len(self._frame) if hasattr(self._frame, "__len__") else len(self.to_table())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._frame)

    def __getitem__(self, item: Any) -> Any:
        return (self._frame if hasattr(self._frame, "__getitem__") else self.to_table())[item]

    def __repr__(self) -> str:
        return f"{self.summary}\n{self._frame!r}"


class Pairs(_Result):
    """Pairs with `left`, `right` and `similarity`, and a summary."""

    @property
    def pairs(self) -> Any:
        """The pairs, in a frame of the kind that was given."""
        return self._frame


class Clusters(_Result):
    """Members of groups with `representative`, `id` and `similarity`, and a summary."""

    @property
    def clusters(self) -> Any:
        """The members of groups, in a frame of the kind that was given."""
        return self._frame


class Labelled(_Result):
    """All rows with `cluster`, `representative` and `keep`, and a summary."""

    @property
    def rows(self) -> Any:
        """The rows, in a frame of the kind that was given."""
        return self._frame


class Deduplicated:
    """What stays and what goes, and a summary: `kept, removed = tamis.deduplicate(texts)`."""

    kept: Any
    """The rows that stay, in their order, in a frame of the kind that was given: `id` and `text` of texts without columns."""
    removed: Any
    """`id`, `kept` (the one that stays in its place) and `similarity` of those that go."""
    summary: Summary

    def __init__(self, kept: Any, removed: Any, summary: Summary) -> None:
        self.kept, self.removed, self.summary = kept, removed, summary

    def __iter__(self) -> Iterator[Any]:
        return iter((self.kept, self.removed))

    def __getitem__(self, place: int) -> Any:
        return (self.kept, self.removed)[place]

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        return f"{self.summary}\nkept: {self.kept!r}\nremoved: {self.removed!r}"
