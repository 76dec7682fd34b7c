//! Records of any format, one after the other: the columns that are wanted, and the bytes they
//! came from.
//!
//! Every reader here hands on the whole file, so that whoever copies it loses nothing: records,
//! broken ones, and what is around them (a header, blank lines). One record is in memory at a
//! time; what is longer than the limit is passed by in parts.

pub(crate) mod arrow;
mod columns;
mod csv;
mod json;
mod lines;
pub(crate) mod parquet;
mod whole;

pub(crate) use columns::{Cell, Column};
pub(crate) use json::columns_of;
pub(crate) use whole::WholeFiles;

use crate::documents::Format;
use crate::inputs::Source;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::text::{Encoding, UTF8_MARK};
use crate::{Error, Result};
use std::fmt::Display;

/// The longest record in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit(pub usize);

impl Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            limit if limit >= 1 << 20 => write!(f, "the limit is {} MiB", limit >> 20),
            limit => write!(f, "the limit is {limit} bytes"),
        }
    }
}

/// How records are read.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    /// How bytes become text.
    pub encoding: Encoding,
    /// What is longer is not read.
    pub longest: Limit,
    /// Whether quotes mean anything in CSV and TSV.
    pub quotes: bool,
    /// Whether rows begin with a header.
    pub header: bool,
    /// Whether a line is split at white space.
    pub split: bool,
}

/// What a file consists of, in order.
pub(crate) enum Event<'a> {
    /// What comes before the records and is needed once: a byte-order mark, a header with its
    /// names.
    Head { raw: &'a [u8], names: &'a [String] },
    /// A record.
    Record(Record<'a>),
    /// A record that cannot be read.
    Broken { raw: &'a [u8], line: Option<u64>, problem: Problem, detail: &'a dyn Display },
    /// What is to be said about the next record or the rest of the file.
    Note { line: Option<u64>, problem: Problem, detail: &'a dyn Display },
    /// Bytes that belong to no record, or to the one before.
    Other(&'a [u8]),
}

/// A record that can be read.
pub(crate) struct Record<'a> {
    /// Its bytes with the line end, if it has any of its own.
    pub raw: &'a [u8],
    /// The line where it starts, from 1; none for a whole file.
    pub line: Option<u64>,
    /// Which record it is, from 1.
    pub row: u64,
    /// One for each wanted column.
    pub cells: &'a [Cell<'a>],
    /// How many bytes of the file are read.
    pub position: u64,
}

/// Calls `visit` with everything in a file of records.
///
/// # Errors
/// [`Error::Read`] and [`Error::NoColumn`] with the file's name, or what `visit` says.
pub(crate) fn for_each_event<E: From<Error>>(
    source: &Source,
    columns: &[Column],
    reading: &Reading,
    visit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<(), E> {
    match source.format {
        Format::Parquet => return parquet::for_each_event(source, columns, reading, visit),
        Format::Arrow => return arrow::for_each_event(source, columns, reading, visit),
        _ => {}
    }
    let path = &source.path;
    let mut stream = Stream::of(source.open()?, path, reading.longest.0)?;
    if stream.marked() {
        visit(Event::Head { raw: UTF8_MARK, names: &[] })?;
    }
    let lines = match source.format {
        Format::Csv => csv::for_each_event(&mut stream, path, b',', columns, reading, visit)?,
        Format::Tsv => csv::for_each_event(&mut stream, path, b'\t', columns, reading, visit)?,
        Format::Jsonl => {
            let cut = lines::Cut::Json;
            lines::for_each_event(&mut stream, path, cut, columns, reading, visit)?
        }
        Format::Lines | Format::Files | Format::Parquet | Format::Arrow => {
            let cut = if reading.split { lines::Cut::Fields } else { lines::Cut::Whole };
            lines::for_each_event(&mut stream, path, cut, columns, reading, visit)?
        }
    };
    match stream.take_damage() {
        Some(damage) => {
            visit(Event::Note { line: Some(lines), problem: Problem::Damaged, detail: &damage })
        }
        None => Ok(()),
    }
}
