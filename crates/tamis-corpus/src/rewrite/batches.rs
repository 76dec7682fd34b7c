//! Batches of Arrow files and streams without the rows that go, or with their labels.

use super::labels::{LABELS, Label, check_columns};
use super::{Copying, Row};
use crate::inputs::Source;
use crate::records::arrow::{Batches, refused};
use crate::{Error, Result};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray, UInt64Array};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Writes what the input is: a file or a stream.
enum Writer<'w> {
    File(FileWriter<&'w mut (dyn Write + Send)>),
    Stream(StreamWriter<&'w mut (dyn Write + Send)>),
}

impl Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        match self {
            Self::File(writer) => writer.write(batch),
            Self::Stream(writer) => writer.write(batch),
        }
    }

    fn finish(mut self) -> Result<(), ArrowError> {
        match &mut self {
            Self::File(writer) => writer.finish(),
            Self::Stream(writer) => writer.finish(),
        }
    }
}

/// Copies what is kept of these files into one.
pub(super) fn copy(
    copy: &mut Copying<'_, '_, '_>,
    sources: &[Source],
    name: &Path,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let failed =
        |error: ArrowError| Error::Write { name: name.to_owned(), source: io::Error::other(error) };
    let Some(first) = sources.first() else { return Ok(()) };
    let model = Batches::open(first, None)?;
    let own = model.schema();
    let schema = match copy.label {
        None => Arc::clone(&own),
        Some(_) => labelled(&own, &first.path)?,
    };
    let mut writer = match model {
        Batches::File(_) => Writer::File(FileWriter::try_new(out, &schema).map_err(failed)?),
        Batches::Stream(_) => Writer::Stream(StreamWriter::try_new(out, &schema).map_err(failed)?),
    };
    drop(model);
    for source in sources {
        let rows = copy.rows_of(source)?;
        let mut rows = &rows[..];
        let batches = Batches::open(source, None)?;
        if batches.schema().fields() != own.fields() {
            let (first, second) = (first.path.clone(), source.path.clone());
            return Err(Error::Different { first, second, what: "their columns" });
        }
        for batch in batches {
            let mut batch = batch.map_err(|error| refused(&source.path, error))?;
            let (here, rest) = rows.split_at(batch.num_rows().min(rows.len()));
            rows = rest;
            if let Some(label) = copy.label {
                batch = with_labels(&batch, &schema, here, label).map_err(failed)?;
            } else if !here.iter().all(|row| row.is_kept()) {
                let kept: BooleanArray = here.iter().map(|row| Some(row.is_kept())).collect();
                batch = filter_record_batch(&batch, &kept).map_err(failed)?;
            }
            writer.write(&batch).map_err(failed)?;
        }
    }
    writer.finish().map_err(failed)
}

/// A schema with the columns of labels.
fn labelled(own: &Schema, path: &Path) -> Result<SchemaRef> {
    let names: Vec<&str> = own.fields().iter().map(|field| field.name().as_str()).collect();
    check_columns(&names, path)?;
    let added = [
        Field::new(LABELS[0], DataType::UInt64, true),
        Field::new(LABELS[1], DataType::Utf8, true),
        Field::new(LABELS[2], DataType::Boolean, false),
    ];
    let fields: Vec<Arc<Field>> = own.fields().iter().cloned().chain(added.map(Arc::new)).collect();
    let mut metadata = own.metadata().clone();
    metadata.retain(|key, _| super::labels::stays_true(key));
    Ok(Arc::new(Schema::new_with_metadata(fields, metadata)))
}

fn with_labels<'l>(
    batch: &RecordBatch,
    schema: &SchemaRef,
    rows: &[Row],
    label: &dyn Fn(u64) -> Label<'l>,
) -> Result<RecordBatch, ArrowError> {
    let labels = || {
        rows.iter().map(|row| match row {
            Row::Kept(ordinal) => ordinal.map(label),
            Row::Dropped => None,
        })
    };
    let clusters: UInt64Array = labels().map(|label| label.map(|label| label.cluster)).collect();
    let names: StringArray = labels().map(|label| label.map(|it| it.representative)).collect();
    let keeps: BooleanArray =
        labels().map(|label| Some(label.is_none_or(|label| label.keep))).collect();
    let added: [ArrayRef; 3] = [Arc::new(clusters), Arc::new(names), Arc::new(keeps)];
    let columns = batch.columns().iter().cloned().chain(added).collect();
    RecordBatch::try_new(Arc::clone(schema), columns)
}
