//! What in a message makes a stage say what it says: words, header fields, facts, with their weights.
//!
//! A weight is a part's share of what its stage adds to the score. Features that a person would read as the same
//! thing are one part: a word, its capitalised form and its pairs with punctuation; all n-grams that start in a word
//! or in a header field; a kind of fact with its value. Parts without a letter or digit are left out.

use crate::features;
use crate::filter::Judgement;
use crate::message::{Message, Section};
use crate::stages::head::Head;
use crate::stages::{Stage, feature, grams, place, text_of};
use crate::store::Store;
use crate::traits::Traits;
use std::collections::{BTreeMap, HashSet};
use std::fmt;

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
        match self.stage {
            Stage::Words | Stage::Text => write!(f, "{:?}", self.text),
            _ => f.write_str(&self.text),
        }
    }
}

/// The most parts of a stage that are kept while a message is read.
const MOST: usize = 50_000;

/// The parts of a message that a stage looks at, those that weigh most first.
#[must_use]
pub fn parts(
    store: &Store,
    message: &Message<'_>,
    traits: &Traits,
    judgement: &Judgement,
    stage: Stage,
) -> Vec<Part> {
    let (filter, reader) = (store.filter(), store.reader());
    let places = &traits.places[stage as usize];
    let share = filter.model().share(stage, places.len());
    let bits = stage.bits(reader.bits());
    let total: f64 = places.iter().map(|&place| share(place)).sum();
    // The stage is softened and weighed as a whole; each part has its share of that.
    let scale = if total == 0.0 { 0.0 } else { judgement.evidence.stage(stage) / total };
    let mut sums = Sums { seen: HashSet::new(), parts: BTreeMap::new() };
    let weight = |feature: u64| (place(feature, bits), scale * share(place(feature, bits)));
    match stage {
        Stage::Words => features::for_each(message, reader.hash(), |feature, origin| {
            let (place, weight) = weight(feature);
            sums.add(place, weight, Some(origin.section), || readable_words(&origin));
        }),
        Stage::Text => {
            let text = text_of(message);
            let mut at = 0;
            let salt = reader.hash().bytes(stage.name().as_bytes());
            grams::for_each(&text, stage, salt, |feature| {
                let (place, weight) = weight(feature);
                sums.add(place, weight, Some(Section::Body), || word_at(&text, at));
                at += 1;
            });
        }
        Stage::Headers => {
            let text = grams::headers_of(&Head::of(message));
            let mut at = 0;
            let salt = reader.hash().bytes(stage.name().as_bytes());
            grams::for_each(&text, stage, salt, |feature| {
                let (place, weight) = weight(feature);
                sums.add(place, weight, None, || field_at(&text, at));
                at += 1;
            });
        }
        Stage::Route | Stage::Facts | Stage::Addresses => {
            let head = Head::of(message);
            crate::stages::for_each(stage, &head, message, &mut |kind, value| {
                let (place, weight) = weight(feature(reader.hash(), kind, value));
                sums.add(place, weight, None, || readable_fact(kind, value));
            });
        }
    }
    let mut parts: Vec<Part> = sums
        .parts
        .into_iter()
        .map(|((section, text), weight)| Part { stage, section, text, weight })
        .collect();
    sort(&mut parts);
    parts
}

/// The parts of a message that all stages look at, those that weigh most first.
#[must_use]
pub fn all_parts(
    store: &Store,
    message: &Message<'_>,
    traits: &Traits,
    judgement: &Judgement,
) -> Vec<Part> {
    let of = |stage| parts(store, message, traits, judgement, stage);
    let mut all: Vec<Part> = Stage::ALL.into_iter().flat_map(of).collect();
    sort(&mut all);
    all
}

fn sort(parts: &mut [Part]) {
    let weight = |part: &Part| part.weight.abs();
    parts.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.text.cmp(&b.text)));
}

struct Sums {
    seen: HashSet<u32>,
    parts: BTreeMap<(Option<Section>, String), f64>,
}

impl Sums {
    /// Adds the weight of a place, once, to the part with this name.
    fn add(
        &mut self,
        place: u32,
        weight: f64,
        section: Option<Section>,
        name: impl FnOnce() -> String,
    ) {
        if weight == 0.0 || self.parts.len() >= MOST || !self.seen.insert(place) {
            return;
        }
        let name = name();
        if name.chars().any(char::is_alphanumeric) {
            *self.parts.entry((section, name)).or_default() += weight;
        }
    }
}

/// A word, or a pair of words; punctuation next to a word is left out.
fn readable_words(origin: &features::Origin<'_>) -> String {
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_lowercase();
    let has_letters = |bytes: &&[u8]| String::from_utf8_lossy(bytes).chars().any(char::is_alphanumeric);
    let tokens = [origin.before, Some(origin.token)].into_iter().flatten();
    tokens.filter(has_letters).map(lossy).collect::<Vec<_>>().join(" ")
}

/// The word around a place in a folded text.
fn word_at(text: &[u8], at: usize) -> String {
    let is_space = |byte: &u8| *byte == b' ';
    let at = at + usize::from(text.get(at).is_some_and(is_space));
    let start = text[..at].iter().rposition(is_space).map_or(0, |space| space + 1);
    let end = text[at..].iter().position(is_space).map_or(text.len(), |space| at + space);
    let word = String::from_utf8_lossy(&text[start..end]).into_owned();
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// The name of the header field around a place.
fn field_at(text: &[u8], at: usize) -> String {
    let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let name = text[start..].split(|byte| *byte == b':').next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

/// A fact; its value only if a person can read it.
fn readable_fact(kind: &str, value: &[u8]) -> String {
    if kind.ends_with("network") {
        let numbers: Vec<String> = value.iter().map(ToString::to_string).collect();
        return format!("{kind} {}", numbers.join("."));
    }
    let text = String::from_utf8_lossy(value);
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let is_form = kind.starts_with("form") || kind.starts_with("boundary") || kind.contains("sequence");
    if is_form || letters < 3 || kind.starts_with("message id") {
        return kind.to_owned();
    }
    match kind {
        // The value is the fact.
        "transport" | "earlier transport" => text.into_owned(),
        _ => format!("{kind} {text}"),
    }
}
