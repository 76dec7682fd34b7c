//! What every filter has that keys can be added to.

use super::{Filter, object_of};
use crate::errors::{Class, Raised, error};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tamis::filter::{AnyFilter, Insert};

/// A filter that keys can be added to, and that merges with others of its kind and size.
#[pyclass(frozen, subclass, extends = Filter, module = "tamis")]
pub struct MutableFilter;

#[pymethods]
impl MutableFilter {
    /// Adds a key and returns whether it was new: `False` if it was probably in already.
    ///
    /// >>> import tamis
    /// >>> seen = tamis.BloomFilter(items=1000, rate=0.001)
    /// >>> seen.add("leek"), seen.add("leek")
    /// (True, False)
    /// >>> "leek" in seen, "turnip" in seen
    /// (True, False)
    fn add(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let filter = slf.as_super().get();
        let (hash, kinds) = filter.hash_of(key)?;
        // An exception is made after the lock is let go.
        let done = filter.write().as_insert().map(|filter| {
            filter.record_keys(kinds);
            filter.insert_hash(hash)
        });
        done.raised()
    }

    /// Adds many keys: of a list or another iterable, an array of NumPy, an array or column of Arrow, or all that another
    /// filter has. Several of them may be given.
    ///
    /// >>> import tamis
    /// >>> seen = tamis.BloomFilter(items=1000)
    /// >>> seen.update(range(500), ["leek"])
    /// >>> 499 in seen, "leek" in seen, len(seen)
    /// (True, True, 501)
    #[pyo3(signature = (*keys))]
    fn update(slf: &Bound<'_, Self>, keys: &Bound<'_, PyTuple>) -> PyResult<()> {
        let filter = slf.as_super().get();
        for keys in keys.iter() {
            if let Ok(other) = keys.cast::<Filter>() {
                join(slf, other, AnyFilter::union)?;
                continue;
            }
            let (hashes, kinds) = filter.hashes_of(&keys)?;
            let done = slf.py().detach(|| {
                let mut locked = filter.write();
                let insert = locked.as_insert()?;
                insert.record_keys(kinds);
                insert.insert_many_hashes(&hashes);
                Ok::<(), tamis::Error>(())
            });
            done.raised()?;
        }
        Ok(())
    }

    /// A filter with everything that this one and the others have; what is no filter is taken as keys.
    ///
    /// >>> import tamis
    /// >>> seen = tamis.BloomFilter(items=1000)
    /// >>> "leek" in seen.union(["leek"]), "leek" in seen
    /// (True, False)
    #[pyo3(signature = (*others))]
    fn union(slf: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        let union = slf.as_super().get().copy(slf.py())?;
        let done = Self::update(union.bind(slf.py()).cast::<Self>()?, others);
        done.map_err(|refusal| explained(slf.py(), refusal, "a union needs the same"))?;
        Ok(union)
    }

    /// A filter with what this one and all the others have; what is no filter is taken as keys.
    #[pyo3(signature = (*others))]
    fn intersection(slf: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        let common = slf.as_super().get().copy(slf.py())?;
        let done = Self::intersection_update(common.bind(slf.py()).cast::<Self>()?, others);
        done.map_err(|refusal| explained(slf.py(), refusal, "an intersection needs equal"))?;
        Ok(common)
    }

    /// Keeps what all the others have, too.
    #[pyo3(signature = (*others))]
    fn intersection_update(slf: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<()> {
        for other in others.iter() {
            if let Ok(other) = other.cast::<Filter>() {
                join(slf, other, AnyFilter::intersection)?;
                continue;
            }
            let keys = slf.as_super().get().copy(slf.py())?;
            let keys = keys.bind(slf.py()).cast::<Self>()?;
            Self::clear(keys)?;
            Self::update(keys, &PyTuple::new(slf.py(), [other])?)?;
            join(slf, keys.as_super(), AnyFilter::intersection)?;
        }
        Ok(())
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

/// A mismatch in the words of those who made the filters.
fn explained(py: Python<'_>, refusal: PyErr, needs: &str) -> PyErr {
    let sentence = refusal.value(py).to_string();
    if !sentence.starts_with("these two do not match") {
        return refusal;
    }
    error(Class::Mismatch, format!("{sentence}: {needs} capacity and error rate, hash and seed"))
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
