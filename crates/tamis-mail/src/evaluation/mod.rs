//! How good is the filter? Trained on one part of a collection and tested on the other, or judged while it learns.

pub mod ranking;
pub mod stream;

mod by_paper;
mod novel;
mod split;

pub use by_paper::{PaperFindings, judge_by_paper};
pub use novel::Novelty;
pub use split::{Example, Split};

use crate::filter::{Evidence, Filter, Judgement, SPAM, Stages, Verdict};
use crate::message::Message;
use crate::scores::Scores;
use crate::store;
use crate::traits::{Reader, Traits};
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
    /// Which stages give evidence.
    pub stages: Stages,
}

impl Default for Options {
    fn default() -> Self {
        let stages = Stages::ALL;
        Self { bits: 20, body_only: false, ham_lost: 0.001, order: 0, stages }
    }
}

/// What a stage has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Contribution {
    /// Spam that is found because of it.
    pub found: usize,
    /// Spam that is missed because of it.
    pub missed: usize,
    /// Ham that is lost because of it.
    pub lost: usize,
    /// Ham that is kept because of it.
    pub kept: usize,
}

/// What an evaluation has found.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// Messages learned, spam and ham.
    pub learned: (usize, usize),
    /// Messages tested, spam and ham.
    pub tested: (usize, usize),
    /// How many more messages must be learned before anything is sure, spam and ham.
    pub missing: (usize, usize),
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
    /// What each stage has changed, by name.
    pub contributions: Vec<(&'static str, Contribution)>,
}

/// A message that was judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// What it is.
    pub label: u8,
    /// What the filter says.
    pub judgement: Judgement,
}

/// A filter that learns from examples and remembers its scores.
#[derive(Debug, Clone)]
pub struct Pupil {
    options: Options,
    reader: Reader,
    filter: Filter,
    scores: Scores,
    /// Bytes that a journal would have.
    recorded: u64,
}

impl Pupil {
    /// Nothing learned; with these labels, ham first and spam second.
    ///
    /// # Errors
    /// As [`Reader::new`].
    pub fn new(labels: &[String], options: Options) -> tamis::Result<Self> {
        let mut filter = Filter::new(options.bits).with_stages(options.stages);
        for label in labels.iter().skip(2) {
            filter.add_label(label);
        }
        let reader = Reader::new(options.bits, 0)?;
        let scores = Scores::default();
        Ok(Self { options, reader, filter, scores, recorded: 0 })
    }

    /// How it reads messages.
    #[must_use]
    pub const fn reader(&self) -> &Reader {
        &self.reader
    }

    /// What the filter sees of a message.
    #[must_use]
    pub fn read(&self, raw: &[u8]) -> Traits {
        let message = Message::parse(raw);
        let message = if self.options.body_only { message.body_only() } else { message };
        self.reader.read(&message)
    }

    /// Learns a message.
    pub fn learn(&mut self, traits: &Traits, label: u8) {
        let digest = (self.scores.len() as u128).to_le_bytes();
        let learned = self.filter.learn(traits, label, digest, 0);
        self.recorded += store::recorded_size(traits, &learned);
        self.scores.push(label == SPAM, learned.score);
    }

    /// Sets the cuts from the scores so far.
    pub fn set_cuts(&mut self) {
        self.filter.set_cuts(self.scores.cuts(self.options.ham_lost));
    }

    /// How many bytes a store with the same messages has, nearly: names and a few numbers are not counted.
    #[must_use]
    pub fn store_size(&self) -> u64 {
        store::bytes_of(&self.filter, self.scores.len(), self.recorded)
    }

    /// The filter.
    #[must_use]
    pub const fn filter(&self) -> &Filter {
        &self.filter
    }
}

/// Learns the training part, each label in a random order and all labels in proportion, as `mail learn` does, and judges
/// the testing part by cuts that were set without seeing it.
///
/// # Errors
/// As [`Pupil::new`].
pub fn train_and_test(
    labels: &[String],
    training: &[Example],
    testing: &[Example],
    options: Options,
) -> tamis::Result<(Pupil, Vec<Judged>)> {
    let mut pupil = Pupil::new(labels, options)?;
    let mut order: Vec<&Example> = training.iter().collect();
    shuffle(&mut order, options.order);
    for example in in_proportion(&order) {
        let traits = pupil.read(&example.raw);
        pupil.learn(&traits, example.label);
    }
    pupil.set_cuts();
    let judge = |example: &Example| {
        let judgement = pupil.filter.judge(&pupil.read(&example.raw));
        Judged { label: example.label, judgement }
    };
    let judged = testing.iter().map(judge).collect();
    Ok((pupil, judged))
}

/// How often cuts are set while a filter is judged.
const CUTS_EVERY: usize = 100;

/// Judges each message and then learns it, from empty; the labels are merged in proportion.
///
/// # Errors
/// As [`Pupil::new`].
pub fn online(
    labels: &[String],
    examples: &[Example],
    options: Options,
) -> tamis::Result<(Pupil, Vec<Judged>)> {
    let mut pupil = Pupil::new(labels, options)?;
    let mut judged = Vec::with_capacity(examples.len());
    for (index, example) in
        in_proportion(&examples.iter().collect::<Vec<_>>()).into_iter().enumerate()
    {
        let traits = pupil.read(&example.raw);
        judged.push(Judged { label: example.label, judgement: pupil.filter.judge(&traits) });
        pupil.learn(&traits, example.label);
        if index % CUTS_EVERY == 0 {
            pupil.set_cuts();
        }
    }
    pupil.set_cuts();
    Ok((pupil, judged))
}

/// All examples so that each beginning has the labels in nearly the same proportion; those of a label keep their order.
fn in_proportion<'e>(examples: &[&'e Example]) -> Vec<&'e Example> {
    let mut counts = [0usize; 256];
    examples.iter().for_each(|example| counts[usize::from(example.label)] += 1);
    let mut seen = [0usize; 256];
    let mut placed: Vec<(f64, &'e Example)> = examples
        .iter()
        .map(|&example| {
            let label = usize::from(example.label);
            seen[label] += 1;
            ((seen[label] as f64 - 0.5) / counts[label] as f64, example)
        })
        .collect();
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    placed.into_iter().map(|(_, example)| example).collect()
}

/// What was found about spam.
#[must_use]
pub fn findings(pupil: &Pupil, judged: &[Judged]) -> Findings {
    let spam = judged.iter().filter(|judged| judged.label == SPAM).count();
    let ham = judged.len() - spam;
    let part = |of_spam: bool, matches: fn(Verdict) -> bool| {
        let matching = |j: &&Judged| (j.label == SPAM) == of_spam && matches(j.judgement.verdict);
        let of = if of_spam { spam } else { ham };
        judged.iter().filter(matching).count() as f64 / of.max(1) as f64
    };
    let is_unsure = |verdict| verdict == Verdict::Unsure;
    let with_truth = |value: fn(&Judgement) -> f64| -> Vec<Scored> {
        judged.iter().map(|j| (value(&j.judgement), j.label == SPAM)).collect()
    };
    let scores = with_truth(|judgement| judgement.score);
    let probabilities = with_truth(|judgement| judgement.probability);
    let (learned_spam, learned_ham) = pupil.filter.model().messages();
    let cuts = pupil.filter.cuts();
    let above = cuts.above.unwrap_or(f64::INFINITY);
    Findings {
        learned: (learned_spam as usize, learned_ham as usize),
        tested: (spam, ham),
        missing: cuts.missing,
        spam_recall: part(true, Verdict::is_spam),
        ham_lost: part(false, Verdict::is_spam),
        unsure_spam: part(true, is_unsure),
        unsure_ham: part(false, is_unsure),
        one_minus_auc_percent: 100.0 * ranking::one_minus_auc(&scores),
        recall_at: [0.001, 0.005, 0.01].map(|lost| ranking::recall_at(&scores, lost)),
        brier: ranking::brier(&probabilities),
        expected_error: ranking::expected_error(&probabilities),
        contributions: contributions(judged, above),
    }
}

/// What each stage has changed at this cut: how the verdicts would be without it.
fn contributions(judged: &[Judged], above: f64) -> Vec<(&'static str, Contribution)> {
    let names: Vec<&'static str> = Evidence::default().named().map(|(name, _)| name).collect();
    let mut all: Vec<(&'static str, Contribution)> = names
        .into_iter()
        .chain(["similarity"])
        .map(|name| (name, Contribution::default()))
        .collect();
    for Judged { label, judgement } in judged {
        let evidence = &judgement.evidence;
        let score = evidence.score();
        let with = judgement.verdict.is_spam();
        let without_each =
            evidence.named().map(|(_, weight)| judgement.is_copy || score - weight > above);
        let without_copies = std::iter::once(score > above);
        for ((_, contribution), without) in all.iter_mut().zip(without_each.chain(without_copies)) {
            match (*label == SPAM, with, without) {
                (true, true, false) => contribution.found += 1,
                (true, false, true) => contribution.missed += 1,
                (false, true, false) => contribution.lost += 1,
                (false, false, true) => contribution.kept += 1,
                _ => {}
            }
        }
    }
    all
}

/// How often messages of each label, ham first, were given each label; the most probable one counts.
#[must_use]
pub fn confusion(labels: usize, judged: &[Judged]) -> Vec<Vec<usize>> {
    let mut matrix = vec![vec![0; labels]; labels];
    for judged in judged {
        matrix[usize::from(judged.label)][usize::from(judged.judgement.label)] += 1;
    }
    matrix
}

/// A random order that is always the same for a seed.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut chance = Functions::new(KeyHash::new(seed).bytes(b"order"));
    for end in (1..items.len()).rev() {
        let place = chance.next().unwrap_or(0) % (end as u64 + 1);
        items.swap(end, place as usize);
    }
}
