//! Retrieval: for each key of a set a few bits, in hardly more room than those bits; for other keys, some bits.
//!
//! A bumped ribbon. Each key is an equation over the field of two elements: the sum of the slots that a pattern of 128 or 64
//! bits chooses, from a starting slot on, is the key's value. Sorted by starting slot, the equations are a band, which
//! Gaussian elimination solves in one pass. There are fewer slots than keys: in each bucket of some hundred slots the keys
//! that do not fit are *bumped*, those that start before a threshold of the bucket, and go to the next layer,
//! where all is the same with a few percent of the keys; the last few go into a layer with room to spare.
//!
//! Values are *even*, or *uneven*: the codes of categories, each key with as many equations as its code has bits, so that all of it is
//! asked at one place; see [`Lengths`].
//!
//! Keys are cut by their highest bits into shards of a few ten thousand, each a system of its own: they are solved side by
//! side, and what a system needs stays in the cache.
//!
//! Words are kept little-endian, as in files, so that a mapped file is used in place.
//!
//! # Example
//!
//! Patterns of four bits instead of 64 or 128, six slots, values of one bit. The hash of each key
//! gives its first slot and its pattern, which always chooses the first slot:
//!
//! ```text
//! slot      0  1  2  3  4  5    value
//! leek      1  1  .  1            1      s0 + s1 + s3 = 1
//! carrot    1  .  1  1            0      s0 + s2 + s3 = 0
//! turnip          1  1  1  .      1      s2 + s3 + s4 = 1
//! ```
//!
//! *Elimination* gives each equation the row of its first slot. Row 0 takes leek. Carrot starts
//! there too, so leek is added to it: `s1 + s2 = 1`, which takes row 1. Turnip takes row 2.
//!
//! ```text
//! slot      0  1  2  3  4  5    value
//! row 0     1  1  .  1            1
//! row 1        1  1               1
//! row 2           1  1  1         1
//! ```
//!
//! *Substitution* goes from the last row to the first. Slots of empty rows are 0. Row 2 says
//! `s2 = 1 + s3 + s4 = 1`, row 1 says `s1 = 1 + s2 = 0`, row 0 says `s0 = 1 + s1 + s3 = 1`:
//!
//! ```text
//! slot      0  1  2  3  4  5
//! solution  1  0  1  0  0  0
//! ```
//!
//! A lookup adds the chosen slots: of carrot `s0 + s2 + s3 = 1 + 1 + 0 = 0`, its value. Nothing of
//! the key is stored, so a non-member gets some bit, too.
//!
//! If garlic had the pattern of leek and the value 0, adding leek would leave `0 = 1`. Garlic is
//! then bumped, with the keys of its bucket that start before the next threshold.
//!
//! # Layout
//!
//! A layer of four words of slots in two shards, with values of two bits:
//!
//! ```text
//!          shard 0                     shard 1                     thresholds
//! slots    0 .. 63       64 .. 127     0 .. 63       64 .. 127
//!         +------+------+------+------+------+------+------+------+------
//!         |bit 0 |bit 1 |bit 0 |bit 1 |bit 0 |bit 1 |bit 0 |bit 1 | two bits
//!         +------+------+------+------+------+------+------+------+ per bucket
//! word     0      1      2      3      4      5      6      7      8
//! ```
//!
//! All bits of a value are near each other: a pattern that starts at slot 6 of shard 0 reads words
//! 0 and 2 for bit 0, and words 1 and 3 for bit 1. With uneven values a slot has one bit, and bit
//! `i` of a value starts one word after bit `i - 1`.
//!
//! Reference: P. C. Dillinger, L. Hübschle-Schneider, P. Sanders, S. Walzer, *Fast succinct retrieval and approximate
//! membership using ribbon*, 2022.

mod description;
mod few;
mod shape;

#[cfg(feature = "train")]
mod solve;

pub(crate) use description::{Reader, write_described};
pub(crate) use few::Few;
pub(crate) use shape::{Lengths, Values};
#[cfg(feature = "train")]
pub(crate) use solve::{solve, solve_uneven};

use crate::hash::{MULTIPLIER, mixed};
use crate::memory::prefetch::prefetch;
use crate::memory::{Line, WORDS};
use crate::prelude::*;
use crate::simd::machine::{self, FEW, Machine, joined};
use shape::{MANY, NARROW, Shape, UNEVEN, WIDE};

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
    /// Words of slots in each.
    shard_words: usize,
    /// At how many of the slots of a shard keys may start.
    starts: usize,
    /// How many choices of patterns did not fit before this one, and what makes this one differ.
    attempt: u32,
    twist: u64,
    /// Whether no key is bumped from it.
    last: bool,
    /// Where its solution begins among all words, and where its thresholds do.
    solution: usize,
    thresholds: usize,
}

impl Layer {
    /// Words of slots, for each bit of a value.
    const fn slot_words(&self) -> usize {
        self.shard_words << self.shard_bits
    }

    /// Where the bits of a word of slots are in the solution.
    #[inline(always)]
    const fn row(&self, values: Values, word: usize) -> usize {
        match values.lengths {
            Lengths::Even => word * values.bits as usize,
            Lengths::Uneven => word,
        }
    }

    /// The first slot of a key.
    #[inline(always)]
    const fn start(&self, hash: u64) -> usize {
        let before = shard_of(hash, self.shard_bits) * self.shard_words * WORD;
        before + start_within(hash, self.shard_bits, self.starts)
    }

    /// Whether a key with this first slot was bumped.
    #[inline(always)]
    fn bumps(&self, shape: &'static Shape, words: &[u64], start: usize) -> bool {
        let codes = words[self.thresholds + start / shape.bucket / (WORD / 2)];
        is_bumped(shape, u64::from_le(codes), start)
    }
}

/// Where a key is: its layer, and its hash and its first slot there.
#[derive(Clone, Copy)]
struct Place<'r> {
    layer: &'r Layer,
    hash: u64,
    start: usize,
}

impl Place<'_> {
    #[inline(always)]
    const fn pattern(&self) -> u128 {
        pattern(self.hash ^ self.layer.twist)
    }

    /// The value, which is even or uneven.
    #[inline(always)]
    fn value(&self, values: Values, words: &[u64], machine: impl Machine) -> u32 {
        let rows = &words[self.layer.solution + self.layer.row(values, self.start / WORD)..];
        let (bits, shift, pattern) = (values.bits as usize, self.start % WORD, self.pattern());
        if values.are_uneven() {
            return uneven(rows, shift, pattern, bits, machine);
        }
        match bits {
            1 => wide::<1>(rows, shift, pattern),
            2 => wide::<2>(rows, shift, pattern),
            3 => wide::<3>(rows, shift, pattern),
            _ => machine.parities(rows, bits, shift, pattern as u64),
        }
    }
}

/// The bits of an uneven value, the first one lowest. What is behind the end of a shorter one is no part of it.
#[inline(always)]
fn uneven(rows: &[u64], shift: usize, pattern: u128, bits: usize, machine: impl Machine) -> u32 {
    if let (..=FEW, Some(rows)) = (bits, rows.first_chunk()) {
        return machine.few(rows, shift, pattern);
    }
    if rows.len() >= bits + 2 {
        return match bits {
            4 => machine::uneven(rows, 4, shift, pattern),
            _ => machine::uneven(rows, bits, shift, pattern),
        };
    }
    // Behind the last slot there may be nothing; nothing of it is used then, for the shift is 0.
    let mut padded = [0; MAX_BITS as usize + 2];
    padded[..rows.len()].copy_from_slice(rows);
    machine::uneven(&padded, bits, shift, pattern)
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
    let mut value = 0;
    for bit in 0..BITS {
        let [a, b, c] = [word(bit), word(BITS + bit), word(2 * BITS + bit)].map(u64::from_le);
        let sum = (joined(a, b, shift) & low) ^ (joined(b, c, shift) & high);
        value |= (sum.count_ones() & 1) << bit;
    }
    value
}

/// The shard of a key.
#[inline(always)]
pub(super) const fn shard_of(hash: u64, shard_bits: u32) -> usize {
    (hash >> 1 >> (63 - shard_bits)) as usize
}

/// The first slot of a key among those of its shard where keys may start.
#[inline(always)]
const fn start_within(hash: u64, shard_bits: u32, starts: usize) -> usize {
    (((hash << shard_bits) as u128 * starts as u128) >> 64) as usize
}

/// Whether a key with this first slot was bumped, where the word of thresholds is that of its bucket.
#[inline(always)]
const fn is_bumped(shape: &'static Shape, codes: u64, start: usize) -> bool {
    let (bucket, within) = (start / shape.bucket, start % shape.bucket);
    within < shape.thresholds[(codes >> (2 * (bucket % (WORD / 2))) & 3) as usize]
}

/// The pattern of a key, of which a narrow ribbon uses the lower half: the first slot is always among those that it
/// chooses. All structures have the same, for each is a system of its own.
#[inline(always)]
const fn pattern(hash: u64) -> u128 {
    let low = mixed(hash, 0xE703_7ED1_A0B4_28DB);
    let high = mixed(hash.rotate_left(32), 0x8EBC_6AF0_9C88_C6E3);
    (high as u128) << 64 | low as u128 | 1
}

/// What makes the patterns of a layer differ for which so many did not fit.
const fn twist(attempt: u32) -> u64 {
    (attempt as u64).wrapping_mul(MULTIPLIER)
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ribbon {
    pub values: Values,
    first: Layer,
    /// The layers for what is bumped.
    later: Vec<Layer>,
}

impl Ribbon {
    /// Bits of a value, of the longest if they are uneven.
    #[inline(always)]
    pub const fn bits(&self) -> u32 {
        self.values.bits
    }

    /// The value of a key.
    #[inline(always)]
    pub fn get(&self, words: &[u64], hash: u64, machine: impl Machine) -> u32 {
        self.get_begun(words, hash, self.first.start(hash), machine)
    }

    /// The value of a key, of which [`Self::begin`] has said where it starts.
    #[inline(always)]
    pub fn get_begun(&self, words: &[u64], hash: u64, start: usize, machine: impl Machine) -> u32 {
        let place = match self.values.lengths {
            // The shape of each is known here, and nothing of it is left to be looked up.
            Lengths::Uneven => self.place(&UNEVEN, words, hash, start),
            _ if self.values.bits >= MANY => self.place(&NARROW, words, hash, start),
            _ => self.place(&WIDE, words, hash, start),
        };
        // Not by a closure, which may not be inlined, and then knows nothing of the machine.
        match place {
            Some(place) => place.value(self.values, words, machine),
            None => 0,
        }
    }

    /// Where a key is; a stranger may be in no layer.
    #[inline(always)]
    fn place(
        &self,
        shape: &'static Shape,
        words: &[u64],
        hash: u64,
        start: usize,
    ) -> Option<Place<'_>> {
        if !self.first.last && self.first.bumps(shape, words, start) {
            return self.later(words, hash);
        }
        Some(Place { layer: &self.first, hash, start })
    }

    /// Where a key is that was bumped from the first layer.
    #[cold]
    #[inline(never)]
    fn later(&self, words: &[u64], mut hash: u64) -> Option<Place<'_>> {
        for layer in &self.later {
            hash = next_hash(hash);
            let start = layer.start(hash);
            if layer.last || !layer.bumps(self.values.shape(), words, start) {
                return Some(Place { layer, hash, start });
            }
        }
        None
    }

    /// The first slot of a key in the first layer.
    #[inline(always)]
    pub const fn begin(&self, hash: u64) -> usize {
        self.first.start(hash)
    }

    /// Prefetches what a key needs of which [`Self::begin`] has said where it starts.
    #[inline(always)]
    pub fn fetch(&self, lines: &[Line], start: usize) {
        let word = start / WORD;
        let row = |word| self.first.solution + self.first.row(self.values, word);
        let (from, to) = (row(word), row(word + self.values.reach() / WORD + 1) - 1);
        let there = &lines[from / WORDS..];
        there.iter().take(to / WORDS + 1 - from / WORDS).for_each(prefetch);
    }

    /// How many layers it has.
    pub fn layers(&self) -> usize {
        1 + self.later.len()
    }
}
