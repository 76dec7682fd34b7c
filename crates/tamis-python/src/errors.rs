//! Refusals as Python's exceptions: the classes of `tamis._errors`, with the library's sentences.

use pyo3::prelude::*;
use pyo3::types::PyType;
use std::error::Error as _;
use std::io;
use std::path::Path;

/// The classes of exceptions, by their names in Python.
#[derive(Debug, Clone, Copy)]
pub enum Class {
    Parameter,
    WrongType,
    Text,
    Mismatch,
    Unsupported,
    Format,
    File,
    MissingFile,
    NotFound,
}

impl Class {
    const fn name(self) -> &'static str {
        match self {
            Self::Parameter => "ParameterError",
            Self::WrongType => "WrongTypeError",
            Self::Text => "TextError",
            Self::Mismatch => "MismatchError",
            Self::Unsupported => "UnsupportedError",
            Self::Format => "FormatError",
            Self::File => "FileError",
            Self::MissingFile => "MissingFileError",
            Self::NotFound => "NotFoundError",
        }
    }
}

/// An exception of this class.
pub fn error(class: Class, sentence: impl Into<String>) -> PyErr {
    let sentence = sentence.into();
    Python::attach(|py| {
        let found = py.import("tamis._errors").and_then(|module| module.getattr(class.name()));
        match found.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) => PyErr::from_type(class, sentence),
            Err(other) => other,
        }
    })
}

/// What an object is, for a sentence.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}

/// Results of the library as results of Python.
pub trait Raised<T> {
    /// With the library's sentence.
    fn raised(self) -> PyResult<T>;

    /// With the file's name before the sentence.
    fn raised_in(self, path: &Path) -> PyResult<T>;
}

impl<T> Raised<T> for tamis::Result<T> {
    fn raised(self) -> PyResult<T> {
        self.map_err(|refusal| error(class_of(&refusal), refusal.to_string()))
    }

    fn raised_in(self, path: &Path) -> PyResult<T> {
        self.map_err(|refusal| error(class_of(&refusal), format!("{}: {refusal}", path.display())))
    }
}

impl<T> Raised<T> for tamis_corpus::Result<T> {
    fn raised(self) -> PyResult<T> {
        self.map_err(|refusal| {
            let mut sentence = refusal.to_string();
            let mut cause = refusal.source();
            while let Some(source) = cause {
                sentence = format!("{sentence}: {source}");
                cause = source.source();
            }
            error(class_of_file(&refusal), sentence)
        })
    }

    fn raised_in(self, _: &Path) -> PyResult<T> {
        // The readers name their file themselves.
        self.raised()
    }
}

const fn class_of(refusal: &tamis::Error) -> Class {
    use tamis::Error;
    match refusal {
        Error::Mismatch { .. } => Class::Mismatch,
        Error::Unsupported { .. } => Class::Unsupported,
        Error::KeyKinds { .. } => Class::WrongType,
        Error::NotTamis { .. }
        | Error::WrongKind { .. }
        | Error::TooNew { .. }
        | Error::Truncated { .. }
        | Error::Trailing { .. }
        | Error::Checksum { .. }
        | Error::Malformed { .. }
        | Error::Unaligned => Class::Format,
        Error::Io(_) => Class::File,
        _ => Class::Parameter,
    }
}

fn class_of_file(refusal: &tamis_corpus::Error) -> Class {
    use tamis_corpus::Error;
    match refusal {
        Error::Read { source, .. } | Error::Write { source, .. } => {
            if source.kind() == io::ErrorKind::NotFound { Class::MissingFile } else { Class::File }
        }
        Error::Tamis(refusal) => class_of(refusal),
        Error::NoMatch { .. } => Class::MissingFile,
        Error::Format { .. } | Error::NoColumn { .. } | Error::NoRecordHas { .. } => {
            Class::Parameter
        }
        _ => Class::Format,
    }
}
