//! A store that was written once must be readable for ever.

use std::path::{Path, PathBuf};
use tamis_mail::mailbox::for_each_message;
use tamis_mail::merged::{Group, for_each_merged};
use tamis_mail::message::Message;
use tamis_mail::store::{Learner, Settings, Store, export};

fn golden(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(path)
}

fn labels(counts: &[(&str, usize)]) -> Vec<(String, usize)> {
    counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[test]
fn every_golden_store_is_sound_and_judges_its_messages() {
    let stores = [
        ("store", labels(&[("ham", 12), ("spam", 12)])),
        ("store-2", labels(&[("ham", 9), ("spam", 12), ("dutch", 3)])),
    ];
    for (name, labels) in stores {
        let store = Store::open(&golden(name)).expect("a store");
        assert_eq!(store.verify().expect("sound"), 24, "{name}");
        assert_eq!(store.info().expect("info").labels, labels, "{name}");
        for (path, spam) in [("mail/spam", true), ("mail/ham", false)] {
            let mut count = 0;
            for_each_message(&[golden(path)], |source, raw| -> tamis_mail::Result<()> {
                let (_, judgement) = store.judge(&Message::parse(raw));
                assert_eq!(judgement.probability > 0.5, spam, "{name}: {source}");
                assert_eq!(judgement.verdict.is_spam(), spam, "{name}: {source}");
                count += 1;
                Ok(())
            })
            .expect("messages");
            assert_eq!(count, 12);
        }
    }
}

/// The export of a store without the times.
fn exported(store: &Path) -> Vec<String> {
    let mut text = Vec::new();
    export(&Learner::open(store).expect("a store"), &mut text).expect("exported");
    let text = String::from_utf8(text).expect("JSON");
    let timeless = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        line.as_object_mut().expect("an object").remove("time");
        line.to_string()
    };
    text.lines().map(timeless).collect()
}

/// Digests, senders, signatures and the places of all stages.
#[test]
fn the_same_messages_have_the_same_features_as_in_the_golden_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, kept) = (folder.path().join("store"), folder.path().join("kept"));
    std::fs::create_dir(&kept).expect("a folder");
    for entry in std::fs::read_dir(golden("store-2")).expect("a folder") {
        let entry = entry.expect("a file");
        std::fs::copy(entry.path(), kept.join(entry.file_name())).expect("copied");
    }
    let mut learner = Learner::create(&path, 10, 2026, Settings::default()).expect("a store");
    let groups = ["spam", "ham"]
        .map(|label| Group { label: label.to_owned(), paths: vec![golden("mail").join(label)] });
    for_each_merged(&groups, |message| -> tamis_mail::Result<()> {
        let label = if message.name.contains("nl-") && message.group == 1 {
            "dutch"
        } else {
            &groups[message.group].label
        };
        learner.learn(&message.raw, label, 0).map(drop)
    })
    .expect("learned");
    learner.close().expect("closed");
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    assert_eq!(sorted(exported(&path)), sorted(exported(&kept)));
}
