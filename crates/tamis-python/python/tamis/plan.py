"""Sizes and errors before anything is built, as `tamis plan` tells them."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from tamis import _tamis

__all__ = ["CascadePlan", "FilterPlan", "SimilarPlan", "cascade", "filter", "similar"]


class FilterPlan(NamedTuple):
    """What a filter would be."""

    layout: str
    counter_bits: int | None
    items: int
    bits: int
    hashes: int
    bytes: int
    false_positive_rate: float

    @property
    def bits_per_item(self) -> float:
        """Bits for each key."""
        return self.bits / max(self.items, 1)


def filter(
    items: int,
    rate: float | None = None,
    *,
    memory: int | None = None,
    layout: str = "blocked",
    counting: int | None = None,
) -> FilterPlan:
    """The filter for so many keys at this rate (1 % if nothing is said), or the best one in so many bytes of memory.

    `layout` is `"blocked"`, `"classic"` or `"static"`; `counting` is the width of counters, 4 or 8.

    >>> from tamis import plan
    >>> plan.filter(1_000_000, 0.01).bits
    10099712
    >>> round(plan.filter(1_000_000, memory=2_000_000, layout="classic").false_positive_rate, 6)
    0.000459
    """
    if layout == "static":
        wanted = 0.01 if rate is None else rate
        bits = int(_tamis.plan_static(items, wanted)) + 1
        return FilterPlan("static", None, items, bits, 1, bits // 8 + 1, wanted)
    bits, hashes, size, expected = _tamis.plan_filter(items, rate, memory, layout, counting)
    return FilterPlan(layout, counting, items, bits, hashes, size, expected)


class SimilarPlan(NamedTuple):
    """How signatures would be cut into bands, and what is found."""

    num_perm: int
    threshold: float
    bands: int
    rows: int
    found_at_threshold: float

    @property
    def standard_error(self) -> float:
        """The standard error of an estimate, at similarity 0.5."""
        return 0.5 / math.sqrt(self.num_perm)

    def found(self, similarity: float) -> float:
        """The part of the pairs of this similarity that become candidates."""
        params = (self.bands, self.rows)
        return _tamis.plan_bands(self.num_perm, self.threshold, 0.0, params, [similarity])[2][0]


def similar(
    threshold: float = 0.8,
    num_perm: int = 128,
    *,
    recall: float = 0.995,
    params: tuple[int, int] | None = None,
) -> SimilarPlan:
    """Bands and rows with which this part of the pairs at the threshold is found.

    >>> from tamis import plan
    >>> cut = plan.similar(0.8)
    >>> cut.bands, cut.rows, round(cut.found_at_threshold, 4), round(cut.found(0.5), 4)
    (21, 6, 0.9983, 0.2816)
    """
    bands, rows, found = _tamis.plan_bands(num_perm, threshold, recall, params, [threshold])
    return SimilarPlan(num_perm, threshold, bands, rows, found[0])


class CascadePlan(NamedTuple):
    """What a cascade would be."""

    counts: tuple[int, ...]
    bytes: int
    entropy_bytes: float
    training_bytes: int


def cascade(counts: Sequence[int], *, reject: int = 0) -> CascadePlan:
    """The cascade for so many keys of each category.

    >>> from tamis import plan
    >>> size = plan.cascade([100_000, 10_000_000])
    >>> round(size.bytes / size.entropy_bytes, 2)
    1.07
    """
    size, entropy, training = _tamis.plan_cascade(list(counts), reject)
    return CascadePlan(tuple(counts), size, entropy / 8, training)
