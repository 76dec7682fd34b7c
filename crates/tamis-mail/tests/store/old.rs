//! A store of version 1 is read, and converted when it learns.

use crate::common::{copy, judge, learner, message, open, tables};
use std::path::{Path, PathBuf};
use tamis_mail::store::{Change, News, Store};

/// Number of messages of the golden store.
const MESSAGES: usize = 24;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/store")
}

/// A message that the golden store knows.
fn known(class: &str) -> Vec<u8> {
    let name = if class == "spam" { "spam/en-lottery.eml" } else { "ham/en-garden.eml" };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/mail");
    std::fs::read(folder.join(name)).expect("a message")
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A copy of the golden store in a folder of its own.
fn old() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    copy(&golden(), &path);
    (folder, path)
}

fn check(store: &Store) {
    assert_eq!(store.verify().expect("sound"), MESSAGES);
    let info = store.info().expect("info");
    assert_eq!(info.labels, [("ham".to_owned(), 12), ("spam".to_owned(), 12)]);
    assert_eq!(info.bits, 10);
    for class in ["spam", "ham"] {
        assert_eq!(judge(store, &known(class)).probability > 0.5, class == "spam", "{class}");
    }
}

#[test]
fn it_is_read_without_being_changed() {
    let (_folder, path) = old();
    let before =
        ["tables.tamis", "journal-2.log"].map(|name| std::fs::read(path.join(name)).unwrap());
    let store = open(&path);
    check(&store);
    assert!(!store.is_behind());
    assert!(matches!(store.news(), Ok(News::None)));
    let after =
        ["tables.tamis", "journal-2.log"].map(|name| std::fs::read(path.join(name)).unwrap());
    assert!(before == after);
    assert_eq!(files(&path), ["journal-2.log", "tables.tamis"]);
}

#[test]
fn it_is_converted_when_it_learns_and_readers_follow() {
    let (_folder, path) = old();
    let mut reader = open(&path);
    learner(&path).close().expect("closed");
    assert_eq!(files(&path), ["journal-3.log", "lock", "seed", "tables.tamis"]);
    let converted = open(&path);
    check(&converted);
    assert_eq!(tables(converted.filter()), tables(reader.filter()), "what a reader had in memory");
    assert_eq!(converted.filter().cuts(), reader.filter().cuts());
    assert!(reader.is_behind());
    let news = reader.news().expect("news");
    assert!(matches!(news, News::Replaced(_)));
    reader.accept(news);
    check(&reader);
    learner(&path).rebuild(|_| ()).expect("rebuilt");
    check(&open(&path));
}

/// Version 1 told messages apart by other digests.
#[test]
fn its_messages_can_be_corrected_and_forgotten() {
    let (_folder, path) = old();
    let mut learning = learner(&path);
    let crlf = String::from_utf8(known("spam")).expect("text").replace('\n', "\r\n");
    let change = learning.learn(crlf.as_bytes(), "spam", 9).expect("learned");
    assert_eq!(change, Change::Known);
    assert!(learning.learn(&known("spam"), "unsure", 9).is_err(), "no label");
    assert_eq!(learning.messages(), MESSAGES, "a refused label changes nothing");
    let change = learning.learn(&known("spam"), "ham", 9).expect("learned");
    assert_eq!(change, Change::Moved { from: "spam".to_owned() });
    // From now on it is known as any other message: before and after delivery.
    let delivered = [b"Received: from x by y; today\n".as_slice(), &known("spam")].concat();
    assert_eq!(learning.learn(&delivered, "ham", 9).expect("learned"), Change::Known);
    assert_eq!(learning.messages(), MESSAGES);
    assert!(learning.forget(&known("ham")).expect("forgotten"));
    assert!(!learning.forget(&known("ham")).expect("nothing"));
    learning.close().expect("closed");
    let store = open(&path);
    assert_eq!(store.verify().expect("sound"), MESSAGES - 1);
    let info = store.info().expect("info");
    assert_eq!(info.labels, [("ham".to_owned(), 12), ("spam".to_owned(), 11)]);
    let mut learning = learner(&path);
    assert_eq!(learning.learn(&message(1), "social", 9).expect("learned"), Change::Learned);
    assert!(learning.forget(&delivered).expect("forgotten"));
}

/// A process that is killed while it converts leaves the old store or the new one.
#[test]
fn a_kill_while_converting_loses_nothing() {
    let (folder, path) = old();
    let whole = folder.path().join("whole");
    copy(&path, &whole);
    learner(&whole).close().expect("closed");
    let journal = std::fs::read(whole.join("journal-3.log")).expect("a journal");
    for part in 0..=8 {
        // The new journal is there in part, the tables are the old ones.
        std::fs::write(path.join("journal-3.log"), &journal[..journal.len() * part / 8]).unwrap();
        std::fs::write(path.join(".tamis-x.tmp"), &journal).expect("written");
        check(&open(&path));
        let again = folder.path().join(format!("again{part}"));
        copy(&path, &again);
        learner(&again).close().expect("closed");
        check(&open(&again));
    }
    // The new tables are there, and the old journal, too.
    copy(&whole, &path);
    assert!(path.join("journal-2.log").exists());
    check(&open(&path));
    learner(&path).close().expect("closed");
    check(&open(&path));
    assert!(!path.join("journal-2.log").exists());
}

#[test]
fn damage_in_it_is_found() {
    let (_folder, path) = old();
    for name in ["tables.tamis", "journal-2.log"] {
        let file = path.join(name);
        let whole = std::fs::read(&file).expect("a file");
        for at in (0..whole.len()).step_by(97) {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            std::fs::write(&file, &bytes).expect("written");
            let found = Store::open(&path).and_then(|store| store.verify());
            assert!(found.is_err(), "{name} changed at {at}");
        }
        for length in [0, 63, 64, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&file, &whole[..length]).expect("written");
            assert!(Store::open(&path).is_err(), "{name} cut at {length}");
        }
        std::fs::write(&file, &whole).expect("written");
    }
    check(&open(&path));
}
