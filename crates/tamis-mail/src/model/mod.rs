//! The model: tables of fixed size, in integers, that learn whether a message is spam and can unlearn it.
//!
//! Each stage ([`crate::stages`]) has a [`Correction`]: a logistic regression. Words have [`Masses`] as well: how much spam and ham had a feature, as in a Bayes classifier. With `n` features of a stage,
//! `ns` spam and `nh` ham learned and `m = min(ns, nh)`:
//!
//! ```text
//! X = round(1024 / sqrt(max(n, 16)))                       the mass of a feature: messages count alike
//! w = m/(m+20) G / sqrt(2^22 + 1024 Q)                     G, Q of the feature's cell;
//!                                                          headers and addresses: m/(m+20) G / 10240
//! w += 1/2 m/(m+5) max(1, n/300)^-.35 (ln((S+a)/(H+a)) + c)     words only; a = 10.24
//! c = ln((Th + aV) / (Ts + aV))                            V: cells with a mass; Ts, Th: all mass
//! z = sum w / sqrt(n)
//!
//! learning, y = 1 for spam and -1 for ham:  p = round(64 / (1 + e^(y z))), 0 if less than 2
//! q = p, but of headers, route, facts and addresses p min(max(1, sqrt((no + 100) / (ny + 100))), 3.9), rounded;
//!                                                    ny, no: messages of this class and of the other
//! S or H += X,  G += y q X,  Q += (q^2 X^2 + 512) / 1024,  Ts or Th += n X
//! ```
//!
//! An update is a sum of integers that depend on the message, its class and the `q` of each stage alone: with the
//! `q` at hand exactly that update is undone, whatever was learned since. (The `q` of later messages stays what it
//! was.) The rarer class has the larger steps where a message says how it came: otherwise a stream that is nearly all
//! spam for a while would make all unknown headers look like spam. A stage with `q = 0` has nothing to learn from a message apart from the masses of its words.

mod correction;
mod masses;

pub use correction::{Correction, Pace};
pub use masses::{Masses, Totals};

use crate::stages::{Places, STAGES, Stage};

/// Two numbers of a cell.
pub type Cell = [i32; 2];

/// Bits of a filter: 2^10 to 2^26 word cells.
pub const BITS: std::ops::RangeInclusive<u32> = 10..=26;

/// How much more a step of a model counts than one of its base.
const OWN_STEPS: f64 = 2.0;

/// The most that steps of the rarer class are larger: a surprise fits a byte.
const LARGEST_BALANCE: f64 = 3.9;

/// So many messages of each class are assumed when classes are weighed against each other.
const ASSUMED: f64 = 100.0;

/// A stage that was less wrong than this, of 64, has nothing to learn.
const LEAST_SURPRISE: u8 = 2;

/// Spam or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Spam.
    Spam,
    /// Anything else.
    Ham,
}

impl Class {
    const fn sign(self) -> i32 {
        match self {
            Self::Spam => 1,
            Self::Ham => -1,
        }
    }
}

/// The largest surprise: 64 times the most by which the steps of the rarer class are larger.
pub const LARGEST_SURPRISE: u8 = 250;

/// How wrong each stage was about a message before it was learned: at most 64, and up to 250 for the rarer class.
pub type Surprises = [u8; STAGES];

/// The tables of all stages.
///
/// 1. [`Self::unlearn`] inverts the [`Self::learn`] of the same message bit for bit, whatever came between.
/// 2. The tables are the sum of what was learned and not unlearned, in whatever order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    masses: Masses,
    corrections: [Correction; STAGES],
}

impl Model {
    /// Empty tables; 20 bits serve a person, 22 a server.
    ///
    /// # Panics
    /// Unless the bits are among [`BITS`].
    #[must_use]
    pub fn new(bits: u32) -> Self {
        assert!(BITS.contains(&bits), "2^10 to 2^26 cells");
        let new = |stage| Correction::new(pace(stage), correction_bits(stage, bits));
        let corrections = Stage::ALL.map(new);
        Self { masses: Masses::new(bits), corrections }
    }

    /// Tables that were kept.
    pub(crate) const fn from_parts(masses: Masses, corrections: [Correction; STAGES]) -> Self {
        Self { masses, corrections }
    }

    /// The masses of words.
    #[must_use]
    pub const fn masses(&self) -> &Masses {
        &self.masses
    }

    /// The correction of a stage.
    #[must_use]
    pub const fn correction(&self, stage: Stage) -> &Correction {
        &self.corrections[stage as usize]
    }

    /// Spam and other messages that were learned.
    #[must_use]
    pub const fn messages(&self) -> (i64, i64) {
        let totals = self.masses.totals();
        (totals.spam, totals.ham)
    }

    /// What each stage says about a message with features in these places: positive for spam, 0 if nothing is known.
    #[must_use]
    pub fn scores(&self, places: &Places) -> [f64; STAGES] {
        self.scores_over(None, places)
    }

    /// As [`Self::scores`], by what this model and a base have learned together ([`crate::base`]).
    #[must_use]
    pub fn scores_over(&self, base: Option<&Self>, places: &Places) -> [f64; STAGES] {
        let mut shares = Vec::new();
        Stage::ALL.map(|stage| {
            self.shares_over(base, stage, &places[stage as usize], &mut shares);
            shares.iter().sum()
        })
    }

    /// Replaces the content of `shares` by the share of each place in the score of a stage, which is
    /// their sum. `places` are all those of a message.
    pub fn shares(&self, stage: Stage, places: &[u32], shares: &mut Vec<f64>) {
        self.shares_over(None, stage, places, shares);
    }

    /// As [`Self::shares`], by what this model and a base have learned together.
    pub fn shares_over(
        &self,
        base: Option<&Self>,
        stage: Stage,
        places: &[u32],
        shares: &mut Vec<f64>,
    ) {
        let (spam, ham) = self.messages_over(base);
        let fewer = spam.min(ham).max(0) as f64;
        let norm = (places.len().max(1) as f64).sqrt();
        let trust = fewer / (fewer + 20.0) / norm;
        let shift = if stage == Stage::Words { WORD_SHIFT } else { 0 };
        self.correction(stage).weights(places, shift, shares);
        if let Some(base) = base {
            base.correction(stage).add_weights(places, shift, OWN_STEPS, shares);
        }
        shares.iter_mut().for_each(|share| *share *= trust);
        if stage == Stage::Words {
            let base = base.map(|base| &base.masses);
            let scale = self.masses.scale(base, places.len());
            for (share, weight) in shares.iter_mut().zip(self.masses.weights(base, places, scale)) {
                *share += weight / norm;
            }
        }
    }

    /// Spam and other messages that this model and a base have learned.
    #[must_use]
    pub fn messages_over(&self, base: Option<&Self>) -> (i64, i64) {
        let (spam, ham) = self.messages();
        let (base_spam, base_ham) = base.map_or((0, 0), Self::messages);
        (spam + base_spam, ham + base_ham)
    }

    /// How wrong each stage with these scores is about a message of this class, where this model and a base have
    /// learned together.
    #[must_use]
    pub fn surprises_over(
        &self,
        base: Option<&Self>,
        scores: &[f64; STAGES],
        class: Class,
    ) -> Surprises {
        let balance = balance(self.messages_over(base), class);
        Stage::ALL.map(|stage| {
            let surprise = surprise(scores[stage as usize], class);
            match stage {
                Stage::Words | Stage::Text => surprise,
                _ => (f64::from(surprise) * balance).round() as u8,
            }
        })
    }

    /// Learns a message about which the stages were as wrong as this.
    pub fn learn(&mut self, places: &Places, class: Class, surprises: &Surprises) {
        self.apply(places, class, surprises, 1);
    }

    /// Undoes [`Self::learn`], bit for bit.
    pub fn unlearn(&mut self, places: &Places, class: Class, surprises: &Surprises) {
        self.apply(places, class, surprises, -1);
    }

    fn apply(&mut self, places: &Places, class: Class, surprises: &Surprises, direction: i32) {
        let words = &places[Stage::Words as usize];
        self.masses.add(words, class, mass(words.len()), direction);
        for stage in Stage::ALL {
            let surprise = i32::from(surprises[stage as usize]);
            if surprise != 0 {
                let own = &places[stage as usize];
                let shift = if stage == Stage::Words { WORD_SHIFT } else { 0 };
                let step = direction * class.sign() * surprise;
                self.corrections[stage as usize].add(own, shift, mass(own.len()), step, direction);
            }
        }
    }
}

/// Bits of a place of words that its correction does not look at.
const WORD_SHIFT: u32 = 2;

/// Programs and lists that write headers change all the time: what is learned last counts as much as what came first.
pub(crate) const fn pace(stage: Stage) -> Pace {
    match stage {
        Stage::Headers | Stage::Addresses => Pace::Steady,
        _ => Pace::Falling,
    }
}

/// Bits of a stage's correction in a filter of `2^bits` word cells.
pub(crate) const fn correction_bits(stage: Stage, bits: u32) -> u32 {
    match stage {
        Stage::Words => bits - WORD_SHIFT,
        _ => stage.bits(bits),
    }
}

/// The mass of a feature of a message with `features` of them.
fn mass(features: usize) -> i32 {
    (1024.0 / (features.max(16) as f64).sqrt()).round() as i32
}

/// How much larger the steps of a class are after this much spam and ham.
fn balance((spam, ham): (i64, i64), class: Class) -> f64 {
    let (own, other) = match class {
        Class::Spam => (spam, ham),
        Class::Ham => (ham, spam),
    };
    let assumed = |count: i64| count.max(0) as f64 + ASSUMED;
    (assumed(other) / assumed(own)).sqrt().clamp(1.0, LARGEST_BALANCE)
}

/// How wrong a score is about a message of this class, of 64; 0 if there is nothing to learn.
fn surprise(score: f64, class: Class) -> u8 {
    let wrong = (64.0 / (1.0 + (f64::from(class.sign()) * score).exp())).round() as u8;
    if wrong < LEAST_SURPRISE { 0 } else { wrong }
}
