//! Keys in arrays of Arrow, hashed where they lie.

use crate::errors::{Class, error};
use crate::pool::in_parts;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;
use pyo3::PyResult;
use tamis::hash::{Key, KeyHash, KeyKinds};

/// So many keys are hashed before they are asked for, while their hashes are in the first-level cache.
const HASHED: usize = 1 << 10;

/// What `ask` answers to the hashes of the keys of these arrays, with all threads if they are many.
pub fn answer_arrays<T: Copy + Send + Sync>(
    arrays: &[ArrayRef],
    hash: &KeyHash,
    nothing: T,
    ask: impl Fn(&[u64], KeyKinds, &mut [T]) -> PyResult<()> + Sync,
) -> PyResult<Vec<T>> {
    let mut answers = vec![nothing; arrays.iter().map(Array::len).sum()];
    let mut start = 0;
    for array in arrays {
        no_nulls(array, start)?;
        let kinds = kinds_of(array);
        in_parts(&mut answers[start..start + array.len()], |place, answers| {
            let mut room = [0; HASHED];
            for (index, answers) in answers.chunks_mut(HASHED).enumerate() {
                let hashes = &mut room[..answers.len()];
                hash_array(&array.slice(place + index * HASHED, answers.len()), hash, hashes)?;
                ask(hashes, kinds, answers)?;
            }
            Ok(())
        })?;
        start += array.len();
    }
    Ok(answers)
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

/// Which keys an array has.
pub fn kinds_of(array: &ArrayRef) -> KeyKinds {
    match array.data_type().is_integer() {
        _ if array.is_empty() => KeyKinds::NONE,
        true => KeyKinds::INTEGERS,
        false => KeyKinds::TEXT,
    }
}

fn hash_array(array: &ArrayRef, hash: &KeyHash, hashes: &mut [u64]) -> PyResult<()> {
    match array.data_type() {
        DataType::Utf8 => strings(array.as_string::<i32>().iter(), hash, hashes),
        DataType::LargeUtf8 => strings(array.as_string::<i64>().iter(), hash, hashes),
        DataType::Utf8View => strings(array.as_string_view().iter(), hash, hashes),
        DataType::Binary => strings(array.as_binary::<i32>().iter(), hash, hashes),
        DataType::LargeBinary => strings(array.as_binary::<i64>().iter(), hash, hashes),
        DataType::BinaryView => strings(array.as_binary_view().iter(), hash, hashes),
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

fn strings<K: AsRef<[u8]>>(
    keys: impl Iterator<Item = Option<K>>,
    hash: &KeyHash,
    hashes: &mut [u64],
) {
    for (slot, key) in hashes.iter_mut().zip(keys.flatten()) {
        *slot = hash.bytes(key.as_ref());
    }
}

fn numbers<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, hash: &KeyHash, hashes: &mut [u64])
where
    T::Native: Key,
{
    for (slot, number) in hashes.iter_mut().zip(array.values()) {
        *slot = number.hash_with(hash);
    }
}
