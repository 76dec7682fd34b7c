//! A store that was written once must be read for ever.

use std::path::{Path, PathBuf};
use tamis_mail::mailbox::for_each_message;
use tamis_mail::merged::{Group, for_each_merged};
use tamis_mail::message::Message;
use tamis_mail::store::{Learner, Settings, Store};

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/store")
}

fn examples(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mail").join(path)
}

#[test]
fn the_golden_store_is_sound_and_judges_as_it_should() {
    let store = Store::open(&here()).expect("a store");
    assert_eq!(store.verify().expect("sound"), 24);
    let info = store.info().expect("info");
    assert_eq!(info.labels, [("ham".to_owned(), 12), ("spam".to_owned(), 12)]);
    for (path, spam) in [("spam/testing", true), ("ham/testing", false)] {
        let mut count = 0;
        for_each_message(&[examples(path)], |source, raw| -> tamis_mail::Result<()> {
            let (_, judgement) = store.judge(&Message::parse(raw));
            assert_eq!(judgement.probability > 0.5, spam, "{source}");
            count += 1;
            Ok(())
        })
        .expect("messages");
        assert_eq!(count, 5);
    }
}

#[test]
fn the_same_messages_fall_into_the_same_cells() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    let mut learner = Learner::create(&path, 10, 2026, Settings::default()).expect("a store");
    let group =
        |label: &str| Group { label: label.into(), paths: vec![examples(label).join("training")] };
    let groups = [group("spam"), group("ham")];
    for_each_merged(&groups, |message| -> tamis_mail::Result<()> {
        learner.learn(&message.raw, &groups[message.group].label, 0).map(drop)
    })
    .expect("learned");
    learner.close().expect("closed");
    let (now, golden) = (Store::open(&path).expect("now"), Store::open(&here()).expect("golden"));
    let [now, golden] = [&now, &golden].map(Store::filter);
    assert_eq!(now.labels()[0].words, golden.labels()[0].words);
    assert_eq!(now.senders(), golden.senders());
    let near = |filter: &tamis_mail::filter::Filter| -> Vec<_> {
        filter.neighbours().iter().map(|near| (near.digest, near.signature)).collect()
    };
    assert_eq!(near(now), near(golden));
}
