//! Signatures by name, and which of them are like another one.

use crate::errors::{Class, Raised, error};
use crate::minhash::MinHash;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use tamis::similar::lsh::Bands;
use tamis::similar::{Signature, Signer};

/// Finds the signatures that are probably at least as similar as a threshold.
///
/// Bands and rows follow from `threshold` and `weights` (of what is found in vain, and of what is missed), or are given as
/// `params=(b, r)`. Keys can be anything that can be a key of a `dict`. Nothing is verified: compare with `jaccard`.
///
/// >>> import tamis
/// >>> def signed(text):
/// ...     signature = tamis.MinHash()
/// ...     signature.update_batch(text.split())
/// ...     return signature
/// >>> lsh = tamis.MinHashLSH(threshold=0.5)
/// >>> lsh.insert("carrots", signed("peel the carrots and cut them into thin slices"))
/// >>> lsh.insert("leeks", signed("wash two leeks"))
/// >>> lsh.query(signed("peel the carrots and cut them into thick slices"))
/// ['carrots']
/// >>> lsh.remove("carrots")
/// >>> "carrots" in lsh, len(lsh)
/// (False, 1)
#[pyclass(module = "tamis")]
pub struct MinHashLSH {
    threshold: f64,
    num_perm: usize,
    bands: Bands,
    /// How the signatures were made that are in: the first one says it.
    signer: Option<Signer>,
    numbers: Py<PyDict>,
    entries: Vec<Option<Entry>>,
    /// By the hash of a band, the entries that have it.
    buckets: HashMap<u64, Vec<usize>>,
}

struct Entry {
    key: Py<PyAny>,
    bands: Vec<u64>,
}

/// What is pickled: threshold, components, bands and rows, seed, and each key with the hashes of its bands.
type Parts = (f64, usize, (usize, usize), Option<u64>, Vec<(Py<PyAny>, Vec<u64>)>);

#[pymethods]
impl MinHashLSH {
    #[new]
    #[pyo3(signature = (threshold=0.9, num_perm=128, weights=(0.5, 0.5), params=None))]
    fn new(
        py: Python<'_>,
        threshold: f64,
        num_perm: usize,
        weights: (f64, f64),
        params: Option<(usize, usize)>,
    ) -> PyResult<Self> {
        // Refuses numbers that no signature has.
        Signer::new(num_perm).raised()?;
        let bands = match params {
            Some((bands, rows)) => {
                let used = bands.saturating_mul(rows);
                if used == 0 || used > num_perm {
                    let sentence = format!(
                        "{bands} bands of {rows} rows do not fit into {num_perm} components"
                    );
                    return Err(error(Class::Parameter, sentence));
                }
                Bands { bands, rows }
            }
            None => {
                if (weights.0 + weights.1 - 1.0).abs() > 1e-9 || weights.0 < 0.0 || weights.1 < 0.0
                {
                    let sentence = format!("the weights must add up to 1, got {weights:?}");
                    return Err(error(Class::Parameter, sentence));
                }
                Bands::for_trade_off(num_perm, threshold, weights.0).raised()?
            }
        };
        Ok(Self {
            threshold,
            num_perm,
            bands,
            signer: None,
            numbers: PyDict::new(py).unbind(),
            entries: Vec::new(),
            buckets: HashMap::new(),
        })
    }

    /// Adds a signature under a key, which must be new (unless `check_duplication` is off: then it replaces the one before).
    #[pyo3(signature = (key, minhash, check_duplication=true))]
    fn insert(
        &mut self,
        key: &Bound<'_, PyAny>,
        minhash: &Bound<'_, MinHash>,
        check_duplication: bool,
    ) -> PyResult<()> {
        let py = key.py();
        let signature = minhash.get().signature();
        self.check(&signature)?;
        if self.numbers.bind(py).contains(key)? {
            if check_duplication {
                let sentence = format!("{} is in already; remove it first", key.repr()?);
                return Err(error(Class::Parameter, sentence));
            }
            self.remove(key)?;
        }
        self.signer = Some(*signature.signer());
        let bands = self.bands_of(&signature);
        self.push(py, key, bands)
    }

    /// The keys of signatures that share a band with this one, in the order of their insertion.
    fn query(&self, py: Python<'_>, minhash: &Bound<'_, MinHash>) -> PyResult<Vec<Py<PyAny>>> {
        let signature = minhash.get().signature();
        self.check(&signature)?;
        let mut found: Vec<usize> = Vec::new();
        for band in self.bands_of(&signature) {
            found.extend(self.buckets.get(&band).into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        let entries = found.into_iter().filter_map(|number| self.entries[number].as_ref());
        Ok(entries.map(|entry| entry.key.clone_ref(py)).collect())
    }

    /// Takes the signature under a key out.
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

    /// The keys, in the order of their insertion.
    fn keys(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.entries.iter().flatten().map(|entry| entry.key.clone_ref(py)).collect()
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
        let entries = self.entries.iter().flatten();
        let entries = entries.map(|entry| (entry.key.clone_ref(py), entry.bands.clone())).collect();
        let params = (self.bands.bands, self.bands.rows);
        let seed = self.signer.map(|signer| signer.hash().seed());
        Ok((restore, (self.threshold, self.num_perm, params, seed, entries)))
    }
}

impl MinHashLSH {
    fn check(&self, signature: &Signature) -> PyResult<()> {
        let signer = signature.signer();
        if signer.components() != self.num_perm {
            let sentence = format!(
                "these two do not match: num_perm is {} here and {} there; build both with the same options",
                self.num_perm,
                signer.components()
            );
            return Err(error(Class::Mismatch, sentence));
        }
        match self.signer {
            Some(ours) if ours != *signer => {
                let sentence = format!(
                    "these two do not match: the seed is {} here and {} there; build both with the same options",
                    ours.hash().seed(),
                    signer.hash().seed()
                );
                Err(error(Class::Mismatch, sentence))
            }
            _ => Ok(()),
        }
    }

    /// The hashes of a signature's bands; the empty set is like nothing.
    fn bands_of(&self, signature: &Signature) -> Vec<u64> {
        if signature.is_empty() {
            return Vec::new();
        }
        self.bands.hashes(signature.components()).collect()
    }

    fn push(&mut self, py: Python<'_>, key: &Bound<'_, PyAny>, bands: Vec<u64>) -> PyResult<()> {
        let number = self.entries.len();
        self.numbers.bind(py).set_item(key, number)?;
        for &band in &bands {
            self.buckets.entry(band).or_default().push(number);
        }
        self.entries.push(Some(Entry { key: key.clone().unbind(), bands }));
        Ok(())
    }
}

/// The same from its parts: what `pickle` calls.
#[pyfunction]
pub fn lsh_from_parts(
    py: Python<'_>,
    threshold: f64,
    num_perm: usize,
    params: (usize, usize),
    seed: Option<u64>,
    entries: Vec<(Py<PyAny>, Vec<u64>)>,
) -> PyResult<MinHashLSH> {
    let mut lsh = MinHashLSH::new(py, threshold, num_perm, (0.5, 0.5), Some(params))?;
    lsh.signer = seed.map(|seed| crate::minhash::signer(num_perm, seed)).transpose()?;
    for (key, bands) in entries {
        lsh.push(py, key.bind(py), bands)?;
    }
    Ok(lsh)
}
