//! CSV and TSV: fields between commas or tabs, quoted ones with any line ends inside.
//!
//! The parser is the one of the `csv` crate, without its buffers: here the bytes of a record
//! stay at hand to be copied, and a quote that is never closed does not read the rest of the
//! file into memory.

mod scanner;

use super::columns::{Cell, Column, find_all, names_of};
use super::{Event, Reading, Record};
use crate::files::name_of;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::text::decode;
use crate::{Error, Result};
use scanner::{Fields, Scanned, Scanner};
use std::fmt;
use std::path::Path;

/// Calls `visit` with everything in a CSV file; returns how many lines there were.
pub(super) fn for_each_event<E: From<Error>>(
    stream: &mut Stream,
    path: &Path,
    delimiter: u8,
    columns: &[Column],
    reading: &Reading,
    visit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<u64, E> {
    let position = stream.position();
    let mut table = Table::new(columns, reading, path);
    let mut scanner = Scanner::new(stream, delimiter, reading);
    loop {
        let line = scanner.line();
        let failed = |source| Error::Read { name: name_of(path), source };
        match scanner.next().map_err(failed)? {
            Scanned::Record { raw, fields } => {
                table.visit(raw, line, fields, position.get(), visit)?;
            }
            Scanned::Long(raw) => {
                let (problem, detail) = (Problem::TooLong, &reading.longest);
                table.row += 1;
                visit(Event::Broken { raw, line: Some(line), problem, detail })?;
            }
            Scanned::More(raw) => visit(Event::Other(raw))?,
            Scanned::End => return Ok(line),
        }
    }
}

/// The header and what follows from it.
struct Table<'o> {
    columns: &'o [Column],
    reading: &'o Reading,
    path: &'o Path,
    /// Where the columns are among the fields, once the first row is known.
    places: Option<Vec<Option<usize>>>,
    width: usize,
    row: u64,
}

impl<'o> Table<'o> {
    const fn new(columns: &'o [Column], reading: &'o Reading, path: &'o Path) -> Self {
        Self { columns, reading, path, places: None, width: 0, row: 0 }
    }

    fn visit<E: From<Error>>(
        &mut self,
        raw: &[u8],
        line: u64,
        fields: Fields<'_>,
        position: u64,
        visit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let encoding = self.reading.encoding;
        if self.places.is_none() {
            let first = fields.all().map(|field| decode(field, encoding).0);
            let names = names_of(first, self.reading.header);
            self.width = names.len();
            self.places = Some(find_all(self.columns, &names, self.path)?);
            if self.reading.header {
                return visit(Event::Head { raw, names: &names });
            }
        }
        self.row += 1;
        if fields.len() != self.width {
            let detail = &Widths { got: fields.len(), expected: self.width };
            visit(Event::Note { line: Some(line), problem: Problem::RowWidth, detail })?;
        }
        let mut is_latin1 = false;
        let cells = self.places.iter().flatten().map(|place| {
            let Some(field) = place.and_then(|place| fields.get(place)) else {
                return Cell::Absent;
            };
            let (text, fallback) = decode(field, encoding);
            is_latin1 |= fallback;
            Cell::Text(text)
        });
        let cells: Vec<_> = cells.collect();
        if is_latin1 {
            let problem = Problem::NotUtf8;
            visit(Event::Note { line: Some(line), problem, detail: &"" })?;
        }
        let (line, row) = (Some(line), self.row);
        visit(Event::Record(Record { raw, line, row, cells: &cells, position }))
    }
}

/// How many fields a row has, as a detail.
struct Widths {
    got: usize,
    expected: usize,
}

impl fmt::Display for Widths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} instead of {}", self.got, self.expected)
    }
}
