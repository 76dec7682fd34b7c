//! The static filter: built once from all its keys, and smaller than any filter that can be added to.
//!
//! For each key a fingerprint is kept, a few bits of its hash, in a structure that needs hardly more room than those
//! bits: at most `1.03 log2(1 / p)` bits per key for a rate `p` of a percent or less, where a Bloom filter needs `1.44`. A key that was never in has
//! some other fingerprint there and is found with probability `2^-bits`. For rates between two powers of two
//! a part of the keys has one bit more than the others: those whose fingerprints are in the last part of the structure.
//!
//! ```
//! use tamis::filter::{Filter, StaticFilterBuilder};
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

#[cfg(feature = "train")]
mod build;
mod serialization;

#[cfg(feature = "train")]
pub use build::StaticFilterBuilder;

use super::line::{self, Line, Storage};
use super::{Design, Filter, LINE_BITS};
use crate::Result;
use crate::hash::{KeyHash, mixed};
use crate::ribbon::machine::{self, Machine, Work};
use crate::ribbon::{BATCH, GRADED_OVERHEAD, MAX_BITS, Ribbon, Values, words_of};

/// A filter that is built once.
///
/// 1. Every key that it was built from is found.
/// 2. The same keys in any order, the same rate and seed give the same bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct StaticFilter<S = Vec<Line>> {
    hash: KeyHash,
    design: Design,
    prints: Prints,
    /// The fingerprints; none of no keys.
    ribbon: Option<Ribbon>,
    storage: S,
}

/// How long fingerprints are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Prints {
    /// The shorter ones.
    bits: u32,
    /// Of `2^32` so many have one bit more.
    longer: u32,
}

impl Prints {
    /// Those that are equal by chance at this rate: `(1 - s) 2^-b + s 2^-(b + 1) = p` for a part `s` with one bit more.
    fn for_rate(rate: f64) -> Result<Self> {
        Design::check_rate(rate, 0.5f64.powi(MAX_BITS as i32))?;
        let bits = (-rate.log2()).floor();
        let part = 2.0 * (1.0 - rate * bits.exp2());
        // Saturates.
        Ok(Self { bits: bits as u32, longer: (part * 2f64.powi(32)).round() as u32 })
    }

    fn rate(self) -> f64 {
        let part = f64::from(self.longer) / 2f64.powi(32);
        0.5f64.powi(self.bits as i32) * (1.0 - part / 2.0)
    }

    /// Bits of a fingerprint, on average.
    fn mean(self) -> f64 {
        f64::from(self.bits) + f64::from(self.longer) / 2f64.powi(32)
    }

    /// The same as values of a structure.
    const fn values(self) -> Values {
        Values::graded(self.bits, self.longer)
    }
}

/// The fingerprint of a key, of which the lower bits count.
#[inline(always)]
const fn fingerprint(hash: u64) -> u32 {
    (mixed(hash, 0x5895_65F7_0B1A_4E2D) >> 32) as u32
}

impl StaticFilter {
    /// The bits of a filter of so many keys at this rate, expected; small ones need some hundreds more.
    ///
    /// # Errors
    /// [`crate::Error::Rate`] unless the rate lies between `2^-32` and 1.
    pub fn expected_bits(items: u64, rate: f64) -> Result<f64> {
        Ok(GRADED_OVERHEAD * items as f64 * Prints::for_rate(rate)?.mean())
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
        self.prints.mean()
    }

    /// A copy in memory of its own.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if there is none.
    pub fn to_owned(&self) -> Result<StaticFilter> {
        Ok(StaticFilter {
            hash: self.hash,
            design: self.design,
            prints: self.prints,
            ribbon: self.ribbon.clone(),
            storage: line::copied(line::bytes_of(self.storage.lines()))?,
        })
    }
}

impl<S: Storage> Filter for StaticFilter<S> {
    #[inline(always)]
    fn hash(&self) -> &KeyHash {
        &self.hash
    }

    #[inline]
    fn contains_hash(&self, hash: u64) -> bool {
        machine::run(Contains { filter: self, hash })
    }

    fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
        machine::run(ContainsMany { filter: self, hashes, found });
    }

    /// The slots whose sum is the fingerprint of the key.
    fn indexes_hash(&self, hash: u64) -> Vec<u64> {
        let words = words_of(self.storage.lines());
        self.ribbon.as_ref().map_or_else(Vec::new, |ribbon| ribbon.slots(words, hash))
    }

    fn len(&self) -> u64 {
        self.design.items
    }

    fn fill(&self) -> f64 {
        line::ones(self.storage.lines()) as f64 / self.bits().max(1) as f64
    }

    fn estimated_items(&self) -> f64 {
        self.design.items as f64
    }

    fn current_false_positive_rate(&self) -> f64 {
        if self.design.items == 0 { 0.0 } else { self.prints.rate() }
    }
}

/// One question.
struct Contains<'a, S> {
    filter: &'a StaticFilter<S>,
    hash: u64,
}

impl<S: Storage> Work for Contains<'_, S> {
    type Output = bool;

    #[inline(always)]
    fn run(self, machine: impl Machine) -> bool {
        let Self { filter, hash } = self;
        let words = words_of(filter.storage.lines());
        let agrees = |ribbon: &Ribbon| ribbon.agrees(words, hash, fingerprint(hash), machine);
        filter.ribbon.as_ref().is_some_and(agrees)
    }
}

/// Many questions: memory is asked for the keys of a batch before the first of them is looked at.
struct ContainsMany<'a, S> {
    filter: &'a StaticFilter<S>,
    hashes: &'a [u64],
    found: &'a mut [bool],
}

impl<S: Storage> Work for ContainsMany<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self, machine: impl Machine) {
        let Self { filter, hashes, found } = self;
        let Some(ribbon) = &filter.ribbon else { return found.fill(false) };
        let lines = filter.storage.lines();
        let words = words_of(lines);
        let mut starts = [0; BATCH];
        for (hashes, found) in hashes.chunks(BATCH).zip(found.chunks_mut(BATCH)) {
            for (start, &hash) in starts.iter_mut().zip(hashes) {
                *start = ribbon.begin(lines, hash);
            }
            for ((found, &hash), start) in found.iter_mut().zip(hashes).zip(starts) {
                *found = ribbon.agrees_begun(words, hash, start, fingerprint(hash), machine);
            }
        }
    }
}
