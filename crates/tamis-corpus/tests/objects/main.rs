//! Files of web servers as inputs, and what goes wrong on the way to them.

mod server;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use server::{Served, Server};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use tamis_corpus::documents::{Corpus, Problem, ReadOptions, for_each_document};
use tamis_corpus::rewrite::rewrite;
use tamis_corpus::{Error, Result};

fn rows(count: usize) -> String {
    let mut rows = String::new();
    for id in 0..count {
        let text = format!("text number {id} ").repeat(10);
        writeln!(rows, "{}", serde_json::json!({ "id": id.to_string(), "text": text })).unwrap();
    }
    rows
}

/// The ids and texts of one address.
fn read(address: &str) -> Result<Vec<(String, String)>> {
    let mut documents = Vec::new();
    for_each_document(&[address.into()], &ReadOptions::default(), |document| -> Result<()> {
        documents.push((document.id.to_owned(), document.text.to_owned()));
        Ok(())
    })?;
    Ok(documents)
}

fn read_file(name: &str, content: &[u8]) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    read(path.to_str().unwrap()).unwrap()
}

fn sentence(error: &Error) -> String {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    format!("{error}: {}", cause.unwrap_or_default())
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Two row groups with a short text and a long column that nobody wants.
fn parquet(rows: usize, compression: Compression) -> Vec<u8> {
    let column = |make: &dyn Fn(usize) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values((0..rows).map(make)))
    };
    let mut state = 1u64;
    let mut noise = Vec::new();
    for _ in 0..rows {
        let mut text = String::new();
        for _ in 0..64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            write!(text, "{state:016x}").unwrap();
        }
        noise.push(text);
    }
    let batch = RecordBatch::try_from_iter([
        ("id", column(&|row| format!("row {row}"))),
        ("noise", column(&|row| noise[row].clone())),
        ("text", column(&|row| format!("text number {row}"))),
    ])
    .unwrap();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(rows / 2))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn arrow(rows: usize) -> Vec<u8> {
    let texts: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|row| format!("text {row}"))));
    let batch = RecordBatch::try_from_iter([("text", texts)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    (0..5).for_each(|_| writer.write(&batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    bytes
}

#[test]
fn every_format_is_the_same_as_in_a_file() {
    let server = Server::start();
    let jsonl = rows(20_000);
    let files: [(&str, Vec<u8>); 7] = [
        ("a.jsonl", jsonl.clone().into()),
        ("a.jsonl.gz", gzip(jsonl.as_bytes())),
        ("a.jsonl.zst", zstd::encode_all(jsonl.as_bytes(), 1).unwrap()),
        ("a.csv", "id,text\n1,a\n2,\"b\nc\"\n".into()),
        ("a.txt", "one line\nanother\n".into()),
        ("a.parquet", parquet(5000, Compression::SNAPPY)),
        ("a.arrow", arrow(3000)),
    ];
    for (name, content) in files {
        let expected = read_file(name, &content);
        assert!(expected.len() > 1, "{name}");
        for served in [Served::new(content.clone()), Served::new(content).without_ranges()] {
            let ranges = served.ranges;
            let found = read(&server.put(&format!("/data/{name}?version=7"), served)).unwrap();
            let is_equal = |(one, other): (&(String, String), &(String, String))| {
                // Without an id, the place is the name.
                one.1 == other.1 && (one.0 == other.0 || other.0.starts_with("http://"))
            };
            assert_eq!(found.len(), expected.len(), "{name}, ranges {ranges}");
            assert!(expected.iter().zip(&found).all(is_equal), "{name}, ranges {ranges}");
        }
    }
    assert!(read(&server.put("/empty", Served::new(""))).unwrap().is_empty());
}

#[test]
fn only_the_wanted_columns_of_parquet_are_fetched() {
    let server = Server::start();
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        let content = parquet(20_000, compression);
        let size = content.len() as u64;
        assert!(size > 15 << 20, "{size}");
        let path = format!("/{compression:?}.parquet");
        let found = read(&server.put(&path, Served::new(content))).unwrap();
        assert_eq!(found.len(), 20_000);
        assert_eq!(found[19_999], ("row 19999".into(), "text number 19999".into()));
        // The noise is nearly all of it.
        let sent = server.sent(&path);
        assert!(sent < size / 8, "{sent} of {size} bytes");
    }
}

#[test]
fn long_chunks_are_read_in_windows() {
    let server = Server::start();
    let content = parquet(20_000, Compression::UNCOMPRESSED);
    let address = server.put("/a.parquet", Served::new(content.clone()));
    let options = ReadOptions { text: vec!["noise".into(), "text".into()], ..Default::default() };
    let texts = |input: PathBuf| {
        let mut texts = Vec::new();
        for_each_document(&[input], &options, |document| -> Result<()> {
            texts.push(document.text.to_owned());
            Ok(())
        })
        .unwrap();
        texts
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    std::fs::write(&path, &content).unwrap();
    assert!(texts(address.into()) == texts(path));
    // Each byte once, a little more for what begins the reading.
    let (sent, size) = (server.sent("/a.parquet"), content.len() as u64);
    assert!(sent < size + (1 << 20), "{sent} of {size} bytes");
    let longest = server.requests().iter().map(|request| request.bytes).max();
    assert!(longest < Some(5 << 20), "{longest:?}");
}

#[test]
fn a_store_that_fails_for_a_while_costs_nothing_but_time() {
    let server = Server::start();
    let content = rows(50_000);
    let expected = read_file("a.jsonl", content.as_bytes());
    let parquet = parquet(5000, Compression::SNAPPY);
    let expected_rows = read_file("a.parquet", &parquet);
    let refused = server.put("/refused", Served::new(content.clone()).refused(2));
    assert!(read(&refused).unwrap() == expected);
    let cut = server.put("/cut", Served::new(content.clone()).cut(2));
    assert!(read(&cut).unwrap() == expected);
    let mut untagged = Served::new(content).cut(2);
    untagged.tag = None;
    assert!(read(&server.put("/untagged", untagged)).unwrap() == expected);
    let cut = server.put("/cut.parquet", Served::new(parquet).cut(2));
    assert!(read(&cut).unwrap() == expected_rows);
    assert!(server.requests().iter().any(|request| request.status == 503));
}

#[test]
fn what_is_not_there_or_ends_early_is_an_error_and_not_the_end_of_a_file() {
    let server = Server::start();
    let missing = read(&server.address("/missing.jsonl")).unwrap_err();
    assert!(sentence(&missing).contains("/missing.jsonl: there is no such object"), "{missing:?}");
    let folder = read(&server.address("/folder/")).unwrap_err();
    assert!(sentence(&folder).contains("a web server lists no folders"), "{folder:?}");
    // A stream that cannot be asked for the rest.
    let content = gzip(rows(50_000).as_bytes());
    let mut stream = Served::new(content.clone()).without_ranges().cut(usize::MAX);
    stream.tag = None;
    let ended = read(&server.put("/stream.jsonl.gz", stream)).unwrap_err();
    assert!(matches!(ended, Error::Read { .. }), "{ended:?}");
    // One that always ends in the middle of a part.
    for (name, content) in [("a.gz", content), ("a.parquet", parquet(5000, Compression::SNAPPY))] {
        let mut served = Served::new(content).cut(usize::MAX);
        served.tag = None;
        let ended = read(&server.put(&format!("/ended/{name}"), served)).unwrap_err();
        assert!(matches!(ended, Error::Read { .. }), "{name}: {ended:?}");
    }
}

#[test]
fn an_object_that_changes_while_it_is_read_is_an_error() {
    let server = Server::start();
    let address = server.put("/a.jsonl", Served::new(rows(10_000)));
    let inputs = [PathBuf::from(&address)];
    let options = ReadOptions::default();
    let corpus = Corpus::open(&inputs, &options).unwrap();
    let mut changed = Served::new(rows(10_000));
    changed.tag = Some("2".into());
    server.put("/a.jsonl", changed);
    let read = corpus.for_each_document(&options, |_| -> Result<()> { Ok(()) });
    let error = sentence(&read.unwrap_err());
    assert!(error.contains("it has changed since it was read first"), "{error}");
}

#[test]
fn the_fingerprint_is_that_of_the_version() {
    let server = Server::start();
    let address = server.put("/a.jsonl", Served::new("{\"text\": \"a\"}\n"));
    let of = || {
        let corpus = Corpus::open(&[PathBuf::from(&address)], &ReadOptions::default()).unwrap();
        corpus.fingerprint().unwrap()
    };
    let first = of();
    assert_eq!(first, of());
    let mut changed = Served::new("{\"text\": \"b\"}\n");
    changed.tag = Some("2".into());
    server.put("/a.jsonl", changed);
    assert_ne!(first, of());
}

#[test]
fn what_is_kept_is_written_as_it_was() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let content = rows(3000);
    for (name, bytes) in
        [("a.jsonl", content.into_bytes()), ("a.parquet", parquet(3000, Compression::SNAPPY))]
    {
        let local = folder.path().join(name);
        std::fs::write(&local, &bytes).unwrap();
        let address = PathBuf::from(server.put(&format!("/{name}"), Served::new(bytes)));
        let copies = [(address, "remote"), (local, "local")].map(|(input, place)| {
            let output = folder.path().join(format!("{place}-{name}"));
            let keep = |ordinal: u64| !ordinal.is_multiple_of(3);
            let done = rewrite(&[input], &ReadOptions::default(), keep, &output).unwrap();
            assert_eq!((done.kept, done.dropped), (2000, 1000));
            std::fs::read(&output).unwrap()
        });
        assert!(copies[0] == copies[1], "{name}");
    }
}

#[test]
fn a_damaged_object_is_damaged_as_a_file_is() {
    let server = Server::start();
    let packed = gzip(rows(5000).as_bytes());
    let address = server.put("/a.gz", Served::new(&packed[..packed.len() / 2]));
    let error = read(&address).unwrap_err();
    assert!(matches!(error, Error::Broken { problem: Problem::Damaged, .. }), "{error:?}");
    let mut parquet = parquet(5000, Compression::SNAPPY);
    parquet.truncate(parquet.len() - 100);
    let error = read(&server.put("/a.parquet", Served::new(parquet))).unwrap_err();
    assert!(matches!(error, Error::Parquet { .. }), "{error:?}");
}
