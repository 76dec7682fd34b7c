"""Further sketches by the names that users of datasketch know, made of the signatures of `MinHash`."""

import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tamis._errors import MismatchError, ParameterError, WrongTypeError
from tamis._tamis import MinHash

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LeanMinHash", "WeightedMinHash", "WeightedMinHashGenerator", "bBitMinHash"]

_BYTE_ORDERS = "@=<>!"


class LeanMinHash(MinHash):
    """A signature that takes no more items: it can be a key of a `dict`, and has a short form in bytes.

    >>> import tamis
    >>> minhash = tamis.MinHash(num_perm=64)
    >>> minhash.update_batch(["leek", "turnip"])
    >>> lean = tamis.LeanMinHash(minhash)
    >>> buffer = bytearray(lean.bytesize())
    >>> lean.serialize(buffer)
    >>> tamis.LeanMinHash.deserialize(buffer) == minhash
    True
    """

    def __new__(
        cls, minhash: MinHash | None = None, seed: int | None = None, hashvalues: Any = None
    ) -> "Self":
        if minhash is not None:
            seed, hashvalues = minhash.seed, minhash.hashvalues
        if seed is None or hashvalues is None:
            raise ParameterError("a LeanMinHash is made of a minhash, or of a seed and hashvalues")
        return super().__new__(cls, len(hashvalues), seed, hashvalues=hashvalues)

    def update(self, b: Any) -> None:
        """Refused: a `MinHash` takes items."""
        raise WrongTypeError("a LeanMinHash takes no items; add them to a MinHash")

    def update_batch(self, b: Any) -> None:
        """Refused: a `MinHash` takes items."""
        self.update(b)

    def copy(self) -> "LeanMinHash":
        """Another one of the same set."""
        return type(self)(self)

    def bytesize(self, byteorder: str = "@") -> int:
        """The length of what `serialize` writes."""
        return struct.calcsize(self._format(byteorder, len(self)))

    def serialize(self, buf: Any, byteorder: str = "@") -> None:
        """Writes seed, length and components into a buffer."""
        if len(buf) < self.bytesize(byteorder):
            raise ParameterError(
                f"the buffer has {len(buf)} bytes; {self.bytesize(byteorder)} are needed"
            )
        values = self.hashvalues.tolist()
        struct.pack_into(self._format(byteorder, len(self)), buf, 0, self.seed, len(self), *values)

    @classmethod
    def deserialize(cls, buf: Any, byteorder: str = "@") -> "Self":
        """What `serialize` has written."""
        try:
            _, length = struct.unpack_from(cls._format(byteorder, 0), buf, 0)
            seed, _, *values = struct.unpack_from(cls._format(byteorder, length), buf, 0)
        except struct.error as reason:
            raise ParameterError(f"this is no LeanMinHash: {reason}") from None
        return cls(seed=seed, hashvalues=values)

    @staticmethod
    def union(*minhashes: MinHash) -> "LeanMinHash":
        """The signature of the union of all."""
        return LeanMinHash(MinHash.union(*minhashes))

    @staticmethod
    def _format(byteorder: str, length: int) -> str:
        if byteorder not in _BYTE_ORDERS:
            raise ParameterError(f"the byte order is one of {_BYTE_ORDERS}, got {byteorder!r}")
        return f"{byteorder}2Q{length}Q"

    def __hash__(self) -> int:
        return hash((self.seed, self.hashvalues.tobytes()))

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other)

    def __reduce__(self) -> Any:
        return type(self), (None, self.seed, self.hashvalues)


class bBitMinHash:  # noqa: N801
    """The lowest `b` bits of each component: smaller, and less exact.

    Two different components agree in `b` bits by chance with probability `2**-b`, whatever the size of the sets, and `jaccard` takes
    that into account. So `r`, their size as a part of the universe, changes nothing here.

    >>> import tamis
    >>> left, right = tamis.MinHash(num_perm=512), tamis.MinHash(num_perm=512)
    >>> left.update_batch(range(0, 900)); right.update_batch(range(100, 1000))
    >>> abs(tamis.bBitMinHash(left, 2).jaccard(tamis.bBitMinHash(right, 2)) - 0.8) < 0.1
    True
    """

    __slots__ = ("b", "hashvalues", "num_perm", "r", "seed")

    def __init__(self, minhash: MinHash, b: int = 1, r: float = 0.0) -> None:
        import numpy

        if not 1 <= b <= 32:
            raise ParameterError(f"b lies between 1 and 32, got {b}")
        if not 0.0 <= r <= 1.0:
            raise ParameterError(f"r lies between 0 and 1, got {r}")
        self.b, self.r = int(b), float(r)
        self.seed, self.num_perm = minhash.seed, len(minhash)
        bits = minhash.hashvalues[:, None] >> numpy.arange(self.b, dtype=numpy.uint64)
        self.hashvalues = numpy.packbits((bits & numpy.uint64(1)).astype(numpy.uint8))

    def jaccard(self, other: "bBitMinHash") -> float:
        """The estimated similarity of the two sets."""
        import numpy

        ours, theirs = (self.b, self.num_perm, self.seed), (other.b, other.num_perm, other.seed)
        if ours != theirs:
            raise MismatchError(
                f"these two do not match: b, num_perm and seed are {ours} here and {theirs} there; "
                "build both with the same options"
            )
        differ = numpy.unpackbits(self.hashvalues ^ other.hashvalues, count=self.b * self.num_perm)
        equal = 1.0 - float(differ.reshape(self.num_perm, self.b).any(axis=1).mean())
        chance = 0.5**self.b
        return max(0.0, (equal - chance) / (1.0 - chance))

    def bytesize(self) -> int:
        """The bytes of seed, length, b and r, and of the components."""
        return 8 + 4 + 1 + 8 + int(self.hashvalues.nbytes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, bBitMinHash):
            return NotImplemented
        ours, theirs = (
            (one.b, one.r, one.num_perm, one.seed, one.hashvalues.tobytes())
            for one in (self, other)
        )
        return ours == theirs

    def __hash__(self) -> int:
        return hash((self.b, self.num_perm, self.seed, self.hashvalues.tobytes()))

    def __getstate__(self) -> Any:
        return {name: getattr(self, name) for name in self.__slots__}

    def __setstate__(self, state: Any) -> None:
        for name, value in state.items():
            setattr(self, name, value)


class WeightedMinHash:
    """A signature of a weighted set, made by `WeightedMinHashGenerator`: rows of a dimension and a level of its weight."""

    __slots__ = ("hashvalues", "seed")

    def __init__(self, seed: int, hashvalues: Any) -> None:
        import numpy

        self.seed = int(seed)
        self.hashvalues = numpy.array(hashvalues, dtype=numpy.int64)

    def jaccard(self, other: "WeightedMinHash") -> float:
        """The estimated weighted similarity: the sum of the lesser weights over the sum of the greater ones."""
        if self.seed != other.seed or len(self) != len(other):
            raise MismatchError(
                f"these two do not match: seed and length are {(self.seed, len(self))} here and "
                f"{(other.seed, len(other))} there; take one generator for both"
            )
        return float((self.hashvalues == other.hashvalues).all(axis=1).mean())

    def digest(self) -> Any:
        """A copy of the rows."""
        return self.hashvalues.copy()

    def copy(self) -> "WeightedMinHash":
        """Another one of the same set."""
        return WeightedMinHash(self.seed, self.hashvalues)

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedMinHash):
            return NotImplemented
        return self.seed == other.seed and bool((self.hashvalues == other.hashvalues).all())

    def __hash__(self) -> int:
        return hash((self.seed, self.hashvalues.tobytes()))

    def __reduce__(self) -> Any:
        return WeightedMinHash, (self.seed, self.hashvalues)


class WeightedMinHashGenerator:
    """Signs vectors of weights by consistent weighted sampling (S. Ioffe, *Improved consistent sampling*, 2010).

    >>> import tamis
    >>> generator = tamis.WeightedMinHashGenerator(3, sample_size=512)
    >>> left, right = generator.minhash([1, 2, 0]), generator.minhash([1, 1, 1])
    >>> abs(left.jaccard(right) - 2 / 4) < 0.12
    True
    """

    __slots__ = ("_levels", "_log_scales", "_rates", "dim", "sample_size", "seed")

    def __init__(self, dim: int, sample_size: int = 128, seed: int = 1) -> None:
        import numpy

        if dim < 1 or sample_size < 1:
            raise ParameterError(f"dim and sample_size are at least 1, got {dim} and {sample_size}")
        self.dim, self.sample_size, self.seed = int(dim), int(sample_size), int(seed)
        chance = numpy.random.default_rng(self.seed)
        shape = (self.sample_size, self.dim)
        self._rates = chance.gamma(2.0, 1.0, shape)
        self._log_scales = numpy.log(chance.gamma(2.0, 1.0, shape))
        self._levels = chance.uniform(0.0, 1.0, shape)

    def minhash(self, v: Iterable[float]) -> WeightedMinHash:
        """The signature of a vector of weights, of which at least one is above zero."""
        import numpy

        weights = numpy.asarray(v if hasattr(v, "__len__") else list(v), dtype=numpy.float64)
        if weights.shape != (self.dim,):
            raise ParameterError(f"a vector of {self.dim} weights is needed, got {weights.shape}")
        if not numpy.isfinite(weights).all() or (weights < 0).any():
            raise ParameterError("weights are finite and not negative")
        (present,) = weights.nonzero()
        if not len(present):
            raise ParameterError("a vector of zeros has no signature")
        rates = self._rates[:, present]
        levels = numpy.floor(numpy.log(weights[present]) / rates + self._levels[:, present])
        reached = rates * (levels - self._levels[:, present])
        chosen = (self._log_scales[:, present] - reached - rates).argmin(axis=1)
        rows = numpy.arange(self.sample_size)
        hashvalues = numpy.stack([present[chosen], levels[rows, chosen].astype(numpy.int64)], 1)
        return WeightedMinHash(self.seed, hashvalues)

    def minhash_many(self, x: Iterable[Iterable[float]]) -> list[WeightedMinHash]:
        """The signature of each row."""
        return [self.minhash(v) for v in x]
