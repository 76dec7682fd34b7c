//! What the filter looks at in a message: the features of each stage that learns.
//!
//! | stage | features |
//! |---|---|
//! | words | tokens and pairs of tokens ([`crate::features`]) |
//! | text | character n-grams of subject and visible text ([`grams`]) |
//! | headers | character n-grams of the header fields ([`grams`]) |
//! | route | the way the message took: `Received` fields ([`route`]) |
//! | facts | how the message was made rather than what it says ([`facts`]) |
//! | addresses | recipients, envelope and lists ([`addresses`]) |
//!
//! Stages learn independently of each other: what one of them gets wrong does not spoil the others, and a source
//! that changes in one respect (another server, another language) is still recognised by the rest.
//!
//! Apart from n-grams and words, a feature is a *kind*, a fixed phrase that a person can read, and a value. A
//! feature falls into one of the places of its stage's table; only the places are kept.

pub mod addresses;
pub mod facts;
pub mod grams;
pub mod head;
mod place_set;
pub mod prior;
pub mod received;
pub mod route;
pub mod shape;

use crate::features;
use crate::message::{Message, Section};
use head::Head;
use place_set::PlaceSet;
use tamis::hash::{KeyHash, mixed, reduce};

/// What is done with a feature.
pub type Visit<'v> = dyn FnMut(&'static str, &[u8]) + 'v;

/// A stage that learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Stage {
    /// Tokens and pairs of tokens.
    Words,
    /// Character n-grams of the visible text.
    Text,
    /// Character n-grams of the header fields.
    Headers,
    /// `Received` fields.
    Route,
    /// How the message was made.
    Facts,
    /// Recipients, envelope and lists.
    Addresses,
}

/// How many stages learn.
pub const STAGES: usize = 6;

/// The places of a message's features, ascending and distinct, for each stage.
pub type Places = [Vec<u32>; STAGES];

impl Stage {
    /// All of them, in the order of [`Places`].
    pub const ALL: [Self; STAGES] =
        [Self::Words, Self::Text, Self::Headers, Self::Route, Self::Facts, Self::Addresses];

    /// Its name in reports, in JSON and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Text => "text",
            Self::Headers => "headers",
            Self::Route => "route",
            Self::Facts => "facts",
            Self::Addresses => "addresses",
        }
    }

    /// Bits of its places in a filter of `2^bits` word cells.
    #[must_use]
    pub const fn bits(self, bits: u32) -> u32 {
        match self {
            Self::Words => bits,
            Self::Text | Self::Headers => bits - 2,
            Self::Route | Self::Facts | Self::Addresses => bits - 3,
        }
    }
}

/// The place of a feature among `2^bits`.
#[must_use]
pub const fn place(feature: u64, bits: u32) -> u32 {
    reduce(feature, 1 << bits) as u32
}

/// The feature of a kind and a value.
#[must_use]
pub fn feature(hash: &KeyHash, kind: &str, value: &[u8]) -> u64 {
    mixed(hash.bytes(value), hash.bytes(kind.as_bytes()))
}

/// The hashes of kinds, each computed once.
#[derive(Debug)]
struct KindHashes<'h> {
    hash: &'h KeyHash,
    /// Kinds by the address of their text, which is static.
    known: [(usize, usize, u64); 128],
}

impl<'h> KindHashes<'h> {
    const fn new(hash: &'h KeyHash) -> Self {
        Self { hash, known: [(0, 0, 0); 128] }
    }

    /// As [`feature`].
    fn feature(&mut self, kind: &'static str, value: &[u8]) -> u64 {
        let (start, length) = (kind.as_ptr() as usize, kind.len());
        let slot = (start.wrapping_mul(0x9E37_79B9) >> 8) % self.known.len();
        let known = &mut self.known[slot];
        if (known.0, known.1) != (start, length) {
            *known = (start, length, self.hash.bytes(kind.as_bytes()));
        }
        mixed(self.hash.bytes(value), known.2)
    }
}

/// The places of all features of a message with these header fields, in a filter of `2^bits` word
/// cells.
#[must_use]
pub fn places(message: &Message<'_>, head: &Head<'_>, hash: &KeyHash, bits: u32) -> Places {
    let mut places = Places::default();
    let mut set = PlaceSet::take();
    set.start(bits);
    features::for_each(message, hash, |feature, _| set.insert(place(feature, bits)));
    places[Stage::Words as usize] = set.drain();
    let texts = [text_of(message), grams::headers_of(head)];
    for (stage, text) in [Stage::Text, Stage::Headers].into_iter().zip(&texts) {
        let bits = stage.bits(bits);
        let salt = hash.bytes(stage.name().as_bytes());
        set.start(bits);
        grams::for_each(text, stage, salt, |feature| set.insert(place(feature, bits)));
        places[stage as usize] = set.drain();
    }
    let mut kinds = KindHashes::new(hash);
    for stage in [Stage::Route, Stage::Facts, Stage::Addresses] {
        let bits = stage.bits(bits);
        set.start(bits);
        let mut visit = |kind: &'static str, value: &[u8]| {
            set.insert(place(kinds.feature(kind, value), bits));
        };
        for_each(stage, head, message, &mut visit);
        places[stage as usize] = set.drain();
    }
    set.keep();
    places
}

/// Calls `visit` with the features of a stage that have a kind and a value.
pub fn for_each(stage: Stage, head: &Head<'_>, message: &Message<'_>, visit: &mut Visit<'_>) {
    match stage {
        Stage::Route => route::for_each(head, visit),
        Stage::Facts => facts::for_each(head, message, visit),
        Stage::Addresses => addresses::for_each(head, visit),
        Stage::Words | Stage::Text | Stage::Headers => {}
    }
}

/// Subject and visible text, folded, as far as n-grams are taken from them.
#[must_use]
pub fn text_of(message: &Message<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    for wanted in [Section::Subject, Section::Body] {
        for (_, part) in message.sections().filter(|(section, _)| *section == wanted) {
            grams::fold(part, &mut text);
        }
    }
    text
}
