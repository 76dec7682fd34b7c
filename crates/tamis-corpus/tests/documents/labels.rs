//! A corpus with labels, in its own format.

use crate::Folder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tamis_corpus::documents::{Corpus, ReadOptions};
use tamis_corpus::rewrite::{Label, label_unchanged};
use tamis_corpus::{Error, Result};

/// The document 1 is a copy of 0; the others are alone.
fn label(ordinal: u64) -> Label<'static> {
    match ordinal {
        0 | 1 => Label { cluster: 0, representative: "a,1", keep: ordinal == 0 },
        _ => Label { cluster: ordinal - 1, representative: "c", keep: true },
    }
}

fn write(input: &Path, output: &Path) -> Result<()> {
    let options = ReadOptions::default();
    let inputs: [PathBuf; 1] = [input.to_owned()];
    let corpus = Corpus::open(&inputs, &options)?;
    label_unchanged(&corpus, &options, corpus.fingerprint()?, &label, output).map(drop)
}

#[test]
fn lines_and_rows_get_three_more_columns() {
    let folder = Folder::new();
    let cases: [(&str, &str, &str); 3] = [
        (
            "a.jsonl",
            "{\"text\":\"a\" }\r\n{\"text\":\"b\"}\nnot json\n\n{\"text\":null}\n {\"text\":\"c\"}",
            "{\"text\":\"a\" ,\"cluster\":0,\"representative\":\"a,1\",\"keep\":true}\r\n\
             {\"text\":\"b\",\"cluster\":0,\"representative\":\"a,1\",\"keep\":false}\nnot json\n\n\
             {\"text\":null,\"cluster\":null,\"representative\":null,\"keep\":true}\n \
             {\"text\":\"c\",\"cluster\":1,\"representative\":\"c\",\"keep\":true}",
        ),
        (
            "a.csv",
            "text,n\r\n\"a\nb\",1\r\nb\r\nc,3",
            "text,n,cluster,representative,keep\r\n\"a\nb\",1,0,\"a,1\",true\r\n\
             b,,0,\"a,1\",false\r\nc,3,1,c,true",
        ),
        (
            "a.tsv",
            "n\ttext\n1\ta\n",
            "n\ttext\tcluster\trepresentative\tkeep\n1\ta\t0\ta,1\ttrue\n",
        ),
    ];
    for (name, content, expected) in cases {
        let output = folder.path(&format!("out-{name}"));
        write(&folder.write(name, content), &output).unwrap();
        assert_eq!(fs::read_to_string(output).unwrap(), expected, "{name}");
    }
    for (name, content) in
        [("b.jsonl", "{\"text\":\"a\",\"keep\":1}\n"), ("b.csv", "text,cluster\na,b\n")]
    {
        let output = folder.path(&format!("out-{name}"));
        let refused = write(&folder.write(name, content), &output).unwrap_err();
        assert!(matches!(refused, Error::ColumnExists { .. }), "{refused}");
        assert!(!output.exists());
    }
}

fn batch() -> RecordBatch {
    let texts = vec![Some("a"), Some("b"), None, Some("c")];
    let texts: ArrayRef = Arc::new(StringArray::from(texts));
    RecordBatch::try_from_iter_with_nullable([("text", texts, true)]).unwrap()
}

fn check(batch: &RecordBatch, clusters: Vec<Option<i64>>) {
    let names: Vec<_> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["text", "cluster", "representative", "keep"]);
    assert_eq!(batch.column(0), self::batch().column(0));
    assert_eq!(clusters, [Some(0), Some(0), None, Some(1)]);
    let names: Vec<_> = batch.column(2).as_string::<i32>().iter().collect();
    assert_eq!(names, [Some("a,1"), Some("a,1"), None, Some("c")]);
    let keeps: Vec<_> = batch.column(3).as_boolean().iter().map(Option::unwrap).collect();
    assert_eq!(keeps, [true, false, true, true]);
}

#[test]
fn parquet_gets_typed_columns() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.parquet"), folder.path("out.parquet"));
    let file = File::create(&input).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch().schema(), None).unwrap();
    writer.write(&batch()).unwrap();
    writer.close().unwrap();
    write(&input, &output).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&output).unwrap()).unwrap();
    let batches: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    let clusters = batches[0].column(1).as_primitive::<Int64Type>().iter().collect();
    check(&batches[0], clusters);
    let again = write(&output, &folder.path("again.parquet")).unwrap_err();
    assert!(matches!(again, Error::ColumnExists { .. }), "{again}");
}

#[test]
fn arrow_gets_typed_columns() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.arrow"), folder.path("out.arrow"));
    let file = File::create(&input).unwrap();
    let mut writer = FileWriter::try_new(file, &batch().schema()).unwrap();
    writer.write(&batch()).unwrap();
    writer.finish().unwrap();
    write(&input, &output).unwrap();
    let reader = FileReader::try_new(File::open(&output).unwrap(), None).unwrap();
    let batches: Vec<RecordBatch> = reader.map(std::result::Result::unwrap).collect();
    let clusters = batches[0].column(1);
    let clusters = clusters.as_primitive::<arrow_array::types::UInt64Type>();
    check(&batches[0], clusters.iter().map(|it| it.map(u64::cast_signed)).collect());
}

#[test]
fn shards_stay_apart() {
    let folder = Folder::new();
    folder.write("in/1.jsonl", "{\"text\":\"a\"}\n{\"text\":\"b\"}\n");
    folder.write("in/more/2.jsonl", "{\"text\":\"c\"}\n");
    let output = folder.path("out");
    write(&folder.path("in"), &output).unwrap();
    let second = fs::read_to_string(output.join("more/2.jsonl")).unwrap();
    let expected = "{\"text\":\"c\",\"cluster\":1,\"representative\":\"c\",\"keep\":true}\n";
    assert_eq!(second, expected);
    assert!(output.join("1.jsonl").exists());
}
