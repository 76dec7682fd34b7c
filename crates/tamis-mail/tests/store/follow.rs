//! Readers beside a process that learns.

use crate::common::{LABELS, create, learner, message, open, tables};
use tamis_mail::store::{News, Store};

#[test]
fn tables_are_replaced_while_others_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    create(&path).close().expect("closed");
    let early = open(&path);
    let mut learning = learner(&path);
    for number in 0..600 {
        learning.learn(&message(number), LABELS[number % 2], 0).expect("learned");
        if number % 100 == 50 {
            learning.commit().expect("committed");
            let meanwhile = open(&path).info().expect("info");
            let messages: usize = meanwhile.labels.iter().map(|(_, count)| count).sum();
            assert_eq!(messages, number + 1);
        }
    }
    learning.close().expect("closed");
    assert_eq!(early.filter().model().messages(), (0, 0), "a reader has what it opened");
    assert_eq!(early.verify().expect("sound"), 0);
    let late = open(&path);
    let info = late.info().expect("info");
    assert_eq!(info.labels, [("ham".to_owned(), 300), ("spam".to_owned(), 300)]);
    assert_eq!(info.newer, 0, "so many messages are in the tables");
    assert_eq!(late.verify().expect("sound"), 600);
    assert!(late.filter().cuts().above.is_some(), "the cuts are set");
}

/// A reader that stays open sees what a new reader sees.
#[test]
fn a_reader_follows_what_is_learned() {
    let folder = tempfile::tempdir().expect("a folder");
    create(folder.path()).close().expect("closed");
    let mut follower = open(folder.path());
    assert!(!follower.is_behind());
    let (mut learned, mut replaced) = (0, 0);
    for round in 0..60 {
        let mut learning = learner(folder.path());
        for number in 0..8 {
            let label = LABELS[(round + number) % if round < 20 { 2 } else { 4 }];
            learning.learn(&message(round * 8 + number), label, 9).expect("learned");
        }
        match round {
            _ if round % 7 == 3 => {
                assert!(learning.forget(&message(round * 8)).expect("forgotten"));
            }
            30 => learning.rename_label("social", "friends").expect("renamed"),
            31 => learning.rename_label("friends", "social").expect("renamed"),
            40 => drop(learning.remove_label("promotions").expect("removed")),
            _ => {}
        }
        learning.close().expect("closed");
        assert!(follower.is_behind());
        let news = follower.news().expect("news");
        match news {
            News::Learned(_) => learned += 1,
            News::Replaced(_) => replaced += 1,
            News::None => panic!("there was something new"),
        }
        follower.accept(news);
        assert!(!follower.is_behind());
        assert!(matches!(follower.news(), Ok(News::None)));
        let fresh = open(folder.path());
        assert_eq!(tables(follower.filter()), tables(fresh.filter()));
        assert_eq!(follower.filter().cuts(), fresh.filter().cuts());
        let names = |store: &Store| -> Vec<String> {
            store.filter().names().map(|(_, name)| name.to_owned()).collect()
        };
        assert_eq!(names(&follower), names(&fresh));
    }
    assert!(learned > 20 && replaced > 5, "{learned} and {replaced}");
}
