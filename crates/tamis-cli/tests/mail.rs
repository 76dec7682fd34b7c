//! `tamis mail` as a person uses it.

mod common;

use common::Folder;

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

#[test]
fn an_evaluation_tells_spam_from_ham_once_enough_was_learned() {
    let folder = Folder::new();
    collection(&folder, 1100, 60);
    let out = folder.ok(&["mail", "eval", "--json", "--table", "16", "mail"]);
    let found: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let number = |name: &str| found[name].as_f64().unwrap_or(f64::NAN);
    assert_eq!((&found["learned"]["spam"], &found["tested"]["ham"]), (&1100.into(), &60.into()));
    assert!(number("spam_recall") > 0.9 && number("ham_lost") == 0.0, "{out}");
    assert!(number("one_minus_auc_percent") < 1.0 && number("expected_error") < 0.1, "{out}");
    assert_eq!(found["recall_at"]["0.001"], 1.0);
    let text = folder.ok(&["mail", "eval", "--table", "16", "mail"]);
    assert!(text.contains("spam found") && text.contains("(1 - AUC) %"), "{text}");
}

#[test]
fn with_few_messages_it_is_not_sure() {
    let folder = Folder::new();
    collection(&folder, 20, 10);
    let out = folder.ok(&["mail", "eval", "--json", "mail"]);
    let found: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&found["unsure_spam"], &found["unsure_ham"]), (&1.0.into(), &1.0.into()));
    assert_eq!(found["missing_ham"], 980);
    // The ranking is there long before the verdicts: English, Portuguese and Dutch, plain and HTML.
    let examples = common::root().join("examples/mail");
    let text = folder.ok(&["mail", "eval", examples.to_str().expect("a path")]);
    assert!(text.contains("until 988 more ham messages are learned"), "{text}");
    assert!(text.contains("(1 - AUC) %           0.0000"), "{text}");
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
