//! Documents of folders, lines, JSONL, CSV, TSV and Parquet, each with an id and a number.
//!
//! 1. The *ordinal* numbers what can be read, over all inputs from 0, in order of reading: a
//!    second reading of the same files gives the same numbers, on any machine.
//! 2. What cannot be read is skipped and counted by its [`Problem`], with the first places of
//!    each, or, when reading is strict, refused with file, line and reason.
//! 3. One document is in memory at a time. A longer one than [`ReadOptions::max_document`] is
//!    skipped without being kept, and a packed file may unpack to any size.
//!
//! Texts are UTF-8; a file or record that is not is read as Latin-1, and UTF-16 is known by its
//! byte-order mark ([`Encoding`]). Packed files (gzip, zstd) are known by their first bytes. An
//! empty text is a document like others.
//!
//! | format | a document | its text | its id |
//! |---|---|---|---|
//! | `files` | a file | all of it | its path in the folder |
//! | `lines` | a line | all of it | `path:line` |
//! | `jsonl` | an object on a line | its text columns | its id column, or `path:line` |
//! | `csv`, `tsv` | a row under the header | its text columns | its id column, or `path:row` |
//! | `parquet` | a row | its text columns | its id column, or `path:row` |
//!
//! ```
//! use std::fs;
//! use tamis_corpus::documents::{Problem, ReadOptions, for_each_document};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("corpus.jsonl");
//! fs::write(&path, "{\"id\": 7, \"text\": \"a fine sieve\"}\n{\"id\": 8, \"text\":\n")?;
//!
//! let mut texts = Vec::new();
//! let summary = for_each_document(&[path], &ReadOptions::default(), |document| {
//!     texts.push((document.id.to_owned(), document.text.to_owned()));
//!     Ok::<(), tamis_corpus::Error>(())
//! })?;
//! assert_eq!(texts, [("7".into(), "a fine sieve".into())]);
//! assert_eq!(summary.count(Problem::NotJson), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod format;
mod reader;
mod sources;
mod walk;

pub use crate::problem::{Example, MAX_EXAMPLES, Occurrences, Place, Problem, Summary};
pub use crate::text::Encoding;
pub use format::Format;
pub use sources::{fingerprint, size_of};

pub(crate) use reader::{Found, Reader};
pub(crate) use sources::{Source, for_each_source};

use crate::{Error, Result};
use std::path::PathBuf;

/// The longest document that is read unless another limit is asked for: 256 MiB.
pub const MAX_DOCUMENT: usize = 1 << 28;

/// The names of a text column, if none is given: the first that exists.
pub const TEXT_COLUMNS: [&str; 4] = ["text", "content", "body", "message"];

/// How documents are read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// What the inputs are; by their names if not given, and lines if these say nothing.
    /// A folder is [`Format::Files`]; with another format, its files of that format.
    pub format: Option<Format>,
    /// The columns that make the text, joined by line ends; those that are missing or null are
    /// left out if another is there. The first of [`TEXT_COLUMNS`] that exists, if none is named.
    pub text: Vec<String>,
    /// The column that names a document: `id` if not given. Where it is missing, the place is
    /// the name.
    pub id: Option<String>,
    /// A further column that is wanted with each document.
    pub field: Option<String>,
    /// Stop at the first problem, instead of counting it. Only the fallback of whole files to
    /// Latin-1 is none: they have no encoding of their own.
    pub strict: bool,
    /// The longest record or file in bytes. A zstd file may need as much again.
    pub max_document: usize,
    /// How bytes become text.
    pub encoding: Encoding,
    /// Whether quotes mean anything in CSV and TSV; without, a field ends at the next delimiter.
    pub quotes: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            text: Vec::new(),
            id: None,
            field: None,
            strict: false,
            max_document: MAX_DOCUMENT,
            encoding: Encoding::Detect,
            quotes: true,
        }
    }
}

/// A document while it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'a> {
    /// Its number over all inputs, from 0.
    pub ordinal: u64,
    /// The place of its input among the inputs.
    pub input: usize,
    /// Its name.
    pub id: &'a str,
    /// Its text.
    pub text: &'a str,
    /// What it has in [`ReadOptions::field`].
    pub field: Option<&'a str>,
    /// How many bytes of all inputs are read, packed as they are; see [`size_of`].
    pub position: u64,
}

/// Calls `visit` with each document of these inputs, in their order; no input, or `-`, is
/// standard input. Every reading gives the same documents the same numbers.
///
/// # Errors
/// [`Error::Read`], [`Error::Parquet`] and [`Error::NoColumn`] with the file's name,
/// [`Error::Broken`] when reading is strict, or what `visit` says.
pub fn for_each_document<E: From<Error>>(
    inputs: &[PathBuf],
    options: &ReadOptions,
    mut visit: impl FnMut(Document<'_>) -> Result<(), E>,
) -> Result<Summary, E> {
    let mut reader = Reader::new(inputs, options);
    for_each_source(inputs, options.format, false, |source| match source {
        Ok(source) => reader.read(&source, &mut |found| match found {
            Found::Document { document, .. } => visit(document),
            Found::Head { .. } | Found::Other(_) => Ok(()),
        }),
        Err(obstacle) => Ok(reader.pass(&obstacle)?),
    })?;
    Ok(reader.into_summary())
}
