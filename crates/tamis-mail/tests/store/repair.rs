//! What is sound of a damaged store is saved.

use crate::common::{LABELS, copy, create, judge, learner, message, open, tables};
use std::path::Path;
use tamis_mail::Error;
use tamis_mail::store::{Change, Learner, Store, repair};

const MESSAGES: usize = 60;

/// A store with a write for each three messages.
fn made(folder: &Path) {
    let mut learning = create(folder);
    for number in 0..MESSAGES {
        let teacher = ["owner", "imap"][number % 2];
        learning.learn_by(teacher, &message(number), LABELS[number % 4], 0).expect("learned");
        if number % 3 == 2 {
            learning.commit().expect("committed");
        }
    }
    learning.close().expect("closed");
}

#[test]
fn all_sound_records_of_a_damaged_journal_are_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole");
    made(&whole);
    let journal = std::fs::read(whole.join("journal-1.log")).expect("a journal");
    // From the twentieth part on: labels and teachers are named in the first records.
    for part in 2..19 {
        let path = folder.path().join(format!("damaged{part}"));
        copy(&whole, &path);
        let mut bytes = journal.clone();
        let at = bytes.len() * part / 20;
        bytes[at..at + 40].fill(0x55);
        std::fs::write(path.join("journal-1.log"), &bytes).expect("written");
        let refused = Learner::open(&path).expect_err("damage");
        assert!(matches!(refused, Error::Damaged { .. }), "{refused}");
        let repaired = repair(&path).expect("repaired");
        // Forty bytes touch two records at most.
        let expected = MESSAGES - 2..MESSAGES;
        assert!(expected.contains(&repaired.messages), "{repaired:?} at {at}");
        assert!(repaired.lost > 40 && repaired.lost < 8000, "{repaired:?}");
        assert_eq!(open(&path).verify().expect("sound"), repaired.messages);
        assert!(path.join("damaged-1.log").exists());
        // The lost lessons can be learned again; all others are known as they were.
        let mut learning = learner(&path);
        let mut again = 0;
        for number in 0..MESSAGES {
            match learning.learn(&message(number), LABELS[number % 4], 0).expect("learned") {
                Change::Known => {}
                Change::Learned => again += 1,
                other => panic!("message {number}: {other:?}"),
            }
        }
        assert_eq!(again, MESSAGES - repaired.messages);
    }
}

#[test]
fn damaged_tables_are_made_again_and_a_sound_store_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, path] = ["whole", "path"].map(|name| folder.path().join(name));
    made(&whole);
    copy(&whole, &path);
    let before = open(&whole);
    for damage in [None, Some(Vec::new()), Some(b"other bytes".to_vec())] {
        if let Some(bytes) = damage {
            std::fs::write(path.join("tables.tamis"), bytes).expect("written");
            assert!(Store::open(&path).is_err());
        }
        let repaired = repair(&path).expect("repaired");
        assert_eq!((repaired.messages, repaired.lost), (MESSAGES, 0));
        let after = open(&path);
        assert_eq!(tables(before.filter()), tables(after.filter()));
        for number in 0..MESSAGES + 9 {
            let [left, right] = [&before, &after].map(|store| judge(store, &message(number)));
            assert_eq!(left, right);
        }
        after.verify().expect("sound");
    }
    std::fs::remove_file(path.join("seed")).expect("removed");
    let lost = repair(&path).expect_err("nothing can be said without the seed").to_string();
    assert!(lost.contains("seed"), "{lost}");
    assert!(matches!(repair(&folder.path().join("nowhere")), Err(Error::NoStore { .. })));
    let empty = tempfile::tempdir().expect("a folder");
    assert!(matches!(repair(empty.path()), Err(Error::NoStore { .. })));
}

/// The last page was not written when the machine stopped: what is before is kept, and the message says how much
/// was cut off.
#[test]
fn a_torn_end_is_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole");
    made(&whole);
    let journal = std::fs::read(whole.join("journal-1.log")).expect("a journal");
    for (cut, zeros) in [(10, 0), (10, 10), (100, 100), (1, 0), (0, 4096), (0, 1)] {
        let path = folder.path().join(format!("torn-{cut}-{zeros}"));
        copy(&whole, &path);
        let mut bytes = journal[..journal.len() - cut].to_vec();
        bytes.resize(bytes.len() + zeros, 0);
        std::fs::write(path.join("journal-1.log"), &bytes).expect("written");
        let lost = usize::from(cut > 0);
        assert_eq!(open(&path).info().expect("info").teachers[0].1 + lost / 2, MESSAGES / 2);
        let learning = learner(&path);
        assert_eq!(learning.messages(), MESSAGES - lost, "cut {cut}, {zeros} zeros");
        assert!(learning.cut_off() >= zeros as u64 && learning.cut_off() > 0);
        learning.close().expect("closed");
        assert_eq!(learner(&path).cut_off(), 0, "once");
        assert_eq!(open(&path).verify().expect("sound"), MESSAGES - lost);
    }
}
