//! What can be a key in Python, and its hash: the same as in Rust and on the command line.
//!
//! A `str` is its UTF-8 bytes, `bytes` (and `bytearray`, `memoryview`) are themselves, and an `int` is its eight bytes: `"7"` and
//! `b"7"` are one key, and `7` is another.

mod arrays;
mod borrowed;
mod many;

pub use arrays::no_nulls;
pub use many::{answers, hashes_of};

use crate::errors::{Class, error, type_name};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyString};
use tamis::hash::{Key, KeyHash, KeyKinds};

/// The hash of a key, and which kind of key it is.
pub type Hashed = (u64, KeyKinds);

/// The hash of one key.
#[inline]
pub fn hash_of(key: &Bound<'_, PyAny>, hash: &KeyHash) -> PyResult<Hashed> {
    if let Ok(text) = key.cast::<PyString>() {
        return match text.to_str() {
            Ok(text) => Ok((hash.bytes(text.as_bytes()), KeyKinds::TEXT)),
            Err(_) => Err(lone_surrogate("this key")),
        };
    }
    if let Ok(bytes) = key.cast::<PyBytes>() {
        return Ok((hash.bytes(bytes.as_bytes()), KeyKinds::TEXT));
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

fn hash_of_other(key: &Bound<'_, PyAny>, hash: &KeyHash) -> PyResult<Hashed> {
    if key.is_instance_of::<PyInt>() {
        return hash_of_int(key, hash);
    }
    if let Ok(bytes) = key.cast::<PyByteArray>() {
        return Ok((hash.bytes(&bytes.to_vec()), KeyKinds::TEXT));
    }
    let is_view = key.get_type().name().is_ok_and(|name| name == "memoryview");
    if is_view && key.getattr("itemsize")?.extract::<usize>()? == 1 {
        let bytes = key.call_method0("tobytes")?.cast_into::<PyBytes>()?;
        return Ok((hash.bytes(bytes.as_bytes()), KeyKinds::TEXT));
    }
    // An integer of NumPy, for example.
    if !key.is_none() && key.hasattr("__index__")? {
        return hash_of_int(&key.call_method0("__index__")?, hash);
    }
    Err(error(Class::WrongType, format!("a key is str, bytes or int, got {}", type_name(key))))
}

fn hash_of_int(key: &Bound<'_, PyAny>, hash: &KeyHash) -> PyResult<Hashed> {
    if let Ok(number) = key.extract::<i64>() {
        return Ok((hash.integer(number.cast_unsigned()), KeyKinds::INTEGERS));
    }
    // A large one.
    let large = key.extract::<i128>().map(|number| number.hash_with(hash));
    match large.or_else(|_| key.extract::<u128>().map(|number| number.hash_with(hash))) {
        Ok(hash) => Ok((hash, KeyKinds::INTEGERS)),
        Err(_) => Err(error(Class::Parameter, "an integer key has at most 128 bits")),
    }
}
