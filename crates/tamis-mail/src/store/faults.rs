//! Lets each write of a store fail in turn, and looks at what is left.

use super::disk::faults::{self, Fault};
use super::{Change, Learner, Position, Settings, Store};
use crate::Result;
use std::path::Path;

const LABELS: [&str; 3] = ["ham", "spam", "social"];

fn message(number: usize) -> Vec<u8> {
    format!(
        "From: a{}@example.org\nSubject: number {number}\n\nsome words and word{} and word{}\n",
        number % 3,
        number % 7,
        number * 3 % 11,
    )
    .into()
}

fn label(number: usize) -> &'static str {
    LABELS[number % 3]
}

/// Learns, commits, forgets, writes tables and rebuilds; what was reported as safe is noted.
fn work(folder: &Path, safe: &mut Vec<usize>, forgotten: &mut Vec<usize>) -> Result<()> {
    let mut learner = Learner::create(folder, 10, 7, Settings::default())?;
    for number in 0..12 {
        learner.learn(&message(number), label(number), 0)?;
        if number % 4 == 3 {
            learner.commit()?;
            safe.extend(number - 3..=number);
        }
    }
    learner.close()?;
    let mut learner = Learner::open(folder)?;
    for number in 12..300 {
        learner.learn(&message(number), label(number), 0)?;
    }
    learner.close()?;
    safe.extend(12..300);
    let mut learner = Learner::open(folder)?;
    // What may be forgotten or not must not be expected from now on.
    safe.retain(|number| !(20..25).contains(number));
    for number in 20..25 {
        learner.forget(&message(number))?;
    }
    learner.commit()?;
    forgotten.extend(20..25);
    learner.rebuild(|_| ())
}

/// What is left after a fault is a sound store with everything that was reported, and it goes on learning.
fn check(folder: &Path, safe: &[usize], forgotten: &[usize], what: &str) {
    if safe.is_empty() && !folder.join("tables.tamis").exists() {
        // It was never made; making it again is possible.
        Learner::create(folder, 10, 7, Settings::default()).expect(what).close().expect(what);
    }
    Store::open(folder).expect(what);
    let mut learner = Learner::open(folder).expect(what);
    for number in safe {
        let change = learner.learn(&message(*number), label(*number), 0).expect(what);
        assert_eq!(change, Change::Known, "{what}: message {number} was reported as safe");
    }
    for number in forgotten {
        assert!(learner.taught(&message(*number)).is_none(), "{what}: {number} was forgotten");
    }
    learner.learn(&message(1000), "spam", 0).expect(what);
    let there = learner.messages();
    learner.close().expect(what);
    assert_eq!(Store::open(folder).expect(what).verify().expect(what), there, "{what}");
}

#[test]
fn whatever_write_fails_nothing_that_was_reported_is_lost() {
    for fault in [Fault::Full, Fault::Broken, Fault::Torn] {
        for count in 0.. {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("store");
            let (mut safe, mut forgotten) = (Vec::new(), Vec::new());
            faults::plan(fault, count);
            let done = work(&path, &mut safe, &mut forgotten);
            let happened = faults::end();
            let what = format!("{fault:?} at write {count}");
            check(&path, &safe, &forgotten, &what);
            if !happened {
                done.expect("without a fault all is done");
                assert!(count > 15, "only {count} writes were seen");
                break;
            }
        }
    }
}

/// A lesson that another process has written but not brought to disk is known, and is reported only after it
/// is on disk.
#[test]
fn a_repeated_lesson_is_brought_to_disk_before_it_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut learner = Learner::create(folder.path(), 10, 7, Settings::default()).expect("a store");
    learner.learn(&message(1), "spam", 0).expect("learned");
    // The record is written; the device fails before it is on disk, and the process is killed.
    faults::plan(Fault::Torn, 2);
    assert!(learner.commit().is_err());
    faults::end();
    drop(learner);
    let mut learner = Learner::open(folder.path()).expect("a store");
    assert_eq!(learner.learn(&message(1), "spam", 0).expect("learned"), Change::Known);
    faults::plan(Fault::Broken, 0);
    assert!(learner.commit().is_err(), "it cannot be reported");
    assert!(faults::end(), "the fault has happened");
    drop(learner);
    let mut learner = Learner::open(folder.path()).expect("a store");
    assert_eq!(learner.learn(&message(1), "spam", 0).expect("learned"), Change::Known);
    learner.commit().expect("now it is on disk");
}

/// A host that shares its lessons: learns, delivers, hears its own lessons and those of others, writes tables and rebuilds.
fn share(
    folder: &Path,
    origin: u64,
    log: &mut Vec<Vec<u8>>,
    others: &mut Vec<Vec<u8>>,
    safe: &mut Vec<usize>,
) -> Result<()> {
    let mut learner = match Learner::open(folder) {
        Err(crate::Error::NoStore { .. }) => Learner::create(folder, 10, 7, Settings::default())?,
        opened => opened?,
    };
    learner.set_origin(origin);
    learner.share(1);
    let mut sent = None;
    let mut exchange = |learner: &mut Learner, log: &mut Vec<Vec<u8>>| -> Result<()> {
        for outgoing in learner.outgoing(sent, 4000)? {
            log.push(outgoing.entry);
            sent = Some(outgoing.serial);
        }
        hear(learner, log)
    };
    for number in safe.len()..60 {
        learner.learn(&message(number), label(number), 0)?;
        if number % 20 == 19 {
            learner.commit()?;
            safe.extend(safe.len()..=number);
            let half = others.len() / 2;
            log.extend(others.drain(half..));
            exchange(&mut learner, log)?;
        }
    }
    while learner.undelivered() != Some(0) {
        exchange(&mut learner, log)?;
    }
    learner.close()?;
    Learner::open(folder)?.rebuild(|_| ())?;
    let mut learner = Learner::open(folder)?;
    learner.set_origin(origin + 1000);
    while learner.undelivered() != Some(0) {
        let all: Vec<_> = learner.outgoing(None, usize::MAX)?;
        log.extend(all.into_iter().map(|outgoing| outgoing.entry));
        hear(&mut learner, log)?;
    }
    learner.close()
}

/// Hears what is new.
fn hear(learner: &mut Learner, log: &[Vec<u8>]) -> Result<()> {
    let last = learner.position().unwrap_or_default().time as usize;
    for (index, entry) in log.iter().enumerate().skip(last) {
        learner.hear(Position { time: 1 + index as u64, number: 0 }, entry)?;
    }
    learner.commit()
}

/// Lessons of another host, some about the same messages.
fn lessons_of_others() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut other = Learner::create(folder.path(), 10, 7, Settings::default()).expect("a store");
    other.set_origin(5);
    other.share(1);
    for number in 0..15 {
        other.learn(&message(4 * number), label(number), 0).expect("learned");
    }
    let all = other.outgoing(None, usize::MAX).expect("lessons");
    all.into_iter().map(|outgoing| outgoing.entry).collect()
}

#[test]
fn whatever_write_fails_shared_lessons_are_delivered_and_all_hosts_know_the_same() {
    let theirs = lessons_of_others();
    for fault in [Fault::Full, Fault::Broken, Fault::Torn] {
        for count in 0.. {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("store");
            let (mut log, mut others, mut safe) = (Vec::new(), theirs.clone(), Vec::new());
            faults::plan(fault, count);
            let done = share(&path, 10, &mut log, &mut others, &mut safe);
            let happened = faults::end();
            let what = format!("{fault:?} at write {count}: {done:?}");
            // Another process goes on.
            share(&path, 11, &mut log, &mut others, &mut safe).expect(&what);
            let store = Store::open(&path).expect(&what);
            store.verify().expect(&what);
            let mut other =
                Learner::create(&folder.path().join("other"), 10, 7, Settings::default())
                    .expect(&what);
            other.share(1);
            hear(&mut other, &log).expect(&what);
            other.close().expect(&what);
            let other = Store::open(&folder.path().join("other")).expect(&what);
            let same = store.fingerprint().expect(&what) == other.fingerprint().expect(&what);
            assert!(same, "{what}: the hosts differ");
            let there = other.info().expect(&what).labels.iter().map(|(_, n)| n).sum::<usize>();
            assert_eq!(there, 60, "{what}");
            if !happened {
                assert!(count > 20, "only {count} writes were seen");
                break;
            }
        }
    }
}
