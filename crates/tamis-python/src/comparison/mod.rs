//! What is compared and how, and what comes of it: signatures, pairs, groups and copies.

mod files;
mod found;
mod prepared;
mod shuffled;

pub use files::{Documents, Files, ObjectFile};
pub use found::{Groups, Pairs};
pub use prepared::Prepared;
pub use shuffled::{band_pairs, prepare_texts, verify_sets};

use crate::errors::{Class, Raised, error};
use crate::minhash::signer;
use crate::numpy;
use crate::plan::bands;
use crate::pool::pool;
use crate::texts::Texts;
use pyo3::prelude::*;
use rayon::prelude::*;
use tamis::similar::shingle::{Normalization, Tokens};
use tamis::similar::{Shingler, Shingles};
use tamis_corpus::documents::for_each_document;
use tamis_corpus::similar::{Plan, Scoring};

/// Texts that are handed on at once.
const BATCH: usize = 4096;

/// What is compared, and how: the arguments that `signatures`, `near_duplicates`, `clusters` and `deduplicate` have in common.
#[pyclass(frozen, module = "tamis._tamis")]
pub struct Comparison {
    plan: Plan,
}

#[pymethods]
impl Comparison {
    #[new]
    #[pyo3(signature = (shingle, num_perm, seed, lowercase, normalize, threshold=0.8, recall=0.995, params=None, tokens="whitespace"))]
    #[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn new(
        shingle: &str,
        num_perm: usize,
        seed: u64,
        lowercase: bool,
        normalize: Option<&str>,
        threshold: f64,
        recall: f64,
        params: Option<(usize, usize)>,
        tokens: &str,
    ) -> PyResult<Self> {
        let shingler = shingler(shingle, tokens, lowercase, normalize)?;
        let signer = signer(num_perm, seed)?;
        let bands = bands(num_perm, threshold, recall, params)?;
        let scoring = Scoring::Exact;
        Ok(Self { plan: Plan { shingler, signer, bands, threshold, scoring } })
    }

    /// The signature of each text, or of each document of `Files`, a row for each.
    fn signatures<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = self.plan.signer.components();
        if let Ok(files) = texts.cast::<Files>() {
            let files = files.get();
            let components = py.detach(|| self.signed(files)).raised()?;
            let rows = components.len() / columns;
            return numpy::array(py, &components)?.call_method1("reshape", (rows, columns));
        }
        let texts = Texts::of(texts)?;
        let texts = texts.all();
        numpy::filled(py, (texts.len(), columns), |components| self.sign(&texts, components))
    }

    /// Reads and signs everything, and finds what is to be verified.
    ///
    /// `own` and `others` are `Files`, or iterables of batches: of texts, or of texts with a rank for each. The larger a rank
    /// is, the more a text is preferred.
    #[pyo3(signature = (own, others, memory, threads=None, progress=None))]
    fn prepare(
        &self,
        own: &Bound<'_, PyAny>,
        others: Option<&Bound<'_, PyAny>>,
        memory: u64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Prepared> {
        Prepared::of(&self.plan, own, others, memory, threads, progress)
    }

    /// What is compared, in the words of the command: `words:3, whitespace tokens`.
    #[getter]
    fn compared(&self) -> String {
        self.plan.shingler.to_string()
    }

    /// Bands and rows.
    #[getter]
    const fn params(&self) -> (usize, usize) {
        (self.plan.bands.bands, self.plan.bands.rows)
    }
}

impl Comparison {
    fn sign(&self, texts: &[&str], components: &mut [u64]) {
        let Plan { shingler, signer, .. } = &self.plan;
        let rows = components.par_chunks_mut(signer.components()).zip(texts);
        let sign = || {
            rows.for_each_init(Vec::new, |hashes: &mut Vec<u64>, (row, text)| {
                hashes.clear();
                shingler.hashes(text, hashes);
                signer.sign_into(hashes, row);
            });
        };
        match pool() {
            Ok(pool) => pool.install(sign),
            Err(_) => sign(),
        }
    }

    /// The components of the documents of these files, one after the other.
    fn signed(&self, files: &Files) -> tamis_corpus::Result<Vec<u64>> {
        let mut components = Vec::new();
        let mut batch: Vec<String> = Vec::new();
        let mut flush = |batch: &mut Vec<String>| {
            let texts: Vec<&str> = batch.iter().map(String::as_str).collect();
            let start = components.len();
            components.resize(start + texts.len() * self.plan.signer.components(), 0);
            self.sign(&texts, &mut components[start..]);
            batch.clear();
        };
        for_each_document(&files.paths, &files.options, |document| -> tamis_corpus::Result<()> {
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

/// What turns texts into sets.
pub fn shingler(
    shingle: &str,
    tokens: &str,
    lowercase: bool,
    normalize: Option<&str>,
) -> PyResult<Shingler> {
    let shingles = shingle.parse::<Shingles>().raised()?;
    if shingles == Shingles::Picture {
        let sentence = "pictures are compared by the command: tamis similar --shingle picture";
        return Err(error(Class::Parameter, sentence));
    }
    let shingler = Shingler::new(shingles).tokens_as(tokens.parse::<Tokens>().raised()?);
    Ok(shingler.lowercase(lowercase).normalize(normal_form(normalize)?))
}

fn normal_form(name: Option<&str>) -> PyResult<Option<Normalization>> {
    match name {
        None => Ok(None),
        Some("nfc") => Ok(Some(Normalization::Nfc)),
        Some("nfkc") => Ok(Some(Normalization::Nfkc)),
        Some(other) => {
            let sentence = format!("the form is \"nfc\" or \"nfkc\", got {other:?}");
            Err(error(Class::Parameter, sentence))
        }
    }
}
