//! The filter: three stages that each give evidence, and what they say together.
//!
//! For each label but `ham` there is a table of words. A message is scored for each of them:
//!
//! ```text
//! score = words + sender + similarity            the logarithm of the odds
//! ```
//!
//! - *words*: [`crate::words`], what the message says.
//! - *sender*: [`crate::senders`], what came from the same address before.
//! - *similarity*: [`crate::neighbours`], the nearest learned message with the label and without. A message with too
//!   little text says nothing here.
//!
//! [`crate::cuts`] tell what is sure.

use crate::cuts::{Cuts, Side};
use crate::neighbours::{Near, Neighbours};
use crate::senders::{Record, Senders};
use crate::traits::Traits;
use crate::words::{Class, Update, Words, surprise};

/// A message with at least this similarity to a learned one is a near-copy of it.
pub const NEAR_COPY: f64 = 0.5;

/// The label of everything that has no other.
pub const HAM: &str = "ham";

/// The most labels, `ham` included.
pub const MAX_LABELS: usize = 64;

/// Which stages give evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stages {
    /// Who sent it.
    pub sender: bool,
    /// What it is like.
    pub similarity: bool,
    /// What it says.
    pub words: bool,
}

impl Stages {
    /// All of them.
    pub const ALL: Self = Self { sender: true, similarity: true, words: true };
}

/// What each stage adds to the logarithm of the odds of a label.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// What it says.
    pub words: f64,
    /// Who sent it.
    pub sender: f64,
    /// What it is like.
    pub similarity: f64,
}

impl Evidence {
    /// All together.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.words + self.sender + self.similarity
    }
}

/// What is known of one label.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// What messages with it say.
    pub words: Words,
    /// What is sure.
    pub cuts: Cuts,
}

/// The filter.
#[derive(Debug, Clone)]
pub struct Filter {
    bits: u32,
    stages: Stages,
    labels: Vec<Label>,
    senders: Senders,
    neighbours: Neighbours,
}

/// What is remembered of a message that was learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// For each label but ham, how wrong its table was, of 64.
    pub surprises: Vec<u8>,
    /// For each label but ham, the score before the message was learned.
    pub scores: Vec<f32>,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It has the label with this number.
    Label(u8),
    /// It has none.
    Ham,
    /// Not sure.
    Unsure,
}

/// What a filter says of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The answer.
    pub verdict: Verdict,
    /// The most probable label, 0 for ham.
    pub label: u8,
    /// The probability of the label that the evidence is about.
    pub probability: f64,
    /// The label that the evidence is about: the most probable one but ham.
    pub about: u8,
    /// What each stage says about each label but ham.
    pub evidence: Vec<Evidence>,
    /// What is known of the sender, about that label.
    pub sender: Option<Record>,
    /// The nearest learned messages, the most similar first.
    pub near: Vec<Near>,
}

impl Filter {
    /// Nothing learned; tables of `2^bits` cells.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        Self {
            bits,
            stages: Stages::ALL,
            labels: Vec::new(),
            senders: Senders::new(bits),
            neighbours: Neighbours::new(bits),
        }
    }

    pub(crate) const fn from_parts(
        bits: u32,
        labels: Vec<Label>,
        senders: Senders,
        neighbours: Neighbours,
    ) -> Self {
        Self { bits, stages: Stages::ALL, labels, senders, neighbours }
    }

    /// With these stages only; learning goes on in all of them.
    #[must_use]
    pub const fn with_stages(mut self, stages: Stages) -> Self {
        self.stages = stages;
        self
    }

    /// Uses these stages only, from now on.
    pub const fn set_stages(&mut self, stages: Stages) {
        self.stages = stages;
    }

    /// Bits of its tables.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// The labels but ham; the number of the first is 1.
    #[must_use]
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The name of a label.
    #[must_use]
    pub fn name(&self, label: u8) -> &str {
        let index = usize::from(label).checked_sub(1);
        index.and_then(|index| self.labels.get(index)).map_or(HAM, |label| &label.name)
    }

    /// A verdict in a word: a label, `ham` or `unsure`.
    #[must_use]
    pub fn verdict(&self, verdict: Verdict) -> &str {
        match verdict {
            Verdict::Label(label) => self.name(label),
            Verdict::Ham => HAM,
            Verdict::Unsure => "unsure",
        }
    }

    /// The number of a label that is known.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<u8> {
        let known = || self.labels.iter().position(|label| label.name == name);
        if name == HAM { Some(0) } else { known().map(|index| index as u8 + 1) }
    }

    /// What is known of senders.
    #[must_use]
    pub const fn senders(&self) -> &Senders {
        &self.senders
    }

    /// What is known of texts.
    #[must_use]
    pub const fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }

    /// Adds a label whose table has seen nothing; its number is returned.
    pub fn add_label(&mut self, name: &str) -> u8 {
        let (words, cuts) = (Words::new(self.bits), Cuts::unknown());
        self.labels.push(Label { name: name.to_owned(), words, cuts });
        self.labels.len() as u8
    }

    /// Says what is sure about a label.
    pub fn set_cuts(&mut self, label: u8, cuts: Cuts) {
        if let Some(label) = self.labels.get_mut(usize::from(label).wrapping_sub(1)) {
            label.cuts = cuts;
        }
    }

    /// The class of a message with `label` for the table of another.
    const fn class(label: u8, of: u8) -> Class {
        if label == of { Class::Spam } else { Class::Ham }
    }

    /// Teaches the table of one label a message that was learned before it came; the surprise and the score are returned.
    pub fn catch_up(&mut self, table: u8, traits: &Traits, label: u8) -> (u8, f32) {
        // Its sender and its neighbours know it already, and would say so.
        let words = &mut self.labels[usize::from(table) - 1].words;
        let score = words.score(&traits.places);
        let update = words.learn(&traits.places, Self::class(label, table));
        (update.surprise, score as f32)
    }

    /// [`Self::catch_up`] with the surprise that it was then.
    pub fn catch_up_again(&mut self, table: u8, traits: &Traits, label: u8, surprise: u8) {
        if let Some(label_of) = self.labels.get_mut(usize::from(table).wrapping_sub(1)) {
            let update = Update { class: Self::class(label, table), surprise };
            label_of.words.learn_again(&traits.places, update);
        }
    }

    /// Learns a message with a label.
    pub fn learn(&mut self, traits: &Traits, label: u8, digest: [u8; 16], time: u64) -> Learned {
        let near = self.near(traits);
        let mut learned = Learned { surprises: Vec::new(), scores: Vec::new() };
        for table in 1..=self.labels.len() as u8 {
            let evidence = self.evidence(traits, table, &near);
            learned.scores.push(evidence.score() as f32);
            learned.surprises.push(surprise(evidence.words, Self::class(label, table)));
        }
        self.learn_again(traits, label, &learned.surprises, digest, time);
        learned
    }

    /// Learns a message that was learned before, with the surprises that it was then.
    pub fn learn_again(
        &mut self,
        traits: &Traits,
        label: u8,
        surprises: &[u8],
        digest: [u8; 16],
        time: u64,
    ) {
        for ((table, of), &surprise) in self.labels.iter_mut().zip(1..).zip(surprises) {
            let update = Update { class: Self::class(label, of), surprise };
            table.words.learn_again(&traits.places, update);
        }
        if let Some(sender) = traits.sender {
            self.senders.count(sender, label, 1);
        }
        if let Some(signature) = traits.signature {
            self.neighbours.insert(signature, label, digest, time);
        }
    }

    /// Takes back what a message has changed, bit for bit.
    pub fn unlearn(&mut self, traits: &Traits, label: u8, surprises: &[u8], digest: [u8; 16]) {
        for ((table, of), &surprise) in self.labels.iter_mut().zip(1..).zip(surprises) {
            let update = Update { class: Self::class(label, of), surprise };
            table.words.unlearn(&traits.places, update);
        }
        if let Some(sender) = traits.sender {
            self.senders.count(sender, label, -1);
        }
        if let Some(signature) = &traits.signature {
            self.neighbours.remove(signature, digest);
        }
    }

    fn near(&self, traits: &Traits) -> Vec<Near> {
        match &traits.signature {
            Some(signature) => self.neighbours.find(signature, 0.2),
            None => Vec::new(),
        }
    }

    fn evidence(&self, traits: &Traits, label: u8, near: &[Near]) -> Evidence {
        let stages = self.stages;
        let words = &self.labels[usize::from(label) - 1].words;
        let sender = traits.sender.filter(|_| stages.sender);
        let record = |sender| self.senders.record(sender, label, self.labels.len() + 1);
        Evidence {
            words: words.score(&traits.places) * f64::from(u8::from(stages.words)),
            sender: sender.map_or(0.0, |sender| record(sender).evidence(traits.contradicted)),
            similarity: if stages.similarity { likeness(near, label) } else { 0.0 },
        }
    }

    /// What a message is.
    #[must_use]
    pub fn judge(&self, traits: &Traits) -> Judgement {
        let near = self.near(traits);
        let labels = 1..=self.labels.len() as u8;
        let evidence: Vec<Evidence> =
            labels.clone().map(|label| self.evidence(traits, label, &near)).collect();
        let score = |label: u8| evidence[usize::from(label) - 1].score();
        let cuts = |label: u8| &self.labels[usize::from(label) - 1].cuts;
        // Of what is sure of some labels, others that know too little yet take nothing away.
        let settled = |label: &u8| cuts(*label).above.is_some();
        let any_settled = labels.clone().any(|label| settled(&label));
        let counted = labels.clone().filter(|label| settled(label) || !any_settled);
        let about = counted.clone().max_by(|a, b| score(*a).total_cmp(&score(*b))).unwrap_or(0);
        let known =
            labels.clone().any(|label| self.labels[usize::from(label) - 1].words.totals().spam > 0);
        let probability =
            if about == 0 || !known { 0.5 } else { cuts(about).probability(score(about)) };
        let verdict = if about != 0 && cuts(about).side(score(about)) == Side::Above {
            Verdict::Label(about)
        } else if about != 0 && counted.clone().all(|l| cuts(l).side(score(l)) == Side::Below) {
            Verdict::Ham
        } else {
            Verdict::Unsure
        };
        let record = |sender| self.senders.record(sender, about.max(1), self.labels.len() + 1);
        Judgement {
            verdict,
            label: if probability > 0.5 { about } else { 0 },
            probability,
            about,
            sender: traits.sender.map(record),
            evidence,
            near,
        }
    }
}

/// What the nearest messages with the label and without say about it.
fn likeness(near: &[Near], label: u8) -> f64 {
    let nearest = |with: bool| {
        let mut of = near.iter().filter(|near| (near.label == label) == with);
        of.next().map_or(0.0, |near| near.similarity)
    };
    let (with, without) = (nearest(true), nearest(false));
    if with.max(without) < NEAR_COPY || with == without {
        return 0.0;
    }
    if with > without { 4.0 * with - 1.0 } else { 1.0 - 4.0 * without }
}
