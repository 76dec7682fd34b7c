//! Many keys: of an iterable, an array of NumPy, or an array or column of Arrow.

use super::arrays::{answer_arrays, kinds_of};
use super::{Hashed, borrowed, hash_of};
use crate::arrow;
use crate::errors::{Class, error, type_name};
use crate::numpy;
use arrow_array::{ArrayRef, Int64Array, UInt64Array};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PyString, PyTuple};
use std::sync::Arc;
use tamis::hash::{KeyHash, KeyKinds};

/// So many keys are hashed before they are asked for: few enough for their hashes to stay in the cache.
pub const BATCH: usize = 1 << 12;

/// Where many keys are.
enum Keys<'py> {
    List(Bound<'py, PyList>),
    Tuple(Bound<'py, PyTuple>),
    Iterator(Bound<'py, PyIterator>),
    Arrays(Vec<ArrayRef>),
}

impl<'py> Keys<'py> {
    fn of(keys: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(list) = keys.cast::<PyList>() {
            return Ok(Self::List(list.clone()));
        }
        if let Ok(tuple) = keys.cast::<PyTuple>() {
            return Ok(Self::Tuple(tuple.clone()));
        }
        if keys.is_instance_of::<PyString>() || keys.is_instance_of::<PyBytes>() || keys.is_none() {
            let got = type_name(keys);
            let sentence = format!("many keys are a list, an array or another iterable, got {got}");
            return Err(error(Class::WrongType, sentence));
        }
        if let Some(arrays) = arrow::arrays(keys)? {
            return Ok(Self::Arrays(arrays));
        }
        if keys.hasattr("dtype")? && keys.hasattr("ndim")? {
            return of_numpy(keys);
        }
        let iterator = keys.try_iter().map_err(|_| {
            let got = type_name(keys);
            error(Class::WrongType, format!("many keys are an iterable, got {got}"))
        })?;
        Ok(Self::Iterator(iterator))
    }
}

/// The keys of an array of NumPy: integers as an array of Arrow; other things as a list.
fn of_numpy<'py>(keys: &Bound<'py, PyAny>) -> PyResult<Keys<'py>> {
    if keys.getattr("ndim")?.extract::<usize>()? != 1 {
        return Err(error(Class::Parameter, "an array of keys has one dimension"));
    }
    let kind: String = keys.getattr("dtype")?.getattr("kind")?.extract()?;
    // Wider than they are, and with the bytes of this machine.
    let array: ArrayRef = match kind.as_str() {
        "i" => {
            let wide = keys.call_method1("astype", ("int64",))?;
            Arc::new(Int64Array::from(numpy::values::<i64>(&wide)?))
        }
        "u" => {
            let wide = keys.call_method1("astype", ("uint64",))?;
            Arc::new(UInt64Array::from(numpy::values::<u64>(&wide)?))
        }
        _ => return Keys::of(&keys.call_method0("tolist")?),
    };
    Ok(Keys::Arrays(vec![array]))
}

/// The hashes of many keys, and which kinds of keys they are.
pub fn hashes_of(keys: &Bound<'_, PyAny>, hash: &KeyHash) -> PyResult<(Vec<u64>, KeyKinds)> {
    let mut all = KeyKinds::NONE;
    let visit = |hashes: &[u64], kinds: KeyKinds, gathered: &mut Vec<u64>| {
        gathered.extend_from_slice(hashes);
        all = all.with(kinds);
        Ok(())
    };
    let hashes = match Keys::of(keys)? {
        Keys::Arrays(arrays) => {
            all = arrays.iter().fold(all, |all, array| all.with(kinds_of(array)));
            keys.py().detach(|| {
                answer_arrays(&arrays, hash, 0, |hashes, _, answers| {
                    answers.copy_from_slice(hashes);
                    Ok(())
                })
            })?
        }
        objects => for_each_batch(objects, hash, visit)?,
    };
    Ok((hashes, all))
}

/// What `ask` answers to the hashes of many keys and their kinds, in their order. It is called batch by batch without the interpreter, and for arrays by
/// all threads.
pub fn answers<T: Copy + Send + Sync>(
    keys: &Bound<'_, PyAny>,
    hash: &KeyHash,
    nothing: T,
    ask: impl Fn(&[u64], KeyKinds, &mut [T]) -> PyResult<()> + Sync,
) -> PyResult<Vec<T>> {
    let py = keys.py();
    let visit = |hashes: &[u64], kinds: KeyKinds, all: &mut Vec<T>| {
        let start = all.len();
        all.resize(start + hashes.len(), nothing);
        py.detach(|| ask(hashes, kinds, &mut all[start..]))
    };
    match Keys::of(keys)? {
        Keys::Arrays(arrays) => py.detach(|| answer_arrays(&arrays, hash, nothing, &ask)),
        objects => for_each_batch(objects, hash, visit),
    }
}

/// Calls `visit` with the hashes of objects, batch by batch in their order, and returns what it has gathered.
fn for_each_batch<T>(
    keys: Keys<'_>,
    hash: &KeyHash,
    mut visit: impl FnMut(&[u64], KeyKinds, &mut Vec<T>) -> PyResult<()>,
) -> PyResult<Vec<T>> {
    match keys {
        Keys::List(list) => {
            let mut gathered = Vec::with_capacity(list.len());
            let mut batch = Vec::with_capacity(BATCH.min(list.len()));
            let mut place = 0;
            loop {
                let kinds = hash_some(&list, place, hash, &mut batch)?;
                if batch.is_empty() {
                    return Ok(gathered);
                }
                place += batch.len();
                visit(&batch, kinds, &mut gathered)?;
                batch.clear();
            }
        }
        Keys::Tuple(tuple) => {
            batches(tuple.len(), tuple.iter_borrowed().map(|key| hash_of(&key, hash)), visit)
        }
        Keys::Iterator(iterator) => batches(0, iterator.map(|key| hash_of(&key?, hash)), visit),
        Keys::Arrays(_) => Ok(Vec::new()),
    }
}

/// The hashes of the keys of a list from `start` on, a batch at most. A list may change its length while it is read.
fn hash_some(
    list: &Bound<'_, PyList>,
    start: usize,
    hash: &KeyHash,
    batch: &mut Vec<u64>,
) -> PyResult<KeyKinds> {
    let mut kinds = KeyKinds::NONE;
    while batch.len() < BATCH {
        let (from, most) = (start + batch.len(), BATCH - batch.len());
        kinds = kinds.with(borrowed::hash_list(list, from, most, hash, batch));
        // Where one key is of another kind, others may be, too.
        for _ in 0..borrowed::AHEAD.min(BATCH - batch.len()) {
            let Ok(key) = list.get_item(start + batch.len()) else { return Ok(kinds) };
            let (hash, kind) = hash_of(&key, hash)?;
            batch.push(hash);
            kinds = kinds.with(kind);
        }
    }
    Ok(kinds)
}

fn batches<T>(
    length: usize,
    hashes: impl Iterator<Item = PyResult<Hashed>>,
    mut visit: impl FnMut(&[u64], KeyKinds, &mut Vec<T>) -> PyResult<()>,
) -> PyResult<Vec<T>> {
    let mut gathered = Vec::with_capacity(length);
    let mut batch = Vec::with_capacity(BATCH);
    let mut kinds = KeyKinds::NONE;
    for hashed in hashes {
        let (hash, kind) = hashed?;
        batch.push(hash);
        kinds = kinds.with(kind);
        if batch.len() == BATCH {
            visit(&batch, kinds, &mut gathered)?;
            batch.clear();
            kinds = KeyKinds::NONE;
        }
    }
    visit(&batch, kinds, &mut gathered)?;
    Ok(gathered)
}
