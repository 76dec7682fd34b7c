//! Arrow arrays of other libraries, used in place: the PyCapsule interface of Arrow.
//!
//! An object that has `__arrow_c_array__` or `__arrow_c_stream__` (of pyarrow, pandas, polars and others) hands over structures
//! whose layout the Arrow project has fixed. They are moved out of their capsules and give back their memory when dropped.

#![allow(unsafe_code)]

use crate::errors::{Class, error};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayRef, make_array};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::Arc;

/// The arrays of an object, if it has any: one, or the chunks of a stream.
pub fn arrays(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    if let Some(method) = object.getattr_opt("__arrow_c_array__")? {
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
            method.call0()?.extract()?;
        return Ok(Some(vec![taken(&schema, &array)?]));
    }
    let Some(method) = object.getattr_opt("__arrow_c_stream__")? else { return Ok(None) };
    let capsule = method.call0()?.cast_into::<PyCapsule>()?;
    let stream: NonNull<FFI_ArrowArrayStream> = pointer(&capsule, c"arrow_array_stream")?;
    // SAFETY: a capsule of this name holds a stream of this layout; `from_raw` leaves a released one in
    // its place, which the capsule's destructor passes by.
    let reader = unsafe { ArrayStreamReader::from_raw(stream.as_ptr()) }.map_err(refused)?;
    reader.collect::<Result<_, _>>().map(Some).map_err(refused)
}

/// An array for others, by the same interface.
#[pyclass(frozen, module = "tamis._tamis")]
pub struct ArrowArray {
    array: ArrayRef,
}

impl ArrowArray {
    pub fn of(array: impl Array + 'static) -> Self {
        Self { array: Arc::new(array) }
    }
}

#[pymethods]
impl ArrowArray {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface lets a producer answer with the type that it has.
        let _ = requested_schema;
        let (array, schema) = to_ffi(&self.array.to_data()).map_err(refused)?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }
}

fn taken(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<ArrayRef> {
    let schema: NonNull<FFI_ArrowSchema> = pointer(schema, c"arrow_schema")?;
    let array: NonNull<FFI_ArrowArray> = pointer(array, c"arrow_array")?;
    // SAFETY: capsules of these names hold structures of these layouts, which belong to whoever asked for
    // them. The array is moved out, and a released one left in its place; the schema is only read while
    // its capsule lives.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    Ok(make_array(data.map_err(refused)?))
}

fn pointer<T>(capsule: &Bound<'_, PyCapsule>, name: &CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.pointer_checked(Some(name))?.cast())
}

fn refused(cause: impl std::fmt::Display) -> PyErr {
    error(Class::WrongType, format!("this Arrow array cannot be read: {cause}"))
}
