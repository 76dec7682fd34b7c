//! Files as documents, read as the command reads them.

use crate::arrow::ArrowArray;
use crate::errors::{Class, Raised, error};
use arrow_array::builder::LargeStringBuilder;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tamis_corpus::documents::{Document, ReadOptions, Summary, for_each_document};

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

    /// All documents, batch by batch.
    fn documents(&self) -> Documents {
        let (sender, receiver) = sync_channel(2);
        let (paths, options) = (self.paths.clone(), self.options.clone());
        let options = ReadOptions { field: None, ..options };
        std::thread::spawn(move || send_all(&paths, &options, &sender));
        Documents { receiver: Mutex::new(receiver) }
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
