//! What a document is in each format.

use crate::{Folder, gzip, pairs, read, texts, zstd};
use std::slice::from_ref;
use tamis_corpus::documents::{Corpus, Encoding, Format, Problem, ReadOptions};

fn defaults() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn a_file_of_a_folder_is_a_document_named_by_its_path() {
    let folder = Folder::new();
    folder.write("in/b.txt", "second");
    folder.write("in/a/one.txt", "caf\u{e9}");
    folder.write("in/a/latin1", b"caf\xE9");
    folder.write("in/a/utf16", b"\xFF\xFEc\0\xE9\0");
    folder.write("in/.hidden", b"\xEF\xBB\xBFmark");
    folder.write("in/packed.txt.gz", gzip(b"unpacked"));
    folder.write("in/empty", "");
    let input = folder.path("in");
    let expected = pairs([
        (".hidden", "mark"),
        ("a/latin1", "café"),
        ("a/one.txt", "café"),
        ("a/utf16", "cé"),
        ("b.txt", "second"),
        ("empty", ""),
        ("packed.txt.gz", "unpacked"),
    ]);
    assert_eq!(texts(&input, &defaults()), expected);
    let (_, summary) =
        read(from_ref(&input), &ReadOptions { tolerance: crate::strict(), ..defaults() }).unwrap();
    assert_eq!(summary.count(Problem::NotUtf8), 1, "counted, and no reason to stop");
    assert_eq!((summary.skipped(), summary.empty), (0, 1));
    let latin1 = ReadOptions { encoding: Encoding::Latin1, ..defaults() };
    assert_eq!(texts(&input, &latin1)[2].1, "cafÃ©");
}

#[test]
fn files_of_two_folders_keep_different_names() {
    let folder = Folder::new();
    folder.write("a/x", "1");
    folder.write("b/x", "2");
    let inputs = [folder.path("b"), folder.path("a")];
    let (documents, _) = read(&inputs, &defaults()).unwrap();
    let ids: Vec<_> = documents.iter().map(|document| document.id.clone()).collect();
    let names = inputs.map(|input| input.join("x").display().to_string());
    assert_eq!(ids, names, "in the order of the inputs");
    assert_eq!(documents[1].input, 1);
}

#[test]
fn a_line_is_a_document() {
    let folder = Folder::new();
    let path = folder.write("corpus.txt", "one\r\n\ntwo, \"three\"\nlast");
    let name = |line| format!("{}:{line}", path.display());
    let expected =
        [(name(1), "one"), (name(2), ""), (name(3), "two, \"three\""), (name(4), "last")];
    let expected: Vec<_> = expected.map(|(id, text)| (id, text.to_owned())).to_vec();
    assert_eq!(texts(&path, &defaults()), expected);
    let whole = ReadOptions { format: Some(Format::Files), ..defaults() };
    assert_eq!(texts(&path, &whole).len(), 1);
}

#[test]
fn an_object_is_a_document_with_the_columns_that_are_named() {
    let folder = Folder::new();
    let path = folder.write(
        "corpus.jsonl",
        r#"{"id":"a","text":"one\ttwo","content":"no","title":"T","url":"u","votes":3}
{"title":"U","content":"by another name","id":2}

{"id":null,"text":"","title":null,"votes":4.5}
"#,
    );
    let place = format!("{}:4", path.display());
    let expected = pairs([("a", "one\ttwo"), ("2", "by another name"), (&place, "")]);
    assert_eq!(texts(&path, &defaults()), expected);
    let options = ReadOptions {
        text: vec!["title".into(), "text".into()],
        id: Some("url".into()),
        field: Some("votes".into()),
        ..defaults()
    };
    let (documents, summary) = read(&[path], &options).unwrap();
    let texts: Vec<_> = documents.iter().map(|document| document.text.as_str()).collect();
    assert_eq!(texts, ["T\none\ttwo", "U", ""], "what is missing or null is left out");
    let fields: Vec<_> = documents.iter().map(|document| document.field.as_deref()).collect();
    assert_eq!(fields, [Some("3"), None, Some("4.5")]);
    assert_eq!(documents[0].id, "u");
    assert_eq!(summary.count(Problem::NoId), 2);
    assert_eq!(summary.empty, 1);
}

#[test]
fn a_row_is_a_document_whatever_is_in_its_quotes() {
    let folder = Folder::new();
    let csv = "id,body,note\r\n1,\"a \"\"b\"\",\r\nc\",x\r\n\r\n2,plain,\r\n3,\"\",";
    let expected = pairs([("1", "a \"b\",\r\nc"), ("2", "plain"), ("3", "")]);
    assert_eq!(texts(&folder.write("a.csv", csv), &defaults()), expected);
    let with_mark = [b"\xEF\xBB\xBF", csv.as_bytes()].concat();
    assert_eq!(texts(&folder.write("b.csv", with_mark), &defaults()), expected);
    let by_carriage_returns = "id,text\r1,a\r2,b\r";
    let expected = pairs([("1", "a"), ("2", "b")]);
    assert_eq!(texts(&folder.write("c.csv", by_carriage_returns), &defaults()), expected);
    let tsv = "text\tid\na,b\t1\n\"c\td\"\t2\n";
    let expected = pairs([("1", "a,b"), ("2", "c\td")]);
    assert_eq!(texts(&folder.write("d.tsv", tsv), &defaults()), expected);
    let without_id = folder.write("e.csv", "text\na\n\"b\nc\"\nd\n");
    let rows = texts(&without_id, &defaults());
    assert_eq!(rows[2], (format!("{}:3", without_id.display()), "d".into()));
    let quoted = folder.write("f.tsv", "text\tid\n\"never closed\t1\nnext\t2\n");
    let plain = ReadOptions { quotes: false, ..defaults() };
    assert_eq!(texts(&quoted, &plain), pairs([("1", "\"never closed"), ("2", "next")]));
}

#[test]
fn packed_files_read_like_plain_ones_by_any_name() {
    let folder = Folder::new();
    let line = |i: u32| format!("{{\"id\":{i},\"text\":\"text {i}\"}}\n");
    let content: String = (0..50_000).map(line).collect();
    let plain = texts(&folder.write("plain.jsonl", &content), &defaults());
    assert_eq!(plain.len(), 50_000);
    let (first, second) = content.split_at(content.len() / 2);
    let members = [gzip(first.as_bytes()), gzip(second.as_bytes())].concat();
    let packed = [
        folder.write("a.jsonl.gz", gzip(content.as_bytes())),
        folder.write("b.ndjson.zst", zstd(content.as_bytes())),
        folder.write("members.jsonl.gz", members),
        folder.write("lies.jsonl", gzip(content.as_bytes())),
        folder.write("unpacked.jsonl.gz", &content),
    ];
    for path in packed {
        assert!(texts(&path, &defaults()) == plain, "{}", path.display());
    }
}

#[test]
fn utf16_of_spreadsheets_is_read() {
    let folder = Folder::new();
    let utf16 = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xFF, 0xFE].into_iter().chain(units).collect()
    };
    let path = folder.write("a.tsv", utf16("id\ttext\r\n1\tágua 🌊\r\n"));
    assert_eq!(texts(&path, &defaults()), pairs([("1", "água 🌊")]));
}

#[test]
fn a_folder_of_shards_is_read_when_the_format_says_so() {
    let folder = Folder::new();
    folder.write("in/part-1.jsonl", "{\"id\":1,\"text\":\"a\"}\n");
    folder.write("in/part-0.jsonl.zst", zstd(b"{\"id\":0,\"text\":\"b\"}\n"));
    folder.write("in/_SUCCESS", "");
    let options = ReadOptions { format: Some(Format::Jsonl), ..defaults() };
    assert_eq!(texts(&folder.path("in"), &options), pairs([("0", "b"), ("1", "a")]));
}

#[test]
fn every_reading_gives_the_same_numbers() {
    let folder = Folder::new();
    let lines = folder.write("a.txt", "one\ntwo");
    let objects = folder.write("b.jsonl", "{\"text\":\"three\"}\nbroken\n{\"text\":\"four\"}");
    folder.write("c/2", "six");
    folder.write("c/1", "five");
    let inputs = [lines, objects, folder.path("c")];
    let (first, summary) = read(&inputs, &defaults()).unwrap();
    let texts: Vec<_> = first.iter().map(|document| document.text.as_str()).collect();
    assert_eq!(texts, ["one", "two", "three", "four", "five", "six"]);
    assert_eq!(first.iter().map(|document| document.input).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 2]);
    assert_eq!(summary.skipped(), 1);
    assert_eq!(read(&inputs, &defaults()).unwrap(), (first, summary));
    let size = Corpus::open(&inputs, &defaults()).unwrap().size().unwrap();
    let sizes = ["one\ntwo", "{\"text\":\"three\"}\nbroken\n{\"text\":\"four\"}", "six", "five"];
    assert_eq!(size, sizes.concat().len() as u64);
}
