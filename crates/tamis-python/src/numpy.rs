//! Arrays for NumPy, which is asked by name: nothing is compiled against it.

use crate::errors::{Class, error};
use bytemuck::Pod;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

/// A type of numbers that both know.
pub trait Number: Pod {
    /// Its name in NumPy.
    const NAME: &'static str;
}

impl Number for u32 {
    const NAME: &'static str = "uint32";
}
impl Number for i32 {
    const NAME: &'static str = "int32";
}
impl Number for u64 {
    const NAME: &'static str = "uint64";
}
impl Number for i64 {
    const NAME: &'static str = "int64";
}
impl Number for f64 {
    const NAME: &'static str = "float64";
}

/// The numbers of an array of this type. (The stable interface has no buffers before Python 3.11, so they are copied.)
pub fn values<T: Number>(array: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    let numpy = array.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (array,))?;
    let is_wanted: bool = array.getattr("dtype")?.eq(numpy.call_method1("dtype", (T::NAME,))?)?;
    if !is_wanted {
        let got = array.getattr("dtype")?.str()?;
        let sentence = format!("an array of {} is needed, got {got}", T::NAME);
        return Err(error(Class::WrongType, sentence));
    }
    let bytes = array.call_method0("tobytes")?.cast_into::<PyBytes>()?;
    Ok(bytemuck::pod_collect_to_vec(bytes.as_bytes()))
}

/// An array of these numbers.
pub fn array<'py, T: Number>(py: Python<'py>, values: &[T]) -> PyResult<Bound<'py, PyAny>> {
    from_buffer(PyByteArray::new(py, bytemuck::cast_slice(values)), T::NAME)
}

/// An array of truth values.
pub fn bools<'py>(py: Python<'py>, values: &[bool]) -> PyResult<Bound<'py, PyAny>> {
    from_buffer(PyByteArray::new(py, bytemuck::cast_slice(values)), "bool")
}

/// An array of these rows and columns, filled in place.
pub fn filled<'py, T: Number + Send>(
    py: Python<'py>,
    (rows, columns): (usize, usize),
    fill: impl FnOnce(&mut [T]) + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = rows * columns * size_of::<T>();
    let buffer = PyByteArray::new_with(py, bytes, |buffer| {
        py.detach(|| fill(bytemuck::cast_slice_mut(buffer)));
        Ok(())
    })?;
    from_buffer(buffer, T::NAME)?.call_method1("reshape", (rows, columns))
}

fn from_buffer<'py>(buffer: Bound<'py, PyByteArray>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    buffer.py().import("numpy")?.call_method1("frombuffer", (buffer, name))
}
