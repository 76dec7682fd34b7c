//! The keys of a list, read without counting references.
//!
//! The safe way takes five calls of the interpreter for a `str` of a list: for the item, its reference, its type, its text, and the
//! end of the reference. This one takes two, and lookups take two thirds of the time (`bench/speed.py`), which is why the module
//! exists. What it does not know at a glance it leaves to its safe twin, [`super::hash_of`].

#![allow(unsafe_code)]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::slice;
use tamis::hash::{KeyHash, KeyKinds};

/// So many items are asked for before the first of them is looked at: they lie anywhere in memory.
pub const AHEAD: usize = 32;

/// Appends the hashes of the keys of a list from `start` on, and tells their kinds: at most `most`, and only as far as they are exactly `str`, `bytes` or
/// `int`, a text has UTF-8, and a number 64 bits.
pub fn hash_list(
    list: &Bound<'_, PyList>,
    start: usize,
    most: usize,
    hash: &KeyHash,
    hashes: &mut Vec<u64>,
) -> KeyKinds {
    let mut kinds = KeyKinds::NONE;
    let end = list.len().min(start.saturating_add(most));
    let (mut items, mut numbers) = ([std::ptr::null_mut(); AHEAD], [0; AHEAD]);
    for first in (start..end).step_by(AHEAD) {
        let items = &mut items[..AHEAD.min(end - first)];
        for (place, item) in items.iter_mut().enumerate() {
            // SAFETY: the list lives and is one; nothing that changes its length has run since it was asked for, as below.
            *item = unsafe { ffi::PyList_GetItem(list.as_ptr(), (first + place).cast_signed()) };
            assert!(!item.is_null(), "a list has as many items as it says");
            prefetch(*item);
        }
        let mut rest = &*items;
        while let Some((&item, later)) = rest.split_first() {
            // SAFETY: the list holds its items, and the interpreter is held. Nothing runs here that could take them out: numbers, texts
            // and bytes are read without a call of Python code. Only the refusal of a text might lead to one, and then no further
            // item is looked at.
            let read = unsafe { read_numbers(rest, &mut numbers) };
            if read > 0 {
                let numbers = numbers[..read].iter();
                hashes.extend(numbers.map(|number| hash.integer(number.cast_unsigned())));
                kinds = kinds.with(KeyKinds::INTEGERS);
                rest = &rest[read..];
                continue;
            }
            // SAFETY: as above.
            match unsafe { hash_item(item, hash) } {
                Some(key) => hashes.push(key),
                None => return kinds,
            }
            kinds = kinds.with(KeyKinds::TEXT);
            rest = later;
        }
    }
    kinds
}

/// Reads the numbers that these items start with, as far as they have 64 bits, and tells how many they are.
///
/// # Safety
/// The items live until this returns, and the interpreter is held.
#[inline(always)]
unsafe fn read_numbers(items: &[*mut ffi::PyObject], numbers: &mut [i64; AHEAD]) -> usize {
    let mut read = 0;
    for (&item, number) in items.iter().zip(numbers) {
        let mut overflow = 0;
        // SAFETY: by the caller's promise the item lives; a type is known by its address, and the call belongs to that type.
        unsafe {
            if ffi::Py_TYPE(item) != &raw mut ffi::PyLong_Type {
                break;
            }
            *number = ffi::PyLong_AsLongLongAndOverflow(item, &raw mut overflow);
        }
        if overflow != 0 {
            break;
        }
        read += 1;
    }
    read
}

/// The hash of a text or of bytes.
///
/// # Safety
/// The item lives until this returns, and the interpreter is held.
#[inline(always)]
unsafe fn hash_item(item: *mut ffi::PyObject, hash: &KeyHash) -> Option<u64> {
    // SAFETY: by the caller's promise the item lives. A type is known by its address, and each call belongs to that type; a text
    // or bytes stay where they are as long as their object.
    unsafe {
        let kind = ffi::Py_TYPE(item);
        let mut length = 0;
        if kind == &raw mut ffi::PyUnicode_Type {
            let text = ffi::PyUnicode_AsUTF8AndSize(item, &raw mut length);
            if text.is_null() {
                ffi::PyErr_Clear();
                return None;
            }
            return Some(hash.bytes(slice::from_raw_parts(text.cast(), length.cast_unsigned())));
        }
        if kind == &raw mut ffi::PyBytes_Type {
            let bytes = ffi::PyBytes_AsString(item);
            let length = ffi::PyBytes_Size(item);
            return Some(hash.bytes(slice::from_raw_parts(bytes.cast(), length.cast_unsigned())));
        }
    }
    None
}

/// Starts to bring an object into the cache.
#[inline(always)]
fn prefetch(item: *const ffi::PyObject) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing into the program and cannot fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(item.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}
