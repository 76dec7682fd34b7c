//! What is compared and how, and what comes of it: signatures, pairs, groups and copies.

mod files;
mod shuffled;

pub use files::{clusters_of_files, pairs_of_files, signatures_of_files};
pub use shuffled::{band_pairs, prepare_texts, verify_sets};

use crate::errors::{Class, Raised, error};
use crate::minhash::signer;
use crate::numpy;
use crate::plan::bands;
use crate::pool::pool;
use crate::texts::Texts;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use rayon::prelude::*;
use tamis::similar::shingle::Normalization;
use tamis::similar::{Shingler, Shingles};
use tamis_corpus::similar::candidates::Candidates;
use tamis_corpus::similar::dedup::copies;
use tamis_corpus::similar::pairs::for_each_document_pair;
use tamis_corpus::similar::verify::for_each_pair;
use tamis_corpus::similar::{
    Batch, Clusters, MIN_MEMORY, Plan, Scoring, Signed, Signing, Workspace,
};

/// Texts that are handed on at once.
const BATCH: usize = 4096;

/// What is compared, and how: the arguments that `signatures`, `near_duplicates`, `clusters` and `deduplicate` have in common.
#[pyclass(frozen, module = "tamis._tamis")]
pub struct Comparison {
    plan: Plan,
}

/// Two documents by number, and their similarity, in three arrays.
type Found<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The same while it is collected.
#[derive(Default)]
struct Rows {
    left: Vec<i64>,
    right: Vec<i64>,
    similarity: Vec<f64>,
}

impl Rows {
    fn push(&mut self, left: u32, right: u32, similarity: f64) {
        self.left.push(i64::from(left));
        self.right.push(i64::from(right));
        self.similarity.push(similarity);
    }

    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Found<'py>> {
        Ok((
            numpy::array(py, &self.left)?,
            numpy::array(py, &self.right)?,
            numpy::array(py, &self.similarity)?,
        ))
    }
}

#[pymethods]
impl Comparison {
    #[new]
    #[pyo3(signature = (shingle, num_perm, seed, lowercase, normalize, threshold=0.8, recall=0.995, params=None))]
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
    ) -> PyResult<Self> {
        let shingles = shingle.parse::<Shingles>().raised()?;
        if shingles == Shingles::Picture {
            let sentence = "pictures are compared by the command: tamis similar --shingle picture";
            return Err(error(Class::Parameter, sentence));
        }
        let shingler =
            Shingler::new(shingles).lowercase(lowercase).normalize(normal_form(normalize)?);
        let signer = signer(num_perm, seed)?;
        let bands = bands(num_perm, threshold, recall, params)?;
        let scoring = Scoring::Exact;
        Ok(Self { plan: Plan { shingler, signer, bands, threshold, scoring } })
    }

    /// The signature of each text, a row for each.
    fn signatures<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let texts = Texts::of(texts)?;
        let texts = texts.all();
        let columns = self.plan.signer.components();
        numpy::filled(py, (texts.len(), columns), |components| self.sign(&texts, components))
    }

    /// The pairs of texts, by number.
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        memory: u64,
    ) -> PyResult<Found<'py>> {
        let texts = Texts::of(texts)?;
        let texts = texts.all();
        in_pool(py, || self.found_pairs(&self.in_memory(&texts, None, memory)?))?.arrays(py)
    }

    /// The groups of texts, by number: the first of each group, a member, and their similarity.
    fn clusters<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        memory: u64,
    ) -> PyResult<Found<'py>> {
        let texts = Texts::of(texts)?;
        let texts = texts.all();
        in_pool(py, || self.groups(&self.in_memory(&texts, None, memory)?))?.arrays(py)
    }

    /// The texts that are copies, by number: the copy, the one that stays, and their similarity.
    #[pyo3(signature = (texts, ranks, memory))]
    fn copies<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        ranks: Option<PyBuffer<f64>>,
        memory: u64,
    ) -> PyResult<Found<'py>> {
        let texts = Texts::of(texts)?;
        let texts = texts.all();
        let ranks = ranks.map(|ranks| ranks.to_vec(py)).transpose()?;
        if ranks.as_ref().is_some_and(|ranks| ranks.len() != texts.len()) {
            return Err(error(Class::Parameter, "there must be one rank for each text"));
        }
        let rows = in_pool(py, || {
            let (signed, candidates, workspace) =
                self.in_memory(&texts, ranks.as_deref(), memory)?;
            let mut rows = Rows::default();
            for copy in copies(&self.plan, &signed, &candidates, &workspace, |_| ())? {
                rows.push(copy.document, copy.kept, copy.similarity);
            }
            Ok(rows)
        })?;
        rows.arrays(py)
    }

    /// Bands and rows.
    #[getter]
    const fn params(&self) -> (usize, usize) {
        (self.plan.bands.bands, self.plan.bands.rows)
    }
}

/// Works with all threads and without the interpreter.
fn in_pool<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> tamis_corpus::Result<T> + Send,
) -> PyResult<T> {
    py.detach(|| pool()?.install(work).raised())
}

/// What the first two stages leave.
type Prepared = (Signed, Candidates, Workspace);

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

    fn in_memory(
        &self,
        texts: &[&str],
        ranks: Option<&[f64]>,
        memory: u64,
    ) -> tamis_corpus::Result<Prepared> {
        let mut workspace = Workspace::temporary(memory.max(MIN_MEMORY))?;
        let mut signing = Signing::new(&self.plan, &workspace);
        let mut batch = Batch::default();
        for (first, texts) in (0..).step_by(BATCH).zip(texts.chunks(BATCH)) {
            for (index, text) in (first..).zip(texts) {
                batch.push("", text, ranks.map_or(0.0, |ranks| ranks[index]));
            }
            signing.documents(&batch)?;
            batch.clear();
        }
        let signed = signing.finish(&mut workspace)?;
        let candidates = Candidates::find(&signed, &mut workspace, |_| ())?;
        Ok((signed, candidates, workspace))
    }

    fn found_pairs(&self, prepared: &Prepared) -> tamis_corpus::Result<Rows> {
        let (signed, candidates, _) = prepared;
        let mut rows = Rows::default();
        for_each_document_pair(
            &self.plan,
            signed,
            candidates,
            |pair| -> tamis_corpus::Result<()> {
                rows.push(pair.left, pair.right, pair.similarity);
                Ok(())
            },
            |_| (),
        )?;
        Ok(rows)
    }

    fn groups(&self, prepared: &Prepared) -> tamis_corpus::Result<Rows> {
        let (signed, candidates, _) = prepared;
        let mut clusters = Clusters::new(signed);
        for_each_pair(
            &self.plan,
            signed,
            candidates,
            |_, _| true,
            |pair| -> tamis_corpus::Result<()> {
                clusters.join(pair.left, pair.right);
                Ok(())
            },
            |_| (),
        )?;
        let mut rows = Rows::default();
        for group in clusters.groups() {
            for &document in &group {
                let similarity = signed.similarity(&self.plan, group[0], document)?;
                rows.push(group[0], document, similarity);
            }
        }
        Ok(rows)
    }
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
