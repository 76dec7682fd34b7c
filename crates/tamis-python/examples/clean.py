"""A Parquet file without its near-copies, and a table of what went.

python clean.py corpus.parquet clean.parquet removed.parquet
"""

import sys

import pyarrow.parquet
import tamis


def clean(source: str, kept: str, removed: str, threshold: float = 0.8) -> tuple[int, int]:
    """Writes both files; tells how many rows stay and how many go."""
    result = tamis.deduplicate(source, threshold, keep="longest")
    # The rows of a file come as batches, so that it may be larger than memory.
    with pyarrow.parquet.ParquetWriter(kept, result.kept.schema) as writer:
        for batch in result.kept:
            writer.write_batch(batch)
    pyarrow.parquet.write_table(result.removed, removed)
    return result.summary.counts["kept"], result.summary.counts["removed"]


if __name__ == "__main__":
    source, kept, removed = sys.argv[1:]
    print("%d rows stay, %d go" % clean(source, kept, removed))
