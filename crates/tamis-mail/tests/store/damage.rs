//! Damage is found and named.

use crate::common::{BITS, LABELS, create, message, open};
use tamis_mail::Error;
use tamis_mail::store::{Learner, Settings, Store};

#[test]
fn damage_is_found_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    let mut learning = create(&path);
    for number in 0..300 {
        learning.learn(&message(number), LABELS[number % 3], 0).expect("learned");
    }
    learning.close().expect("closed");
    let tables = path.join("tables.tamis");
    let whole = std::fs::read(&tables).expect("tables");
    let spread = (1..20).map(|part| whole.len() / 20 * part);
    for at in [0, 9, 70, 130, 5000, whole.len() - 1].into_iter().chain(spread) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&tables, &bytes).expect("written");
        let found = Store::open(&path).and_then(|store| store.verify());
        assert!(found.is_err(), "changed at {at}");
    }
    for length in [0, 7, 63, 64, 200, whole.len() - 64] {
        std::fs::write(&tables, &whole[..length]).expect("written");
        assert!(Store::open(&path).is_err(), "cut at {length}");
    }
    // Each error names the file; a file of another program is damage, too.
    std::fs::write(&tables, [b"x", &whole[1..]].concat()).expect("written");
    let foreign = Store::open(&path).expect_err("no tables");
    assert!(matches!(&foreign, Error::Damaged { name, .. } if *name == tables), "{foreign}");
    std::fs::write(&tables, &whole[..200]).expect("written");
    let short = Store::open(&path).expect_err("no tables");
    assert!(matches!(&short, Error::Unsound { name, .. } if *name == tables), "{short}");

    std::fs::write(&tables, &whole).expect("written");
    assert_eq!(open(&path).verify().expect("sound"), 300);
    // The tables are sound, but the journal ends before them.
    let journal = path.join("journal-1.log");
    let records = std::fs::read(&journal).expect("a journal");
    std::fs::write(&journal, &records[..records.len() - 20]).expect("written");
    assert!(matches!(Store::open(&path), Err(Error::Damaged { .. })));
    assert!(matches!(Learner::open(&path), Err(Error::Damaged { .. })));
}

#[test]
fn a_folder_with_other_files_is_no_store() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(matches!(Store::open(folder.path()), Err(Error::NoStore { .. })));
    assert!(matches!(Learner::open(folder.path()), Err(Error::NoStore { .. })));
    std::fs::write(folder.path().join("something"), "else").expect("written");
    let occupied = Learner::create(folder.path(), BITS, 0, Settings::default());
    assert!(matches!(occupied, Err(Error::Occupied { .. })));
}
