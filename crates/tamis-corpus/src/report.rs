//! Reports: rows of two names and a similarity, in the format that the output's name says.
//!
//! `.jsonl` (and `.ndjson`, `.json`) has an object per line, `.parquet` two string columns and a
//! double, everything else tab-separated lines, in which a name with tabs, quotes or line ends
//! is quoted. `.gz` and `.zst` may stand behind the first and the last.

use crate::documents::Format;
use crate::files::write_atomically;
use crate::stream::write_packed;
use crate::{Error, Result};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// How many rows of a Parquet report are in memory.
const ROW_GROUP: usize = 1 << 16;

/// A row: a document, the one it is compared with, and how similar they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// The first name.
    pub left: &'a str,
    /// The second name.
    pub right: &'a str,
    /// From 0 to 1.
    pub similarity: f64,
}

/// What the columns of a report are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    /// The first name.
    pub left: &'static str,
    /// The second name.
    pub right: &'static str,
    /// Whether tab-separated lines start with a header.
    pub header: bool,
}

impl Columns {
    /// What was removed, and what was kept in its place.
    pub const REMOVED: Self = Self { left: "id", right: "kept", header: true };
    /// Two that are similar.
    pub const PAIRS: Self = Self { left: "left", right: "right", header: false };
}

/// The name of the third column.
pub const SIMILARITY: &str = "similarity";

/// Takes the rows of a report.
pub trait Report {
    /// Writes a row.
    ///
    /// # Errors
    /// [`Error::Write`] with the report's name.
    fn row(&mut self, row: Row<'_>) -> Result<()>;
}

/// Writes a report whole or not at all: `content` is given where to write the rows.
///
/// # Errors
/// [`Error::Write`] with the report's name, or what `content` says.
pub fn write_report<E: From<Error>>(
    path: &Path,
    columns: Columns,
    content: impl FnOnce(&mut dyn Report) -> Result<(), E>,
) -> Result<(), E> {
    match Format::of_path(path) {
        Some(Format::Parquet) => write_atomically(path, |out| {
            let mut report = Parquet::new(path, out, columns)?;
            content(&mut report)?;
            Ok(report.finish()?)
        }),
        Some(Format::Jsonl) => write_packed(path, |out| content(&mut Jsonl { path, out, columns })),
        _ => write_packed(path, |out| {
            if columns.header {
                let header = writeln!(out, "{}\t{}\t{SIMILARITY}", columns.left, columns.right);
                header.map_err(|source| Error::Write { name: path.to_owned(), source })?;
            }
            content(&mut Tsv { path, out })
        }),
    }
}

struct Tsv<'w> {
    path: &'w Path,
    out: &'w mut dyn Write,
}

impl Report for Tsv<'_> {
    fn row(&mut self, row: Row<'_>) -> Result<()> {
        let (left, right) = (quoted(row.left), quoted(row.right));
        writeln!(self.out, "{left}\t{right}\t{}", row.similarity)
            .map_err(|source| Error::Write { name: self.path.to_owned(), source })
    }
}

/// A name as a field between tabs.
fn quoted(name: &str) -> Cow<'_, str> {
    if name.contains(['\t', '\n', '\r', '"']) {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(name)
    }
}

struct Jsonl<'w> {
    path: &'w Path,
    out: &'w mut dyn Write,
    columns: Columns,
}

impl Report for Jsonl<'_> {
    fn row(&mut self, row: Row<'_>) -> Result<()> {
        let string = serde_json::Value::from;
        let (left, right) = (string(row.left), string(row.right));
        let Columns { left: first, right: second, .. } = self.columns;
        let similarity = serde_json::Value::from(row.similarity);
        writeln!(
            self.out,
            "{{\"{first}\":{left},\"{second}\":{right},\"{SIMILARITY}\":{similarity}}}"
        )
        .map_err(|source| Error::Write { name: self.path.to_owned(), source })
    }
}

struct Parquet<'w> {
    path: &'w Path,
    writer: SerializedFileWriter<&'w mut (dyn Write + Send)>,
    left: Vec<ByteArray>,
    right: Vec<ByteArray>,
    similarities: Vec<f64>,
}

impl<'w> Parquet<'w> {
    fn new(path: &'w Path, out: &'w mut (dyn Write + Send), columns: Columns) -> Result<Self> {
        let writer = schema(columns).and_then(|schema| {
            let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))
        });
        Ok(Self {
            path,
            writer: writer.map_err(|error| failed(path, error))?,
            left: Vec::new(),
            right: Vec::new(),
            similarities: Vec::new(),
        })
    }

    fn flush(&mut self) -> ParquetResult<()> {
        let mut group = self.writer.next_row_group()?;
        for texts in [&self.left, &self.right] {
            if let Some(mut column) = group.next_column()? {
                column.typed::<ByteArrayType>().write_batch(texts, None, None)?;
                column.close()?;
            }
        }
        if let Some(mut column) = group.next_column()? {
            column.typed::<DoubleType>().write_batch(&self.similarities, None, None)?;
            column.close()?;
        }
        group.close()?;
        self.left.clear();
        self.right.clear();
        self.similarities.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        let flushed = if self.left.is_empty() { Ok(()) } else { self.flush() };
        flushed
            .and_then(|()| self.writer.close().map(drop))
            .map_err(|error| failed(self.path, error))
    }
}

impl Report for Parquet<'_> {
    fn row(&mut self, row: Row<'_>) -> Result<()> {
        self.left.push(row.left.into());
        self.right.push(row.right.into());
        self.similarities.push(row.similarity);
        if self.left.len() < ROW_GROUP {
            return Ok(());
        }
        self.flush().map_err(|error| failed(self.path, error))
    }
}

fn failed(path: &Path, error: ParquetError) -> Error {
    Error::Write { name: path.to_owned(), source: io::Error::other(error) }
}

fn schema(columns: Columns) -> ParquetResult<Type> {
    let text = |name| {
        Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::String))
            .build()
    };
    let similarity = Type::primitive_type_builder(SIMILARITY, Physical::DOUBLE)
        .with_repetition(Repetition::REQUIRED)
        .build()?;
    let fields = vec![text(columns.left)?, text(columns.right)?, similarity];
    Type::group_type_builder("schema")
        .with_fields(fields.into_iter().map(Arc::new).collect())
        .build()
}
