//! The growing filter: no capacity needed beforehand.
//!
//! A list of Bloom filters. When the last one is full another is added, twice as large and
//! with a smaller rate, such that the rates of all of them add up to less than the
//! requested one:
//!
//! ```text
//! items of layer i = first * 2^i        rate of layer i = rate * 0.2 * 0.8^i
//! compound rate   <= sum of the layers' rates < rate
//! ```
//!
//! A key goes into the last layer unless some layer has it already, so repetitions cost no
//! room. A question asks the layers from the newest, which holds half of the keys. The price of not
//! knowing: three bits more per key, half a bit for each doubling (8 after ten), the room that the last layer
//! has left, and one cache line more per layer.
//!
//! Reference: P. Almeida, C. Baquero, N. Preguiça, D. Hutchison, *Scalable Bloom filters*,
//! 2007.

mod serialization;

use super::bloom::{BitLayout, Blocked, Bloom};
use super::methods::{insert_methods, question_methods, stored_methods};
use super::{Design, Filter, Insert, any_of, joined_keys};
use crate::hash::{KeyHash, KeyKinds, Record};
use crate::memory::{Line, Storage};
use crate::prelude::*;
use crate::{Error, Result};

/// How much larger each layer is than the one before.
const GROWTH: u64 = 2;

/// How much smaller the rate of each layer is than that of the one before.
const TIGHTENING: f64 = 0.8;

/// The smallest rate that stays kept while the filter grows by a factor of 8,000.
const LEAST_RATE: f64 = 1e-5;

/// The smallest rate of a layer, in either layout.
const LEAST_LAYER_RATE: f64 = 1.01e-7;

/// The most layers: the first has at least one key, the last then 2^40.
pub const MAX_LAYERS: usize = 40;

/// A Bloom filter that grows.
///
/// ```
/// use tamis::filter::GrowingFilter;
///
/// let mut seen = GrowingFilter::with_false_positive_rate(10, 0.01)?;
/// seen.extend(0..1_000);
/// assert!((0..1_000).all(|key| seen.contains(&key)));
/// assert!(seen.layers().len() > 1);
/// # Ok::<(), tamis::Error>(())
/// ```
///
/// 1. Every inserted key is found, whatever it has grown to.
/// 2. The compound rate stays under the requested one.
/// 3. The same keys in the same order give the same bits, one by one or in batches. (The order
///    matters: it decides which layer a key is in.)
#[derive(Clone, PartialEq)]
pub struct GrowingFilter<L: BitLayout = Blocked, S = Vec<Line>> {
    hash: KeyHash,
    design: Design,
    keys: Record,
    items: u64,
    layers: Vec<Bloom<L, S>>,
}

impl GrowingFilter {
    /// Starts with room for `items` keys; keeps the rate at any number of them. The bits of a key
    /// are in one cache line of each layer; [`Self::placed`] has a choice.
    ///
    /// # Errors
    /// [`Error::Rate`] for a rate under 0.00001 or not under 1; [`Error::Bits`];
    /// [`Error::Memory`].
    pub fn with_false_positive_rate(items: u64, rate: f64) -> Result<Self> {
        Self::placed(items, rate)
    }

    /// Starts with a layer of this many bits and functions; the rate that this gives when half
    /// of them are set is kept.
    ///
    /// # Errors
    /// [`Error::Hashes`], [`Error::Bits`], [`Error::Rate`] or [`Error::Memory`].
    pub fn with_bits(bits: u64, hashes: u32) -> Result<Self> {
        Self::placed_in_bits(bits, hashes)
    }
}

impl<L: BitLayout> GrowingFilter<L> {
    /// As [`GrowingFilter::with_false_positive_rate`], with layers of either layout:
    /// `GrowingFilter::<Classic>::placed(1_000, 0.01)`.
    ///
    /// # Errors
    /// As there.
    pub fn placed(items: u64, rate: f64) -> Result<Self> {
        Design::check_rate(rate, LEAST_RATE * 0.999)?;
        let design = Design { items: items.max(1), rate };
        let first = Self::layer(design, design.items, 0, KeyHash::default())?;
        let (hash, keys) = (KeyHash::default(), Record::default());
        Ok(Self { hash, design, keys, items: 0, layers: vec![first] })
    }

    /// As [`GrowingFilter::with_bits`], with layers of either layout.
    ///
    /// # Errors
    /// As there.
    pub fn placed_in_bits(bits: u64, hashes: u32) -> Result<Self> {
        let first = Bloom::<L>::with_bits(bits, hashes)?;
        let Design { items, rate } = first.design();
        Self::placed(items, rate / (1.0 - TIGHTENING))
    }

    /// The same filter, empty, with another hash or seed.
    #[must_use]
    pub fn with_hash(mut self, hash: KeyHash) -> Self {
        self.hash = hash;
        self.layers.truncate(1);
        self.keys = Record::default();
        self.items = 0;
        self.layers = self.layers.into_iter().map(|layer| layer.with_hash(hash)).collect();
        self
    }

    /// A layer for `items` keys, the one after `index` others.
    fn layer(design: Design, items: u64, index: u32, hash: KeyHash) -> Result<Bloom<L>> {
        let rate = design.rate * (1.0 - TIGHTENING) * TIGHTENING.powi(index as i32);
        let layer = Bloom::with_false_positive_rate(items, rate.max(LEAST_LAYER_RATE))?;
        Ok(layer.with_hash(hash))
    }

    /// Adds a layer if the last one is full. Without memory for it the last one takes more
    /// than it was made for: the rate suffers, no key is lost.
    fn grow_if_full(&mut self) {
        let Some(last) = self.layers.last() else { return };
        if last.len() < last.design().items || self.layers.len() == MAX_LAYERS {
            return;
        }
        // From the size of the last one and not from the number of layers: merged filters have
        // many of one size.
        let items = last.design().items.max(self.design.items).saturating_mul(GROWTH);
        if let Ok(layer) = Self::layer(self.design, items, self.layers.len() as u32, self.hash) {
            self.layers.push(layer);
        }
    }

    /// Inserts unless a layer from `from` on has the key; whether none has.
    fn insert_after(&mut self, from: usize, hash: u64) -> bool {
        if self.layers[from..].iter().any(|layer| layer.contains_hash(hash)) {
            return false;
        }
        self.grow_if_full();
        if let Some(last) = self.layers.last_mut() {
            last.insert_hash(hash);
        }
        true
    }

    /// Everything that either filter has. The layers of both are kept side by side, and their
    /// rates add up: merging two full filters of 1 % gives at most 2 %.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if hash, seed or what they were made for differ; [`Error::Memory`].
    /// Nothing is changed then.
    pub fn union<S: Storage>(&mut self, other: &GrowingFilter<L, S>) -> Result<()> {
        self.must_match(other)?;
        let mut added: Vec<Bloom<L>> = Vec::new();
        for layer in other.layers.iter().filter(|layer| !layer.is_empty()) {
            added.push(layer.to_owned()?);
        }
        if self.layers.len() + added.len() > MAX_LAYERS {
            return Err(Error::Unsupported {
                kind: "a growing filter",
                operation: "have more than 40 layers",
                reason: "merge fewer filters, or build one from all keys",
            });
        }
        self.keys = joined_keys(self, other);
        // The largest last: it is the one that has room.
        if !added.is_empty() {
            self.layers.retain(|layer| !layer.is_empty());
        }
        self.layers.append(&mut added);
        self.layers.sort_by_key(|layer| (layer.design().items, core::cmp::Reverse(layer.len())));
        self.items = self.items.saturating_add(other.items);
        Ok(())
    }

    /// What both filters have, while neither has grown.
    ///
    /// # Errors
    /// [`Error::Unsupported`] once one of them has grown: the same key may then be in layers of
    /// different sizes, which have no common bits. [`Error::Mismatch`] as in [`Self::union`].
    pub fn intersection<S: Storage>(&mut self, other: &GrowingFilter<L, S>) -> Result<()> {
        self.must_match(other)?;
        let keys = joined_keys(self, other);
        let ([left], [right]) = (&mut self.layers[..], &other.layers[..]) else {
            return Err(Error::Unsupported {
                kind: "a growing filter",
                operation: "be intersected after it has grown",
                reason: "its keys are in layers of different sizes; build both with --items",
            });
        };
        left.intersection(right)?;
        self.keys = keys;
        self.items = left.len();
        Ok(())
    }
}

impl<L: BitLayout, S: Storage> GrowingFilter<L, S> {
    /// The layers, from the first.
    #[must_use]
    pub fn layers(&self) -> &[Bloom<L, S>] {
        &self.layers
    }

    /// The items it started with and the rate that it keeps.
    #[must_use]
    pub const fn design(&self) -> Design {
        self.design
    }

    /// How many bits all layers have.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.layers.iter().map(Bloom::bits).sum()
    }

    /// How many functions the newest layer uses.
    #[must_use]
    pub fn hashes(&self) -> u32 {
        self.layers.last().map_or(0, Bloom::hashes)
    }

    /// A copy in memory of its own, which can be changed.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is none.
    pub fn to_owned(&self) -> Result<GrowingFilter<L>> {
        let layers = self.layers.iter().map(Bloom::to_owned).collect::<Result<_>>()?;
        let Self { hash, design, keys, items, .. } = *self;
        Ok(GrowingFilter { hash, design, keys, items, layers })
    }

    fn must_match<T: Storage>(&self, other: &GrowingFilter<L, T>) -> Result<()> {
        self.hash.must_equal(&other.hash)?;
        if self.design == other.design {
            return Ok(());
        }
        let shown = |d: Design| format!("{} items at {}", d.items, d.rate);
        Err(Error::mismatch("the first size", shown(self.design), shown(other.design)))
    }
}

question_methods!(GrowingFilter, L: BitLayout);
insert_methods!(GrowingFilter, L: BitLayout);
stored_methods!(GrowingFilter, L: BitLayout);

impl<L: BitLayout, S: Storage> Filter for GrowingFilter<L, S> {
    fn hash(&self) -> &KeyHash {
        &self.hash
    }

    #[inline]
    fn contains_hash(&self, hash: u64) -> bool {
        self.layers.iter().rev().any(|layer| layer.contains_hash(hash))
    }

    fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
        found.fill(false);
        let mut here = vec![false; hashes.len()];
        for layer in &self.layers {
            layer.contains_many_hashes(hashes, &mut here);
            for (found, &here) in found.iter_mut().zip(&here) {
                *found |= here;
            }
        }
    }

    /// Positions in the layers one behind the other, from the first.
    fn indexes_hash(&self, hash: u64) -> Vec<u64> {
        let mut before = 0;
        let mut indexes = Vec::new();
        for layer in &self.layers {
            indexes.extend(layer.indexes_hash(hash).into_iter().map(|index| before + index));
            before += layer.bits();
        }
        indexes
    }

    fn len(&self) -> u64 {
        self.items
    }

    fn key_kinds(&self) -> KeyKinds {
        self.keys.0
    }

    fn fill(&self) -> f64 {
        let set: f64 = self.layers.iter().map(|layer| layer.fill() * layer.bits() as f64).sum();
        set / self.bits().max(1) as f64
    }

    fn estimated_items(&self) -> f64 {
        self.layers.iter().map(Bloom::estimated_items).sum()
    }

    fn current_false_positive_rate(&self) -> f64 {
        any_of(self.layers.iter().map(Bloom::current_false_positive_rate))
    }
}

impl<L: BitLayout> Insert for GrowingFilter<L> {
    fn insert_hash(&mut self, hash: u64) -> bool {
        self.items = self.items.saturating_add(1);
        self.insert_after(0, hash)
    }

    fn insert_many_hashes(&mut self, hashes: &[u64]) {
        // Layers but the last do not change any more: they are asked for all keys at once.
        for hashes in hashes.chunks(super::BATCH) {
            let mut found = [false; super::BATCH];
            let found = &mut found[..hashes.len()];
            let last = self.layers.len() - 1;
            self.contains_many_hashes(hashes, found);
            self.items = self.items.saturating_add(hashes.len() as u64);
            for (&hash, _) in hashes.iter().zip(found).filter(|(_, found)| !**found) {
                self.insert_after(last, hash);
            }
        }
    }

    #[inline(always)]
    fn record_keys(&mut self, kinds: KeyKinds) {
        self.keys.add(kinds);
    }

    fn clear(&mut self) {
        self.keys = Record::default();
        self.items = 0;
        self.layers.truncate(1);
        self.layers.iter_mut().for_each(Bloom::clear);
    }
}
