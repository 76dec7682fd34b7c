//! What `tamis similar` does with wrong and unusual input: it says so and exits with 2, or it does
//! the right thing. Nothing of this may succeed silently.

mod common;

use common::{Folder, Ran};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Thirty invented words about a topic; the last is another one in each copy.
fn text(topic: &str, copy: usize) -> String {
    let words: Vec<String> = (0..30).map(|index| format!("{topic}{index}")).collect();
    format!("{} copy{copy}", words.join(" "))
}

fn row(id: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({ "id": id, "text": text }))
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("memory");
    encoder.finish().expect("memory")
}

/// Three shards of two documents; 1 and 3 have copies of each other.
fn shards(folder: &Folder) {
    std::fs::create_dir(folder.path().join("parts")).expect("a folder");
    for (shard, topic) in [("1", "leek"), ("2", "swede"), ("3", "leek")] {
        let number = shard.parse().expect("a number");
        let rows = row(&format!("{shard}-a"), &text(topic, number))
            + &row(&format!("{shard}-b"), &text(&format!("other{shard}"), 0));
        folder.file(&format!("parts/{shard}.jsonl"), rows);
    }
}

fn text_of(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).expect("text")
}

fn last_line(ran: &Ran) -> &str {
    ran.stderr.lines().last().unwrap_or_default()
}

#[test]
fn a_folder_of_shards_is_read_as_records_and_kept_apart() {
    let folder = Folder::new();
    shards(&folder);
    let ran = folder.run(&["similar", "pairs", "parts"]);
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    assert!(ran.stdout.starts_with("1-a\t3-a\t"), "{}", ran.stdout);
    assert!(last_line(&ran).starts_with("3 JSONL shards, 6 documents, "), "{}", ran.stderr);
    folder.ok(&["similar", "dedup", "parts", "-o", "clean"]);
    assert_eq!(text_of(&folder, "clean/1.jsonl"), text_of(&folder, "parts/1.jsonl"));
    assert_eq!(text_of(&folder, "clean/3.jsonl"), row("3-b", &text("other3", 0)));
    let whole = folder.run(&["similar", "pairs", "--format", "files", "parts"]);
    assert!(last_line(&whole).starts_with("3 documents, "), "{}", whole.stderr);
    // One output, because its name says so.
    folder.ok(&["similar", "dedup", "parts", "-o", "clean.jsonl"]);
    assert_eq!(text_of(&folder, "clean.jsonl").lines().count(), 5);
}

#[test]
fn what_is_cut_off_or_packed_otherwise_ends_with_2_and_no_output() {
    let folder = Folder::new();
    let rows: String =
        (0..500).map(|id| row(&id.to_string(), &text(&format!("t{id}"), id))).collect();
    let packed = gzip(rows.as_bytes());
    folder.file("cut.jsonl.gz", &packed[..packed.len() / 2]);
    let refused = folder.refused(&["similar", "dedup", "cut.jsonl.gz", "-o", "out.jsonl"]);
    assert!(refused.contains("cut off or damaged") && refused.contains("hint: "), "{refused}");
    folder.file("corpus.jsonl", b"PK\x03\x04\x14\0\0\0");
    let refused = folder.refused(&["similar", "pairs", "corpus.jsonl", "-o", "out.jsonl"]);
    assert!(refused.contains("corpus.jsonl is not read: a zip archive"), "{refused}");
    let refused = folder.refused(&["similar", "index", "corpus.jsonl", "-o", "out.jsonl"]);
    assert!(refused.contains("a zip archive"), "{refused}");
    std::fs::create_dir(folder.path().join("texts")).expect("a folder");
    folder.file("texts/a.txt", text("leek", 1));
    folder.file("texts/b.txt", b"\x7FELF\0\0");
    let refused = folder.refused(&["similar", "dedup", "texts", "-o", "out.jsonl/"]);
    assert!(refused.contains("b.txt: not a text: a program"), "{refused}");
    assert!(!folder.path().join("out.jsonl").exists());
}

#[test]
fn a_column_that_no_record_has_ends_with_2() {
    let folder = Folder::new();
    folder.file("corpus.jsonl", row("1", &text("leek", 1)) + &row("2", &text("leek", 2)));
    folder.file("corpus.txt", text("leek", 1));
    for arguments in [
        &["pairs", "--text-column", "body", "corpus.jsonl", "-o", "out"][..],
        &["dedup", "--text-column", "body", "corpus.jsonl", "-o", "out.jsonl"],
        &["clusters", "--id-column", "url", "corpus.jsonl", "-o", "out"],
        &["dedup", "--keep", "largest:stars", "corpus.jsonl", "-o", "out.jsonl"],
        &["index", "--text-column", "body", "corpus.jsonl", "-o", "out"],
        &["pairs", "--text-column", "body", "corpus.txt", "-o", "out"],
    ] {
        let refused = folder.refused(&[&["similar"], arguments].concat());
        assert!(refused.contains("records has a column"), "{arguments:?}: {refused}");
        assert!(!folder.path().join("out").exists() && !folder.path().join("out.jsonl").exists());
    }
}

#[test]
fn broken_records_are_accepted_up_to_a_part_and_listed() {
    let folder = Folder::new();
    let good: String =
        (0..98).map(|id| row(&id.to_string(), &text(&format!("t{id}"), id))).collect();
    folder.file("corpus.jsonl", format!("{good}not json\n[1]\n"));
    let refused =
        folder.refused(&["similar", "pairs", "corpus.jsonl", "--bad", "bad.csv", "-o", "o"]);
    assert!(refused.contains("2 of 100 records cannot be read, more than 1 %"), "{refused}");
    assert!(refused.contains("corpus.jsonl:99: not JSON"), "{refused}");
    assert!(!folder.path().join("o").exists());
    let listed = text_of(&folder, "bad.csv");
    assert!(listed.starts_with("file,line,problem,detail\ncorpus.jsonl,99,not JSON,"), "{listed}");
    assert!(listed.contains("\ncorpus.jsonl,100,not a JSON object,"), "{listed}");
    let ran = folder.run(&["similar", "pairs", "corpus.jsonl", "--max-bad", "2%"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(last_line(&ran).contains("; 2 records skipped; "), "{}", ran.stderr);
    let quiet = folder.run(&["similar", "pairs", "corpus.jsonl", "--max-bad", "2%", "--quiet"]);
    assert_eq!(quiet.stderr.lines().count(), 2, "what is left out is said: {}", quiet.stderr);
    folder.refused(&["similar", "pairs", "corpus.jsonl", "--max-bad", "200%"]);
}

#[test]
fn nested_fields_and_ids_of_any_length_are_read_in_every_format() {
    let folder = Folder::new();
    let long = "9".repeat(3000);
    let object = |id: &str, copy| {
        format!("{{\"meta\":{{\"key\":\"{id}\",\"body\":\"{}\"}}}}\n", text("leek", copy))
    };
    folder.file("a.jsonl", object(&long, 1) + &object(&format!("{long}1"), 2));
    let csv =
        format!("meta.key,meta.body\n{long},{}\n{long}1,{}\n", text("leek", 1), text("leek", 2));
    folder.file("a.csv", &csv);
    folder.file("a.tsv", csv.replace(',', "\t"));
    for name in ["a.jsonl", "a.csv", "a.tsv"] {
        let columns = ["--text-column", "meta.body", "--id-column", "meta.key"];
        let out = folder.ok(&[&["similar", "pairs", "--quiet", name], &columns[..]].concat());
        assert!(out.starts_with(&format!("{long}\t{long}1\t")), "{name}: {out:.80}");
    }
}

#[test]
fn equal_ids_in_different_shards_are_told_apart() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("parts")).expect("a folder");
    folder.file("parts/1.jsonl", row("7", &text("leek", 1)));
    folder.file("parts/2.jsonl", row("7", &text("leek", 2)));
    let ran = folder.run(&["similar", "pairs", "parts"]);
    assert!(ran.stdout.starts_with("7\t7@2.jsonl:1\t"), "{}", ran.stdout);
    assert!(ran.stderr.contains("noted 1: the id of an earlier record"), "{}", ran.stderr);
    folder.ok(&["similar", "index", "parts", "-o", "i"]);
    folder.file("q.txt", text("leek", 1));
    assert_eq!(folder.ok(&["similar", "query", "i", "q.txt"]).lines().count(), 2, "none replaced");
}

#[test]
fn tables_are_written_as_their_names_say_and_escaped() {
    let folder = Folder::new();
    folder.file("c.jsonl", row("a\tb", &text("leek", 1)) + &row("c,\"d\"\n", &text("leek", 2)));
    let out = folder.ok(&["similar", "pairs", "c.jsonl"]);
    assert!(out.starts_with("\"a\tb\"\t\"c,\"\"d\"\"\n\"\t0."), "{out:?}");
    folder.ok(&["similar", "pairs", "c.jsonl", "-o", "o.csv"]);
    let csv = text_of(&folder, "o.csv");
    assert!(csv.starts_with("left,right,similarity\na\tb,\"c,\"\"d\"\"\n\",0."), "{csv:?}");
    for name in ["o.xlsx", "o.parquet.gz", "o.zip"] {
        let refused = folder.refused(&["similar", "pairs", "c.jsonl", "-o", name]);
        assert!(refused.contains("its name says"), "{refused}");
    }
}

/// The input is broken: a run that had begun would say so.
#[test]
fn outputs_are_checked_before_work_starts() {
    let folder = Folder::new();
    folder.file("c.jsonl", "{\"text\": \"a\"}\nbroken\n");
    std::fs::create_dir(folder.path().join("full")).expect("a folder");
    folder.file("full/file", "text");
    for arguments in [
        &["pairs", "c.jsonl", "-o", "none/o.tsv"][..],
        &["pairs", "c.jsonl", "-o", "full"],
        &["pairs", "c.jsonl", "-o", "c.jsonl"],
        &["pairs", "c.jsonl", "-o", "o.tsv", "--bad", "o.tsv"],
        &["pairs", "full", "-o", "full/o.tsv"],
        &["dedup", "c.jsonl", "-o", "o.csv"],
        &["dedup", "c.jsonl", "-o", "full/"],
        &["dedup", "c.jsonl", "-o", "o.jsonl", "--report", "none/r.tsv"],
        &["dedup", "c.jsonl", "-o", "o.jsonl", "--report", "o.jsonl"],
        &["dedup", "c.jsonl", "-o", "o.jsonl", "--report", "c.jsonl"],
        &["label", "c.jsonl", "-o", "none/o.jsonl"],
        &["index", "c.jsonl", "-o", "none/i"],
    ] {
        let refused = folder.refused(&[&["similar"], arguments].concat());
        assert!(!refused.contains("not JSON"), "{arguments:?}: {refused}");
    }
    assert_eq!(folder.read("c.jsonl"), b"{\"text\": \"a\"}\nbroken\n");
}

#[test]
fn a_kept_run_with_other_options_is_refused() {
    let folder = Folder::new();
    folder.file("c.jsonl", row("1", &text("leek", 1)) + &row("2", &text("leek", 2)));
    fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["similar", "pairs", "c.jsonl", "--resume", "work"], more].concat()
    }
    folder.ok(&run(&[]));
    assert!(folder.run(&run(&[])).stderr.contains("taken over from an earlier run"));
    let refused = folder.refused(&run(&["--threshold", "0.5"]));
    assert!(refused.contains("work keeps a run with other bands and threshold"), "{refused}");
    folder.file("c.jsonl", row("1", &text("leek", 1)));
    let refused = folder.refused(&run(&[]));
    assert!(refused.contains("work keeps a run with other inputs"), "{refused}");
}

#[test]
fn standard_input_and_patterns_work_everywhere() {
    let folder = Folder::new();
    let rows = row("1", &text("leek", 1)) + &row("2", &text("leek", 2));
    folder.file("p-1.jsonl", row("1", &text("leek", 1)));
    folder.file("p-2.jsonl", row("2", &text("leek", 2)));
    folder.ok(&["similar", "index", "p-?.jsonl", "-o", "i"]);
    for (arguments, lines) in [
        (&["pairs"][..], 1),
        (&["clusters"], 2),
        (&["query", "i"], 4),
        (&["dedup", "-o", "-"], 1),
        (&["label", "-o", "-"], 2),
    ] {
        let arguments = [&["similar"], arguments].concat();
        let piped = folder.pipe(&[&arguments[..], &["-"]].concat(), rows.as_bytes());
        assert_eq!(piped.code, 0, "{arguments:?}: {}", piped.stderr);
        assert_eq!(piped.stdout.lines().count(), lines, "{arguments:?}: {}", piped.stdout);
        let packed = folder.pipe(&[&arguments[..], &["-"]].concat(), &gzip(rows.as_bytes()));
        assert_eq!(packed.stdout, piped.stdout, "{arguments:?}, packed");
        let matched = folder.ok(&[&arguments[..], &["p-*.jsonl"]].concat());
        assert_eq!(matched, piped.stdout, "{arguments:?}, a pattern");
    }
    folder.file("a.txt", text("leek", 1));
    let compared = folder.pipe(&["similar", "compare", "-", "a.txt"], text("leek", 1).as_bytes());
    assert!(compared.stdout.starts_with("similarity  1.0000"), "{}", compared.stderr);
    let refused = folder.refused(&["similar", "pairs", "q-*.jsonl"]);
    assert!(refused.contains("no file matches q-*.jsonl"), "{refused}");
    let against = ["similar", "dedup", "p-*.jsonl", "--against", "-", "-o", "-"];
    assert_eq!(folder.pipe(&against, rows.as_bytes()).stdout, "");
}

#[test]
fn what_a_word_is_decides_and_is_recorded() {
    let folder = Folder::new();
    let plain = text("leek", 1);
    let marked = plain.replace(' ', ", ");
    folder.file("c.jsonl", row("1", &plain) + &row("2", &marked));
    let pairs = ["similar", "pairs", "c.jsonl", "--threshold", "0.9"];
    let ran = folder.run(&pairs);
    assert_eq!(ran.code, 1, "punctuation belongs to words");
    assert!(ran.stderr.contains("compared by words:3, whitespace tokens\n"), "{}", ran.stderr);
    let more = ["--tokens", "unicode", "--lowercase", "--normalize", "nfkc", "-o", "p.parquet"];
    let ran = folder.run(&[&pairs[..], &more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = "words:3, unicode tokens, lower case, nfkc";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    let parquet = folder.read("p.parquet");
    assert!(parquet.windows(said.len()).any(|part| part == said.as_bytes()), "metadata");
    // An index asks as it was built.
    folder.ok(&["similar", "index", "--tokens", "unicode", "c.jsonl", "-o", "i"]);
    folder.file("q.txt", marked.replace(',', ";"));
    assert_eq!(
        folder.ok(&["similar", "query", "i", "--threshold", "0.9", "q.txt"]).lines().count(),
        2
    );
    let out = folder.ok(&["similar", "compare", "--tokens", "unicode", "--json", "q.txt", "q.txt"]);
    assert!(out.contains("\"tokens\":\"unicode\"") && out.contains("\"normalize\":null"), "{out}");
}

#[test]
fn singletons_are_listed_if_wanted() {
    let folder = Folder::new();
    shards(&folder);
    let out = folder.ok(&["similar", "clusters", "--quiet", "parts"]);
    assert_eq!(out.lines().count(), 2, "{out}");
    let ran = folder.run(&["similar", "clusters", "--singletons", "parts", "-o", "c.csv"]);
    assert!(last_line(&ran).contains("1 group of 2 documents, 4 singletons"), "{}", ran.stderr);
    let csv = text_of(&folder, "c.csv");
    assert_eq!(csv.lines().count(), 7, "{csv}");
    assert!(
        csv.starts_with("representative,id,similarity\n1-a,1-a,1\n")
            && csv.contains("\n2-a,2-a,1\n")
    );
}

#[test]
fn a_corpus_is_labelled_in_its_own_format() {
    let folder = Folder::new();
    shards(&folder);
    let labels = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        ["cluster", "representative", "keep"].map(|name| row[name].to_string())
    };
    let ran = folder.run(&["similar", "label", "parts", "-o", "labelled"]);
    assert!(last_line(&ran).contains(": 5 clusters, 5 to keep; "), "{}", ran.stderr);
    let third = text_of(&folder, "labelled/3.jsonl");
    let rows: Vec<_> = third.lines().map(labels).collect();
    assert_eq!(rows[0], ["0", "\"1-a\"", "false"]);
    assert_eq!(rows[1], ["4", "\"3-b\"", "true"]);
    folder.ok(&["similar", "label", "--keep", "last", "parts", "-o", "last"]);
    let first = text_of(&folder, "last/1.jsonl");
    assert_eq!(labels(first.lines().next().expect("a row")), ["0", "\"3-a\"", "false"]);
    // What stays is what dedup leaves.
    folder.ok(&["similar", "dedup", "--keep", "last", "parts", "-o", "clean"]);
    assert_eq!(text_of(&folder, "clean/1.jsonl").lines().count(), 1);
    // Texts have no columns.
    std::fs::create_dir(folder.path().join("texts")).expect("a folder");
    folder.file("texts/a", text("leek", 1));
    folder.file("texts/b", text("leek", 2));
    folder.ok(&["similar", "label", "texts", "-o", "labels.tsv"]);
    let expected = "id\tcluster\trepresentative\tkeep\na\t0\ta\ttrue\nb\t0\ta\tfalse\n";
    assert_eq!(text_of(&folder, "labels.tsv"), expected);
}

#[test]
fn the_last_or_the_smallest_stays() {
    let folder = Folder::new();
    let row = |id: &str, size: &str, copy| {
        format!("{{\"id\":\"{id}\",\"size\":{size},\"text\":\"{}\"}}\n", text("leek", copy))
    };
    folder.file("c.jsonl", row("a", "2", 1) + &row("b", "-1.5", 2) + &row("c", "null", 3));
    let kept = |keep: &str| {
        folder.ok(&["similar", "dedup", "--quiet", "--keep", keep, "c.jsonl", "-o", "o.jsonl"]);
        let row: serde_json::Value = serde_json::from_slice(&folder.read("o.jsonl")).expect("JSON");
        row["id"].as_str().expect("an id").to_owned()
    };
    assert_eq!(kept("last"), "c");
    assert_eq!(kept("smallest:size"), "b");
    assert_eq!(kept("largest:size"), "a");
}
