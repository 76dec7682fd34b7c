//! What an index has inside, by the names that users of datasketch know.

use super::MinHashLSH;
use crate::errors::{Class, error};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList};

/// The keys of an index, in the order of their insertion: a mapping to the hashes of their bands. A call returns them as a list.
#[pyclass(frozen, mapping, module = "tamis._tamis")]
pub struct LshKeys {
    lsh: Py<MinHashLSH>,
}

#[pymethods]
impl LshKeys {
    fn __call__(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        let lsh = self.lsh.borrow(py);
        lsh.entries.iter().flatten().map(|entry| entry.key.clone_ref(py)).collect()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.__call__(py))?.try_iter()
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lsh.borrow(py).__len__(py)
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.lsh.borrow(key.py()).__contains__(key)
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let py = key.py();
        let lsh = self.lsh.borrow(py);
        let Some(number) = lsh.numbers.bind(py).get_item(key)? else {
            let sentence = format!("there is no signature under {}", key.repr()?);
            return Err(error(Class::NotFound, sentence));
        };
        let entry = &lsh.entries[number.extract::<usize>()?];
        let bands = entry.iter().flat_map(|entry| &entry.bands);
        Ok(bands.map(|band| PyBytes::new(py, &band.to_be_bytes())).collect())
    }
}

impl LshKeys {
    pub fn of(lsh: &Bound<'_, MinHashLSH>) -> Self {
        Self { lsh: lsh.clone().unbind() }
    }
}

/// For each band a `dict` of its hashes to the keys that have them.
pub fn hashtables<'py>(py: Python<'py>, lsh: &MinHashLSH) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let tables: Vec<_> = (0..lsh.bands.bands).map(|_| PyDict::new(py)).collect();
    for entry in lsh.entries.iter().flatten() {
        for (table, band) in tables.iter().zip(&entry.bands) {
            let hash = PyBytes::new(py, &band.to_be_bytes());
            match table.get_item(&hash)? {
                Some(keys) => keys.cast::<PyList>()?.append(&entry.key)?,
                None => table.set_item(hash, PyList::new(py, [&entry.key])?)?,
            }
        }
    }
    Ok(tables)
}

/// For each band a `dict` of its hashes to how many keys have them.
pub fn counts<'py>(py: Python<'py>, lsh: &MinHashLSH) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let count = |table: Bound<'py, PyDict>| -> PyResult<_> {
        let counts = PyDict::new(py);
        table.iter().try_for_each(|(hash, keys)| counts.set_item(hash, keys.len()?))?;
        Ok(counts)
    };
    hashtables(py, lsh)?.into_iter().map(count).collect()
}
