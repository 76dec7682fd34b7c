//! The Bloom filter: `n` bits, `k` of them set for each key.
//!
//! After `m` insertions a key that was never inserted is still reported present with
//! probability
//!
//! ```text
//! p = (1 - e^(-k m / n))^k          least for k = (n / m) ln 2
//! n = m ln(1 / p) / (ln 2)^2        the size for a wanted p
//! ```
//!
//! Two layouts of the bits:
//!
//! | layout | positions | bits per key at 1 % / 0.01 % | memory touched per key |
//! |---|---|---|---|
//! | [`Classic`] | anywhere | 9.59 / 19.2 | `k` cache lines |
//! | [`Blocked`] | in one cache line | 10.1 / 22.1 | one cache line |
//!
//! ```
//! use tamis::filter::BloomFilter;
//!
//! let mut basket = BloomFilter::with_false_positive_rate(100, 0.001)?;
//! for vegetable in ["carrot", "leek", "turnip"] {
//!     basket.insert(vegetable);
//! }
//! assert!(basket.contains("leek"));
//! assert_eq!(basket.len(), 3);
//! assert_eq!(basket.indexes("leek").len(), basket.hashes() as usize);
//! # Ok::<(), tamis::Error>(())
//! ```
//!
//! Reference: B. H. Bloom, *Space/time trade-offs in hash coding with allowable errors*,
//! 1970; F. Putze, P. Sanders, J. Singler, *Cache-, hash- and space-efficient Bloom
//! filters*, 2007.

mod blocked;
mod checked;
mod classic;
mod count;
mod layout;
mod many;
mod serialization;

pub use blocked::Blocked;
pub use classic::Classic;
pub(crate) use classic::positions;
pub use layout::{BitLayout, Layout};
pub(crate) use serialization::{check_padding, read_layout};

use super::methods::{insert_methods, question_methods, stored_methods};
use super::{Design, Filter, Insert, joined_keys};
use crate::hash::{Key, KeyHash, KeyKinds, Record};
use crate::memory::{Line, Storage, line};
use crate::prelude::*;
use crate::{Error, Result};
use count::Count;

/// A Bloom filter over a layout and a place for its bits.
///
/// ```
/// use tamis::filter::BloomFilter;
///
/// let mut seen = BloomFilter::with_false_positive_rate(1_000, 0.01)?;
/// assert!(seen.insert("leek"), "it is new");
/// assert!(!seen.insert("leek"), "it is in already");
/// assert!(seen.contains("leek"));
/// # Ok::<(), tamis::Error>(())
/// ```
///
/// 1. Every inserted key is found: there are no false negatives.
/// 2. Two filters built from the same keys, in any order, are equal bit for bit.
/// 3. The layout, hash and seed are part of the value: filters that differ in one of
///    them never merge.
/// 4. Filters are equal if they have the same bits, layout, hash and seed, however often a key
///    was inserted.
#[derive(Clone)]
pub struct Bloom<L: BitLayout, S = Vec<Line>> {
    layout: L,
    hash: KeyHash,
    design: Design,
    keys: Record,
    items: Count,
    storage: S,
}

/// A Bloom filter with its bits anywhere: exact space.
pub type BloomFilter<S = Vec<Line>> = Bloom<Classic, S>;

/// A Bloom filter with the bits of a key in one cache line: speed.
pub type BlockedBloomFilter<S = Vec<Line>> = Bloom<Blocked, S>;

impl<L: BitLayout, S: PartialEq> PartialEq for Bloom<L, S> {
    fn eq(&self, other: &Self) -> bool {
        self.layout == other.layout
            && self.hash == other.hash
            && self.design == other.design
            && self.storage == other.storage
    }
}

impl<L: BitLayout> Bloom<L> {
    /// Sized for `items` keys with at most `rate` false positives among others.
    ///
    /// # Errors
    /// [`Error::Rate`] unless the rate lies in the layout's range; [`Error::Bits`] past
    /// [`super::MAX_BITS`]; [`Error::Memory`] if there is none.
    pub fn with_false_positive_rate(items: u64, rate: f64) -> Result<Self> {
        Self::with_layout(L::for_rate(items, rate)?, Design { items, rate })
    }

    /// With this many bits and functions. The blocked layout rounds the bits up to whole
    /// lines of 512.
    ///
    /// # Errors
    /// [`Error::Hashes`], [`Error::Bits`] or [`Error::Memory`].
    pub fn with_bits(bits: u64, hashes: u32) -> Result<Self> {
        let layout = L::for_bits(bits, hashes)?;
        let items = layout.half_full();
        Self::with_layout(layout, Design { items, rate: layout.expected_rate(items) })
    }

    pub(crate) fn with_layout(layout: L, design: Design) -> Result<Self> {
        let storage = line::zeroed(layout.lines())?;
        let (hash, keys) = (KeyHash::default(), KeyKinds::NONE);
        Ok(Self::assemble(layout, hash, design, keys, 0, storage))
    }

    /// The same filter, empty, with another hash or seed.
    #[must_use]
    pub fn with_hash(mut self, hash: KeyHash) -> Self {
        self.clear();
        self.hash = hash;
        self
    }

    /// Everything that either filter has.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if hash, seed, size or functions differ; nothing is changed then.
    pub fn union<T: Storage>(&mut self, other: &Bloom<L, T>) -> Result<()> {
        self.must_match(other)?;
        self.keys = joined_keys(self, other);
        line::combine(&mut self.storage, other.storage.lines(), |a, b| a | b);
        self.items.add(other.len());
        Ok(())
    }

    /// What both filters have. The rate of false positives is at most that of the better one
    /// of the two; the number of keys is from now on an estimate.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if hash, seed, size or functions differ; nothing is changed then.
    pub fn intersection<T: Storage>(&mut self, other: &Bloom<L, T>) -> Result<()> {
        self.must_match(other)?;
        self.keys = joined_keys(self, other);
        line::combine(&mut self.storage, other.storage.lines(), |a, b| a & b);
        let most = self.len().min(other.len());
        self.items = Count::new((self.estimated_items().round() as u64).min(most));
        Ok(())
    }

    pub(crate) fn into_lines(self) -> Vec<Line> {
        self.storage
    }
}

impl<L: BitLayout, S: Storage> Bloom<L, S> {
    /// How many bits it has.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.layout.bits()
    }

    /// How many functions of a key it uses.
    #[must_use]
    pub fn hashes(&self) -> u32 {
        self.layout.hashes()
    }

    /// What it was made for.
    #[must_use]
    pub const fn design(&self) -> Design {
        self.design
    }

    /// How the bits of a key are placed.
    #[must_use]
    pub const fn layout(&self) -> L {
        self.layout
    }

    /// Its bits.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        self.storage.lines()
    }

    /// A copy in memory of its own, which can be changed.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is none.
    pub fn to_owned(&self) -> Result<Bloom<L>> {
        let storage = line::copied(line::bytes_of(self.lines()))?;
        let Self { layout, hash, design, keys, items, .. } = *self;
        Ok(Bloom { layout, hash, design, keys, items, storage })
    }

    /// Whether the other filter has every bit of this one, and so finds every key that this one finds.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if hash, seed, size or functions differ.
    pub fn is_subset<T: Storage>(&self, other: &Bloom<L, T>) -> Result<bool> {
        self.must_match(other)?;
        let (ours, theirs) = (line::bytes_of(self.lines()), line::bytes_of(other.lines()));
        Ok(ours.iter().zip(theirs).all(|(ours, theirs)| ours & !theirs == 0))
    }

    fn must_match<T: Storage>(&self, other: &Bloom<L, T>) -> Result<()> {
        self.hash.must_equal(&other.hash)?;
        let (left, right) = (self.layout, other.layout);
        if left.bits() != right.bits() {
            return Err(Error::mismatch("the number of bits", left.bits(), right.bits()));
        }
        if left.hashes() != right.hashes() {
            return Err(Error::mismatch("the number of functions", left.hashes(), right.hashes()));
        }
        Ok(())
    }
}

question_methods!(Bloom, L: BitLayout);
insert_methods!(Bloom, L: BitLayout);
stored_methods!(Bloom, L: BitLayout);

impl<L: BitLayout, S: Storage> Filter for Bloom<L, S> {
    #[inline(always)]
    fn hash(&self) -> &KeyHash {
        &self.hash
    }

    #[inline(always)]
    fn contains_hash(&self, hash: u64) -> bool {
        self.layout.contains(self.storage.lines(), hash)
    }

    fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
        self.contains_each(hashes, found, |hash| *hash);
    }

    fn contains_many<K: Key>(&self, keys: &[K]) -> Vec<bool> {
        let (hash, mut found) = (self.hash, vec![false; keys.len()]);
        self.contains_each(keys, &mut found, |key| key.hash_with(&hash));
        found
    }

    fn indexes_hash(&self, hash: u64) -> Vec<u64> {
        self.layout.indexes(hash)
    }

    fn len(&self) -> u64 {
        self.items.get()
    }

    fn key_kinds(&self) -> KeyKinds {
        self.keys.0
    }

    fn fill(&self) -> f64 {
        (line::ones(self.lines()) as f64 / self.bits() as f64).min(1.0)
    }

    fn estimated_items(&self) -> f64 {
        self.layout.estimated_items(self.fill())
    }

    fn current_false_positive_rate(&self) -> f64 {
        self.layout.rate_of(self.lines())
    }
}

impl<L: BitLayout> Insert for Bloom<L> {
    #[inline(always)]
    fn insert_hash(&mut self, hash: u64) -> bool {
        self.items.add_one();
        self.layout.insert(&mut self.storage, hash)
    }

    fn insert_many_hashes(&mut self, hashes: &[u64]) {
        self.insert_each(hashes, |hash| *hash);
    }

    fn insert_many<K: Key>(&mut self, keys: &[K]) {
        let hash = self.hash;
        self.keys.add(KeyKinds::of(keys));
        self.insert_each(keys, |key| key.hash_with(&hash));
    }

    #[inline(always)]
    fn record_keys(&mut self, kinds: KeyKinds) {
        self.keys.add(kinds);
    }

    fn clear(&mut self) {
        self.keys = Record::default();
        self.items = Count::new(0);
        self.storage.fill(bytemuck::Zeroable::zeroed());
    }
}
