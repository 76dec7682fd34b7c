//! Laws of the model: tables are sums, and an explanation is the whole score.

use proptest::prelude::*;
use tamis::hash::{Functions, KeyHash};
use tamis_mail::filter::{Filter, HAM, SPAM};
use tamis_mail::labels::is_name;
use tamis_mail::model::{Class, Model, Surprises};
use tamis_mail::stages::prior::Suspicions;
use tamis_mail::stages::{Places, Stage, place};
use tamis_mail::traits::{Sender, Traits};

const BITS: u32 = 10;

/// Places of every stage, `count` of them before those that are equal fall together.
fn places(seed: u64, count: usize) -> Places {
    Stage::ALL.map(|stage| {
        let salt = 10 * seed + stage as u64;
        let features = Functions::new(KeyHash::new(salt).integer(1)).take(count);
        let mut own: Vec<u32> = features.map(|hash| place(hash, stage.bits(BITS))).collect();
        own.sort_unstable();
        own.dedup();
        own
    })
}

fn traits(seed: u64, count: usize) -> Traits {
    let hash = KeyHash::new(seed);
    Traits {
        places: places(seed, count),
        sender: (!seed.is_multiple_of(3))
            .then(|| Sender { address: hash.integer(seed % 7), domain: hash.integer(1) }),
        contradicted: seed.is_multiple_of(5),
        signature: (!seed.is_multiple_of(4)).then_some([seed as u8; 128]),
        suspicions: Suspicions::default(),
    }
}

fn learn(model: &mut Model, places: &Places, class: Class) -> Surprises {
    let surprises = model.surprises_over(None, &model.scores(places), class);
    model.learn(places, class, &surprises);
    surprises
}

#[test]
fn every_stage_learns_what_it_is_shown() {
    let mut model = Model::new(BITS);
    let (spam, ham) = (places(1, 40), places(2, 40));
    assert_eq!(model.scores(&spam), [0.0; 6], "nothing is known");
    for _ in 0..20 {
        learn(&mut model, &spam, Class::Spam);
    }
    assert!(model.scores(&ham).iter().all(|score| score.abs() < 1e-9), "one class says nothing");
    for _ in 0..20 {
        learn(&mut model, &ham, Class::Ham);
    }
    for (stage, (spam, ham)) in
        Stage::ALL.iter().zip(model.scores(&spam).iter().zip(model.scores(&ham)))
    {
        assert!(*spam > 0.3 && ham < -0.3, "{}: {spam} and {ham}", stage.name());
    }
    assert_eq!(model.scores(&Places::default()), [0.0; 6], "no features");
    assert_eq!(model.messages(), (20, 20));
}

/// What is sure teaches a correction nothing: only the masses of words change.
#[test]
fn a_stage_that_is_sure_learns_nothing() {
    let mut model = Model::new(BITS);
    assert_eq!(model.surprises_over(None, &[40.0; 6], Class::Spam), [0; 6]);
    assert_eq!(model.surprises_over(None, &[-40.0; 6], Class::Spam), [64; 6]);
    assert_eq!(model.surprises_over(None, &[0.0; 6], Class::Ham), [32; 6]);
    let before = model.clone();
    model.learn(&places(1, 30), Class::Spam, &[0; 6]);
    for stage in Stage::ALL {
        assert_eq!(model.correction(stage), before.correction(stage));
    }
    assert_ne!(model.masses(), before.masses());
}

/// After 300 spam messages and no ham, the headers of ham teach the square root of (300 + 100) / (0 + 100) times as much,
/// and those of spam as much as ever.
#[test]
fn the_rarer_class_teaches_headers_more() {
    let (mut model, mut base) = (Model::new(BITS), Model::new(BITS));
    for _ in 0..300 {
        model.learn(&places(1, 30), Class::Spam, &[0; 6]);
        base.learn(&places(2, 30), Class::Ham, &[0; 6]);
    }
    let wrong = [0.0; 6];
    assert_eq!(model.surprises_over(None, &wrong, Class::Ham), [32, 32, 64, 64, 64, 64]);
    assert_eq!(model.surprises_over(None, &wrong, Class::Spam), [32; 6]);
    assert_eq!(model.surprises_over(Some(&base), &wrong, Class::Ham), [32; 6], "300 of each");
    assert_eq!(model.surprises_over(None, &[-40.0; 6], Class::Ham), [0; 6], "nothing to learn");
    for _ in 0..8_000 {
        model.learn(&places(1, 1), Class::Spam, &[0; 6]);
    }
    let most = model.surprises_over(None, &[40.0; 6], Class::Ham);
    assert_eq!(most, [64, 64, 250, 250, 250, 250], "it fits a byte");
}

type Lesson = (u64, usize, u8);

fn lessons(labels: u8) -> impl Strategy<Value = Vec<Lesson>> {
    prop::collection::vec((0..50u64, 0..300usize, 0..labels), 1..12)
}

proptest! {
    /// Messages of any size, learned in any order and unlearned in any other.
    #[test]
    fn unlearning_in_any_order_leaves_all_tables_as_they_were(
        messages in lessons(2),
        order in any::<usize>(),
    ) {
        let mut model = Model::new(BITS);
        learn(&mut model, &places(99, 30), Class::Ham);
        learn(&mut model, &places(98, 30), Class::Spam);
        let before = model.clone();
        let mut learned: Vec<(Places, Class, Surprises)> = Vec::new();
        for (seed, count, label) in messages {
            let (places, class) = (places(seed, count), [Class::Spam, Class::Ham][usize::from(label)]);
            let surprises = learn(&mut model, &places, class);
            learned.push((places, class, surprises));
        }
        // The order of learning does not matter to the tables, given the surprises.
        let mut reversed = before.clone();
        for (places, class, surprises) in learned.iter().rev() {
            reversed.learn(places, *class, surprises);
        }
        prop_assert_eq!(&reversed, &model);
        let start = order % learned.len();
        learned.rotate_left(start);
        for (places, class, surprises) in &learned {
            model.unlearn(places, *class, surprises);
        }
        prop_assert_eq!(model, before);
    }

    #[test]
    fn the_shares_of_parts_add_up_to_the_score_of_a_stage(
        messages in lessons(2),
        asked in (0..60u64, 1..300usize),
    ) {
        let mut model = Model::new(BITS);
        for (seed, count, label) in messages {
            learn(&mut model, &places(seed, count), [Class::Spam, Class::Ham][usize::from(label)]);
        }
        let asked = places(asked.0, asked.1);
        // What the list had before does not matter.
        let mut shares = vec![7.0; 3];
        for (stage, score) in Stage::ALL.into_iter().zip(model.scores(&asked)) {
            let own = &asked[stage as usize];
            model.shares(stage, own, &mut shares);
            prop_assert_eq!(shares.len(), own.len());
            let sum: f64 = shares.iter().sum();
            prop_assert!((sum - score).abs() < 1e-9, "{}: {sum} is not {score}", stage.name());
        }
    }

    /// The same of a filter with labels, senders and similar messages.
    #[test]
    fn a_filter_that_unlearns_everything_is_as_it_was(messages in lessons(4), order in any::<usize>()) {
        let mut filter = Filter::new(BITS);
        filter.add_label("social");
        filter.add_label("shops");
        let kept = traits(97, 40);
        filter.learn(&kept, 2, [97; 16], 0);
        let before = filter.clone();
        let mut learned = Vec::new();
        for (number, (seed, count, label)) in messages.into_iter().enumerate() {
            let (traits, digest) = (traits(seed, count), [number as u8; 16]);
            let surprises = filter.learn(&traits, label, digest, 0).surprises;
            learned.push((traits, label, surprises, digest));
        }
        let start = order % learned.len();
        learned.rotate_left(start);
        for (traits, label, surprises, digest) in &learned {
            filter.unlearn(traits, *label, surprises, *digest);
        }
        prop_assert_eq!(filter.model(), before.model());
        prop_assert_eq!(filter.labels(), before.labels());
        prop_assert_eq!(filter.senders(), before.senders());
        let [now, then] = [&filter, &before].map(|filter| filter.neighbours().compacted().into_owned());
        prop_assert_eq!(now.messages(), then.messages());
        prop_assert_eq!(now.heads(), then.heads());
    }

    /// A label besides `ham` and `spam` is ham to everything that decides about spam.
    #[test]
    fn a_label_is_ham_to_the_score_of_spam(messages in lessons(4), asked in (0..60u64, 1..300usize)) {
        let [mut labelled, mut plain] = [Filter::new(BITS), Filter::new(BITS)];
        labelled.add_label("social");
        labelled.add_label("shops");
        for (number, (seed, count, label)) in messages.into_iter().enumerate() {
            let (traits, digest) = (traits(seed, count), [number as u8; 16]);
            let left = labelled.learn(&traits, label, digest, 0);
            let right = plain.learn(&traits, u8::from(label == SPAM), digest, 0);
            prop_assert_eq!(left, right, "what is remembered of it");
        }
        prop_assert_eq!(labelled.model(), plain.model());
        let asked = traits(asked.0, asked.1);
        let (left, right) = (labelled.judge(&asked), plain.judge(&asked));
        prop_assert_eq!(left.score.to_bits(), right.score.to_bits());
        prop_assert_eq!(left.probability.to_bits(), right.probability.to_bits());
        prop_assert_eq!(left.evidence, right.evidence);
        prop_assert_eq!(left.verdict.is_spam(), right.verdict.is_spam());
        // Removing the labels leaves their messages as ham.
        labelled.remove_label(2);
        labelled.remove_label(3);
        prop_assert_eq!(labelled.judge(&asked).score.to_bits(), right.score.to_bits());
        prop_assert_eq!(labelled.judge(&asked).verdict, right.verdict);
        prop_assert_eq!(labelled.name(2), HAM);
        prop_assert_eq!(labelled.label("social"), None);
    }
}

#[test]
fn a_word_that_means_a_verdict_is_no_name_of_a_label() {
    for name in ["social", "a.b", "x-1", "Über_uns", "hams", &"x".repeat(64)] {
        assert!(is_name(name), "{name}");
    }
    for name in
        ["", "ham", "Spam", "UNSURE", "unknown", "none", "all", "a b", "a/b", &"x".repeat(65)]
    {
        assert!(!is_name(name), "{name}");
    }
}
