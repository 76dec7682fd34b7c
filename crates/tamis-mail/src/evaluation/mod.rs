//! How good is the filter? Trained on one part of a collection and tested on the other.

pub mod ranking;

mod split;

pub use split::{Example, Part, Split};

use crate::cuts::Cuts;
use crate::features::features;
use crate::message::Message;
use crate::words::{Class, Words, probability};
use ranking::Scored;
use tamis::hash::{Functions, KeyHash};

/// How a filter is evaluated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Bits of the table.
    pub bits: u32,
    /// Look at the body alone.
    pub body_only: bool,
    /// The part of the ham that may be lost.
    pub ham_lost: f64,
    /// Which order of learning.
    pub order: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { bits: 22, body_only: false, ham_lost: 0.001, order: 0 }
    }
}

/// What an evaluation has found.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// Messages learned, spam and ham.
    pub learned: (usize, usize),
    /// Messages tested, spam and ham.
    pub tested: (usize, usize),
    /// How many more ham messages must be learned before anything is called spam.
    pub missing_ham: usize,
    /// The part of the spam with the verdict spam.
    pub spam_recall: f64,
    /// The part of the ham with the verdict spam.
    pub ham_lost: f64,
    /// The part of the spam with the verdict unsure.
    pub unsure_spam: f64,
    /// The part of the ham with the verdict unsure.
    pub unsure_ham: f64,
    /// The probability that a spam does not score above a ham, in percent.
    pub one_minus_auc_percent: f64,
    /// Recall when 0.1, 0.5 and 1 % of the ham are lost.
    pub recall_at: [f64; 3],
    /// The mean square error of the probabilities.
    pub brier: f64,
    /// The expected difference between probability and frequency.
    pub expected_error: f64,
}

/// A message of a collection, ready to be learned.
struct Prepared {
    features: Vec<u64>,
    class: Class,
}

/// Learns the training part in a random order and judges the testing part by cuts that were set
/// without seeing it.
#[must_use]
pub fn train_and_test(split: &Split, options: &Options) -> Findings {
    let hash = KeyHash::default();
    let prepare = |example: &Example| {
        let message = Message::parse(&example.raw);
        let message = if options.body_only { message.body_only() } else { message };
        Prepared { features: features(&message, &hash), class: example.class }
    };
    let mut training: Vec<Prepared> = split.part(Part::Training).map(prepare).collect();
    shuffle(&mut training, options.order);
    let mut words = Words::new(options.bits);
    let mut cuts = Cuts::new(options.ham_lost);
    for message in &training {
        cuts.note(words.score(&message.features), message.class);
        words.learn(&message.features, message.class);
    }
    let testing: Vec<Prepared> = split.part(Part::Testing).map(prepare).collect();
    let scores: Vec<Scored> = testing
        .iter()
        .map(|message| (words.score(&message.features), message.class == Class::Spam))
        .collect();
    findings(&training, &scores, &cuts)
}

fn findings(training: &[Prepared], scores: &[Scored], cuts: &Cuts) -> Findings {
    let spam = scores.iter().filter(|(_, spam)| *spam).count();
    let ham = scores.len() - spam;
    let learned = training.iter().filter(|message| message.class == Class::Spam).count();
    let part = |of_spam: bool, verdict: Option<Class>| {
        let matching =
            |(score, is_spam): &&Scored| *is_spam == of_spam && cuts.verdict(*score) == verdict;
        let of = if of_spam { spam } else { ham };
        scores.iter().filter(matching).count() as f64 / of.max(1) as f64
    };
    let probabilities: Vec<Scored> =
        scores.iter().map(|(score, spam)| (probability(*score), *spam)).collect();
    Findings {
        learned: (learned, training.len() - learned),
        tested: (spam, ham),
        missing_ham: cuts.missing(),
        spam_recall: part(true, Some(Class::Spam)),
        ham_lost: part(false, Some(Class::Spam)),
        unsure_spam: part(true, None),
        unsure_ham: part(false, None),
        one_minus_auc_percent: 100.0 * ranking::one_minus_auc(scores),
        recall_at: [0.001, 0.005, 0.01].map(|lost| ranking::recall_at(scores, lost)),
        brier: ranking::brier(&probabilities),
        expected_error: ranking::expected_error(&probabilities),
    }
}

/// A random order that is always the same for a seed.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut chance = Functions::new(KeyHash::new(seed).bytes(b"order"));
    for end in (1..items.len()).rev() {
        let place = chance.next().unwrap_or(0) % (end as u64 + 1);
        items.swap(end, place as usize);
    }
}
