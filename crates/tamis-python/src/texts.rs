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
    Strings(Vec<Option<PyBackedStr>>),
    Arrays(Vec<ArrayRef>),
}

impl Texts {
    /// Those of an iterable of `str`, or of an array or column of Arrow; a null is refused.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let texts = Self::with_nulls(object)?;
        match &texts {
            Self::Strings(strings) => {
                if let Some(row) = strings.iter().position(Option::is_none) {
                    let sentence = format!("text {row} is not str but NoneType");
                    return Err(error(Class::WrongType, sentence));
                }
            }
            Self::Arrays(arrays) => {
                let mut before = 0;
                for array in arrays {
                    no_nulls(array, before)?;
                    before += array.len();
                }
            }
        }
        Ok(texts)
    }

    /// The same with nulls among them.
    pub fn with_nulls(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
            let got = type_name(object);
            let sentence =
                format!("texts are a list, an Arrow column or another iterable of str, got {got}");
            return Err(error(Class::WrongType, sentence));
        }
        if let Some(arrays) = arrow::arrays(object)? {
            arrays.iter().try_for_each(check_type)?;
            return Ok(Self::Arrays(arrays));
        }
        let iterator = object.try_iter().map_err(|_| {
            let got = type_name(object);
            error(Class::WrongType, format!("texts are an iterable of str, got {got}"))
        })?;
        let texts = iterator.enumerate().map(|(row, text)| {
            let text = text?;
            if text.is_none() {
                return Ok(None);
            }
            let Ok(text) = text.cast::<PyString>() else {
                let got = type_name(&text);
                return Err(error(Class::WrongType, format!("text {row} is not str but {got}")));
            };
            let text = PyBackedStr::try_from(text.clone());
            text.map(Some).map_err(|_| lone_surrogate(&format!("text {row}")))
        });
        Ok(Self::Strings(texts.collect::<PyResult<_>>()?))
    }

    /// All of them, in order, without the nulls.
    pub fn all(&self) -> Vec<&str> {
        self.all_or_null().into_iter().flatten().collect()
    }

    /// All of them, in order.
    pub fn all_or_null(&self) -> Vec<Option<&str>> {
        match self {
            Self::Strings(strings) => strings.iter().map(Option::as_deref).collect(),
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

fn texts_of(array: &ArrayRef) -> Vec<Option<&str>> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().collect(),
        _ => array.as_string_view().iter().collect(),
    }
}
