//! What can go wrong with a user's file.

use std::io;
use std::path::PathBuf;

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to open or read a file.
    #[error("cannot read {}", name.display())]
    Read {
        /// The file, or `standard input`.
        name: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused to write a file.
    #[error("cannot write {}", name.display())]
    Write {
        /// The file.
        name: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A key that does not end within bounds.
    #[error(
        "{}: key {number} is longer than {} MiB; if keys end with NUL, say --null",
        name.display(), limit >> 20
    )]
    Endless {
        /// The file.
        name: PathBuf,
        /// Which key, from 1.
        number: u64,
        /// The longest key that is read.
        limit: usize,
    },
    /// What is written could not be made.
    #[error(transparent)]
    Tamis(#[from] tamis::Error),
}
