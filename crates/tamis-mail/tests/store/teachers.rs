//! Who has taught what, and taking back all lessons of one teacher.

use crate::common::{LABELS, create, judge, learner, message, open, tables};
use proptest::prelude::*;
use tamis_mail::Error;
use tamis_mail::store::{AUTOLEARN, Change, OWNER, export, import};

const TEACHERS: [&str; 4] = [OWNER, AUTOLEARN, "imap", "watch"];

fn counts(taught: &[(&str, usize)]) -> Vec<(String, usize)> {
    taught.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[test]
fn each_lesson_has_its_teacher() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    let mut learning = create(&path);
    for number in 0..12 {
        let teacher = TEACHERS[number % 3];
        learning.learn_by(teacher, &message(number), LABELS[number % 2], 0).expect("learned");
    }
    assert_eq!(learning.taught(&message(1)), Some(("spam", AUTOLEARN)));
    assert_eq!(learning.taught(&message(99)), None);
    let expected = counts(&[(OWNER, 4), (AUTOLEARN, 4), ("imap", 4)]);
    assert_eq!(learning.teachers(), expected);
    learning.close().expect("closed");
    assert_eq!(open(&path).info().expect("info").teachers, expected);
    learner(&path).rebuild(|_| ()).expect("rebuilt");
    let store = open(&path);
    assert_eq!(store.info().expect("info").teachers, expected);
    store.verify().expect("sound");
    // An export knows them, too.
    let mut lines = Vec::new();
    export(&learner(&path), &mut lines).expect("exported");
    let other = folder.path().join("other");
    let mut learning = create(&other);
    import(&mut learning, &mut &lines[..]).expect("imported");
    assert_eq!(learning.teachers(), expected);
}

/// Tables with teachers beyond the first 256 records, which are read from the file of tables.
#[test]
fn teachers_are_kept_with_the_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut learning = create(folder.path());
    for number in 0..400 {
        let teacher = TEACHERS[number % 4];
        learning.learn_by(teacher, &message(number), LABELS[number % 2], 0).expect("learned");
    }
    learning.close().expect("closed");
    let mut learning = learner(folder.path());
    learning.learn_by("digest", &message(400), "ham", 0).expect("learned");
    learning.close().expect("closed");
    let store = open(folder.path());
    let taught = store.info().expect("info").teachers;
    assert_eq!(taught[3..], counts(&[("watch", 100), ("digest", 1)]));
    assert_eq!(store.verify().expect("sound"), 401);
}

#[test]
fn a_guess_changes_nothing_that_is_known_and_whoever_confirms_it_keeps_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut learning = create(folder.path());
    learning.learn(&message(0), "ham", 0).expect("learned");
    for label in ["ham", "spam"] {
        let change = learning.learn_by(AUTOLEARN, &message(0), label, 1).expect("a guess");
        assert_eq!(change, Change::Known, "{label}");
        assert_eq!(learning.taught(&message(0)), Some(("ham", OWNER)));
    }
    learning.learn_by(AUTOLEARN, &message(1), "spam", 0).expect("learned");
    learning.learn_by(AUTOLEARN, &message(2), "spam", 0).expect("learned");
    assert_eq!(learning.learn(&message(1), "spam", 1).expect("confirmed"), Change::Known);
    learning.close().expect("closed");
    let mut learning = learner(folder.path());
    assert_eq!(learning.taught(&message(1)), Some(("spam", OWNER)));
    assert_eq!(learning.forget_teacher(AUTOLEARN).expect("forgotten"), 1);
    assert_eq!(learning.taught(&message(1)), Some(("spam", OWNER)));
    assert_eq!(learning.taught(&message(2)), None);
    assert!(matches!(learning.forget_teacher("nobody"), Err(Error::NoTeacher { .. })));
    for name in ["", "a b", "a/b", &"x".repeat(65)] {
        let refused = learning.learn_by(name, &message(3), "ham", 0);
        assert!(matches!(refused, Err(Error::Teacher { .. })), "{name:?}");
    }
    learning.commit().expect("committed");
    open(folder.path()).verify().expect("sound");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Forgetting a teacher leaves every table as it is without those lessons, given what the others have
    /// recorded: forgetting them one by one says the same.
    #[test]
    fn forgetting_a_teacher_takes_back_exactly_those_lessons(
        lessons in prop::collection::vec((0..40usize, 0..4usize, 0..4usize), 1..60),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, twin] = ["store", "twin"].map(|name| folder.path().join(name));
        let (mut learning, mut other) = (create(&path), create(&twin));
        for (number, label, teacher) in &lessons {
            for store in [&mut learning, &mut other] {
                store
                    .learn_by(TEACHERS[*teacher], &message(*number), LABELS[*label], 0)
                    .expect("learned");
            }
        }
        let taught = (0..40).filter(|number| {
            learning.taught(&message(*number)).is_some_and(|(_, teacher)| teacher == "imap")
        });
        let taught: Vec<usize> = taught.collect();
        match learning.forget_teacher("imap") {
            Ok(count) => prop_assert_eq!(count, taught.len()),
            Err(Error::NoTeacher { .. }) => prop_assert!(taught.is_empty()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
        for number in taught.iter().rev() {
            prop_assert!(other.forget(&message(*number)).expect("forgotten"));
        }
        learning.close().expect("closed");
        other.close().expect("closed");
        let (left, right) = (open(&path), open(&twin));
        prop_assert_eq!(tables(left.filter()), tables(right.filter()));
        left.verify().expect("sound");
        for number in 0..40 {
            let [left, right] = [&left, &right].map(|store| judge(store, &message(number)));
            prop_assert_eq!(left, right);
        }
    }
}
