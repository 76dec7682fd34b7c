//! The cascade of this project: exact classes near the entropy of their sizes.

use super::code::{Code, FilterStep};
use super::ribbon::Ribbon;
use crate::hash::{KeyHash, mixed};
use std::sync::Arc;

/// What a cascade says of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The category of a key that is known: one that was not trained comes here with probability `2^-bits`, the bits for
    /// which the cascade was built to refuse.
    Category(u32),
    /// The category, if the key was trained; the cascade cannot know whether it was.
    Unknowable(u32),
    /// The key was not trained.
    NotCovered,
}

impl Answer {
    /// The category, if there is one.
    #[must_use]
    pub const fn category(self) -> Option<u32> {
        match self {
            Self::Category(category) | Self::Unknowable(category) => Some(category),
            Self::NotCovered => None,
        }
    }
}

/// A map from keys to categories that stores no key.
///
/// 1. Every trained key has its category.
/// 2. The same keys, categories and seed give the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cascade {
    pub(super) hash: KeyHash,
    pub(super) names: Vec<Vec<u8>>,
    /// Trained keys of each category.
    pub(super) counts: Vec<u64>,
    /// Fingerprints of all keys, to refuse others.
    pub(super) reject: Option<Ribbon>,
    pub(super) filters: Vec<(FilterStep, Ribbon)>,
    pub(super) lengths: Vec<u8>,
    pub(super) code: Code,
    /// A structure for each step of the code.
    pub(super) steps: Vec<Ribbon>,
    /// The category of everything, if there is only one.
    pub(super) only: u32,
    pub(super) words: Arc<[u64]>,
}

/// The fingerprint of a key for a filter.
#[inline(always)]
pub(super) const fn fingerprint(hash: u64, salt: u64, bits: u32) -> u32 {
    (mixed(hash, salt) >> (64 - bits)) as u32
}

/// What makes the fingerprints of a step differ from those of others.
pub(super) const fn salt(step: usize) -> u64 {
    (step as u64 + 1).wrapping_mul(0xE703_7ED1_A0B4_28DB)
}

/// The step of the fingerprints that refuse.
pub(super) const REJECT: usize = 1 << 20;

impl Cascade {
    /// What it says of a key.
    #[must_use]
    pub fn classify(&self, key: &[u8]) -> Answer {
        self.classify_hash(self.hash.bytes(key))
    }

    /// What it says of a key with this hash.
    #[must_use]
    pub fn classify_hash(&self, hash: u64) -> Answer {
        let words: &[u64] = &self.words;
        let stranger = |reject: &Ribbon| {
            reject.get(words, hash) != fingerprint(hash, salt(REJECT), reject.bits)
        };
        if self.reject.as_ref().is_some_and(stranger) {
            return Answer::NotCovered;
        }
        let category = self.category(words, hash);
        if self.reject.is_some() {
            Answer::Category(category)
        } else {
            Answer::Unknowable(category)
        }
    }

    fn category(&self, words: &[u64], hash: u64) -> u32 {
        for (index, (step, filter)) in self.filters.iter().enumerate() {
            if filter.get(words, hash) != fingerprint(hash, salt(index), step.bits) {
                return step.category;
            }
        }
        if self.steps.is_empty() {
            return self.only;
        }
        let mut code = 0u64;
        for (index, step) in self.steps.iter().enumerate() {
            code = code << step.bits | u64::from(step.get(words, hash));
            if let Some(category) = self.code.decode(index, code) {
                return category;
            }
        }
        // No trained key comes here.
        self.code.any()
    }

    /// The names of the categories.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.names.iter().map(Vec::as_slice)
    }

    /// The name of a category.
    #[must_use]
    pub fn name(&self, category: u32) -> &[u8] {
        self.names.get(category as usize).map_or(&[], Vec::as_slice)
    }

    /// How many keys of each category were trained.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Bits of the fingerprints that refuse unknown keys; 0 if none are refused.
    #[must_use]
    pub fn reject_bits(&self) -> u32 {
        self.reject.as_ref().map_or(0, |reject| reject.bits)
    }

    /// How many structures a question may have to ask.
    #[must_use]
    pub fn structures(&self) -> usize {
        usize::from(self.reject.is_some()) + self.filters.len() + self.steps.len()
    }

    /// How keys are hashed.
    #[must_use]
    pub const fn hash(&self) -> &KeyHash {
        &self.hash
    }

    /// The least number of bits that tell the categories of all keys: `sum c log2(n / c)`.
    #[must_use]
    pub fn entropy_bits(&self) -> f64 {
        let total: u64 = self.counts.iter().sum();
        let bits = |count: &u64| match *count {
            0 => 0.0,
            count => count as f64 * (total as f64 / count as f64).log2(),
        };
        self.counts.iter().map(bits).sum()
    }
}
