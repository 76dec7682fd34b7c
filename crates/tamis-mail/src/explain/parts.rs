//! What in a message makes a stage say what it says: words, header fields, facts, with their weights.
//!
//! A weight is a part's share of what its stage adds to the score. Features that a person would read as the same
//! thing are one part: a word, its capitalised form and its pairs with punctuation; all n-grams that start in a word
//! or in a header field; the pieces of a link; a kind of fact with its value. Parts without a letter or digit, and words of
//! one or two ASCII characters, are left out.

use super::Known;
use super::names::{fact, line_at, word_at, write_field, write_word, write_words};
use super::sums::{Shares, Sums};
use crate::features;
use crate::filter::Judgement;
use crate::message::{Message, Section};
use crate::stages::head::Head;
use crate::stages::{Stage, feature, grams, place, text_of};
use crate::traits::Traits;
use std::fmt;
use std::ops::Range;

/// A part of a message and what it adds to the score.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The stage.
    pub stage: Stage,
    /// Where in the message it stands.
    pub section: Option<Section>,
    /// As a person reads it.
    pub text: String,
    /// Positive for spam.
    pub weight: f64,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.stage, self.section) {
            (Stage::Words, Some(Section::Link)) => f.write_str(&self.text),
            (Stage::Words | Stage::Text, _) => write!(f, "{:?}", self.text),
            _ => f.write_str(&self.text),
        }
    }
}

/// The parts of a message that a stage looks at, those that weigh most first.
#[must_use]
pub fn parts<'a>(
    known: impl Into<Known<'a>>,
    message: &Message<'_>,
    traits: &Traits,
    judgement: &Judgement,
    stage: Stage,
) -> Vec<Part> {
    let mut parts = sums(known.into(), message, traits, judgement, stage).parts(stage);
    sort(&mut parts);
    parts
}

/// The parts of a message by which a stage says most in a direction, at most `most` of them.
pub(super) fn weightiest(
    known: Known<'_>,
    message: &Message<'_>,
    (traits, judgement): (&Traits, &Judgement),
    stage: Stage,
    towards: f64,
    most: usize,
) -> Vec<Part> {
    sums(known, message, traits, judgement, stage).weightiest(stage, towards, most)
}

fn sums<'s>(
    known: Known<'s>,
    message: &Message<'_>,
    traits: &Traits,
    judgement: &Judgement,
    stage: Stage,
) -> Sums<'s> {
    let Known { filter, reader } = known;
    let places = &traits.places[stage as usize];
    let mut weights = Vec::new();
    filter.shares(stage, places, &mut weights);
    let total: f64 = weights.iter().sum();
    // The stage is softened and weighed as a whole; each part has its share of that.
    let scale = if total == 0.0 { 0.0 } else { judgement.evidence.stage(stage) / total };
    weights.iter_mut().for_each(|weight| *weight *= scale);
    let bits = stage.bits(reader.bits());
    let mut shares = Shares::new(places, weights, bits);
    let mut sums = Sums::new(reader.hash());
    match stage {
        Stage::Words => features::for_each(message, reader.hash(), |feature, origin| {
            let weight = shares.take(place(feature, bits));
            if weight != 0.0
                && !sums.is_full()
                && let Some(sum) =
                    sums.find(Some(origin.section), |name| write_words(&origin, name))
            {
                sums.add(sum, weight);
            }
        }),
        Stage::Text | Stage::Headers => {
            let is_text = stage == Stage::Text;
            let section = is_text.then_some(Section::Body);
            let text =
                if is_text { text_of(message) } else { grams::headers_of(&Head::of(message)) };
            let salt = reader.hash().bytes(stage.name().as_bytes());
            let mut at = 0;
            // The word or line around the last n-gram, and its sum.
            let mut last: (Range<usize>, Option<usize>) = (0..0, None);
            grams::for_each(&text, stage, salt, |feature| {
                let weight = shares.take(place(feature, bits));
                if weight != 0.0 && !sums.is_full() {
                    let at = if is_text { at + usize::from(text[at] == b' ') } else { at };
                    if !last.0.contains(&at) {
                        let around = if is_text { word_at(&text, at) } else { line_at(&text, at) };
                        let name = &text[around.clone()];
                        let sum = sums.find(section, |names| match is_text {
                            true => write_word(name, names),
                            false => write_field(name, names),
                        });
                        last = (around, sum);
                    }
                    if let Some(sum) = last.1 {
                        sums.add(sum, weight);
                    }
                }
                at += 1;
            });
        }
        Stage::Route | Stage::Facts | Stage::Addresses => {
            let head = Head::of(message);
            crate::stages::for_each(stage, &head, message, &mut |kind, value| {
                let weight = shares.take(place(feature(reader.hash(), kind, value), bits));
                if weight != 0.0
                    && !sums.is_full()
                    && let Some(sum) = sums.find(None, |name| *name += &fact(kind, value))
                {
                    sums.add(sum, weight);
                }
            });
        }
    }
    sums
}

/// The parts of a message that all stages look at, those that weigh most first.
#[must_use]
pub fn all_parts<'a>(
    known: impl Into<Known<'a>>,
    message: &Message<'_>,
    traits: &Traits,
    judgement: &Judgement,
) -> Vec<Part> {
    let known = known.into();
    let of = |stage| parts(known, message, traits, judgement, stage);
    let mut all: Vec<Part> = Stage::ALL.into_iter().flat_map(of).collect();
    sort(&mut all);
    all
}

/// Sorts parts of any stages, those that weigh most first.
pub fn sort(parts: &mut [Part]) {
    let weight = |part: &Part| part.weight.abs();
    parts.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.text.cmp(&b.text)));
}
