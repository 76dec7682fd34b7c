//! Export and import.

use crate::common::{BITS, LABELS, SEED, create, learner, message, open, tables};
use tamis_mail::Error;
use tamis_mail::store::{Change, Learner, Settings, export, import};

#[test]
fn an_export_makes_the_same_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, copy) = (folder.path().join("store"), folder.path().join("copy"));
    let mut learning = create(&path);
    for number in 0..50 {
        learning.learn(&message(number), LABELS[number % 4], number as u64).expect("learned");
    }
    learning.forget(&message(7)).expect("forgotten");
    learning.rename_label("social", "friends").expect("renamed");
    learning.remove_label("promotions").expect("removed");
    learning.commit().expect("committed");
    let mut text = Vec::new();
    assert_eq!(export(&learning, &mut text).expect("exported"), 49);
    assert!(!String::from_utf8_lossy(&text).contains("word"), "no text is in it");
    learning.rebuild(|_| ()).expect("rebuilt");

    let mut other = create(&copy);
    assert_eq!(import(&mut other, &mut &text[..]).expect("imported"), (49, 49));
    assert_eq!(import(&mut other, &mut &text[..]).expect("imported"), (49, 0));
    let cut = &text[..text.len() - text.len() / 3];
    assert!(matches!(import(&mut other, &mut &cut[..]), Err(Error::Import { .. })));
    let mut again = Vec::new();
    assert_eq!(export(&other, &mut again).expect("exported"), 49);
    assert_eq!(again, text, "an export of the copy is the same");
    other.close().expect("closed");
    let (first, second) = (open(&path), open(&copy));
    assert_eq!(tables(first.filter()), tables(second.filter()));
    assert_eq!(first.info().expect("info").labels, second.info().expect("info").labels);
    assert_eq!(second.verify().expect("sound"), 49);

    let stranger = folder.path().join("stranger");
    let mut stranger = Learner::create(&stranger, BITS, 8, Settings::default()).expect("a store");
    let refused = import(&mut stranger, &mut &text[..]).expect_err("another seed");
    assert_eq!(refused.to_string(), "the seed is 7 there and 8 here");
}

/// An export with one message, its form, its features and its places.
fn one(form: u16, features: u16, places: &str) -> String {
    format!(
        "{{\"tamis_mail\":{form},\"features\":{features},\"bits\":{BITS},\"seed\":{SEED},\"messages\":1}}\n\
         {{\"digest\":\"{}\",\"label\":\"unsure\",\"time\":5,\"places\":{places}}}\n",
        "07".repeat(16)
    )
}

#[test]
fn an_export_of_version_1_is_learned() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, places) in ["[5,0,3]", "[]"].into_iter().enumerate() {
        let path = folder.path().join(number.to_string());
        let mut learning = create(&path);
        let text = one(1, 1, places);
        assert_eq!(import(&mut learning, &mut text.as_bytes()).expect("imported"), (1, 1));
        learning.close().expect("closed");
        let store = open(&path);
        assert_eq!(store.verify().expect("sound"), 1);
        let labels = store.info().expect("info").labels;
        assert_eq!(labels.last(), Some(&("label-unsure".to_owned(), 1)), "no verdict is a label");
    }
}

#[test]
fn what_no_export_says_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut learning = create(folder.path());
    let six = |first: &str| format!("[{first},[],[],[],[],[]]");
    let refused = [
        one(2, 2, "[5,3]"),
        one(2, 2, "[[5,3]]"),
        one(2, 2, "[]"),
        one(1, 1, &six("[5]")),
        // A place twice, and one outside of the table.
        one(2, 2, &six("[5,0]")),
        one(2, 2, &six("[4096]")),
        one(1, 1, "[4096]"),
        one(2, 2, &six("[5,4294967295]")),
    ];
    for text in refused {
        let found = import(&mut learning, &mut text.as_bytes());
        assert!(matches!(found, Err(Error::Import { line: 2, .. })), "{text}");
    }
    for (form, features) in [(1, 2), (2, 1), (3, 2), (0, 1)] {
        let text = one(form, features, "[]");
        let found = import(&mut learning, &mut text.as_bytes());
        assert!(matches!(found, Err(Error::Mismatch { .. })), "{text}");
    }
    assert_eq!(learning.messages(), 0);
    drop(learning);
    let change = learner(folder.path()).learn(&message(1), "ham", 0).expect("learned");
    assert_eq!(change, Change::Learned);
}
