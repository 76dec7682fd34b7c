//! Parquet: rows of the wanted columns, column by column as the file stores them.
//!
//! Columns are read below Arrow, as values and levels: a text is a slice of its page, bytes that
//! are not UTF-8 cost one row and not the batch, and what is copied ([`crate::rewrite`]) keeps
//! its physical and logical types. As much is in memory as a batch of rows needs, whose number
//! follows from the sizes in the file's footer.

mod values;

use super::columns::{Cell, Column, find_all};
use super::{Event, Reading, Record};
use crate::files::name_of;
use crate::inputs::{Seekable, Source};
use crate::objects::failure_in;
use crate::problem::Problem;
use crate::{Error, Result};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::schema::types::ColumnDescriptor;
use std::path::Path;
use values::Values;

/// The most rows of a batch.
const MAX_BATCH: usize = 4096;

/// About how many bytes of a batch are in memory.
const BATCH_BYTES: u64 = 1 << 23;

/// Opens a Parquet file.
///
/// # Errors
/// [`Error::Read`], or [`Error::Parquet`] if it is none.
pub(crate) fn open(source: &Source) -> Result<Box<dyn FileReader>> {
    let refused = |error| refused(&source.path, error);
    match source.seekable()? {
        Seekable::File(file) => Ok(Box::new(SerializedFileReader::new(file).map_err(refused)?)),
        #[cfg(feature = "objects")]
        Seekable::Object(object) => {
            let windows = object.windows();
            let reader = SerializedFileReader::new(windows.clone()).map_err(refused)?;
            let groups = reader.metadata().row_groups().iter();
            // Each chunk of a column is read from its start to its end.
            let chunks = groups.flat_map(RowGroupMetaData::columns).map(|column| {
                let (start, size) = column.byte_range();
                start..start.saturating_add(size)
            });
            windows.know(chunks.collect());
            Ok(Box::new(reader))
        }
        #[cfg(not(feature = "objects"))]
        Seekable::Object(object) => object.absent(),
    }
}

/// What the Parquet library says, with the file's name; what a store said comes first.
pub(crate) fn refused(path: &Path, error: ParquetError) -> Error {
    if let Some(source) = failure_in(&error) {
        return Error::Read { name: name_of(path), source };
    }
    Error::Parquet { name: name_of(path), source: error.into() }
}

/// How many rows of these columns are read at once.
pub(crate) fn batch_size(group: &RowGroupMetaData, columns: impl Iterator<Item = usize>) -> usize {
    let size = |column| u64::try_from(group.column(column).uncompressed_size()).unwrap_or(0);
    let bytes: u64 = columns.map(size).sum();
    let rows = u64::try_from(group.num_rows()).unwrap_or(0).max(1);
    let batch = BATCH_BYTES / (bytes / rows).max(1);
    usize::try_from(batch).unwrap_or(MAX_BATCH).clamp(1, MAX_BATCH)
}

/// Calls `visit` with every row.
pub(super) fn for_each_event<E: From<Error>>(
    source: &Source,
    columns: &[Column],
    reading: &Reading,
    visit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let path = &source.path;
    let reader = open(source)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    // A repeated column has no single value in a row, and so no name.
    let name = |column: &ColumnDescriptor| {
        if column.max_rep_level() == 0 { column.path().string() } else { String::new() }
    };
    let names: Vec<String> = schema.columns().iter().map(|column| name(column)).collect();
    let places = find_all(columns, &names, path)?;
    let mut rows = Rows { reading, places, row: 0, position: 0 };
    for number in 0..reader.num_row_groups() {
        let group = reader.get_row_group(number).map_err(|error| refused(path, error))?;
        let last = rows.row + u64::try_from(group.metadata().num_rows()).unwrap_or(0);
        if let Some(damage) = rows.visit_group(&*group, visit)? {
            if let Some(source) = failure_in(&damage) {
                return Err(Error::Read { name: name_of(path), source }.into());
            }
            let (line, problem) = (Some(rows.row + 1), Problem::Damaged);
            visit(Event::Note { line, problem, detail: &damage })?;
        }
        rows.row = last;
    }
    Ok(())
}

/// Where in a file reading is.
struct Rows<'o> {
    reading: &'o Reading,
    /// Which columns of the file the wanted ones are.
    places: Vec<Option<usize>>,
    row: u64,
    position: u64,
}

impl Rows<'_> {
    /// Visits the rows of a group, up to the damage if there is any.
    fn visit_group<E: From<Error>>(
        &mut self,
        group: &dyn RowGroupReader,
        visit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<Option<ParquetError>, E> {
        let open = |place| Values::open(group, place);
        let opened = self.places.iter().map(|&place| place.map(open).transpose());
        let mut columns: Vec<Option<Values>> = match opened.collect() {
            Ok(columns) => columns,
            Err(damage) => return Ok(Some(damage)),
        };
        let batch = batch_size(group.metadata(), self.places.iter().flatten().copied());
        let all = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let (start, size) = (self.position, group.metadata().compressed_size());
        let mut done = 0;
        while done < all {
            let rows = batch.min(all - done);
            for column in columns.iter_mut().flatten() {
                if let Err(damage) = column.read(rows) {
                    return Ok(Some(damage));
                }
            }
            done += rows;
            let part = u128::try_from(size).unwrap_or(0) * done as u128 / all as u128;
            self.position = start + u64::try_from(part).unwrap_or(0);
            for _ in 0..rows {
                self.visit_row(&mut columns, visit)?;
            }
        }
        Ok(None)
    }

    fn visit_row<E: From<Error>>(
        &mut self,
        columns: &mut [Option<Values>],
        visit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.row += 1;
        let line = Some(self.row);
        let mut is_latin1 = false;
        let mut longest = 0;
        let cells = columns.iter_mut().map(|column| {
            let Some(column) = column else { return Cell::Absent };
            let (cell, fallback) = column.next(self.reading.encoding);
            is_latin1 |= fallback;
            longest = longest.max(cell.as_name().map_or(0, str::len));
            cell
        });
        let cells: Vec<Cell<'_>> = cells.collect();
        if longest > self.reading.longest.0 {
            let (problem, detail) = (Problem::TooLong, &self.reading.longest);
            return visit(Event::Broken { raw: &[], line, problem, detail });
        }
        if is_latin1 {
            visit(Event::Note { line, problem: Problem::NotUtf8, detail: &"" })?;
        }
        let position = self.position;
        visit(Event::Record(Record { raw: &[], line, row: self.row, cells: &cells, position }))
    }
}
