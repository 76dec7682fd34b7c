//! The counting filter: a counter in the place of each bit, so that a key can be counted and
//! taken back.
//!
//! The multiplicity of a key is the least of its `k` counters (minimum selection): never
//! less than the truth while nothing overflowed, and more with the probability of a false
//! positive. Counters stop at their maximum; one that has stopped no longer knows its true
//! value and therefore never goes down again.
//!
//! | width | counts to | bits per key at 1 %, blocked / classic |
//! |---|---|---|
//! | 4 bits | 15 | 44.0 / 38.3 |
//! | 8 bits | 255 | 99.3 / 76.7 |
//!
//! The blocked layout keeps the counters of a key in one cache line, of which it has room
//! for 128 or 64; at rates under 0.1 % that costs much memory, and the classic layout is
//! the better choice.
//!
//! ```
//! use tamis::filter::{CountingFilter, CounterWidth, Removal};
//!
//! let mut basket = CountingFilter::with_false_positive_rate(CounterWidth::Four, 100, 0.001)?;
//! basket.insert("leek");
//! basket.insert("leek");
//! assert_eq!(basket.count("leek"), 2);
//! assert_eq!(basket.remove("leek"), Removal::Removed);
//! assert_eq!(basket.count("leek"), 1);
//! assert_eq!(basket.remove("turnip"), Removal::Absent);
//! # Ok::<(), tamis::Error>(())
//! ```
//!
//! Reference: L. Fan, P. Cao, J. Almeida, A. Broder, *Summary cache*, 2000.

mod counters;
mod places;
mod serialization;

pub use counters::CounterWidth;

use super::bloom::Layout;
use super::methods::{insert_methods, question_methods, stored_methods};
use super::{Design, Filter, Insert, joined_keys};
use crate::hash::{Key, KeyHash, KeyKinds, Record};
use crate::memory::prefetch::{Ahead, pipeline, prefetch};
use crate::memory::{Line, Storage, line};
use crate::prelude::*;
use crate::{Error, Result};
use places::Places;

/// What became of a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Removal {
    /// The key was in and is now in once less.
    Removed,
    /// The key was not in; nothing was changed.
    Absent,
    /// All counters of the key have stopped at their maximum; nothing was changed.
    Saturated,
}

/// A counting Bloom filter.
///
/// ```
/// use tamis::filter::{CounterWidth, CountingFilter, Removal};
///
/// let mut visits = CountingFilter::with_false_positive_rate(CounterWidth::Four, 1_000, 0.01)?;
/// visits.insert("/home");
/// visits.insert("/home");
/// assert_eq!(visits.count("/home"), 2);
/// assert_eq!(visits.remove("/home"), Removal::Removed);
/// # Ok::<(), tamis::Error>(())
/// ```
///
/// 1. What was inserted more often than removed is found, provided that only what was
///    inserted is removed.
/// 2. [`Self::count`] is at least the true multiplicity, or [`Self::max_count`].
/// 3. A counter at its maximum stays there until [`Insert::clear`].
#[derive(Clone, PartialEq)]
pub struct CountingFilter<S = Vec<Line>> {
    places: Places,
    hash: KeyHash,
    design: Design,
    keys: Record,
    items: u64,
    storage: S,
}

impl CountingFilter {
    /// Sized for `items` different keys with at most `rate` false positives among others; the
    /// counters of a key in one cache line.
    ///
    /// # Errors
    /// [`Error::Rate`], [`Error::Bits`] or [`Error::Memory`].
    pub fn with_false_positive_rate(width: CounterWidth, items: u64, rate: f64) -> Result<Self> {
        Self::placed(Layout::Blocked, width, items, rate)
    }

    /// Sized for `items` different keys with a choice of layout.
    ///
    /// # Errors
    /// [`Error::Rate`], [`Error::Bits`] or [`Error::Memory`].
    pub fn placed(layout: Layout, width: CounterWidth, items: u64, rate: f64) -> Result<Self> {
        let places = Places::for_rate(layout, width, items, rate)?;
        Self::with_places(places, Design { items, rate })
    }

    /// With this many bits in all, `width` of them for each counter, and this many functions.
    ///
    /// # Errors
    /// [`Error::Hashes`], [`Error::Bits`] or [`Error::Memory`].
    pub fn with_bits(layout: Layout, width: CounterWidth, bits: u64, hashes: u32) -> Result<Self> {
        let places = Places::for_bits(layout, width, bits, hashes)?;
        let items = (places.estimated_items(0.5) as u64).max(1);
        Self::with_places(places, Design { items, rate: places.expected_rate(items) })
    }

    /// Bits, functions and expected rate of a filter for so many keys, without building it.
    pub(crate) fn sized(
        layout: Layout,
        width: CounterWidth,
        items: u64,
        rate: f64,
    ) -> Result<(u64, u32, f64)> {
        let places = Places::for_rate(layout, width, items, rate)?;
        Ok((places.bits(), places.hashes(), places.expected_rate(items)))
    }

    fn with_places(places: Places, design: Design) -> Result<Self> {
        let storage = line::zeroed(places.lines())?;
        let (hash, keys) = (KeyHash::default(), Record::default());
        Ok(Self { places, hash, design, keys, items: 0, storage })
    }

    /// The same filter, empty, with another hash or seed.
    #[must_use]
    pub fn with_hash(mut self, hash: KeyHash) -> Self {
        self.clear();
        self.hash = hash;
        self
    }

    /// Takes a key back once.
    ///
    /// Remove only what was inserted: a key that is found by chance and removed takes from the
    /// counters of others.
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> Removal {
        self.remove_hash(key.hash_with(&self.hash))
    }

    /// Takes a key with this hash back once.
    pub fn remove_hash(&mut self, hash: u64) -> Removal {
        let width = self.places.width();
        let places = self.places.of(hash);
        let count = places.least(width, &self.storage);
        if count == 0 {
            return Removal::Absent;
        }
        if count == width.max() {
            return Removal::Saturated;
        }
        for &place in places.as_slice() {
            width.decrement(&mut self.storage, place);
        }
        self.items = self.items.saturating_sub(1);
        Removal::Removed
    }

    /// The sum of both: each key is in as often as in the two together.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if hash, seed, size, width or functions differ; nothing is changed
    /// then.
    pub fn union<T: Storage>(&mut self, other: &CountingFilter<T>) -> Result<()> {
        self.must_match(other)?;
        self.keys = joined_keys(self, other);
        let width = self.places.width();
        line::combine(&mut self.storage, other.storage.lines(), |a, b| width.add(a, b));
        self.items = self.items.saturating_add(other.items);
        Ok(())
    }

    /// What both have, as often as the one that has it less often. The number of keys is from
    /// now on an estimate.
    ///
    /// # Errors
    /// [`Error::Mismatch`] as in [`Self::union`].
    pub fn intersection<T: Storage>(&mut self, other: &CountingFilter<T>) -> Result<()> {
        self.must_match(other)?;
        self.keys = joined_keys(self, other);
        let width = self.places.width();
        line::combine(&mut self.storage, other.storage.lines(), |a, b| width.least(a, b));
        let most = self.items.min(other.items);
        self.items = (self.estimated_items().round() as u64).min(most);
        Ok(())
    }
}

impl<S: Storage> CountingFilter<S> {
    /// How often this key is in, or [`Self::max_count`] for that and more.
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> u32 {
        self.count_hash(key.hash_with(&self.hash))
    }

    /// How often a key with this hash is in.
    #[inline]
    #[must_use]
    pub fn count_hash(&self, hash: u64) -> u32 {
        self.places.of(hash).least(self.places.width(), self.storage.lines())
    }

    /// How often keys with these hashes are in, into `counts`, which must be as long.
    pub fn count_many_hashes(&self, hashes: &[u64], counts: &mut [u32]) {
        self.visit_each(hashes, counts, |hash| self.count_hash(hash));
    }

    /// Where counters stop: 15 or 255.
    #[must_use]
    pub const fn max_count(&self) -> u32 {
        self.places.width().max()
    }

    /// How wide a counter is.
    #[must_use]
    pub const fn width(&self) -> CounterWidth {
        self.places.width()
    }

    /// How the counters of a key are placed.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.places.layout()
    }

    /// How many bits it has, all counters together.
    #[must_use]
    pub const fn bits(&self) -> u64 {
        self.places.bits()
    }

    /// How many functions of a key it uses.
    #[must_use]
    pub const fn hashes(&self) -> u32 {
        self.places.hashes()
    }

    /// What it was made for.
    #[must_use]
    pub const fn design(&self) -> Design {
        self.design
    }

    /// A copy in memory of its own, which can be changed.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is none.
    pub fn to_owned(&self) -> Result<CountingFilter> {
        let storage = line::copied(line::bytes_of(self.storage.lines()))?;
        let Self { places, hash, design, keys, items, .. } = *self;
        Ok(CountingFilter { places, hash, design, keys, items, storage })
    }

    fn must_match<T: Storage>(&self, other: &CountingFilter<T>) -> Result<()> {
        self.hash.must_equal(&other.hash)?;
        if self.places == other.places {
            return Ok(());
        }
        Err(Error::mismatch("the size", self.places, other.places))
    }

    fn ahead(&self) -> Ahead {
        Ahead::of(self.storage.lines().len(), self.places.lines_per_key())
    }

    /// Calls `visit` with each of these, after the lines of its hash were fetched.
    #[inline(always)]
    fn visit_each<'a, T: 'a>(
        &self,
        hashes: &[u64],
        results: &'a mut [T],
        visit: impl Fn(u64) -> T,
    ) {
        let mut results = results.iter_mut();
        pipeline(
            self.ahead(),
            hashes.iter(),
            &mut results,
            |hash| *hash,
            |hash, _| self.fetch(hash),
            |hash, results| {
                if let Some(result) = results.next() {
                    *result = visit(hash);
                }
            },
        );
    }

    /// Prefetches the lines of a key.
    #[inline(always)]
    fn fetch(&self, hash: u64) {
        let lines = self.storage.lines();
        self.places.for_each_line(hash, |line| prefetch(&lines[line]));
    }
}

question_methods!(CountingFilter);
insert_methods!(CountingFilter);
stored_methods!(CountingFilter);

impl<S: Storage> Filter for CountingFilter<S> {
    #[inline(always)]
    fn hash(&self) -> &KeyHash {
        &self.hash
    }

    #[inline(always)]
    fn contains_hash(&self, hash: u64) -> bool {
        self.places.has(self.storage.lines(), hash)
    }

    fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
        self.visit_each(hashes, found, |hash| self.contains_hash(hash));
    }

    fn indexes_hash(&self, hash: u64) -> Vec<u64> {
        self.places.of(hash).as_slice().to_vec()
    }

    fn len(&self) -> u64 {
        self.items
    }

    fn key_kinds(&self) -> KeyKinds {
        self.keys.0
    }

    fn fill(&self) -> f64 {
        let taken = |word| u64::from(self.places.width().taken(word));
        let lines = self.storage.lines().iter();
        let taken: u64 = lines.map(|line| (0..8).map(|w| taken(line.word(w))).sum::<u64>()).sum();
        (taken as f64 / self.places.slots() as f64).min(1.0)
    }

    fn estimated_items(&self) -> f64 {
        self.places.estimated_items(self.fill())
    }

    fn current_false_positive_rate(&self) -> f64 {
        self.places.rate_of(self.storage.lines())
    }
}

impl Insert for CountingFilter {
    #[inline(always)]
    fn insert_hash(&mut self, hash: u64) -> bool {
        let is_new = !self.contains_hash(hash);
        self.places.increment(&mut self.storage, hash);
        self.items = self.items.saturating_add(1);
        is_new
    }

    fn insert_many_hashes(&mut self, hashes: &[u64]) {
        pipeline(
            self.ahead(),
            hashes.iter(),
            self,
            |hash| *hash,
            |hash, filter| filter.fetch(hash),
            |hash, filter| {
                filter.insert_hash(hash);
            },
        );
    }

    #[inline(always)]
    fn record_keys(&mut self, kinds: KeyKinds) {
        self.keys.add(kinds);
    }

    fn clear(&mut self) {
        self.keys = Record::default();
        self.items = 0;
        self.storage.fill(bytemuck::Zeroable::zeroed());
    }
}
