//! Rows of Parquet files: each column is read as values and levels and written again without
//! the rows that go.
//!
//! A record starts where its repetition level is 0. Below Arrow and its types, the schema of the
//! new file is the one of the old: physical and logical types, field ids, nesting. Compression,
//! dictionaries and encodings follow the first row group of the first file; statistics are made
//! anew, Bloom filters are not.

use super::labels;
use super::{Copying, Row};
use crate::inputs::Source;
use crate::records::parquet::{batch_size, open, refused};
use crate::{Error, Result};
use parquet::basic::Encoding;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::RowGroupReader;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Copies what is kept of these files into one.
pub(super) fn copy(
    copy: &mut Copying<'_, '_, '_>,
    sources: &[Source],
    name: &Path,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let failed = |error: ParquetError| Error::Write {
        name: name.to_owned(),
        source: io::Error::other(error),
    };
    let Some(first) = sources.first() else { return Ok(()) };
    let model = open(first)?;
    let model = model.metadata();
    let own = model.file_metadata().schema_descr().root_schema_ptr();
    let (schema, properties) = match copy.label {
        None => (Arc::clone(&own), properties(model, |_| true)),
        Some(_) => {
            let names: Vec<&str> = own.get_fields().iter().map(|field| field.name()).collect();
            labels::check_columns(&names, &first.path)?;
            let schema = labels::schema(&own).map_err(failed)?;
            (Arc::new(schema), properties(model, labels::stays_true))
        }
    };
    let mut writer =
        SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(failed)?;
    for source in sources {
        let rows = copy.rows_of(source)?;
        let reader = open(source)?;
        let metadata = reader.metadata().file_metadata();
        if metadata.schema().get_fields() != own.get_fields() {
            let (first, second) = (first.path.clone(), source.path.clone());
            return Err(Error::Different { first, second, what: "their columns" });
        }
        if i64::try_from(rows.len()) != Ok(metadata.num_rows()) {
            let rows = format!("{} of {} rows can be read", rows.len(), metadata.num_rows());
            return Err(refused(&source.path, ParquetError::General(rows)));
        }
        let mut rows = &rows[..];
        for number in 0..reader.num_row_groups() {
            let group =
                reader.get_row_group(number).map_err(|error| refused(&source.path, error))?;
            let size = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            let (here, rest) = rows.split_at(size.min(rows.len()));
            rows = rest;
            if here.iter().any(|row| row.is_kept()) {
                let mut target = writer.next_row_group().map_err(failed)?;
                copy_group(&*group, &mut target, here).map_err(failed)?;
                if let Some(label) = copy.label {
                    labels::write_columns(&mut target, here, label).map_err(failed)?;
                }
                target.close().map_err(failed)?;
            }
        }
    }
    writer.close().map(drop).map_err(failed)
}

/// How a file was written, as far as it says.
fn properties(model: &ParquetMetaData, stays: fn(&str) -> bool) -> WriterProperties {
    let metadata = model.file_metadata().key_value_metadata().cloned();
    let metadata = metadata.map(|all| all.into_iter().filter(|one| stays(&one.key)).collect());
    let mut properties = WriterProperties::builder()
        .set_key_value_metadata(metadata)
        .set_created_by(concat!("tamis version ", env!("CARGO_PKG_VERSION")).to_owned());
    let Some(group) = model.row_groups().first() else { return properties.build() };
    properties = properties.set_sorting_columns(group.sorting_columns().cloned());
    for column in group.columns() {
        let path = column.column_path().clone();
        let is_dictionary =
            |encoding| matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
        let has_dictionary = column.encodings().any(is_dictionary);
        properties = properties
            .set_column_compression(path.clone(), column.compression())
            .set_column_dictionary_enabled(path.clone(), has_dictionary);
        // Levels are in other encodings than values.
        let of_values = |encoding: &Encoding| {
            matches!(
                encoding,
                Encoding::DELTA_BINARY_PACKED
                    | Encoding::DELTA_LENGTH_BYTE_ARRAY
                    | Encoding::DELTA_BYTE_ARRAY
                    | Encoding::BYTE_STREAM_SPLIT
            )
        };
        if let Some(encoding) = column.encodings().find(of_values) {
            properties = properties.set_column_encoding(path, encoding);
        }
    }
    properties.build()
}

fn copy_group<W: Write + Send>(
    group: &dyn RowGroupReader,
    target: &mut SerializedRowGroupWriter<'_, W>,
    kept: &[Row],
) -> ParquetResult<()> {
    for place in 0..group.num_columns() {
        let batch = batch_size(group.metadata(), std::iter::once(place));
        let reader = group.get_column_reader(place)?;
        let Some(mut column) = target.next_column()? else {
            return Err(ParquetError::General("the row group has too few columns".into()));
        };
        macro_rules! same_type {
            ($($reader:ident, $writer:ident);*) => {
                match (reader, column.untyped()) {
                    $((ColumnReader::$reader(reader), ColumnWriter::$writer(writer)) => {
                        copy_column(reader, writer, kept, batch)?;
                    })*
                    _ => return Err(ParquetError::General("a column changed its type".into())),
                }
            };
        }
        same_type!(
            BoolColumnReader, BoolColumnWriter;
            Int32ColumnReader, Int32ColumnWriter;
            Int64ColumnReader, Int64ColumnWriter;
            Int96ColumnReader, Int96ColumnWriter;
            FloatColumnReader, FloatColumnWriter;
            DoubleColumnReader, DoubleColumnWriter;
            ByteArrayColumnReader, ByteArrayColumnWriter;
            FixedLenByteArrayColumnReader, FixedLenByteArrayColumnWriter
        );
        column.close()?;
    }
    Ok(())
}

fn copy_column<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    writer: &mut ColumnWriterImpl<'_, T>,
    kept: &[Row],
    batch: usize,
) -> ParquetResult<()> {
    let description = writer.get_descriptor();
    let (deepest, is_repeated) = (description.max_def_level(), description.max_rep_level() > 0);
    let (mut definitions, mut repetitions, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for kept in kept.chunks(batch) {
        definitions.clear();
        repetitions.clear();
        values.clear();
        let (records, _, levels) = reader.read_records(
            kept.len(),
            Some(&mut definitions),
            Some(&mut repetitions),
            &mut values,
        )?;
        if records != kept.len() {
            return Err(ParquetError::EOF("a column ends early".into()));
        }
        // Which levels stay, and which values: those of the deepest level.
        let mut record = 0;
        let stays: Vec<bool> = (0..levels)
            .map(|level| {
                record += usize::from(!is_repeated || repetitions[level] == 0);
                kept[record - 1].is_kept()
            })
            .collect();
        let mut level = (0..levels).filter(|&level| deepest == 0 || definitions[level] == deepest);
        values.retain(|_| level.next().is_some_and(|level| stays[level]));
        let retain = |levels: &mut Vec<i16>| {
            let mut stays = stays.iter();
            levels.retain(|_| stays.next() == Some(&true));
        };
        retain(&mut definitions);
        retain(&mut repetitions);
        let definitions = (deepest > 0).then_some(&definitions[..]);
        let repetitions = is_repeated.then_some(&repetitions[..]);
        writer.write_batch(&values, definitions, repetitions)?;
    }
    Ok(())
}
