//! Ready-made sets: rows that name a set and one of its members, as in ratings of users.
//!
//! A row is a line of white-space separated fields, a row of CSV or TSV, a JSON object or a row
//! of a Parquet file; what a file is, its name says, and lines are split at white space if it
//! says nothing. Rows of a set need not be together.
//!
//! ```
//! use std::fs;
//! use tamis_corpus::sets::{SetOptions, for_each_member};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("ratings.tsv");
//! fs::write(&path, "196\t242\t3\n186\t302\t3\n196\t302\t4\n")?;
//!
//! let mut members = Vec::new();
//! for_each_member(&[path], &SetOptions::default(), |row| {
//!     members.push(format!("{} has {}", row.set, row.item));
//!     Ok::<(), tamis_corpus::Error>(())
//! })?;
//! assert_eq!(members, ["196 has 242", "186 has 302", "196 has 302"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::documents::{Corpus, Encoding, Format, MAX_DOCUMENT, Problem, Summary, Tolerance};
use crate::files::name_of;
use crate::inputs::Looking;
use crate::records::{Cell, Column, Event, Limit, Reading, for_each_event};
use crate::{Error, Result};
use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

/// A column by its number from 1 or by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnName {
    /// Its number, from 1. In JSONL, where columns have no order, a key of that name.
    Number(usize),
    /// Its name.
    Name(String),
}

impl FromStr for ColumnName {
    type Err = Infallible;

    fn from_str(name: &str) -> Result<Self, Infallible> {
        let number = name.parse().ok().filter(|&number| number > 0);
        Ok(number.map_or_else(|| Self::Name(name.to_owned()), Self::Number))
    }
}

/// How sets are read.
#[derive(Debug, Clone)]
pub struct SetOptions {
    /// What the inputs are; by their names if not given, and lines if these say nothing.
    /// [`Format::Files`] is read as lines.
    pub format: Option<Format>,
    /// The column that names a set; the first if nothing else is said.
    pub set: ColumnName,
    /// The column that names a member; the second if nothing else is said.
    pub item: ColumnName,
    /// Whether the first row of lines, CSV and TSV is a header: if not given, it is one when a
    /// column is known by its name.
    pub header: Option<bool>,
    /// What is done about rows that cannot be read.
    pub tolerance: Tolerance,
    /// How bytes become text.
    pub encoding: Encoding,
}

impl Default for SetOptions {
    fn default() -> Self {
        Self {
            format: None,
            set: ColumnName::Number(1),
            item: ColumnName::Number(2),
            header: None,
            tolerance: Tolerance::default(),
            encoding: Encoding::Detect,
        }
    }
}

/// A set and one of its members, while they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member<'a> {
    /// The set.
    pub set: &'a str,
    /// Its member.
    pub item: &'a str,
    /// How many bytes of all inputs are read, packed as they are.
    pub position: u64,
}

/// Calls `visit` with each row of these inputs, in their order; no input, or `-`, is standard
/// input. A folder stands for the files in it.
///
/// # Errors
/// As [`crate::documents::for_each_document`].
pub fn for_each_member<E: From<Error>>(
    inputs: &[PathBuf],
    options: &SetOptions,
    visit: impl FnMut(Member<'_>) -> Result<(), E>,
) -> Result<Summary, E> {
    for_each_member_of(&corpus_of_sets(inputs, options)?, options, visit)
}

/// As [`for_each_member`], of inputs that were looked at.
///
/// # Errors
/// As [`for_each_member`].
pub fn for_each_member_of<E: From<Error>>(
    corpus: &Corpus,
    options: &SetOptions,
    mut visit: impl FnMut(Member<'_>) -> Result<(), E>,
) -> Result<Summary, E> {
    let is_named = [&options.set, &options.item].iter().any(|c| matches!(c, ColumnName::Name(_)));
    let reading = Reading {
        encoding: options.encoding,
        longest: Limit(MAX_DOCUMENT),
        quotes: true,
        header: options.header.unwrap_or(is_named),
        split: true,
    };
    let columns = [column(&options.set), column(&options.item)];
    let mut summary = Summary::default();
    let mut behind = 0;
    corpus.for_each_source(|source| -> Result<(), E> {
        let tolerance = &options.tolerance;
        let source = match source {
            Ok(source) => source,
            Err(obstacle) => {
                let (path, detail) = (&obstacle.path, &obstacle.detail);
                return Ok(summary.note_as(tolerance, obstacle.problem, path, None, detail)?);
            }
        };
        summary.count_file(source.format, source.relative.is_some());
        let name = name_of(&source.path);
        let mut position = 0;
        for_each_event(&source, &columns, &reading, &mut |event| -> Result<(), E> {
            let (problem, line, detail): (_, _, &dyn std::fmt::Display) = match &event {
                Event::Head { .. } | Event::Other(_) => return Ok(()),
                Event::Broken { problem, line, detail, .. }
                | Event::Note { problem, line, detail } => (*problem, *line, detail),
                Event::Record(record) => {
                    position = record.position;
                    let [set, item] = record.cells else { return Ok(()) };
                    match (set.as_name(), item.as_name()) {
                        (Some(set), Some(item)) => {
                            summary.documents += 1;
                            summary.bytes += (set.len() + item.len()) as u64;
                            return visit(Member { set, item, position: behind + position });
                        }
                        (None, _) => (problem_of(set), record.line, &"the set"),
                        _ => (problem_of(item), record.line, &"the member"),
                    }
                }
            };
            Ok(summary.note_as(tolerance, problem, &name, line, detail)?)
        })?;
        behind += position;
        Ok(())
    })?;
    summary.check(&options.tolerance)?;
    Ok(summary)
}

/// The files of these inputs as they are read for sets.
///
/// # Errors
/// As [`Corpus::open`].
pub fn corpus_of_sets(inputs: &[PathBuf], options: &SetOptions) -> Result<Corpus> {
    let looking = Looking {
        format: options.format,
        wanted: Vec::new(),
        plain: Format::Lines,
        each: true,
        again: false,
    };
    Corpus::look(inputs, &looking)
}

fn column(name: &ColumnName) -> Column {
    let (names, number) = match name {
        ColumnName::Number(number) => (vec![number.to_string()], Some(*number)),
        ColumnName::Name(name) => (vec![name.clone()], None),
    };
    Column { names, number, required: true }
}

const fn problem_of(cell: &Cell<'_>) -> Problem {
    match cell {
        Cell::Null => Problem::Null,
        Cell::Composite => Problem::NotText,
        _ => Problem::Missing,
    }
}
