//! The filters: one class that asks, one that also adds, and a class for each structure.

mod counting;
mod kinds;
mod mutable;

pub use counting::{CountingFilter, width};
pub use kinds::{BloomFilter, GrowingFilter, RotatingFilter, StaticFilter, parse_layout};
pub use mutable::MutableFilter;

use crate::errors::{Class, Raised, error};
use crate::{keys, numpy};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tamis::codec::Kind;
use tamis::filter::AnyFilter;
use tamis::hash::{Algorithm, KeyHash, KeyKinds};
use tamis_corpus::files;

/// What every filter can be asked. `BloomFilter`, `CountingFilter`, `GrowingFilter`,
/// `RotatingFilter` and `StaticFilter` are filters.
///
/// A key is a `str`, `bytes` or an `int`; `"7"` and `b"7"` are one key, `7` is another. A filter
/// records which it was built from (`key_kinds`), and raises `WrongTypeError` when it is asked for
/// the other. A key that was added is always found; one that was not is found with a
/// small probability.
#[pyclass(frozen, subclass, module = "tamis")]
pub struct Filter {
    hash: KeyHash,
    /// On the heap: objects of Python are aligned to 16 bytes, and filters need more.
    filter: Box<RwLock<AnyFilter>>,
}

impl Filter {
    pub fn new(filter: AnyFilter) -> Self {
        Self { hash: *filter.hash(), filter: Box::new(RwLock::new(filter)) }
    }

    /// The filter, to be asked. No Python code may run while it is held: another thread may have the interpreter and
    /// wait for the filter. An exception is made after it is let go.
    pub fn read(&self) -> RwLockReadGuard<'_, AnyFilter> {
        self.filter.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The filter, to be changed, under the same rule.
    pub fn write(&self) -> RwLockWriteGuard<'_, AnyFilter> {
        self.filter.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The hash of a key.
    #[inline]
    pub fn hash_of(&self, key: &Bound<'_, PyAny>) -> PyResult<keys::Hashed> {
        keys::hash_of(key, &self.hash)
    }

    /// The hashes of many keys, and their kinds.
    pub fn hashes_of(&self, keys: &Bound<'_, PyAny>) -> PyResult<(Vec<u64>, KeyKinds)> {
        keys::hashes_of(keys, &self.hash)
    }

    /// The hash of a key to ask for: its kind must be one that the filter was built from.
    #[inline]
    pub fn asked_hash_of(&self, key: &Bound<'_, PyAny>) -> PyResult<u64> {
        let (hash, kinds) = self.hash_of(key)?;
        self.check_keys(kinds)?;
        Ok(hash)
    }

    /// The hashes of many keys to ask for.
    pub fn asked_hashes_of(&self, keys: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
        let (hashes, kinds) = self.hashes_of(keys)?;
        self.check_keys(kinds)?;
        Ok(hashes)
    }

    #[inline]
    fn check_keys(&self, kinds: KeyKinds) -> PyResult<()> {
        // An exception is made after the lock is let go.
        let checked = self.read().check_keys(kinds);
        checked.raised()
    }

    /// What is answered to the hashes of many keys; see [`keys::answers`].
    pub fn answers<T: Copy + Send + Sync>(
        &self,
        keys: &Bound<'_, PyAny>,
        nothing: T,
        ask: impl Fn(&[u64], &mut [T]) -> PyResult<()> + Sync,
    ) -> PyResult<Vec<T>> {
        keys::answers(keys, &self.hash, nothing, |hashes, kinds, answers| {
            self.check_keys(kinds)?;
            ask(hashes, answers)
        })
    }

    /// What is true of both filters; `NotImplemented` for what is no filter.
    fn compared(
        &self,
        other: &Bound<'_, PyAny>,
        holds: impl Fn(&AnyFilter, &AnyFilter) -> tamis::Result<bool> + Send + Sync,
    ) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Self>() else { return Ok(py.NotImplemented()) };
        let holds = self.with_other(py, other.get(), holds)?;
        Ok(holds.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    /// What is true of both filters, which may be one.
    pub fn with_other(
        &self,
        py: Python<'_>,
        other: &Self,
        holds: impl Fn(&AnyFilter, &AnyFilter) -> tamis::Result<bool> + Send + Sync,
    ) -> PyResult<bool> {
        let holds = py.detach(|| {
            if std::ptr::eq(self, other) {
                let both = self.read();
                return holds(&both, &both);
            }
            holds(&self.read(), &other.read())
        });
        holds.raised()
    }

    fn bytes(&self) -> PyResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let written = self.read().write(&mut bytes);
        written.raised()?;
        Ok(bytes)
    }
}

/// The object of the class that this filter has in Python.
pub fn object_of(py: Python<'_>, filter: AnyFilter) -> PyResult<Py<PyAny>> {
    let kind = filter.kind();
    let base = PyClassInitializer::from(Filter::new(filter));
    if kind == Kind::Static {
        return Ok(Py::new(py, base.add_subclass(StaticFilter))?.into_any());
    }
    let base = base.add_subclass(MutableFilter);
    Ok(match kind {
        Kind::Bloom => Py::new(py, base.add_subclass(BloomFilter))?.into_any(),
        Kind::Counting => Py::new(py, base.add_subclass(CountingFilter))?.into_any(),
        Kind::Growing => Py::new(py, base.add_subclass(GrowingFilter))?.into_any(),
        Kind::Rotating => Py::new(py, base.add_subclass(RotatingFilter))?.into_any(),
        other => {
            let sentence = format!("{} has no class in Python; use the command", other.described());
            return Err(error(Class::Format, sentence));
        }
    })
}

/// The hash of these names.
pub fn key_hash(hash: &str, seed: u64) -> PyResult<KeyHash> {
    Ok(KeyHash::with_algorithm(hash.parse::<Algorithm>().raised()?, seed))
}

#[pymethods]
impl Filter {
    /// Opens a file that `save` or the command `tamis filter` has written.
    ///
    /// `Filter.load` opens a filter of any kind; on another class the file must hold a filter of
    /// that class. Everything is checked, to the last byte.
    ///
    /// >>> import tamis
    /// >>> tamis.Filter.load("none.tamis")
    /// Traceback (most recent call last):
    /// tamis.MissingFileError: cannot read none.tamis: No such file or directory (os error 2)
    #[classmethod]
    #[pyo3(signature = (path, hash_func=None))]
    fn load(
        class: &Bound<'_, PyType>,
        path: PathBuf,
        hash_func: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let py = class.py();
        without_function(hash_func)?;
        let filter = py.detach(|| {
            let bytes = files::map(&path).raised()?;
            AnyFilter::from_bytes(bytes.as_ref()).raised_in(&path)
        })?;
        of_class(class, filter, &format!("{}: ", path.display()))
    }

    /// A filter from what `save_bytes` has returned, or from the bytes of a file.
    #[classmethod]
    #[pyo3(signature = (bytes, hash_func=None))]
    fn load_bytes(
        class: &Bound<'_, PyType>,
        bytes: &[u8],
        hash_func: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        without_function(hash_func)?;
        let filter = class.py().detach(|| AnyFilter::from_bytes(bytes)).raised()?;
        of_class(class, filter, "")
    }

    /// Writes the filter to a file, which appears whole or not at all. The command `tamis filter`
    /// opens it, and so does every later version.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            files::write_atomically(&path, |out| -> tamis_corpus::Result<()> {
                Ok(self.read().write(out)?)
            })
        })
        .raised()
    }

    /// The bytes of the file that `save` would write.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The same as `to_bytes`, by the name that rbloom gives it.
    fn save_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.to_bytes(py)
    }

    /// A copy that can be changed without changing this filter.
    fn copy(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let copy = py.detach(|| self.read().to_owned());
        object_of(py, copy.raised()?)
    }

    /// Writes the bytes of the file into an open one, by the name that pybloom gives it.
    fn tofile(&self, f: &Bound<'_, PyAny>) -> PyResult<()> {
        f.call_method1("write", (self.to_bytes(f.py())?,)).map(|_| ())
    }

    /// A filter from the rest of an open file.
    #[classmethod]
    fn fromfile(class: &Bound<'_, PyType>, f: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let bytes = f.call_method0("read")?;
        Self::load_bytes(class, bytes.extract()?, None)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let restore = py.import("tamis._tamis")?.getattr("filter_from_bytes")?;
        Ok((restore, (self.to_bytes(py)?,)))
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let hash = self.asked_hash_of(key)?;
        Ok(self.read().contains_hash(hash))
    }

    /// Which of these keys are probably in, as an array of truth values in their order.
    ///
    /// Takes a list or another iterable, an array of NumPy, or an array or column of Arrow. Arrays of integers, and
    /// strings of Arrow, are read where they are.
    ///
    /// >>> import tamis
    /// >>> seen = tamis.BloomFilter(items=1000, rate=0.001)
    /// >>> seen.update(["leek", "turnip"])
    /// >>> seen.contains_many(["leek", "carrot"]).tolist()
    /// [True, False]
    fn contains_many<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.answers(keys, false, |hashes, found| {
            self.read().contains_many_hashes(hashes, found);
            Ok(())
        })?;
        numpy::bools(py, &found)
    }

    /// How many keys were added, repetitions included.
    fn __len__(&self) -> usize {
        self.read().len() as usize
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Self>() else { return Ok(py.NotImplemented()) };
        let other = other.get();
        let equal = std::ptr::eq(self, other) || *self.read() == *other.read();
        Ok(equal.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __le__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.compared(other, AnyFilter::is_subset)
    }

    fn __ge__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.compared(other, |ours, theirs| theirs.is_subset(ours))
    }

    fn __lt__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.compared(other, |ours, theirs| Ok(ours.is_subset(theirs)? && !theirs.is_subset(ours)?))
    }

    fn __gt__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.compared(other, |ours, theirs| Ok(theirs.is_subset(ours)? && !ours.is_subset(theirs)?))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let (name, filter) = (slf.get_type().name()?, slf.get().read());
        let design = filter.design();
        Ok(format!(
            "<tamis.{name}: {} keys, made for {} at a rate of {}>",
            filter.len(),
            design.items,
            design.rate
        ))
    }

    /// For how many keys it was made.
    #[getter]
    fn items(&self) -> u64 {
        self.read().design().items
    }

    /// The false-positive rate with as many keys as it was made for.
    #[getter]
    fn rate(&self) -> f64 {
        self.read().design().rate
    }

    /// The same as `items`, by the name that pybloom gives it.
    #[getter]
    fn capacity(&self) -> u64 {
        self.items()
    }

    /// The same as `rate`, by the name that pybloom gives it.
    #[getter]
    fn error_rate(&self) -> f64 {
        self.rate()
    }

    /// The same as `estimated_items`, by the name that rbloom gives it.
    #[getter]
    fn approx_items(&self) -> f64 {
        self.estimated_items()
    }

    /// The same as `bits`, by the name that rbloom gives it.
    #[getter]
    fn size_in_bits(&self) -> u64 {
        self.bits()
    }

    /// Always `None`: the hash is built in, and recorded in the file. rbloom has a function of Python here.
    #[getter]
    const fn hash_func(&self) -> Option<Py<PyAny>> {
        None
    }

    /// Which keys it was built from: `"text"`, `"integers"`, `"text and integers"`; `"no keys"` if it is empty.
    #[getter]
    fn key_kinds(&self) -> String {
        self.read().key_kinds().to_string()
    }

    /// How many bits it has.
    #[getter]
    fn bits(&self) -> u64 {
        self.read().bits()
    }

    /// How many functions of a key it uses.
    #[getter]
    fn hashes(&self) -> u32 {
        self.read().hashes()
    }

    /// How the bits of a key are placed: `"blocked"`, `"classic"` or `"ribbon"`.
    #[getter]
    fn layout(&self) -> &'static str {
        self.read().layout()
    }

    /// The hash: `"xxh3"`, `"farmhash64"` or `"murmur3"`.
    #[getter]
    fn hash(&self) -> &'static str {
        self.hash.algorithm().name()
    }

    /// The seed of the hash.
    #[getter]
    fn seed(&self) -> u64 {
        self.hash.seed()
    }

    /// The part of the bits or counters that is not zero.
    #[getter]
    fn fill(&self) -> f64 {
        self.read().fill()
    }

    /// How many different keys were added, estimated from the fill.
    #[getter]
    fn estimated_items(&self) -> f64 {
        self.read().estimated_items()
    }

    /// The probability that a key which was never added is found now.
    #[getter]
    fn current_false_positive_rate(&self) -> f64 {
        self.read().current_false_positive_rate()
    }
}

/// The object of a filter, which must be of this class.
fn of_class(class: &Bound<'_, PyType>, filter: AnyFilter, place: &str) -> PyResult<Py<PyAny>> {
    let kind = filter.kind().described();
    let object = object_of(class.py(), filter)?;
    if object.bind(class.py()).is_instance(class)? {
        return Ok(object);
    }
    let sentence = format!("{place}this is {kind}, not a {}", class.name()?);
    Err(error(Class::Format, sentence))
}

/// Refuses a hash function of Python: the file says which hash it was made with.
fn without_function(function: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match function {
        None => Ok(()),
        Some(_) => Err(error(
            Class::Parameter,
            "the hash is built in and recorded in the file; load without hash_func",
        )),
    }
}

/// A filter from the bytes of its file: what `pickle` calls.
#[pyfunction]
pub fn filter_from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Py<PyAny>> {
    let filter = py.detach(|| AnyFilter::from_bytes(bytes)).raised()?;
    object_of(py, filter)
}
