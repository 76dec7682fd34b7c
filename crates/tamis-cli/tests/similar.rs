//! `tamis similar` and `tamis plan similar` as a person uses them.

mod common;

use common::Folder;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};

/// Fifty invented words; those at `changes` are others.
fn text(topic: &str, changes: &[usize]) -> String {
    let word = |index: usize| {
        let other = if changes.contains(&index) { "x" } else { "" };
        format!("{topic}{index}{other}")
    };
    (0..50).map(word).collect::<Vec<_>>().join(" ")
}

fn jsonl(rows: &[(&str, String)]) -> String {
    rows.iter()
        .map(|(id, text)| format!("{}\n", serde_json::json!({ "id": id, "text": text })))
        .collect()
}

/// Two letters and their copies; the copy of b is closer than that of a.
fn corpus() -> String {
    jsonl(&[
        ("a", text("leek", &[])),
        ("b", text("carrot", &[])),
        ("a2", text("leek", &[3, 30]) + " and some more words at the end"),
        ("c", text("turnip", &[])),
        ("b2", text("carrot", &[49])),
        ("a3", text("leek", &[])),
    ])
}

/// The ids of a JSONL corpus.
fn ids(bytes: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(bytes).expect("text");
    let id = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        row["id"].as_str().expect("an id").to_owned()
    };
    text.lines().map(id).collect()
}

/// The rows of a report, without their similarities.
fn pairs(tsv: &str) -> BTreeSet<(String, String)> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        assert!(fields[2].parse::<f64>().is_ok(), "{line}");
        (fields[0].to_owned(), fields[1].to_owned())
    };
    tsv.lines().map(row).collect()
}

fn set(rows: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    rows.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn pairs_have_their_exact_similarity() {
    let folder = Folder::new();
    folder.file("corpus.jsonl", corpus());
    let out = folder.ok(&["similar", "pairs", "--threshold", "0.6", "corpus.jsonl"]);
    assert_eq!(pairs(&out), set(&[("a", "a3"), ("a", "a2"), ("a2", "a3"), ("b", "b2")]));
    // 48 shingles each; one changed word at the end changes one of them.
    assert!(out.contains(&format!("b\tb2\t{}\n", 47.0 / 49.0)), "{out}");
    assert!(out.contains("a\ta3\t1\n"));
    let none =
        folder.run(&["similar", "pairs", "--threshold", "0.99", "--shingle", "words:9", "-"]);
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    // The same as files of each format.
    for name in ["pairs.tsv", "pairs.jsonl", "pairs.parquet", "pairs.tsv.gz"] {
        folder.ok(&["similar", "pairs", "--threshold", "0.6", "corpus.jsonl", "-o", name]);
        assert!(!folder.read(name).is_empty());
    }
    assert_eq!(String::from_utf8(folder.read("pairs.tsv")).expect("text"), out);
}

#[test]
fn estimates_are_close_and_need_no_sets() {
    let folder = Folder::new();
    folder.file("corpus.jsonl", corpus());
    let arguments = ["similar", "pairs", "--estimate", "-t", "0.6", "--components", "512"];
    let out = folder.ok(&[&arguments[..], &["corpus.jsonl"]].concat());
    let row = out.lines().find(|line| line.starts_with("b\tb2")).expect("the pair");
    let estimate: f64 = row.split('\t').next_back().and_then(|n| n.parse().ok()).expect("a number");
    // Four standard errors of 512 components at 47 of 49.
    assert!((estimate - 47.0 / 49.0).abs() < 4.0 * (0.96f64 * 0.04 / 512.0).sqrt(), "{estimate}");
}

#[test]
fn groups_have_a_representative() {
    let folder = Folder::new();
    folder.file("corpus.jsonl", corpus());
    let out = folder.ok(&["similar", "clusters", "-t", "0.6", "corpus.jsonl"]);
    let expected = [("a", "a"), ("a", "a2"), ("a", "a3"), ("b", "b"), ("b", "b2")];
    assert_eq!(pairs(&out), set(&expected));
}

#[test]
fn the_corpus_stays_as_it_is_but_for_the_copies() {
    let folder = Folder::new();
    folder.file("corpus.jsonl", corpus());
    let dedup = ["similar", "dedup", "-t", "0.6", "corpus.jsonl", "-o", "clean.jsonl"];
    let with = |more: &[&str]| {
        let arguments: Vec<&str> = dedup.iter().chain(more).copied().collect();
        folder.ok(&arguments);
        ids(&folder.read("clean.jsonl"))
    };
    assert_eq!(with(&["--report", "removed.tsv"]), ["a", "b", "c"]);
    let report = String::from_utf8(folder.read("removed.tsv")).expect("text");
    let mut lines = report.lines();
    assert_eq!(lines.next(), Some("id\tkept\tsimilarity"));
    let rest = lines.collect::<Vec<_>>().join("\n");
    assert_eq!(pairs(&rest), set(&[("a2", "a"), ("b2", "b"), ("a3", "a")]));
    assert_eq!(with(&["--keep", "longest"]), ["a2", "c", "b2"]);

    // What is kept is kept byte by byte.
    let clean = folder.read("clean.jsonl");
    for line in clean.split_inclusive(|byte| *byte == b'\n') {
        assert!(corpus().as_bytes().windows(line.len()).any(|window| window == line));
    }
}

#[test]
fn only_the_same_texts_go_if_that_is_asked_for() {
    let folder = Folder::new();
    let same = "not \"a\" word\n";
    let rows = jsonl(&[
        ("1", "Leek".into()),
        ("2", "leek".into()),
        ("3", same.into()),
        ("4", String::new()),
        ("5", same.into()),
        ("6", String::new()),
        ("7", "Leek ".into()),
    ]);
    folder.file("corpus.jsonl", rows);
    let dedup = ["similar", "dedup", "--exact-only", "corpus.jsonl", "-o", "clean.jsonl"];
    folder.ok(&dedup);
    // Texts without a word stay: nothing says that they are copies.
    assert_eq!(ids(&folder.read("clean.jsonl")), ["1", "2", "3", "4", "6", "7"]);
    folder.ok(&[&dedup[..], &["--lowercase"]].concat());
    assert_eq!(ids(&folder.read("clean.jsonl")), ["1", "3", "4", "6", "7"]);
}

#[test]
fn a_field_or_the_input_says_which_copy_stays() {
    let folder = Folder::new();
    let row = |id: &str, stars: &str, changes: &[usize]| {
        format!(
            "{{\"id\": \"{id}\", \"stars\": {stars}, \"text\": \"{}\"}}\n",
            text("leek", changes)
        )
    };
    folder.file("web.jsonl", row("w1", "2", &[]) + &row("w2", "17", &[49]));
    folder.file("books.jsonl", row("b1", "3.5", &[0]) + &row("b2", "null", &[0, 49]));
    let dedup = |keep: &str| {
        let arguments =
            ["similar", "dedup", "--keep", keep, "web.jsonl", "books.jsonl", "-o", "clean.jsonl"];
        folder.ok(&arguments);
        ids(&folder.read("clean.jsonl"))
    };
    assert_eq!(dedup("first"), ["w1"]);
    assert_eq!(dedup("largest:stars"), ["w2"]);
    assert_eq!(dedup("priority:books,web"), ["b1"]);
    assert_eq!(dedup("priority:web.jsonl"), ["w1"]);
    let refused = folder.refused(&[
        "similar",
        "dedup",
        "--keep",
        "priority:papers",
        "web.jsonl",
        "-o",
        "clean.jsonl",
    ]);
    assert!(refused.contains("no input is called papers"), "{refused}");
    folder.refused(&["similar", "dedup", "--keep", "newest", "web.jsonl", "-o", "clean.jsonl"]);
}

#[test]
fn one_corpus_minus_another() {
    let folder = Folder::new();
    folder.file("corpus.jsonl", corpus());
    folder.file("test.jsonl", jsonl(&[("t", text("leek", &[3])), ("u", text("swede", &[]))]));
    folder.ok(&[
        "similar",
        "dedup",
        "-t",
        "0.7",
        "--against",
        "test.jsonl",
        "corpus.jsonl",
        "-o",
        "clean.jsonl",
        "--report",
        "gone.jsonl",
    ]);
    // The copies b and b2 are in one corpus: they are not compared with each other.
    assert_eq!(ids(&folder.read("clean.jsonl")), ["b", "c", "b2"]);
    let gone = String::from_utf8(folder.read("gone.jsonl")).expect("text");
    assert_eq!(gone.matches("\"kept\":\"t\"").count(), 3, "{gone}");
}

#[test]
fn broken_records_are_counted_and_copied() {
    let folder = Folder::new();
    let mut rows = b"{\"id\": \"1\", \"text\": \"".to_vec();
    rows.extend(text("leek", &[]).bytes());
    rows.extend(b"\"}\nnot json\n{\"id\": \"2\", \"text\": \"\"}\n{\"id\": \"3\"}\n");
    rows.extend(b"{\"id\": \"4\", \"text\": \"caf\xE9 ");
    rows.extend(text("leek", &[]).bytes());
    rows.extend(b"\"}\n{\"id\": \"5\", \"text\": null}\n");
    folder.file("corpus.jsonl", &rows);
    let dedup = ["similar", "dedup", "--max-bad", "50%", "corpus.jsonl", "-o", "clean.jsonl"];
    let ran = folder.run(&dedup);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for noted in [
        "skipped 1: not JSON (corpus.jsonl:2",
        "skipped 1: a column is missing (corpus.jsonl:4",
        "skipped 1: a column is null (corpus.jsonl:6",
        "noted 1: not UTF-8, read as Latin-1 (corpus.jsonl:5",
        "noted 1: the text is empty",
        "1 removed, 2 kept",
    ] {
        assert!(ran.stderr.contains(noted), "{noted}: {}", ran.stderr);
    }
    // Only record 4 goes.
    let mut lines: Vec<&[u8]> = rows.split_inclusive(|byte| *byte == b'\n').collect();
    lines.remove(4);
    assert_eq!(folder.read("clean.jsonl"), lines.concat());
    let strict =
        folder.refused(&["similar", "dedup", "--strict", "corpus.jsonl", "-o", "clean.jsonl"]);
    assert!(strict.contains("corpus.jsonl:2: not JSON"), "{strict}");
}

/// Different texts of any language stay apart, and near-copies are found.
#[test]
fn languages_with_and_without_spaces() {
    let folder = Folder::new();
    let texts = [
        ("ar", "كان يا ما كان في قديم الزمان ملك عادل يحكم بلادا واسعة وله ثلاث بنات جميلات"),
        ("ar2", "كان يا ما كان في قديم الزمان ملك عادل يحكم بلادا واسعة وله ثلاث بنات ذكيات"),
        ("ar3", "ذهبت إلى السوق صباح اليوم واشتريت خبزا وجبنا وزيتونا ثم عدت إلى البيت ماشيا"),
        ("zh", "从前有一座山山上有一座庙庙里有一个老和尚在给小和尚讲故事讲的是什么故事呢"),
        ("zh2", "从前有一座山山上有一座庙庙里有一个老和尚在给小和尚讲故事讲的是哪个故事呢"),
        ("zh3", "今天天气很好我们去公园散步吧公园里有很多花和树还有一个很大的湖可以划船"),
        ("pt", "era uma vez um rei que tinha três filhas muito bonitas e um castelo à beira-mar"),
        ("pt2", "era uma vez um rei que tinha três filhas muito bonitas e um palácio à beira-mar"),
        ("pt3", "hoje de manhã fui à feira comprar pão fresco, queijo e azeitonas para o almoço"),
        ("em", "🦊🐰🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🐤🦆🦅🦉🦇🐺🐗🐴🦄🐝🐛🦋"),
        ("em2", "🦊🐰🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🐤🦆🦅🦉🦇🐺🐗🐴🦄🐝🐛🐞"),
        ("em3", "🍏🍎🍐🍊🍋🍌🍉🍇🍓🍈🍒🍑🥭🍍🥥🥝🍅🍆🥑🥦🥬🥒🌶🌽🥕🧄"),
    ];
    let rows: Vec<(&str, String)> = texts.map(|(id, text)| (id, text.to_owned())).to_vec();
    folder.file("corpus.jsonl", jsonl(&rows));
    let arguments = ["similar", "pairs", "-t", "0.6", "--shingle", "chars:2", "corpus.jsonl"];
    let expected = set(&[("ar", "ar2"), ("zh", "zh2"), ("pt", "pt2"), ("em", "em2")]);
    assert_eq!(pairs(&folder.ok(&arguments)), expected);
    // By words, a Chinese character is one; emoji without spaces are one word as a whole.
    let words = ["similar", "pairs", "-t", "0.6", "--shingle", "words:2", "corpus.jsonl"];
    assert_eq!(pairs(&folder.ok(&words)), set(&[("ar", "ar2"), ("zh", "zh2"), ("pt", "pt2")]));
    // The same letters in another form: é as one character, as two, and as full-width letters.
    let forms = [("1", "caf\u{E9} ole"), ("2", "cafe\u{301} ole"), ("3", "ｃａｆ\u{E9} ole")];
    folder.file("forms.jsonl", jsonl(&forms.map(|(id, text)| (id, text.to_owned()))));
    let forms = ["similar", "pairs", "-t", "1", "--shingle", "words:2", "forms.jsonl"];
    assert_eq!(folder.run(&forms).stdout, "");
    assert_eq!(folder.ok(&[&forms[..], &["--normalize", "nfc"]].concat()), "1\t2\t1\n");
    let all = folder.ok(&[&forms[..], &["--normalize", "nfkc"]].concat());
    assert_eq!(all.lines().count(), 3);
}

#[test]
fn an_index_answers_and_changes() {
    let folder = Folder::new();
    folder.file("corpus.jsonl", corpus());
    folder.ok(&["similar", "index", "corpus.jsonl", "-o", "i"]);
    folder.file("question.txt", text("carrot", &[20]));
    let found = folder.ok(&["similar", "query", "i", "question.txt"]);
    assert_eq!(pairs(&found), set(&[("question.txt", "b"), ("question.txt", "b2")]));
    let nearest = folder.ok(&["similar", "query", "i", "--nearest", "1", "question.txt"]);
    assert_eq!(nearest.lines().count(), 1);
    folder.ok(&["similar", "index", "--into", "i", "--remove", "b"]);
    let found = folder.ok(&["similar", "query", "i", "question.txt"]);
    assert_eq!(pairs(&found), set(&[("question.txt", "b2")]));
    folder.file("more.jsonl", jsonl(&[("b2", text("potato", &[])), ("d", text("swede", &[]))]));
    let ran = folder.run(&["similar", "index", "--into", "i", "more.jsonl"]);
    assert!(
        ran.stderr.contains("2 inserted (1 in place of one with the same id)"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("6 documents in i"), "{}", ran.stderr);
    assert_eq!(folder.run(&["similar", "query", "i", "question.txt"]).code, 1);

    let before = folder.read("i");
    assert!(
        folder
            .refused(&["similar", "index", "--into", "i", "--remove", "b"])
            .contains("no document b")
    );
    assert_eq!(folder.read("i"), before, "nothing was changed");
    let mut damaged = before;
    let last = damaged.len() - 100;
    damaged[last] ^= 1;
    folder.file("damaged", &damaged);
    assert!(
        folder
            .refused(&["similar", "index", "--into", "damaged", "more.jsonl"])
            .contains("checksum")
    );
    assert!(folder.refused(&["filter", "info", "i"]).contains("a filter is needed here"));
}

#[test]
fn nonsense_is_refused() {
    let folder = Folder::new();
    folder.file("corpus.jsonl", corpus());
    for (arguments, sentence) in [
        (&["--threshold", "0"][..], "threshold"),
        (&["--threshold", "1.5"], "threshold"),
        (&["--threshold", "nan"], "threshold"),
        (&["--shingle", "words:0"], "words:K"),
        (&["--shingle", "sentences"], "words:K"),
        (&["--components", "5000"], "between 1 and 4096"),
        (&["--bands", "100", "--rows", "100"], "do not fit"),
        (&["--memory", "1k"], "too little memory"),
        (&["--threshold", "0.05", "--components", "16"], "find at most"),
        (&["--text-column", "body"], "a column is missing"),
        (&["--format", "xml"], "no format"),
    ] {
        let all = [&["similar", "pairs", "corpus.jsonl", "--strict"][..], arguments].concat();
        let ran = folder.run(&all);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(sentence), "{arguments:?}: {}", ran.stderr);
    }
    folder.refused(&["similar", "pairs", "none.jsonl"]);
    folder.refused(&["similar", "dedup", "-", "-o", "clean.jsonl"]);
    assert!(!folder.path().join("clean.jsonl").exists());
}

#[test]
fn a_plan_shows_what_is_found() {
    let folder = Folder::new();
    let plan = |arguments: &[&str]| -> serde_json::Value {
        let all = [&["plan", "similar", "--json"][..], arguments].concat();
        serde_json::from_str(&folder.ok(&all)).expect("JSON")
    };
    let lecture = plan(&["--at-most", "0.6:1%", "--at-least", "0.9:99%"]);
    assert_eq!(
        (&lecture["choices"][0]["rows"], &lecture["choices"][0]["bands"]),
        (&15.into(), &20.into())
    );
    let report = plan(&["--threshold", "0.8", "--expected-error", "0.05"]);
    assert_eq!(report["components"], 400);
    assert!(report["choices"][0]["found_at_threshold"].as_f64().expect("a number") >= 0.995);
    assert_eq!(report["choices"][0]["curve"].as_array().expect("a curve").len(), 101);
    assert!(folder.ok(&["plan", "similar", "-t", "0.8"]).contains("128 components"));
    folder.refused(&["plan", "similar", "-t", "2"]);
}

/// A corpus large enough that a run can be interrupted.
fn large() -> String {
    let row = |number: u64| {
        let topic = number / 3;
        let word = |index: u64| {
            let other = if index == number % 3 * 7 { number } else { 0 };
            format!("w{}", (topic * 31 + index * 7 + other) % 9973)
        };
        let words: Vec<String> = (0..60).map(word).collect();
        format!("{{\"id\": {number}, \"text\": \"{}\"}}\n", words.join(" "))
    };
    (0..20_000).map(row).collect()
}

/// Killed as soon as a stage is finished, a run goes on from there and ends as one that was not killed;
/// threads and memory change nothing either.
#[test]
fn a_killed_run_goes_on_and_ends_the_same() {
    let folder = Folder::new();
    folder.file("corpus.jsonl", large());
    let pairs = ["similar", "pairs", "-t", "0.7", "corpus.jsonl", "-o"];
    folder.ok(&[&pairs[..], &["expected.tsv", "--threads", "1"]].concat());
    let expected = folder.read("expected.tsv");
    assert!(expected.len() > 10_000);
    folder.ok(&[&pairs[..], &["two.tsv", "--threads", "2", "--memory", "64M"]].concat());
    assert_eq!(folder.read("two.tsv"), expected, "two threads, little memory");

    for stage in ["nothing", "signed", "candidates"] {
        let work = format!("work-{stage}");
        let arguments = [&pairs[..], &["resumed.tsv", "--resume", &work]].concat();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tamis"))
            .args(&arguments)
            .current_dir(folder.path())
            .stderr(Stdio::null())
            .spawn()
            .expect("tamis starts");
        let manifest = folder.path().join(&work).join("tamis-run");
        // Until the stage is reached, or the run was faster than we are.
        while child.try_wait().expect("a child").is_none() {
            let reached =
                std::fs::read_to_string(&manifest).is_ok_and(|text| text.starts_with(stage));
            if reached {
                child.kill().expect("killed");
            }
        }
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(folder.read("resumed.tsv"), expected, "killed at {stage}");
        let again = folder.run(&arguments);
        assert!(again.stderr.contains("taken over from an earlier run"), "{}", again.stderr);
    }
}

/// What was kept of an earlier run is taken over only if it is the same run, and with what it had to report.
#[test]
fn another_run_is_not_taken_over() {
    let folder = Folder::new();
    folder.file("corpus.jsonl", corpus() + "not json\n");
    let arguments = |keep: &'static str| {
        let start = ["similar", "dedup", "-t", "0.6", "--max-bad", "20%", "--keep", keep];
        [&start[..], &["corpus.jsonl", "-o", "clean.jsonl", "--resume", "work"]].concat()
    };
    for is_taken in [false, true] {
        let ran = folder.run(&arguments("first"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains("skipped 1: not JSON (corpus.jsonl:7"), "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("taken over"), is_taken);
        let clean = String::from_utf8(folder.read("clean.jsonl")).expect("text");
        assert_eq!(ids(clean.replace("not json\n", "").as_bytes()), ["a", "b", "c"]);
    }
    let refused = folder.refused(&arguments("longest"));
    assert!(refused.contains("work keeps a run with other --keep"), "{refused}");

    // A file that changes inside of a folder is another corpus.
    std::fs::create_dir(folder.path().join("texts")).expect("a folder");
    folder.file("texts/1", text("leek", &[]));
    folder.file("texts/2", text("carrot", &[]));
    let pairs = ["similar", "pairs", "texts", "--resume", "other"];
    assert_eq!(folder.run(&pairs).stdout, "");
    folder.file("texts/2", text("leek", &[49]));
    let refused = folder.refused(&pairs);
    assert!(refused.contains("other keeps a run with other inputs"), "{refused}");
    let refused = folder.refused(&["similar", "pairs", "-", "--resume", "new"]);
    assert!(refused.contains("standard input can be read only once"), "{refused}");
}

#[test]
fn sets_are_compared_by_their_members() {
    let folder = Folder::new();
    let mut rows = String::from("user,film,stars\n");
    for film in 0..10 {
        rows += &format!("ana,{film},5\nben,{},3\n", film + 1);
    }
    folder.file("ratings.csv", &rows);
    let arguments = [
        "similar",
        "pairs",
        "-t",
        "0.5",
        "--sets",
        "--set-column",
        "user",
        "--item-column",
        "film",
        "ratings.csv",
    ];
    assert_eq!(folder.ok(&arguments), format!("ana\tben\t{}\n", 9.0 / 11.0));
    let spaces = rows.replace(',', " ");
    folder.file("ratings.data", spaces.split_once('\n').expect("rows").1);
    let by_number = ["similar", "pairs", "-t", "0.5", "--sets", "ratings.data"];
    assert_eq!(folder.ok(&by_number), format!("ana\tben\t{}\n", 9.0 / 11.0));
}

#[test]
fn two_documents_are_compared() {
    let folder = Folder::new();
    folder.file("a.txt", text("leek", &[]));
    folder.file("b.txt", text("leek", &[49]));
    let out = folder.ok(&["similar", "compare", "a.txt", "b.txt", "--json"]);
    assert!(out.contains(&format!("\"similarity\":{}", 47.0 / 49.0)), "{out}");
    assert!(out.contains("\"left\":48") && out.contains("\"common\":47"), "{out}");
    assert!(folder.ok(&["similar", "compare", "a.txt", "b.txt"]).starts_with("similarity  0.9592"));
    folder.file("two.jsonl", corpus());
    let refused =
        folder.refused(&["similar", "compare", "--format", "jsonl", "two.jsonl", "a.txt"]);
    assert!(refused.contains("more than one document"), "{refused}");
}
