//! A personal store on a shared base: the base speaks first, own lessons outweigh it, and both are undone
//! separately.

use crate::common::{copy, judge};
use std::path::Path;
use std::sync::OnceLock;
use tamis::hash::{Functions, KeyHash};
use tamis_mail::Error;
use tamis_mail::filter::{Judgement, Verdict};
use tamis_mail::store::{Base, Learner, Settings, Store};

const BITS: u32 = 16;

/// A kind of mail: who sends it, and which words it has.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Spam from anybody.
    Pills,
    /// Advertisements of one sender, spam for most.
    Shop,
    /// Ham from colleagues.
    Work,
    /// Ham of one list.
    Club,
}

const KINDS: [Kind; 4] = [Kind::Pills, Kind::Shop, Kind::Work, Kind::Club];

impl Kind {
    const fn label(self) -> &'static str {
        match self {
            Self::Pills | Self::Shop => "spam",
            Self::Work | Self::Club => "ham",
        }
    }

    /// A message of this kind: half of its words are those of the kind.
    fn message(self, number: usize) -> Vec<u8> {
        let name = format!("{self:?}").to_lowercase();
        let mut draw = Functions::new(KeyHash::new(number as u64).bytes(name.as_bytes()));
        let mut below = |most: u64| (draw.next().unwrap_or_default() >> 20) % most;
        let mut words = String::new();
        for place in 0..80 {
            match place % 2 {
                0 => words.push_str(&format!("{name}{} ", below(150))),
                _ => words.push_str(&format!("common{} ", below(900))),
            }
        }
        let sender = match self {
            Self::Pills => format!("x{number}@random{number}.example"),
            Self::Shop => "news@shop.example".to_owned(),
            Self::Work => format!("colleague{}@office.example", number % 20),
            Self::Club => "list@club.example".to_owned(),
        };
        let host = if self == Self::Pills { format!("random{number}") } else { name };
        format!(
            "Received: from mx.{host}.example (mx.{host}.example [192.0.2.7]) by here; today\n\
             From: {sender}\nTo: you@here.example\nMessage-ID: <{number}@{host}.example>\n\
             Date: Mon, 16 Nov 2026 09:00:00 +0000\nSubject: number {number}\n\n{words}\n"
        )
        .into()
    }
}

/// A store of 2,000 spam and 2,000 ham messages, made once for all tests.
fn base() -> &'static Path {
    static BASE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = BASE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut learner = create(&folder.path().join("base"));
        for number in 0..1000 {
            for kind in KINDS {
                learner.learn(&kind.message(number), kind.label(), 0).expect("learned");
            }
        }
        learner.close().expect("closed");
        folder
    });
    made.path()
}

fn create(folder: &Path) -> Learner {
    Learner::create(folder, BITS, 7, Settings::default()).expect("a store")
}

fn on(base: &Base, folder: &Path) -> Store {
    let mut store = Store::open(folder).expect("a store");
    store.set_base(base).expect("it was made for it");
    store
}

/// Messages that nobody has learned, of all kinds.
fn unseen() -> impl Iterator<Item = (Kind, Vec<u8>)> {
    (5000..5025).flat_map(|number| KINDS.map(|kind| (kind, kind.message(number))))
}

/// A judgement without the numbers of near messages, which differ above a base.
fn said(mut judgement: Judgement) -> Judgement {
    judgement.near.iter_mut().for_each(|near| near.number = 0);
    judgement
}

#[test]
fn the_first_verdict_is_the_base_s_and_forgetting_restores_it_bit_for_bit() {
    let folder = tempfile::tempdir().expect("a folder");
    let (by_itself, base) = (
        Store::open(&base().join("base")).expect("a store"),
        Base::open(&base().join("base")).expect("a base"),
    );
    let path = folder.path().join("anne");
    base.create(&path, Settings::default()).expect("a store").close().expect("closed");
    let new = on(&base, &path);
    for (kind, raw) in unseen() {
        let expected = said(judge(&by_itself, &raw));
        assert_eq!(expected.verdict.is_spam(), kind.label() == "spam", "{kind:?}");
        assert_eq!(said(judge(&new, &raw)), expected, "{kind:?}");
        assert_eq!(said(judge(base.alone(), &raw)), expected, "without a store");
    }
    let mut learner = Learner::open(&path).expect("a store");
    learner.set_base(&base).expect("made for it");
    let lessons: Vec<_> = (6000..6020).map(|number| Kind::Shop.message(number)).collect();
    for raw in &lessons {
        learner.learn(raw, "ham", 0).expect("learned");
    }
    learner.learn(&Kind::Work.message(6000), "social", 0).expect("learned");
    learner.commit().expect("committed");
    assert_eq!(on(&base, &path).verify().expect("sound"), 21);
    // In another order than they came.
    for raw in lessons.iter().rev().chain([&Kind::Work.message(6000)]) {
        assert!(learner.forget(raw).expect("forgotten"));
    }
    learner.close().expect("closed");
    let again = on(&base, &path);
    for (kind, raw) in unseen() {
        let (left, mut right) = (said(judge(&again, &raw)), said(judge(&by_itself, &raw)));
        // The label is still there, without messages.
        right.labels.push(0.0);
        assert_eq!(left.score.to_bits(), right.score.to_bits(), "{kind:?}");
        assert_eq!(left, right, "{kind:?}");
    }
    assert_eq!(by_itself.verify().expect("sound"), 4000, "the base was not changed");
}

/// Twenty lessons that contradict 1,000 of the base win for that sender, and for a topic, and leave all other mail
/// as it is.
#[test]
fn twenty_lessons_outweigh_the_base() {
    let base = Base::open(&base().join("base")).expect("a base");
    let folder = tempfile::tempdir().expect("a folder");
    for (taught, label) in [(Kind::Shop, "ham"), (Kind::Club, "spam"), (Kind::Work, "spam")] {
        let path = folder.path().join(format!("{taught:?}"));
        let mut learner = base.create(&path, Settings::default()).expect("a store");
        for number in 6000..6020 {
            learner.learn(&taught.message(number), label, 0).expect("learned");
        }
        learner.close().expect("closed");
        let store = on(&base, &path);
        for (kind, raw) in unseen() {
            let judgement = judge(&store, &raw);
            let expected = if kind == taught { label } else { kind.label() };
            let is_right = match expected {
                "spam" => judgement.verdict.is_spam(),
                _ => judgement.verdict == Verdict::Ham,
            };
            assert!(
                is_right,
                "{taught:?} is {label}, and {kind:?} is {:?}: {:?}",
                judgement.verdict, judgement.evidence
            );
        }
    }
}

#[test]
fn a_store_of_another_seed_or_size_has_no_place_on_a_base() {
    /// Long enough that no name of a temporary folder contains it.
    const SEED: u64 = 8_675_309_123_457;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("base");
    create(&path).close().expect("closed");
    let base = Base::open(&path).expect("a base");
    let other = folder.path().join("other");
    let mut learner = Learner::create(&other, BITS, SEED, Settings::default()).expect("a store");
    let refused = learner.set_base(&base).expect_err("another seed");
    assert!(matches!(refused, Error::OtherSeed { .. }));
    let sentence = refused.to_string();
    assert!(!sentence.contains(&SEED.to_string()), "the seed is not told: {sentence}");
    learner.close().expect("closed");
    assert!(Store::open(&other).expect("a store").set_base(&base).is_err());
    let larger = folder.path().join("larger");
    let mut learner = Learner::create(&larger, BITS + 1, 7, Settings::default()).expect("a store");
    assert!(matches!(learner.set_base(&base), Err(Error::Mismatch { .. })));
}

#[test]
fn a_base_that_learns_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let [path, own] = ["base", "own"].map(|name| folder.path().join(name));
    create(&path).close().expect("closed");
    let old = Base::open(&path).expect("a base");
    old.create(&own, Settings::default()).expect("a store").close().expect("closed");
    assert!(!old.is_behind());
    let mut learner = Learner::open(&path).expect("a store");
    learner.learn(&Kind::Shop.message(1), "spam", 0).expect("learned");
    learner.close().expect("closed");
    assert!(old.is_behind());
    let (new, mut store) = (Base::open(&path).expect("a base"), on(&old, &own));
    assert!(store.stands_on(&old) && !store.stands_on(&new));
    assert!(!judge(&store, &Kind::Shop.message(1)).verdict.is_spam());
    store.set_base(&new).expect("the same seed");
    assert!(judge(&store, &Kind::Shop.message(1)).verdict.is_spam(), "a copy of learned spam");
    let kept = folder.path().join("kept");
    copy(&own, &kept);
    assert!(on(&new, &kept).stands_on(&new));
}
