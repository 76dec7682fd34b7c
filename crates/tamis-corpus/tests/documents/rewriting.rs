//! Copies without some documents: what stays, stays byte by byte.

use crate::{Folder, gzip, read, texts, zstd};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use tamis_corpus::documents::{Corpus, Format, ReadOptions};
use tamis_corpus::rewrite::{Rewritten, rewrite, rewrite_unchanged};
use tamis_corpus::{Error, Result};

fn without(dropped: &[u64], inputs: &[PathBuf], output: &Path) -> Result<Rewritten> {
    rewrite(inputs, &ReadOptions::default(), |ordinal| !dropped.contains(&ordinal), output)
}

fn check(name: &str, content: &[u8], dropped: &[u64], expected: &[u8]) {
    let folder = Folder::new();
    let input = folder.write(name, content);
    let output = folder.path(&format!("out-{name}"));
    let documents = read(from_ref(&input), &ReadOptions::default()).unwrap().1.documents;
    let result = without(dropped, from_ref(&input), &output).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let written = fs::read(&output).unwrap();
    assert!(written == expected, "{name}: {:?}", text(&written));
    assert_eq!(result.dropped, dropped.len() as u64, "{name}");
    assert_eq!(result.kept + result.dropped, documents, "{name}");
    without(&[], from_ref(&input), &output).unwrap();
    assert!(fs::read(&output).unwrap() == content, "{name}: all of it");
    assert_eq!(folder.names().len(), 2, "nothing else is left");
}

#[test]
fn records_that_stay_keep_their_bytes() {
    check("a.txt", b"one\r\n\ntwo\nthree", &[1, 2], b"one\r\nthree");
    check("b.txt", b"\xEF\xBB\xBFone\ntwo\n", &[0], b"\xEF\xBB\xBFtwo\n");
    check(
        "a.jsonl",
        b"{ \"text\" : \"a\", \"x\": 1.50 }\r\n{\"text\":\"b\"}\n\n{\"text\":\"\\u0063\"}",
        &[1],
        b"{ \"text\" : \"a\", \"x\": 1.50 }\r\n\n{\"text\":\"\\u0063\"}",
    );
    check(
        "a.csv",
        b"id, text ,text\r\n1,x,\"a\r\nb\"\r\n2,y,\"c\"\r\n3,z,d",
        &[1],
        b"id, text ,text\r\n1,x,\"a\r\nb\"\r\n3,z,d",
    );
    check("b.csv", b"\xEF\xBB\xBFtext\r\na\r\nb\r\n", &[0], b"\xEF\xBB\xBFtext\r\nb\r\n");
    check("a.tsv", b"\"text\"\tn\n\"a\"\t1\nb\t2\n", &[0], b"\"text\"\tn\nb\t2\n");
}

#[test]
fn broken_records_are_kept_with_the_rest() {
    let broken = b"{\"text\":\"a\"}\n{\"text\":\n[1]\n{\"text\":null}\n{\"text\":\"\xE9\"}\n{\"text\":\"a\"}\n";
    let expected = b"{\"text\":\"a\"}\n{\"text\":\n[1]\n{\"text\":null}\n{\"text\":\"\xE9\"}\n";
    check("a.jsonl", broken, &[2], expected);
    check("a.csv", b"id,text\n1,a\n2\n3,caf\xE9\n4,a\n", &[0, 2], b"id,text\n2\n3,caf\xE9\n");
}

#[test]
fn records_over_the_limit_are_kept_with_the_rest() {
    let folder = Folder::new();
    let long = "x".repeat(3 << 18);
    let options = ReadOptions { max_document: 1000, ..ReadOptions::default() };
    let files = [
        ("a.txt", format!("one\n{long}\r\ntwo\n{long}"), format!("{long}\r\ntwo\n{long}")),
        (
            "a.csv",
            format!("id,text\n1,a\n2,\"{long}\n\"\r\n3,b\n4,{long}"),
            format!("id,text\n2,\"{long}\n\"\r\n3,b\n4,{long}"),
        ),
    ];
    for (name, content, expected) in files {
        let input = folder.write(name, content);
        let output = folder.path("out");
        rewrite(&[input], &options, |ordinal| ordinal != 0, &output).unwrap();
        assert!(fs::read_to_string(&output).unwrap() == expected, "{name}");
    }
}

#[test]
fn several_files_become_one_with_one_header() {
    let folder = Folder::new();
    let first = folder.write("a.csv", "\u{FEFF}id,text\r\n1,a\r\n2,b");
    let second = folder.write("b.csv", "\"id\",text\n3,c\n4,d\n");
    let output = folder.path("out.csv");
    without(&[3], &[first.clone(), second], &output).unwrap();
    let expected = "\u{FEFF}id,text\r\n1,a\r\n2,b\n3,c\n";
    assert_eq!(fs::read_to_string(&output).unwrap(), expected);
    let other = folder.write("c.csv", "id,body\n3,c\n");
    let refused = without(&[], &[first.clone(), other.clone()], &output).unwrap_err();
    assert!(refused.to_string().contains("their headers differ; name a folder"), "{refused}");
    assert_eq!(fs::read_to_string(&output).unwrap(), expected, "the old file is untouched");
    let lines = folder.write("d.txt", "x");
    let refused = without(&[], &[first.clone(), lines.clone()], &output).unwrap_err();
    assert!(matches!(refused, Error::Different { what: "their formats", .. }));

    let shards = folder.path("shards");
    without(&[0], &[first, other, lines], &folder.path("shards/")).unwrap();
    assert_eq!(fs::read_to_string(shards.join("a.csv")).unwrap(), "\u{FEFF}id,text\r\n2,b");
    assert_eq!(fs::read_to_string(shards.join("c.csv")).unwrap(), "id,body\n3,c\n");
    assert_eq!(fs::read_to_string(shards.join("d.txt")).unwrap(), "x");
}

#[test]
fn the_name_of_the_output_says_how_it_is_packed() {
    let folder = Folder::new();
    let content = b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n";
    let inputs = [
        folder.write("a.jsonl", content),
        folder.write("b.jsonl.gz", gzip(content)),
        folder.write("c.jsonl.zst", zstd(content)),
    ];
    let expected = "{\"text\":\"b\"}\n".repeat(3);
    let output = folder.path("out.jsonl");
    without(&[0, 2, 4], &inputs, &output).unwrap();
    assert_eq!(fs::read_to_string(&output).unwrap(), expected);
    let output = folder.path("out.jsonl.gz");
    without(&[0, 2, 4], &inputs, &output).unwrap();
    let mut unpacked = String::new();
    let bytes = fs::read(&output).unwrap();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, expected);
    let output = folder.path("out.jsonl.zst");
    without(&[0, 2, 4], &inputs, &output).unwrap();
    assert_eq!(zstd::decode_all(&fs::read(&output).unwrap()[..]).unwrap(), expected.as_bytes());
    let refused = without(&[], &inputs, &folder.path("out.csv")).unwrap_err();
    assert!(refused.to_string().ends_with("would hold jsonl, and its name says csv"), "{refused}");
}

#[test]
fn files_are_copied_to_their_places_in_a_new_folder() {
    let folder = Folder::new();
    folder.write("in/a/1", b"caf\xE9");
    folder.write("in/a/2", "two");
    folder.write("in/b/3.gz", gzip(b"three"));
    folder.write("in/b/long", "x".repeat(2000));
    let options = ReadOptions { max_document: 1000, ..ReadOptions::default() };
    let (input, output) = (folder.path("in"), folder.path("out"));
    let result = rewrite(from_ref(&input), &options, |ordinal| ordinal != 1, &output).unwrap();
    assert_eq!((result.kept, result.dropped, result.summary.skipped()), (2, 1, 1));
    let out: Vec<_> = folder.names().into_iter().filter(|name| name.starts_with("out")).collect();
    assert_eq!(out, ["out/a/1", "out/b/3.gz", "out/b/long"]);
    for name in ["a/1", "b/3.gz", "b/long"] {
        assert_eq!(fs::read(input.join(name)).unwrap(), fs::read(output.join(name)).unwrap());
    }
    let refused = without(&[], from_ref(&input), &output).unwrap_err();
    assert!(matches!(refused, Error::Occupied { .. }), "{refused}");
    let refused = without(&[], from_ref(&input), &folder.path("in/out")).unwrap_err();
    assert!(matches!(refused, Error::Inside { .. }), "{refused}");
    let both = folder.path("both");
    without(&[], &[input, output], &both).unwrap();
    assert!(both.join("in/a/2").exists() && both.join("out/b/3.gz").exists());
}

#[test]
fn a_copy_reads_as_the_documents_that_were_kept() {
    let folder = Folder::new();
    let line = |i: u32| format!("{{\"id\":{i},\"text\":\"text {i}\"}}\n");
    let input = folder.write("a.jsonl", (0..10_000).map(line).collect::<String>());
    let output = folder.path("out.jsonl.zst");
    let keep = |ordinal: u64| ordinal % 7 == 3;
    rewrite(from_ref(&input), &ReadOptions::default(), keep, &output).unwrap();
    let mut expected = texts(&input, &ReadOptions::default());
    let mut ordinal = 0;
    expected.retain(|_| {
        ordinal += 1;
        keep(ordinal - 1)
    });
    assert_eq!(texts(&output, &ReadOptions::default()), expected);
}

#[test]
fn what_can_be_read_only_once_is_refused() {
    let folder = Folder::new();
    let output = folder.path("out");
    for inputs in [&[][..], &["-".into()]] {
        let refused = without(&[], inputs, &output).unwrap_err();
        assert!(refused.to_string().starts_with("standard input can be read only once"));
    }
    let a = folder.write("a/x.txt", "1\n");
    let b = folder.write("b/x.txt", "2\n");
    let refused = without(&[], &[a, b], &folder.path("both/")).unwrap_err();
    assert!(matches!(refused, Error::SameName { .. }), "{refused}");
    assert_eq!(folder.names(), ["a/x.txt", "b/x.txt"], "nothing is left behind");
}

#[test]
fn a_folder_of_shards_becomes_a_folder_or_a_file() {
    let folder = Folder::new();
    folder.write("in/0.jsonl", "{\"text\":\"a\"}\n{\"text\":\"b\"}");
    folder.write("in/more/1.jsonl", "{\"text\":\"c\"}\n");
    let options = ReadOptions { format: Some(Format::Jsonl), ..ReadOptions::default() };
    let inputs = [folder.path("in")];
    let keep = |ordinal| ordinal != 0;
    rewrite(&inputs, &options, keep, &folder.path("out.jsonl")).unwrap();
    let one = fs::read_to_string(folder.path("out.jsonl")).unwrap();
    assert_eq!(one, "{\"text\":\"b\"}\n{\"text\":\"c\"}\n");
    rewrite(&inputs, &options, keep, &folder.path("out/")).unwrap();
    assert_eq!(fs::read_to_string(folder.path("out/0.jsonl")).unwrap(), "{\"text\":\"b\"}");
    assert_eq!(fs::read_to_string(folder.path("out/more/1.jsonl")).unwrap(), "{\"text\":\"c\"}\n");
}

/// Ordinals of another reading would take the wrong documents.
#[test]
fn an_input_that_has_changed_is_not_rewritten() {
    let folder = Folder::new();
    let options = ReadOptions::default();
    for (input, output) in [("lines.txt", "out.txt"), ("texts", "out")] {
        let file = if input == "texts" { "texts/1" } else { input };
        folder.write(file, "one\ntwo\n");
        let input = folder.path(input);
        let corpus = Corpus::open(from_ref(&input), &options).unwrap();
        let as_read = corpus.fingerprint().unwrap();
        let rewrite = |output: &Path| {
            rewrite_unchanged(&corpus, &options, as_read, |ordinal| ordinal > 0, output)
        };
        rewrite(&folder.path(&format!("before-{output}"))).unwrap();
        folder.write(file, "zero\none\ntwo\n");
        let refused = rewrite(&folder.path(output)).unwrap_err();
        assert!(matches!(refused, Error::Changed { .. }), "{refused}");
        assert!(!folder.path(output).exists());
    }
}
