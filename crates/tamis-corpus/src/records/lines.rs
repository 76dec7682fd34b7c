//! Records that are lines: whole, split at white space, or one JSON object each.

use super::columns::{Cell, Column, find_all, names_of};
use super::{Event, Reading, Record, json};
use crate::blocks::{Stretch, for_each_stretch, records};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::text::decode;
use crate::{Error, Result};
use std::borrow::Cow;
use std::path::Path;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The first column, and there are no others.
    Whole,
    /// Columns between white space.
    Fields,
    /// A JSON object.
    Json,
}

/// Calls `visit` with everything in a file of lines; returns how many there were.
pub(super) fn for_each_event<E: From<Error>>(
    stream: &mut Stream,
    path: &Path,
    cut: Cut,
    columns: &[Column],
    reading: &Reading,
    visit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<u64, E> {
    let mut lines = Lines {
        cut,
        columns,
        reading,
        path,
        keys: json::Keys::new(columns),
        places: None,
        line: 0,
    };
    let mut in_parts = false;
    let position = stream.position();
    for_each_stretch(stream, path, b'\n', reading.longest.0, &mut |stretch| -> Result<(), E> {
        match stretch {
            Stretch::Whole(bytes) => {
                for raw in records(bytes, b'\n') {
                    lines.visit(raw, position.get(), visit)?;
                }
                Ok(())
            }
            Stretch::Part { bytes, last } => {
                if in_parts {
                    visit(Event::Other(bytes))?;
                } else {
                    lines.line += 1;
                    visit(lines.too_long(bytes))?;
                }
                in_parts = !last;
                Ok(())
            }
        }
    })?;
    Ok(lines.line)
}

struct Lines<'o> {
    cut: Cut,
    columns: &'o [Column],
    reading: &'o Reading,
    path: &'o Path,
    keys: json::Keys,
    /// Where the columns are among the fields, once the header is known.
    places: Option<Vec<Option<usize>>>,
    line: u64,
}

impl Lines<'_> {
    fn visit<E: From<Error>>(
        &mut self,
        raw: &[u8],
        position: u64,
        visit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.line += 1;
        let line = raw.strip_suffix(b"\n").unwrap_or(raw);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > self.reading.longest.0 {
            return visit(self.too_long(raw));
        }
        if self.cut != Cut::Whole && line.trim_ascii().is_empty() {
            return visit(Event::Other(raw));
        }
        let (text, fallback) = decode(line, self.reading.encoding);
        if fallback {
            let problem = Problem::NotUtf8;
            visit(Event::Note { line: Some(self.line), problem, detail: &"" })?;
        }
        let mut cells = Vec::with_capacity(self.columns.len());
        match self.cut {
            Cut::Whole => {
                cells.push(Cell::Text(Cow::Borrowed(&text)));
                cells.resize(self.columns.len().max(1), Cell::Absent);
            }
            Cut::Fields => {
                let fields = || text.split_whitespace();
                if self.places.is_none() {
                    let names = names_of(fields().map(Cow::Borrowed), self.reading.header);
                    self.places = Some(find_all(self.columns, &names, self.path)?);
                    if self.reading.header {
                        return visit(Event::Head { raw, names: &names });
                    }
                }
                let field = |place: &Option<usize>| {
                    let field = place.and_then(|place| fields().nth(place));
                    field.map_or(Cell::Absent, |field| Cell::Text(Cow::Borrowed(field)))
                };
                cells.extend(self.places.iter().flatten().map(field));
            }
            Cut::Json => {
                if let Err((problem, detail)) = self.keys.cells(&text, &mut cells) {
                    return visit(Event::Broken {
                        raw,
                        line: Some(self.line),
                        problem,
                        detail: &detail,
                    });
                }
            }
        }
        let (line, row) = (Some(self.line), self.line);
        visit(Event::Record(Record { raw, line, row, cells: &cells, position }))
    }

    fn too_long<'a>(&'a self, raw: &'a [u8]) -> Event<'a> {
        let detail = &self.reading.longest;
        Event::Broken { raw, line: Some(self.line), problem: Problem::TooLong, detail }
    }
}
