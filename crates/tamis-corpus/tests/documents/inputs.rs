//! What the inputs are: folders of shards, patterns, streams, ids that are equal, and how much may
//! be broken.

use crate::{Folder, gzip, pairs, read, texts, zstd};
use std::fs;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use tamis_corpus::documents::{
    BadList, Corpus, Format, Problem, ReadOptions, Summary, for_each_document,
};
use tamis_corpus::files::write_packed;
use tamis_corpus::rewrite::rewrite;
use tamis_corpus::{Error, Result};

fn defaults() -> ReadOptions {
    ReadOptions::default()
}

/// Reads as a run does: with its tolerance.
fn run(inputs: &[PathBuf], options: &ReadOptions) -> Result<Summary> {
    for_each_document(inputs, options, |_| -> Result<()> { Ok(()) })
}

fn packed(name: &str, content: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write_packed(&path, |out| -> Result<()> {
        out.write_all(content).unwrap();
        Ok(())
    })
    .unwrap();
    fs::read(path).unwrap()
}

#[test]
fn a_folder_of_shards_is_read_as_records_whatever_their_names() {
    let folder = Folder::new();
    folder
        .write("in/a.jsonl", "{\"id\":\"1\",\"text\":\"one\"}\n{\"id\":\"2\",\"text\":\"two\"}\n");
    folder.write("in/b", gzip(b"{\"id\":\"3\",\"text\":\"three\"}\n"));
    folder.write("in/more/c.txt", zstd(b"{\"id\":\"4\",\"text\":\"four\"}\n"));
    folder.write("in/more/d.jsonl", "");
    folder.write("in/_SUCCESS", "");
    folder.write("in/.c.txt.crc", b"crc\0");
    let (documents, summary) = read(&[folder.path("in")], &defaults()).unwrap();
    let ids: Vec<_> = documents.iter().map(|document| document.id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3", "4"]);
    assert_eq!(summary.sources().unwrap(), "4 JSONL shards");
    let whole = ReadOptions { format: Some(Format::Files), ..defaults() };
    let summary = read(&[folder.path("in/more")], &whole).unwrap().1;
    assert_eq!((summary.documents, summary.sources()), (2, None), "a format overrides");
}

#[test]
fn every_kind_of_packing_is_read_and_written() {
    let folder = Folder::new();
    let content = b"{\"id\":\"1\",\"text\":\"one\"}\n{\"id\":\"2\",\"text\":\"two\"}\n";
    for name in ["a.jsonl.gz", "a.jsonl.zst", "a.jsonl.bz2", "a.jsonl.xz"] {
        // The name is not asked.
        let input = folder.write("input", packed(name, content));
        assert_eq!(texts(&input, &defaults()), pairs([("1", "one"), ("2", "two")]), "{name}");
        let output = folder.path(name);
        rewrite(&[input], &defaults(), |ordinal| ordinal == 1, &output).unwrap();
        assert!(fs::read(&output).unwrap() != content[content.len() / 2..], "{name}");
        assert_eq!(texts(&output, &defaults()), pairs([("2", "two")]), "{name}");
        let cut = packed(name, content);
        let cut = folder.write("cut", &cut[..cut.len() - 5]);
        let options = ReadOptions { format: Some(Format::Jsonl), ..defaults() };
        let refused = run(&[cut], &options).unwrap_err();
        assert!(refused.to_string().contains("cut off or damaged"), "{name}: {refused}");
    }
}

#[test]
fn a_folder_of_mixed_or_plain_files_is_documents() {
    let folder = Folder::new();
    folder.write("in/a.jsonl", "{\"text\":\"one\"}\n{\"text\":\"two\"}\n");
    folder.write("in/b.txt", "text");
    let (documents, summary) = read(&[folder.path("in")], &defaults()).unwrap();
    assert_eq!(documents.len(), 2);
    assert_eq!(summary.count(Problem::Table), 1, "what looks like shards is said");
    folder.write("json/a.json", "{\n  \"text\": \"one value\"\n}\n");
    assert_eq!(read(&[folder.path("json")], &defaults()).unwrap().1.documents, 1);
    let options = ReadOptions { format: Some(Format::Jsonl), ..defaults() };
    let (documents, summary) = read(&[folder.path("in")], &options).unwrap();
    assert_eq!((documents.len(), summary.count(Problem::PassedBy)), (2, 1));
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    let folder = Folder::new();
    let zip = b"PK\x03\x04\x14\0\0\0";
    let named = folder.write("a.jsonl", zip);
    let sentence = run(from_ref(&named), &defaults()).unwrap_err().to_string();
    assert!(sentence.ends_with("a.jsonl is not read: a zip archive"), "{sentence}");
    folder.write("in/1.jsonl", "{\"text\":\"one\"}\n");
    folder.write("in/2.zip", zip);
    let sentence = run(&[folder.path("in")], &defaults()).unwrap_err().to_string();
    assert!(sentence.ends_with("2.zip is not read: a zip archive, in a folder with 1 of JSONL"));
    folder.write("texts/1.txt", "text");
    folder.write("texts/2.bin", b"a\0b");
    let sentence = run(&[folder.path("texts")], &defaults()).unwrap_err().to_string();
    assert!(
        sentence.contains("1 of 2 records") && sentence.contains("a binary file"),
        "{sentence}"
    );
    let named = folder.write("a.parquet", "text");
    assert!(matches!(run(&[named], &defaults()), Err(Error::Refused { .. })));
}

#[test]
fn patterns_stand_for_what_they_match() {
    let folder = Folder::new();
    folder.write("in/p-2.jsonl", "{\"text\":\"two\"}\n");
    folder.write("in/p-1.jsonl", "{\"text\":\"one\"}\n");
    folder.write("in/other.jsonl", "{\"text\":\"three\"}\n");
    let (documents, _) = read(&[folder.path("in/p-*.jsonl")], &defaults()).unwrap();
    let found: Vec<_> = documents.iter().map(|document| document.text.as_str()).collect();
    assert_eq!(found, ["one", "two"]);
    let none = run(&[folder.path("in/q-*.jsonl")], &defaults()).unwrap_err();
    assert!(none.to_string().starts_with("no file matches "), "{none}");
    let same = folder.path("in/p-1.jsonl");
    let twice = run(&[folder.path("in/p-[12].jsonl"), same], &defaults()).unwrap_err();
    assert!(matches!(twice, Error::Twice { .. }), "{twice}");
    let literal = folder.write("in/what?[1].jsonl", "{\"text\":\"four\"}\n");
    assert_eq!(read(&[literal], &defaults()).unwrap().0[0].text, "four", "a file of that name");
}

#[test]
fn equal_ids_are_told_apart_by_their_places() {
    let folder = Folder::new();
    let long = "x".repeat(100_000);
    for shard in ["1", "2"] {
        let rows = format!("{{\"id\":7,\"text\":\"a\"}}\n{{\"id\":\"{long}\",\"text\":\"b\"}}\n");
        folder.write(&format!("in/{shard}.jsonl"), rows);
    }
    let (documents, summary) = read(&[folder.path("in")], &defaults()).unwrap();
    let ids: Vec<_> = documents.iter().map(|document| document.id.clone()).collect();
    let expected = ["7", &long, "7@2.jsonl:1", &format!("{long}@2.jsonl:2")].map(str::to_owned);
    assert!(ids == expected);
    assert_eq!((summary.count(Problem::SameId), summary.skipped()), (2, 0));
}

#[test]
fn a_column_that_no_record_has_is_refused() {
    let folder = Folder::new();
    let objects = folder.write("a.jsonl", "{\"id\":1,\"title\":\"x\"}\n{\"id\":2}\n");
    let sentence = run(from_ref(&objects), &defaults()).unwrap_err().to_string();
    let expected =
        "none of 2 records has a column text, content, body, message; the first has id, title";
    assert_eq!(sentence, expected);
    let title = vec!["title".to_owned()];
    let lines = folder.write("a.txt", "text\n");
    for (path, text, id, field) in [
        (&objects, "body", None, None),
        (&objects, "title", Some("url"), None),
        (&objects, "title", None, Some("stars")),
        (&lines, "title", None, None),
    ] {
        let text = vec![text.to_owned()];
        let (id, field) = (id.map(str::to_owned), field.map(str::to_owned));
        let options = ReadOptions { text, id, field, ..defaults() };
        let refused = run(from_ref(path), &options).unwrap_err();
        assert!(matches!(refused, Error::NoRecordHas { .. }), "{refused}");
    }
    // One that some have is there.
    let mut options = ReadOptions { text: title, ..defaults() };
    options.tolerance.max_bad = 0.5;
    assert_eq!(run(&[objects], &options).unwrap().documents, 1);
}

#[test]
fn more_broken_records_than_accepted_are_refused_and_listed() {
    let folder = Folder::new();
    let good = "{\"text\":\"a\"}\n".repeat(198);
    let path = folder.write("a.jsonl", format!("{good}not json\n[1]\n{{\"text\":null}}\n"));
    let options = |max_bad| {
        let list = BadList::new(&folder.path("bad.tsv"));
        let mut options = defaults();
        options.tolerance.max_bad = max_bad;
        options.tolerance.bad = Some(list.clone());
        (options, list)
    };
    let (accepting, list) = options(0.01);
    assert_eq!(run(from_ref(&path), &accepting).unwrap().bad(), 2, "2 of 201; null is no fault");
    list.finish().unwrap();
    let listed = fs::read_to_string(folder.path("bad.tsv")).unwrap();
    let mut lines = listed.lines();
    assert_eq!(lines.next(), Some("file\tline\tproblem\tdetail"));
    let places: Vec<_> = lines.map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert_eq!(places, ["199", "200", "201"], "null, too");
    let (refusing, list) = options(0.009);
    let refused = run(&[path], &refusing).unwrap_err();
    assert!(matches!(refused, Error::TooManyBad { bad: 2, all: 201, .. }), "{refused}");
    list.finish().unwrap();
    assert_eq!(fs::read_to_string(folder.path("bad.tsv")).unwrap(), listed);
}

#[test]
#[cfg(unix)]
fn a_pipe_is_read_once_or_copied() {
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let feed = |pipe: &Path| {
        let pipe = pipe.to_owned();
        std::thread::spawn(move || fs::write(pipe, "{\"text\":\"a\"}\n{\"text\":\"b\"}\n").unwrap())
    };
    let count = |corpus: &Corpus| {
        let mut texts = Vec::new();
        corpus.for_each_document(&defaults(), |document| -> Result<()> {
            texts.push(document.text.to_owned());
            Ok(())
        })?;
        Ok::<_, Error>(texts)
    };
    let writer = feed(&pipe);
    let corpus = Corpus::open(from_ref(&pipe), &defaults()).unwrap();
    assert_eq!(count(&corpus).unwrap(), ["a", "b"], "its format is known by its content");
    assert!(matches!(count(&corpus), Err(Error::Once { .. })));
    writer.join().unwrap();
    let writer = feed(&pipe);
    let corpus = Corpus::open_again(from_ref(&pipe), &defaults()).unwrap();
    writer.join().unwrap();
    assert_eq!(count(&corpus).unwrap(), count(&corpus).unwrap());
    assert!(matches!(corpus.check_lasting(), Err(Error::Once { .. })));
}
