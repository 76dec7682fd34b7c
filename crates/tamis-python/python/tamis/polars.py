"""Near-duplicates as methods of polars: `frame.tamis.label()`.

Importing `tamis` after polars is enough; otherwise import this module.

>>> import polars
>>> import tamis.polars
>>> frame = polars.DataFrame({"text": ["wash two leeks", "peel a carrot", "wash two leeks"]})
>>> frame.tamis.label().get_column("keep").to_list()
[True, True, False]
"""

from typing import Any

import polars

from tamis import _similar

__all__ = ["Tamis"]


@polars.api.register_lazyframe_namespace("tamis")
@polars.api.register_dataframe_namespace("tamis")
class Tamis:
    """The functions for texts as methods of a frame, with the same arguments; frames come back."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def label(self, *args: Any, **options: Any) -> Any:
        """All rows with `cluster`, `representative` and `keep`; see `tamis.label`."""
        return _similar.label(self._frame, *args, **options).rows

    def deduplicate(self, *args: Any, **options: Any) -> Any:
        """The rows that stay; see `tamis.deduplicate`."""
        return _similar.deduplicate(self._frame, *args, **options).kept

    def clusters(self, *args: Any, **options: Any) -> Any:
        """The members of groups; see `tamis.clusters`."""
        return _similar.clusters(self._frame, *args, **options).clusters

    def near_duplicates(self, *args: Any, **options: Any) -> Any:
        """The pairs; see `tamis.near_duplicates`."""
        return _similar.near_duplicates(self._frame, *args, **options).pairs
