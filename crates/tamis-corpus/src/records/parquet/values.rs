//! The values of one column, batch by batch.

use super::super::columns::Cell;
use crate::text::{Encoding, decode};
use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;
use std::borrow::Cow;
use std::fmt::Write;

/// A column of a row group and the batch of it that is in memory.
pub(super) struct Values {
    reader: ColumnReader,
    /// The level of a value that is not null; levels are stored if it is not 0.
    present: i16,
    is_unsigned: bool,
    is_uuid: bool,
    levels: Vec<i16>,
    texts: Vec<ByteArray>,
    /// Numbers and the like, as they are written.
    scalars: Vec<String>,
    /// The next row and the next value.
    row: usize,
    value: usize,
}

impl Values {
    pub(super) fn open(group: &dyn RowGroupReader, column: usize) -> Result<Self> {
        let reader = group.get_column_reader(column)?;
        let description = group.metadata().schema_descr().column(column);
        let logical = description.logical_type_ref();
        let is_unsigned = match logical {
            Some(LogicalType::Integer(integer)) => !integer.is_signed,
            _ => matches!(
                description.converted_type(),
                ConvertedType::UINT_8
                    | ConvertedType::UINT_16
                    | ConvertedType::UINT_32
                    | ConvertedType::UINT_64
            ),
        };
        Ok(Self {
            reader,
            present: description.max_def_level(),
            is_unsigned,
            is_uuid: matches!(logical, Some(LogicalType::Uuid)),
            levels: Vec::new(),
            texts: Vec::new(),
            scalars: Vec::new(),
            row: 0,
            value: 0,
        })
    }

    /// Reads so many rows in place of the last ones.
    pub(super) fn read(&mut self, rows: usize) -> Result<()> {
        let Self { reader, levels, texts, scalars, is_unsigned, is_uuid, .. } = self;
        levels.clear();
        texts.clear();
        scalars.clear();
        self.row = 0;
        self.value = 0;
        match reader {
            ColumnReader::ByteArrayColumnReader(reader) => read(reader, rows, levels, texts),
            ColumnReader::BoolColumnReader(reader) => {
                read_as(reader, rows, levels, scalars, ToString::to_string)
            }
            ColumnReader::Int32ColumnReader(reader) if *is_unsigned => {
                read_as(reader, rows, levels, scalars, |value| value.cast_unsigned().to_string())
            }
            ColumnReader::Int32ColumnReader(reader) => {
                read_as(reader, rows, levels, scalars, ToString::to_string)
            }
            ColumnReader::Int64ColumnReader(reader) if *is_unsigned => {
                read_as(reader, rows, levels, scalars, |value| value.cast_unsigned().to_string())
            }
            ColumnReader::Int64ColumnReader(reader) => {
                read_as(reader, rows, levels, scalars, ToString::to_string)
            }
            ColumnReader::Int96ColumnReader(reader) => {
                read_as(reader, rows, levels, scalars, |value| value.to_nanos().to_string())
            }
            ColumnReader::FloatColumnReader(reader) => {
                read_as(reader, rows, levels, scalars, ToString::to_string)
            }
            ColumnReader::DoubleColumnReader(reader) => {
                read_as(reader, rows, levels, scalars, ToString::to_string)
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                read_as(reader, rows, levels, scalars, |value| hexadecimal(value.data(), *is_uuid))
            }
        }
    }

    /// The next row of the batch, and whether Latin-1 was the fallback.
    pub(super) fn next(&mut self, encoding: Encoding) -> (Cell<'_>, bool) {
        let is_null = self.levels.get(self.row).is_some_and(|&level| level < self.present);
        self.row += 1;
        if is_null {
            return (Cell::Null, false);
        }
        let value = self.value;
        self.value += 1;
        if let Some(text) = self.texts.get(value) {
            let (text, fallback) = decode(text.data(), encoding);
            return (Cell::Text(text), fallback);
        }
        let scalar = self.scalars.get(value).map(|text| Cell::Scalar(Cow::Borrowed(text)));
        (scalar.unwrap_or(Cell::Null), false)
    }
}

/// Reads exactly so many rows, or says that they are not there.
fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
    values: &mut Vec<T::T>,
) -> Result<()> {
    let (read, _, _) = reader.read_records(rows, Some(levels), None, values)?;
    if read < rows {
        return Err(ParquetError::EOF(format!("the column ends {} rows early", rows - read)));
    }
    Ok(())
}

/// Reads exactly so many rows and writes their values down.
fn read_as<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
    scalars: &mut Vec<String>,
    written: impl Fn(&T::T) -> String,
) -> Result<()> {
    let mut values = Vec::new();
    read(reader, rows, levels, &mut values)?;
    scalars.extend(values.iter().map(written));
    Ok(())
}

fn hexadecimal(bytes: &[u8], is_uuid: bool) -> String {
    let mut text = String::with_capacity(2 * bytes.len() + 4);
    for (place, byte) in bytes.iter().enumerate() {
        if is_uuid && matches!(place, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        write!(text, "{byte:02x}").ok();
    }
    text
}
