//! Arrow's interprocess format: rows of the wanted columns, a batch at a time.
//!
//! A file (Feather version 2) is read from its footer, a stream from its start; which of them it
//! is, its first bytes say.

mod values;

use super::columns::{Cell, Column, find_all};
use super::{Event, Reading, Record};
use crate::files::name_of;
use crate::inputs::{Seekable, Source, copied};
use crate::objects::failure_in;
use crate::problem::Problem;
use crate::{Error, Result};
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::io::{BufReader, Cursor, Read};
use std::path::Path;
use values::Values;

/// The first bytes of a file; a stream has none of its own.
const FILE: &[u8] = b"ARROW1";

/// What the Arrow library says, with the file's name; what a store said comes first.
pub(crate) fn refused(path: &Path, error: ArrowError) -> Error {
    if let Some(source) = failure_in(&error) {
        return Error::Read { name: name_of(path), source };
    }
    Error::Arrow { name: name_of(path), source: error.into() }
}

/// The batches of a file or a stream.
pub(crate) enum Batches {
    /// Of a file.
    File(Box<FileReader<BufReader<Seekable>>>),
    /// Of a stream.
    Stream(Box<StreamReader<BufReader<Box<dyn Read>>>>),
}

impl Batches {
    /// Opens a file or a stream; only these top-level columns are read, if they are given.
    ///
    /// # Errors
    /// [`Error::Read`], or [`Error::Arrow`] if it is neither.
    pub(crate) fn open(source: &Source, wanted: Option<Vec<usize>>) -> Result<Self> {
        let refused = |error| refused(&source.path, error);
        let failed = |error| Error::Read { name: name_of(&source.path), source: error };
        let mut raw = source.open()?;
        let mut head = Vec::new();
        Read::take(&mut raw, FILE.len() as u64).read_to_end(&mut head).map_err(failed)?;
        let is_file = head == FILE;
        let mut raw: Box<dyn Read> = Box::new(Cursor::new(head).chain(raw));
        if !is_file {
            let reader = StreamReader::try_new(BufReader::new(raw), wanted).map_err(refused)?;
            return Ok(Self::Stream(Box::new(reader)));
        }
        let file = match source.is_seekable() {
            true => source.seekable()?,
            false => Seekable::File(copied(&mut *raw, &source.path)?.reopen().map_err(failed)?),
        };
        let reader = FileReader::try_new(BufReader::new(file), wanted).map_err(refused)?;
        Ok(Self::File(Box::new(reader)))
    }

    /// The columns that are read.
    pub(crate) fn schema(&self) -> SchemaRef {
        match self {
            Self::File(reader) => reader.schema(),
            Self::Stream(reader) => reader.schema(),
        }
    }

    /// How many batches there are, if that is known.
    fn known(&self) -> Option<usize> {
        match self {
            Self::File(reader) => Some(reader.num_batches()),
            Self::Stream(_) => None,
        }
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::File(reader) => reader.next(),
            Self::Stream(reader) => reader.next(),
        }
    }
}

/// Calls `visit` with every row.
pub(super) fn for_each_event<E: From<Error>>(
    source: &Source,
    columns: &[Column],
    reading: &Reading,
    visit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let path = &source.path;
    // A stream has no second start: all of its columns are read.
    let all = Batches::open(source, None)?;
    let leaves = leaves(&all.schema());
    let names: Vec<String> = leaves.iter().map(|(name, _)| name.clone()).collect();
    let places = find_all(columns, &names, path)?;
    let ways: Vec<Option<&[usize]>> =
        places.iter().map(|place| place.map(|place| &*leaves[place].1)).collect();
    let (size, batches) = (source.size().unwrap_or(0), all.known().unwrap_or(0) as u64);
    let mut row = 0;
    for (number, batch) in (1..).zip(all) {
        let batch = match batch {
            Ok(batch) => batch,
            Err(damage) => {
                if let Some(source) = failure_in(&damage) {
                    return Err(Error::Read { name: name_of(path), source }.into());
                }
                let (line, problem) = (Some(row + 1), Problem::Damaged);
                return visit(Event::Note { line, problem, detail: &damage });
            }
        };
        let position = size.checked_div(batches).unwrap_or(0) * number;
        let values: Vec<Option<Values<'_>>> =
            ways.iter().map(|way| way.and_then(|way| Values::of(&batch, way))).collect();
        for place in 0..batch.num_rows() {
            row += 1;
            visit_row(&values, place, row, position, reading, visit)?;
        }
    }
    Ok(())
}

fn visit_row<E: From<Error>>(
    values: &[Option<Values<'_>>],
    place: usize,
    row: u64,
    position: u64,
    reading: &Reading,
    visit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let line = Some(row);
    let mut is_latin1 = false;
    let mut longest = 0;
    let cells = values.iter().map(|values| {
        let Some(values) = values else { return Cell::Absent };
        let (cell, fallback) = values.get(place, reading.encoding);
        is_latin1 |= fallback;
        longest = longest.max(cell.as_name().map_or(0, str::len));
        cell
    });
    let cells: Vec<Cell<'_>> = cells.collect();
    if longest > reading.longest.0 {
        let (problem, detail) = (Problem::TooLong, &reading.longest);
        return visit(Event::Broken { raw: &[], line, problem, detail });
    }
    if is_latin1 {
        visit(Event::Note { line, problem: Problem::NotUtf8, detail: &"" })?;
    }
    visit(Event::Record(Record { raw: &[], line, row, cells: &cells, position }))
}

/// All columns that hold no others, by their names with dots, and the way to each.
fn leaves(schema: &Schema) -> Vec<(String, Vec<usize>)> {
    fn add(field: &Field, name: String, way: Vec<usize>, leaves: &mut Vec<(String, Vec<usize>)>) {
        let DataType::Struct(below) = field.data_type() else {
            leaves.push((name, way));
            return;
        };
        for (place, field) in below.iter().enumerate() {
            let way = [&way[..], &[place]].concat();
            add(field, format!("{name}.{}", field.name()), way, leaves);
        }
    }
    let mut leaves = Vec::new();
    for (place, field) in schema.fields().iter().enumerate() {
        add(field, field.name().clone(), vec![place], &mut leaves);
    }
    leaves
}
