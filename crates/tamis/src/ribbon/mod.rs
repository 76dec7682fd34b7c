//! Retrieval: for each key of a set a few bits, in hardly more room than those bits; for other keys, some bits.
//!
//! A bumped ribbon. Each key is an equation over the field of two elements: the sum of the slots that a pattern of 128 or 64
//! bits chooses, from a starting slot on, is the key's value. Sorted by starting slot, the equations are a band, which
//! Gaussian elimination solves in one pass. There are fewer slots than keys: in each bucket of some hundred slots the keys
//! that do not fit are *bumped*, those that start before a threshold of the bucket, and go to the next layer,
//! where all is the same with a few percent of the keys; the last few go into a layer with room to spare.
//!
//! Keys are cut by their highest bits into shards of a few ten thousand, each a system of its own: they are solved side by
//! side, and what a system needs stays in the cache.
//!
//! Words are kept little-endian, as in files, so that a mapped file is used in place.
//!
//! Reference: P. C. Dillinger, L. Hübschle-Schneider, P. Sanders, S. Walzer, *Fast succinct retrieval and approximate
//! membership using ribbon*, 2022.

mod description;
pub(crate) mod machine;
mod shape;

#[cfg(feature = "train")]
mod keys;
#[cfg(feature = "train")]
mod solve;

pub(crate) use description::{Reader, write_described};
#[cfg(feature = "train")]
pub(crate) use keys::{HashedKey, HashedKeys};
#[cfg(feature = "train")]
pub(crate) use solve::{Watch, solve};

use crate::filter::prefetch::{CACHED, prefetch};
use crate::filter::{Line, WORDS};
use crate::hash::{MULTIPLIER, mixed};
use machine::Machine;
use shape::{NARROW, Shape, WIDE, is_narrow};

/// Bits of a word.
const WORD: usize = 64;

/// The most bits of a value.
pub(crate) const MAX_BITS: u32 = 32;

/// What a structure takes, as a multiple of its bits.
pub(crate) const OVERHEAD: f64 = 1.005;

/// A batch of at most so many keys is looked up at once.
pub(crate) const BATCH: usize = 64;

/// The words of lines, as they are in memory: little-endian.
#[inline(always)]
pub(crate) fn words_of(lines: &[Line]) -> &[u64] {
    bytemuck::cast_slice(lines)
}

/// A layer: how its keys are laid out, and where its words are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Layer {
    /// Shards are two to this power.
    shard_bits: u32,
    /// How many choices of patterns did not fit before this one.
    attempt: u32,
    /// Whether no key is bumped from it.
    last: bool,
    /// The words of slots before each shard, and before the end.
    starts: Vec<u32>,
    /// Where its solution begins among all words, and where its thresholds do.
    solution: usize,
    thresholds: usize,
}

impl Layer {
    /// Words of slots, for each bit of a value.
    fn slot_words(&self) -> usize {
        self.starts.last().copied().unwrap_or(0) as usize
    }

    /// Where what follows the layer begins; none if no memory has so many words.
    fn end(&self, bits: u32) -> Option<usize> {
        let bucket = Shape::of(bits).bucket_words();
        let buckets = if self.last { 0 } else { self.slot_words().div_ceil(bucket) };
        let thresholds = (2 * buckets).div_ceil(WORD);
        let solution = self.slot_words().checked_mul(bits as usize)?;
        self.solution.checked_add(solution)?.checked_add(thresholds)
    }

    /// The first slot of a key.
    #[inline(always)]
    fn start(&self, shape: &'static Shape, hash: u64) -> usize {
        let shard = shard_of(hash, self.shard_bits);
        let &[from, to] = self.starts[shard..].first_chunk().unwrap_or(&[0; 2]);
        let (from, to) = (from as usize, to as usize);
        from * WORD + start_within(shape, hash, self.shard_bits, (to - from) * WORD)
    }

    /// Whether a key with this first slot was bumped.
    #[inline(always)]
    fn bumps(&self, shape: &'static Shape, words: &[u64], start: usize) -> bool {
        let (bucket, within) = (start / shape.bucket, start % shape.bucket);
        let codes = u64::from_le(words[self.thresholds + bucket / 32]);
        within < shape.thresholds[(codes >> (2 * (bucket % 32)) & 3) as usize]
    }

    /// The pattern of a key, of which the usual one is known.
    #[inline(always)]
    const fn pattern(&self, hash: u64, usual: u128) -> u128 {
        if self.attempt == 0 { usual } else { pattern_at(hash, self.attempt) }
    }

    /// The value of a key that stays, with this first slot and this pattern.
    #[inline(always)]
    fn value(
        &self,
        bits: usize,
        words: &[u64],
        start: usize,
        pattern: u128,
        machine: impl Machine,
    ) -> u32 {
        let (rows, shift) = (&words[self.solution + start / WORD * bits..], start % WORD);
        match bits {
            1 => wide::<1>(rows, shift, pattern),
            2 => wide::<2>(rows, shift, pattern),
            3 => wide::<3>(rows, shift, pattern),
            _ => machine.parities(rows, bits, shift, pattern as u64),
        }
    }
}

/// The sum of the slots that a wide pattern chooses, for values of few bits.
#[inline(always)]
fn wide<const BITS: usize>(rows: &[u64], shift: usize, pattern: u128) -> u32 {
    match rows.get(..3 * BITS) {
        Some(rows) => wide_sum::<BITS>(shift, pattern, |index| rows[index]),
        // Behind the last slot there may be nothing; nothing of it is used then, for the shift is 0.
        None => wide_sum::<BITS>(shift, pattern, |index| rows.get(index).copied().unwrap_or(0)),
    }
}

#[inline(always)]
fn wide_sum<const BITS: usize>(shift: usize, pattern: u128, word: impl Fn(usize) -> u64) -> u32 {
    let (low, high) = (pattern as u64, (pattern >> WORD) as u64);
    let joined = |low: u64, high: u64| low >> shift | high << 1 << (WORD - 1 - shift);
    (0..BITS).fold(0, |value, bit| {
        let [a, b, c] = [0, BITS, 2 * BITS].map(|row| u64::from_le(word(row + bit)));
        let sum = (joined(a, b) & low) ^ (joined(b, c) & high);
        value | (sum.count_ones() & 1) << bit
    })
}

/// The shard of a key.
#[inline(always)]
const fn shard_of(hash: u64, shard_bits: u32) -> usize {
    ((hash as u128) << shard_bits >> 64) as usize
}

/// The first slot of a key among those of its shard.
#[inline(always)]
const fn start_within(shape: &Shape, hash: u64, shard_bits: u32, slots: usize) -> usize {
    (((hash << shard_bits) as u128 * (slots - shape.width + 1) as u128) >> 64) as usize
}

/// The usual pattern of a key, of which a narrow ribbon uses the lower half: the first slot is always among those that it
/// chooses. All structures have the same, for each is a system of its own.
#[inline(always)]
pub(crate) const fn pattern(hash: u64) -> u128 {
    let low = mixed(hash, 0xE703_7ED1_A0B4_28DB);
    let high = mixed(hash.rotate_left(32), 0x8EBC_6AF0_9C88_C6E3);
    (high as u128) << 64 | low as u128 | 1
}

/// The pattern of a key in a layer for which so many did not fit.
const fn pattern_at(hash: u64, attempt: u32) -> u128 {
    pattern(hash ^ (attempt as u64).wrapping_mul(MULTIPLIER))
}

/// The hash of a bumped key in the next layer. Different keys stay different: every step can be taken back (the finalizer of
/// splitmix64; G. L. Steele, D. Lea, C. H. Flood, *Fast splittable pseudorandom number generators*, 2014).
#[inline(always)]
const fn next_hash(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ hash >> 31
}

/// A structure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Ribbon {
    /// Bits of a value.
    pub bits: u32,
    layers: Vec<Layer>,
}

impl Ribbon {
    #[inline(always)]
    const fn shape(&self) -> &'static Shape {
        Shape::of(self.bits)
    }

    /// The value of a key.
    #[inline(always)]
    pub fn get(&self, words: &[u64], hash: u64, machine: impl Machine) -> u32 {
        match is_narrow(self.bits) {
            true => self.get_from(&NARROW, 0, words, hash, machine),
            false => self.get_from(&WIDE, 0, words, hash, machine),
        }
    }

    #[inline(always)]
    fn get_from(
        &self,
        shape: &'static Shape,
        layer: usize,
        words: &[u64],
        mut hash: u64,
        machine: impl Machine,
    ) -> u32 {
        for layer in &self.layers[layer..] {
            let start = layer.start(shape, hash);
            if layer.last || !layer.bumps(shape, words, start) {
                let pattern = layer.pattern(hash, pattern(hash));
                return layer.value(self.bits as usize, words, start, pattern, machine);
            }
            hash = next_hash(hash);
        }
        0
    }

    /// The first slot of a key in the first layer. In a structure that is larger than the caches, memory is asked for what is there.
    #[inline(always)]
    pub fn begin(&self, lines: &[Line], hash: u64) -> usize {
        let Some(layer) = self.layers.first() else { return 0 };
        let start = layer.start(self.shape(), hash);
        if lines.len() > CACHED {
            let bits = self.bits as usize;
            let first = layer.solution + start / WORD * bits;
            let last = first + (self.shape().width / WORD + 1) * bits - 1;
            let there = &lines[first / WORDS..];
            there.iter().take(last / WORDS + 1 - first / WORDS).for_each(prefetch);
        }
        start
    }

    /// The value of a key, of which [`Self::begin`] has said where it starts, and [`pattern`] its pattern.
    #[inline(always)]
    pub fn get_begun(
        &self,
        words: &[u64],
        hash: u64,
        (start, usual): (usize, u128),
        machine: impl Machine,
    ) -> u32 {
        let Some(layer) = self.layers.first() else { return 0 };
        let bumps = || match is_narrow(self.bits) {
            true => layer.bumps(&NARROW, words, start),
            false => layer.bumps(&WIDE, words, start),
        };
        if layer.last || !bumps() {
            let pattern = layer.pattern(hash, usual);
            return layer.value(self.bits as usize, words, start, pattern, machine);
        }
        self.get_from(self.shape(), 1, words, next_hash(hash), machine)
    }

    /// The slots whose sum is the value of a key.
    pub fn slots(&self, words: &[u64], mut hash: u64) -> Vec<u64> {
        for layer in &self.layers {
            let start = layer.start(self.shape(), hash);
            if layer.last || !layer.bumps(self.shape(), words, start) {
                let before = layer.solution as u64 * WORD as u64;
                let pattern = layer.pattern(hash, pattern(hash));
                let chosen = (0..self.shape().width).filter(|slot| pattern >> slot & 1 == 1);
                return chosen.map(|slot| before + (start + slot) as u64).collect();
            }
            hash = next_hash(hash);
        }
        Vec::new()
    }

    /// How many layers it has.
    pub const fn layers(&self) -> usize {
        self.layers.len()
    }
}
