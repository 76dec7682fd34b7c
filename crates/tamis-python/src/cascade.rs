//! Exact categories without the keys.

use crate::errors::{Class, Raised, error, type_name};
use crate::filters::key_hash;
use crate::{keys, numpy};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyString, PyType};
use std::path::PathBuf;
use tamis::cascade::{Answer, Trainer};
use tamis::filter::Stored;
use tamis_corpus::files;

/// A map from keys to a few categories that stores no key and makes no error on what it was trained with.
///
/// A key that was not trained gets some category; with `reject=BITS` it is refused, but for one in `2**BITS`.
///
/// >>> import tamis
/// >>> kinds = tamis.Cascade.train({"leaf": ["leek", "spinach"], "root": ["carrot", "turnip"]}, reject=16)
/// >>> kinds["leek"], kinds.get("pineapple", "unknown")
/// ('leaf', 'unknown')
/// >>> kinds.classify(["turnip", "pineapple"])
/// ['root', None]
/// >>> kinds["pineapple"]
/// Traceback (most recent call last):
/// tamis.NotFoundError: 'pineapple' was not trained
#[pyclass(frozen, module = "tamis")]
pub struct Cascade {
    cascade: tamis::cascade::Cascade,
    names: Vec<Py<PyString>>,
}

impl Cascade {
    fn new(py: Python<'_>, cascade: tamis::cascade::Cascade) -> Self {
        // Names are text here; bytes of another encoding are shown as far as they can be.
        let name = |name: &[u8]| PyString::new(py, &String::from_utf8_lossy(name)).unbind();
        let names = cascade.categories().map(name).collect();
        Self { cascade, names }
    }

    fn answer(&self, key: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyString>>> {
        let (hash, kinds) = keys::hash_of(key, self.cascade.hash())?;
        self.cascade.check_keys(kinds).raised()?;
        Ok(self.name(key.py(), self.cascade.classify_hash(hash)))
    }

    fn answers(&self, keys: &Bound<'_, PyAny>) -> PyResult<Vec<Answer>> {
        keys::answers(keys, self.cascade.hash(), Answer::NotCovered, |hashes, kinds, answers| {
            self.cascade.check_keys(kinds).raised()?;
            self.cascade.classify_hashes(hashes, answers);
            Ok(())
        })
    }

    fn name(&self, py: Python<'_>, answer: Answer) -> Option<Py<PyString>> {
        self.names.get(answer.category()? as usize).map(|name| name.clone_ref(py))
    }
}

#[pymethods]
impl Cascade {
    /// Trains a cascade from a mapping of categories to their keys, or from pairs of a key and its category.
    ///
    /// >>> import tamis
    /// >>> kinds = tamis.Cascade.train([("leek", "leaf"), ("carrot", "root"), ("turnip", "root")])
    /// >>> kinds["turnip"], kinds.categories, kinds.counts
    /// ('root', ['leaf', 'root'], [1, 2])
    /// >>> tamis.Cascade.train({"leaf": ["leek"], "root": ["leek"]})
    /// Traceback (most recent call last):
    /// tamis.ParameterError: a key is in two categories, 'leaf' and 'root'; it can be in one
    #[classmethod]
    #[pyo3(signature = (data, *, reject=0, hash="xxh3", seed=0))]
    fn train(
        class: &Bound<'_, PyType>,
        data: &Bound<'_, PyAny>,
        reject: u32,
        hash: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let py = class.py();
        let mut trainer = Trainer::new(key_hash(hash, seed)?);
        match data.cast::<PyMapping>() {
            Ok(mapping) => collect_mapping(&mut trainer, mapping)?,
            Err(_) => collect_pairs(&mut trainer, data)?,
        }
        let conflicts = py.detach(|| trainer.conflicts());
        let cascade = match conflicts.first() {
            Some(conflict) => return Err(conflicting(trainer, conflict.categories)),
            None => py.detach(|| trainer.build(reject)).raised()?,
        };
        Ok(Self::new(py, cascade))
    }

    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Py<PyString>> {
        match self.answer(key)? {
            Some(name) => Ok(name),
            None => Err(error(Class::NotFound, format!("{} was not trained", key.repr()?))),
        }
    }

    /// The category of a key; `default` if it is known that the key was not trained.
    #[pyo3(signature = (key, default=None))]
    fn get(
        &self,
        key: &Bound<'_, PyAny>,
        default: Option<Py<PyAny>>,
    ) -> PyResult<Option<Py<PyAny>>> {
        Ok(self.answer(key)?.map(Py::into_any).or(default))
    }

    /// The categories of many keys, in their order; `None` for those that were not trained.
    ///
    /// Takes a list or another iterable, an array of NumPy, or an array or column of Arrow.
    fn classify(&self, keys: &Bound<'_, PyAny>) -> PyResult<Vec<Option<Py<PyString>>>> {
        let answers = self.answers(keys)?;
        Ok(answers.into_iter().map(|answer| self.name(keys.py(), answer)).collect())
    }

    /// The categories of many keys as an array of places in `categories`; -1 for those that were not trained.
    ///
    /// >>> import tamis
    /// >>> kinds = tamis.Cascade.train({"leaf": ["leek"], "root": ["carrot"]}, reject=16)
    /// >>> kinds.classify_codes(["carrot", "pineapple"]).tolist()
    /// [1, -1]
    fn classify_codes<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let answers = self.answers(keys)?.into_iter();
        let codes: Vec<i32> =
            answers.map(|answer| answer.category().map_or(-1, |code| code as i32)).collect();
        numpy::array(keys.py(), &codes)
    }

    /// The names of the categories.
    #[getter]
    fn categories(&self, py: Python<'_>) -> Vec<Py<PyString>> {
        self.names.iter().map(|name| name.clone_ref(py)).collect()
    }

    /// How many keys of each category were trained.
    #[getter]
    fn counts(&self) -> Vec<u64> {
        self.cascade.counts().to_vec()
    }

    /// Bits of the fingerprints that refuse unknown keys; 0 if none are refused.
    #[getter]
    fn reject(&self) -> u32 {
        self.cascade.reject_bits()
    }

    /// How many keys were trained.
    fn __len__(&self) -> usize {
        self.cascade.counts().iter().sum::<u64>() as usize
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Self>() else { return Ok(py.NotImplemented()) };
        let equal = self.cascade == other.get().cascade;
        Ok(equal.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __repr__(&self) -> String {
        format!("<tamis.Cascade: {} keys in {} categories>", self.__len__(), self.names.len())
    }

    /// Writes the cascade to a file, whole or not at all. The command `tamis cascade` opens it.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            files::write_atomically(&path, |out| -> tamis_corpus::Result<()> {
                Ok(self.cascade.write(out)?)
            })
        })
        .raised()
    }

    /// Opens a file that `save` or the command `tamis cascade train` has written.
    #[classmethod]
    fn load(class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        let py = class.py();
        let cascade = py.detach(|| {
            let bytes = files::map(&path).raised()?;
            tamis::cascade::Cascade::from_bytes(bytes.as_ref()).raised_in(&path)
        })?;
        Ok(Self::new(py, cascade))
    }

    /// The bytes of the file that `save` would write.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        self.cascade.write(&mut bytes).raised()?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let restore = py.import("tamis._tamis")?.getattr("cascade_from_bytes")?;
        Ok((restore, (self.to_bytes(py)?,)))
    }
}

fn collect_mapping(trainer: &mut Trainer, mapping: &Bound<'_, PyMapping>) -> PyResult<()> {
    for item in mapping.items()? {
        let (name, keys): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let category = number(trainer, &name)?;
        let (hashes, kinds) = keys::hashes_of(&keys, trainer.hash())?;
        trainer.record_keys(kinds);
        for hash in hashes {
            trainer.insert_hash(category, hash);
        }
    }
    Ok(())
}

fn collect_pairs(trainer: &mut Trainer, pairs: &Bound<'_, PyAny>) -> PyResult<()> {
    let refused = |got: &Bound<'_, PyAny>| {
        let got = type_name(got);
        let sentence = format!(
            "training takes a mapping of categories to keys, or pairs of key and category, got {got}"
        );
        error(Class::WrongType, sentence)
    };
    for pair in pairs.try_iter().map_err(|_| refused(pairs))? {
        let pair = pair?;
        let (key, name): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
            pair.extract().map_err(|_| refused(&pair))?;
        let category = number(trainer, &name)?;
        let (hash, kinds) = keys::hash_of(&key, trainer.hash())?;
        trainer.record_keys(kinds);
        trainer.insert_hash(category, hash);
    }
    Ok(())
}

fn number(trainer: &mut Trainer, name: &Bound<'_, PyAny>) -> PyResult<u32> {
    let Ok(name) = name.cast::<PyString>() else {
        let sentence = format!("a category is named by a str, got {}", type_name(name));
        return Err(error(Class::WrongType, sentence));
    };
    let name = name.to_str().map_err(|_| keys::lone_surrogate("the name of a category"))?;
    trainer.category(name).raised()
}

fn conflicting(trainer: Trainer, (first, second): (u32, u32)) -> PyErr {
    let name = |category| String::from_utf8_lossy(trainer.name(category)).into_owned();
    let (first, second) = (name(first), name(second));
    let sentence =
        format!("a key is in two categories, '{first}' and '{second}'; it can be in one");
    error(Class::Parameter, sentence)
}

/// A cascade from the bytes of its file: what `pickle` calls.
#[pyfunction]
pub fn cascade_from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Cascade> {
    let cascade = py.detach(|| tamis::cascade::Cascade::from_bytes(bytes)).raised()?;
    Ok(Cascade::new(py, cascade))
}
