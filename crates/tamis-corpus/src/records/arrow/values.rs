//! The values of one column of a batch.

use super::super::columns::Cell;
use crate::text::{Encoding, decode};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use std::borrow::Cow;

/// A column of a batch.
pub(super) struct Values<'b> {
    /// What it is in: a struct that is null has no values.
    above: Vec<&'b ArrayRef>,
    values: &'b ArrayRef,
    /// The keys of a dictionary, and what they stand for.
    dictionary: Option<(Vec<usize>, &'b ArrayRef)>,
}

impl<'b> Values<'b> {
    /// The column at the end of this way.
    pub(super) fn of(batch: &'b RecordBatch, way: &[usize]) -> Option<Self> {
        let (&first, below) = way.split_first()?;
        let mut values = batch.columns().get(first)?;
        let mut above = Vec::new();
        for &place in below {
            above.push(values);
            values = values.as_struct_opt()?.columns().get(place)?;
        }
        // The keys of null rows say nothing; without any value there is none to stand for.
        let dictionary = values.as_any_dictionary_opt().filter(|it| !it.values().is_empty());
        let dictionary = dictionary.map(|it| (it.normalized_keys(), it.values()));
        Some(Self { above, values, dictionary })
    }

    /// The value of a row, and whether Latin-1 was the fallback.
    pub(super) fn get(&self, row: usize, encoding: Encoding) -> (Cell<'b>, bool) {
        let is_null = |array: &&ArrayRef| array.is_null(row);
        if self.above.iter().any(is_null) || self.values.is_null(row) {
            return (Cell::Null, false);
        }
        match &self.dictionary {
            Some((keys, values)) if values.is_null(keys[row]) => (Cell::Null, false),
            Some((keys, values)) => cell(values, keys[row], encoding),
            None => cell(self.values, row, encoding),
        }
    }
}

fn cell(array: &ArrayRef, row: usize, encoding: Encoding) -> (Cell<'_>, bool) {
    let text = |text| Cell::Text(Cow::Borrowed(text));
    let bytes = |bytes| {
        let (text, fallback) = decode(bytes, encoding);
        (Cell::Text(text), fallback)
    };
    macro_rules! number {
        ($type:ty) => {
            Cell::Scalar(Cow::Owned(array.as_primitive::<$type>().value(row).to_string()))
        };
    }
    let cell = match array.data_type() {
        DataType::Utf8 => text(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => text(array.as_string::<i64>().value(row)),
        DataType::Utf8View => text(array.as_string_view().value(row)),
        DataType::Binary => return bytes(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => return bytes(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => return bytes(array.as_binary_view().value(row)),
        DataType::Boolean => Cell::Scalar(Cow::Owned(array.as_boolean().value(row).to_string())),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float16 => number!(Float16Type),
        DataType::Float32 => number!(Float32Type),
        DataType::Float64 => number!(Float64Type),
        DataType::Null => Cell::Null,
        _ => Cell::Composite,
    };
    (cell, false)
}
