"""Which lines of a file are new? A growing filter remembers those of earlier runs.

python seen.py seen.tamis today.txt
"""

import pathlib
import sys

import tamis


def new_lines(store: pathlib.Path, lines: list[str]) -> list[str]:
    """The lines that were not seen before; from now on they are."""
    seen = tamis.GrowingFilter.load(store) if store.exists() else tamis.GrowingFilter(rate=0.0001)
    fresh = [
        line for line, known in zip(lines, seen.contains_many(lines), strict=True) if not known
    ]
    seen.update(fresh)
    seen.save(store)
    return fresh


if __name__ == "__main__":
    store, source = map(pathlib.Path, sys.argv[1:])
    for line in new_lines(store, source.read_text().splitlines()):
        print(line)
