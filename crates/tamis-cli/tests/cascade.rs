//! `tamis cascade` as a person uses it.

mod common;

use common::Folder;
use serde_json::Value;

/// Keys of three categories, one of them rare.
fn classes(folder: &Folder) -> Vec<(String, &'static str)> {
    let mut text = String::new();
    let mut keys = Vec::new();
    for (category, count) in [("root", 3000), ("leaf", 2500), ("fruit of the forest", 40)] {
        text += &format!("[{category}]\n");
        for number in 0..count {
            let key = format!("{category} number {number}");
            text += &format!("{key}\n");
            keys.push((key, category));
        }
        text.push('\n');
    }
    folder.file("classes.txt", text);
    keys
}

#[test]
fn every_trained_key_has_its_category_in_both_formats() {
    let folder = Folder::new();
    let keys = classes(&folder);
    let (asked, expected): (String, String) = keys
        .iter()
        .step_by(7)
        .map(|(key, category)| (format!("{key}\n"), format!("{category}\n")))
        .collect();
    folder.file("asked.txt", &asked);
    for (name, arguments) in [
        ("c.tamis", &[][..]),
        ("r.tamis", &["--reject", "8"]),
        ("0.bfc", &["--format", "bfc", "--algorithm", "0"]),
        ("1.bfc", &["--format", "bfc", "--algorithm", "1"]),
        ("k.bfc", &["--format", "bfc", "--functions", "2,3"]),
    ] {
        let mut train = vec!["cascade", "train", "-o", name, "classes.txt"];
        train.extend(arguments);
        folder.ok(&train);
        assert_eq!(folder.ok(&["cascade", "classify", name, "asked.txt"]), expected, "{name}");
        assert_eq!(folder.pipe(&["cascade", "classify", name], asked.as_bytes()).stdout, expected);
        let verified = folder.ok(&["cascade", "verify", name, "--against", "classes.txt"]);
        assert_eq!(verified, "5,540 keys, 0 errors\n", "{name}");
        let first = folder.read(name);
        folder.ok(&train);
        assert_eq!(folder.read(name), first, "the same again");
    }
    let with_key = folder
        .pipe(&["cascade", "classify", "--with-key", "r.tamis"], b"leaf number 1\r\nstranger\n")
        .stdout;
    assert_eq!(with_key, "leaf number 1\tleaf\nstranger\t(not covered)\n");
    let info: Value =
        serde_json::from_str(&folder.ok(&["cascade", "info", "--json", "c.tamis"])).expect("JSON");
    assert_eq!(info["keys"], 5540);
    assert_eq!(info["categories"][2]["name"], "fruit of the forest");
    // sum c log2(n / c) / 8 for 3000, 2500 and 40 keys.
    let entropy =
        [3000.0, 2500.0, 40.0].iter().map(|c: &f64| c * (5540.0 / c).log2()).sum::<f64>() / 8.0;
    assert!((info["entropy_bytes"].as_f64().expect("a number") - entropy).abs() < 0.01);
    let text = folder.ok(&["cascade", "info", "1.bfc"]);
    assert!(
        text.contains("bfc, algorithm 1") && text.contains("root, leaf, fruit of the forest"),
        "{text}"
    );
}

#[test]
fn tables_and_lists_are_trained() {
    let folder = Folder::new();
    folder.file("t.tsv", "leek\tleaf\ncarrot\troot\nleek\tleaf\n");
    folder.ok(&["cascade", "train", "--tsv", "-o", "t.tamis", "t.tsv"]);
    assert_eq!(
        folder.pipe(&["cascade", "classify", "t.tamis"], b"carrot\nleek\n").stdout,
        "root\nleaf\n"
    );
    assert_eq!(
        folder.ok(&["cascade", "verify", "t.tamis", "--tsv", "--against", "t.tsv"]),
        "3 keys, 0 errors\n"
    );
    folder.file("ads.hosts", "# ads\n0.0.0.0 ads.example\n||track.example^\n");
    folder.file("sites.txt", "good.example\nshop.example\n");
    folder.ok(&[
        "cascade",
        "train",
        "--listed",
        "ads.hosts",
        "--unlisted",
        "sites.txt",
        "-o",
        "l.tamis",
    ]);
    let said = folder
        .pipe(&["cascade", "classify", "l.tamis"], b"track.example\nshop.example\nads.example\n")
        .stdout;
    assert_eq!(said, "listed\nunlisted\nlisted\n");
}

#[test]
fn a_key_in_two_categories_is_named_or_settled() {
    let folder = Folder::new();
    folder.file("two.txt", "[a]\nx\nleek\n[b]\ny\nleek\n");
    for format in ["tamis", "bfc"] {
        let train = |more: &[&str]| {
            let mut arguments =
                vec!["cascade", "train", "--format", format, "-o", "two", "two.txt"];
            arguments.extend(more);
            folder.run(&arguments)
        };
        let refused = train(&[]);
        assert_eq!(refused.code, 2);
        assert!(
            refused.stderr.contains("leek has two categories: two.txt:3 and two.txt:6"),
            "{}",
            refused.stderr
        );
        assert!(!folder.path().join("two").exists(), "nothing is written");
        for (choice, category) in [("first", "a\n"), ("last", "b\n")] {
            assert_eq!(train(&["--on-conflict", choice]).code, 0);
            assert_eq!(
                folder.pipe(&["cascade", "classify", "two"], b"leek\n").stdout,
                category,
                "{format}"
            );
        }
        std::fs::remove_file(folder.path().join("two")).expect("removed");
    }
}

#[test]
fn odd_keys_and_few_categories_are_no_problem() {
    let folder = Folder::new();
    let long = "x".repeat(10_000);
    let odd: Vec<u8> = [
        &b"[a b]\r\n key with spaces \r\ntab\there\r\n\\[bracket]\r\n\xff\xfe\r\n"[..],
        long.as_bytes(),
        b"\r\n[empty]\r\n[c]\r\n[open\r\n",
    ]
    .concat();
    folder.file("odd.txt", &odd);
    let asked = [
        &b" key with spaces \ntab\there\n[bracket]\n\xff\xfe\n"[..],
        long.as_bytes(),
        b"\n[open\n",
    ]
    .concat();
    for format in ["tamis", "bfc"] {
        folder.ok(&["cascade", "train", "--format", format, "-o", "odd", "odd.txt"]);
        let said = folder.pipe(&["cascade", "classify", "odd"], &asked).stdout;
        assert_eq!(said, "a b\na b\na b\na b\na b\nc\n", "{format}");
        folder.file("one.txt", "[only]\nleek\n");
        folder.ok(&["cascade", "train", "--format", format, "-o", "one", "one.txt"]);
        assert_eq!(folder.pipe(&["cascade", "classify", "one"], b"leek\n").stdout, "only\n");
    }
    let many: String =
        (0..10_000).map(|category| format!("[c{category}]\nkey {category}\n")).collect();
    folder.file("many.txt", many);
    folder.ok(&["cascade", "train", "-o", "many", "many.txt"]);
    assert_eq!(
        folder.ok(&["cascade", "verify", "many", "--against", "many.txt"]),
        "10,000 keys, 0 errors\n"
    );
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = Folder::new();
    classes(&folder);
    folder.file("none.txt", "");
    folder.file("early.txt", "leek\n[a]\n");
    let refused = |arguments: &[&str]| folder.refused(arguments);
    for (arguments, said) in [
        (&["none.txt"][..], "at least one"),
        (&["--format", "bfc", "none.txt"], "at least one"),
        (&["early.txt"], "early.txt:1"),
        (&["--format", "bfc", "--reject", "8", "classes.txt"], "--reject"),
        (&["--format", "bfc", "--functions", "3", "classes.txt"], "--functions"),
        (&["--functions", "3", "classes.txt"], "--functions"),
        (&["--reject", "33", "classes.txt"], "33"),
    ] {
        let train = [&["cascade", "train", "-o", "x"], arguments].concat();
        let error = refused(&train);
        assert!(error.contains(said), "{arguments:?}: {error}");
        assert!(!folder.path().join("x").exists(), "nothing is written");
    }
    folder.ok(&["cascade", "train", "-q", "-o", "c.tamis", "classes.txt"]);
    let whole = folder.read("c.tamis");
    for at in (0..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        folder.file("bad.tamis", &bytes);
        refused(&["cascade", "verify", "bad.tamis"]);
    }
    folder.file("cut.bfc", [1, 9, 9]);
    assert!(refused(&["cascade", "info", "cut.bfc"]).contains("cut.bfc"));
    // Another training file: the errors are counted.
    folder.file("other.txt", "[leaf]\nroot number 1\nleaf number 1\n");
    let ran = folder.run(&["cascade", "verify", "c.tamis", "--against", "other.txt"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "2 keys, 1 error\n"));
}

#[test]
fn a_cascade_is_converted_for_the_keys_that_are_named() {
    let folder = Folder::new();
    let keys = classes(&folder);
    folder.file("keys.txt", keys.iter().map(|(key, _)| format!("{key}\n")).collect::<String>());
    folder.ok(&["cascade", "train", "-q", "-o", "c.tamis", "classes.txt"]);
    folder.ok(&["cascade", "train", "-q", "--format", "bfc", "-o", "c.bfc", "classes.txt"]);
    folder.ok(&["cascade", "train", "-q", "--reject", "16", "-o", "r.tamis", "classes.txt"]);
    folder.ok(&["cascade", "convert", "c.tamis", "keys.txt", "--format", "bfc", "-o", "d.bfc"]);
    folder.ok(&["cascade", "convert", "c.bfc", "keys.txt", "-o", "d.tamis"]);
    assert_eq!(folder.read("d.bfc"), folder.read("c.bfc"));
    assert_eq!(folder.read("d.tamis"), folder.read("c.tamis"));
    // What is not covered is left out.
    folder.file(
        "more.txt",
        keys.iter().map(|(key, _)| format!("{key}\nnot {key}\n")).collect::<String>(),
    );
    folder.ok(&["cascade", "convert", "-q", "r.tamis", "more.txt", "-o", "m.tamis"]);
    let kept: Value =
        serde_json::from_str(&folder.ok(&["cascade", "info", "--json", "m.tamis"])).expect("JSON");
    // Of 5,540 strangers one in 2^16 is taken for a key.
    assert!((5540..=5545).contains(&kept["keys"].as_u64().expect("a number")), "{kept}");
    let refused = folder.refused(&["cascade", "convert", "c.tamis", "-o", "x.tamis"]);
    assert!(refused.contains("stores no keys"), "{refused}");
}

/// Whoever follows a log wants an answer to a line before the next one comes.
#[test]
fn an_answer_comes_before_the_next_question() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    classes(&folder);
    folder.ok(&["cascade", "train", "-q", "-o", "c.tamis", "classes.txt"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_tamis"))
        .args(["cascade", "classify", "c.tamis"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    for category in ["leaf", "root", "leaf"] {
        writeln!(input, "{category} number 7").expect("it reads");
        let mut line = String::new();
        output.read_line(&mut line).expect("it answers");
        assert_eq!(line, format!("{category}\n"));
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_plan_is_near_what_is_built() {
    let folder = Folder::new();
    classes(&folder);
    folder.ok(&["cascade", "train", "-q", "-o", "c.tamis", "classes.txt"]);
    for algorithm in ["0", "1"] {
        let output = format!("{algorithm}.bfc");
        folder.ok(&[
            "cascade",
            "train",
            "-q",
            "--format",
            "bfc",
            "--algorithm",
            algorithm,
            "-o",
            &output,
            "classes.txt",
        ]);
    }
    let plan = folder.ok(&["plan", "cascade", "--json", "3000", "2500", "40"]);
    let plan: Value = serde_json::from_str(&plan).expect("JSON");
    let near = |planned: &Value, file: &str, part: f64| {
        let (planned, built) = (planned.as_f64().expect("bytes"), folder.read(file).len() as f64);
        assert!((planned / built - 1.0).abs() < part, "{planned} for {built} of {file}");
    };
    near(&plan["bytes"], "c.tamis", 0.25);
    near(&plan["bfc_bytes"][0], "0.bfc", 0.1);
    near(&plan["bfc_bytes"][1], "1.bfc", 0.1);
    assert!(folder.refused(&["plan", "cascade", "--reject", "99", "1k"]).contains("at most 32"));
    assert!(folder.refused(&["plan", "cascade", "many"]).contains("many"));
}
