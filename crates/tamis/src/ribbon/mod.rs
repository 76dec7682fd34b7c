//! Retrieval: for each key of a set a few bits, in hardly more room than those bits; for other keys, some bits.
//!
//! A bumped ribbon. Each key is an equation over the field of two elements: the sum of the slots that a pattern of 128
//! bits chooses, from a starting slot on, is the key's value. Sorted by starting slot, the equations are a band, which
//! Gaussian elimination solves in one pass. There are fewer slots than keys: in each bucket of 512 slots the keys
//! that do not fit are *bumped*, those that start before a threshold of the bucket, and go to the next layer,
//! where all is the same with a twenty-fifth of the keys; the last few go into a layer with room to spare.
//!
//! Keys are cut by their highest bits into shards of a few ten thousand, each a system of its own: they are solved side by
//! side, and what a system needs stays in the cache.
//!
//! Words are kept little-endian, as in files, so that a mapped file is used in place.
//!
//! Reference: P. C. Dillinger, L. Hübschle-Schneider, P. Sanders, S. Walzer, *Fast succinct retrieval and approximate
//! membership using ribbon*, 2022.

mod description;
mod window;

#[cfg(feature = "train")]
mod keys;
#[cfg(feature = "train")]
mod solve;

pub(crate) use description::{Reader, write_described};
#[cfg(feature = "train")]
pub(crate) use keys::{HashedKey, HashedKeys};
#[cfg(feature = "train")]
pub(crate) use solve::{Watch, solve};

use crate::filter::prefetch::prefetch;
use crate::filter::{Line, WORDS};
use crate::hash::{MULTIPLIER, mixed};
use window::value;

/// Slots that an equation reaches over.
const WIDTH: usize = 128;

/// Slots of a bucket, and from where on its keys stay, for each of its four thresholds.
const BUCKET: usize = 512;
const THRESHOLDS: [usize; 4] = [0, 48, 120, BUCKET];

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
    /// What makes its equations differ from those of other layers.
    seed: u64,
    /// How many seeds did not fit before this one.
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
        let buckets = if self.last { 0 } else { (self.slot_words() * WORD).div_ceil(BUCKET) };
        let thresholds = (2 * buckets).div_ceil(WORD);
        let solution = self.slot_words().checked_mul(bits as usize)?;
        self.solution.checked_add(solution)?.checked_add(thresholds)
    }

    /// The first slot of a key.
    #[inline(always)]
    fn start(&self, hash: u64) -> usize {
        let shard = shard_of(hash, self.shard_bits);
        let (from, to) = (self.starts[shard] as usize, self.starts[shard + 1] as usize);
        from * WORD + start_within(hash, self.shard_bits, (to - from) * WORD)
    }

    /// Whether a key with this first slot was bumped.
    #[inline(always)]
    fn bumps(&self, words: &[u64], start: usize) -> bool {
        let (bucket, within) = (start / BUCKET, start % BUCKET);
        let codes = u64::from_le(words[self.thresholds + bucket / 32]);
        within < THRESHOLDS[(codes >> (2 * (bucket % 32)) & 3) as usize]
    }
}

/// The shard of a key.
#[inline(always)]
const fn shard_of(hash: u64, shard_bits: u32) -> usize {
    ((hash as u128) << shard_bits >> 64) as usize
}

/// The first slot of a key among those of its shard.
#[inline(always)]
const fn start_within(hash: u64, shard_bits: u32, slots: usize) -> usize {
    (((hash << shard_bits) as u128 * (slots - WIDTH + 1) as u128) >> 64) as usize
}

/// The pattern of a key: the first slot is always among those that it chooses.
#[inline(always)]
const fn pattern(hash: u64, seed: u64) -> u128 {
    let low = mixed(hash, seed);
    let high = mixed(hash.rotate_left(32), seed ^ MULTIPLIER);
    (high as u128) << 64 | low as u128 | 1
}

/// The seed of a layer, before any attempt.
const fn layer_seed(seed: u64, layer: usize) -> u64 {
    seed ^ (layer as u64) << 56
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
    /// The value of a key.
    #[inline]
    pub fn get(&self, words: &[u64], hash: u64) -> u32 {
        self.get_from(0, words, hash)
    }

    #[inline(always)]
    fn get_from(&self, layer: usize, words: &[u64], mut hash: u64) -> u32 {
        for layer in &self.layers[layer..] {
            let start = layer.start(hash);
            if !layer.last && layer.bumps(words, start) {
                hash = next_hash(hash);
                continue;
            }
            let solution = &words[layer.solution..];
            return value(solution, self.bits as usize, start, pattern(hash, layer.seed));
        }
        0
    }

    /// The values of at most [`BATCH`] keys: memory is asked for all of them before the first is looked at.
    pub fn get_many(&self, lines: &[Line], hashes: &[u64], values: &mut [u32]) {
        let words = words_of(lines);
        let Some(layer) = self.layers.first() else { return values.fill(0) };
        let bits = self.bits as usize;
        let mut starts = [0; BATCH];
        for (start, &hash) in starts.iter_mut().zip(hashes) {
            *start = layer.start(hash);
            let first = layer.solution + *start / WORD * bits;
            let last = (first + 3 * bits - 1) / WORDS;
            lines[first / WORDS..].iter().take(last + 1 - first / WORDS).for_each(prefetch);
        }
        for ((value_of, &hash), start) in values.iter_mut().zip(hashes).zip(starts) {
            *value_of = if layer.last || !layer.bumps(words, start) {
                value(&words[layer.solution..], bits, start, pattern(hash, layer.seed))
            } else {
                self.get_from(1, words, next_hash(hash))
            };
        }
    }

    /// The slots whose sum is the value of a key, and the part of all words that they are in.
    pub fn slots(&self, words: &[u64], mut hash: u64) -> Vec<u64> {
        for layer in &self.layers {
            let start = layer.start(hash);
            if !layer.last && layer.bumps(words, start) {
                hash = next_hash(hash);
                continue;
            }
            let before = layer.solution as u64 * WORD as u64;
            let pattern = pattern(hash, layer.seed);
            let chosen = (0..WIDTH).filter(|slot| pattern >> slot & 1 == 1);
            return chosen.map(|slot| before + (start + slot) as u64).collect();
        }
        Vec::new()
    }

    /// How many layers it has.
    pub const fn layers(&self) -> usize {
        self.layers.len()
    }
}
