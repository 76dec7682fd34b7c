//! The filter: stages that each give evidence, and what they say together.
//!
//! Whether a message is spam is decided first, by one score:
//!
//! ```text
//! f(z)  = 4 tanh(z/4)                                          no stage outvotes the others
//! score = 1.5 f(words) + .6 f(text) + 1.5 f(headers) + .7 f(route) + .7 f(facts) + .5 f(addresses)
//!       + f(sender) + 20/(20+m) structure                      m: messages of the rarer class
//! ```
//!
//! - *words* to *addresses*: [`crate::model`] over [`crate::stages`], what was learned from all messages.
//! - *sender*: [`crate::senders`], what came from the same address before.
//! - *structure*: [`crate::stages::prior`], suspicious facts that need no learning.
//! - *similarity*: [`crate::neighbours`], the nearest learned messages. It stays out of the sum. A near-copy of
//!   learned spam that is not as near to anything else is spam, from the first learned message on, unless its score
//!   says ham and its text is not nearly the same.
//!
//! [`crate::cuts`] turn the score into a verdict. What is not spam may have one of the other labels
//! ([`crate::labels`]); they never change what is spam.

use crate::base::{self, LABELS_OF_BASE};
use crate::cuts::{Cuts, Side};
use crate::labels::Label;
use crate::model::{Class, Model, Surprises};
use crate::neighbours::{Near, Neighbour, Neighbours, Signature};
use crate::senders::{Record, Senders};
use crate::stages::{STAGES, Stage};
use crate::traits::{Sender, Traits};
use std::sync::Arc;

/// A message with at least this similarity to a learned one is a near-copy of it.
pub const NEAR_COPY: f64 = 0.5;

/// A message with at least this similarity says nearly the same.
const SAME: f64 = 0.9;

/// The label of wanted mail that has no other.
pub const HAM: &str = "ham";

/// The number of the label `spam`.
pub const SPAM: u8 = 1;

/// The most labels, `ham` and `spam` included.
pub const MAX_LABELS: usize = 64;

/// The number of the first label besides `ham` and `spam`.
pub(crate) const FIRST_LABEL: u8 = 2;

/// The weight of each stage in the score.
const WEIGHTS: [f64; STAGES] = [1.5, 0.6, 1.5, 0.7, 0.7, 0.5];

/// The most that a stage says before it is weighed.
const LOUDEST: f64 = 4.0;

/// Which stages give evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stages {
    /// Those that learn, in the order of [`Stage::ALL`].
    pub learning: [bool; STAGES],
    /// Who sent it.
    pub sender: bool,
    /// What it is like.
    pub similarity: bool,
    /// Suspicious facts.
    pub structure: bool,
}

impl Stages {
    /// All of them.
    pub const ALL: Self =
        Self { learning: [true; STAGES], sender: true, similarity: true, structure: true };

    /// None of them.
    pub const NONE: Self =
        Self { learning: [false; STAGES], sender: false, similarity: false, structure: false };
}

/// What each stage adds to the score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// The stages that learn, in the order of [`Stage::ALL`].
    pub stages: [f64; STAGES],
    /// Who sent it.
    pub sender: f64,
    /// Suspicious facts.
    pub structure: f64,
    /// The similarity to the nearest learned message: positive if that is spam, negative if not, 0 if there is none
    /// of at least [`NEAR_COPY`]. It is not part of the score.
    pub similarity: f64,
}

impl Evidence {
    /// All together, without similarity.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.stages.iter().sum::<f64>() + self.sender + self.structure
    }

    /// What one learning stage adds.
    #[must_use]
    pub const fn stage(&self, stage: Stage) -> f64 {
        self.stages[stage as usize]
    }

    /// Every part of the score with its name.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let learning = Stage::ALL.into_iter().map(|stage| (stage.name(), self.stage(stage)));
        learning.chain([("sender", self.sender), ("structure", self.structure)])
    }
}

/// What is remembered of a message that was learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learned {
    /// How wrong each stage was, of 64.
    pub surprises: Surprises,
    /// The score before the message was learned.
    pub score: f32,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It has the label with this number.
    Label(u8),
    /// It is wanted and has no other label.
    Ham,
    /// Not sure.
    Unsure,
}

impl Verdict {
    /// Whether it is spam.
    #[must_use]
    pub const fn is_spam(self) -> bool {
        matches!(self, Self::Label(SPAM))
    }
}

/// What a filter says of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The answer.
    pub verdict: Verdict,
    /// The most probable label, 0 for ham.
    pub label: u8,
    /// The probability that it is spam. It agrees with the verdict: see [`Cuts::probability`].
    pub probability: f64,
    /// The score that was compared with the cuts: that of the evidence, but of a near-copy of spam at least the cut.
    pub score: f64,
    /// What each stage says about spam.
    pub evidence: Evidence,
    /// Whether it is spam because it is a near-copy of learned spam.
    pub is_copy: bool,
    /// What is known of the sender.
    pub sender: Option<Record>,
    /// The nearest learned messages, the most similar first.
    pub near: Vec<Near>,
    /// How well it fits each label besides `ham` and `spam`.
    pub labels: Vec<f64>,
}

/// The filter.
#[derive(Debug, Clone)]
pub struct Filter {
    bits: u32,
    /// What it stands on.
    base: Option<Arc<Self>>,
    stages: Stages,
    model: Model,
    cuts: Cuts,
    labels: Vec<Label>,
    senders: Senders,
    neighbours: Neighbours,
}

impl Filter {
    /// Nothing learned; tables for `2^bits` word cells.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        Self {
            bits,
            base: None,
            stages: Stages::ALL,
            model: Model::new(bits),
            cuts: Cuts::unknown(),
            labels: Vec::new(),
            senders: Senders::new(bits),
            neighbours: Neighbours::new(bits),
        }
    }

    pub(crate) const fn from_parts(
        bits: u32,
        model: Model,
        cuts: Cuts,
        labels: Vec<Label>,
        senders: Senders,
        neighbours: Neighbours,
    ) -> Self {
        let (base, stages) = (None, Stages::ALL);
        Self { bits, base, stages, model, cuts, labels, senders, neighbours }
    }

    /// Stands on a base from now on, or on none; its tables must have the same size and seed.
    pub(crate) fn set_base(&mut self, base: Option<Arc<Self>>) {
        self.base = base;
    }

    /// What it stands on.
    #[must_use]
    pub const fn base(&self) -> Option<&Arc<Self>> {
        self.base.as_ref()
    }

    fn base_model(&self) -> Option<&Model> {
        self.base.as_ref().map(|base| &base.model)
    }

    /// Spam and other messages that it and its base have learned.
    #[must_use]
    pub fn messages(&self) -> (i64, i64) {
        self.model.messages_over(self.base_model())
    }

    /// Replaces the content of `shares` by the share of each place in the score of a stage, as
    /// [`Model::shares`], base included.
    pub fn shares(&self, stage: Stage, places: &[u32], shares: &mut Vec<f64>) {
        self.model.shares_over(self.base_model(), stage, places, shares);
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

    /// The tables that learn.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// Where spam begins and ham ends: as the base says, until enough was learned beyond it.
    #[must_use]
    pub fn cuts(&self) -> &Cuts {
        match &self.base {
            Some(base) if !base::has_own_cuts(self.model.messages()) => base.cuts(),
            _ => &self.cuts,
        }
    }

    /// Where spam begins and ham ends by the own messages.
    pub(crate) const fn own_cuts(&self) -> &Cuts {
        &self.cuts
    }

    /// The labels besides `ham` and `spam`; the number of the first is 2.
    #[must_use]
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The name of a label.
    #[must_use]
    pub fn name(&self, label: u8) -> &str {
        if let (Some(base), Some(label)) = (&self.base, label.checked_sub(LABELS_OF_BASE)) {
            return base.name(label);
        }
        match label.checked_sub(FIRST_LABEL) {
            Some(index) => {
                let label = self.labels.get(usize::from(index));
                label.and_then(|label| label.name.as_deref()).unwrap_or(HAM)
            }
            None if label == SPAM => "spam",
            None => HAM,
        }
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
        let known = || self.labels.iter().position(|label| label.name.as_deref() == Some(name));
        match name {
            HAM => Some(0),
            "spam" => Some(SPAM),
            _ => known().map(|index| index as u8 + FIRST_LABEL),
        }
    }

    /// The names of all labels with their numbers, `ham` and `spam` first.
    pub fn names(&self) -> impl Iterator<Item = (u8, &str)> {
        let others = (FIRST_LABEL..).zip(&self.labels);
        let named = others.filter_map(|(number, label)| Some((number, label.name.as_deref()?)));
        [(0, HAM), (SPAM, "spam")].into_iter().chain(named)
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

    /// Adds a label without messages; its number is returned.
    pub fn add_label(&mut self, name: &str) -> u8 {
        self.labels.push(Label::new(name, self.bits));
        self.labels.len() as u8 + FIRST_LABEL - 1
    }

    fn label_mut(&mut self, label: u8) -> Option<&mut Label> {
        self.labels.get_mut(usize::from(label.checked_sub(FIRST_LABEL)?))
    }

    /// Gives a label another name.
    pub fn rename_label(&mut self, label: u8, name: &str) {
        if let Some(label) = self.label_mut(label) {
            label.name = Some(name.to_owned());
        }
    }

    /// Removes a label: its messages are ham from now on.
    pub fn remove_label(&mut self, label: u8) {
        if let Some(label) = self.label_mut(label) {
            label.clear();
        }
        self.neighbours.relabel(label, 0);
    }

    /// Gives all messages of a label another one, and the label no name. Neither is spam.
    pub(crate) fn move_label(&mut self, from: u8, to: u8) {
        self.neighbours.relabel(from, to);
        let Some(label) = self.label_mut(from) else { return };
        let moved = label.taken();
        if let Some(to) = self.label_mut(to) {
            to.merge(&moved);
        }
    }

    /// Makes a message that is known the newest one of those that are similar to it.
    pub(crate) fn renew(&mut self, signature: Signature, label: u8, digest: [u8; 16], time: u64) {
        self.neighbours.remove(&signature, digest);
        self.neighbours.insert(signature, label, digest, time);
    }

    /// Drops what was taken back from the index of similar messages, if that is the larger part.
    pub(crate) fn compact(&mut self) {
        self.neighbours.compact();
    }

    /// Sets where spam begins and ham ends.
    pub const fn set_cuts(&mut self, cuts: Cuts) {
        self.cuts = cuts;
    }

    const fn class(label: u8) -> Class {
        if label == SPAM { Class::Spam } else { Class::Ham }
    }

    /// Learns a message with a label.
    pub fn learn(&mut self, traits: &Traits, label: u8, digest: [u8; 16], time: u64) -> Learned {
        let scores = self.model.scores_over(self.base_model(), &traits.places);
        let score = self.evidence(traits, &scores, &[]).score() as f32;
        let mut surprises =
            self.model.surprises_over(self.base_model(), &scores, Self::class(label));
        if self.base.is_some() {
            base::ON_A_BASE.iter().for_each(|stage| surprises[*stage as usize] = 0);
        }
        let learned = Learned { surprises, score };
        self.learn_again(traits, label, &learned.surprises, digest, time);
        learned
    }

    /// Learns a message that was learned before, when the stages were as wrong about it as this.
    pub fn learn_again(
        &mut self,
        traits: &Traits,
        label: u8,
        surprises: &Surprises,
        digest: [u8; 16],
        time: u64,
    ) {
        self.model.learn(&traits.places, Self::class(label), surprises);
        self.count(traits, label, 1);
        if let Some(signature) = traits.signature {
            self.neighbours.insert(signature, label, digest, time);
        }
    }

    /// Undoes what a message has changed, bit for bit.
    pub fn unlearn(&mut self, traits: &Traits, label: u8, surprises: &Surprises, digest: [u8; 16]) {
        self.model.unlearn(&traits.places, Self::class(label), surprises);
        self.count(traits, label, -1);
        if let Some(signature) = &traits.signature {
            self.neighbours.remove(signature, digest);
        }
    }

    /// Counts a message for its sender and its label.
    fn count(&mut self, traits: &Traits, label: u8, direction: i32) {
        if let Some(sender) = traits.sender {
            // Wanted mail counts as ham whatever its label: a new label never changes what is spam.
            self.senders.count(sender, u8::from(label == SPAM), direction);
        }
        if let Some(own) = self.label_mut(label) {
            own.count(&traits.places[Stage::Words as usize], direction);
        }
    }

    fn near(&self, traits: &Traits) -> Vec<Near> {
        let Some(signature) = traits.signature.as_ref().filter(|_| self.stages.similarity) else {
            return Vec::new();
        };
        let own = self.neighbours.find(signature, 0.2);
        match &self.base {
            Some(base) => base::merged(own, base.neighbours.find(signature, 0.2)),
            None => own,
        }
    }

    /// A learned message by the number that [`Near`] has.
    #[must_use]
    pub fn neighbour(&self, number: u32) -> Option<&Neighbour> {
        match (&self.base, number.checked_sub(base::NUMBERS_OF_BASE)) {
            (Some(base), Some(number)) => base.neighbours.get(number),
            _ => self.neighbours.get(number),
        }
    }

    /// What is known of a sender, by the base unless more than that was learned.
    fn record(&self, sender: Sender) -> Record {
        let own = self.senders.record(sender);
        self.base.as_ref().map_or(own, |base| own.over(base.senders.record(sender)))
    }

    fn evidence(&self, traits: &Traits, scores: &[f64; STAGES], near: &[Near]) -> Evidence {
        let on = self.stages;
        let say = |scores: &[f64; STAGES], index: usize| WEIGHTS[index] * softened(scores[index]);
        // The more own lessons about texts like this one say otherwise than the base, the less do the
        // stages count that learn nothing beyond it.
        let yielding = self.base.as_ref().map_or(1.0, |base| {
            let below = base.model.scores(&traits.places);
            let [words, text] = [Stage::Words, Stage::Text]
                .map(|stage| say(scores, stage as usize) - say(&below, stage as usize));
            1.0 / (1.0 + (words + text).abs() / 2.0)
        });
        let stage = |index: usize| match on.learning[index] {
            true if base::ON_A_BASE.iter().any(|stage| *stage as usize == index) => {
                yielding * say(scores, index)
            }
            true => say(scores, index),
            false => 0.0,
        };
        let (spam, ham) = self.messages();
        let fewer = spam.min(ham).max(0) as f64;
        let known = traits.sender.filter(|_| on.sender && fewer > 0.0);
        let record = |sender| {
            let outweighing = self.base.as_ref().map_or(0.0, |base| {
                let (own, below) = (self.senders.record(sender), base.senders.record(sender));
                own.outweighing(&below, traits.contradicted)
            });
            self.record(sender).evidence(traits.contradicted) + outweighing
        };
        let suspicion = if on.structure { traits.suspicions.weight() } else { 0.0 };
        Evidence {
            stages: std::array::from_fn(stage),
            sender: known.map_or(0.0, record),
            structure: suspicion * 20.0 / (20.0 + fewer),
            similarity: likeness(near),
        }
    }

    /// What a message is.
    #[must_use]
    pub fn judge(&self, traits: &Traits) -> Judgement {
        let near = self.near(traits);
        let scores = self.model.scores_over(self.base_model(), &traits.places);
        let (evidence, cuts) = (self.evidence(traits, &scores, &near), self.cuts());
        let is_ham = cuts.side(evidence.score()) == Side::Below;
        let is_copy = evidence.similarity >= if is_ham { SAME } else { NEAR_COPY };
        let score = match is_copy {
            true => evidence.score().max(cuts.lowest_spam() + evidence.similarity),
            false => evidence.score(),
        };
        let side = if is_copy { Side::Above } else { cuts.side(score) };
        let probability = cuts.probability(score, side);
        let words = &traits.places[Stage::Words as usize];
        let labels: Vec<f64> =
            self.labels.iter().map(|l| l.score(words, self.model.masses())).collect();
        let wanted = match (&self.base, self.wanted(&labels, &near)) {
            (Some(base), 0) if !base::is_like_own(&near) => base.wanted_by_base(words),
            (_, wanted) => wanted,
        };
        let verdict = match side {
            Side::Above => Verdict::Label(SPAM),
            Side::Between => Verdict::Unsure,
            Side::Below if wanted != 0 => Verdict::Label(wanted),
            Side::Below => Verdict::Ham,
        };
        Judgement {
            verdict,
            label: if probability > 0.5 { SPAM } else { wanted },
            probability,
            score,
            evidence,
            is_copy,
            sender: traits.sender.map(|sender| self.record(sender)),
            near,
            labels,
        }
    }

    /// As [`Self::wanted`] of what stands on this filter, by words alone.
    fn wanted_by_base(&self, words: &[u32]) -> u8 {
        let scores: Vec<f64> =
            self.labels.iter().map(|l| l.score(words, self.model.masses())).collect();
        base::label(self.wanted(&scores, &[]))
    }

    /// The label of a message that is not spam: the best one that takes it, or that of a near-copy; 0 for ham.
    fn wanted(&self, scores: &[f64], near: &[Near]) -> u8 {
        let copied = near.iter().find(|near| near.similarity >= NEAR_COPY && near.label != SPAM);
        if let Some(near) = copied {
            return near.label;
        }
        let takers = (FIRST_LABEL..).zip(self.labels.iter().zip(scores));
        let best = takers
            .filter(|(_, (label, score))| label.takes(**score))
            .max_by(|(_, (_, a)), (_, (_, b))| a.total_cmp(b));
        best.map_or(0, |(number, _)| number)
    }
}

/// The score of a stage, so that none outvotes the others.
fn softened(score: f64) -> f64 {
    LOUDEST * (score / LOUDEST).tanh()
}

/// The similarity to the nearest learned message, if it is a near-copy: positive for spam, negative for others.
fn likeness(near: &[Near]) -> f64 {
    let nearest = |spam: bool| {
        let mut of = near.iter().filter(|near| (near.label == SPAM) == spam);
        of.next().map_or(0.0, |near| near.similarity)
    };
    let (spam, ham) = (nearest(true), nearest(false));
    if spam.max(ham) < NEAR_COPY || spam == ham {
        return 0.0;
    }
    if spam > ham { spam } else { -ham }
}
