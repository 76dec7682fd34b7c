//! What can be a key in Python, and its hash: the same as that of a line on the command line.
//!
//! A `str` is its UTF-8 bytes, `bytes` (and `bytearray`, `memoryview`) are themselves, and an `int` is its decimal digits, as
//! one would write it in a file of keys: `7`, `"7"` and `b"7"` are one key.

mod arrays;
mod borrowed;
mod digits;
mod many;

pub use arrays::no_nulls;
pub use many::{answers, hashes_of};

use crate::errors::{Class, error, type_name};
use digits::hash_of_number;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyString};
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
    if is_view && key.getattr("itemsize")?.extract::<usize>()? == 1 {
        let bytes = key.call_method0("tobytes")?.cast_into::<PyBytes>()?;
        return Ok(hash.bytes(bytes.as_bytes()));
    }
    // An integer of NumPy, for example.
    if !key.is_none() && key.hasattr("__index__")? {
        return hash_of_int(&key.call_method0("__index__")?, hash);
    }
    Err(error(Class::WrongType, format!("a key is str, bytes or int, got {}", type_name(key))))
}

fn hash_of_int(key: &Bound<'_, PyAny>, hash: &KeyHash) -> PyResult<u64> {
    if let Ok(number) = key.extract::<i64>() {
        return Ok(hash_of_number(number, hash));
    }
    // A large one; `int` keeps True and False from being written as words.
    let number = key.py().get_type::<PyInt>().call1((key,))?.str()?;
    Ok(hash.bytes(number.to_str()?.as_bytes()))
}
