//! From records to numbered documents.

use super::names::Names;
use super::{Corpus, Document, Format, ReadOptions, Summary, TEXT_COLUMNS};
use crate::files::name_of;
use crate::inputs::{Obstacle, Source};
use crate::problem::Problem;
use crate::records::{
    Cell, Column, Event, Limit, Reading, Record, WholeFiles, columns_of, for_each_event,
};
use crate::{Error, Result};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// What a file consists of, in order: its bytes are the raw ones one after the other.
pub(crate) enum Found<'a> {
    /// A document and the bytes it came from.
    Document { document: Document<'a>, raw: &'a [u8] },
    /// What comes before the records: a byte-order mark, a header with its names.
    Head { raw: &'a [u8], names: &'a [String] },
    /// A record that is no document, or what is between records.
    Other(&'a [u8]),
}

/// Numbers documents over many files.
pub(crate) struct Reader<'o> {
    options: &'o ReadOptions,
    reading: Reading,
    columns: Vec<Column>,
    /// How many of the columns make the text; the id and the field follow.
    texts: usize,
    /// Whether the path of a file is unique without the input it belongs to.
    is_alone: bool,
    whole: WholeFiles,
    summary: Summary,
    /// The sizes of the files before this one.
    behind: u64,
    name: String,
    /// The names so far; none in a second reading, whose names nobody needs.
    names: Option<Names>,
    seen: Seen,
}

/// Which of the columns that were asked for some record has.
#[derive(Debug, Default)]
struct Seen {
    records: u64,
    text: bool,
    id: bool,
    field: bool,
    /// The columns of the first record without a text.
    columns: String,
}

impl<'o> Reader<'o> {
    pub(crate) fn new(corpus: &Corpus, options: &'o ReadOptions) -> Self {
        let column = |names: &[&str], required| Column {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            number: None,
            required,
        };
        let mut columns = match &options.text[..] {
            [] => vec![column(&TEXT_COLUMNS, true)],
            names => names.iter().map(|name| column(&[name], true)).collect(),
        };
        let texts = columns.len();
        columns.push(column(&[options.id.as_deref().unwrap_or("id")], options.id.is_some()));
        columns.extend(options.field.as_deref().map(|field| column(&[field], true)));
        Self {
            options,
            reading: Reading {
                encoding: options.encoding,
                longest: Limit(options.max_document),
                quotes: options.quotes,
                header: true,
                split: false,
            },
            columns,
            texts,
            is_alone: corpus.is_alone(),
            whole: WholeFiles::default(),
            summary: Summary::default(),
            behind: 0,
            name: String::new(),
            names: Some(Names::default()),
            seen: Seen::default(),
        }
    }

    /// For a second reading, whose names nobody needs.
    pub(crate) fn without_names(mut self) -> Self {
        self.names = None;
        self
    }

    pub(crate) fn into_summary(self) -> Summary {
        self.summary
    }

    /// What was read, if it is enough.
    ///
    /// # Errors
    /// [`Error::NoRecordHas`] for a column that no record has, [`Error::TooManyBad`].
    pub(crate) fn finish(self) -> Result<Summary> {
        let names = self.text_names();
        let Seen { records, text, id, field, columns } = self.seen;
        if records > 0 {
            let (id_name, field_name) = (self.options.id.clone(), self.options.field.clone());
            let asked = [(text, Some(names)), (id, id_name), (field, field_name)];
            let missing = asked.into_iter().find_map(|(seen, name)| name.filter(|_| !seen));
            if let Some(column) = missing {
                return Err(Error::NoRecordHas { column, records, columns });
            }
        }
        self.summary.check(&self.options.tolerance)?;
        Ok(self.summary)
    }

    /// Counts something that cannot be read.
    ///
    /// # Errors
    /// [`Error::Broken`] when reading is strict.
    pub(crate) fn pass(&mut self, obstacle: &Obstacle) -> Result<()> {
        let Obstacle { path, problem, detail } = obstacle;
        self.summary.note_as(&self.options.tolerance, *problem, path, None, detail)
    }

    /// Calls `visit` with everything in a file.
    ///
    /// # Errors
    /// As [`super::for_each_document`].
    pub(crate) fn read<E: From<Error>>(
        &mut self,
        source: &Source,
        visit: &mut impl FnMut(Found<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_shard = source.relative.is_some() && source.format.has_columns();
        self.summary.count_file(source.format, is_shard);
        let mut whole = std::mem::take(&mut self.whole);
        let columns = std::mem::take(&mut self.columns);
        let reading = self.reading.clone();
        let mut position = 0;
        let mut see = |event: Event<'_>| {
            if let Event::Record(record) = &event {
                position = record.position;
            }
            self.see(source, event, visit)
        };
        let read = if source.format == Format::Files {
            whole.visit(source, &reading, &mut see)
        } else {
            for_each_event(source, &columns, &reading, &mut see)
        };
        self.behind += position;
        self.whole = whole;
        self.columns = columns;
        read
    }

    fn see<E: From<Error>>(
        &mut self,
        source: &Source,
        event: Event<'_>,
        visit: &mut impl FnMut(Found<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let name = || name_of(&source.path);
        match event {
            Event::Head { raw, names } => visit(Found::Head { raw, names }),
            Event::Other(raw) => visit(Found::Other(raw)),
            Event::Broken { raw, line, problem, detail } => {
                let tolerance = &self.options.tolerance;
                self.summary.note_as(tolerance, problem, &name(), line, detail)?;
                visit(Found::Other(raw))
            }
            Event::Note { line, problem, detail } => {
                if source.format == Format::Files && problem == Problem::NotUtf8 {
                    self.summary.note(problem, &name(), line, detail);
                    return Ok(());
                }
                let tolerance = &self.options.tolerance;
                Ok(self.summary.note_as(tolerance, problem, &name(), line, detail)?)
            }
            Event::Record(record) => self.see_record(source, &record, visit),
        }
    }

    fn see_record<E: From<Error>>(
        &mut self,
        source: &Source,
        record: &Record<'_>,
        visit: &mut impl FnMut(Found<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let tolerance = &self.options.tolerance;
        // Lines and whole files have a text and nothing else.
        let has_columns = source.format.has_columns();
        let texts = if has_columns { self.texts } else { 1 };
        self.see_columns(source, record);
        let text = match text_of(&record.cells[..texts]) {
            Ok(text) => text,
            Err(problem) => {
                let (name, detail) = (name_of(&source.path), self.text_names());
                self.summary.note_as(tolerance, problem, &name, record.line, &detail)?;
                return visit(Found::Other(record.raw));
            }
        };
        let id = if has_columns { record.cells[texts].as_name() } else { None };
        if let (None, true, Some(column)) = (id, has_columns, &self.options.id) {
            let name = name_of(&source.path);
            self.summary.note_as(tolerance, Problem::NoId, &name, record.line, column)?;
        }
        let mut is_told_apart = false;
        match id {
            None => self.name_by_place(source, record.row),
            Some(id) => {
                if self.names.as_mut().is_some_and(|names| !names.insert(id)) {
                    let path = source.relative.as_deref().filter(|_| self.is_alone);
                    let path = name_of(path.unwrap_or(&source.path));
                    self.name.clear();
                    write!(self.name, "{id}@{}:{}", path.display(), record.row).ok();
                    is_told_apart = true;
                    let name = name_of(&source.path);
                    self.summary.note_as(tolerance, Problem::SameId, &name, record.line, &id)?;
                }
            }
        }
        let field = record.cells.get(texts + 1).filter(|_| has_columns);
        let document = Document {
            ordinal: self.summary.documents,
            input: source.input,
            id: id.filter(|_| !is_told_apart).unwrap_or(&self.name),
            text: &text,
            field: field.and_then(Cell::as_name),
            position: self.behind + record.position,
        };
        self.summary.documents += 1;
        self.summary.bytes += text.len() as u64;
        self.summary.empty += u64::from(text.is_empty());
        visit(Found::Document { document, raw: record.raw })
    }

    /// Remembers which of the wanted columns there are.
    fn see_columns(&mut self, source: &Source, record: &Record<'_>) {
        let seen = &mut self.seen;
        seen.records += 1;
        if seen.text && seen.id && seen.field {
            return;
        }
        let is_there = |cell: Option<&Cell<'_>>| cell.is_some_and(|cell| *cell != Cell::Absent);
        if !source.format.has_columns() {
            // A text, unless a column was asked for by name.
            seen.text |= self.options.text.is_empty();
            return;
        }
        seen.text |= record.cells[..self.texts].iter().any(|cell| is_there(Some(cell)));
        seen.id |= is_there(record.cells.get(self.texts));
        seen.field |= is_there(record.cells.get(self.texts + 1));
        if !seen.text && seen.columns.is_empty() && source.format == Format::Jsonl {
            seen.columns = columns_of(record.raw);
        }
    }

    /// What the text columns are called, for a sentence.
    fn text_names(&self) -> String {
        match &self.options.text[..] {
            [] => TEXT_COLUMNS.join(", "),
            names => names.join(", "),
        }
    }

    fn name_by_place(&mut self, source: &Source, row: u64) {
        self.name.clear();
        let path: Cow<'_, Path> = match &source.relative {
            Some(relative) if self.is_alone && source.format == Format::Files => {
                Cow::Borrowed(relative)
            }
            _ if source.path == Path::new("-") => Cow::Owned(name_of(&source.path)),
            _ => Cow::Borrowed(&source.path),
        };
        write!(self.name, "{}", path.display()).ok();
        if source.format != Format::Files {
            write!(self.name, ":{row}").ok();
        }
    }
}

/// The text of a record: its text columns joined by line ends.
fn text_of<'a>(cells: &'a [Cell<'_>]) -> Result<Cow<'a, str>, Problem> {
    let mut joined: Option<Cow<'a, str>> = None;
    let mut problem = Problem::Missing;
    for cell in cells {
        let text = match cell {
            Cell::Text(text) => text,
            Cell::Absent => continue,
            Cell::Null => {
                problem = Problem::Null;
                continue;
            }
            Cell::Scalar(_) | Cell::Composite => return Err(Problem::NotText),
        };
        joined = Some(match joined {
            None => Cow::Borrowed(text),
            Some(before) => {
                let mut before = before.into_owned();
                before.push('\n');
                before.push_str(text);
                Cow::Owned(before)
            }
        });
    }
    joined.ok_or(problem)
}
