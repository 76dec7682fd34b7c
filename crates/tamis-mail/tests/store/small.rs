//! A store takes the space of what it has learned, and says the same as one with whole tables.

use crate::common::{LABELS, create, judge, learner, message, open, size};
use tamis_mail::store::{Learner, Settings};

#[test]
fn a_store_with_five_messages_has_kilobytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut learning = Learner::create(folder.path(), 20, 7, Settings::default()).expect("a store");
    for number in 0..5 {
        learning.learn(&message(number), LABELS[number % 2], 0).expect("learned");
    }
    learning.close().expect("closed");
    let few = size(folder.path());
    assert!(few < 10_000, "{few} bytes");
    learner(folder.path()).rebuild(|_| ()).expect("rebuilt");
    assert!(size(folder.path()) < 10_000);
    let store = open(folder.path());
    assert_eq!(store.verify().expect("sound"), 5);
    // It grows with what it learns, and never to more than tables without gaps would take.
    let mut learning = learner(folder.path());
    for number in 5..600 {
        learning.learn(&message(number), LABELS[number % 2], 0).expect("learned");
    }
    learning.close().expect("closed");
    let more = size(folder.path());
    assert!(more > 600 * 500 && more < 3_000_000, "{more} bytes");
    assert_eq!(open(folder.path()).verify().expect("sound"), 600);
}

/// Read from tables, or replayed from the journal, or in part each: a store says the same.
#[test]
fn a_store_says_the_same_in_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let [at_once, in_parts] = ["at-once", "in-parts"].map(|name| folder.path().join(name));
    let mut learning = create(&at_once);
    for number in 0..700 {
        learning.learn(&message(number), LABELS[number % 3], 0).expect("learned");
    }
    learning.commit().expect("committed");
    create(&in_parts).close().expect("closed");
    for start in (0..700).step_by(70) {
        let mut learning = learner(&in_parts);
        for number in start..start + 70 {
            learning.learn(&message(number), LABELS[number % 3], 0).expect("learned");
        }
        learning.close().expect("closed");
    }
    let (left, right) = (open(&at_once), open(&in_parts));
    for number in 0..800 {
        let [left, right] = [&left, &right].map(|store| judge(store, &message(number)));
        assert_eq!(left, right, "message {number}");
    }
    assert_eq!(left.filter().model(), right.filter().model());
    assert_eq!(left.filter().model(), learning.filter().model());
    learning.close().expect("closed");
    let tables = std::fs::read(at_once.join("tables.tamis")).expect("tables");
    learner(&in_parts).rebuild(|_| ()).expect("rebuilt");
    let rebuilt = std::fs::read(in_parts.join("tables.tamis")).expect("tables");
    assert_eq!(tables.len(), rebuilt.len(), "the same messages take the same space");
}
