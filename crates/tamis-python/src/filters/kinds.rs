//! A class for each structure, with what only it can do.

use super::{Filter, MutableFilter, key_hash};
use crate::errors::{Class, Raised, error};
use crate::keys;
use pyo3::prelude::*;
use tamis::filter::Layout;
use tamis::filter::{AnyFilter, BlockedBloomFilter, StaticFilterBuilder};

/// A set that forgets its members but never denies one.
///
/// Made for `items` keys, of which others are found with probability `rate`. The layout `"blocked"` is
/// the fastest, `"classic"` the smallest. Filters merge (`|`, `&`) if they were made with the same arguments.
///
/// >>> import tamis
/// >>> seen = tamis.BloomFilter(items=1000, rate=0.001)
/// >>> seen.update(["anne@example.org", b"joao@example.org", 42])
/// >>> "joao@example.org" in seen, "42" in seen, "eva@example.org" in seen
/// (True, True, False)
/// >>> other = tamis.BloomFilter(items=1000, rate=0.001)
/// >>> other.add("eva@example.org")
/// >>> "eva@example.org" in (seen | other)
/// True
/// >>> seen | tamis.BloomFilter(items=1000, rate=0.001, seed=7)
/// Traceback (most recent call last):
/// tamis.MismatchError: these two do not match: the seed is 0 here and 7 there; build both with the same options
#[pyclass(frozen, extends = MutableFilter, module = "tamis")]
pub struct BloomFilter;

#[pymethods]
impl BloomFilter {
    #[new]
    #[pyo3(signature = (items, rate=0.01, *, layout="blocked", hash="xxh3", seed=0))]
    fn new(
        items: u64,
        rate: f64,
        layout: &str,
        hash: &str,
        seed: u64,
    ) -> PyResult<PyClassInitializer<Self>> {
        let hash = key_hash(hash, seed)?;
        let filter = match parse_layout(layout)? {
            Layout::Blocked => BlockedBloomFilter::with_false_positive_rate(items, rate)
                .map(|filter| AnyFilter::Blocked(filter.with_hash(hash))),
            Layout::Classic => tamis::filter::BloomFilter::with_false_positive_rate(items, rate)
                .map(|filter| AnyFilter::Classic(filter.with_hash(hash))),
        };
        let base = PyClassInitializer::from(Filter::new(filter.raised()?));
        Ok(base.add_subclass(MutableFilter).add_subclass(Self))
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
    #[pyo3(signature = (items=10_000, rate=0.01, *, layout="blocked", hash="xxh3", seed=0))]
    fn new(
        items: u64,
        rate: f64,
        layout: &str,
        hash: &str,
        seed: u64,
    ) -> PyResult<PyClassInitializer<Self>> {
        use tamis::filter::GrowingFilter as Growing;
        let hash = key_hash(hash, seed)?;
        let filter = match parse_layout(layout)? {
            Layout::Blocked => Growing::with_false_positive_rate(items, rate)
                .map(|filter| AnyFilter::GrowingBlocked(filter.with_hash(hash))),
            Layout::Classic => Growing::with_false_positive_rate(items, rate)
                .map(|filter| AnyFilter::GrowingClassic(filter.with_hash(hash))),
        };
        let base = PyClassInitializer::from(Filter::new(filter.raised()?));
        Ok(base.add_subclass(MutableFilter).add_subclass(Self))
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

/// A filter of several generations, of which `rotate` forgets the oldest: "seen in the last 30 days".
///
/// `items` and `rate` are those of one generation and of the whole.
///
/// >>> import tamis
/// >>> month = tamis.RotatingFilter(generations=30, items=1000)
/// >>> month.add("leek")
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
        let hash = filter.hash_of(key)?;
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
        let hashes = keys::hashes_of(keys, &hash)?;
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
