//! Ready-made sets in every format.

use crate::{Folder, gzip};
use std::path::{Path, PathBuf};
use tamis_corpus::Result;
use tamis_corpus::documents::{Problem, Summary};
use tamis_corpus::sets::{ColumnName, SetOptions, for_each_member};

fn members(path: &Path, options: &SetOptions) -> Result<(Vec<(String, String)>, Summary)> {
    let mut members = Vec::new();
    let inputs: [PathBuf; 1] = [path.to_owned()];
    let summary = for_each_member(&inputs, options, |row| -> Result<()> {
        members.push((row.set.to_owned(), row.item.to_owned()));
        Ok(())
    })?;
    Ok((members, summary))
}

fn columns(set: &str, item: &str) -> SetOptions {
    SetOptions { set: set.parse().unwrap(), item: item.parse().unwrap(), ..SetOptions::default() }
}

fn expected() -> Vec<(String, String)> {
    [("196", "242"), ("186", "302"), ("196", "302")]
        .map(|(set, item)| (set.to_owned(), item.to_owned()))
        .to_vec()
}

#[test]
fn rows_are_read_by_number_or_name() {
    let folder = Folder::new();
    let read = |path: &Path, options| members(path, &options).unwrap().0;
    let tsv = folder.write("u.tsv", "196\t242\t3\n186\t302\t3\n196\t302\t4\n");
    assert_eq!(read(&tsv, columns("1", "2")), expected());
    let blanks = folder.write("u.data", "  196 \t242 3\n186 302 3\n\n196  302 4");
    assert_eq!(read(&blanks, columns("1", "2")), expected());
    let swapped = folder.write("v.data", "242 196\n302 186\n302 196\n");
    assert_eq!(read(&swapped, columns("2", "1")), expected());
    let csv = "user,rating,\"film\"\r\n196,3,242\r\n186,3,302\r\n196,4,302\r\n";
    let csv = folder.write("u.csv.gz", gzip(csv.as_bytes()));
    assert_eq!(read(&csv, columns("user", "film")), expected());
    assert_eq!(read(&csv, columns("1", "3")).len(), 4, "by number there is no header");
    let options = SetOptions { header: Some(true), ..columns("1", "3") };
    assert_eq!(read(&csv, options), expected());
    let named = folder.write("w.data", "user film\n196 242\n186 302\n196 302\n");
    assert_eq!(read(&named, columns("user", "film")), expected());
    let json = "{\"user\":196,\"film\":\"242\"}\n{\"film\":302,\"user\":\"186\"}\n{\"user\":196,\"film\":302}\n";
    let json = folder.write("u.jsonl", json);
    assert_eq!(read(&json, columns("user", "film")), expected());
}

#[test]
fn rows_without_a_column_are_counted() {
    let folder = Folder::new();
    let path = folder.write("u.data", "1 2\n3\n4 5\n");
    assert!(members(&path, &columns("1", "2")).is_err(), "one row of three is too many");
    let lenient = |group, member| {
        let mut options = columns(group, member);
        options.tolerance.max_bad = 1.0;
        options
    };
    let (rows, summary) = members(&path, &lenient("1", "2")).unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!((summary.documents, summary.count(Problem::Missing)), (2, 1));
    let strict = SetOptions { tolerance: crate::strict(), ..columns("1", "2") };
    let sentence = members(&path, &strict).unwrap_err().to_string();
    assert!(sentence.ends_with("u.data:2: a column is missing: the member"), "{sentence}");
    let sentence = members(&path, &columns("1", "7")).unwrap_err().to_string();
    assert!(sentence.ends_with("u.data: there is no column 7; it has 1, 2"), "{sentence}");
    let nulls = folder.write("u.jsonl", "{\"a\":1,\"b\":null}\n{\"a\":1,\"b\":[2]}\n");
    let (rows, summary) = members(&nulls, &lenient("a", "b")).unwrap();
    assert!(rows.is_empty());
    assert_eq!((summary.count(Problem::Null), summary.count(Problem::NotText)), (1, 1));
}

#[test]
fn a_number_is_a_column_and_all_else_a_name() {
    assert_eq!("2".parse(), Ok(ColumnName::Number(2)));
    assert_eq!("0".parse(), Ok(ColumnName::Name("0".into())));
    assert_eq!("user".parse(), Ok(ColumnName::Name("user".into())));
}
