//! Parquet of many types, in and out.

use crate::{Folder, pairs, read, texts};
use arrow_array::builder::{Int32Builder, ListBuilder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, FixedSizeBinaryArray,
    Float32Array, Float64Array, Int8Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
    StringViewArray, StructArray, TimestampMicrosecondArray, UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field, Fields, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArrayType, Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::Path;
use std::slice::from_ref;
use std::sync::Arc;
use tamis_corpus::documents::{Problem, ReadOptions};
use tamis_corpus::rewrite::rewrite;
use tamis_corpus::sets::{SetOptions, for_each_member};
use tamis_corpus::{Error, Result};

const ROWS: usize = 1000;

/// A column of every kind, with nulls where a kind has them, and metadata everywhere.
fn batch() -> RecordBatch {
    let rows = 0..ROWS;
    let text = |i: usize| format!("text number {i} água 🌊");
    let some = |i: &usize| !i.is_multiple_of(5);
    let mut tags = ListBuilder::new(StringBuilder::new());
    let mut category = StringDictionaryBuilder::<Int32Type>::new();
    let mut scores = ListBuilder::new(ListBuilder::new(Int32Builder::new()));
    for i in rows.clone() {
        (0..i % 4).for_each(|tag| tags.values().append_option((tag != 1).then(|| text(tag))));
        tags.append(i % 7 != 0);
        category.append_option((i % 6 != 0).then(|| format!("category {}", i % 3)));
        for inner in 0..i % 3 {
            (0..inner).for_each(|score| scores.values().values().append_value(score as i32));
            scores.values().append(inner != 1);
        }
        scores.append(true);
    }
    let position = StructArray::from(vec![
        (
            Arc::new(Field::new("x", DataType::Float32, true)),
            Arc::new(Float32Array::from_iter(rows.clone().map(|i| some(&i).then_some(i as f32))))
                as ArrayRef,
        ),
        (
            Arc::new(Field::new("label", DataType::Utf8, false)),
            Arc::new(StringArray::from_iter_values(rows.clone().map(|i| format!("p{i}")))),
        ),
    ]);
    let bytes = rows.clone().map(usize::to_le_bytes);
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        (
            "id",
            Arc::new(UInt64Array::from_iter_values(rows.clone().map(|i| u64::MAX - i as u64))),
            false,
        ),
        (
            "text",
            Arc::new(StringArray::from_iter(rows.clone().map(|i| some(&i).then(|| text(i))))),
            true,
        ),
        ("large", Arc::new(LargeStringArray::from_iter_values(rows.clone().map(text))), false),
        ("view", Arc::new(StringViewArray::from_iter_values(rows.clone().map(text))), false),
        ("category", Arc::new(category.finish()), true),
        (
            "raw",
            Arc::new(BinaryArray::from_iter_values(rows.clone().map(|i| [b'r', i as u8]))),
            false,
        ),
        ("fixed", Arc::new(FixedSizeBinaryArray::try_from_iter(bytes).unwrap()), false),
        ("small", Arc::new(Int8Array::from_iter_values(rows.clone().map(|i| i as i8))), false),
        (
            "unsigned",
            Arc::new(UInt32Array::from_iter_values(rows.clone().map(|i| u32::MAX - i as u32))),
            false,
        ),
        (
            "signed",
            Arc::new(Int64Array::from_iter(rows.clone().map(|i| some(&i).then_some(-(i as i64))))),
            true,
        ),
        (
            "number",
            Arc::new(Float64Array::from_iter_values(rows.clone().map(|i| i as f64 / 3.0))),
            false,
        ),
        (
            "flag",
            Arc::new(BooleanArray::from_iter(rows.clone().map(|i| some(&i).then_some(i % 2 == 0)))),
            true,
        ),
        ("day", Arc::new(Date32Array::from_iter_values(rows.clone().map(|i| i as i32))), false),
        (
            "time",
            Arc::new(
                TimestampMicrosecondArray::from_iter_values(rows.clone().map(|i| i as i64))
                    .with_timezone("Europe/Lisbon"),
            ),
            false,
        ),
        (
            "price",
            Arc::new(
                Decimal128Array::from_iter_values(rows.map(|i| i as i128 * 7))
                    .with_precision_and_scale(20, 2)
                    .unwrap(),
            ),
            false,
        ),
        ("tags", Arc::new(tags.finish()), true),
        ("scores", Arc::new(scores.finish()), true),
        ("position", Arc::new(position), false),
    ];
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array, nullable)| {
            Field::new(*name, array.data_type().clone(), *nullable)
                .with_metadata(HashMap::from([("unit".to_owned(), format!("of {name}"))]))
        })
        .collect();
    let metadata = HashMap::from([("origin".to_owned(), "this test".to_owned())]);
    let schema = Schema::new(Fields::from(fields)).with_metadata(metadata);
    let columns = columns.into_iter().map(|(_, array, _)| array).collect();
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

fn write(path: &Path, batch: &RecordBatch, properties: WriterProperties) {
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn properties(compression: Compression) -> WriterProperties {
    WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(300))
        .set_data_page_row_count_limit(50)
        .set_write_batch_size(10)
        .build()
}

fn read_all(path: &Path) -> (Schema, Vec<RecordBatch>) {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let schema = reader.schema().as_ref().clone();
    let batches = reader.with_batch_size(1).build().unwrap();
    (schema, batches.collect::<std::result::Result<_, _>>().unwrap())
}

#[test]
fn every_column_and_type_survives_and_only_the_dropped_rows_go() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.parquet"), folder.path("out.parquet"));
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::GZIP(Default::default()),
        Compression::LZ4_RAW,
    ];
    for codec in codecs {
        write(&input, &batch(), properties(codec));
        // Every fifth text is null, and so no document: it stays. All of the second group goes.
        let is_document = |row: usize| !row.is_multiple_of(5);
        let ordinal = |row: usize| (0..row).filter(|&row| is_document(row)).count() as u64;
        let second_group = ordinal(300)..ordinal(600);
        let goes = |ordinal: u64| second_group.contains(&ordinal) || ordinal % 3 == 1;
        let options = ReadOptions::default();
        let result = rewrite(from_ref(&input), &options, |o| !goes(o), &output).unwrap();
        assert_eq!(result.kept + result.dropped, ordinal(ROWS));
        assert_eq!(result.summary.count(Problem::Null), 200);

        let ((schema, rows), (new_schema, new_rows)) = (read_all(&input), read_all(&output));
        assert_eq!(new_schema, schema, "names, types, nullability and metadata");
        let stays = |row: usize| !(is_document(row) && goes(ordinal(row)));
        let expected: Vec<_> =
            rows.into_iter().enumerate().filter(|(row, _)| stays(*row)).collect();
        assert_eq!(new_rows.len(), expected.len());
        for (got, (row, expected)) in new_rows.iter().zip(&expected) {
            assert_eq!(got, expected, "row {row}");
        }
        let open = |path: &Path| SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let (old, new) = (open(&input), open(&output));
        let (old, new) = (old.metadata(), new.metadata());
        assert_eq!(new.file_metadata().schema(), old.file_metadata().schema());
        let metadata = |of: &parquet::file::metadata::ParquetMetaData| {
            of.file_metadata().key_value_metadata().cloned()
        };
        assert_eq!(metadata(new), metadata(old));
        assert_eq!(new.num_row_groups(), 4);
        for group in new.row_groups() {
            assert!(group.columns().iter().all(|column| column.compression() == codec));
        }
    }
}

#[test]
fn a_row_group_of_which_nothing_is_kept_is_left_out() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.parquet"), folder.path("out.parquet"));
    write(&input, &batch(), properties(Compression::SNAPPY));
    let options = ReadOptions { text: vec!["large".into()], ..ReadOptions::default() };
    rewrite(from_ref(&input), &options, |ordinal| ordinal >= 600, &output).unwrap();
    let new = SerializedFileReader::new(File::open(&output).unwrap()).unwrap();
    assert_eq!((new.num_row_groups(), new.metadata().file_metadata().num_rows()), (2, 400));
    rewrite(from_ref(&input), &options, |_| false, &output).unwrap();
    assert_eq!(read_all(&output).0, read_all(&input).0);
    assert!(read_all(&output).1.is_empty());
}

#[test]
fn texts_and_ids_of_every_type_are_read() {
    let folder = Folder::new();
    let path = folder.path("in.parquet");
    write(&path, &batch(), properties(Compression::SNAPPY));
    let column = |text: &str, id: &str| {
        let options =
            ReadOptions { text: vec![text.into()], id: Some(id.into()), ..ReadOptions::default() };
        texts(&path, &options)
    };
    let expected = pairs([("18446744073709551608", "text number 7 água 🌊")]);
    for text in ["large", "view"] {
        assert_eq!(column(text, "id")[7..8], expected, "{text}");
    }
    assert_eq!(column("text", "id")[5..6], expected, "two nulls before it");
    let categories = column("category", "unsigned");
    assert_eq!(categories.len(), ROWS - ROWS.div_ceil(6));
    assert_eq!(categories[0], ("4294967294".into(), "category 1".into()));
    assert_eq!(column("raw", "signed")[99], ("-99".into(), "rc".into()));
    assert_eq!(column("raw", "small")[200], ("-56".into(), "r\u{c8}".into()), "as Latin-1");
    assert_eq!(column("large", "flag")[2].0, "true");
    assert_eq!(column("large", "number")[1].0, "0.3333333333333333");
    assert_eq!(column("large", "fixed")[258].0, "0201000000000000");
    assert_eq!(column("position.label", "position.x")[3], ("3".into(), "p3".into()));
    let (_, summary) = read(from_ref(&path), &ReadOptions::default()).unwrap();
    assert_eq!((summary.documents, summary.count(Problem::Null)), (800, 200));
    let options = ReadOptions { text: vec!["day".into()], ..ReadOptions::default() };
    assert_eq!(read(from_ref(&path), &options).unwrap().1.count(Problem::NotText), 1000);
    let options = ReadOptions { text: vec!["tags".into()], ..ReadOptions::default() };
    assert!(matches!(read(from_ref(&path), &options), Err(Error::NoColumn { .. })));
    let options =
        ReadOptions { text: vec!["view".into()], max_document: 25, ..ReadOptions::default() };
    assert_eq!(read(&[path], &options).unwrap().1.count(Problem::TooLong), 900);
}

#[test]
fn types_that_arrow_does_not_keep_survive() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.parquet"), folder.path("out.parquet"));
    let schema = "message spark_schema {
        required int96 time = 7;
        optional binary text (ENUM) = 3;
        required binary body (JSON) = 9;
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = File::create(&input).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let times: Vec<Int96> = (0..4).map(|i| Int96::from(vec![i, 1, 2_440_588])).collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int96Type>().write_batch(&times, None, None).unwrap();
    column.close().unwrap();
    for (values, levels) in [(3, Some(&[1, 0, 1, 1][..])), (4, None)] {
        let values: Vec<_> = (0..values).map(|i| format!("{i}").as_str().into()).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&values, levels, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    rewrite(from_ref(&input), &ReadOptions::default(), |ordinal| ordinal != 1, &output).unwrap();
    let open = |path: &Path| SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let (old, new) = (open(&input), open(&output));
    assert_eq!(new.metadata().file_metadata().schema(), old.metadata().file_metadata().schema());
    let rows = |of: &SerializedFileReader<File>| -> Vec<String> {
        of.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect()
    };
    let mut expected = rows(&old);
    expected.remove(2);
    assert_eq!(rows(&new), expected);
}

#[test]
fn several_files_become_one_if_their_columns_are_the_same() {
    let folder = Folder::new();
    let (a, b, c) = (folder.path("a.parquet"), folder.path("b.parquet"), folder.path("c.parquet"));
    let all = batch();
    write(&a, &all.slice(0, 400), properties(Compression::SNAPPY));
    write(&b, &all.slice(400, 600), properties(Compression::UNCOMPRESSED));
    write(&c, &all.project(&[0, 1]).unwrap(), properties(Compression::SNAPPY));
    let output = folder.path("out.parquet");
    let options = ReadOptions::default();
    rewrite(&[a.clone(), b.clone()], &options, |_| true, &output).unwrap();
    let (schema, rows) = read_all(&output);
    assert_eq!(&schema, all.schema().as_ref());
    assert!(rows == [read_all(&a).1, read_all(&b).1].concat());
    let refused = rewrite(&[a, c], &options, |_| true, &output).unwrap_err();
    assert!(matches!(refused, Error::Different { what: "their columns", .. }), "{refused}");
}

#[test]
fn damage_is_refused_and_a_damaged_file_is_not_rewritten() {
    let folder = Folder::new();
    let path = folder.path("in.parquet");
    write(&path, &batch(), properties(Compression::SNAPPY));
    let mut bytes = fs::read(&path).unwrap();
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let (start, length) = reader.metadata().row_group(1).column(1).byte_range();
    bytes[start as usize..(start + length) as usize].fill(0xFF);
    let damaged = folder.write("damaged.parquet", &bytes);
    let Err(Error::Broken { place, problem, .. }) =
        read(from_ref(&damaged), &ReadOptions::default())
    else {
        panic!("a damaged group is refused");
    };
    assert_eq!((place.line, problem), (Some(301), Problem::Damaged));
    let output = folder.path("out.parquet");
    let refused = rewrite(&[damaged], &ReadOptions::default(), |_| true, &output).unwrap_err();
    assert!(matches!(refused, Error::Broken { .. }), "{refused}");
    assert!(!output.exists());
    let none = folder.write("none.parquet", "this is no Parquet file");
    let refused = read(&[none], &ReadOptions::default()).unwrap_err();
    assert!(
        refused.to_string().ends_with("no Parquet file, although its name says so"),
        "{refused}"
    );
    let cut = folder.write("cut.parquet", &bytes[..bytes.len() / 2]);
    assert!(matches!(read(&[cut], &ReadOptions::default()), Err(Error::Parquet { .. })));
}

#[test]
fn sets_are_read_by_name_and_number() {
    let folder = Folder::new();
    let path = folder.path("in.parquet");
    write(&path, &batch(), properties(Compression::SNAPPY));
    for (set, item) in [("small", "unsigned"), ("8", "9")] {
        let options = SetOptions {
            set: set.parse().unwrap(),
            item: item.parse().unwrap(),
            ..SetOptions::default()
        };
        let mut rows = Vec::new();
        for_each_member(from_ref(&path), &options, |row| -> Result<()> {
            rows.push(format!("{} {}", row.set, row.item));
            Ok(())
        })
        .unwrap();
        assert_eq!((rows.len(), rows[999].as_str()), (ROWS, "-25 4294966296"));
    }
}

#[test]
fn a_file_without_the_types_of_arrow_is_read_the_same() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.parquet"), folder.path("out.parquet"));
    write(&input, &batch(), properties(Compression::SNAPPY));
    rewrite(from_ref(&input), &ReadOptions::default(), |_| true, &output).unwrap();
    let open = |path: &Path| {
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let file = File::open(path).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options).unwrap();
        reader.with_batch_size(ROWS).build().unwrap().next().unwrap().unwrap()
    };
    assert_eq!(open(&input), open(&output));
}
