//! Reports in every format.

use crate::Folder;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::{self, File};
use std::path::Path;
use tamis_corpus::report::{Columns, Row, write_report};
use tamis_corpus::{Error, Result};

const ROWS: [Row<'_>; 3] = [
    Row { left: "b", right: "a", similarity: 1.0 },
    Row { left: "c\td", right: "a \"b\"\n", similarity: 0.8125 },
    Row { left: "água", right: "🌊", similarity: 1.0 / 3.0 },
];

fn write(path: &Path, columns: Columns, copies: usize) {
    write_report(path, columns, |report| -> Result<()> {
        ROWS.iter().cycle().take(copies * ROWS.len()).try_for_each(|&row| report.row(row))
    })
    .unwrap();
}

#[test]
fn tab_separated_lines_quote_what_needs_it() {
    let folder = Folder::new();
    let path = folder.path("report.tsv");
    write(&path, Columns::REMOVED, 1);
    let rows = "b\ta\t1\n\"c\td\"\t\"a \"\"b\"\"\n\"\t0.8125\nágua\t🌊\t0.3333333333333333\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("id\tkept\tsimilarity\n{rows}"));
    let path = folder.path("pairs");
    write(&path, Columns::PAIRS, 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), rows);
}

#[test]
fn lines_of_json_are_objects() {
    let folder = Folder::new();
    let path = folder.path("report.jsonl");
    write(&path, Columns::REMOVED, 1);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("{\"id\":\"b\",\"kept\":\"a\",\"similarity\":1.0}\n"), "{text}");
    for (line, row) in text.lines().zip(ROWS) {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(object["id"], row.left);
        assert_eq!(object["kept"], row.right);
        assert_eq!(object["similarity"], row.similarity);
    }
    let packed = folder.path("report.jsonl.zst");
    write(&packed, Columns::REMOVED, 1);
    assert_eq!(zstd::decode_all(File::open(packed).unwrap()).unwrap(), text.as_bytes());
}

#[test]
fn parquet_has_two_strings_and_a_double() {
    let folder = Folder::new();
    let path = folder.path("report.parquet");
    // More than one row group.
    let copies = 30_000;
    write(&path, Columns::REMOVED, copies);
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let names: Vec<_> = reader.schema().fields().iter().map(|f| f.name().clone()).collect();
    assert_eq!(names, ["id", "kept", "similarity"]);
    let mut seen = 0;
    for batch in reader.build().unwrap() {
        let batch = batch.unwrap();
        let (left, right) =
            (batch.column(0).as_string::<i32>(), batch.column(1).as_string::<i32>());
        let similarities = batch.column(2).as_primitive::<Float64Type>();
        for place in 0..batch.num_rows() {
            let expected = ROWS[seen % ROWS.len()];
            let (left, right) = (left.value(place), right.value(place));
            assert_eq!(Row { left, right, similarity: similarities.value(place) }, expected);
            seen += 1;
        }
    }
    assert_eq!(seen, copies * ROWS.len());
    write(&folder.path("empty.parquet"), Columns::REMOVED, 0);
}

#[test]
fn a_report_that_fails_leaves_nothing() {
    let folder = Folder::new();
    for name in ["r.tsv", "r.jsonl", "r.parquet", "r.tsv.gz"] {
        let failed = write_report(&folder.path(name), Columns::REMOVED, |report| {
            report.row(ROWS[0])?;
            Err(Error::Format { got: "enough".into() })
        });
        assert!(failed.is_err());
    }
    assert!(folder.names().is_empty());
}
