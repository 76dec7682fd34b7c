//! Signatures or texts by name, and which of them are like another one.

mod entries;
mod tables;

pub use tables::LshKeys;

use crate::comparison::shingler;
use crate::errors::{Class, Raised, error};
use crate::plan;
use entries::{Kind, Member};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use tamis::similar::lsh::Bands;
use tamis::similar::{Shingler, Signer, jaccard};

/// The part of the pairs at the threshold that is found, if none is asked for.
const RECALL: f64 = 0.99;

/// Finds what is at least as similar as a threshold among signatures, or among texts.
///
/// Bands and rows are those with the most rows that find the part `recall` of the pairs at the threshold. Given `weights` (of
/// what is found in vain, and of what is missed) they are chosen as datasketch does, and `params=(b, r)` sets them. Keys can be
/// anything that can be a key of a `dict`.
///
/// A text in the place of a signature is cut into shingles and kept as a set. A query with a text is verified: the similarity of
/// what it returns is exact and at least the threshold. `verify=False` returns all candidates; so does a query with a signature.
///
/// >>> import tamis
/// >>> lsh = tamis.MinHashLSH(threshold=0.5)
/// >>> lsh.insert("carrots", "peel the carrots and cut them into thin slices")
/// >>> lsh.insert("leeks", "wash two leeks and cut them into rings")
/// >>> lsh.query("peel the carrots and cut them into thin rings")
/// ['carrots']
/// >>> lsh.remove("carrots")
/// >>> "carrots" in lsh, len(lsh)
/// (False, 1)
#[pyclass(module = "tamis")]
pub struct MinHashLSH {
    threshold: f64,
    num_perm: usize,
    bands: Bands,
    verify: bool,
    shingler: Shingler,
    shingling: Shingling,
    seed: u64,
    /// How the signatures were made that are in: the first one says it.
    kind: Option<Kind>,
    numbers: Py<PyDict>,
    entries: Vec<Option<Entry>>,
    /// By the hash of a band, the entries that have it.
    buckets: HashMap<u64, Vec<usize>>,
    /// The bands of queries that wait.
    waiting: Vec<Vec<u64>>,
}

/// The names of what makes sets of texts.
type Shingling = (String, String, bool, Option<String>);

struct Entry {
    key: Py<PyAny>,
    bands: Vec<u64>,
    /// The hashes of the shingles of a text.
    set: Option<Vec<u64>>,
}

/// A pickled entry: its key, the hashes of its bands, and those of its shingles.
type EntryParts = (Py<PyAny>, Vec<u64>, Option<Vec<u64>>);

/// What is pickled: threshold, components, bands and rows, whether to verify, shingling, seed, kind, and the entries.
type Parts =
    ((f64, usize, (usize, usize), bool, Shingling, u64), Option<(u64, usize)>, Vec<EntryParts>);

#[pymethods]
impl MinHashLSH {
    #[new]
    #[pyo3(signature = (
        threshold=0.9, num_perm=128, weights=None, params=None, *,
        recall=None, verify=true, shingle="words:3", lowercase=false, normalize=None, seed=1,
        tokens="whitespace",
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn new(
        py: Python<'_>,
        threshold: f64,
        num_perm: usize,
        weights: Option<(f64, f64)>,
        params: Option<(usize, usize)>,
        recall: Option<f64>,
        verify: bool,
        shingle: &str,
        lowercase: bool,
        normalize: Option<String>,
        seed: u64,
        tokens: &str,
    ) -> PyResult<Self> {
        // Refuses numbers that no signature has.
        Signer::new(num_perm).raised()?;
        Ok(Self {
            threshold,
            num_perm,
            bands: chosen_bands(py, threshold, num_perm, weights, params, recall)?,
            verify,
            shingler: shingler(shingle, tokens, lowercase, normalize.as_deref())?,
            shingling: (shingle.to_owned(), tokens.to_owned(), lowercase, normalize),
            seed,
            kind: None,
            numbers: PyDict::new(py).unbind(),
            entries: Vec::new(),
            buckets: HashMap::new(),
            waiting: Vec::new(),
        })
    }

    /// Adds a signature or a text under a key, which must be new (unless `check_duplication` is off: then it replaces the one
    /// before).
    #[pyo3(signature = (key, minhash, check_duplication=true))]
    fn insert(
        &mut self,
        key: &Bound<'_, PyAny>,
        minhash: &Bound<'_, PyAny>,
        check_duplication: bool,
    ) -> PyResult<()> {
        let member = self.member(minhash)?;
        if self.numbers.bind(key.py()).contains(key)? {
            if check_duplication {
                let sentence = format!("{} is in already; remove it first", key.repr()?);
                return Err(error(Class::Parameter, sentence));
            }
            self.remove(key)?;
        }
        self.kind = Some(member.kind);
        let bands = member.bands(self.bands);
        self.push(key, bands, member.set)
    }

    /// The keys of what shares a band with this signature or text, in the order of their insertion. For a text only those
    /// that are at least as similar as the threshold, unless the index was made with `verify=False`.
    fn query(&self, minhash: &Bound<'_, PyAny>) -> PyResult<Vec<Py<PyAny>>> {
        let member = self.member(minhash)?;
        let mut found = self.sharing(&member.bands(self.bands));
        if let (true, Some(asked)) = (self.verify, &member.set) {
            found.retain(|&number| {
                let set = self.entries[number].as_ref().and_then(|entry| entry.set.as_ref());
                set.is_none_or(|set| jaccard::at_least(asked, set, self.threshold).is_some())
            });
        }
        Ok(self.named(minhash.py(), found))
    }

    /// Keeps a query for `collect_query_buffer`.
    fn add_to_query_buffer(&mut self, minhash: &Bound<'_, PyAny>) -> PyResult<()> {
        let bands = self.member(minhash)?.bands(self.bands);
        self.waiting.push(bands);
        Ok(())
    }

    /// The keys that all queries in the buffer have found, unverified; the buffer is empty then.
    fn collect_query_buffer(&mut self, py: Python<'_>) -> Vec<Py<PyAny>> {
        let waiting = std::mem::take(&mut self.waiting);
        let found = waiting.iter().map(|bands| self.sharing(bands));
        let common = found.reduce(|mut common, found| {
            common.retain(|number| found.binary_search(number).is_ok());
            common
        });
        self.named(py, common.unwrap_or_default())
    }

    /// Takes what is under a key out.
    fn remove(&mut self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let numbers = self.numbers.bind(key.py());
        let Some(number) = numbers.get_item(key)? else {
            let sentence = format!("there is no signature under {}", key.repr()?);
            return Err(error(Class::NotFound, sentence));
        };
        numbers.del_item(key)?;
        let number: usize = number.extract()?;
        for band in self.entries[number].take().map(|entry| entry.bands).unwrap_or_default() {
            if let Some(bucket) = self.buckets.get_mut(&band) {
                bucket.retain(|&other| other != number);
                if bucket.is_empty() {
                    self.buckets.remove(&band);
                }
            }
        }
        Ok(())
    }

    /// Adds everything that another index of the same parameters has. Keys that both have are replaced, or refused with
    /// `check_overlap=True`.
    #[pyo3(signature = (other, check_overlap=false))]
    fn merge(&mut self, other: &Bound<'_, Self>, check_overlap: bool) -> PyResult<()> {
        let py = other.py();
        // An index that is merged with itself has everything already.
        let Ok(other) = other.try_borrow() else { return Ok(()) };
        let ours = (self.num_perm, self.bands, &self.shingling);
        if ours != (other.num_perm, other.bands, &other.shingling) {
            let sentence =
                "these two do not match: num_perm, bands, rows and shingle must be the same";
            return Err(error(Class::Mismatch, sentence));
        }
        if let (Some(ours), Some(theirs)) = (self.kind, other.kind) {
            ours.must_equal(theirs)?;
        }
        let entries: Vec<&Entry> = other.entries.iter().flatten().collect();
        if check_overlap {
            for entry in &entries {
                if self.numbers.bind(py).contains(&entry.key)? {
                    let key = entry.key.bind(py).repr()?;
                    let sentence = format!("{key} is in both; remove it from one of them");
                    return Err(error(Class::Parameter, sentence));
                }
            }
        }
        self.kind = self.kind.or(other.kind);
        for Entry { key, bands, set } in entries {
            let key = key.bind(py);
            if self.numbers.bind(py).contains(key)? {
                self.remove(key)?;
            }
            self.push(key, bands.clone(), set.clone())?;
        }
        Ok(())
    }

    /// The keys, in the order of their insertion: `keys[key]` are the hashes of its bands, and `keys()` is a list.
    #[getter]
    fn keys(slf: &Bound<'_, Self>) -> LshKeys {
        LshKeys::of(slf)
    }

    /// For each band a `dict` of its hashes to the keys that have them. It is made when asked for: a copy.
    #[getter]
    fn hashtables<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        tables::hashtables(py, self)
    }

    /// For each band a `dict` of its hashes to how many keys have them.
    fn get_counts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        tables::counts(py, self)
    }

    /// A context whose `insert` is that of the index: memory is its storage, and nothing needs to be gathered.
    #[pyo3(signature = (buffer_size=50_000))]
    fn insertion_session<'py>(
        slf: &Bound<'py, Self>,
        buffer_size: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        // datasketch writes to its storage by so many at once.
        let _ = buffer_size;
        slf.py().import("contextlib")?.call_method1("nullcontext", (slf,))
    }

    /// A context whose `remove` is that of the index.
    #[pyo3(signature = (buffer_size=50_000))]
    fn deletion_session<'py>(
        slf: &Bound<'py, Self>,
        buffer_size: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::insertion_session(slf, buffer_size)
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.numbers.bind(key.py()).contains(key)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.numbers.bind(py).len()
    }

    /// Whether there is no signature.
    fn is_empty(&self, py: Python<'_>) -> bool {
        self.numbers.bind(py).is_empty()
    }

    /// The similarity that is looked for.
    #[getter]
    const fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The length of its signatures.
    #[getter]
    const fn num_perm(&self) -> usize {
        self.num_perm
    }

    /// How many bands.
    #[getter]
    const fn b(&self) -> usize {
        self.bands.bands
    }

    /// How many components in each band.
    #[getter]
    const fn r(&self) -> usize {
        self.bands.rows
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!(
            "<tamis.MinHashLSH: {} signatures, threshold={}, num_perm={}, params=({}, {})>",
            self.__len__(py),
            self.threshold,
            self.num_perm,
            self.bands.bands,
            self.bands.rows
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let restore = py.import("tamis._tamis")?.getattr("lsh_from_parts")?;
        let entries = self
            .entries
            .iter()
            .flatten()
            .map(|Entry { key, bands, set }| (key.clone_ref(py), bands.clone(), set.clone()));
        let params = (self.bands.bands, self.bands.rows);
        let made =
            (self.threshold, self.num_perm, params, self.verify, self.shingling.clone(), self.seed);
        let kind = self.kind.map(|kind| (kind.seed, kind.width));
        Ok((restore, (made, kind, entries.collect())))
    }
}

impl MinHashLSH {
    /// What is inserted or looked for, if it fits.
    fn member(&self, object: &Bound<'_, PyAny>) -> PyResult<Member> {
        let member = Member::of(object, &self.shingler, self.num_perm, self.seed)?;
        if member.length != self.num_perm {
            let sentence = format!(
                "these two do not match: num_perm is {} here and {} there; build both with the same options",
                self.num_perm, member.length
            );
            return Err(error(Class::Mismatch, sentence));
        }
        if let Some(ours) = self.kind {
            ours.must_equal(member.kind)?;
        }
        Ok(member)
    }

    /// The numbers of entries that share one of these bands, ascending.
    fn sharing(&self, bands: &[u64]) -> Vec<usize> {
        let buckets = bands.iter().filter_map(|band| self.buckets.get(band));
        let mut found: Vec<usize> = buckets.flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn named(&self, py: Python<'_>, numbers: Vec<usize>) -> Vec<Py<PyAny>> {
        let entries = numbers.into_iter().filter_map(|number| self.entries[number].as_ref());
        entries.map(|entry| entry.key.clone_ref(py)).collect()
    }

    fn push(
        &mut self,
        key: &Bound<'_, PyAny>,
        bands: Vec<u64>,
        set: Option<Vec<u64>>,
    ) -> PyResult<()> {
        let number = self.entries.len();
        self.numbers.bind(key.py()).set_item(key, number)?;
        for &band in &bands {
            self.buckets.entry(band).or_default().push(number);
        }
        self.entries.push(Some(Entry { key: key.clone().unbind(), bands, set }));
        Ok(())
    }
}

/// Bands and rows: as given, by weights, or for a recall.
fn chosen_bands(
    py: Python<'_>,
    threshold: f64,
    num_perm: usize,
    weights: Option<(f64, f64)>,
    params: Option<(usize, usize)>,
    recall: Option<f64>,
) -> PyResult<Bands> {
    if [weights.is_some(), params.is_some(), recall.is_some()].iter().filter(|x| **x).count() > 1 {
        let sentence = "bands follow from recall, weights or params; give one of them";
        return Err(error(Class::Parameter, sentence));
    }
    if let Some(weights) = weights {
        if (weights.0 + weights.1 - 1.0).abs() > 1e-9 || weights.0 < 0.0 || weights.1 < 0.0 {
            let sentence = format!("the weights must add up to 1, got {weights:?}");
            return Err(error(Class::Parameter, sentence));
        }
        return Bands::for_trade_off(num_perm, threshold, weights.0).raised();
    }
    if params.is_some() || recall.is_some() {
        return plan::bands(num_perm, threshold, recall.unwrap_or(RECALL), params);
    }
    let bands = Bands::for_recall(num_perm, threshold, RECALL).raised()?;
    let found = bands.probability(threshold);
    if found < RECALL {
        let sentence = format!(
            "{num_perm} components find {found:.4} of the pairs at the threshold, less than {RECALL}; take more components"
        );
        let category = py.get_type::<PyUserWarning>();
        let sentence = std::ffi::CString::new(sentence)?;
        PyErr::warn(py, &category, &sentence, 1)?;
    }
    Ok(bands)
}

/// The same from its parts: what `pickle` calls.
#[pyfunction]
pub fn lsh_from_parts(
    py: Python<'_>,
    made: (f64, usize, (usize, usize), bool, Shingling, u64),
    kind: Option<(u64, usize)>,
    entries: Vec<EntryParts>,
) -> PyResult<MinHashLSH> {
    let (threshold, num_perm, params, verify, shingling, seed) = made;
    let (params, (shingle, tokens, lowercase, normalize)) = (Some(params), shingling);
    let mut lsh = MinHashLSH::new(
        py, threshold, num_perm, None, params, None, verify, &shingle, lowercase, normalize, seed,
        &tokens,
    )?;
    lsh.kind = kind.map(|(seed, width)| Kind { seed, width });
    for (key, bands, set) in entries {
        lsh.push(key.bind(py), bands, set)?;
    }
    Ok(lsh)
}
