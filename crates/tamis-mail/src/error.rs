//! What can go wrong with mail.

use std::io;
use std::path::PathBuf;

/// Why mail could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to read a file or folder.
    #[error("cannot read {}", name.display())]
    Read {
        /// Which.
        name: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A collection that is not in two parts of two classes.
    #[error("{} has no folders spam/training, spam/testing, ham/training and ham/testing", name.display())]
    NoSplit {
        /// The collection.
        name: PathBuf,
    },
    /// A threshold of similarity that finds everything or nothing.
    #[error("a threshold lies between 0 and 1, got {got}")]
    Threshold {
        /// What was asked for.
        got: f64,
    },
    /// What a filter or an index refused.
    #[error(transparent)]
    Sketch(#[from] tamis::Error),
}
