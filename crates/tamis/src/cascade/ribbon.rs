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
//! Reference: P. C. Dillinger, L. Hübschle-Schneider, P. Sanders, S. Walzer, *Fast succinct retrieval and approximate
//! membership using ribbon*, 2022.

use crate::hash::{MULTIPLIER, mixed};

/// Slots that an equation reaches over.
pub(super) const WIDTH: usize = 128;

/// Slots of a bucket, and from where on its keys stay, for each of its four thresholds.
pub(super) const BUCKET: usize = 512;
pub(super) const THRESHOLDS: [usize; 4] = [0, 48, 120, BUCKET];

/// Bits of a word.
pub(super) const WORD: usize = 64;

/// The most bits of a value.
pub(super) const MAX_BITS: u32 = 32;

/// A layer: how its keys are laid out, and where its words are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layer {
    /// Shards are two to this power.
    pub shard_bits: u32,
    /// What makes its equations differ from those of other layers.
    pub seed: u64,
    /// How many seeds did not fit before this one.
    pub attempt: u32,
    /// Whether no key is bumped from it.
    pub last: bool,
    /// The words of slots before each shard, and before the end.
    pub starts: Vec<u32>,
    /// Where its solution begins among all words; the thresholds follow.
    pub offset: usize,
}

impl Layer {
    /// Words of its solution, for values of so many bits.
    pub fn solution_words(&self, bits: u32) -> usize {
        self.starts.last().copied().unwrap_or(0) as usize * bits as usize
    }

    /// Words of its thresholds.
    pub fn threshold_words(&self) -> usize {
        let slots = self.starts.last().copied().unwrap_or(0) as usize * WORD;
        if self.last { 0 } else { (2 * slots.div_ceil(BUCKET)).div_ceil(WORD) }
    }

    /// The first slot of a key.
    #[inline(always)]
    pub fn start(&self, hash: u64) -> usize {
        let shard = ((u128::from(hash) << self.shard_bits) >> 64) as usize;
        let (from, to) = (self.starts[shard] as usize, self.starts[shard + 1] as usize);
        let range = ((to - from) * WORD - WIDTH + 1) as u128;
        let within = (u128::from(hash << self.shard_bits) * range) >> 64;
        from * WORD + within as usize
    }

    /// The pattern of a key: the first slot is always among those that it chooses.
    #[inline(always)]
    pub fn pattern(&self, hash: u64) -> u128 {
        let low = mixed(hash, self.seed);
        let high = mixed(hash, low ^ MULTIPLIER);
        u128::from(high) << 64 | u128::from(low) | 1
    }
}

/// A structure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ribbon {
    /// Bits of a value.
    pub bits: u32,
    pub layers: Vec<Layer>,
}

/// The seed of a layer, before any attempt.
pub(super) const fn layer_seed(seed: u64, layer: usize) -> u64 {
    seed ^ (layer as u64) << 56
}

/// The hash of a bumped key in the next layer.
#[inline(always)]
pub(super) const fn next_hash(hash: u64) -> u64 {
    mixed(hash, 0xA076_1D64_78BD_642F).wrapping_mul(MULTIPLIER)
}

impl Ribbon {
    /// The value of a key.
    #[inline]
    pub fn get(&self, words: &[u64], mut hash: u64) -> u32 {
        for layer in &self.layers {
            let start = layer.start(hash);
            let solution = &words[layer.offset..];
            if !layer.last {
                let (bucket, within) = (start / BUCKET, start % BUCKET);
                let thresholds = &solution[layer.solution_words(self.bits)..];
                let code = thresholds[bucket / 32] >> (2 * (bucket % 32)) & 3;
                if within < THRESHOLDS[code as usize] {
                    hash = next_hash(hash);
                    continue;
                }
            }
            return value(solution, self.bits as usize, start, layer.pattern(hash));
        }
        0
    }
}

#[inline(always)]
fn value(solution: &[u64], bits: usize, start: usize, pattern: u128) -> u32 {
    let (word, shift) = (start / WORD, start % WORD);
    let at = |word: usize, plane: usize| u128::from(solution[word * bits + plane]);
    let mut value = 0;
    for plane in 0..bits {
        let mut window = (at(word + 1, plane) << 64 | at(word, plane)) >> shift;
        if shift > 0 {
            window |= at(word + 2, plane) << (WIDTH - shift);
        }
        value |= ((window & pattern).count_ones() & 1) << plane;
    }
    value
}
