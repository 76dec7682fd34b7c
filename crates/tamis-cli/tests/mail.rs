//! `tamis mail` as a person uses it.

mod common;

use common::{Folder, root};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A collection in which spam and ham have words of their own and many in common.
fn collection(folder: &Folder, training: usize, testing: usize) {
    for (class, words) in
        [("spam", ["winner", "pills", "claim"]), ("ham", ["meeting", "leek", "report"])]
    {
        for (part, count) in [("training", training), ("testing", testing)] {
            let path = folder.path().join("mail").join(class).join(part);
            std::fs::create_dir_all(&path).expect("a folder");
            for number in 0..count {
                let own = words[number % 3];
                let text = format!(
                    "FROM: sender{number}@example.org\nhello number{number}, about the {own} of day{}: \
                     {own} and {} please answer soon\n",
                    number % 17,
                    words[number / 3 % 3],
                );
                std::fs::write(path.join(format!("{number}.txt")), text).expect("written");
            }
        }
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn an_evaluation_tells_spam_from_ham_once_enough_was_learned() {
    let folder = Folder::new();
    collection(&folder, 400, 60);
    let out = folder.ok(&["mail", "eval", "--json", "--novel", "--table", "16", "mail"]);
    let found = json(&out);
    let number = |name: &str| found[name].as_f64().unwrap_or(f64::NAN);
    assert_eq!((&found["learned"]["spam"], &found["tested"]["ham"]), (&400.into(), &60.into()));
    assert!(number("spam_recall") > 0.9 && number("ham_lost") == 0.0, "{out}");
    assert!(number("one_minus_auc_percent") < 1.0 && number("expected_error") < 0.1, "{out}");
    assert_eq!(found["recall_at"]["0.001"], 1.0);
    let tested = |part: &str| found[part]["tested"]["spam"].as_u64().unwrap_or(0);
    assert_eq!(tested("novel") + tested("near_copies"), 60, "{out}");
    let text = folder.ok(&["mail", "eval", "--table", "16", "mail"]);
    assert!(text.contains("spam found") && text.contains("(1 - AUC) %"), "{text}");
    let online = json(&folder.ok(&["mail", "eval", "--online", "--json", "--table", "16", "mail"]));
    assert_eq!(online["tested"]["spam"], 460, "every message is judged before it is learned");
    assert!(online["one_minus_auc_percent"].as_f64().is_some_and(|auc| auc < 5.0), "{online}");
    // Words alone, and nothing but senders, of which each has sent one spam and one ham at most.
    let words =
        json(&folder.ok(&["mail", "eval", "--stages", "words", "--json", "--table", "16", "mail"]));
    let found_by = |found: &Value, stage: &str| {
        let stages = found["stages"].as_array().expect("stages");
        stages.iter().find(|other| other["stage"] == stage).expect("a stage")["found"].clone()
    };
    assert_eq!(found_by(&words, "sender"), 0);
    assert_eq!(found_by(&words, "words"), 60, "nothing else finds anything");
    let senders = json(
        &folder.ok(&["mail", "eval", "--stages", "sender", "--json", "--table", "16", "mail"]),
    );
    assert_eq!(found_by(&senders, "words"), 0);
    assert!(senders["one_minus_auc_percent"].as_f64().is_some_and(|auc| auc > 10.0), "{senders}");
}

#[test]
fn with_few_messages_it_is_not_sure_and_says_so() {
    let folder = Folder::new();
    collection(&folder, 14, 10);
    let found = json(&folder.ok(&["mail", "eval", "--json", "mail"]));
    assert_eq!((&found["ham_lost"], &found["unsure_ham"]), (&0.0.into(), &1.0.into()));
    assert_eq!(found["missing"], serde_json::json!({ "spam": 1, "ham": 1 }));
    let text = folder.ok(&["mail", "eval", "mail"]);
    assert!(text.contains("scores decide after 1 more spam and 1 more ham"), "{text}");
    // English, Portuguese and Dutch, plain and HTML: much is found, nothing is lost.
    let examples = root().join("examples/mail");
    let found = json(&folder.ok(&["mail", "eval", "--json", examples.to_str().expect("a path")]));
    assert_eq!(found["ham_lost"], 0.0, "{found}");
    assert!(found["spam_recall"].as_f64().is_some_and(|share| share >= 0.5), "{found}");
    assert!(found["one_minus_auc_percent"].as_f64().is_some_and(|auc| auc < 0.5), "{found}");
}

#[test]
fn the_report_s_method_knows_senders_shingles_and_likeness() {
    let folder = Folder::new();
    let write = |path: &str, text: &str| {
        let path = folder.path().join("mail").join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    };
    let long = "the best pills of the world are in the shop and you will be the one to have them";
    for number in 0..2 {
        write(
            &format!("spam/training/{number}"),
            &format!("FROM: shop@example.org\n{long} {number}\n"),
        );
    }
    write("ham/training/0", "FROM: anne@example.org\nthe leeks are in the garden\n");
    write(
        "spam/testing/sender",
        "FROM: shop@example.org\nthe weather of today is not the one of yesterday\n",
    );
    write("spam/testing/copy", &format!("FROM: new@example.org\n{long} again\n"));
    write("ham/testing/short", "FROM: anne@example.org\nleeks?\n");
    write(
        "ham/testing/long",
        "FROM: anne@example.org\nthe leeks of the garden are what we have for dinner\n",
    );
    let found = json(&folder.ok(&[
        "mail",
        "eval",
        "--method",
        "paper",
        "--threshold",
        "0.3",
        "--json",
        "mail",
    ]));
    assert_eq!(found["by_sender"], serde_json::json!({ "spam": 1, "ham": 0 }));
    assert_eq!(found["similar"], serde_json::json!({ "spam": 1, "ham": 0 }));
    assert_eq!(found["without_shingle"], serde_json::json!({ "spam": 0, "ham": 1 }));
    assert_eq!((&found["spam_recall"], &found["ham_lost"]), (&1.0.into(), &0.5.into()));
    let refused =
        folder.refused(&["mail", "eval", "--method", "paper", "--threshold", "1.5", "mail"]);
    assert!(refused.contains("between 0 and 1"), "{refused}");
}

#[test]
fn four_labels_are_told_apart() {
    let folder = Folder::new();
    let kinds = [
        ("primary", "dinner tomorrow at the house of anne bring the leeks"),
        ("social", "somebody has liked your picture and follows your page now"),
        ("promotions", "only this week all shoes for half the price in our shop"),
        ("spam", "winner claim your million dollars with this secret transfer"),
    ];
    for (label, text) in kinds {
        for (part, count) in [("training", 60), ("testing", 15)] {
            let path = folder.path().join("mail").join(part).join(label);
            std::fs::create_dir_all(&path).expect("a folder");
            for number in 0..count {
                let words: Vec<&str> = text.split(' ').collect();
                let some: Vec<&str> =
                    (0..6).map(|i| words[(number * 3 + i * 5) % words.len()]).collect();
                let text = format!(
                    "Subject: number {number}\n\n{} and day {}\n",
                    some.join(" "),
                    number % 7
                );
                std::fs::write(path.join(number.to_string()), text).expect("written");
            }
        }
    }
    let out = folder.ok(&["mail", "eval", "--table", "16", "--json", "mail"]);
    let found = json(&out);
    assert_eq!(
        found["labels"],
        serde_json::json!(["ham", "spam", "primary", "promotions", "social"])
    );
    for (place, row) in found["confusion"].as_array().expect("a matrix").iter().enumerate().skip(1)
    {
        let right = row[place].as_u64().expect("a number");
        assert!(right >= 14, "of 15 messages {right} are right: {out}");
    }
    let text = folder.ok(&["mail", "eval", "--table", "16", "mail"]);
    let matrix = text.lines().find(|line| line.starts_with("more probably")).expect("a matrix");
    assert!(matrix.contains("primary") && matrix.contains("promotions"), "{text}");
}

const SPAM: &str = "From: shop@spam.example\nSubject: winner\n\nclaim your million pills now dear winner of the great lottery in our shop with number";
const HAM: &str = "From: anne@home.example\nSubject: dinner\n\nthe leeks of the garden are ready for the dinner with all of us at home on day";

/// A store that knows enough to be sure.
fn taught(folder: &Folder) {
    for (label, text) in [("spam", SPAM), ("ham", HAM)] {
        let mailbox: String = (0..220)
            .map(|number| {
                let word = ["alpha", "beta", "gamma", "delta", "epsilon"][number % 5];
                format!(
                    "From x@y Thu Jan  1 00:00:00 2026\n{text} {number} {word} {}\n\n",
                    number * 7 % 31
                )
            })
            .collect();
        folder.file(&format!("{label}.mbox"), mailbox);
    }
    let ran = folder.run(&[
        "mail",
        "learn",
        "--store",
        "st",
        "--table",
        "18",
        "--seed",
        "1",
        "--spam",
        "spam.mbox",
        "--ham",
        "ham.mbox",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("440 learned, 0 moved, 0 known before"), "{}", ran.stderr);
}

#[test]
fn messages_are_learned_judged_and_explained() {
    let folder = Folder::new();
    taught(&folder);
    folder.file("new.eml", format!("{SPAM} 999 zeta\n"));
    folder.file("good.eml", format!("{HAM} 999 zeta\n"));
    let out = folder.ok(&["mail", "check", "--store", "st", "new.eml", "good.eml"]);
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!((lines[0][0], lines[0][1]), ("new.eml", "spam"), "{out}");
    assert_eq!((lines[1][0], lines[1][1]), ("good.eml", "ham"), "{out}");
    assert!(lines.iter().all(|line| line.len() == 4 && !line[3].is_empty()), "{out}");
    let found = json(&folder.ok(&["mail", "check", "--store", "st", "--json", "new.eml"]));
    assert_eq!(
        (&found["path"], &found["verdict"], &found["label"]),
        (&"new.eml".into(), &"spam".into(), &"spam".into())
    );
    assert!(found["probability"].as_f64().is_some_and(|p| p > 0.9 && p <= 1.0), "{found}");
    let reasons = found["reasons"].to_string();
    assert!(
        reasons.contains("like a message learned as spam") && reasons.contains("words: "),
        "{reasons}"
    );

    let story = folder.ok(&["mail", "explain", "--store", "st", "new.eml"]);
    for part in [
        "spam, 100.0 % probably spam",
        "sender shop@spam.example",
        "from this address: 220 spam, 0 other",
        "like a message learned as spam",
        "both have",
        "the 20 parts that weigh most",
        "it is spam because it is a near-copy of learned spam",
    ] {
        assert!(story.contains(part), "no {part:?} in {story}");
    }
    // A shingle that is shown is in the message.
    let shown =
        story.lines().find_map(|line| line.trim().strip_prefix("both have \"")).expect("a shingle");
    let shingle = shown.split('"').next().expect("a shingle");
    assert_eq!(shingle.split(' ').count(), 3, "{shingle}");
    assert!(SPAM.contains(shingle), "{shingle}");

    let strange =
        folder.pipe(&["mail", "check", "--store", "st", "--stages", "words"], b"zzz yyy xxx\n");
    assert!(strange.stdout.contains("unsure"), "{}", strange.stdout);
}

#[test]
fn other_filters_exit_codes_are_spoken() {
    let folder = Folder::new();
    taught(&folder);
    let (spam, ham) = (format!("{SPAM} 5 x\n"), format!("{HAM} 5 x\n"));
    for (text, bogofilter, spamc) in [(spam.as_str(), 0, 1), (&ham, 1, 0), ("zzz yyy xxx\n", 2, 0)]
    {
        let code = |dialect| {
            let arguments =
                ["mail", "check", "--store", "st", "--stages", "words", "--exit", dialect];
            folder.pipe(&arguments, text.as_bytes()).code
        };
        assert_eq!((code("bogofilter"), code("spamc")), (bogofilter, spamc), "{text}");
    }
    let error =
        |dialect| folder.run(&["mail", "check", "--store", "nowhere", "--exit", dialect]).code;
    assert_eq!((error("bogofilter"), error("spamc")), (3, 74));
}

#[test]
fn what_was_taught_by_mistake_is_taken_back() {
    let folder = Folder::new();
    taught(&folder);
    folder.file(
        "odd.eml",
        "Subject: odd\n\nsomething quite different from all the others is said here today\n",
    );
    let before = folder.ok(&["mail", "check", "--store", "st", "odd.eml"]);
    let learn = |label: &str| {
        folder.run(&["mail", "learn", "--store", "st", "--label", label, "odd.eml"]).stderr
    };
    assert!(learn("spam").starts_with("1 learned, 0 moved, 0 known before; the store knows 441"));
    assert!(learn("spam").starts_with("0 learned, 0 moved, 1 known before"));
    assert_ne!(folder.ok(&["mail", "check", "--store", "st", "odd.eml"]), before);
    assert!(learn("ham").starts_with("0 learned, 1 moved, 0 known before"));
    assert_eq!(folder.run(&["mail", "forget", "--store", "st", "odd.eml"]).code, 0);
    assert_eq!(folder.ok(&["mail", "check", "--store", "st", "odd.eml"]), before, "as it was");
    assert_eq!(folder.run(&["mail", "forget", "--store", "st", "odd.eml"]).code, 1, "not known");
    assert_eq!(folder.ok(&["mail", "store", "verify", "--store", "st"]), "sound: 440 messages\n");
    // A label of one's own, on the fly.
    assert!(learn("social").starts_with("1 learned"));
    let info = folder.ok(&["mail", "store", "info", "--store", "st"]);
    assert!(info.contains("social      1 message\n"), "{info}");
    folder.ok(&["mail", "store", "verify", "--store", "st"]);
    let rebuilt = folder.run(&["mail", "rebuild", "--store", "st"]);
    assert!(rebuilt.stderr.contains("rebuilt from 441 messages"), "{}", rebuilt.stderr);
    folder.ok(&["mail", "store", "verify", "--store", "st"]);
    // To another place and back.
    folder.ok(&["mail", "store", "export", "--store", "st", "-o", "all.jsonl.zst"]);
    folder.ok(&["mail", "store", "import", "--store", "copy", "all.jsonl.zst"]);
    let check = |store| folder.ok(&["mail", "check", "--store", store, "--json", "odd.eml"]);
    assert_eq!(check("st"), check("copy"));
    let expired = folder.run(&["mail", "expire", "--store", "copy", "--older-than", "1d"]);
    assert!(expired.stderr.contains("0 expired, 441 left"), "{}", expired.stderr);
}

#[test]
fn users_have_stores_of_their_own() {
    let folder = Folder::new();
    folder.file("a.eml", SPAM);
    for user in ["anne", "bob@example.org"] {
        folder.ok(&[
            "mail", "learn", "--store", "root", "--user", user, "--table", "10", "--spam", "a.eml",
        ]);
        assert!(folder.path().join("root").join(user).join("tables.tamis").exists());
    }
    // The name of a user is the same however it is written.
    let again = folder.run(&[
        "mail",
        "learn",
        "--store",
        "root",
        "--user",
        "Bob+x@Example.org",
        "--spam",
        "a.eml",
    ]);
    assert!(again.stderr.contains("1 known before"), "{}", again.stderr);
    for user in ["../anne", "", ".", "..", "a/b", ".hidden", "a\nb"] {
        let refused =
            folder.refused(&["mail", "check", "--store", "root", "--user", user, "a.eml"]);
        assert!(refused.contains("is no name of a user"), "{refused}");
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = Folder::new();
    folder.file("a.eml", SPAM);
    folder.file("empty.eml", "");
    std::fs::create_dir(folder.path().join("other")).expect("a folder");
    folder.file("other/file", "x");
    let refused = |arguments: &[&str]| folder.refused(arguments);
    assert!(refused(&["mail", "check", "--store", "nowhere", "a.eml"]).contains("no mail store"));
    assert!(refused(&["mail", "learn", "--store", "st"]).contains("nothing to learn"));
    assert!(
        refused(&["mail", "learn", "--store", "other", "--spam", "a.eml"]).contains("not empty")
    );
    assert!(refused(&["mail", "learn", "--store", "st", "--spam", "nowhere"]).contains("nowhere"));
    assert!(
        refused(&["mail", "learn", "--store", "st", "--label", "a/b", "a.eml"])
            .contains("cannot be a label")
    );
    assert!(refused(&["mail", "expire", "--store", "st", "--older-than", "soon"]).contains("365d"));
    // A damaged store is not learned into.
    folder.ok(&["mail", "learn", "--store", "st", "--table", "10", "--spam", "a.eml", "empty.eml"]);
    let tables = folder.path().join("st/tables.tamis");
    let mut bytes = std::fs::read(&tables).expect("tables");
    bytes[60] ^= 1;
    std::fs::write(&tables, &bytes).expect("written");
    for command in ["check", "forget"] {
        let sentence = refused(&["mail", command, "--store", "st", "a.eml"]);
        assert!(sentence.contains("checksum") && sentence.contains("tables.tamis"), "{sentence}");
    }
    // Who has asked for a store is not told how to make filters.
    std::fs::write(&tables, "something else").expect("written");
    let sentence = refused(&["mail", "check", "--store", "st", "a.eml"]);
    assert!(sentence.contains("tables.tamis is damaged"), "{sentence}");
    assert!(!sentence.contains("hint:"), "{sentence}");
    folder.file("bad.jsonl", "{}\n");
    assert!(
        refused(&["mail", "store", "import", "--store", "new", "bad.jsonl"])
            .contains("line 1 of the export")
    );
}

#[test]
fn hostile_messages_get_a_verdict_and_steer_no_terminal() {
    let folder = Folder::new();
    taught(&folder);
    let deep: String = (0..1000)
        .map(|level| format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"))
        .collect();
    folder.file("deep.eml", deep);
    folder.file("line.eml", [b"Subject: long\n\n".as_slice(), &vec![b'x'; 50 << 20]].concat());
    folder.file("nul.eml", b"Subject: \0\0\n\n\0\0\0\n");
    folder.file("charset.eml", b"Content-Type: text/plain; charset=nonsense\n\n\xff\xfe\xfd\n");
    folder.file("cut.eml", "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Transfer-Encoding: base64\n\nAAA");
    folder.file(
        "bidi.eml",
        format!("Subject: \u{202e}evil\u{1b}[31m\n\n\u{202e}winner\u{1b}[2J claim {SPAM}\n"),
    );
    let names = ["deep.eml", "line.eml", "nul.eml", "charset.eml", "cut.eml", "bidi.eml"];
    let mut arguments = vec!["mail", "check", "--store", "st"];
    arguments.extend(names);
    let out = folder.ok(&arguments);
    assert_eq!(out.lines().count(), names.len(), "{out}");
    let story = folder.ok(&["mail", "explain", "--store", "st", "bidi.eml"]);
    for text in [&out, &story] {
        assert!(!text.contains(['\u{202e}', '\u{1b}']), "{text}");
    }
}

#[test]
fn what_is_no_collection_is_refused() {
    let folder = Folder::new();
    assert!(folder.refused(&["mail", "eval", "."]).contains("spam/training"));
    collection(&folder, 2, 2);
    assert!(
        folder.refused(&["mail", "eval", "--ham-lost", "2", "mail"]).contains("between 0 and 50 %")
    );
}

#[test]
fn a_pipe_marks_mail_and_loses_none() {
    let folder = Folder::new();
    taught(&folder);
    let kept = format!("{SPAM} 5 x\n");
    let raw = format!("X-Tamis-Verdict: forged\n{kept}");
    let pipe = |arguments: &[&str]| {
        let all = [&["mail", "filter"][..], arguments].concat();
        folder.pipe(&all, raw.as_bytes())
    };
    let marked = pipe(&["--store", "st"]);
    assert_eq!(marked.code, 0, "{}", marked.stderr);
    assert!(
        marked.stdout.starts_with("X-Tamis-Verdict: spam\nX-Tamis-Score: "),
        "{}",
        marked.stdout
    );
    assert!(marked.stdout.ends_with(&kept), "{}", marked.stdout);
    assert!(!marked.stdout.contains("forged"));
    assert_eq!(pipe(&["--store", "st", "--exit", "bogofilter"]).code, 0);
    assert_eq!(pipe(&["--store", "st", "--exit", "spamc"]).code, 1);
    // Without a verdict it comes out as it went in.
    for (exit, code) in [(&[][..], 2), (&["--exit", "bogofilter"], 3), (&["--exit", "spamc"], 74)] {
        let failed = pipe(&[&["--store", "nowhere"], exit].concat());
        assert_eq!(
            (failed.code, failed.stdout.as_str()),
            (code, raw.as_str()),
            "{}",
            failed.stderr
        );
        assert!(failed.stderr.starts_with("error: "), "{}", failed.stderr);
    }
}

/// A person's mail reader moves files of a Maildir; `tamis mail watch` is told by the system.
#[test]
fn watching_a_maildir_learns_what_is_moved() {
    let folder = Folder::new();
    for name in ["", ".Junk", ".Trash"] {
        for part in ["cur", "new", "tmp"] {
            std::fs::create_dir_all(folder.path().join("Maildir").join(name).join(part))
                .expect("a folder");
        }
    }
    folder.file("other.eml", HAM);
    folder.ok(&["mail", "learn", "--store", "mail.store", "--quiet", "--ham", "other.eml"]);
    folder.file("Maildir/cur/1:2,S", SPAM);
    struct Ended(Child);
    impl Drop for Ended {
        fn drop(&mut self) {
            self.0.kill().ok();
            self.0.wait().ok();
        }
    }
    let child = Command::new(env!("CARGO_BIN_EXE_tamis"))
        .args(["mail", "watch", "--store", "mail.store", "Maildir"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("tamis starts");
    let mut child = Ended(child);
    let mut lines = BufReader::new(child.0.stdout.take().expect("standard output")).lines();
    let mut next = || lines.next().expect("a line").expect("a line");
    assert_eq!(next(), "watching Maildir");
    let rename = |from: &str, to: &str| {
        let at = |path: &str| folder.path().join("Maildir").join(path);
        std::fs::rename(at(from), at(to)).expect("moved");
    };
    rename("cur/1:2,S", ".Junk/cur/1:2,S");
    assert!(next().ends_with("moved to junk, learned as spam"));
    rename(".Junk/cur/1:2,S", "cur/1:2,S");
    assert!(next().ends_with("moved back, learned as ham"));
    let known = folder.ok(&[
        "mail",
        "learn",
        "--store",
        "mail.store",
        "--verbose",
        "--ham",
        "Maildir/cur/1:2,S",
    ]);
    assert!(known.contains("known as ham"), "{known}");
    let refused = folder.refused(&["mail", "watch", "--store", "mail.store", "nowhere"]);
    assert!(refused.contains("nowhere"), "{refused}");
}
