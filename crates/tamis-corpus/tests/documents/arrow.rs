//! Arrow's interprocess format: files and streams are read, copied and labelled.

use crate::{Folder, read, texts};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int64Array, LargeStringArray, RecordBatch, StringArray,
    StringViewArray, StructArray, types::Int32Type,
};
use arrow_ipc::CompressionType;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field};
use std::fs::{self, File};
use std::path::Path;
use std::slice::from_ref;
use std::sync::Arc;
use tamis_corpus::Error;
use tamis_corpus::documents::{Problem, ReadOptions};
use tamis_corpus::rewrite::rewrite;

const TEXTS: [Option<&str>; 4] = [Some("one"), None, Some("two"), Some("")];

fn batch(text: ArrayRef) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![7, 8, -9, 10]));
    let inner: ArrayRef = Arc::new(StringArray::from(TEXTS.to_vec()));
    let field = Arc::new(Field::new("text", DataType::Utf8, true));
    let meta: ArrayRef = Arc::new(StructArray::from(vec![(field, inner)]));
    RecordBatch::try_from_iter_with_nullable([
        ("id", ids, false),
        ("meta", meta, false),
        ("text", text, true),
    ])
    .unwrap()
}

fn write_file(path: &Path, batch: &RecordBatch, packed: Option<CompressionType>) {
    let options = IpcWriteOptions::default().try_with_compression(packed).unwrap();
    let file = File::create(path).unwrap();
    let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

fn write_stream(path: &Path, batch: &RecordBatch) {
    let mut writer = StreamWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

fn expected() -> Vec<(String, String)> {
    let once = [("7", "one"), ("-9", "two"), ("10", "")];
    let names = |(id, text): (&str, &str)| (id.to_owned(), text.to_owned());
    let again = |(id, text): (&str, &str)| (id.to_owned(), text.to_owned());
    once.into_iter().map(names).chain(once.into_iter().map(again)).collect()
}

/// Ids without the place of those that an earlier row has.
fn plain(rows: Vec<(String, String)>) -> Vec<(String, String)> {
    let plain = |(id, text): (String, String)| (id.split('@').next().unwrap().to_owned(), text);
    rows.into_iter().map(plain).collect()
}

#[test]
fn texts_of_every_type_are_read_from_files_and_streams() {
    let folder = Folder::new();
    let arrays: [ArrayRef; 4] = [
        Arc::new(StringArray::from(TEXTS.to_vec())),
        Arc::new(LargeStringArray::from(TEXTS.to_vec())),
        Arc::new(StringViewArray::from(TEXTS.to_vec())),
        Arc::new(TEXTS.into_iter().collect::<DictionaryArray<Int32Type>>()),
    ];
    for array in arrays {
        let what = array.data_type().to_string();
        let batch = batch(array);
        // Its name says nothing.
        let path = folder.path("input");
        let compressions = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];
        for packed in compressions {
            write_file(&path, &batch, packed);
            assert_eq!(plain(texts(&path, &ReadOptions::default())), expected(), "{what}");
        }
        write_stream(&path, &batch);
        assert_eq!(plain(texts(&path, &ReadOptions::default())), expected(), "{what}, stream");
        let (_, summary) = read(from_ref(&path), &ReadOptions::default()).unwrap();
        assert_eq!((summary.count(Problem::Null), summary.bad()), (2, 0));
        assert_eq!(summary.sources().unwrap(), "1 Arrow file");
        let nested = ReadOptions { text: vec!["meta.text".into()], ..ReadOptions::default() };
        assert_eq!(plain(texts(&path, &nested)), expected(), "{what}, nested");
    }
}

#[test]
fn a_copy_has_the_rows_that_stay_and_is_what_it_was() {
    let folder = Folder::new();
    let batch = batch(Arc::new(StringArray::from(TEXTS.to_vec())));
    let input = folder.path("in.arrow");
    let output = folder.path("out.arrow");
    let options = ReadOptions::default();
    write_file(&input, &batch, None);
    // Document 1 is the third row; the second has no text, and stays.
    rewrite(from_ref(&input), &options, |ordinal| ordinal != 1, &output).unwrap();
    let batches = FileReader::try_new(File::open(&output).unwrap(), None).unwrap();
    let batches: Vec<RecordBatch> = batches.map(Result::unwrap).collect();
    assert_eq!(batches[1], batch);
    let ids = batches[0].column(0).as_any().downcast_ref::<Int64Array>().unwrap();
    assert_eq!(ids.values(), &[7, 8, 10]);
    write_stream(&input, &batch);
    rewrite(&[input], &options, |_| true, &output).unwrap();
    let batches = StreamReader::try_new(File::open(&output).unwrap(), None).unwrap();
    assert!(batches.map(Result::unwrap).eq([batch.clone(), batch]));
}

#[test]
fn what_is_cut_off_is_refused() {
    let folder = Folder::new();
    let batch = batch(Arc::new(StringArray::from(TEXTS.to_vec())));
    let path = folder.path("a.arrow");
    write_stream(&path, &batch);
    let bytes = fs::read(&path).unwrap();
    let cut = folder.write("cut.arrow", &bytes[..bytes.len() - 100]);
    let refused = read(&[cut], &ReadOptions::default()).unwrap_err();
    assert!(matches!(refused, Error::Broken { .. }), "{refused}");
    write_file(&path, &batch, None);
    let bytes = fs::read(&path).unwrap();
    let cut = folder.write("cut.arrow", &bytes[..bytes.len() - 100]);
    let refused = read(&[cut], &ReadOptions::default()).unwrap_err();
    assert!(matches!(refused, Error::Arrow { .. }), "{refused}");
}
