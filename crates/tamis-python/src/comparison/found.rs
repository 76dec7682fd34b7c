//! Pairs and groups as they are found, batch by batch, so that they never need to be in memory together.

use super::prepared::Inner;
use crate::errors::Raised;
use crate::numpy;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};
use tamis_corpus::similar::{Pair, pairs, verify};

/// Rows in a batch.
const ROWS: usize = 1 << 16;

/// Two columns of document numbers, and their similarity.
type Rows<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

fn arrays<'py>(py: Python<'py>, found: &[Pair]) -> PyResult<Rows<'py>> {
    let number = |side: fn(&Pair) -> u32| -> Vec<i64> {
        found.iter().map(|pair| i64::from(side(pair))).collect()
    };
    let similarities: Vec<f64> = found.iter().map(|pair| pair.similarity).collect();
    Ok((
        numpy::array(py, &number(|pair| pair.left))?,
        numpy::array(py, &number(|pair| pair.right))?,
        numpy::array(py, &similarities)?,
    ))
}

/// The pairs of documents, in the order of the command.
#[pyclass(frozen, module = "tamis._tamis")]
pub struct Pairs {
    inner: Arc<Inner>,
    /// Only those of a document with one of the others.
    across: bool,
    state: Mutex<(pairs::Pairs, u64)>,
}

impl Pairs {
    pub fn new(inner: &Arc<Inner>, across: bool) -> Self {
        let state = Mutex::new((pairs::Pairs::new(&inner.signed), 0));
        Self { inner: Arc::clone(inner), across, state }
    }

    fn next(&self) -> tamis_corpus::Result<Vec<Pair>> {
        let Inner { plan, signed, candidates, progress, .. } = &*self.inner;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (pairs, done) = &mut *state;
        let is_other = |document: u32| document < signed.others();
        let mut found = Vec::with_capacity(ROWS);
        loop {
            pairs.next(plan, signed, candidates, ROWS, &mut found, |parts| {
                *done += parts;
                progress.tell("verifying", *done, Some(verify::PARTS));
            })?;
            let is_end = found.is_empty();
            if self.across {
                found.retain(|pair| is_other(pair.left) != is_other(pair.right));
            }
            if is_end || !found.is_empty() {
                return Ok(found);
            }
        }
    }
}

#[pymethods]
impl Pairs {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Rows<'py>>> {
        let found = py.detach(|| self.inner.pool.install(|| self.next()));
        self.inner.progress.check()?;
        let found = found.raised()?;
        if found.is_empty() { Ok(None) } else { arrays(py, &found).map(Some) }
    }
}

/// The groups of documents: the first of each, a member, and their similarity.
#[pyclass(frozen, module = "tamis._tamis")]
pub struct Groups {
    inner: Arc<Inner>,
    groups: Vec<Vec<u32>>,
    /// The group and the member that are next.
    place: Mutex<[usize; 2]>,
}

impl Groups {
    pub fn new(inner: &Arc<Inner>, groups: Vec<Vec<u32>>) -> Self {
        Self { inner: Arc::clone(inner), groups, place: Mutex::new([0, 0]) }
    }

    fn next(&self) -> tamis_corpus::Result<Vec<Pair>> {
        let Inner { plan, signed, .. } = &*self.inner;
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let [group, member] = &mut *place;
        let mut found = Vec::new();
        while let (Some(members), ..ROWS) = (self.groups.get(*group), found.len()) {
            let left = members[0];
            match members.get(*member) {
                Some(&right) => {
                    let similarity = signed.similarity(plan, left, right)?;
                    found.push(Pair { left, right, similarity });
                    *member += 1;
                }
                None => (*group, *member) = (*group + 1, 0),
            }
        }
        Ok(found)
    }
}

#[pymethods]
impl Groups {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Rows<'py>>> {
        let found = py.detach(|| self.next()).raised()?;
        if found.is_empty() { Ok(None) } else { arrays(py, &found).map(Some) }
    }

    /// How many groups there are, and how many documents are in them.
    #[getter]
    fn counts(&self) -> (usize, usize) {
        (self.groups.len(), self.groups.iter().map(Vec::len).sum())
    }
}
