//! Building a static filter: only the hashes of its keys are kept.

use super::{Prints, StaticFilter, fingerprint};
use crate::Result;
use crate::filter::Design;
use crate::filter::line;
use crate::hash::{Key, KeyHash};
use crate::ribbon::{HashedKey, HashedKeys, Watch, graded_load, solve_graded};

/// Bits for each key over the least number, if speed can be had for them.
const MOST: f64 = 1.03;

/// The keys of a static filter, while they are collected: ten bytes for each.
#[derive(Debug, Clone)]
pub struct StaticFilterBuilder {
    hash: KeyHash,
    rate: f64,
    keys: HashedKeys,
}

impl StaticFilterBuilder {
    /// For a filter with this rate of false positives.
    ///
    /// # Errors
    /// [`crate::Error::Rate`] unless the rate lies between `2^-32` and 1.
    pub fn new(rate: f64) -> Result<Self> {
        Prints::for_rate(rate)?;
        Ok(Self { hash: KeyHash::default(), rate, keys: HashedKeys::new() })
    }

    /// The same, without keys, with another hash or seed.
    #[must_use]
    pub fn with_hash(self, hash: KeyHash) -> Self {
        Self { hash, keys: HashedKeys::new(), ..self }
    }

    /// How keys are hashed.
    #[must_use]
    pub const fn hash(&self) -> &KeyHash {
        &self.hash
    }

    /// Adds a key; the same one again counts once.
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) {
        self.insert_hash(key.hash_with(&self.hash));
    }

    /// Adds a key with this hash.
    #[inline]
    pub fn insert_hash(&mut self, hash: u64) {
        self.keys.push(hash, 0);
    }

    /// Builds the filter, on all cores.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if there is none.
    pub fn build(self) -> Result<StaticFilter> {
        self.build_watched(&|_| ())
    }

    /// As [`Self::build`]; `watch` is told how many keys more were placed.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn build_watched(mut self, watch: Watch<'_>) -> Result<StaticFilter> {
        self.keys.sort();
        let prints = Prints::for_rate(self.rate)?;
        let mut words = Vec::new();
        let load = graded_load(prints.mean(), MOST * -prints.rate().log2());
        let print = |key: HashedKey| fingerprint(key.hash);
        let ribbon = (self.keys.len() > 0)
            .then(|| solve_graded(&self.keys, print, (prints.values(), load), &mut words, watch));
        let design = Design { items: self.keys.len() as u64, rate: prints.rate() };
        let storage = line::of_words(&words)?;
        Ok(StaticFilter { hash: self.hash, design, prints, ribbon, storage })
    }
}
