//! Nobody else can read a store, and nobody leads it elsewhere.

use crate::common::{LABELS, create, learner, message, open};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use tamis_mail::Error;
use tamis_mail::store::{Learner, Settings, Store};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").permissions().mode() & 0o777
}

/// Everything in a store with its mode.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file"));
    let named = |entry: fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), mode(&entry.path()))
    };
    let mut modes: Vec<(String, u32)> = entries.map(named).collect();
    modes.sort();
    modes
}

fn expected(journal: u64) -> [(String, u32); 4] {
    let names = ["lock", "seed", "tables.tamis"].map(str::to_owned);
    let [lock, seed, tables] = names;
    [format!("journal-{journal}.log"), lock, seed, tables].map(|name| (name, 0o600))
}

#[test]
fn a_store_is_its_owner_s_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stores/anne");
    let mut learning = create(&path);
    assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (0o700, 0o700));
    for number in 0..300 {
        learning.learn(&message(number), LABELS[number % 2], 0).expect("learned");
    }
    learning.close().expect("closed");
    assert_eq!(modes(&path), expected(1));
    learner(&path).rebuild(|_| ()).expect("rebuilt");
    assert_eq!(modes(&path), expected(2));
}

#[test]
fn an_older_store_becomes_private_when_it_learns() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    create(&path).close().expect("closed");
    for name in ["tables.tamis", "journal-1.log", "seed", "lock"] {
        fs::set_permissions(path.join(name), Permissions::from_mode(0o644)).expect("changed");
    }
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("changed");
    open(&path);
    assert_eq!(mode(&path), 0o755, "a reader changes nothing");
    learner(&path).close().expect("closed");
    assert_eq!((modes(&path), mode(&path)), (expected(1).to_vec(), 0o700));
    // A folder that was made by hand.
    let by_hand = folder.path().join("by-hand");
    fs::create_dir(&by_hand).expect("a folder");
    fs::set_permissions(&by_hand, Permissions::from_mode(0o755)).expect("changed");
    create(&by_hand).close().expect("closed");
    assert_eq!(mode(&by_hand), 0o700);
}

#[test]
fn a_link_in_place_of_a_store_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["tables.tamis", "journal-1.log", "seed", "lock"] {
        let path = folder.path().join(format!("store-{name}"));
        create(&path).close().expect("closed");
        let (inside, outside) = (path.join(name), folder.path().join(format!("outside-{name}")));
        fs::rename(&inside, &outside).expect("moved");
        let before = fs::read(&outside).expect("a file");
        symlink(&outside, &inside).expect("a link");
        let refused = Learner::open(&path).expect_err("a link");
        assert!(matches!(&refused, Error::NotRegular { name } if *name == inside), "{refused}");
        if name != "lock" {
            assert!(matches!(Store::open(&path), Err(Error::NotRegular { .. })), "{name}");
        }
        assert_eq!(fs::read(&outside).expect("a file"), before, "nothing was written through it");
    }
    // A dangling link does not choose where a new store is written.
    for name in ["tables.tamis", "journal-1.log", "seed", "lock"] {
        let path = folder.path().join(format!("new-{name}"));
        fs::create_dir(&path).expect("a folder");
        let target = folder.path().join(format!("target-{name}"));
        symlink(&target, path.join(name)).expect("a link");
        assert!(Learner::create(&path, 10, 0, Settings::default()).is_err(), "{name}");
        assert!(!target.exists(), "{name}");
    }
    // The folder itself may be a link: its owner has put it there.
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    create(&real).close().expect("closed");
    symlink(&real, &link).expect("a link");
    learner(&link).close().expect("closed");
}

#[test]
fn a_folder_in_place_of_a_store_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    create(folder.path()).close().expect("closed");
    let journal = folder.path().join("journal-1.log");
    fs::remove_file(&journal).expect("removed");
    fs::create_dir(&journal).expect("a folder");
    assert!(matches!(Store::open(folder.path()), Err(Error::NotRegular { .. })));
}
