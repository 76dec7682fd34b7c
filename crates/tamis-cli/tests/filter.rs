//! `tamis filter` and `tamis plan filter` as a person uses them.

mod common;

use common::Folder;
use std::process::{Command, Stdio};

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|i| format!("key {i}\n")).collect()
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn what_was_built_in_is_found_and_absent_prints_the_rest() {
    let folder = Folder::new();
    folder.file("in.txt", lines(0..1000));
    folder.file("both.txt", lines(900..1100));
    for layout in ["classic", "blocked"] {
        folder.ok(&[
            "filter", "build", "--items", "1k", "--rate", "1e-6", "--layout", layout, "-o", "f",
            "in.txt",
        ]);
        assert_eq!(folder.ok(&["filter", "check", "f", "both.txt"]), lines(900..1000));
        assert_eq!(folder.ok(&["filter", "check", "--absent", "f", "both.txt"]), lines(1000..1100));
    }
}

#[test]
fn exit_codes_tell_yes_no_and_error() {
    let folder = Folder::new();
    folder.file("in.txt", lines(0..10));
    folder.ok(&["filter", "build", "--rate", "1e-6", "-o", "f", "in.txt"]);
    assert_eq!(folder.pipe(&["filter", "check", "f"], b"key 3\n").code, 0);
    assert_eq!(folder.pipe(&["filter", "check", "f"], b"none\n").code, 1);
    assert_eq!(folder.pipe(&["filter", "check", "f"], b"").code, 1);
    let quiet = folder.pipe(&["filter", "check", "--quiet", "f"], b"key 3\n");
    assert_eq!((quiet.code, quiet.stdout.as_str()), (0, ""));
    assert_eq!(folder.run(&["filter", "check", "missing"]).code, 2);
    assert_eq!(folder.run(&["filter", "no-such-verb"]).code, 2);
    assert_eq!(folder.run(&["--help"]).code, 0);
}

#[test]
fn standard_input_grows_a_filter_and_files_are_counted() {
    let folder = Folder::new();
    let built = folder.pipe(&["filter", "build", "-o", "grown"], lines(0..50_000).as_bytes());
    assert_eq!(built.code, 0, "{}", built.stderr);
    let info = json(&folder.ok(&["filter", "info", "--json", "grown"]));
    assert_eq!((&info["kind"], &info["items"]), (&"growing".into(), &50_000.into()));
    assert!(info["current_false_positive_rate"].as_f64().unwrap() < 0.01);
    folder.file("in.txt", lines(0..5000));
    folder.ok(&["filter", "build", "-o", "counted", "in.txt"]);
    let info = json(&folder.ok(&["filter", "info", "--json", "counted"]));
    assert_eq!((&info["kind"], &info["designed_items"]), (&"bloom".into(), &5000.into()));
}

#[test]
fn info_has_every_key_that_scripts_rely_on() {
    let folder = Folder::new();
    folder.file("in.txt", lines(0..100));
    folder.ok(&[
        "filter", "build", "--items", "100", "--rate", "0.01", "--seed", "7", "-o", "f", "in.txt",
    ]);
    let info = json(&folder.ok(&["filter", "info", "--json", "f"]));
    for key in [
        "kind",
        "layout",
        "bits",
        "hashes",
        "items",
        "bytes",
        "fill",
        "false_positive_rate",
        "current_false_positive_rate",
        "hash",
        "seed",
    ] {
        assert!(!info[key].is_null(), "{key} is missing in {info}");
    }
    assert_eq!(info["seed"], 7);
    assert_eq!(info["bytes"].as_u64().unwrap(), folder.read("f").len() as u64);
}

/// Filters of the library and of the command are asked for integers and for text.
#[test]
fn integers_and_text_are_never_taken_for_each_other() {
    use tamis::filter::{AnyFilter, BlockedBloomFilter};
    let folder = Folder::new();
    let numbers: String = (-50..50).map(|number| format!("{number}\n")).collect();
    folder.file("in.txt", &numbers);
    let build = ["filter", "build", "--items", "100", "--rate", "1e-6", "--integers", "-o"];
    folder.ok(&[&build[..], &["theirs", "in.txt"]].concat());
    let mut ours = BlockedBloomFilter::with_false_positive_rate(100, 1e-6).expect("sound");
    ours.extend(-50..50);
    ours.save(folder.path().join("ours")).expect("saved");
    assert_eq!(folder.read("ours"), folder.read("theirs"));
    let opened = AnyFilter::open(folder.path().join("theirs")).expect("opened");
    assert!((-50..50).all(|number| opened.contains(&number)));
    assert!(opened.try_contains("7").is_err());
    assert_eq!(folder.ok(&["filter", "check", "--integers", "ours", "in.txt"]), numbers);
    // The other kind is an error that says what to do, and the file stays as it is.
    for arguments in [
        &["filter", "check", "ours", "in.txt"][..],
        &["filter", "check", "--absent", "ours", "in.txt"],
        &["filter", "check", "--quiet", "ours", "in.txt"],
    ] {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("built from integers, and this asks for text"));
        assert!(ran.stderr.contains("hint: --integers reads lines as integers"), "{}", ran.stderr);
    }
    folder.file("text.txt", "leek\n");
    let ran = folder.run(&["filter", "check", "--integers", "ours", "text.txt"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("this line is no integer: leek"), "{}", ran.stderr);
    // Of a counting filter nothing is taken back.
    let counting = ["filter", "build", "--counting", "4", "-o", "counts", "in.txt"];
    folder.ok(&counting);
    let before = folder.read("counts");
    for verb in ["remove", "count"] {
        let ran = folder.run(&["filter", verb, "--integers", "counts", "in.txt"]);
        assert_eq!(ran.code, 2, "{verb}");
        assert!(ran.stderr.contains("built from text, and this asks for integers"));
        assert!(ran.stderr.contains("hint: without --integers lines are text"), "{}", ran.stderr);
    }
    assert_eq!(folder.read("counts"), before);
    // A filter may have both.
    folder.ok(&["filter", "add", "ours", "text.txt"]);
    assert_eq!(folder.ok(&["filter", "check", "ours", "text.txt"]), "leek\n");
    assert_eq!(folder.ok(&["filter", "check", "--integers", "ours", "in.txt"]), numbers);
    let info = json(&folder.ok(&["filter", "info", "--json", "ours"]));
    assert_eq!(info["keys"], "text and integers");
    // A static filter and a cascade say the same.
    folder.ok(&["filter", "build", "--static", "--integers", "-o", "fixed", "in.txt"]);
    assert_eq!(folder.run(&["filter", "check", "fixed", "in.txt"]).code, 2);
    assert_eq!(folder.ok(&["filter", "check", "--integers", "fixed", "in.txt"]), numbers);
    folder.file("kinds.tsv", "7\todd\n8\teven\n");
    folder.ok(&["cascade", "train", "--tsv", "-q", "-o", "kinds", "kinds.tsv"]);
    let ran = folder.run(&["cascade", "classify", "--integers", "kinds", "in.txt"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("built from text"), "{}", ran.stderr);
}

#[test]
fn counting_counts_and_takes_back() {
    let folder = Folder::new();
    folder.file("in.txt", "leek\nleek\nturnip\n");
    folder.ok(&["filter", "build", "--counting", "4", "--rate", "0.001", "-o", "f", "in.txt"]);
    let counted = folder.pipe(&["filter", "count", "f"], b"leek\nturnip\ncarrot\n");
    assert_eq!(counted.stdout, "leek\t2\nturnip\t1\ncarrot\t0\n");
    let removed = folder.pipe(&["filter", "remove", "f"], b"leek\nturnip\n");
    assert_eq!(
        (removed.code, removed.stderr.contains("2 removed")),
        (0, true),
        "{}",
        removed.stderr
    );
    let counted = folder.pipe(&["filter", "count", "f"], b"leek\nturnip\n");
    assert_eq!(counted.stdout, "leek\t1\nturnip\t0\n");
    let absent = folder.pipe(&["filter", "remove", "f"], b"turnip\n");
    assert_eq!(absent.code, 1);
    folder.ok(&["filter", "build", "-o", "plain", "in.txt"]);
    for verb in ["remove", "count"] {
        let sentence = folder.refused(&["filter", verb, "plain"]);
        assert!(sentence.starts_with("error: plain: a Bloom filter "), "{sentence}");
        assert!(sentence.contains("\nhint: build with --counting 4"), "{sentence}");
    }
}

#[test]
fn adding_keeps_what_was_there() {
    let folder = Folder::new();
    folder.file("in.txt", lines(0..100));
    for kind in [&["--growing"][..], &["--layout", "classic"], &["--counting", "8"], &[]] {
        let mut arguments = vec!["filter", "build", "--items", "300", "-o", "f"];
        arguments.extend(kind);
        arguments.push("in.txt");
        folder.ok(&arguments);
        assert_eq!(folder.pipe(&["filter", "add", "f"], lines(100..200).as_bytes()).code, 0);
        let found = folder.pipe(&["filter", "check", "f"], lines(0..200).as_bytes());
        assert_eq!(found.stdout, lines(0..200), "{kind:?}");
    }
}

#[test]
fn a_rotating_filter_forgets() {
    let folder = Folder::new();
    folder.file("in.txt", "monday\n");
    folder.ok(&[
        "filter",
        "build",
        "--rotating",
        "2",
        "--items",
        "100",
        "--rate",
        "1e-6",
        "-o",
        "f",
        "in.txt",
    ]);
    folder.file("tuesday.txt", "tuesday\n");
    folder.ok(&["filter", "add", "--rotate", "f", "tuesday.txt"]);
    let both = folder.pipe(&["filter", "check", "f"], b"monday\ntuesday\n");
    assert_eq!(both.stdout, "monday\ntuesday\n");
    folder.ok(&["filter", "add", "--rotate", "f"]);
    let one = folder.pipe(&["filter", "check", "f"], b"monday\ntuesday\n");
    assert_eq!(one.stdout, "tuesday\n");
    folder.ok(&["filter", "build", "-o", "plain", "in.txt"]);
    assert!(folder.refused(&["filter", "add", "--rotate", "plain"]).contains("rotating"));
}

#[test]
fn merging_joins_what_matches_and_refuses_the_rest() {
    let folder = Folder::new();
    folder.file("a.txt", lines(0..100));
    folder.file("b.txt", lines(50..150));
    let build = |name: &str, file: &str, more: &[&str]| {
        let mut arguments = vec!["filter", "build", "--items", "200", "--rate", "1e-6", "-o", name];
        arguments.extend(more);
        arguments.push(file);
        folder.ok(&arguments);
    };
    build("a", "a.txt", &[]);
    build("b", "b.txt", &[]);
    folder.ok(&["filter", "merge", "-o", "any", "a", "b"]);
    folder.ok(&["filter", "merge", "--intersection", "-o", "all", "a", "b"]);
    let check =
        |name: &str| folder.pipe(&["filter", "check", name], lines(0..200).as_bytes()).stdout;
    assert_eq!(check("any"), lines(0..150));
    assert_eq!(check("all"), lines(50..100));
    build("other", "b.txt", &["--seed", "1"]);
    let sentence = folder.refused(&["filter", "merge", "-o", "x", "a", "other"]);
    assert!(sentence.contains("the seed is 0 here and 1 there"), "{sentence}");
    assert!(!folder.path().join("x").exists(), "nothing is written after a refusal");
}

#[test]
fn absurd_parameters_get_a_sentence() {
    let folder = Folder::new();
    folder.file("in.txt", "a\n");
    for (arguments, part) in [
        (&["plan", "filter", "--items", "1M", "--rate", "2"][..], "between"),
        (&["plan", "filter", "--items", "1M", "--rate", "0"], "between"),
        (&["plan", "filter", "--items", "1e19", "--rate", "0.01"], "bits"),
        (&["plan", "filter", "--items", "1M", "--memory", "10"], "memory"),
        (&["filter", "build", "--items", "1e15", "-o", "f", "in.txt"], "bits"),
        (&["filter", "build", "--rotating", "5000", "--items", "5", "-o", "f", "in.txt"], "1024"),
        (&["filter", "build", "--rate", "nan", "-o", "f", "in.txt"], "NaN"),
        (&["filter", "build", "-o", "f", "missing.txt"], "missing.txt"),
        (&["filter", "build", "-o", "no/such/folder/f", "in.txt"], "no/such/folder/f"),
        (&["filter", "build", "--signatures", "-o", "f", "in.txt"], "length of a signature"),
        (&["filter", "info", "in.txt"], "not a Tamis file"),
        (&["filter", "info", "."], "cannot read ."),
    ] {
        let sentence = folder.refused(arguments);
        assert!(sentence.contains(part), "{arguments:?}: {sentence}");
        assert!(!folder.path().join("f").exists(), "{arguments:?} left a file");
    }
}

#[test]
fn a_damaged_filter_is_never_written_back() {
    let folder = Folder::new();
    folder.file("in.txt", lines(0..100));
    folder.ok(&["filter", "build", "-o", "f", "in.txt"]);
    let mut bytes = folder.read("f");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    folder.file("f", &bytes);
    for arguments in [&["filter", "add", "f", "in.txt"][..], &["filter", "verify", "f"]] {
        assert!(folder.refused(arguments).contains("damaged content"));
    }
    assert_eq!(folder.read("f"), bytes);
}

#[test]
fn null_separated_keys_may_have_line_ends() {
    let folder = Folder::new();
    folder.file("in", b"two\nlines\0one\0");
    folder.ok(&["filter", "build", "--null", "--rate", "1e-6", "-o", "f", "in"]);
    let found = folder.pipe(&["filter", "check", "--null", "f"], b"two\nlines\0two\0");
    assert_eq!(found.stdout, "two\nlines\0");
}

#[test]
fn line_ends_of_other_systems_make_no_other_keys() {
    let folder = Folder::new();
    folder.file("in", b"one\r\ntwo\r\n");
    folder.ok(&["filter", "build", "--rate", "1e-6", "-o", "f", "in"]);
    assert_eq!(folder.pipe(&["filter", "check", "f"], b"one\ntwo\n").stdout, "one\ntwo\n");
}

#[test]
fn scan_finds_planted_signatures_at_their_offsets() {
    let folder = Folder::new();
    folder.file("list", "deadbeef01\ncafe babe 0203\n");
    folder.ok(&["filter", "build", "--signatures", "--hex", "-o", "f", "list"]);
    let mut stream = vec![0x55; 700_000];
    for (offset, signature) in [
        (3, &b"\xde\xad\xbe\xef\x01"[..]),
        (262_142, b"\xca\xfe\xba\xbe\x02\x03"),
        (699_995, b"\xde\xad\xbe\xef\x01"),
    ] {
        stream[offset..offset + signature.len()].copy_from_slice(signature);
    }
    folder.file("stream", &stream);
    let found = folder.ok(&["filter", "scan", "--hex", "--confirm", "list", "f", "stream"]);
    assert_eq!(
        found,
        "stream:3\tdeadbeef01\nstream:262142\tcafebabe0203\nstream:699995\tdeadbeef01\n"
    );
    let piped =
        folder.pipe(&["filter", "scan", "--count", "--hex", "--confirm", "list", "f"], &stream);
    assert_eq!((piped.code, piped.stdout.as_str()), (0, "-: 3\n"));
    assert_eq!(folder.pipe(&["filter", "scan", "f"], &[7; 100]).code, 1);
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let folder = Folder::new();
    folder.file("in.txt", lines(0..200_000));
    folder.ok(&["filter", "build", "-o", "f", "in.txt"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_tamis"))
        .args(["filter", "check", "f", "in.txt"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tamis starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("tamis ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_same_keys_give_the_same_file_in_any_order_of_files() {
    let folder = Folder::new();
    folder.file("a.txt", lines(0..500));
    folder.file("b.txt", lines(500..1000));
    for kind in [&["--layout", "classic"][..], &["--layout", "blocked"], &["--counting", "4"]] {
        for (name, files) in [("f", ["a.txt", "b.txt"]), ("g", ["b.txt", "a.txt"])] {
            let mut arguments = vec!["filter", "build", "--items", "1000", "-o", name];
            arguments.extend(kind);
            arguments.extend(files);
            folder.ok(&arguments);
        }
        assert_eq!(folder.read("f"), folder.read("g"), "{kind:?}");
    }
}

#[test]
fn plan_and_build_agree() {
    let folder = Folder::new();
    folder.file("in.txt", lines(0..1000));
    for layout in ["classic", "blocked"] {
        let plan = folder.ok(&[
            "plan", "filter", "--items", "1000", "--rate", "1%", "--layout", layout, "--json",
        ]);
        folder.ok(&[
            "filter", "build", "--items", "1000", "--rate", "1%", "--layout", layout, "-o", "f",
            "in.txt",
        ]);
        let info = json(&folder.ok(&["filter", "info", "--json", "f"]));
        let plan = &json(&plan)["plans"][0];
        assert_eq!(plan["bits"], info["bits"]);
        assert_eq!(plan["hashes"], info["hashes"]);
    }
    let fits = json(&folder.ok(&["plan", "filter", "--items", "1M", "--memory", "1M", "--json"]));
    for plan in fits["plans"].as_array().unwrap() {
        assert!(plan["bytes"].as_u64().unwrap() <= 1 << 20);
    }
}

#[test]
fn completions_and_man_pages_come_from_the_definitions() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(folder.ok(&["completions", shell]).contains("spell"), "{shell}");
    }
    folder.ok(&["man", "-o", "man"]);
    let page = String::from_utf8(folder.read("man/tamis-filter-build.1")).unwrap();
    assert!(page.contains("tamis\\-filter\\-build"), "{page}");
    assert!(page.contains("signatures"));
}
