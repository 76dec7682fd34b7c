//! Tables that are written: rows of texts, numbers and truth values, in the format that the name
//! of the file says.
//!
//! `.jsonl` (and `.ndjson`, `.json`) has an object per line, `.parquet` typed columns, `.csv`
//! fields between commas under a header, and `.tsv` and everything else fields between tabs. A
//! field with a delimiter, a quote or a line end is quoted. `.gz`, `.zst`, `.bz2` and `.xz` may
//! follow all but Parquet.

use crate::documents::Format;
use crate::files::write_atomically;
use crate::packing::Packing;
use crate::stream::write_packed;
use crate::{Error, Result};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// How many rows of a Parquet table are in memory.
const ROW_GROUP: usize = 1 << 16;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Texts.
    Text,
    /// Whole numbers, or nothing.
    Number,
    /// Numbers with a fraction.
    Fraction,
    /// True or false.
    Truth,
}

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// A text.
    Text(&'a str),
    /// A whole number.
    Number(u64),
    /// A number with a fraction.
    Fraction(f64),
    /// True or false.
    Truth(bool),
}

/// A table to be written.
#[derive(Debug, Clone, Copy)]
pub struct Sheet<'a> {
    /// What its columns are called, and what they hold.
    pub columns: &'a [(&'a str, Holds)],
    /// Whether tab-separated lines start with a header; CSV always does.
    pub header: bool,
    /// How it came about, for the metadata of Parquet.
    pub about: &'a [(&'a str, String)],
}

/// Takes the rows of a table.
pub trait Rows {
    /// Writes a row: a value for each column.
    ///
    /// # Errors
    /// [`Error::Write`] with the name of the table.
    fn row(&mut self, values: &[Value<'_>]) -> Result<()>;
}

/// Writes a table whole or not at all: `content` is given where to write the rows.
///
/// # Errors
/// [`Error::Write`] with the name of the table, or what `content` says.
pub fn write_table<E: From<Error>>(
    path: &Path,
    sheet: Sheet<'_>,
    content: impl FnOnce(&mut dyn Rows) -> Result<(), E>,
) -> Result<(), E> {
    let delimiter = match Format::of_path(path) {
        Some(Format::Parquet) => {
            return write_atomically(path, |out| {
                let mut table = Parquet::new(path, out, sheet)?;
                content(&mut table)?;
                Ok(table.finish()?)
            });
        }
        Some(Format::Jsonl) => {
            return write_packed(path, |out| content(&mut Jsonl { path, out, sheet }));
        }
        Some(Format::Csv) => b',',
        _ => b'\t',
    };
    write_packed(path, |out| {
        let mut table = Delimited { path, out, delimiter };
        if sheet.header || delimiter == b',' {
            let names: Vec<Value<'_>> =
                sheet.columns.iter().map(|(name, _)| Value::Text(name)).collect();
            table.row(&names)?;
        }
        content(&mut table)
    })
}

/// Refuses a name that does not say a format in which tables are written.
///
/// # Errors
/// [`Error::OutputFormat`].
pub fn check_table_name(path: &Path) -> Result<()> {
    let refused =
        |expected| Err(Error::OutputFormat { name: path.to_owned(), expected, got: "a table" });
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match Format::of_path(path) {
        Some(Format::Parquet) if Packing::of_path(path).is_some() => refused("packed Parquet"),
        Some(Format::Arrow) => refused("arrow"),
        None if matches!(
            extension,
            "xlsx" | "xls" | "ods" | "xml" | "html" | "zip" | "lz4" | "7z" | "avro" | "orc"
        ) =>
        {
            refused("a format that is not written; there are tsv, csv, jsonl and parquet")
        }
        _ => Ok(()),
    }
}

/// A text as a field between delimiters.
#[must_use]
pub fn quoted(text: &str, delimiter: u8) -> Cow<'_, str> {
    let needs = |byte: u8| byte == delimiter || matches!(byte, b'\n' | b'\r' | b'"');
    if text.bytes().any(needs) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

struct Delimited<'w> {
    path: &'w Path,
    out: &'w mut dyn Write,
    delimiter: u8,
}

impl Rows for Delimited<'_> {
    fn row(&mut self, values: &[Value<'_>]) -> Result<()> {
        let Self { path, out, delimiter } = self;
        let mut write = || -> io::Result<()> {
            for (place, value) in values.iter().enumerate() {
                if place > 0 {
                    out.write_all(&[*delimiter])?;
                }
                match value {
                    Value::Null => {}
                    Value::Text(text) => out.write_all(quoted(text, *delimiter).as_bytes())?,
                    Value::Number(number) => write!(out, "{number}")?,
                    Value::Fraction(number) => write!(out, "{number}")?,
                    Value::Truth(truth) => write!(out, "{truth}")?,
                }
            }
            out.write_all(b"\n")
        };
        write().map_err(|source| Error::Write { name: (*path).to_owned(), source })
    }
}

struct Jsonl<'w, 's> {
    path: &'w Path,
    out: &'w mut dyn Write,
    sheet: Sheet<'s>,
}

impl Value<'_> {
    /// As JSON.
    #[must_use]
    pub fn to_json(self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Text(text) => text.into(),
            Self::Number(number) => number.into(),
            Self::Fraction(number) => number.into(),
            Self::Truth(truth) => truth.into(),
        }
    }
}

impl Rows for Jsonl<'_, '_> {
    fn row(&mut self, values: &[Value<'_>]) -> Result<()> {
        let Self { path, out, sheet } = self;
        let mut write = || -> io::Result<()> {
            for (place, ((name, _), value)) in sheet.columns.iter().zip(values).enumerate() {
                let start = if place == 0 { '{' } else { ',' };
                write!(out, "{start}\"{name}\":{}", value.to_json())?;
            }
            out.write_all(b"}\n")
        };
        write().map_err(|source| Error::Write { name: (*path).to_owned(), source })
    }
}

/// The values of a column that wait to be written; levels are 1 for what is there.
enum Held {
    Texts(Vec<ByteArray>, Vec<i16>),
    Numbers(Vec<i64>, Vec<i16>),
    Fractions(Vec<f64>, Vec<i16>),
    Truths(Vec<bool>, Vec<i16>),
}

struct Parquet<'w> {
    path: &'w Path,
    writer: SerializedFileWriter<&'w mut (dyn Write + Send)>,
    columns: Vec<Held>,
    rows: usize,
}

impl<'w> Parquet<'w> {
    fn new(path: &'w Path, out: &'w mut (dyn Write + Send), sheet: Sheet<'_>) -> Result<Self> {
        let about = sheet.about.iter();
        let about = about.map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
        let about: Vec<KeyValue> = about.collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata((!about.is_empty()).then_some(about))
            .build();
        let writer = schema(sheet.columns).and_then(|schema| {
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
        });
        let held = |(_, holds): &(&str, Holds)| match holds {
            Holds::Text => Held::Texts(Vec::new(), Vec::new()),
            Holds::Number => Held::Numbers(Vec::new(), Vec::new()),
            Holds::Fraction => Held::Fractions(Vec::new(), Vec::new()),
            Holds::Truth => Held::Truths(Vec::new(), Vec::new()),
        };
        let columns = sheet.columns.iter().map(held).collect();
        Ok(Self { path, writer: writer.map_err(|error| failed(path, error))?, columns, rows: 0 })
    }

    fn flush(&mut self) -> ParquetResult<()> {
        let mut group = self.writer.next_row_group()?;
        for held in &mut self.columns {
            let Some(mut column) = group.next_column()? else { break };
            macro_rules! write {
                ($values:ident, $levels:ident, $writer:ident) => {{
                    // A column that has no nulls has no levels.
                    let levels = if $writer.get_descriptor().max_def_level() > 0 {
                        Some(&$levels[..])
                    } else {
                        None
                    };
                    $writer.write_batch($values, levels, None)?;
                    $values.clear();
                    $levels.clear();
                }};
            }
            match (held, column.untyped()) {
                (Held::Texts(values, levels), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                    write!(values, levels, writer);
                }
                (Held::Numbers(values, levels), ColumnWriter::Int64ColumnWriter(writer)) => {
                    write!(values, levels, writer);
                }
                (Held::Fractions(values, levels), ColumnWriter::DoubleColumnWriter(writer)) => {
                    write!(values, levels, writer);
                }
                (Held::Truths(values, levels), ColumnWriter::BoolColumnWriter(writer)) => {
                    write!(values, levels, writer);
                }
                _ => return Err(ParquetError::General("a column changed its type".into())),
            }
            column.close()?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        let flushed = if self.rows == 0 { Ok(()) } else { self.flush() };
        flushed
            .and_then(|()| self.writer.close().map(drop))
            .map_err(|error| failed(self.path, error))
    }
}

impl Rows for Parquet<'_> {
    fn row(&mut self, values: &[Value<'_>]) -> Result<()> {
        for (held, &value) in self.columns.iter_mut().zip(values) {
            let (levels, is_there) = match (held, value) {
                (Held::Texts(texts, levels), Value::Text(text)) => {
                    texts.push(text.into());
                    (levels, true)
                }
                (Held::Numbers(numbers, levels), Value::Number(number)) => {
                    numbers.push(number.cast_signed());
                    (levels, true)
                }
                (Held::Fractions(numbers, levels), Value::Fraction(number)) => {
                    numbers.push(number);
                    (levels, true)
                }
                (Held::Truths(truths, levels), Value::Truth(truth)) => {
                    truths.push(truth);
                    (levels, true)
                }
                (
                    Held::Texts(_, levels)
                    | Held::Numbers(_, levels)
                    | Held::Fractions(_, levels)
                    | Held::Truths(_, levels),
                    _,
                ) => (levels, false),
            };
            levels.push(i16::from(is_there));
        }
        self.rows += 1;
        if self.rows < ROW_GROUP {
            return Ok(());
        }
        self.flush().map_err(|error| failed(self.path, error))
    }
}

fn failed(path: &Path, error: ParquetError) -> Error {
    Error::Write { name: path.to_owned(), source: io::Error::other(error) }
}

fn schema(columns: &[(&str, Holds)]) -> ParquetResult<Type> {
    let field = |&(name, holds): &(&str, Holds)| field(name, holds, holds == Holds::Number);
    let fields: ParquetResult<Vec<Type>> = columns.iter().map(field).collect();
    Type::group_type_builder("schema")
        .with_fields(fields?.into_iter().map(Arc::new).collect())
        .build()
}

/// A column of a schema.
pub(crate) fn field(name: &str, holds: Holds, may_be_null: bool) -> ParquetResult<Type> {
    let physical = match holds {
        Holds::Text => Physical::BYTE_ARRAY,
        Holds::Number => Physical::INT64,
        Holds::Fraction => Physical::DOUBLE,
        Holds::Truth => Physical::BOOLEAN,
    };
    let repetition = if may_be_null { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    Type::primitive_type_builder(name, physical)
        .with_repetition(repetition)
        .with_logical_type((holds == Holds::Text).then_some(LogicalType::String))
        .build()
}
