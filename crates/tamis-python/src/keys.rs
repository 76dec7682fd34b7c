//! What can be a key in Python, and its hash: the same as that of a line on the command line.
//!
//! A `str` is its UTF-8 bytes, `bytes` (and `bytearray`, `memoryview`) are themselves, and an `int` is its decimal digits, as
//! one would write it in a file of keys: `7`, `"7"` and `b"7"` are one key.

use crate::arrow;
use crate::errors::{Class, error, type_name};
use crate::pool::in_parts;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyList, PyString, PyTuple};
use tamis::hash::KeyHash;

/// The hash of one key.
#[inline]
pub fn hash_of(key: &Bound<'_, PyAny>, hash: &KeyHash) -> PyResult<u64> {
    if let Ok(text) = key.cast::<PyString>() {
        return match text.to_str() {
            Ok(text) => Ok(hash.bytes(text.as_bytes())),
            Err(_) => Err(lone_surrogate("this key")),
        };
    }
    if let Ok(bytes) = key.cast::<PyBytes>() {
        return Ok(hash.bytes(bytes.as_bytes()));
    }
    hash_of_other(key, hash)
}

/// A text that UTF-8 cannot write.
pub fn lone_surrogate(what: &str) -> PyErr {
    error(
        Class::Text,
        format!(
            "{what} has a lone surrogate, which has no UTF-8; pass bytes, or encode it with errors=\"surrogateescape\""
        ),
    )
}

fn hash_of_other(key: &Bound<'_, PyAny>, hash: &KeyHash) -> PyResult<u64> {
    if key.is_instance_of::<PyInt>() {
        return hash_of_int(key, hash);
    }
    if let Ok(bytes) = key.cast::<PyByteArray>() {
        return Ok(hash.bytes(&bytes.to_vec()));
    }
    let is_view = key.get_type().name().is_ok_and(|name| name == "memoryview");
    if is_view && let Ok(buffer) = PyBuffer::<u8>::get(key) {
        return Ok(hash.bytes(&buffer.to_vec(key.py())?));
    }
    // An integer of NumPy, for example.
    if !key.is_none() && key.hasattr("__index__")? {
        return hash_of_int(&key.call_method0("__index__")?, hash);
    }
    Err(error(Class::WrongType, format!("a key is str, bytes or int, got {}", type_name(key))))
}

fn hash_of_int(key: &Bound<'_, PyAny>, hash: &KeyHash) -> PyResult<u64> {
    if let Ok(number) = key.extract::<i64>() {
        return Ok(digits(number < 0, number.unsigned_abs(), hash));
    }
    // A large one; `int` keeps True and False from being written as words.
    let number = key.py().get_type::<PyInt>().call1((key,))?.str()?;
    Ok(hash.bytes(number.to_str()?.as_bytes()))
}

/// The hash of a number's decimal digits.
#[inline]
fn digits(is_negative: bool, mut magnitude: u64, hash: &KeyHash) -> u64 {
    // 64 bits have at most 20 digits; they are written from the last one on.
    let mut room = [0; 21];
    let mut start = room.len();
    loop {
        start -= 1;
        room[start] = b'0' + (magnitude % 10) as u8;
        magnitude /= 10;
        if magnitude == 0 {
            break;
        }
    }
    if is_negative {
        start -= 1;
        room[start] = b'-';
    }
    hash.bytes(&room[start..])
}

/// A number that can be a key.
trait Number: Copy {
    /// Whether it is below zero, and its distance from zero.
    fn parts(self) -> (bool, u64);
}

macro_rules! numbers_as_keys {
    ($($signed:ty),*; $($unsigned:ty),*) => {
        $(impl Number for $signed {
            fn parts(self) -> (bool, u64) {
                (self < 0, i64::from(self).unsigned_abs())
            }
        })*
        $(impl Number for $unsigned {
            fn parts(self) -> (bool, u64) {
                (false, u64::from(self))
            }
        })*
    };
}
numbers_as_keys!(i8, i16, i32, i64; u8, u16, u32, u64);

/// The hashes of many keys: of an iterable, an array of NumPy, or an array or column of Arrow.
pub fn hashes_of(keys: &Bound<'_, PyAny>, hash: &KeyHash) -> PyResult<Vec<u64>> {
    let mut all = Vec::new();
    for_each_batch(keys, hash, |hashes| {
        all.extend_from_slice(hashes);
        Ok(())
    })?;
    Ok(all)
}

/// So many objects of Python are hashed before they are handed on: few enough to stay in the cache.
const BATCH: usize = 1 << 12;

/// Calls `visit` with the hashes of many keys, batch by batch in their order.
pub fn for_each_batch(
    keys: &Bound<'_, PyAny>,
    hash: &KeyHash,
    mut visit: impl FnMut(&[u64]) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(list) = keys.cast::<PyList>() {
        return batches(list.iter().map(|key| hash_of(&key, hash)), visit);
    }
    if let Ok(tuple) = keys.cast::<PyTuple>() {
        return batches(tuple.iter_borrowed().map(|key| hash_of(&key, hash)), visit);
    }
    if keys.is_instance_of::<PyString>() || keys.is_instance_of::<PyBytes>() || keys.is_none() {
        let got = type_name(keys);
        let sentence = format!("many keys are a list, an array or another iterable, got {got}");
        return Err(error(Class::WrongType, sentence));
    }
    if let Some(arrays) = arrow::arrays(keys)? {
        return visit(&keys.py().detach(|| of_arrays(&arrays, hash))?);
    }
    if keys.hasattr("dtype")? && keys.hasattr("ndim")? {
        return for_each_batch(&of_numpy(keys)?, hash, visit);
    }
    let iterator = keys.try_iter().map_err(|_| {
        let got = type_name(keys);
        error(Class::WrongType, format!("many keys are an iterable, got {got}"))
    })?;
    batches(iterator.map(|key| hash_of(&key?, hash)), visit)
}

fn batches(
    hashes: impl Iterator<Item = PyResult<u64>>,
    mut visit: impl FnMut(&[u64]) -> PyResult<()>,
) -> PyResult<()> {
    let mut batch = Vec::with_capacity(BATCH);
    for hash in hashes {
        batch.push(hash?);
        if batch.len() == BATCH {
            visit(&batch)?;
            batch.clear();
        }
    }
    visit(&batch)
}

/// The keys of an array of NumPy: integers where they are, as an array of Arrow; other things as a list.
fn of_numpy<'py>(keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if keys.getattr("ndim")?.extract::<usize>()? != 1 {
        return Err(error(Class::Parameter, "an array of keys has one dimension"));
    }
    let kind: String = keys.getattr("dtype")?.getattr("kind")?.extract()?;
    if kind != "i" && kind != "u" {
        return keys.call_method0("tolist");
    }
    keys.py().import("pyarrow")?.call_method1("array", (keys,))
}

fn of_arrays(arrays: &[ArrayRef], hash: &KeyHash) -> PyResult<Vec<u64>> {
    let mut hashes = Vec::new();
    for array in arrays {
        no_nulls(array, hashes.len())?;
        let start = hashes.len();
        hashes.resize(start + array.len(), 0);
        in_parts(&mut hashes[start..], |place, hashes| {
            of_array(&array.slice(place, hashes.len()), hash, hashes)
        })?;
    }
    Ok(hashes)
}

/// Refuses an array with a null, and says where it is.
pub fn no_nulls(array: &ArrayRef, before: usize) -> PyResult<()> {
    if array.null_count() == 0 {
        return Ok(());
    }
    match (0..array.len()).find(|&row| array.is_null(row)) {
        Some(row) => {
            let row = before + row;
            Err(error(Class::WrongType, format!("row {row} is null; drop nulls first")))
        }
        None => Ok(()),
    }
}

fn of_array(array: &ArrayRef, hash: &KeyHash, hashes: &mut [u64]) -> PyResult<()> {
    macro_rules! bytes {
        ($values:expr) => {
            for (slot, key) in hashes.iter_mut().zip($values.iter().flatten()) {
                *slot = hash.bytes(key.as_ref());
            }
        };
    }
    match array.data_type() {
        DataType::Utf8 => bytes!(array.as_string::<i32>()),
        DataType::LargeUtf8 => bytes!(array.as_string::<i64>()),
        DataType::Utf8View => bytes!(array.as_string_view()),
        DataType::Binary => bytes!(array.as_binary::<i32>()),
        DataType::LargeBinary => bytes!(array.as_binary::<i64>()),
        DataType::BinaryView => bytes!(array.as_binary_view()),
        DataType::Int8 => numbers(array.as_primitive::<Int8Type>(), hash, hashes),
        DataType::Int16 => numbers(array.as_primitive::<Int16Type>(), hash, hashes),
        DataType::Int32 => numbers(array.as_primitive::<Int32Type>(), hash, hashes),
        DataType::Int64 => numbers(array.as_primitive::<Int64Type>(), hash, hashes),
        DataType::UInt8 => numbers(array.as_primitive::<UInt8Type>(), hash, hashes),
        DataType::UInt16 => numbers(array.as_primitive::<UInt16Type>(), hash, hashes),
        DataType::UInt32 => numbers(array.as_primitive::<UInt32Type>(), hash, hashes),
        DataType::UInt64 => numbers(array.as_primitive::<UInt64Type>(), hash, hashes),
        DataType::Struct(_) => {
            let sentence = "a table has many columns; pass the one with the keys";
            return Err(error(Class::WrongType, sentence));
        }
        other => {
            let sentence =
                format!("an Arrow array of keys holds strings, binary or integers, not {other}");
            return Err(error(Class::WrongType, sentence));
        }
    }
    Ok(())
}

fn numbers<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, hash: &KeyHash, hashes: &mut [u64])
where
    T::Native: Number,
{
    for (slot, number) in hashes.iter_mut().zip(array.values()) {
        let (is_negative, magnitude) = number.parts();
        *slot = digits(is_negative, magnitude, hash);
    }
}
