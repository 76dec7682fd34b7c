//! Labels: what they change, and what they never change.

use crate::common::{BITS, copy, create, judge, learner, message, open, tables};
use std::path::Path;
use tamis_mail::Error;
use tamis_mail::filter::{MAX_LABELS, Verdict};
use tamis_mail::store::{Change, Learner, Settings, Store};

/// A message about one subject: class and number choose its words.
fn about(class: &str, number: usize) -> Vec<u8> {
    let (a, b, c) = (number % 7, number % 11, number % 13);
    format!(
        "From: {class}{a}@example.org\nSubject: {class}\n\n\
         {class} {class}{a} {class}{b} and the {class}{c} of today with all the others, please\n"
    )
    .into()
}

/// A store that tells leeks (spam) from turnips (ham).
fn vegetables(folder: &Path) {
    let mut learner = Learner::create(folder, 16, 7, Settings::default()).expect("a store");
    for number in 0..200 {
        learner.learn(&about("leek", number), "spam", 1).expect("learned");
        learner.learn(&about("turnip", number), "ham", 1).expect("learned");
    }
    learner.close().expect("closed");
}

fn teach(folder: &Path, label: &str, count: usize) {
    let mut learner = learner(folder);
    for number in 0..count {
        learner.learn(&about("carrot", number), label, 1).expect("learned");
    }
    learner.close().expect("closed");
}

/// Score, probability, copy and spam of a message, bit for bit.
type SpamSide = (u64, u64, bool, bool);

/// All that is said about spam of some messages, bit for bit, and the verdicts.
fn spam_side(store: &Store) -> (Vec<SpamSide>, Vec<String>) {
    let messages = ["leek", "turnip", "carrot", "celery"]
        .into_iter()
        .flat_map(|class| (480..500).map(move |number| about(class, number)));
    messages
        .map(|raw| {
            let found = judge(store, &raw);
            let verdict = store.filter().verdict(found.verdict).to_owned();
            let (score, probability) = (found.score.to_bits(), found.probability.to_bits());
            ((score, probability, found.is_copy, found.verdict.is_spam()), verdict)
        })
        .unzip()
}

/// What holds exactly: a message learned under a label of one's own says the same about spam as the
/// same message learned as ham, at the same time, bit for bit: score, probability and verdict. The
/// label only names what is not spam.
#[test]
fn a_new_label_never_changes_what_is_spam() {
    let folder = tempfile::tempdir().expect("a folder");
    let [plain, labelled] = ["plain", "labelled"].map(|name| folder.path().join(name));
    vegetables(&plain);
    copy(&plain, &labelled);
    for count in [1, 10, 50, 150] {
        teach(&plain, "ham", count);
        teach(&labelled, "social", count);
        let ((left, hams), (right, named)) =
            (spam_side(&open(&plain)), spam_side(&open(&labelled)));
        assert_eq!(left, right, "{count} messages");
        for (ham, named) in hams.iter().zip(&named) {
            assert!(named == ham || (ham == "ham" && named == "social"), "{ham} became {named}");
        }
    }
    let named = spam_side(&open(&labelled)).1;
    assert_eq!(&named[..20], ["spam"; 20], "leeks");
    assert_eq!(&named[20..40], ["ham"; 20], "turnips");
    assert_eq!(&named[40..60], ["social"; 20], "carrots");
}

#[test]
fn a_removed_label_leaves_its_messages_as_ham() {
    let folder = tempfile::tempdir().expect("a folder");
    let [plain, labelled] = ["plain", "labelled"].map(|name| folder.path().join(name));
    vegetables(&plain);
    copy(&plain, &labelled);
    teach(&plain, "ham", 30);
    teach(&labelled, "social", 30);
    let mut learning = learner(&labelled);
    assert_eq!(learning.remove_label("social").expect("removed"), 30);
    learning.close().expect("closed");
    let (plain, labelled_store) = (open(&plain), open(&labelled));
    assert_eq!(tables(plain.filter()), tables(labelled_store.filter()), "as if learned as ham");
    assert_eq!(spam_side(&plain), spam_side(&labelled_store));
    assert_eq!(plain.info().expect("info").labels, labelled_store.info().expect("info").labels);
    labelled_store.verify().expect("sound");
    // The messages can still be moved and forgotten, and the next label has the number.
    let mut learning = learner(&labelled);
    let change = learning.learn(&about("carrot", 0), "promotions", 2).expect("learned");
    assert_eq!(change, Change::Moved { from: "ham".to_owned() });
    assert_eq!(learning.filter().label("promotions"), Some(2));
    assert_eq!(learning.filter().labels().len(), 1, "no more numbers than labels");
    assert!(learning.forget(&about("carrot", 1)).expect("forgotten"));
    learning.rebuild(|_| ()).expect("rebuilt");
    let store = open(&labelled);
    assert_eq!(store.verify().expect("sound"), 429);
    let labels = store.info().expect("info").labels;
    assert_eq!(labels.last(), Some(&("promotions".to_owned(), 1)));
}

#[test]
fn a_renamed_label_keeps_its_messages() {
    let folder = tempfile::tempdir().expect("a folder");
    vegetables(folder.path());
    teach(folder.path(), "social", 30);
    let before = spam_side(&open(folder.path()));
    let mut learning = learner(folder.path());
    learning.rename_label("social", "friends").expect("renamed");
    learning.close().expect("closed");
    let store = open(folder.path());
    let after = spam_side(&store);
    assert_eq!(before.0, after.0);
    let renamed = |name: &String| name.replace("social", "friends");
    assert_eq!(before.1.iter().map(renamed).collect::<Vec<_>>(), after.1);
    assert_eq!(store.verify().expect("sound"), 430);
    let mut learning = learner(folder.path());
    let change = learning.learn(&about("carrot", 0), "friends", 9).expect("learned");
    assert_eq!(change, Change::Known);
}

#[test]
fn names_that_mean_a_verdict_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut learning = create(folder.path());
    learning.learn(&message(1), "social", 0).expect("learned");
    for name in ["", "a b", "a/b", "unsure", "Unsure", "HAM", "unknown", "none", &"x".repeat(65)] {
        let refused = learning.learn(&message(2), name, 0);
        assert!(matches!(refused, Err(Error::Label { .. })), "{name:?}");
        let refused = learning.rename_label("social", name);
        assert!(matches!(refused, Err(Error::Label { .. })), "{name:?}");
    }
    for (from, to) in [("social", "spam"), ("social", "ham"), ("social", "social")] {
        let refused = learning.rename_label(from, to);
        assert!(matches!(refused, Err(Error::Label { .. })), "{from} to {to}");
    }
    for name in ["ham", "spam", "nobody"] {
        assert!(matches!(learning.rename_label(name, "other"), Err(Error::NoLabel { .. })));
        assert!(matches!(learning.remove_label(name), Err(Error::NoLabel { .. })));
    }
    learning.close().expect("closed");
    let store = open(folder.path());
    let labels = [("ham", 0), ("spam", 0), ("social", 1)].map(|(name, n)| (name.to_owned(), n));
    assert_eq!(store.info().expect("info").labels, labels, "a refused name leaves no trace");
}

#[test]
fn there_are_at_most_64_labels_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut learning = create(folder.path());
    for number in 2..MAX_LABELS {
        let label = format!("label{number}");
        learning.learn(&message(number), &label, 0).expect("learned");
    }
    let refused = learning.learn(&message(1000), "another", 0);
    assert!(matches!(refused, Err(Error::TooManyLabels { .. })));
    learning.remove_label("label9").expect("removed");
    learning.learn(&message(1000), "another", 0).expect("a number is free");
    assert_eq!(learning.filter().label("another"), Some(9));
    learning.close().expect("closed");
    assert_eq!(open(folder.path()).verify().expect("sound"), MAX_LABELS - 1);
}

/// The counts of a label are undone exactly, whatever the others have.
#[test]
fn forgetting_the_messages_of_a_label_leaves_its_table_empty() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut learning =
        Learner::create(folder.path(), BITS, 3, Settings::default()).expect("a store");
    for number in 0..60 {
        learning
            .learn(&message(number), ["social", "ham", "shops"][number % 3], 0)
            .expect("learned");
    }
    for number in (0..60).step_by(3).rev() {
        assert!(learning.forget(&message(number)).expect("forgotten"));
    }
    let [social, shops] = learning.filter().labels() else { panic!("two labels") };
    assert!(social.cells().is_blank());
    assert_eq!(social.totals(), Default::default());
    assert_eq!(shops.totals().messages, 20);
    assert!(shops.cells().to_vec().iter().any(|cell| *cell > 0));
    let store = {
        learning.close().expect("closed");
        open(folder.path())
    };
    assert!(!matches!(judge(&store, &message(0)).verdict, Verdict::Label(2)));
}
