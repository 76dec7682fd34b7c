//! Files as documents, read as the command reads them.

use crate::arrow::ArrowArray;
use crate::errors::{Class, Raised, error};
use arrow_array::builder::LargeStringBuilder;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::OsString;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use tamis_corpus::documents::{Corpus, Document, ReadOptions, Summary, for_each_document};
use tamis_corpus::objects::{self, Opened};

/// Files, how they are read, and which of their documents are preferred.
#[pyclass(frozen, module = "tamis._tamis")]
pub struct Files {
    pub paths: Vec<PathBuf>,
    pub options: ReadOptions,
    pub keep: Keep,
}

/// Which of several copies stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    First,
    Last,
    Longest,
    Largest,
    Smallest,
}

impl Keep {
    /// How much a document is preferred. What has no number comes last.
    pub fn rank(self, document: &Document<'_>) -> f64 {
        let field = || {
            let number = document.field.and_then(|field| field.trim().parse::<f64>().ok());
            number.filter(|number| !number.is_nan())
        };
        match self {
            Self::First => 0.0,
            Self::Last => document.ordinal as f64,
            Self::Longest => document.text.len() as f64,
            Self::Largest => field().unwrap_or(f64::NEG_INFINITY),
            Self::Smallest => field().map_or(f64::NEG_INFINITY, |number| -number),
        }
    }
}

#[pymethods]
impl Files {
    #[new]
    #[pyo3(signature = (paths, text=None, id=None, keep="first", field=None))]
    fn new(
        paths: Vec<PathBuf>,
        text: Option<String>,
        id: Option<String>,
        keep: &str,
        field: Option<String>,
    ) -> PyResult<Self> {
        let keep = match keep {
            "first" => Keep::First,
            "last" => Keep::Last,
            "longest" => Keep::Longest,
            "largest" => Keep::Largest,
            "smallest" => Keep::Smallest,
            other => return Err(error(Class::Parameter, format!("nothing is kept by {other:?}"))),
        };
        let text = text.into_iter().collect();
        Ok(Self { paths, options: ReadOptions { text, id, field, ..Default::default() }, keep })
    }

    /// The files that these inputs stand for, each with its format.
    fn files(&self, py: Python<'_>) -> PyResult<Vec<(OsString, &'static str)>> {
        let files = py.detach(|| Corpus::open(&self.paths, &self.options)?.files()).raised()?;
        // A path of Python would take an address for one.
        Ok(files.into_iter().map(|(path, format)| (path.into(), format.name())).collect())
    }

    /// All documents, batch by batch.
    fn documents(&self) -> Documents {
        let (sender, receiver) = sync_channel(2);
        let (paths, options) = (self.paths.clone(), self.options.clone());
        let options = ReadOptions { field: None, ..options };
        std::thread::spawn(move || send_all(&paths, &options, &sender));
        Documents { receiver: Mutex::new(receiver) }
    }
}

/// An object of a store as a file of Python: what other libraries read from.
#[pyclass(frozen, module = "tamis._tamis")]
pub struct ObjectFile(Mutex<Option<Opened>>);

#[pymethods]
impl ObjectFile {
    #[new]
    fn new(py: Python<'_>, address: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| objects::open(&address)).raised()?;
        Ok(Self(Mutex::new(Some(opened))))
    }

    #[pyo3(signature = (size=-1), text_signature = "($self, size=-1)")]
    fn read<'py>(&self, py: Python<'py>, size: i64) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, |file| {
            let mut bytes = Vec::new();
            // A negative number asks for all that is left.
            let most = u64::try_from(size).unwrap_or(u64::MAX);
            file.by_ref().take(most).read_to_end(&mut bytes).map(|_| bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[pyo3(signature = (offset, whence=0))]
    fn seek(&self, py: Python<'_>, offset: i64, whence: i32) -> PyResult<u64> {
        let to = match whence {
            0 => SeekFrom::Start(u64::try_from(offset).unwrap_or(0)),
            1 => SeekFrom::Current(offset),
            _ => SeekFrom::End(offset),
        };
        self.with(py, |file| file.seek(to))
    }

    fn tell(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, Seek::stream_position)
    }

    const fn readable(&self) -> bool {
        true
    }

    const fn seekable(&self) -> bool {
        true
    }

    const fn writable(&self) -> bool {
        false
    }

    fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    #[getter]
    fn closed(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

impl ObjectFile {
    /// Works on the open file, without the interpreter.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Opened) -> io::Result<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let file = file.as_mut().ok_or_else(|| io::Error::other("the file is closed"))?;
            work(file)
        })
        .map_err(PyErr::from)
    }
}

/// Ids and texts of documents that are handed over at once.
type Batch = (LargeStringBuilder, LargeStringBuilder);

/// The documents of files, batch by batch: an array of ids and one of texts.
///
/// A thread reads ahead by two batches, and ends when nobody takes more.
#[pyclass(frozen, module = "tamis._tamis")]
pub struct Documents {
    receiver: Mutex<Receiver<tamis_corpus::Result<Batch>>>,
}

#[pymethods]
impl Documents {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<(ArrowArray, ArrowArray)>> {
        let next = py.detach(|| {
            let receiver = self.receiver.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            receiver.recv().ok()
        });
        let Some((mut ids, mut texts)) = next.transpose().raised()? else { return Ok(None) };
        Ok(Some((ArrowArray::of(ids.finish()), ArrowArray::of(texts.finish()))))
    }
}

/// Bytes of text, and documents, in a batch.
const BATCH_BYTES: usize = 4 << 20;
const BATCH_DOCUMENTS: usize = 4096;

/// Why the reading ends: it failed, or nobody takes more.
enum End {
    Failed(tamis_corpus::Error),
    Left,
}

impl From<tamis_corpus::Error> for End {
    fn from(error: tamis_corpus::Error) -> Self {
        Self::Failed(error)
    }
}

fn send_all(
    paths: &[PathBuf],
    options: &ReadOptions,
    sender: &SyncSender<tamis_corpus::Result<Batch>>,
) {
    let mut batch = Batch::default();
    let (mut documents, mut bytes) = (0, 0);
    let read: Result<Summary, End> = for_each_document(paths, options, |document| {
        batch.0.append_value(document.id);
        batch.1.append_value(document.text);
        (documents, bytes) = (documents + 1, bytes + document.text.len());
        if bytes >= BATCH_BYTES || documents >= BATCH_DOCUMENTS {
            (documents, bytes) = (0, 0);
            return sender.send(Ok(std::mem::take(&mut batch))).map_err(|_| End::Left);
        }
        Ok(())
    });
    // When nobody takes it, there is nobody to tell.
    match read {
        Ok(_) => drop(sender.send(Ok(batch))),
        Err(End::Failed(failure)) => drop(sender.send(Err(failure))),
        Err(End::Left) => {}
    }
}
