//! `tamis mail eval --stream`: an index replayed in its own order.

mod common;

use common::Folder;
use serde_json::Value;

/// Writes `count` messages below `data/` and an index of them: two spam, then one ham.
fn stream(folder: &Folder, count: usize, line: impl Fn(usize, &str) -> String) {
    for name in ["data", "full"] {
        std::fs::create_dir_all(folder.path().join(name)).expect("a folder");
    }
    let mut index = "# in the order of arrival\n".to_owned();
    for number in 0..count {
        let (label, words) = match number % 3 {
            2 => ("ham", ["meeting", "leek", "report"]),
            _ => ("spam", ["winner", "pills", "claim"]),
        };
        let own = words[number % 7 % 3];
        let text = format!(
            "From: sender{number}@example.org\nSubject: about {own}\n\n\
             hello number{number}, the {own} of day{}: {own} and {} please answer soon\n",
            number % 17,
            words[number / 3 % 3],
        );
        folder.file(&format!("data/{number}"), text);
        index += &line(number, label);
    }
    folder.file("full/index", index);
}

fn plain(number: usize, label: &str) -> String {
    format!("{label} ../data/{number}\n")
}

/// Runs an evaluation of `full/index` with these options.
fn eval(folder: &Folder, options: &[&str]) -> Value {
    let all = ["mail", "eval", "--json", "--table", "14", "--stream", "full/index"];
    let text = folder.ok(&[&all, options].concat());
    serde_json::from_str(&text).expect("JSON")
}

fn number(found: &Value, name: &str) -> f64 {
    found[name].as_f64().unwrap_or(f64::NAN)
}

#[test]
fn every_message_is_judged_before_it_is_learned() {
    let folder = Folder::new();
    stream(&folder, 1500, plain);
    let found = eval(&folder, &[]);
    assert_eq!((&found["tested"]["spam"], &found["tested"]["ham"]), (&1000.into(), &500.into()));
    assert_eq!((&found["learned"]["spam"], &found["learned"]["ham"]), (&1000.into(), &500.into()));
    assert!(number(&found, "one_minus_auc_percent") < 2.0, "{found}");
    assert!(number(&found, "spam_recall") > 0.5 && number(&found, "ham_lost") < 0.01, "{found}");
    let stretches = found["stretches"].as_array().expect("stretches");
    let ends: Vec<_> = stretches.iter().filter_map(|stretch| stretch["to"].as_u64()).collect();
    assert_eq!(ends, (1..=10).map(|tenth| 150 * tenth).collect::<Vec<_>>());
    // The first verdicts were given by a filter that had learned nothing.
    let recall = |tenth: usize| number(&stretches[tenth], "spam_recall");
    assert!(recall(0) < recall(9), "{found}");
    let text = folder.ok(&["mail", "eval", "--table", "14", "--stream", "full/index"]);
    assert!(text.contains("1,351 to 1,500") && !text.contains("moved"), "{text}");
}

#[test]
fn feedback_can_be_delayed_partial_or_left_to_a_split() {
    let folder = Folder::new();
    stream(&folder, 600, plain);
    let learned = |options: &[&str]| {
        let found = eval(&folder, options);
        let of = |part: &str, label: &str| found[part][label].as_u64().unwrap_or(0);
        let sum = |part: &str| of(part, "spam") + of(part, "ham");
        (sum("learned"), sum("tested"))
    };
    assert_eq!(learned(&["--feedback", "delayed:450"]), (150, 600));
    let (some, all) = learned(&["--feedback", "partial:50%"]);
    // Binomial: the standard deviation is 12.
    assert!(some.abs_diff(300) < 60 && all == 600, "{some} of {all}");
    assert_eq!(learned(&["--learn", "450"]), (450, 150));
    assert_eq!(learned(&["--learn", "450", "--from", "501", "--to", "520"]), (450, 20));
    assert_eq!(learned(&["--draw", "30+0", "--to", "300", "--seed", "7"]), (30, 270));
}

#[test]
fn labels_in_capitals_are_judged_and_never_learned() {
    let folder = Folder::new();
    stream(&folder, 300, |number, label| match number {
        0..100 => plain(number, label),
        100..200 => plain(number, &label.to_uppercase()),
        _ => plain(number, if label == "ham" { "Ham" } else { "Spam" }),
    });
    let found = eval(&folder, &[]);
    assert_eq!((&found["learned"]["spam"], &found["learned"]["ham"]), (&67.into(), &33.into()));
    assert_eq!((&found["tested"]["spam"], &found["tested"]["ham"]), (&200.into(), &100.into()));
}

#[test]
fn paths_of_another_machine_are_found_and_counted() {
    let folder = Folder::new();
    stream(&folder, 30, |number, label| match number {
        0 => plain(number, label),
        _ => format!("{label} ../archive/mail/data/{number}\n"),
    });
    assert_eq!(eval(&folder, &[])["moved_paths"], 29);
    let text = folder.ok(&["mail", "eval", "--table", "14", "--stream", "full/index"]);
    assert!(text.contains("29 paths found below another folder"), "{text}");
}

#[test]
fn a_missing_message_is_an_error_with_file_and_line() {
    let folder = Folder::new();
    stream(&folder, 30, |number, label| plain(if number == 20 { 99 } else { number }, label));
    let all = ["mail", "eval", "--stream", "full/index"];
    let said = folder.refused(&all);
    assert!(said.contains("full/index, line 22: there is no message ../data/99"), "{said}");
    let before: Value =
        serde_json::from_str(&folder.ok(&[&all[..], &["--to", "20", "--json"]].concat()))
            .expect("JSON");
    assert_eq!(before["tested"]["spam"], 14);
}

#[test]
fn options_of_a_stream_do_not_go_with_a_collection_or_each_other() {
    let folder = Folder::new();
    stream(&folder, 30, plain);
    for options in [
        ["--learn", "3", "mail"].as_slice(),
        &["--stream", "full/index", "--draw", "1+1", "--learn", "3"],
        &["--stream", "full/index", "--feedback", "soon"],
        &["--stream", "full/index", "--draw", "21+0"],
        &["--stream", "full/index", "--from", "31"],
        &["--stream", "full/index", "mail"],
    ] {
        folder.refused(&[&["mail", "eval"], options].concat());
    }
}
