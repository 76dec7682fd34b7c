"""Indexes over signatures beside `MinHashLSH`: the nearest ones, and those that contain a set."""

import bisect
import math
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from tamis._errors import MismatchError, NotFoundError, ParameterError
from tamis._tamis import MinHash

__all__ = ["MinHashLSHEnsemble", "MinHashLSHForest"]


# Signatures that a forest ranks for each one that is asked for.
_RANKED = 4


class _Signatures:
    """Signatures of one length and seed, by key."""

    def __init__(self, num_perm: int) -> None:
        self.num_perm = num_perm
        self._seed: int | None = None
        self._values: dict[Hashable, Any] = {}

    def _fitting(self, minhash: MinHash) -> Any:
        """The components, if they can be compared with the others."""
        seed = minhash.seed if self._seed is None else self._seed
        ours, theirs = (self.num_perm, seed), (len(minhash), minhash.seed)
        if ours != theirs:
            raise MismatchError(
                f"these two do not match: num_perm and seed are {ours} here and {theirs} there; "
                "build both with the same options"
            )
        return minhash.hashvalues

    def _keep(self, key: Hashable, minhash: MinHash) -> None:
        values = self._fitting(minhash)
        if key in self._values:
            raise ParameterError(f"{key!r} is in already")
        self._seed, self._values[key] = minhash.seed, values

    def is_empty(self) -> bool:
        """Whether there is no signature."""
        return not self._values

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)


class MinHashLSHForest(_Signatures):
    """Finds the signatures that are nearest to another one, however near they are.

    `l` trees of `num_perm // l` components each. Signatures are compared where they share the longest beginnings of a tree, and
    come back ordered by their estimated similarity.

    >>> import tamis
    >>> forest = tamis.MinHashLSHForest()
    >>> for start in range(0, 1000, 100):
    ...     minhash = tamis.MinHash()
    ...     minhash.update_batch(range(start, start + 300))
    ...     forest.add(start, minhash)
    >>> forest.index()
    >>> forest.query(minhash, 2)
    [900, 800]
    """

    def __init__(self, num_perm: int = 128, l: int = 8) -> None:  # noqa: E741
        if not 0 < l <= num_perm:
            raise ParameterError(f"{l} trees do not fit into {num_perm} components")
        super().__init__(num_perm)
        self.l, self.k = l, num_perm // l
        self._waiting: list[Hashable] = []
        self._trees: list[list[tuple[bytes, int]]] = [[] for _ in range(l)]
        self._keys: list[Hashable] = []

    def add(self, key: Hashable, minhash: MinHash) -> None:
        """Adds a signature under a new key. It is found after the next `index`."""
        self._keep(key, minhash)
        self._waiting.append(key)

    def index(self) -> None:
        """Brings what was added into the trees."""
        for key in self._waiting:
            number = len(self._keys)
            self._keys.append(key)
            for tree, path in zip(self._trees, self._paths(self._values[key]), strict=True):
                tree.append((path, number))
        self._waiting.clear()
        for tree in self._trees:
            tree.sort()

    def query(self, minhash: MinHash, k: int) -> list[Any]:
        """At most `k` keys, the most similar first."""
        if k < 1:
            raise ParameterError(f"k is at least 1, got {k}")
        values = self._fitting(minhash)
        paths = self._paths(values)
        found: set[int] = set()
        for depth in range(self.k, 0, -1):
            for tree, path in zip(self._trees, paths, strict=True):
                start = path[: depth * 8]
                first = bisect.bisect_left(tree, (start,))
                while first < len(tree) and tree[first][0].startswith(start):
                    found.add(tree[first][1])
                    first += 1
            # Some more are ranked, so that the nearest of them are likely to be the nearest of all.
            if len(found) >= _RANKED * k:
                break
        keys = [self._keys[number] for number in sorted(found)]
        keys.sort(key=lambda key: -int((self._values[key] == values).sum()))
        return keys[:k]

    def get_minhash_hashvalues(self, key: Hashable) -> Any:
        """The components of the signature under a key."""
        if key not in self._values:
            raise NotFoundError(f"there is no signature under {key!r}")
        return self._values[key].copy()

    def _paths(self, values: Any) -> list[bytes]:
        """The components of each tree, in bytes that are ordered as they are."""
        ends = range(self.k, self.k * self.l + 1, self.k)
        return [values[end - self.k : end].astype(">u8").tobytes() for end in ends]


class MinHashLSHEnsemble(_Signatures):
    """Finds the sets that probably contain at least the part `threshold` of another set, however large they are.

    Sets are kept in `num_part` parts of like size, and in each cut into bands of 1 to `m` rows; a query takes the most rows that
    find the part `recall` of what is at the threshold (E. Zhu and others, *LSH Ensemble*, 2016). Nothing is verified.

    >>> import tamis
    >>> sizes = [100, 1000, 10_000]
    >>> sets = tamis.MinHash.bulk([range(size) for size in sizes])
    >>> ensemble = tamis.MinHashLSHEnsemble(threshold=0.9)
    >>> ensemble.index(zip(sizes, sets, sizes))
    >>> 1000 in ensemble.query(sets[0], 100)
    True
    """

    def __init__(
        self,
        threshold: float = 0.9,
        num_perm: int = 128,
        num_part: int = 16,
        m: int = 8,
        *,
        recall: float = 0.99,
    ) -> None:
        if not 0.0 < threshold <= 1.0 or not 0.0 < recall < 1.0:
            raise ParameterError(
                f"threshold and recall lie between 0 and 1, got {threshold} and {recall}"
            )
        if num_part < 1 or not 1 <= m <= num_perm:
            raise ParameterError(
                f"num_part is at least 1 and m lies between 1 and num_perm, got {num_part} and {m}"
            )
        super().__init__(num_perm)
        self.threshold, self.num_part, self.m, self.recall = threshold, num_part, m, recall
        self._parts: list[_Part] = []

    def index(self, entries: Iterable[tuple[Hashable, MinHash, int]]) -> None:
        """Takes all sets at once: a key, the signature and the size of each."""
        if self._parts:
            raise ParameterError("the ensemble has its sets already; make another one")
        sized = []
        for key, minhash, size in entries:
            if size < 1:
                raise ParameterError(f"a set has at least one item, got {size} for {key!r}")
            self._keep(key, minhash)
            sized.append((size, key))
        sized.sort(key=lambda entry: entry[0])
        room = max(1, math.ceil(len(sized) / self.num_part))
        for start in range(0, len(sized), room):
            part = sized[start : start + room]
            keys = [key for _, key in part]
            self._parts.append(_Part(part[-1][0], keys, [self._values[k] for k in keys], self.m))

    def query(self, minhash: MinHash, size: int) -> Iterator[Any]:
        """The keys of sets that probably contain enough of this set of `size` items."""
        if size < 1:
            raise ParameterError(f"a set has at least one item, got {size}")
        values = self._fitting(minhash)
        for part in self._parts:
            common = self.threshold * size
            # A smaller set cannot hold as much.
            if part.largest < common:
                continue
            # A set of the largest size that holds just enough is the least similar one.
            similarity = common / (size + part.largest - common)
            yield from part.query(values, self._rows(similarity))

    def _rows(self, similarity: float) -> int:
        """The most rows that find enough at this similarity."""
        for rows in range(self.m, 1, -1):
            bands = self.num_perm // rows
            if 1.0 - (1.0 - similarity**rows) ** bands >= self.recall:
                return rows
        return 1


class _Part:
    """Sets of like size: for each number of rows an index of its own."""

    def __init__(self, largest: int, keys: list[Hashable], values: list[Any], most: int) -> None:
        self.largest = largest
        self._keys = keys
        self._tables: list[dict[tuple[int, bytes], list[int]]] = []
        for rows in range(1, most + 1):
            table: dict[tuple[int, bytes], list[int]] = {}
            for number, components in enumerate(values):
                for band in _bands(components, rows):
                    table.setdefault(band, []).append(number)
            self._tables.append(table)

    def query(self, values: Any, rows: int) -> list[Any]:
        table = self._tables[rows - 1]
        found = {number for band in _bands(values, rows) for number in table.get(band, ())}
        return [self._keys[number] for number in sorted(found)]


def _bands(values: Any, rows: int) -> Iterator[tuple[int, bytes]]:
    for band in range(len(values) // rows):
        yield band, values[band * rows : (band + 1) * rows].tobytes()
