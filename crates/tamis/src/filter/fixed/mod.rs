//! The static filter: built once from all its keys, and smaller than any filter that can be added to.
//!
//! At most `1.03 log2(1 / p)` bits per key for a rate `p` of a percent or less and a quarter of a million keys or more, where a Bloom filter needs `1.44`; a hundred thousand keys
//! take 1.028 at a percent, and up to 1.045 if they are crowded somewhere. The hash of a key chooses among sixteen slots at one
//! place and sixteen at another, and in every *plane* of the slots the sum of the chosen ones is one bit of the key's fingerprint. Slots are found for which
//! that is so for all keys; the fingerprint of a key that was never in has the right bit by chance, in one case of two for each plane. For rates
//! between two powers of two a part of the keys has one plane more than the others.
//!
//! A question reads two places, close to each other, and waits for nothing in between.
//!
//! ```
//! use tamis::filter::StaticFilterBuilder;
//!
//! let mut builder = StaticFilterBuilder::new(0.01)?;
//! for vegetable in ["carrot", "leek", "turnip"] {
//!     builder.insert(vegetable);
//! }
//! let basket = builder.build()?;
//! assert!(basket.contains("leek"));
//! assert_eq!(basket.len(), 3);
//! # Ok::<(), tamis::Error>(())
//! ```
//!
//! Equations over slots near each other are those of ribbons (P. C. Dillinger, L. Hübschle-Schneider, P. Sanders, S. Walzer, *Fast succinct retrieval and
//! approximate membership using ribbon*, 2022). There an equation is 64 or 128 slots next to each other, and the keys that are too many for their place go elsewhere,
//! or much room is left; two places at a distance even out what one cannot, as two buckets do in cuckoo hashing.

#[cfg(feature = "train")]
mod build;
mod serialization;

#[cfg(feature = "train")]
pub use build::StaticFilterBuilder;

use super::methods::{question_methods, stored_methods};
use super::{Design, Filter, LINE_BITS};
use crate::Result;
use crate::hash::{KeyHash, KeyKinds, Record};
use crate::memory::prefetch::{Ahead, pipeline};
use crate::memory::{Line, Storage, line};
use crate::prelude::*;
use crate::solve::band::shape::{MOST_SPAN_BITS, Planes, SLOTS, Shape};
use crate::solve::band::windows;

/// A filter that is built once.
///
/// ```
/// use tamis::filter::StaticFilter;
///
/// let basket = StaticFilter::from_keys(["carrot", "leek", "turnip"], 0.01)?;
/// assert!(basket.contains("leek"));
/// # Ok::<(), tamis::Error>(())
/// ```
///
/// 1. Every key that it was built from is found.
/// 2. The same keys in any order, the same rate and seed give the same bytes.
#[derive(Clone, PartialEq)]
pub struct StaticFilter<S = Vec<Line>> {
    hash: KeyHash,
    design: Design,
    keys: Record,
    shape: Shape,
    storage: S,
}

/// From so many keys on the span is the longest: before that, so much behind the last starts costs more than crowds do.
const LONGEST_FROM: f64 = 131_072.0;

/// The starts and the bits of the span for so many keys: with the first attempt as many as suffice in most cases, then some more each time.
///
/// The more keys, the larger are the crowds among them that spare slots have to take in, up to some size: with a part `d` of the slots spare, crowds of `s` keys too many are
/// as rare as `e^(-2 s d)`, and a span takes in about as many keys as half of its slots. A longer span needs fewer spare slots, but more behind the last start. The
/// numbers were found by trying.
fn room(items: u64, attempt: u32) -> (u64, u32) {
    let keys = items.max(1) as f64;
    let span_bits = match keys {
        LONGEST_FROM.. => f64::from(MOST_SPAN_BITS),
        _ => (keys.sqrt() / 10.0).log2().max(0.0).round(),
    };
    let size = keys.log10();
    let spare = match keys {
        LONGEST_FROM.. => 0.0025 + 0.004 * (size.min(7.5) - 5.12),
        _ => 0.005,
    };
    let more = 0.001 + 10.0 / keys;
    let slots = keys * (1.0 + spare + more * f64::from(attempt)) + (keys / 8.0).min(40.0);
    ((slots / SLOTS as f64).ceil() as u64, span_bits as u32)
}

impl StaticFilter {
    /// The bits of a filter of so many keys at this rate, expected; small ones need some hundreds more.
    ///
    /// # Errors
    /// [`crate::Error::Rate`] unless the rate lies between `2^-30` and 1.
    pub fn expected_bits(items: u64, rate: f64) -> Result<f64> {
        let planes = Planes::for_rate(rate)?;
        let (starts, span_bits) = room(items, 0);
        Ok(Shape::new(planes, starts, span_bits)?.lines() as f64 * LINE_BITS as f64)
    }
}

impl<S: Storage> StaticFilter<S> {
    /// What it was made for.
    #[must_use]
    pub const fn design(&self) -> Design {
        self.design
    }

    /// How many bits it has.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.storage.lines().len() as u64 * LINE_BITS
    }

    /// How many functions of a key it uses: one.
    #[must_use]
    pub const fn hashes(&self) -> u32 {
        1
    }

    /// How long a fingerprint is, in bits, on average over all keys.
    #[must_use]
    pub fn fingerprint_bits(&self) -> f64 {
        self.shape.planes.mean()
    }

    /// A copy in memory of its own.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if there is none.
    pub fn to_owned(&self) -> Result<StaticFilter> {
        let storage = line::copied(line::bytes_of(self.storage.lines()))?;
        let Self { hash, design, keys, shape, .. } = *self;
        Ok(StaticFilter { hash, design, keys, shape, storage })
    }
}

question_methods!(StaticFilter);
stored_methods!(StaticFilter);

impl<S: Storage> Filter for StaticFilter<S> {
    #[inline(always)]
    fn hash(&self) -> &KeyHash {
        &self.hash
    }

    #[inline]
    fn contains_hash(&self, hash: u64) -> bool {
        windows::agrees(&self.shape, self.storage.lines(), hash)
    }

    fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
        let (shape, lines) = (&self.shape, self.storage.lines());
        let mut found = found.iter_mut();
        pipeline(
            Ahead::of(lines.len(), 2),
            hashes.iter(),
            &mut found,
            |hash| *hash,
            |hash, _| windows::fetch(shape, lines, hash),
            |hash, found| {
                if let Some(found) = found.next() {
                    *found = windows::agrees(shape, lines, hash);
                }
            },
        );
    }

    /// The slots whose sum is the fingerprint of the key.
    fn indexes_hash(&self, hash: u64) -> Vec<u64> {
        if self.design.items == 0 { Vec::new() } else { self.shape.slots(hash) }
    }

    fn len(&self) -> u64 {
        self.design.items
    }

    fn key_kinds(&self) -> KeyKinds {
        self.keys.0
    }

    fn fill(&self) -> f64 {
        line::ones(self.storage.lines()) as f64 / self.bits().max(1) as f64
    }

    fn estimated_items(&self) -> f64 {
        self.design.items as f64
    }

    fn current_false_positive_rate(&self) -> f64 {
        if self.design.items == 0 { 0.0 } else { self.shape.planes.rate() }
    }
}
