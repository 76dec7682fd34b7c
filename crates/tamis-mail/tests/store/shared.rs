//! Several stores that share their lessons by one log.

use crate::common::{BITS, LABELS, SEED, copy, create, learner, message, open};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use tamis_mail::Error;
use tamis_mail::store::{
    AUTOLEARN, Change, Heard, Learner, OWNER, Position, Settings, export, repair,
};

/// Which shared journal.
const JOURNAL: u64 = 5;

const TEACHERS: [&str; 3] = [OWNER, AUTOLEARN, "imap"];

/// The shared journal.
#[derive(Debug, Default)]
struct Log(Vec<Vec<u8>>);

fn position(index: usize) -> Position {
    Position { time: 1 + index as u64 / 3, number: index as u64 % 3 }
}

/// A host with a store.
struct Host {
    path: PathBuf,
    /// Of the process that runs now.
    origin: u64,
    /// The lessons that this process has sent.
    sent: Option<u64>,
}

impl Host {
    fn new(folder: &Path, number: usize) -> Self {
        let path = folder.join(format!("host{number}"));
        if !path.exists() {
            create(&path).close().expect("closed");
        }
        Self { path, origin: 1000 * (number as u64 + 1), sent: None }
    }

    fn learner(&self) -> Learner {
        let mut learner = learner(&self.path);
        learner.set_origin(self.origin);
        learner
    }

    /// Ends the process and starts another one: everything that was not heard back is sent again.
    fn restart(&mut self) {
        self.origin += 1;
        self.sent = None;
    }

    fn share(&self) {
        let mut learner = self.learner();
        learner.share(JOURNAL);
        learner.close().expect("closed");
    }

    /// Sends lessons of about so many bytes.
    fn send(&mut self, log: &mut Log, most: usize) {
        let mut learner = self.learner();
        for outgoing in learner.outgoing(self.sent, most).expect("lessons") {
            log.0.push(outgoing.entry);
            self.sent = Some(outgoing.serial);
        }
        learner.close().expect("closed");
    }

    /// Hears at most so many entries.
    fn hear(&self, log: &Log, most: usize) {
        let mut learner = self.learner();
        if learner.position().is_none() {
            learner.share(JOURNAL);
        }
        let last = learner.position().expect("shared");
        let entries = log.0.iter().enumerate().map(|(index, entry)| (position(index), entry));
        for (position, entry) in entries.filter(|(at, _)| *at > last).take(most) {
            assert_eq!(learner.hear(position, entry).expect("heard"), Heard::Lesson);
        }
        learner.close().expect("closed");
    }

    fn fingerprint(&self) -> u64 {
        open(&self.path).fingerprint().expect("a hash")
    }

    fn exported(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        export(&self.learner(), &mut lines).expect("exported");
        lines
    }

    fn undelivered(&self) -> Option<usize> {
        open(&self.path).info().expect("facts").undelivered
    }
}

/// Everything is sent and heard everywhere; all know the same then, and what their journals say.
fn settle(hosts: &mut [Host], log: &mut Log) {
    for host in &mut *hosts {
        host.hear(log, usize::MAX);
        host.send(log, usize::MAX);
    }
    for host in &*hosts {
        host.hear(log, usize::MAX);
        assert_eq!(host.undelivered(), Some(0));
    }
    let first = hosts[0].exported();
    for host in &*hosts {
        open(&host.path).verify().expect("sound");
        assert!(host.exported() == first, "{} has other messages", host.path.display());
        assert_eq!(host.fingerprint(), hosts[0].fingerprint(), "{}", host.path.display());
    }
}

fn hosts(folder: &Path, count: usize) -> Vec<Host> {
    (0..count)
        .map(|number| {
            let host = Host::new(folder, number);
            host.share();
            host
        })
        .collect()
}

fn learn(host: &Host, number: usize, label: &str, teacher: &str) -> Change {
    let mut learner = host.learner();
    let change = learner.learn_by(teacher, &message(number), label, 5).expect("learned");
    learner.close().expect("closed");
    change
}

fn label_of(host: &Host, number: usize) -> Option<(String, String)> {
    let learner = host.learner();
    let taught = learner.taught(&message(number));
    taught.map(|(label, teacher)| (label.to_owned(), teacher.to_owned()))
}

fn pair(label: &str, teacher: &str) -> Option<(String, String)> {
    Some((label.to_owned(), teacher.to_owned()))
}

#[test]
fn what_one_host_learns_the_others_know() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut hosts, mut log) = (hosts(folder.path(), 3), Log::default());
    for number in 0..30 {
        learn(&hosts[number % 3], number, LABELS[number % 4], TEACHERS[number % 3]);
    }
    settle(&mut hosts, &mut log);
    for number in 0..30 {
        let expected = pair(LABELS[number % 4], TEACHERS[number % 3]);
        hosts.iter().for_each(|host| assert_eq!(label_of(host, number), expected));
    }
    assert_eq!(learn(&hosts[0], 1, "spam", OWNER), Change::Known);
    let mut learner = hosts[2].learner();
    assert!(learner.forget(&message(4)).expect("forgotten"));
    assert_eq!(learner.forget_teacher("imap").expect("forgotten"), 10);
    learner.close().expect("closed");
    settle(&mut hosts, &mut log);
    hosts.iter().for_each(|host| assert_eq!(label_of(host, 4), None));
    assert_eq!(log.0.len(), 30 + 1 + 11, "each lesson once");
}

/// The lesson that comes later in the shared journal counts, whoever has heard what when.
#[test]
fn two_hosts_that_disagree_agree_in_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut hosts, mut log) = (hosts(folder.path(), 3), Log::default());
    learn(&hosts[0], 1, "ham", OWNER);
    learn(&hosts[1], 1, "spam", OWNER);
    hosts[1].send(&mut log, usize::MAX);
    hosts[0].hear(&log, usize::MAX);
    assert_eq!(label_of(&hosts[0], 1), pair("ham", OWNER), "its own lesson is not delivered yet");
    settle(&mut hosts, &mut log);
    hosts.iter().for_each(|host| assert_eq!(label_of(host, 1), pair("ham", OWNER)));
    // A guess changes nothing that a person has taught, wherever.
    learn(&hosts[0], 2, "spam", AUTOLEARN);
    learn(&hosts[1], 2, "ham", OWNER);
    hosts[1].send(&mut log, usize::MAX);
    settle(&mut hosts, &mut log);
    hosts.iter().for_each(|host| assert_eq!(label_of(host, 2), pair("ham", OWNER)));
    // What was forgotten on one host and learned on another.
    hosts[0].learner().forget(&message(2)).expect("not committed: as if it had never been");
    let mut learner = hosts[0].learner();
    learner.forget(&message(2)).expect("forgotten");
    learner.close().expect("closed");
    learn(&hosts[1], 2, "spam", OWNER);
    hosts[1].send(&mut log, usize::MAX);
    settle(&mut hosts, &mut log);
    hosts.iter().for_each(|host| assert_eq!(label_of(host, 2), None));
}

#[test]
fn a_store_that_was_there_before_is_offered_and_yields() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = Log::default();
    let first = Host::new(folder.path(), 0);
    for number in 0..20 {
        learn(&first, number, LABELS[number % 4], OWNER);
    }
    copy(&first.path, &folder.path().join("host1"));
    let mut hosts = vec![first];
    hosts[0].share();
    settle(&mut hosts, &mut log);
    assert_eq!(log.0.len(), 20);
    learn(&hosts[0], 3, "spam", OWNER);
    settle(&mut hosts, &mut log);
    // A copy of before knows the same messages, and one more; and a new host nothing.
    hosts.push(Host::new(folder.path(), 1));
    learn(&hosts[1], 3, "ham", OWNER);
    learn(&hosts[1], 77, "spam", OWNER);
    hosts.push(Host::new(folder.path(), 2));
    settle(&mut hosts, &mut log);
    hosts.iter().for_each(|host| assert_eq!(label_of(host, 3), pair("spam", OWNER)));
    hosts.iter().for_each(|host| assert_eq!(label_of(host, 77), pair("spam", OWNER)));
    assert_eq!(log.0.len(), 22, "what is known is not offered again");
}

/// When the shared journal was lost, another one begins with what the hosts know.
#[test]
fn another_journal_begins_with_what_is_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut hosts, mut log) = (hosts(folder.path(), 2), Log::default());
    for number in 0..20 {
        learn(&hosts[number % 2], number, LABELS[number % 4], OWNER);
    }
    settle(&mut hosts, &mut log);
    learn(&hosts[1], 20, "spam", OWNER);
    let mut log = Log::default();
    for host in &mut hosts {
        let mut learner = host.learner();
        learner.share(JOURNAL + 1);
        learner.close().expect("closed");
        host.restart();
    }
    settle(&mut hosts, &mut log);
    assert_eq!(log.0.len(), 21);
    hosts.iter().for_each(|host| assert_eq!(label_of(host, 20), pair("spam", OWNER)));
}

#[test]
fn a_rebuild_is_a_lesson_for_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut hosts, mut log) = (hosts(folder.path(), 2), Log::default());
    for number in 0..40 {
        learn(&hosts[number % 2], number, LABELS[number % 4], TEACHERS[number % 3]);
    }
    let early = hosts[0].learner().rebuild(|_| ());
    assert!(matches!(early, Err(Error::Undelivered { count: 20 })), "{early:?}");
    settle(&mut hosts, &mut log);
    let before = hosts[0].fingerprint();
    let mut learner = hosts[0].learner();
    learner.forget(&message(1)).expect("forgotten");
    learner.close().expect("closed");
    settle(&mut hosts, &mut log);
    hosts[0].learner().rebuild(|_| ()).expect("rebuilt");
    // Meanwhile the other host learns, forgets and confirms.
    learn(&hosts[1], 2, "spam", OWNER);
    learn(&hosts[1], 3, "promotions", "sieve");
    let mut learner = hosts[1].learner();
    learner.forget(&message(5)).expect("forgotten");
    learner.close().expect("closed");
    hosts[1].send(&mut log, usize::MAX);
    settle(&mut hosts, &mut log);
    assert_ne!(hosts[0].fingerprint(), before);
    hosts.iter().for_each(|host| assert_eq!(label_of(host, 2), pair("spam", OWNER)));
    hosts.iter().for_each(|host| assert_eq!(label_of(host, 3), pair("promotions", "sieve")));
    hosts.iter().for_each(|host| assert_eq!(label_of(host, 5), None));
}

#[test]
fn labels_are_renamed_and_removed_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut hosts, mut log) = (hosts(folder.path(), 3), Log::default());
    for number in 0..24 {
        learn(&hosts[number % 3], number, ["work", "news", "spam"][number % 3], OWNER);
    }
    settle(&mut hosts, &mut log);
    let mut learner = hosts[0].learner();
    learner.rename_label("work", "job").expect("renamed");
    learner.close().expect("closed");
    // It has the old name elsewhere, and two hosts give the new one.
    learn(&hosts[1], 30, "work", OWNER);
    learn(&hosts[2], 31, "job", OWNER);
    let mut learner = hosts[2].learner();
    assert_eq!(learner.remove_label("news").expect("removed"), 8);
    learner.close().expect("closed");
    settle(&mut hosts, &mut log);
    let labels = |host: &Host| open(&host.path).info().expect("facts").labels;
    for host in &hosts {
        assert_eq!(label_of(host, 0), pair("job", OWNER));
        assert_eq!(label_of(host, 1), pair("ham", OWNER));
        let named: Vec<_> = labels(host).into_iter().filter(|(_, count)| *count > 0).collect();
        let count = |name: &str| named.iter().find(|(label, _)| label == name).map(|(_, n)| *n);
        assert_eq!((count("ham"), count("job"), count("news")), (Some(8), Some(10), None));
        assert_eq!(count("work"), None, "a lesson that waits has the new name");
    }
}

#[test]
fn what_does_not_fit_is_refused_or_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut hosts, mut log) = (hosts(folder.path(), 2), Log::default());
    learn(&hosts[0], 1, "spam", OWNER);
    hosts[0].send(&mut log, usize::MAX);
    let entry = log.0.remove(0);
    // Damage of any byte makes it strange, and strange entries change nothing.
    let mut learner = hosts[1].learner();
    learner.share(JOURNAL);
    let mut last = 0;
    for at in 0..entry.len() {
        let mut changed = entry.clone();
        changed[at] ^= 0x11;
        last += 1;
        let at = Position { time: last, number: 0 };
        assert_eq!(learner.hear(at, &changed).expect("skipped"), Heard::Strange);
    }
    for cut in 0..entry.len() {
        last += 1;
        let at = Position { time: last, number: 0 };
        assert_eq!(learner.hear(at, &entry[..cut]).expect("skipped"), Heard::Strange);
    }
    assert_eq!(learner.messages(), 0);
    assert_eq!(learner.hear(Position { time: 1, number: 0 }, &entry).expect("old"), Heard::Known);
    drop(learner);
    // Another seed, another size.
    for (bits, seed) in [(BITS, SEED + 1), (BITS + 1, SEED)] {
        let path = folder.path().join(format!("{bits}-{seed}"));
        let mut other =
            Learner::create(&path, bits, seed, Settings::default()).expect("a new store");
        other.share(JOURNAL);
        let refused = other.hear(Position { time: 1, number: 0 }, &entry);
        let is_named = matches!(refused, Err(Error::SharedSeed | Error::Mismatch { .. }));
        assert!(is_named, "{refused:?}");
        assert_eq!(other.position(), Some(Position::default()), "it stays where it was");
    }
}

#[test]
fn a_repaired_store_takes_part_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut hosts, mut log) = (hosts(folder.path(), 2), Log::default());
    for number in 0..30 {
        learn(&hosts[number % 2], number, LABELS[number % 4], TEACHERS[number % 3]);
    }
    settle(&mut hosts, &mut log);
    learn(&hosts[0], 40, "spam", OWNER);
    let journal = hosts[0].path.join("journal-1.log");
    let mut bytes = std::fs::read(&journal).expect("a journal");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&journal, bytes).expect("damaged");
    let repaired = repair(&hosts[0].path).expect("repaired");
    assert!(repaired.lost > 0, "{repaired:?}");
    assert_eq!(hosts[0].undelivered(), None, "it joins again");
    hosts[0].restart();
    settle(&mut hosts, &mut log);
    hosts.iter().for_each(|host| assert_eq!(label_of(host, 40), pair("spam", OWNER)));
}

/// With more than a few hundred records the tables are written, and the state of sharing beside them.
#[test]
fn sharing_goes_on_behind_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut hosts, mut log) = (hosts(folder.path(), 2), Log::default());
    for round in 0..8 {
        for (host, hosting) in hosts.iter().enumerate() {
            let mut learner = hosting.learner();
            for number in 0..180 {
                let number = round * 360 + 2 * number + host;
                let label = LABELS[(number + round) % 4];
                learner.learn(&message(number % 1500), label, 5).expect("learned");
            }
            learner.close().expect("closed");
        }
        hosts[round % 2].send(&mut log, 20_000);
        hosts[1 - round % 2].hear(&log, 50);
    }
    settle(&mut hosts, &mut log);
}

#[derive(Debug, Clone)]
enum Step {
    Learn { host: usize, number: usize, label: usize, teacher: usize },
    Forget { host: usize, number: usize },
    ForgetTeacher { host: usize, teacher: usize },
    Rename { host: usize, from: usize, to: usize },
    Remove { host: usize, label: usize },
    Rebuild { host: usize },
    Send { host: usize, most: usize },
    Hear { host: usize, most: usize },
    Restart { host: usize },
    Again { from: usize, count: usize },
}

fn steps() -> impl Strategy<Value = Step> {
    let host = || 0..3_usize;
    prop_oneof![
        8 => (host(), 0..12_usize, 0..4_usize, 0..3_usize)
            .prop_map(|(host, number, label, teacher)| Step::Learn { host, number, label, teacher }),
        2 => (host(), 0..12_usize).prop_map(|(host, number)| Step::Forget { host, number }),
        1 => (host(), 0..3_usize).prop_map(|(host, teacher)| Step::ForgetTeacher { host, teacher }),
        1 => (host(), 2..4_usize, 0..4_usize).prop_map(|(host, from, to)| Step::Rename { host, from, to }),
        1 => (host(), 2..4_usize).prop_map(|(host, label)| Step::Remove { host, label }),
        1 => host().prop_map(|host| Step::Rebuild { host }),
        5 => (host(), 1..2000_usize).prop_map(|(host, most)| Step::Send { host, most }),
        5 => (host(), 1..9_usize).prop_map(|(host, most)| Step::Hear { host, most }),
        1 => host().prop_map(|host| Step::Restart { host }),
        1 => (0..99_usize, 1..5_usize).prop_map(|(from, count)| Step::Again { from, count }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(48)
    ))]

    /// Whatever three hosts learn, forget, rename and rebuild, whenever they hear of each other, are killed, and
    /// whatever is delivered twice: in the end all have the same messages and tables.
    #[test]
    fn all_hosts_agree_in_the_end(steps in prop::collection::vec(steps(), 1..60)) {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut hosts, mut log) = (hosts(folder.path(), 3), Log::default());
        for step in steps {
            match step {
                Step::Learn { host, number, label, teacher } => {
                    learn(&hosts[host], number, LABELS[label], TEACHERS[teacher]);
                }
                Step::Forget { host, number } => {
                    let mut learner = hosts[host].learner();
                    learner.forget(&message(number)).expect("forgotten");
                    learner.close().expect("closed");
                }
                Step::ForgetTeacher { host, teacher } => {
                    let mut learner = hosts[host].learner();
                    learner.forget_teacher(TEACHERS[teacher]).ok();
                    learner.close().expect("closed");
                }
                Step::Rename { host, from, to } => {
                    let mut learner = hosts[host].learner();
                    let to = ["work", "news", "social", "promotions"][to];
                    learner.rename_label(LABELS[from], to).ok();
                    learner.close().expect("closed");
                }
                Step::Remove { host, label } => {
                    let mut learner = hosts[host].learner();
                    learner.remove_label(LABELS[label]).ok();
                    learner.close().expect("closed");
                }
                Step::Rebuild { host } => match hosts[host].learner().rebuild(|_| ()) {
                    Ok(()) | Err(Error::Undelivered { .. }) => {}
                    Err(error) => panic!("{error}"),
                },
                Step::Send { host, most } => hosts[host].send(&mut log, most),
                Step::Hear { host, most } => hosts[host].hear(&log, most),
                Step::Restart { host } => hosts[host].restart(),
                // What was delivered before is delivered again, much later.
                Step::Again { from, count } => {
                    let again: Vec<_> = log.0.iter().skip(from).take(count).cloned().collect();
                    log.0.extend(again);
                }
            }
        }
        settle(&mut hosts, &mut log);
    }
}
