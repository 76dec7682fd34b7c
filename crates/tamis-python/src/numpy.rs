//! Arrays for NumPy, which is asked by name: nothing is compiled against it.

use bytemuck::Pod;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

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
