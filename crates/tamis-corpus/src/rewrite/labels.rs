//! Labels: three columns that say to which cluster a document belongs, which document stands for
//! it, and whether it stays.

use super::Row;
use crate::documents::Format;
use crate::inputs::Source;
use crate::table::{self, Holds, Value, quoted};
use crate::{Error, Result};
use csv_core::{ReadRecordResult, ReaderBuilder};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::Type;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The names of the columns.
pub const LABELS: [&str; 3] = ["cluster", "representative", "keep"];

/// What is said of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label<'a> {
    /// The number of its cluster: documents that a chain of similar pairs connects.
    pub cluster: u64,
    /// The name of the document that stays in its place, or its own if it stays.
    pub representative: &'a str,
    /// Whether it stays.
    pub keep: bool,
}

/// Refuses columns that have the name of a label.
pub(super) fn check_columns(names: &[&str], path: &Path) -> Result<()> {
    match names.iter().find(|name| LABELS.contains(name)) {
        Some(name) => {
            Err(Error::ColumnExists { name: path.to_owned(), column: (*name).to_owned() })
        }
        None => Ok(()),
    }
}

/// The records of one file with their labels.
pub(super) struct Labelling<'l> {
    format: Format,
    path: PathBuf,
    quotes: bool,
    label: &'l dyn Fn(u64) -> Label<'l>,
    /// How many fields a row has, once the header is known.
    width: usize,
}

impl<'l> Labelling<'l> {
    pub(super) fn new(source: &Source, quotes: bool, label: &'l dyn Fn(u64) -> Label<'l>) -> Self {
        Self { format: source.format, path: source.path.clone(), quotes, label, width: 0 }
    }

    const fn delimiter(&self) -> u8 {
        if matches!(self.format, Format::Csv) { b',' } else { b'\t' }
    }

    /// A header with the names of the labels.
    pub(super) fn header<'r>(&mut self, raw: &'r [u8], names: &[String]) -> Result<Cow<'r, [u8]>> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        check_columns(&names, &self.path)?;
        self.width = names.len();
        let delimiter = char::from(self.delimiter());
        let added: String =
            LABELS.iter().flat_map(|name| [delimiter.to_string(), (*name).to_owned()]).collect();
        Ok(with(raw, line_of(raw).len(), added.as_bytes()))
    }

    /// A record with its label; one that is no document stays, and belongs to no cluster.
    pub(super) fn record<'r>(&self, raw: &'r [u8], ordinal: Option<u64>) -> Result<Cow<'r, [u8]>> {
        let label = ordinal.map(self.label);
        let values = [
            label.map_or(Value::Null, |label| Value::Number(label.cluster)),
            label.map_or(Value::Null, |label| Value::Text(label.representative)),
            Value::Truth(label.is_none_or(|label| label.keep)),
        ];
        match self.format {
            Format::Jsonl => self.object(raw, values),
            Format::Csv | Format::Tsv if !raw.trim_ascii().is_empty() => Ok(self.row(raw, values)),
            _ => Ok(Cow::Borrowed(raw)),
        }
    }

    fn object<'r>(&self, raw: &'r [u8], values: [Value<'_>; 3]) -> Result<Cow<'r, [u8]>> {
        let trimmed = raw.trim_ascii_end();
        // What is no object has no columns.
        let Some(open) = trimmed.strip_suffix(b"}") else { return Ok(Cow::Borrowed(raw)) };
        let text = String::from_utf8_lossy(trimmed);
        let Ok(fields) = serde_json::from_str::<BTreeMap<Cow<'_, str>, IgnoredAny>>(&text) else {
            return Ok(Cow::Borrowed(raw));
        };
        let names: Vec<&str> = fields.keys().map(|name| &**name).collect();
        check_columns(&names, &self.path)?;
        let mut added = Vec::new();
        for (place, (name, value)) in LABELS.iter().zip(values).enumerate() {
            let comma = if place == 0 && fields.is_empty() { "" } else { "," };
            write!(added, "{comma}\"{name}\":{}", value.to_json()).ok();
        }
        Ok(with(raw, open.len(), &added))
    }

    fn row<'r>(&self, raw: &'r [u8], values: [Value<'_>; 3]) -> Cow<'r, [u8]> {
        let delimiter = self.delimiter();
        let line = line_of(raw);
        let mut added = Vec::new();
        // A short row is filled up, so that the labels come under their names.
        let missing = self.width.saturating_sub(fields_of(line, delimiter, self.quotes));
        added.resize(missing, delimiter);
        for value in values {
            added.push(delimiter);
            match value {
                Value::Text(text) => added.extend(quoted(text, delimiter).bytes()),
                Value::Number(number) => write!(added, "{number}").unwrap_or_default(),
                Value::Truth(truth) => write!(added, "{truth}").unwrap_or_default(),
                Value::Null | Value::Fraction(_) => {}
            }
        }
        with(raw, line.len(), &added)
    }
}

/// A record without its line end.
fn line_of(raw: &[u8]) -> &[u8] {
    let line = raw.strip_suffix(b"\n").unwrap_or(raw);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Bytes with others put in at a place.
fn with<'r>(raw: &'r [u8], place: usize, added: &[u8]) -> Cow<'r, [u8]> {
    Cow::Owned([&raw[..place], added, &raw[place..]].concat())
}

fn fields_of(line: &[u8], delimiter: u8, quotes: bool) -> usize {
    let mut parser = ReaderBuilder::new().delimiter(delimiter).quoting(quotes).build();
    let (mut fields, mut ends) = (vec![0; line.len() + 1], vec![0; line.len() + 2]);
    let (result, _, _, count) = parser.read_record(line, &mut fields, &mut ends);
    match result {
        // The last field ends with the line.
        ReadRecordResult::InputEmpty => count + 1,
        _ => count,
    }
}

/// Metadata that describes all columns, and would be wrong with further ones.
pub(super) fn stays_true(key: &str) -> bool {
    !matches!(key, "ARROW:schema" | "huggingface")
}

/// A schema of Parquet with the columns of labels.
pub(super) fn schema(own: &Type) -> ParquetResult<Type> {
    let added = [
        table::field(LABELS[0], Holds::Number, true)?,
        table::field(LABELS[1], Holds::Text, true)?,
        table::field(LABELS[2], Holds::Truth, false)?,
    ];
    let fields = own.get_fields().iter().cloned().chain(added.map(Arc::new)).collect();
    Type::group_type_builder(own.name()).with_fields(fields).build()
}

/// Writes the labels of the rows of a group.
pub(super) fn write_columns<'l, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Row],
    label: &dyn Fn(u64) -> Label<'l>,
) -> ParquetResult<()> {
    let labels = || {
        rows.iter().filter_map(|row| match row {
            Row::Kept(ordinal) => Some(ordinal.map(label)),
            Row::Dropped => None,
        })
    };
    let levels: Vec<i16> = labels().map(|label| i16::from(label.is_some())).collect();
    while let Some(mut column) = group.next_column()? {
        match column.untyped() {
            ColumnWriter::Int64ColumnWriter(writer) => {
                let clusters: Vec<i64> =
                    labels().flatten().map(|label| label.cluster.cast_signed()).collect();
                writer.write_batch(&clusters, Some(&levels), None)?;
            }
            ColumnWriter::ByteArrayColumnWriter(writer) => {
                let names: Vec<ByteArray> =
                    labels().flatten().map(|label| label.representative.into()).collect();
                writer.write_batch(&names, Some(&levels), None)?;
            }
            ColumnWriter::BoolColumnWriter(writer) => {
                let keeps: Vec<bool> =
                    labels().map(|label| label.is_none_or(|label| label.keep)).collect();
                writer.write_batch(&keeps, None, None)?;
            }
            _ => return Err(ParquetError::General("a column changed its type".into())),
        }
        column.close()?;
    }
    Ok(())
}
