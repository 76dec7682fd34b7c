//! `verify` beside a process that learns, and what it finds.

use crate::common::{LABELS, create, learner, message, open};
use std::sync::atomic::{AtomicBool, Ordering};
use tamis_mail::store::Store;

/// A store is verified as it was when it was opened.
#[test]
fn a_store_is_sound_while_another_process_learns() {
    let folder = tempfile::tempdir().expect("a folder");
    create(folder.path()).close().expect("closed");
    let mut learning = learner(folder.path());
    learning.learn(&message(0), "spam", 0).expect("learned");
    learning.commit().expect("committed");
    let early = open(folder.path());
    for number in 1..700 {
        learning.learn(&message(number), LABELS[number % 4], 0).expect("learned");
    }
    learning.remove_label("social").expect("removed");
    assert!(learning.forget(&message(0)).expect("forgotten"));
    learning.commit().expect("committed");
    assert_eq!(early.verify().expect("sound"), 1, "records that came later do not count");
    assert_eq!(early.info().expect("info").labels[1], ("spam".to_owned(), 1));
    learning.rebuild(|_| ()).expect("rebuilt");
    assert_eq!(early.verify().expect("sound"), 1, "its files are gone from the folder only");
    assert_eq!(open(folder.path()).verify().expect("sound"), 699);
}

#[test]
fn readers_and_a_learner_at_once_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    create(folder.path()).close().expect("closed");
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut verified = 0;
            while !is_done.load(Ordering::Relaxed) || verified == 0 {
                let store = Store::open(folder.path()).expect("a store");
                store.verify().expect("sound");
                verified += 1;
            }
            verified
        });
        for round in 0..12 {
            let mut learning = learner(folder.path());
            for number in 0..60 {
                let number = round * 40 + number;
                learning.learn(&message(number), LABELS[number % 4], 0).expect("learned");
                if number % 9 == 0 {
                    learning.commit().expect("committed");
                }
            }
            match round % 4 {
                3 => learning.rebuild(|_| ()).expect("rebuilt"),
                _ => learning.close().expect("closed"),
            }
        }
        is_done.store(true, Ordering::Relaxed);
        assert!(reader.join().expect("the reader") > 0);
    });
}

/// Replaces a text in the settings by another one of the same length, with sound checksums.
fn change_settings(tables: &std::path::Path, change: impl Fn(&str) -> Option<String>) {
    use tamis::codec::{File, Header, Parameters};
    let bytes = std::fs::read(tables).expect("tables");
    let file = File::open(&bytes).expect("sound");
    let content = file.content();
    let end = content.iter().position(|byte| *byte == 0).expect("the end of the settings");
    let settings = std::str::from_utf8(&content[..end]).expect("JSON");
    let changed = change(settings).expect("there is something to change");
    assert_eq!(changed.len(), end);
    let parameters = Parameters::new().bytes(&bytes[56..112]);
    let keys = tamis::hash::KeyKinds::NONE;
    let (kind, hash, items) = (file.kind(), file.hash(), file.items());
    let header = Header { kind, hash, keys, items, parameters };
    let mut out = Vec::new();
    header.write(&mut out, &[&[changed.as_bytes(), &content[end..]].concat()]).expect("written");
    std::fs::write(tables, out).expect("written");
}

/// The file with a digit of a number in its settings changed.
fn other_digit(settings: &str, name: &str) -> Option<String> {
    let at = settings.find(&format!("\"{name}\":"))? + name.len() + 3;
    let digit = at + settings[at..].find(|c: char| ('1'..='8').contains(&c))?;
    let next = (settings.as_bytes()[digit] + 1) as char;
    Some(format!("{}{next}{}", &settings[..digit], &settings[digit + 1..]))
}

#[test]
fn cuts_that_are_not_those_of_the_scores_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut learning = create(folder.path());
    for number in 0..400 {
        learning.learn(&message(number), LABELS[number % 2], 0).expect("learned");
    }
    learning.close().expect("closed");
    let tables = folder.path().join("tables.tamis");
    let whole = std::fs::read(&tables).expect("tables");
    change_settings(&tables, |settings| Some(settings.to_owned()));
    assert_eq!(std::fs::read(&tables).expect("tables"), whole, "the change alone is what differs");
    for (name, what) in [("above", "cuts"), ("slope", "cuts"), ("spam_mass", "tables")] {
        std::fs::write(&tables, &whole).expect("written");
        change_settings(&tables, |settings| other_digit(settings, name));
        let found = open(folder.path()).verify().expect_err("damage").to_string();
        assert!(found.contains(&format!("the {what} are not those of the journal")), "{found}");
    }
    // Cuts by other rules are not wrong: a later version may set them otherwise.
    std::fs::write(&tables, &whole).expect("written");
    change_settings(&tables, |settings| other_digit(settings, "rules"));
    change_settings(&tables, |settings| other_digit(settings, "above"));
    assert_eq!(open(folder.path()).verify().expect("sound"), 400);
}
