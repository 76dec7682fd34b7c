//! Texts: a list or an Arrow column of them, none of them copied.

use crate::arrow;
use crate::errors::{Class, error, type_name};
use crate::keys::{lone_surrogate, no_nulls};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyString};

/// Many texts, which stay where they are.
pub enum Texts {
    Strings(Vec<PyBackedStr>),
    Arrays(Vec<ArrayRef>),
}

impl Texts {
    /// Those of an iterable of `str`, or of an array or column of Arrow.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
            let got = type_name(object);
            let sentence =
                format!("texts are a list, an Arrow column or another iterable of str, got {got}");
            return Err(error(Class::WrongType, sentence));
        }
        if let Some(arrays) = arrow::arrays(object)? {
            let mut before = 0;
            for array in &arrays {
                no_nulls(array, before)?;
                before += array.len();
                check_type(array)?;
            }
            return Ok(Self::Arrays(arrays));
        }
        let iterator = object.try_iter().map_err(|_| {
            let got = type_name(object);
            error(Class::WrongType, format!("texts are an iterable of str, got {got}"))
        })?;
        let texts = iterator.enumerate().map(|(row, text)| {
            let text = text?;
            let Ok(text) = text.cast::<PyString>() else {
                let got = type_name(&text);
                return Err(error(Class::WrongType, format!("text {row} is not str but {got}")));
            };
            PyBackedStr::try_from(text.clone()).map_err(|_| lone_surrogate(&format!("text {row}")))
        });
        Ok(Self::Strings(texts.collect::<PyResult<_>>()?))
    }

    /// All of them, in order.
    pub fn all(&self) -> Vec<&str> {
        match self {
            Self::Strings(strings) => strings.iter().map(|text| &**text).collect(),
            Self::Arrays(arrays) => arrays.iter().flat_map(texts_of).collect(),
        }
    }
}

fn check_type(array: &ArrayRef) -> PyResult<()> {
    match array.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(()),
        DataType::Struct(_) => {
            let sentence = "a table has many columns; pass the one with the texts";
            Err(error(Class::WrongType, sentence))
        }
        other => {
            let sentence = format!("an Arrow array of texts holds strings, not {other}");
            Err(error(Class::WrongType, sentence))
        }
    }
}

fn texts_of(array: &ArrayRef) -> Vec<&str> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().flatten().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().flatten().collect(),
        _ => array.as_string_view().iter().flatten().collect(),
    }
}
