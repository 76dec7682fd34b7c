//! What is kept of a verdict.

use serde::{Deserialize, Serialize};
use std::str::FromStr;
use tamis::hash::KeyHash;

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Nothing: the client only asked for a verdict.
    #[default]
    None,
    /// It was delivered, not marked as spam.
    Delivered,
    /// It was marked as spam for the mail program, and delivered.
    Tagged,
    /// The mail server was told to hold it.
    Quarantined,
    /// The mail server was told to refuse it.
    Rejected,
}

impl Action {
    /// All of them, the mildest first.
    pub const ALL: [Self; 5] =
        [Self::None, Self::Delivered, Self::Tagged, Self::Quarantined, Self::Rejected];

    /// The name in JSON and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Delivered => "delivered",
            Self::Tagged => "tagged",
            Self::Quarantined => "quarantined",
            Self::Rejected => "rejected",
        }
    }
}

impl FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|action| action.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("{text:?} is not an action: write one of {names}")
        })
    }
}

/// What is written of subjects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subjects {
    /// The text.
    #[default]
    Text,
    /// A keyed hash: an entry is found by its whole subject, and the subject cannot be read.
    Hash,
}

/// A verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number; later verdicts have larger ones.
    pub id: u64,
    /// When, in seconds since 1970.
    pub time: u64,
    /// The protocol by which the message came: `http`, `spamd` or `milter`.
    pub source: String,
    /// Whose store judged it, if each user has one.
    pub user: Option<String>,
    /// Which message it is: its [identity](crate::identity) under the seed of the history.
    pub message: String,
    /// The sender's address, or the `From` field if it has none.
    pub from: String,
    /// The subject; none where only its hash is kept.
    pub subject: Option<String>,
    /// The hash of the subject, where its text is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_hash: Option<String>,
    /// `spam` or another label, `ham`, or `unsure`.
    pub verdict: String,
    /// The probability that it is spam.
    pub probability: f64,
    /// The score that the cuts are compared with.
    pub score: f64,
    /// Why, the weightiest first.
    pub reasons: Vec<String>,
    /// What became of it.
    pub action: Action,
    /// The label that it was taught since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taught: Option<String>,
}

/// A correction: the message was taught a label, or forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Correction {
    // The first field: it tells corrections from verdicts without parsing the line.
    pub taught: Option<String>,
    pub id: u64,
    pub time: u64,
    pub user: Option<String>,
    pub message: String,
}

/// The start of every correction's line.
pub(super) const CORRECTION: &[u8] = b"{\"taught\":";

/// Maximum number of reasons, and of bytes of a text.
const MOST_REASONS: usize = 12;
const LONGEST_TEXT: usize = 500;

impl Entry {
    /// The main reason.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.reasons.first().map_or("", String::as_str)
    }

    /// The entry as it is written.
    pub(super) fn with_subject(&self, subjects: Subjects, seed: u64) -> Self {
        let mut entry = self.clone();
        entry.taught = None;
        entry.reasons.truncate(MOST_REASONS);
        let texts =
            [&mut entry.from].into_iter().chain(&mut entry.subject).chain(&mut entry.reasons);
        texts.for_each(|text| text.truncate(text.floor_char_boundary(LONGEST_TEXT)));
        if subjects == Subjects::Hash {
            entry.subject_hash = entry.subject.take().map(|text| subject_hash(&text, seed));
        }
        entry
    }
}

/// A subject as it is kept where its text is not.
pub(super) fn subject_hash(subject: &str, seed: u64) -> String {
    format!("{:016x}", KeyHash::new(seed).bytes(subject.trim().as_bytes()))
}
