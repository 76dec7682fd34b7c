//! Documents of folders, lines, JSONL, CSV, TSV, Parquet and Arrow, each with an id and a number.
//!
//! 1. The *ordinal* numbers what can be read, over all inputs from 0, in order of reading: a
//!    second reading of the same files gives the same numbers, on any machine.
//! 2. What cannot be read is skipped and counted by its [`Problem`], with the first places of
//!    each; more than [`Tolerance::max_bad`] of it, a file that is cut off, or a column that no
//!    record has, is an error after which no result is to be used. When reading is strict, the
//!    first problem is one, with file, line and reason.
//! 3. Names are strings of any length. A name that an earlier record of the same inputs has is
//!    told apart by its place: `7@part-2.jsonl:1`.
//! 4. One document is in memory at a time. A longer one than [`ReadOptions::max_document`] is
//!    skipped without being kept, and a packed file may unpack to any size.
//!
//! Texts are UTF-8; a file or record that is not is read as Latin-1, and UTF-16 is known by its
//! byte-order mark ([`Encoding`]). Packed files (gzip, zstd, bzip2, xz) are known by their first
//! bytes. An empty text is a document like others.
//!
//! | format | a document | its text | its id |
//! |---|---|---|---|
//! | `files` | a file | all of it | its path in the folder |
//! | `lines` | a line | all of it | `path:line` |
//! | `jsonl` | an object on a line | its text columns | its id column, or `path:line` |
//! | `csv`, `tsv` | a row under the header | its text columns | its id column, or `path:row` |
//! | `parquet`, `arrow` | a row | its text columns | its id column, or `path:row` |
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
//! let mut options = ReadOptions::default();
//! options.tolerance.max_bad = 0.5;
//! let summary = for_each_document(&[path], &options, |document| {
//!     texts.push((document.id.to_owned(), document.text.to_owned()));
//!     Ok::<(), tamis_corpus::Error>(())
//! })?;
//! assert_eq!(texts, [("7".into(), "a fine sieve".into())]);
//! assert_eq!(summary.count(Problem::NotJson), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod format;
mod names;
mod reader;

pub use crate::bad::{BadList, DEFAULT_MAX_BAD, Tolerance};
pub use crate::inputs::Corpus;
pub use crate::problem::{Example, MAX_EXAMPLES, Occurrences, Place, Problem, Summary};
pub use crate::text::Encoding;
pub use format::Format;

pub(crate) use reader::{Found, Reader};

use crate::{Error, Result};
use std::path::PathBuf;

/// The longest document that is read unless another limit is asked for: 256 MiB.
pub const MAX_DOCUMENT: usize = 1 << 28;

/// The names of a text column, if none is given: the first that exists.
pub const TEXT_COLUMNS: [&str; 4] = ["text", "content", "body", "message"];

/// How documents are read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// What the inputs are; by their content if not given. A folder is then a corpus in shards if
    /// all its files hold records of one format, else [`Format::Files`]; with a format that is
    /// given, it stands for its files of that format.
    pub format: Option<Format>,
    /// What a text is that says nothing about itself: [`Format::Lines`] or [`Format::Files`].
    pub plain: Format,
    /// The columns that make the text, joined by line ends; those that are missing or null are
    /// left out if another is there. The first of [`TEXT_COLUMNS`] that exists, if none is named.
    pub text: Vec<String>,
    /// The column that names a document: `id` if not given. Where it is missing, the place is
    /// the name.
    pub id: Option<String>,
    /// A further column that is wanted with each document.
    pub field: Option<String>,
    /// What is done about records that cannot be read. The fallback of whole files to Latin-1 is
    /// no problem: they have no encoding of their own.
    pub tolerance: Tolerance,
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
            plain: Format::Lines,
            text: Vec::new(),
            id: None,
            field: None,
            tolerance: Tolerance::default(),
            max_document: MAX_DOCUMENT,
            encoding: Encoding::Detect,
            quotes: true,
        }
    }
}

impl ReadOptions {
    /// The options of a second reading of the same inputs: what was wrong with them was said.
    #[must_use]
    pub fn again(&self) -> Self {
        let tolerance = Tolerance { strict: false, max_bad: 1.0, bad: None };
        Self { field: None, tolerance, ..self.clone() }
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
/// As [`Corpus::open`] and [`Corpus::for_each_document`].
pub fn for_each_document<E: From<Error>>(
    inputs: &[PathBuf],
    options: &ReadOptions,
    visit: impl FnMut(Document<'_>) -> Result<(), E>,
) -> Result<Summary, E> {
    Corpus::open(inputs, options)?.for_each_document(options, visit)
}

impl Corpus {
    /// Calls `visit` with each document, in the order of the inputs. Every reading gives the same
    /// documents the same numbers and names.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Parquet`] and [`Error::NoColumn`] with the file's name,
    /// [`Error::Broken`] for what is cut off, or for any problem when reading is strict; after the
    /// last document [`Error::NoRecordHas`] and [`Error::TooManyBad`]; or what `visit` says.
    pub fn for_each_document<E: From<Error>>(
        &self,
        options: &ReadOptions,
        mut visit: impl FnMut(Document<'_>) -> Result<(), E>,
    ) -> Result<Summary, E> {
        let mut reader = Reader::new(self, options);
        self.for_each_source(|source| match source {
            Ok(source) => reader.read(&source, &mut |found| match found {
                Found::Document { document, .. } => visit(document),
                Found::Head { .. } | Found::Other(_) => Ok(()),
            }),
            Err(obstacle) => Ok(reader.pass(&obstacle)?),
        })?;
        Ok(reader.finish()?)
    }
}
