//! The operations on the counters of a key in a line: at most one in each word.

use super::slots;
use crate::memory::{Line, WORDS};

/// What a processor does with counters of so many bits. The default is plain Rust.
pub(super) trait CounterOperations: Copy {
    /// Whether no counter of a key is zero.
    #[inline(always)]
    fn are_counted<const BITS: u32>(self, line: &Line, hash: u64, hashes: u32) -> bool {
        let mut is_zero = false;
        slots::for_each_slot(hash, hashes, |word, field| {
            is_zero |= line.word(word) >> shift::<BITS>(field) & max::<BITS>() == 0;
        });
        !is_zero
    }

    /// Adds one to the counters of a key; those at their maximum stay.
    #[inline(always)]
    fn increment<const BITS: u32>(self, line: &mut Line, hash: u64, hashes: u32) {
        slots::for_each_slot(hash, hashes, |word, field| {
            let (old, shift) = (line.word(word), shift::<BITS>(field));
            let is_full = old >> shift & max::<BITS>() == max::<BITS>();
            line.set_word(word, old + (u64::from(!is_full) << shift));
        });
    }
}

/// Where the counter that a field chooses begins in its word.
#[inline(always)]
pub(super) const fn shift<const BITS: u32>(field: u64) -> u64 {
    field & (64 - BITS) as u64
}

/// Where a counter stops.
#[inline(always)]
const fn max<const BITS: u32>() -> u64 {
    (1 << BITS) - 1
}

impl CounterOperations for super::line::Portable {}

#[cfg(target_arch = "x86_64")]
use super::x86::Avx2 as Best;

#[cfg(not(target_arch = "x86_64"))]
use super::NoVectors as Best;

#[cfg(not(target_arch = "x86_64"))]
impl CounterOperations for Best {}

/// The counters of a key in a line, by what the processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineCounters {
    hashes: u32,
    best: Option<Best>,
}

impl LineCounters {
    /// For at most eight functions.
    pub(crate) fn new(hashes: u32) -> Self {
        debug_assert!(hashes <= WORDS as u32);
        Self { hashes, best: Best::detect() }
    }

    /// Whether no counter of a key is zero.
    #[inline(always)]
    pub(crate) fn are_counted<const BITS: u32>(self, line: &Line, hash: u64) -> bool {
        match self.best {
            Some(best) => best.are_counted::<BITS>(line, hash, self.hashes),
            None => super::line::Portable.are_counted::<BITS>(line, hash, self.hashes),
        }
    }

    /// Adds one to the counters of a key; those at their maximum stay.
    #[inline(always)]
    pub(crate) fn increment<const BITS: u32>(self, line: &mut Line, hash: u64) {
        match self.best {
            Some(best) => best.increment::<BITS>(line, hash, self.hashes),
            None => super::line::Portable.increment::<BITS>(line, hash, self.hashes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::KeyHash;
    use crate::simd::line::Portable;
    use bytemuck::Zeroable;

    fn agree<const BITS: u32>() {
        let hash = KeyHash::new(8);
        for hashes in 1..=8 {
            let (fast, mut lines) = (LineCounters::new(hashes), [Line::zeroed(); 2]);
            for key in 0..300u64 {
                let inside = hash.integer(key % 40);
                fast.increment::<BITS>(&mut lines[0], inside);
                Portable.increment::<BITS>(&mut lines[1], inside, hashes);
                assert_eq!(lines[0], lines[1], "{hashes} functions");
                let other = hash.integer(key + 1000);
                let expected = Portable.are_counted::<BITS>(&lines[1], other, hashes);
                assert_eq!(fast.are_counted::<BITS>(&lines[0], other), expected);
            }
        }
    }

    #[test]
    fn every_processor_counts_alike() {
        agree::<4>();
        agree::<8>();
    }
}
