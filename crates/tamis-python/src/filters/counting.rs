//! The counting filter.

use super::kinds::parse_layout;
use super::{Filter, MutableFilter, key_hash};
use crate::errors::{Class, Raised, error};
use crate::numpy;
use pyo3::prelude::*;
use tamis::filter::{AnyFilter, CounterWidth, Removal};

/// A filter that knows how often a key was added, and can take it back.
///
/// `bits` is the width of its counters: 4 (up to 15) or 8 (up to 255).
///
/// >>> import tamis
/// >>> basket = tamis.CountingFilter(items=1000)
/// >>> basket.update(["leek", "leek", "turnip"])
/// >>> basket.count("leek"), basket.count("carrot")
/// (2, 0)
/// >>> basket.remove("leek"), basket.remove("carrot")
/// (True, False)
/// >>> basket.count("leek")
/// 1
#[pyclass(frozen, extends = MutableFilter, module = "tamis")]
pub struct CountingFilter;

#[pymethods]
impl CountingFilter {
    #[new]
    #[pyo3(signature = (items, rate=0.01, *, bits=4, layout="blocked", hash="xxh3", seed=0))]
    fn new(
        items: u64,
        rate: f64,
        bits: u32,
        layout: &str,
        hash: &str,
        seed: u64,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (width, layout) = (width(bits)?, parse_layout(layout)?);
        let filter = tamis::filter::CountingFilter::placed(layout, width, items, rate).raised()?;
        let filter = AnyFilter::Counting(filter.with_hash(key_hash(hash, seed)?));
        let base = PyClassInitializer::from(Filter::new(filter)).add_subclass(MutableFilter);
        Ok(base.add_subclass(Self))
    }

    /// How often a key was added, at most: 0 if it is not in.
    fn count(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<u32> {
        let filter = filter_of(slf);
        let hash = filter.asked_hash_of(key)?;
        asked(filter, |counting| counting.count_hash(hash))
    }

    /// How often each of these keys was added, as an array.
    ///
    /// >>> import tamis
    /// >>> basket = tamis.CountingFilter(items=1000)
    /// >>> basket.update(["leek", "leek", "turnip"])
    /// >>> basket.count_many(["leek", "turnip", "carrot"]).tolist()
    /// [2, 1, 0]
    fn count_many<'py>(
        slf: &Bound<'py, Self>,
        keys: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let filter = filter_of(slf);
        let counts = filter.answers(keys, 0u32, |hashes, counts| {
            asked(filter, |counting| counting.count_many_hashes(hashes, counts))
        })?;
        numpy::array(slf.py(), &counts)
    }

    /// Takes a key back that was added: `True` if it was in, `False` if it was not and nothing has changed.
    ///
    /// A counter that has reached its maximum no longer knows its true value; a key of such counters cannot be
    /// taken back, and `UnsupportedError` says so.
    fn remove(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let filter = filter_of(slf);
        let hash = filter.asked_hash_of(key)?;
        match changed(filter, |counting| counting.remove_hash(hash))? {
            Removal::Removed => Ok(true),
            Removal::Absent => Ok(false),
            Removal::Saturated => Err(error(
                Class::Unsupported,
                "this key was added too often to be counted, and cannot be taken back; wider counters (bits=8) count further",
            )),
        }
    }

    /// Takes many keys back; tells how many were removed, how many were not in, and how many were in too often to count.
    ///
    /// >>> import tamis
    /// >>> basket = tamis.CountingFilter(items=1000)
    /// >>> basket.update(["leek", "turnip"])
    /// >>> basket.remove_many(["leek", "carrot"])
    /// (1, 1, 0)
    fn remove_many(
        slf: &Bound<'_, Self>,
        keys: &Bound<'_, PyAny>,
    ) -> PyResult<(usize, usize, usize)> {
        let filter = filter_of(slf);
        let hashes = filter.asked_hashes_of(keys)?;
        slf.py().detach(|| {
            let (mut removed, mut absent, mut saturated) = (0, 0, 0);
            changed(filter, |counting| {
                for hash in hashes {
                    match counting.remove_hash(hash) {
                        Removal::Removed => removed += 1,
                        Removal::Absent => absent += 1,
                        Removal::Saturated => saturated += 1,
                    }
                }
            })?;
            Ok((removed, absent, saturated))
        })
    }

    /// The highest count that its counters can tell.
    #[getter]
    fn max_count(slf: &Bound<'_, Self>) -> PyResult<u32> {
        asked(filter_of(slf), tamis::filter::CountingFilter::max_count)
    }
}

/// Counters of this width.
pub fn width(bits: u32) -> PyResult<CounterWidth> {
    match bits {
        4 => Ok(CounterWidth::Four),
        8 => Ok(CounterWidth::Eight),
        _ => Err(error(Class::Parameter, format!("counters have 4 or 8 bits, got {bits}"))),
    }
}

fn filter_of<'a>(object: &'a Bound<'_, CountingFilter>) -> &'a Filter {
    object.as_super().as_super().get()
}

fn asked<T>(filter: &Filter, ask: impl FnOnce(&tamis::filter::CountingFilter) -> T) -> PyResult<T> {
    let answer = match &*filter.read() {
        AnyFilter::Counting(counting) => Some(ask(counting)),
        _ => None,
    };
    answer.ok_or_else(another)
}

fn changed<T>(
    filter: &Filter,
    change: impl FnOnce(&mut tamis::filter::CountingFilter) -> T,
) -> PyResult<T> {
    let answer = match &mut *filter.write() {
        AnyFilter::Counting(counting) => Some(change(counting)),
        _ => None,
    };
    answer.ok_or_else(another)
}

fn another() -> PyErr {
    error(Class::WrongType, "this is no counting filter")
}
