"""Arguments that the functions for texts have in common: memory, progress, and what comes first."""

import os
import sys
from collections.abc import Callable
from typing import Any

from tamis._errors import ParameterError

_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def memory_of(memory: int | str) -> int:
    """Bytes of an amount of memory: a number, or `"64M"`, `"1.5 GiB"`; powers of 1024."""
    if not isinstance(memory, str):
        return int(memory)
    text = memory.strip().lower().removesuffix("b").removesuffix("i").strip()
    unit = text[-1:] if text[-1:] in _UNITS else ""
    try:
        number = float(text.removesuffix(unit)) * 1024 ** _UNITS[unit]
        return int(number)
    except (ValueError, OverflowError):
        raise ParameterError(
            f'write an amount of memory such as "64M" or "2G", got {memory!r}'
        ) from None


def progress_of(progress: Any) -> Callable[[str, int, int | None], None] | None:
    """What is called with the stage, how much is done, and how much there is."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return _Line().show
    if not callable(progress):
        raise ParameterError(f"progress is True, False or a function, got {progress!r}")
    return progress  # type: ignore[no-any-return]


class _Line:
    """A line on standard error that is written over."""

    def __init__(self) -> None:
        self._last = ("", -1)

    def show(self, stage: str, done: int, total: int | None) -> None:
        # A percent at a time, or each 2^16 rows.
        step = 100 * done // total if total else done >> 16
        if (stage, step) == self._last:
            return
        is_last = total is not None and done >= total
        self._last = (stage, step)
        far = f"{min(step, 100)} %" if total else f"{done:,} rows"
        end = "\n" if is_last else ""
        print(f"\r{stage}: {far}", end=end, file=sys.stderr, flush=True)


def kept_by(keep: str) -> tuple[str, str | None]:
    """How one of several copies is chosen, and the column that says it."""
    kind, _, column = keep.partition(":")
    if kind in ("first", "last", "longest") and not column and ":" not in keep:
        return kind, None
    if kind in ("largest", "smallest") and column:
        return kind, column
    raise ParameterError(
        'write "first", "last", "longest", "largest:COLUMN" or "smallest:COLUMN"; '
        f"got {keep!r}"
    )


# Where objects are in the place of files.
_SCHEMES = ("s3", "s3a", "gs", "az", "adl", "azure", "abfs", "abfss", "http", "https")


def is_address(path: Any) -> bool:
    """Whether this is the address of objects and no path: `s3://bucket/key`."""
    return isinstance(path, str) and path.partition("://")[0] in _SCHEMES and "://" in path


def is_path(data: Any) -> bool:
    """Whether this names files: a path or a pattern, or several of them."""
    if isinstance(data, str | os.PathLike):
        return True
    if not isinstance(data, list | tuple) or not data:
        return False
    if all(isinstance(path, os.PathLike) for path in data):
        return True
    # A list of str is texts, unless every one of them is the name of a file or an address.
    return all(
        isinstance(path, str)
        and len(path) < 4096
        and "\n" not in path
        and (os.path.exists(path) or (is_address(path) and " " not in path))
        for path in data
    )
