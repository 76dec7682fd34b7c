//! What a store promises: nothing is lost, and what is taken back was never there.

use proptest::prelude::*;
use std::path::Path;
use tamis_mail::Error;
use tamis_mail::store::{Change, Learner, News, Settings, Store, export, import};
use tamis_mail::words::Cell;

const BITS: u32 = 12;
const LABELS: [&str; 4] = ["ham", "spam", "social", "promotions"];

/// A message with some words that are its own and some that others have.
fn message(number: usize) -> Vec<u8> {
    let words: Vec<String> = (0..20 + number % 13)
        .map(|place| format!("word{}", (number * 7 + place * place) % 97))
        .collect();
    let sender = number % 5;
    format!("From: a{sender}@example.org\nSubject: number {number}\n\n{}\n", words.join(" ")).into()
}

fn create(folder: &Path) -> Learner {
    Learner::create(folder, BITS, 7, Settings::default()).expect("a new store")
}

/// Everything that a filter knows, to be compared.
fn state(store: &Store) -> impl PartialEq + std::fmt::Debug + use<> {
    let filter = store.filter();
    let labels: Vec<(String, Vec<Cell>, _)> = filter
        .labels()
        .iter()
        .map(|label| (label.name.clone(), label.words.cells().to_vec(), label.words.totals()))
        .collect();
    let near: Vec<_> = filter.neighbours().iter().map(|near| (near.digest, near.time)).collect();
    (labels, filter.senders().counters().to_vec(), near)
}

#[derive(Debug, Clone)]
enum Step {
    Learn { message: usize, label: usize },
    Forget { message: usize },
    Expire { before: u64 },
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0..25usize, 0..4usize).prop_map(|(message, label)| Step::Learn { message, label }),
        3 => (0..25usize).prop_map(|message| Step::Forget { message }),
        1 => (0..40u64).prop_map(|before| Step::Expire { before }),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_happens_the_store_is_what_remains(steps in steps(), order in any::<u64>()) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store");
        let mut learner = create(&path);
        // Message, label and time, in the order of learning.
        let mut there: Vec<(usize, usize, u64)> = Vec::new();
        for (time, step) in (0..).zip(steps) {
            match step {
                Step::Learn { message: number, label } => {
                    let before = there.iter().position(|(message, ..)| *message == number);
                    let change = learner.learn(&message(number), LABELS[label], time).expect("learned");
                    match before.map(|place| there[place].1) {
                        None => prop_assert_eq!(change, Change::Learned),
                        Some(same) if same == label => prop_assert_eq!(change, Change::Known),
                        Some(other) => prop_assert_eq!(change, Change::Moved { from: LABELS[other].into() }),
                    }
                    if before.is_none_or(|place| there[place].1 != label) {
                        there.retain(|(message, ..)| *message != number);
                        there.push((number, label, time));
                    }
                }
                Step::Forget { message: number } => {
                    let was_there = there.iter().any(|(message, ..)| *message == number);
                    prop_assert_eq!(learner.forget(&message(number)).expect("forgotten"), was_there);
                    there.retain(|(message, ..)| *message != number);
                }
                Step::Expire { before } => {
                    let count = there.iter().filter(|(.., time)| *time < before).count();
                    prop_assert_eq!(learner.expire(before).expect("expired"), count);
                    there.retain(|(.., time)| *time >= before);
                }
                Step::Reopen => {
                    learner.close().expect("closed");
                    learner = Learner::open(&path).expect("opened");
                }
            }
        }
        prop_assert_eq!(learner.messages(), there.len());
        // Learning something new and taking it back leaves every bit as it was.
        learner.commit().expect("committed");
        let before = state(&Store::open(&path).expect("a store"));
        learner.learn(&message(99), "ham", 99).expect("learned");
        learner.forget(&message(99)).expect("forgotten");
        learner.commit().expect("committed");
        let store = Store::open(&path).expect("a store");
        prop_assert_eq!(state(&store), before);
        prop_assert_eq!(store.verify().expect("sound"), there.len());

        // Rebuilding is the same as never having learned anything else.
        learner.rebuild(|_| ()).expect("rebuilt");
        let fresh_path = folder.path().join("fresh");
        let mut fresh = create(&fresh_path);
        for (number, label, time) in &there {
            fresh.learn(&message(*number), LABELS[*label], *time).expect("learned");
        }
        fresh.close().expect("closed");
        let rebuilt = Store::open(&path).expect("rebuilt");
        prop_assert_eq!(state(&rebuilt), state(&Store::open(&fresh_path).expect("fresh")));
        prop_assert_eq!(rebuilt.verify().expect("sound"), there.len());

        // Taking everything back, in any order, leaves nothing.
        let mut learner = Learner::open(&path).expect("opened");
        let start = order as usize % there.len().max(1);
        there.rotate_left(start);
        for (number, ..) in &there {
            prop_assert!(learner.forget(&message(*number)).expect("forgotten"));
        }
        let filter = learner.filter();
        for label in filter.labels() {
            prop_assert!(label.words.cells().iter().all(Cell::is_empty));
            prop_assert_eq!(label.words.totals(), Default::default());
        }
        prop_assert!(filter.senders().counters().iter().all(|count| *count == 0));
        prop_assert_eq!(filter.neighbours().iter().count(), 0);
    }
}

#[test]
fn tables_are_replaced_while_others_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    create(&path).close().expect("closed");
    let early = Store::open(&path).expect("a store");
    let mut learner = Learner::open(&path).expect("opened");
    for number in 0..600 {
        learner.learn(&message(number), LABELS[number % 2], 0).expect("learned");
        if number % 100 == 50 {
            learner.commit().expect("committed");
            let meanwhile = Store::open(&path).expect("a store").info().expect("info");
            let messages: usize = meanwhile.labels.iter().map(|(_, count)| count).sum();
            assert_eq!(messages, number + 1);
        }
    }
    learner.close().expect("closed");
    assert!(early.filter().labels().is_empty(), "a reader has what it opened");
    let late = Store::open(&path).expect("a store");
    let info = late.info().expect("info");
    assert_eq!(info.labels, [("ham".to_owned(), 300), ("spam".to_owned(), 300)]);
    assert_eq!(info.newer, 0, "so many messages are in the tables");
    assert_eq!(late.verify().expect("sound"), 600);
    assert!(late.filter().labels()[0].cuts.above.is_some(), "the cuts are set");
}

#[test]
fn an_export_makes_the_same_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, copy) = (folder.path().join("store"), folder.path().join("copy"));
    let mut learner = create(&path);
    for number in 0..50 {
        learner.learn(&message(number), LABELS[number % 4], number as u64).expect("learned");
    }
    learner.forget(&message(7)).expect("forgotten");
    learner.commit().expect("committed");
    let mut text = Vec::new();
    assert_eq!(export(&learner, &mut text).expect("exported"), 49);
    assert!(!String::from_utf8_lossy(&text).contains("word"), "no text is in it");
    learner.rebuild(|_| ()).expect("rebuilt");

    let mut other = create(&copy);
    assert_eq!(import(&mut other, &mut &text[..]).expect("imported"), (49, 49));
    assert_eq!(import(&mut other, &mut &text[..]).expect("imported"), (49, 0));
    let cut = &text[..text.len() - text.len() / 3];
    assert!(matches!(import(&mut other, &mut &cut[..]), Err(Error::Import { .. })));
    other.close().expect("closed");
    let open = |path: &Path| state(&Store::open(path).expect("a store"));
    assert_eq!(open(&path), open(&copy));

    let stranger = folder.path().join("stranger");
    let mut stranger = Learner::create(&stranger, BITS, 8, Settings::default()).expect("a store");
    let refused = import(&mut stranger, &mut &text[..]).expect_err("another seed");
    assert_eq!(refused.to_string(), "the seed is 7 there and 8 here");
}

#[test]
fn damage_is_found_and_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    let mut learner = create(&path);
    for number in 0..300 {
        learner.learn(&message(number), LABELS[number % 2], 0).expect("learned");
    }
    learner.close().expect("closed");
    let tables = path.join("tables.tamis");
    let whole = std::fs::read(&tables).expect("tables");
    for at in [0, 9, 70, 130, 5000, whole.len() / 2, whole.len() - 1] {
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
    // Each sentence names the file, and what is no file of Tamis at all is damage like any other.
    std::fs::write(&tables, [b"x", &whole[1..]].concat()).expect("written");
    let foreign = Store::open(&path).expect_err("no tables");
    assert!(matches!(&foreign, Error::Damaged { name, .. } if *name == tables), "{foreign}");
    std::fs::write(&tables, &whole[..200]).expect("written");
    let short = Store::open(&path).expect_err("no tables");
    assert!(matches!(&short, Error::Unsound { name, .. } if *name == tables), "{short}");

    std::fs::write(&tables, &whole).expect("written");
    assert_eq!(Store::open(&path).expect("sound").verify().expect("sound"), 300);
    // Tables that are sound and say something else than the journal.
    let journal = path.join("journal-1.log");
    let records = std::fs::read(&journal).expect("a journal");
    std::fs::write(&journal, &records[..records.len() - 20]).expect("written");
    assert!(matches!(Store::open(&path), Err(Error::Damaged { .. })));
    assert!(matches!(Learner::open(&path), Err(Error::Damaged { .. })));

    assert!(matches!(Store::open(folder.path()), Err(Error::NoStore { .. })));
    std::fs::write(folder.path().join("something"), "else").expect("written");
    let occupied = Learner::create(folder.path(), BITS, 0, Settings::default());
    assert!(matches!(occupied, Err(Error::Occupied { .. })));
}

/// Who reads on while others learn sees what one sees who opens the store then.
#[test]
fn a_reader_follows_what_is_learned() {
    let folder = tempfile::tempdir().expect("a folder");
    create(folder.path()).close().expect("closed");
    let mut follower = Store::open(folder.path()).expect("a store");
    assert!(!follower.is_behind());
    let (mut learned, mut replaced) = (0, 0);
    for round in 0..60 {
        let mut learner = Learner::open(folder.path()).expect("a store");
        for number in 0..8 {
            let label = LABELS[(round + number) % if round < 20 { 2 } else { 4 }];
            learner.learn(&message(round * 8 + number), label, 9).expect("learned");
        }
        if round % 7 == 3 {
            assert!(learner.forget(&message(round * 8)).expect("forgotten"));
        }
        learner.close().expect("closed");
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
        assert_eq!(state(&follower), state(&Store::open(folder.path()).expect("a store")));
    }
    assert!(learned > 20 && replaced > 5, "{learned} and {replaced}");
}

/// A label with few messages leaves alone what is sure of another, and cuts are set as soon as there is enough.
#[test]
fn a_new_label_takes_no_verdict_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut learner = create(folder.path());
    let own = |class: &str, number: usize| -> Vec<u8> {
        format!(
            "From: a{number}@example.org\n\n{class} {class}{} {class}{}\n",
            number % 7,
            number % 11
        )
        .into()
    };
    for number in 0..200 {
        learner.learn(&own("leek", number), "spam", 1).expect("learned");
        learner.learn(&own("turnip", number), "ham", 1).expect("learned");
    }
    learner.close().expect("closed");
    let verdicts = || {
        let store = Store::open(folder.path()).expect("a store");
        [own("leek", 500), own("turnip", 500)].map(|raw| {
            let message = tamis_mail::message::Message::parse(&raw);
            store.filter().verdict(store.judge(&message).1.verdict).to_owned()
        })
    };
    assert_eq!(verdicts(), ["spam", "ham"]);
    let mut learner = Learner::open(folder.path()).expect("a store");
    learner.learn(&own("carrot", 1), "social", 1).expect("learned");
    learner.close().expect("closed");
    assert_eq!(verdicts(), ["spam", "ham"]);
    let mut learner = Learner::open(folder.path()).expect("a store");
    assert!(learner.forget(&own("carrot", 1)).expect("forgotten"));
    learner.close().expect("closed");
    assert_eq!(verdicts(), ["spam", "ham"]);
}
