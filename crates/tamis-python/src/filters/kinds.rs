//! A class for each structure, with what only it can do.

use super::{Filter, MutableFilter, key_hash, object_of};
use crate::errors::{Class, Raised, error};
use crate::keys;
use pyo3::prelude::*;
use tamis::filter::{AnyFilter, BlockedBloomFilter, Layout, StaticFilterBuilder};

/// A set that forgets its members but never denies one.
///
/// Made for `items` keys, of which others are found with probability `rate` (0.01). The layout `"blocked"` is
/// the fastest, `"classic"` the smallest, and taken for rates that the first cannot have, unless one is asked for. Filters merge
/// (`|`, `&`) if they were made with the same arguments. `capacity` and `error_rate` (0.001) are the names that pybloom gives them.
///
/// >>> import tamis
/// >>> seen = tamis.BloomFilter(items=1000, rate=0.001)
/// >>> seen.update(["anne@example.org", b"joao@example.org", 42])
/// >>> "joao@example.org" in seen, 42 in seen, "eva@example.org" in seen
/// (True, True, False)
/// >>> other = tamis.BloomFilter(items=1000, rate=0.001)
/// >>> other.add("eva@example.org")
/// True
/// >>> "eva@example.org" in (seen | other)
/// True
/// >>> len(seen), round(seen.approx_items), seen == seen.copy()
/// (3, 3, True)
/// >>> seen | tamis.BloomFilter(items=1000, rate=0.001, seed=7)
/// Traceback (most recent call last):
/// tamis.MismatchError: these two do not match: the seed is 0 here and 7 there; build both with the same options
#[pyclass(frozen, extends = MutableFilter, module = "tamis")]
pub struct BloomFilter;

#[pymethods]
impl BloomFilter {
    #[new]
    #[pyo3(signature = (items=None, rate=None, *, layout=None, hash="xxh3", seed=0, capacity=None, error_rate=None))]
    fn new(
        items: Option<u64>,
        rate: Option<f64>,
        layout: Option<&str>,
        hash: &str,
        seed: u64,
        capacity: Option<u64>,
        error_rate: Option<f64>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let rate =
            one_of(("rate", rate), ("error_rate", error_rate), Some(default_rate(capacity)))?;
        let items = one_of(("items", items), ("capacity", capacity), None)?;
        let hash = key_hash(hash, seed)?;
        let blocked = || {
            BlockedBloomFilter::with_false_positive_rate(items, rate)
                .map(|filter| AnyFilter::Blocked(filter.with_hash(hash)))
        };
        let classic = || {
            tamis::filter::BloomFilter::with_false_positive_rate(items, rate)
                .map(|filter| AnyFilter::Classic(filter.with_hash(hash)))
        };
        let filter = match layout.map(parse_layout).transpose()? {
            Some(Layout::Blocked) => blocked(),
            Some(Layout::Classic) => classic(),
            // The sentence of the first says more if neither can have the rate.
            None => blocked().or_else(|refusal| classic().map_err(|_| refusal)),
        };
        let base = PyClassInitializer::from(Filter::new(filter.raised()?));
        Ok(base.add_subclass(MutableFilter).add_subclass(Self))
    }

    /// Whether the other filter has everything that this one has; the same as `<=`.
    ///
    /// >>> import tamis
    /// >>> some, more = tamis.BloomFilter(items=1000), tamis.BloomFilter(items=1000)
    /// >>> some.update(["leek"]); more.update(["leek", "turnip"])
    /// >>> some.issubset(more), some < more, more <= some
    /// (True, True, False)
    fn issubset(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        filter_of(slf).with_other(slf.py(), filter_of(other), AnyFilter::is_subset)
    }

    /// Whether this filter has everything that the other one has; the same as `>=`.
    fn issuperset(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        filter_of(other).with_other(slf.py(), filter_of(slf), AnyFilter::is_subset)
    }
}

fn filter_of<'a>(object: &'a Bound<'_, BloomFilter>) -> &'a Filter {
    object.as_super().as_super().get()
}

/// The rate that is meant when none is given: that of pybloom with pybloom's names.
const fn default_rate(capacity: Option<u64>) -> f64 {
    if capacity.is_some() { 0.001 } else { 0.01 }
}

/// An argument that has two names.
fn one_of<T>(
    (name, value): (&str, Option<T>),
    (other_name, other): (&str, Option<T>),
    default: Option<T>,
) -> PyResult<T> {
    match (value, other) {
        (Some(_), Some(_)) => {
            let sentence = format!("{name} and {other_name} are the same; give one of them");
            Err(error(Class::Parameter, sentence))
        }
        (Some(value), None) | (None, Some(value)) => Ok(value),
        (None, None) => default
            .ok_or_else(|| error(Class::Parameter, format!("say for how many keys: {name}=..."))),
    }
}

/// A filter for a number of keys that is not known beforehand: it adds a layer when one is full.
///
/// `items` is the size of the first layer; the `rate` holds however far it grows.
///
/// >>> import tamis
/// >>> seen = tamis.GrowingFilter(items=100, rate=0.01)
/// >>> seen.update(range(10_000))
/// >>> 9_999 in seen, seen.layers > 1
/// (True, True)
#[pyclass(frozen, extends = MutableFilter, module = "tamis")]
pub struct GrowingFilter;

#[pymethods]
impl GrowingFilter {
    #[new]
    #[pyo3(signature = (items=None, rate=None, *, layout="blocked", hash="xxh3", seed=0, initial_capacity=None, error_rate=None, mode=2))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        items: Option<u64>,
        rate: Option<f64>,
        layout: &str,
        hash: &str,
        seed: u64,
        initial_capacity: Option<u64>,
        error_rate: Option<f64>,
        mode: u32,
    ) -> PyResult<PyClassInitializer<Self>> {
        use tamis::filter::GrowingFilter as Growing;
        if mode != Self::SMALL_SET_GROWTH {
            let sentence =
                format!("each layer has twice the keys of the one before, not {mode} times");
            return Err(error(Class::Unsupported, sentence));
        }
        let names = (("items", items), ("initial_capacity", initial_capacity));
        let default = default_rate(initial_capacity);
        let items = one_of(names.0, names.1, Some(10_000))?;
        let rate = one_of(("rate", rate), ("error_rate", error_rate), Some(default))?;
        let hash = key_hash(hash, seed)?;
        let filter = match parse_layout(layout)? {
            Layout::Blocked => Growing::placed(items, rate)
                .map(|filter| AnyFilter::GrowingBlocked(filter.with_hash(hash))),
            Layout::Classic => Growing::placed(items, rate)
                .map(|filter| AnyFilter::GrowingClassic(filter.with_hash(hash))),
        };
        let base = PyClassInitializer::from(Filter::new(filter.raised()?));
        Ok(base.add_subclass(MutableFilter).add_subclass(Self))
    }

    /// How much larger each layer is, by the name that pybloom gives it.
    #[classattr]
    const SMALL_SET_GROWTH: u32 = 2;

    /// How much larger each layer is.
    #[getter]
    const fn scale(&self) -> u32 {
        Self::SMALL_SET_GROWTH
    }

    /// For how many keys the first layer was made.
    #[getter]
    fn initial_capacity(slf: &Bound<'_, Self>) -> u64 {
        slf.as_super().as_super().get().read().design().items
    }

    /// For how many keys all layers were made.
    #[getter]
    fn capacity(slf: &Bound<'_, Self>) -> u64 {
        match &*slf.as_super().as_super().get().read() {
            AnyFilter::GrowingBlocked(filter) => sizes(filter.layers()),
            AnyFilter::GrowingClassic(filter) => sizes(filter.layers()),
            _ => 0,
        }
    }

    /// A copy of each layer, the smallest first.
    #[getter]
    fn filters(slf: &Bound<'_, Self>) -> PyResult<Vec<Py<PyAny>>> {
        let copies: tamis::Result<Vec<AnyFilter>> = match &*slf.as_super().as_super().get().read() {
            AnyFilter::GrowingBlocked(filter) => {
                filter.layers().iter().map(|l| l.to_owned().map(AnyFilter::Blocked)).collect()
            }
            AnyFilter::GrowingClassic(filter) => {
                filter.layers().iter().map(|l| l.to_owned().map(AnyFilter::Classic)).collect()
            }
            _ => Ok(Vec::new()),
        };
        copies.raised()?.into_iter().map(|layer| object_of(slf.py(), layer)).collect()
    }

    /// How many layers it has.
    #[getter]
    fn layers(slf: &Bound<'_, Self>) -> usize {
        match &*slf.as_super().as_super().get().read() {
            AnyFilter::GrowingBlocked(filter) => filter.layers().len(),
            AnyFilter::GrowingClassic(filter) => filter.layers().len(),
            _ => 0,
        }
    }
}

fn sizes<L: tamis::filter::BitLayout>(layers: &[tamis::filter::Bloom<L>]) -> u64 {
    layers.iter().map(|layer| layer.design().items).sum()
}

/// A filter of several generations, of which `rotate` forgets the oldest: "seen in the last 30 days".
///
/// `items` and `rate` are those of one generation and of the whole.
///
/// >>> import tamis
/// >>> month = tamis.RotatingFilter(generations=30, items=1000)
/// >>> month.add("leek")
/// True
/// >>> month.rotate()
/// >>> "leek" in month, month.age("leek"), month.age("turnip")
/// (True, 1, None)
/// >>> for day in range(30): month.rotate()
/// >>> "leek" in month
/// False
#[pyclass(frozen, extends = MutableFilter, module = "tamis")]
pub struct RotatingFilter;

#[pymethods]
impl RotatingFilter {
    #[new]
    #[pyo3(signature = (generations, items, rate=0.01, *, hash="xxh3", seed=0))]
    fn new(
        generations: u32,
        items: u64,
        rate: f64,
        hash: &str,
        seed: u64,
    ) -> PyResult<PyClassInitializer<Self>> {
        use tamis::filter::RotatingFilter as Rotating;
        let filter = Rotating::with_false_positive_rate(generations, items, rate).raised()?;
        let filter = AnyFilter::Rotating(filter.with_hash(key_hash(hash, seed)?));
        let base = PyClassInitializer::from(Filter::new(filter));
        Ok(base.add_subclass(MutableFilter).add_subclass(Self))
    }

    /// Forgets the oldest generation and starts a new one.
    fn rotate(slf: &Bound<'_, Self>) {
        if let AnyFilter::Rotating(filter) = &mut *slf.as_super().as_super().get().write() {
            filter.rotate();
        }
    }

    /// In which generation a key was last added, 0 for the newest; `None` if it is not in.
    fn age(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let filter = slf.as_super().as_super().get();
        let hash = filter.asked_hash_of(key)?;
        Ok(match &*filter.read() {
            AnyFilter::Rotating(filter) => filter.age_hash(hash),
            _ => None,
        })
    }

    /// How many generations it has.
    #[getter]
    fn generations(slf: &Bound<'_, Self>) -> u32 {
        match &*slf.as_super().as_super().get().read() {
            AnyFilter::Rotating(filter) => filter.generations(),
            _ => 0,
        }
    }
}

/// A filter that is built once from all its keys, in the least memory of all: nothing can be added.
///
/// >>> import tamis
/// >>> known = tamis.StaticFilter(["leek", "turnip"], rate=0.001)
/// >>> "leek" in known, "carrot" in known, len(known)
/// (True, False, 2)
#[pyclass(frozen, extends = Filter, module = "tamis")]
pub struct StaticFilter;

#[pymethods]
impl StaticFilter {
    #[new]
    #[pyo3(signature = (keys, rate=0.01, *, hash="xxh3", seed=0))]
    fn new(
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        rate: f64,
        hash: &str,
        seed: u64,
    ) -> PyResult<PyClassInitializer<Self>> {
        let hash = key_hash(hash, seed)?;
        let mut builder = StaticFilterBuilder::new(rate).raised()?.with_hash(hash);
        let (hashes, kinds) = keys::hashes_of(keys, &hash)?;
        builder.record_keys(kinds);
        let filter = py.detach(|| {
            hashes.iter().for_each(|&hash| builder.insert_hash(hash));
            builder.build()
        });
        let filter = Filter::new(AnyFilter::Static(filter.raised()?));
        Ok(PyClassInitializer::from(filter).add_subclass(Self))
    }

    /// The mean length of a fingerprint, in bits.
    #[getter]
    fn fingerprint_bits(slf: &Bound<'_, Self>) -> f64 {
        match &*slf.as_super().get().read() {
            AnyFilter::Static(filter) => filter.fingerprint_bits(),
            _ => 0.0,
        }
    }
}

/// The layout of this name.
pub fn parse_layout(layout: &str) -> PyResult<Layout> {
    match layout {
        "blocked" => Ok(Layout::Blocked),
        "classic" => Ok(Layout::Classic),
        other => {
            let sentence = format!("the layout is \"blocked\" or \"classic\", got {other:?}");
            Err(error(Class::Parameter, sentence))
        }
    }
}
