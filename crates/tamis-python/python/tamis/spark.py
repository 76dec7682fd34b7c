"""Near-duplicates, filters and cascades over DataFrames of Spark.

The Rust core runs inside of the executors, on Arrow batches; the shuffles are Spark's own. The same input gives the same pairs and
groups as the command `tamis similar` on one machine. Ids must be unique and not null; where the command says "first", the least id is
meant. Texts that are null take no part.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy
import pyarrow
import pyarrow.compute
from pyspark import StorageLevel
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

import tamis
from tamis import _tamis
from tamis._errors import ParameterError

__all__ = ["classify", "clusters", "contains", "deduplicate", "near_duplicates"]

# So many rows are worth a task.
_ROWS = 200_000

_Work = Callable[[Iterable[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]


def near_duplicates(
    df: DataFrame,
    id: str = "id",
    text: str = "text",
    threshold: float = 0.8,
    shingle: str = "words:3",
    num_perm: int = 128,
    *,
    recall: float = 0.995,
    params: tuple[int, int] | None = None,
    seed: int = 0,
    tokens: str = "whitespace",
    lowercase: bool = False,
    normalize: str | None = None,
    max_band: int = 10_000,
    max_copies: int = 1_000,
) -> DataFrame:
    """All pairs of texts that are at least as similar as `threshold`: `left`, `right` and the exact `similarity`.

    Two bounds keep a skewed corpus from pairs without number. Of equal texts (those with the same set of shingles) the first
    `max_copies` are paired with everything, the further ones with the first of them alone. Of a band that more than
    `max_band` different texts have in common, the further ones are compared with the first alone. Below these bounds the pairs are
    those of `tamis similar pairs`; groups are the same even above `max_copies`.

    Candidates are found at once; they are verified when the pairs are asked for.
    """
    arguments = (
        shingle, num_perm, seed, lowercase, normalize, threshold, recall, params, tokens
    )
    found = _compared(df, id, text, arguments, max_band)
    # Each group of equal texts has one second text: its first is taken from there.
    first = found.copies.where(F.col("place") == 2).select("first", F.col("first").alias("id"))
    near = found.copies.where(F.col("place") <= max_copies).select("first", "id").union(first)
    far = found.copies.where(F.col("place") > max_copies)
    left, right = (
        near.select(F.col("first").alias(side), F.col("id").alias(f"{side}_id"))
        for side in ("left", "right")
    )
    similar = found.pairs.join(left, "left", "left").join(right, "right", "left")
    one, other = F.coalesce("left_id", "left"), F.coalesce("right_id", "right")
    similar = similar.select(
        F.least(one, other).alias("left"), F.greatest(one, other).alias("right"), "similarity"
    )
    later = near.select("first", F.col("id").alias("right"))
    equal = near.join(later, "first").where(F.col("id") < F.col("right"))
    certain = F.lit(1.0).alias("similarity")
    return similar.union(equal.select(F.col("id").alias("left"), "right", certain)).union(
        far.select(F.col("first").alias("left"), F.col("id").alias("right"), certain)
    )


def clusters(pairs: DataFrame, left: str = "left", right: str = "right") -> DataFrame:
    """The connected groups of pairs: each `id` with its `representative`, the least id of its group.

    By alternating star contraction (Kiveris and others, *Connected components in MapReduce and beyond*, 2014) until nothing changes,
    which takes some rounds even for chains of millions. Each round is a checkpoint: in the folder of `SparkContext.setCheckpointDir`, if
    one is set; otherwise in the executors, whose loss then ends the job.
    """
    one, other = F.col(left), F.col(right)
    edges = pairs.where(one != other).select(
        F.greatest(one, other).alias("node"), F.least(one, other).alias("other")
    )
    edges = _checkpoint(edges.distinct())
    state = _fingerprint(edges)
    while True:
        edges = _checkpoint(_small_star(_large_star(edges)))
        before, state = state, _fingerprint(edges)
        if state == before:
            break
    members = edges.select(F.col("other").alias("representative"), F.col("node").alias("id"))
    representatives = edges.select(F.col("other").alias("representative")).distinct()
    return members.union(
        representatives.select("representative", F.col("representative").alias("id"))
    )


def deduplicate(
    df: DataFrame,
    id: str = "id",
    text: str = "text",
    threshold: float = 0.8,
    shingle: str = "words:3",
    num_perm: int = 128,
    *,
    keep: str = "first",
    recall: float = 0.995,
    params: tuple[int, int] | None = None,
    seed: int = 0,
    tokens: str = "whitespace",
    lowercase: bool = False,
    normalize: str | None = None,
    max_band: int = 10_000,
) -> DataFrame:
    """The rows without copies: every text that goes is similar to one that stays, and no two that stay were found similar.

    `keep` says which copy stays: the `"first"` (that with the least id), the `"longest"`, or that with the `"largest:COLUMN"`. The same rows
    as by `tamis similar dedup`, if ids ascend in the order of reading.
    """
    arguments = (
        shingle, num_perm, seed, lowercase, normalize, threshold, recall, params, tokens
    )
    found = _compared(df, id, text, arguments, max_band)
    # Of equal texts the preferred one stands for all. Ranks are negative: the least is preferred.
    ranks = df.where(F.col(text).isNotNull()).select(
        F.col(id).alias("id"), _rank(keep, text).alias("rank")
    )
    placed = ranks.join(found.copies, "id", "left").select(
        "id", F.coalesce("first", "id").alias("first"), F.struct("rank", "id").alias("place")
    )
    touched = found.pairs.select(F.col("left").alias("first")).union(found.pairs.select("right"))
    touched = touched.union(found.copies.select("first")).distinct()
    placed = placed.join(touched, "first", "left_semi")
    best = _checkpoint(placed.groupBy("first").agg(F.min("place").alias("place")))
    ends = found.pairs.join(
        best.select(F.col("first").alias("left"), F.col("place").alias("left_place")), "left"
    ).join(best.select(F.col("first").alias("right"), F.col("place").alias("right_place")), "right")
    is_left = F.col("left_place") < F.col("right_place")
    edges = ends.select(
        F.when(is_left, F.col("left")).otherwise(F.col("right")).alias("better"),
        F.when(is_left, F.col("right")).otherwise(F.col("left")).alias("worse"),
    )
    going = _going(_checkpoint(edges.distinct()))
    stays = best.join(going, best["first"] == going["worse"], "left_anti").select("place.id")
    goes = placed.select("id").join(stays, "id", "left_anti")
    return df.join(goes, df[id] == goes["id"], "left_anti")


def contains(
    df: DataFrame, column: str, filter: "tamis.Filter | str", output: str = "contained"
) -> DataFrame:
    """The rows with a further column: whether the key in `column` is probably in the filter; null where the key is.

    `filter` is a filter, or the path of its file on the driver. Its bytes are sent to each executor once.
    """
    opened = filter if isinstance(filter, tamis.Filter) else tamis.Filter.load(filter)

    def answers(filter: Any, keys: Any) -> Any:
        return pyarrow.array(filter.contains_many(keys))

    return _asked(df, column, opened, output, T.BooleanType(), answers)


def classify(
    df: DataFrame, column: str, cascade: "tamis.Cascade | str", output: str = "category"
) -> DataFrame:
    """The rows with a further column: the category of the key in `column`; null where the key is, or was not trained.

    `cascade` is a cascade, or the path of its file on the driver. Its bytes are sent to each executor once.
    """
    opened = cascade if isinstance(cascade, tamis.Cascade) else tamis.Cascade.load(cascade)

    def answers(cascade: Any, keys: Any) -> Any:
        codes = pyarrow.array(cascade.classify_codes(keys))
        names = pyarrow.array(cascade.categories, pyarrow.string())
        return names.take(pyarrow.compute.if_else(pyarrow.compute.less(codes, 0), None, codes))

    return _asked(df, column, opened, output, T.StringType(), answers)


def _must_be_unique(signed: DataFrame, column: str) -> None:
    """Refuses ids that are null, or that several documents have: what is found could not be told apart."""
    twice = signed.groupBy("id").count().where(F.col("id").isNull() | (F.col("count") > 1))
    examples = twice.orderBy("id").limit(3).collect()
    if examples:
        ids = ", ".join(f"{row['id']!r} ({row['count']} times)" for row in examples)
        raise ParameterError(
            f"ids must be unique and not null; the column {column} has {ids}, among others perhaps; "
            "number the rows with monotonically_increasing_id if there is no better name"
        )


class _Compared(NamedTuple):
    """What is similar."""

    pairs: DataFrame
    """`left`, `right` and `similarity` of different sets; each is named by the first document that has it."""
    copies: DataFrame
    """`id` of each further document with the set of another one, `first`, the first document that has it, and its `place` among
    those that have it, from 2 on."""


def _compared(
    df: DataFrame, id: str, text: str, arguments: tuple[Any, ...], max_band: int
) -> _Compared:
    # Refuses what makes no sense here, and not in the executors.
    _tamis.Comparison(*arguments)
    if max_band < 2:
        raise ParameterError(f"max_band is at least 2, got {max_band}")
    kind = df.schema[id].dataType
    texts = df.where(F.col(text).isNotNull()).select(
        F.col(id).alias("id"), F.col(text).alias("text")
    )
    signed = texts.mapInArrow(
        _prepare(arguments),
        _schema(
            id=kind, digest=T.LongType(), bands=T.ArrayType(T.LongType()), members=T.BinaryType()
        ),
    )
    signed = signed.persist(StorageLevel.MEMORY_AND_DISK)
    _must_be_unique(signed, id)
    # Texts without shingles are like no other.
    signed = signed.where(F.length("members") > 0)
    so_far = Window.partitionBy("digest").orderBy("id").rowsBetween(Window.unboundedPreceding, 0)
    copies = signed.select(
        "id", F.first("id").over(so_far).alias("first"), F.row_number().over(so_far).alias("place")
    )
    copies = _counted(copies.where(F.col("place") > 1))
    bands = signed.join(copies, "id", "left_anti").select(F.explode("bands").alias("band"), "id")
    bands = bands.repartition("band").sortWithinPartitions("band", "id")
    candidates = bands.mapInArrow(_pairs(max_band), _schema(left=kind, right=kind))
    candidates = _counted(candidates.distinct())
    # Sets are large, and most are in no candidate: only the others travel.
    ends = candidates.select(F.col("left").alias("id")).union(candidates.select("right"))
    sets = signed.select("id", "members").join(ends.distinct(), "id", "left_semi")
    sets = sets.persist(StorageLevel.MEMORY_AND_DISK)
    left, right = (
        sets.select(F.col("id").alias(side), F.col("members").alias(f"{side}_members"))
        for side in ("left", "right")
    )
    both = candidates.join(left, "left").join(right, "right")
    both = both.select("left", "right", "left_members", "right_members")
    pairs = both.mapInArrow(
        _verify(arguments), _schema(left=kind, right=kind, similarity=T.DoubleType())
    )
    return _Compared(pairs.persist(StorageLevel.MEMORY_AND_DISK), copies)


def _counted(df: DataFrame) -> DataFrame:
    """The same rows, computed and kept, in no more parts than they are worth. Spark then knows how many they are: few are sent to all
    executors, and what they are joined with stays where it is.
    """
    df = df.persist(StorageLevel.MEMORY_AND_DISK)
    parts = df.count() // _ROWS
    return df.coalesce(max(parts, df.sparkSession.sparkContext.defaultParallelism))


def _schema(**columns: T.DataType) -> T.StructType:
    return T.StructType([T.StructField(name, kind) for name, kind in columns.items()])


def _prepare(arguments: tuple[Any, ...]) -> _Work:
    """Texts to digests, bands and sets."""

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        comparison = _tamis.Comparison(*arguments)
        for batch in batches:
            made = _tamis.prepare_texts(comparison, batch.column(1))
            digests, band_ends, bands, member_ends, members = made
            buffers = [None, pyarrow.py_buffer(member_ends), pyarrow.py_buffer(members)]
            yield pyarrow.RecordBatch.from_arrays(
                [
                    batch.column(0),
                    pyarrow.array(digests),
                    pyarrow.ListArray.from_arrays(pyarrow.array(band_ends), pyarrow.array(bands)),
                    pyarrow.Array.from_buffers(pyarrow.binary(), len(digests), buffers),
                ],
                names=["id", "digest", "bands", "members"],
            )

    return work


def _pairs(most: int) -> _Work:
    """Documents in the order of their bands to pairs that share one."""

    def paired(bands: Any, ids: Any) -> Any:
        left, right = _tamis.band_pairs(numpy.ascontiguousarray(bands), most)
        columns = [ids.take(pyarrow.array(left)), ids.take(pyarrow.array(right))]
        return pyarrow.RecordBatch.from_arrays(columns, names=["left", "right"])

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        # The last band of a batch may go on in the next one.
        held: list[Any] = []
        for batch in batches:
            if batch.num_rows == 0:
                continue
            whole = pyarrow.Table.from_batches([*held, batch]).combine_chunks().to_batches()[0]
            bands = whole.column(0).to_numpy(zero_copy_only=False)
            start = int(numpy.searchsorted(bands, bands[-1]))
            ended, rest = whole.slice(0, start), whole.slice(start)
            yield paired(bands[:start], ended.column(1))
            if rest.num_rows > most:
                # Those beyond the bound are paired with the first of the band, and are done.
                far = rest.slice(most)
                first = rest.column(1).take(pyarrow.array(numpy.zeros(far.num_rows, numpy.int64)))
                yield pyarrow.RecordBatch.from_arrays(
                    [first, far.column(1)], names=["left", "right"]
                )
                rest = rest.slice(0, most)
            held = [rest]
        for rest in held:
            yield paired(rest.column(0).to_numpy(zero_copy_only=False), rest.column(1))

    return work


def _verify(arguments: tuple[Any, ...]) -> _Work:
    """Candidates with their sets to those that are similar enough."""

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        comparison = _tamis.Comparison(*arguments)
        for batch in batches:
            similarity = _tamis.verify_sets(
                comparison, _binary(batch.column(2)), _binary(batch.column(3))
            )
            columns = [batch.column(0), batch.column(1), pyarrow.array(similarity)]
            verified = pyarrow.RecordBatch.from_arrays(
                columns, names=["left", "right", "similarity"]
            )
            yield verified.filter(pyarrow.array(similarity >= 0))

    return work


def _binary(column: Any) -> Any:
    return column if column.type == pyarrow.binary() else column.cast(pyarrow.binary())


def _large_star(edges: DataFrame) -> DataFrame:
    """Joins the larger neighbours of each node to the least of all its neighbours."""
    both = edges.union(edges.select(F.col("other").alias("node"), F.col("node").alias("other")))
    least = both.groupBy("node").agg(F.min("other").alias("least"))
    least = least.select("node", F.least("node", "least").alias("least"))
    larger = both.where(F.col("other") > F.col("node")).join(least, "node")
    return larger.select(F.col("other").alias("node"), F.col("least").alias("other")).distinct()


def _small_star(edges: DataFrame) -> DataFrame:
    """Joins each node and its smaller neighbours to the least of these."""
    least = edges.groupBy("node").agg(F.min("other").alias("least"))
    joined = edges.join(least, "node").where(F.col("other") != F.col("least"))
    joined = joined.select(F.col("other").alias("node"), F.col("least").alias("other"))
    return joined.union(least.select("node", F.col("least").alias("other"))).distinct()


def _fingerprint(edges: DataFrame) -> Any:
    """A number of these edges that is another one when they change."""
    hashes = F.sum(F.xxhash64("node", "other").cast("decimal(38,0)"))
    return edges.agg(F.count("*"), hashes).first()


def _going(edges: DataFrame) -> DataFrame:
    """The nodes that go when nodes are taken in the order of preference, and one that is joined to a node that stays goes.

    In each round those stay that are joined to no better one, and their neighbours go.
    """
    going: list[DataFrame] = []
    nothing = edges.select("worse").limit(0)
    while not edges.isEmpty():
        worse = edges.select(F.col("worse").alias("better")).distinct()
        stays = edges.select("better").distinct().join(worse, "better", "left_anti")
        gone = _checkpoint(edges.join(stays, "better", "left_semi").select("worse").distinct())
        going.append(gone)
        edges = edges.join(gone, "worse", "left_anti")
        edges = _checkpoint(
            edges.join(gone.select(F.col("worse").alias("better")), "better", "left_anti")
        )
    result = nothing
    for gone in going:
        result = result.union(gone)
    return result


def _rank(keep: str, text: str) -> Any:
    if keep == "first":
        return F.lit(0.0)
    if keep == "longest":
        return -F.octet_length(text).cast("double")
    if keep.startswith("largest:"):
        number = F.col(keep.removeprefix("largest:")).cast("double")
        return F.when(number.isNull() | F.isnan(number), F.lit(float("inf"))).otherwise(-number)
    raise ParameterError(f'write "first", "longest" or "largest:COLUMN", got {keep!r}')


def _checkpoint(df: DataFrame) -> DataFrame:
    context = df.sparkSession.sparkContext
    if context.getCheckpointDir() is None:
        return df.localCheckpoint()
    return df.checkpoint()


def _asked(
    df: DataFrame,
    column: str,
    structure: Any,
    output: str,
    kind: T.DataType,
    answers: Callable[[Any, Any], Any],
) -> DataFrame:
    """The rows with the answers of a structure to the keys of a column."""
    if output in df.columns:
        raise ParameterError(f"there is a column {output} already; name another with output=")
    place = df.columns.index(column) if column in df.columns else -1
    if place < 0:
        raise ParameterError(f"there is no column {column}; it has {', '.join(df.columns)}")
    sent = df.sparkSession.sparkContext.broadcast(structure)

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            keys = batch.column(place)
            there = keys.is_valid()
            found = answers(sent.value, keys.filter(there) if keys.null_count else keys)
            if keys.null_count:
                found = pyarrow.compute.replace_with_mask(
                    pyarrow.nulls(len(keys), found.type), there, found
                )
            columns = [*batch.columns, found]
            yield pyarrow.RecordBatch.from_arrays(columns, names=[*batch.schema.names, output])

    schema = T.StructType([*df.schema.fields, T.StructField(output, kind)])
    return df.mapInArrow(work, schema)
