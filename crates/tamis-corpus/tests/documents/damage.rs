//! Broken input: counted by kind with its first places, or refused when reading is strict.

use crate::{Folder, gzip, read, zstd};
use std::collections::BTreeMap;
use std::path::Path;
use std::slice::from_ref;
use tamis_corpus::Error;
use tamis_corpus::documents::{Encoding, Problem, ReadOptions, Summary};

fn counts(summary: &Summary) -> BTreeMap<Problem, u64> {
    summary.problems.iter().map(|(&problem, found)| (problem, found.count)).collect()
}

fn first_place(summary: &Summary, problem: Problem) -> String {
    let place = &summary.problems[&problem].examples[0].place;
    let name = place.name.file_name().unwrap().to_string_lossy().into_owned();
    place.line.map_or(name.clone(), |line| format!("{name}:{line}"))
}

fn strict(path: &Path) -> String {
    let options = ReadOptions { tolerance: crate::strict(), ..ReadOptions::default() };
    let error = read(&[path.to_owned()], &options).unwrap_err();
    assert!(matches!(error, Error::Broken { .. }), "{error}");
    let folder = path.parent().unwrap().display().to_string();
    error.to_string().replace(&format!("{folder}/"), "")
}

const BROKEN: &[u8] = b"{\"id\":1,\"text\":\"good\"}
{\"id\":2,\"text\":\"cut o
[\"a list\"]
{\"id\":4,\"title\":\"no text\"}
{\"id\":5,\"text\":null}
{\"id\":6,\"text\":[\"a\",\"b\"]}
{\"id\":7,\"text\":\"caf\xE9\"}
{\"id\":8,\"text\":\"\"}
{\"id\":9,\"text\":\"last\"}";

#[test]
fn broken_lines_are_counted_by_kind_and_the_rest_is_read() {
    let folder = Folder::new();
    let path = folder.write("corpus.jsonl", BROKEN);
    let (documents, summary) = read(from_ref(&path), &ReadOptions::default()).unwrap();
    let texts: Vec<_> = documents.iter().map(|document| document.text.as_str()).collect();
    assert_eq!(texts, ["good", "café", "", "last"]);
    let expected = [
        (Problem::NotJson, 1),
        (Problem::NotAnObject, 1),
        (Problem::Missing, 1),
        (Problem::Null, 1),
        (Problem::NotText, 1),
        (Problem::NotUtf8, 1),
    ];
    assert_eq!(counts(&summary), BTreeMap::from(expected));
    assert_eq!((summary.skipped(), summary.empty), (5, 1));
    for (problem, line) in [
        (Problem::NotJson, 2),
        (Problem::NotAnObject, 3),
        (Problem::Missing, 4),
        (Problem::Null, 5),
        (Problem::NotText, 6),
        (Problem::NotUtf8, 7),
    ] {
        assert_eq!(first_place(&summary, problem), format!("corpus.jsonl:{line}"));
    }
    let sentence = strict(&path);
    assert!(sentence.starts_with("corpus.jsonl:2: not JSON: "), "{sentence}");
}

#[test]
fn a_strict_reading_names_file_line_and_reason() {
    let folder = Folder::new();
    let cases: [(&str, &[u8], &str); 8] = [
        (
            "a.jsonl",
            b"\n{\"text\":5}\n",
            "a.jsonl:2: the text is a number, a list or an object: text, content, body, message",
        ),
        ("b.jsonl", b"{}", "b.jsonl:1: a column is missing: text, content, body, message"),
        (
            "c.jsonl",
            b"{\"text\":null}",
            "c.jsonl:1: a column is null: text, content, body, message",
        ),
        (
            "d.jsonl",
            b"7",
            "d.jsonl:1: not a JSON object: invalid type: integer `7`, expected an object at line 1 column 1",
        ),
        ("e.jsonl", b"{\"text\":\"\xFF\"}", "e.jsonl:1: not UTF-8, read as Latin-1"),
        (
            "f.csv",
            b"text,b\r\n\"x\r\ny\",1\r\nz\r\n",
            "f.csv:4: not as many fields as the header: 1 instead of 2",
        ),
        ("g.txt", b"a\nb\n\xE9\n", "g.txt:3: not UTF-8, read as Latin-1"),
        ("h.csv", b"id,text\n1,caf\xE9\n", "h.csv:2: not UTF-8, read as Latin-1"),
    ];
    for (name, content, sentence) in cases {
        assert_eq!(strict(&folder.write(name, content)), sentence);
    }
    let path = folder.write("i.jsonl", "{\"text\":\"a\"}");
    let options = ReadOptions {
        tolerance: crate::strict(),
        id: Some("url".into()),
        ..ReadOptions::default()
    };
    let sentence = read(&[path], &options).unwrap_err().to_string();
    assert!(sentence.ends_with("i.jsonl:1: no id: url"), "{sentence}");
    let latin1 = folder.write("j.txt", b"caf\xE9\n");
    let options = ReadOptions {
        tolerance: crate::strict(),
        encoding: Encoding::Latin1,
        ..ReadOptions::default()
    };
    assert_eq!(read(&[latin1], &options).unwrap().0[0].text, "café");
}

#[test]
fn rows_of_another_width_are_used_where_the_text_is_there() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "id,text,note\n1,a,x\n2\n3,b\n4,c,x,y\n5,d,x\n");
    let (documents, summary) = read(&[path], &ReadOptions::default()).unwrap();
    let ids: Vec<_> = documents.iter().map(|document| document.id.as_str()).collect();
    assert_eq!(ids, ["1", "3", "4", "5"]);
    assert_eq!(counts(&summary), BTreeMap::from([(Problem::Missing, 1), (Problem::RowWidth, 3)]));
    assert_eq!(first_place(&summary, Problem::Missing), "a.csv:3");
}

#[test]
fn what_is_over_the_limit_is_passed_by_in_every_format() {
    let folder = Folder::new();
    let limit = 1000;
    let options = ReadOptions { max_document: limit, ..ReadOptions::default() };
    // Over the limit by a byte, by more than one block, and not at all.
    for long in [limit + 1, 3 << 18] {
        let long = "x".repeat(long);
        let exact = "e".repeat(limit);
        let line = format!("{{\"id\":\"L\",\"text\":\"{long}\"}}");
        let files = [
            folder.write("a.txt", format!("{exact}\n{long}\n{exact}\r\n{long}")),
            folder.write(
                "b.jsonl",
                format!("{{\"text\":\"a\"}}\n{line}\n{{\"text\":\"b\"}}\n{line}"),
            ),
            folder.write("c.csv", format!("id,text\n1,a\n2,\"{long}\n\"\n3,b\n4,{long}")),
        ];
        for path in files {
            let (documents, summary) = read(from_ref(&path), &options).unwrap();
            assert_eq!(documents.len(), 2, "{}", path.display());
            assert_eq!(counts(&summary), BTreeMap::from([(Problem::TooLong, 2)]));
            let line = if path.ends_with("c.csv") { 3 } else { 2 };
            let place = format!("{}:{line}", path.file_name().unwrap().to_string_lossy());
            assert_eq!(first_place(&summary, Problem::TooLong), place);
        }
        folder.write("in/1", &long);
        folder.write("in/2", &exact);
        folder.write("in/3", gzip(long.as_bytes()));
        let (documents, summary) = read(&[folder.path("in")], &options).unwrap();
        assert_eq!(documents.len(), 1);
        assert_eq!(counts(&summary), BTreeMap::from([(Problem::TooLong, 2)]));
    }
}

#[test]
fn a_packed_file_that_is_cut_off_is_refused() {
    let folder = Folder::new();
    let line = |i: u32| format!("{{\"id\":{i},\"text\":\"{}\"}}\n", i.wrapping_mul(2_654_435_761));
    let content: String = (0..50_000).map(line).collect();
    let content = content.as_bytes();
    for (name, packed) in [("a.jsonl.gz", gzip(content)), ("a.jsonl.zst", zstd(content))] {
        let path = folder.write(name, &packed[..packed.len() / 2]);
        let sentence = read(&[path], &ReadOptions::default()).unwrap_err().to_string();
        assert!(sentence.contains(name) && sentence.contains(": cut off or damaged"), "{sentence}");
        folder.write("in/a", &packed[..packed.len() / 2]);
        let refused = read(&[folder.path("in")], &ReadOptions::default()).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("in/a:") && refused.contains("cut off or damaged"), "{refused}");
    }
}

#[test]
fn a_column_that_a_header_has_not_is_refused_with_what_there_is() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "name,age\nx,1\n");
    let refused = |options| read(from_ref(&path), &options).unwrap_err().to_string();
    let sentence = refused(ReadOptions::default());
    let expected = "a.csv: there is no column text, content, body, message; it has name, age";
    assert!(sentence.ends_with(expected), "{sentence}");
    let named = |column: &str| ReadOptions { text: vec![column.into()], ..ReadOptions::default() };
    let sentence = refused(named("Name"));
    assert!(sentence.ends_with("there is no column Name; it has name, age"), "{sentence}");
    let sentence = refused(ReadOptions { id: Some("key".into()), ..named("name") });
    assert!(sentence.ends_with("there is no column key; it has name, age"), "{sentence}");
    assert!(read(&[folder.write("b.csv", "")], &ReadOptions::default()).unwrap().0.is_empty());
}

#[test]
#[cfg(unix)]
fn what_cannot_be_opened_in_a_folder_is_counted() {
    let folder = Folder::new();
    folder.write("in/a", "text");
    std::os::unix::fs::symlink(folder.path("none"), folder.path("in/b")).unwrap();
    std::os::unix::fs::symlink(folder.path("in"), folder.path("in/c")).unwrap();
    let input = folder.path("in");
    let (documents, summary) = read(from_ref(&input), &ReadOptions::default()).unwrap();
    assert_eq!(documents.len(), 1);
    let expected = BTreeMap::from([(Problem::Unreadable, 1), (Problem::LinkedFolder, 1)]);
    assert_eq!(counts(&summary), expected);
    let options = ReadOptions { tolerance: crate::strict(), ..ReadOptions::default() };
    let sentence = read(&[input], &options).unwrap_err().to_string();
    assert!(sentence.contains("in/b: cannot be read: No such file"), "{sentence}");
}
