//! A store of version 2 is read, and written in this version when it learns.

use crate::common::{copy, judge, learner, open, tables};
use std::path::{Path, PathBuf};
use tamis_mail::mailbox::for_each_message;
use tamis_mail::store::{Change, OWNER};

const MESSAGES: usize = 24;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn messages() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for_each_message(&[golden("mail")], |_, raw| -> tamis_mail::Result<()> {
        all.push(raw.to_vec());
        Ok(())
    })
    .expect("messages");
    all
}

#[test]
fn it_says_the_same_before_and_after() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    copy(&golden("store-2"), &path);
    let before = open(&path);
    learner(&path).close().expect("closed");
    let names = ["journal-2.log", "journal-3.log", "seed"].map(|name| path.join(name).exists());
    assert_eq!(names, [false, true, true]);
    let after = open(&path);
    assert_eq!(tables(before.filter()), tables(after.filter()));
    assert_eq!(before.filter().cuts(), after.filter().cuts());
    for raw in messages() {
        assert_eq!(judge(&before, &raw), judge(&after, &raw));
    }
    assert_eq!(after.verify().expect("sound"), MESSAGES);
    let (old, new) = (before.info().expect("info"), after.info().expect("info"));
    assert_eq!((&old.labels, old.times), (&new.labels, new.times));
    assert_eq!(new.teachers, [(OWNER.to_owned(), MESSAGES)]);
    // Nothing of the seed is left in the other files.
    let seed = 2026u64.to_le_bytes();
    for name in ["tables.tamis", "journal-3.log"] {
        let bytes = std::fs::read(path.join(name)).expect("a file");
        assert!(!bytes.windows(8).any(|window| window == seed), "{name}");
    }
    // Its lessons can be taken back, bit for bit.
    let mut learning = learner(&path);
    for raw in messages() {
        assert_eq!(learning.learn(&raw, "spam", 1).map(|change| change == Change::Known).ok(), {
            Some(learning.taught(&raw) == Some(("spam", OWNER)) && is_spam(&before, &raw))
        });
        assert!(learning.forget(&raw).expect("forgotten"));
    }
    assert!(crate::common::is_blank(learning.filter()));
}

fn is_spam(store: &tamis_mail::store::Store, raw: &[u8]) -> bool {
    judge(store, raw).verdict.is_spam()
}

/// A process that is killed meanwhile leaves the old store or the new one.
#[test]
fn a_kill_in_between_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let [path, whole] = ["store", "whole"].map(|name| folder.path().join(name));
    copy(&golden("store-2"), &path);
    copy(&golden("store-2"), &whole);
    learner(&whole).close().expect("closed");
    let journal = std::fs::read(whole.join("journal-3.log")).expect("a journal");
    std::fs::copy(whole.join("seed"), path.join("seed")).expect("copied");
    for part in 0..=8 {
        std::fs::write(path.join("journal-3.log"), &journal[..journal.len() * part / 8]).unwrap();
        assert_eq!(open(&path).verify().expect("sound"), MESSAGES);
        let again = folder.path().join(format!("again{part}"));
        copy(&path, &again);
        learner(&again).close().expect("closed");
        assert_eq!(open(&again).verify().expect("sound"), MESSAGES);
    }
}
