//! From records to numbered documents.

use super::sources::Source;
use super::walk::Obstacle;
use super::{Document, Format, ReadOptions, Summary, TEXT_COLUMNS};
use crate::files::name_of;
use crate::problem::Problem;
use crate::records::{Cell, Column, Event, Limit, Reading, Record, WholeFiles, for_each_event};
use crate::{Error, Result};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};

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
}

impl<'o> Reader<'o> {
    pub(crate) fn new(inputs: &[PathBuf], options: &'o ReadOptions) -> Self {
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
            is_alone: inputs.len() <= 1,
            whole: WholeFiles::default(),
            summary: Summary::default(),
            behind: 0,
            name: String::new(),
        }
    }

    pub(crate) fn into_summary(self) -> Summary {
        self.summary
    }

    /// Counts something that cannot be read.
    ///
    /// # Errors
    /// [`Error::Broken`] when reading is strict.
    pub(crate) fn pass(&mut self, obstacle: &Obstacle) -> Result<()> {
        let Obstacle { path, problem, detail } = obstacle;
        self.summary.note_unless(self.options.strict, *problem, path, None, detail)
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
            whole.visit(&source.path, &reading, &mut see)
        } else {
            for_each_event(&source.path, source.format, &columns, &reading, &mut see)
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
                self.summary.note_unless(self.options.strict, problem, &name(), line, detail)?;
                visit(Found::Other(raw))
            }
            Event::Note { line, problem, detail } => {
                let is_fallback = source.format == Format::Files && problem == Problem::NotUtf8;
                let strict = self.options.strict && !is_fallback;
                Ok(self.summary.note_unless(strict, problem, &name(), line, detail)?)
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
        let strict = self.options.strict;
        // Lines and whole files have a text and nothing else.
        let has_columns = !matches!(source.format, Format::Files | Format::Lines);
        let texts = if has_columns { self.texts } else { 1 };
        let text = match text_of(&record.cells[..texts]) {
            Ok(text) => text,
            Err(problem) => {
                let (name, detail) = (name_of(&source.path), self.text_names());
                self.summary.note_unless(strict, problem, &name, record.line, &detail)?;
                return visit(Found::Other(record.raw));
            }
        };
        let id = if has_columns { record.cells[texts].as_name() } else { None };
        if let (None, true, Some(column)) = (id, has_columns, &self.options.id) {
            let name = name_of(&source.path);
            self.summary.note_unless(strict, Problem::NoId, &name, record.line, column)?;
        }
        if id.is_none() {
            self.name_by_place(source, record.row);
        }
        let field = record.cells.get(texts + 1).filter(|_| has_columns);
        let document = Document {
            ordinal: self.summary.documents,
            input: source.input,
            id: id.unwrap_or(&self.name),
            text: &text,
            field: field.and_then(Cell::as_name),
            position: self.behind + record.position,
        };
        self.summary.documents += 1;
        self.summary.bytes += text.len() as u64;
        self.summary.empty += u64::from(text.is_empty());
        visit(Found::Document { document, raw: record.raw })
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
