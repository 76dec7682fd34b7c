//! What every filter has that keys can be added to.

use super::{Filter, object_of};
use crate::errors::Raised;
use pyo3::prelude::*;
use tamis::filter::{AnyFilter, Insert};

/// A filter that keys can be added to, and that merges with others of its kind and size.
#[pyclass(frozen, subclass, extends = Filter, module = "tamis")]
pub struct MutableFilter;

#[pymethods]
impl MutableFilter {
    /// Adds a key.
    ///
    /// >>> import tamis
    /// >>> seen = tamis.BloomFilter(items=1000, rate=0.001)
    /// >>> seen.add("leek")
    /// >>> "leek" in seen, "turnip" in seen
    /// (True, False)
    fn add(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let filter = slf.as_super().get();
        let hash = filter.hash_of(key)?;
        let done = filter.write().as_insert().map(|filter| filter.insert_hash(hash));
        done.raised()
    }

    /// Adds many keys: of a list or another iterable, an array of NumPy, or an array or column of Arrow.
    ///
    /// >>> import tamis
    /// >>> seen = tamis.BloomFilter(items=1000)
    /// >>> seen.update(range(1000))
    /// >>> 999 in seen, "999" in seen, len(seen)
    /// (True, True, 1000)
    fn update(slf: &Bound<'_, Self>, keys: &Bound<'_, PyAny>) -> PyResult<()> {
        let filter = slf.as_super().get();
        let hashes = filter.hashes_of(keys)?;
        let done = slf.py().detach(|| {
            filter.write().as_insert()?.insert_many_hashes(&hashes);
            Ok::<(), tamis::Error>(())
        });
        done.raised()
    }

    /// Forgets everything.
    fn clear(slf: &Bound<'_, Self>) -> PyResult<()> {
        let done = slf.as_super().get().write().as_insert().map(Insert::clear);
        done.raised()
    }

    fn __or__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        joined(slf, other, AnyFilter::union)
    }

    fn __and__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        joined(slf, other, AnyFilter::intersection)
    }

    fn __ior__(slf: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<()> {
        join(slf, other, AnyFilter::union)
    }

    fn __iand__(slf: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<()> {
        join(slf, other, AnyFilter::intersection)
    }
}

type Operation = fn(&mut AnyFilter, &AnyFilter) -> tamis::Result<()>;

fn joined(
    left: &Bound<'_, MutableFilter>,
    right: &Bound<'_, PyAny>,
    operation: Operation,
) -> PyResult<Py<PyAny>> {
    let py = left.py();
    let Ok(right) = right.cast::<Filter>() else { return Ok(py.NotImplemented()) };
    let (left, right) = (left.as_super().get(), right.get());
    let result = py.detach(|| {
        let mut result = left.read().to_owned()?;
        operation(&mut result, &right.read())?;
        Ok::<AnyFilter, tamis::Error>(result)
    });
    object_of(py, result.raised()?)
}

fn join(
    left: &Bound<'_, MutableFilter>,
    right: &Bound<'_, Filter>,
    operation: Operation,
) -> PyResult<()> {
    let py = left.py();
    let (left, right) = (left.as_super().get(), right.get());
    let done = py.detach(|| {
        // A copy, because both may be one.
        let right = right.read().to_owned()?;
        operation(&mut left.write(), &right)
    });
    done.raised()
}
