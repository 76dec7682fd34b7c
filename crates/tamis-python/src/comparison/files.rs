//! The same for files, which are read as the command reads them.

use super::{BATCH, Comparison, Prepared, Rows, in_pool};
use crate::errors::Raised;
use crate::numpy;
use pyo3::prelude::*;
use std::path::PathBuf;
use tamis_corpus::documents::{ReadOptions, for_each_document};
use tamis_corpus::similar::candidates::Candidates;
use tamis_corpus::similar::read::sign_documents;
use tamis_corpus::similar::{MIN_MEMORY, Signing, Workspace};

/// Two documents by name, and their similarity.
type Named<'py> = (Vec<String>, Vec<String>, Bound<'py, PyAny>);

/// The signature of each document of these files, a row for each.
#[pyfunction]
#[pyo3(signature = (comparison, paths, text, id))]
pub fn signatures_of_files<'py>(
    comparison: &Bound<'py, Comparison>,
    paths: Vec<PathBuf>,
    text: Option<String>,
    id: Option<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, comparison) = (comparison.py(), comparison.get());
    let columns = comparison.plan.signer.components();
    let components = py.detach(|| comparison.signed(&paths, &options(text, id))).raised()?;
    let rows = components.len() / columns;
    numpy::array(py, &components)?.call_method1("reshape", (rows, columns))
}

/// The pairs of documents of these files, by name.
#[pyfunction]
#[pyo3(signature = (comparison, paths, text, id, memory))]
pub fn pairs_of_files<'py>(
    comparison: &Bound<'py, Comparison>,
    paths: Vec<PathBuf>,
    text: Option<String>,
    id: Option<String>,
    memory: u64,
) -> PyResult<Named<'py>> {
    of_files(comparison, &paths, &options(text, id), memory, Comparison::found_pairs)
}

/// The groups of documents of these files, by name.
#[pyfunction]
#[pyo3(signature = (comparison, paths, text, id, memory))]
pub fn clusters_of_files<'py>(
    comparison: &Bound<'py, Comparison>,
    paths: Vec<PathBuf>,
    text: Option<String>,
    id: Option<String>,
    memory: u64,
) -> PyResult<Named<'py>> {
    of_files(comparison, &paths, &options(text, id), memory, Comparison::groups)
}

/// What is found in these files, by name.
fn of_files<'py>(
    comparison: &Bound<'py, Comparison>,
    paths: &[PathBuf],
    options: &ReadOptions,
    memory: u64,
    find: fn(&Comparison, &Prepared) -> tamis_corpus::Result<Rows>,
) -> PyResult<Named<'py>> {
    let (py, comparison) = (comparison.py(), comparison.get());
    let (left, right, similarity) = in_pool(py, || {
        let prepared = comparison.prepared(paths, options, memory)?;
        let rows = find(comparison, &prepared)?;
        let name = |&document: &i64| prepared.0.id(document as u32).to_owned();
        let names = |side: &[i64]| side.iter().map(name).collect();
        Ok((names(&rows.left), names(&rows.right), rows.similarity))
    })?;
    Ok((left, right, numpy::array(py, &similarity)?))
}

fn options(text: Option<String>, id: Option<String>) -> ReadOptions {
    ReadOptions { text: text.into_iter().collect(), id, ..ReadOptions::default() }
}

impl Comparison {
    fn prepared(
        &self,
        paths: &[PathBuf],
        options: &ReadOptions,
        memory: u64,
    ) -> tamis_corpus::Result<Prepared> {
        let mut workspace = Workspace::temporary(memory.max(MIN_MEMORY))?;
        let mut signing = Signing::new(&self.plan, &workspace);
        sign_documents(&mut signing, paths, options, |_| 0.0, |_| ())?;
        let signed = signing.finish(&mut workspace)?;
        let candidates = Candidates::find(&signed, &mut workspace, |_| ())?;
        Ok((signed, candidates, workspace))
    }

    fn signed(&self, paths: &[PathBuf], options: &ReadOptions) -> tamis_corpus::Result<Vec<u64>> {
        let mut components = Vec::new();
        let mut batch: Vec<String> = Vec::new();
        let mut flush = |batch: &mut Vec<String>| {
            let texts: Vec<&str> = batch.iter().map(String::as_str).collect();
            let start = components.len();
            components.resize(start + texts.len() * self.plan.signer.components(), 0);
            self.sign(&texts, &mut components[start..]);
            batch.clear();
        };
        for_each_document(paths, options, |document| -> tamis_corpus::Result<()> {
            batch.push(document.text.to_owned());
            if batch.len() >= BATCH {
                flush(&mut batch);
            }
            Ok(())
        })?;
        flush(&mut batch);
        Ok(components)
    }
}
