//! Signatures of sets, by the names that users of datasketch know.

use crate::errors::{Class, Raised, error, type_name};
use crate::{keys, numpy};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis::hash::KeyHash;
use tamis::similar::{Signature, Signer};
use tamis_corpus::files;

/// A signature of a set, from which its similarity to other sets is estimated.
///
/// `num_perm` components, 1 to 4096: more are larger and more exact. Only signatures of the same `num_perm` and
/// `seed` can be compared. `hashvalues` is what `digest` of another one has returned, or a row of `signatures`.
///
/// >>> import tamis
/// >>> left, right = tamis.MinHash(num_perm=256), tamis.MinHash(num_perm=256)
/// >>> left.update_batch(range(0, 1000))
/// >>> right.update_batch(range(500, 1500))
/// >>> abs(left.jaccard(right) - 1 / 3) < 0.1
/// True
///
/// With `hashfunc` an item may be anything that this function turns into an integer, `str` or `bytes`. It is not saved in files.
///
/// >>> weighed = tamis.MinHash(hashfunc=len)
/// >>> weighed.update([1, 2, 3])
#[pyclass(frozen, subclass, module = "tamis")]
pub struct MinHash {
    signer: Signer,
    signature: Mutex<Signature>,
    hashfunc: Option<Py<PyAny>>,
}

impl MinHash {
    fn new(signature: Signature, hashfunc: Option<Py<PyAny>>) -> Self {
        Self { signer: *signature.signer(), signature: Mutex::new(signature), hashfunc }
    }

    fn function(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.hashfunc.as_ref().map(|function| function.clone_ref(py))
    }

    fn lock(&self) -> MutexGuard<'_, Signature> {
        self.signature.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy of the signature.
    pub fn signature(&self) -> Signature {
        self.lock().clone()
    }
}

/// How signatures of this length and seed are made.
pub fn signer(num_perm: usize, seed: u64) -> PyResult<Signer> {
    Ok(Signer::new(num_perm).raised()?.with_hash(KeyHash::new(seed)))
}

/// Items are hashed in one way, whatever the seed; that chooses the functions of their hashes.
const ITEMS: KeyHash = KeyHash::new(0);

#[pymethods]
impl MinHash {
    #[new]
    #[pyo3(signature = (num_perm=128, seed=1, *, hashfunc=None, hashvalues=None))]
    fn of(
        num_perm: usize,
        seed: u64,
        hashfunc: Option<Py<PyAny>>,
        hashvalues: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let Some(values) = hashvalues else {
            return Ok(Self::new(Signature::empty(signer(num_perm, seed)?), hashfunc));
        };
        let values = components(values)?;
        let signer = signer(values.len(), seed)?;
        Ok(Self::new(Signature::from_components(signer, values).raised()?, hashfunc))
    }

    /// Adds an item: `str`, `bytes` or an `int`.
    fn update(&self, b: &Bound<'_, PyAny>) -> PyResult<()> {
        let item = match &self.hashfunc {
            Some(function) => keys::hash_of(&function.bind(b.py()).call1((b,))?, &ITEMS)?.0,
            None => keys::hash_of(b, &ITEMS)?.0,
        };
        self.lock().insert_hashes(&[item]);
        Ok(())
    }

    /// Adds many items: of a list or another iterable, an array of NumPy, or an array or column of Arrow.
    fn update_batch(&self, py: Python<'_>, b: &Bound<'_, PyAny>) -> PyResult<()> {
        let items = items_of(b, self.hashfunc.as_ref())?;
        py.detach(|| self.lock().insert_hashes(&items));
        Ok(())
    }

    /// The estimated similarity of the two sets.
    ///
    /// >>> import tamis
    /// >>> tamis.MinHash(seed=1).jaccard(tamis.MinHash(seed=2))
    /// Traceback (most recent call last):
    /// tamis.MismatchError: these two do not match: the seed is 1 here and 2 there; build both with the same options
    fn jaccard(&self, other: &Bound<'_, Self>) -> PyResult<f64> {
        let other = other.get().signature();
        let similarity = self.lock().similarity(&other);
        similarity.raised()
    }

    /// Turns this into the signature of the union of both sets.
    fn merge(&self, other: &Bound<'_, Self>) -> PyResult<()> {
        let other = other.get().signature();
        let merged = self.lock().merge(&other);
        merged.raised()
    }

    /// The signature of the union of all.
    ///
    /// >>> import tamis
    /// >>> parts = tamis.MinHash.bulk([[b"a", b"b"], [b"b", b"c"]])
    /// >>> whole = tamis.MinHash()
    /// >>> whole.update_batch([b"a", b"b", b"c"])
    /// >>> tamis.MinHash.union(*parts) == whole
    /// True
    #[staticmethod]
    #[pyo3(signature = (*minhashes))]
    fn union(minhashes: Vec<Bound<'_, Self>>) -> PyResult<Self> {
        let Some((first, others)) = minhashes.split_first() else {
            return Err(error(Class::Parameter, "a union needs at least one signature"));
        };
        let mut union = first.get().signature();
        for other in others {
            union.merge(&other.get().signature()).raised()?;
        }
        Ok(Self::new(union, first.get().function(first.py())))
    }

    /// A signature of each of these sets.
    #[staticmethod]
    #[pyo3(signature = (sets, num_perm=128, seed=1, *, hashfunc=None))]
    fn bulk(
        sets: &Bound<'_, PyAny>,
        num_perm: usize,
        seed: u64,
        hashfunc: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Self>> {
        let signer = signer(num_perm, seed)?;
        sets.try_iter()?
            .map(|set| {
                let items = items_of(&set?, hashfunc.as_ref())?;
                let mut signature = Signature::empty(signer);
                sets.py().detach(|| signature.insert_hashes(&items));
                let function = hashfunc.as_ref().map(|function| function.clone_ref(sets.py()));
                Ok(Self::new(signature, function))
            })
            .collect()
    }

    /// The components, as an array of 64-bit numbers.
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy::array(py, self.signature().components())
    }

    /// The components; the same as `digest()`.
    #[getter]
    fn hashvalues<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.digest(py)
    }

    /// How many different items were added, estimated.
    ///
    /// >>> import tamis
    /// >>> many = tamis.MinHash(num_perm=1024)
    /// >>> many.update_batch(range(100_000))
    /// >>> 90_000 < many.count() < 110_000
    /// True
    fn count(&self) -> f64 {
        self.lock().estimated_items()
    }

    /// Whether nothing was added.
    fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Forgets all items.
    fn clear(&self) {
        *self.lock() = Signature::empty(self.signer);
    }

    /// A signature of the same items, which goes its own way.
    fn copy(&self, py: Python<'_>) -> Self {
        Self::new(self.signature(), self.function(py))
    }

    /// What turns an item into an integer, if a function was given.
    #[getter]
    fn hashfunc(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.function(py)
    }

    /// Always `None`: there are no permutations. datasketch has theirs here, to be passed on.
    #[getter]
    const fn permutations(&self) -> Option<Py<PyAny>> {
        None
    }

    /// How many components.
    #[getter]
    const fn num_perm(&self) -> usize {
        self.signer.components()
    }

    /// The seed.
    #[getter]
    const fn seed(&self) -> u64 {
        self.signer.hash().seed()
    }

    const fn __len__(&self) -> usize {
        self.signer.components()
    }

    // An empty signature is as true as any other.
    const fn __bool__(&self) -> bool {
        true
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Self>() else { return Ok(py.NotImplemented()) };
        let equal = self.signature() == other.get().signature();
        Ok(equal.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __repr__(&self) -> String {
        format!("<tamis.MinHash: num_perm={}, seed={}>", self.num_perm(), self.seed())
    }

    /// Writes the signature to a file, whole or not at all.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let signature = self.signature();
        files::write_atomically(&path, |out| -> tamis_corpus::Result<()> {
            Ok(signature.write(out)?)
        })
        .raised()
    }

    /// Opens a file that `save` has written.
    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        let bytes = files::map(&path).raised()?;
        Ok(Self::new(Signature::from_bytes(bytes.as_ref()).raised_in(&path)?, None))
    }

    /// The bytes of the file that `save` would write.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        self.signature().write(&mut bytes).raised()?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let restore = py.import("tamis._tamis")?.getattr("minhash_from_bytes")?;
        Ok((restore, (self.to_bytes(py)?, self.function(py))))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.hashfunc)
    }
}

/// What is pickled: the bytes of the file, and the function that makes integers of items.
type Parts<'py> = (Bound<'py, PyBytes>, Option<Py<PyAny>>);

/// The hashes of many items.
fn items_of(items: &Bound<'_, PyAny>, function: Option<&Py<PyAny>>) -> PyResult<Vec<u64>> {
    match function {
        None => Ok(keys::hashes_of(items, &ITEMS)?.0),
        Some(function) => items
            .try_iter()?
            .map(|item| {
                let item = function.bind(items.py()).call1((item?,))?;
                Ok(keys::hash_of(&item, &ITEMS)?.0)
            })
            .collect(),
    }
}

/// Components from an array of 64-bit numbers, or from any iterable of numbers.
fn components(values: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    if values.hasattr("dtype")?
        && let Ok(values) = numpy::values(values)
    {
        return Ok(values);
    }
    let refused = |_| {
        let got = type_name(values);
        error(Class::WrongType, format!("hashvalues are numbers of 64 bits, got {got}"))
    };
    values.try_iter().map_err(refused)?.map(|value| value?.extract().map_err(refused)).collect()
}

/// A signature from the bytes of its file: what `pickle` calls.
#[pyfunction]
#[pyo3(signature = (bytes, hashfunc=None))]
pub fn minhash_from_bytes(bytes: &[u8], hashfunc: Option<Py<PyAny>>) -> PyResult<MinHash> {
    Ok(MinHash::new(Signature::from_bytes(bytes).raised()?, hashfunc))
}
