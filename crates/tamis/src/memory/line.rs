//! A line of bits: one cache line.

#![allow(unsafe_code)]

use super::pages;
use crate::prelude::*;
use crate::{Error, Result};
use bytemuck::{Pod, Zeroable};
use core::fmt;

/// Words of 64 bits in a line.
pub const WORDS: usize = 8;

/// Bits in a line.
pub const LINE_BITS: u64 = 512;

/// Bytes in a line.
pub(crate) const LINE_BYTES: usize = 64;

/// A cache line: eight words, kept little-endian, so that memory and file hold the
/// same bytes on every machine.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub(crate) [u64; WORDS]);

// SAFETY: eight words that may be zero.
unsafe impl Zeroable for Line {}

// SAFETY: eight words of any value, which fill the 64 bytes that they are aligned to.
unsafe impl Pod for Line {}

impl Line {
    /// Word `index`, modulo eight.
    #[inline(always)]
    #[must_use]
    pub const fn word(&self, index: usize) -> u64 {
        u64::from_le(self.0[index % WORDS])
    }

    /// Changes word `index`, modulo eight.
    #[inline(always)]
    pub const fn set_word(&mut self, index: usize, value: u64) {
        self.0[index % WORDS] = value.to_le();
    }

    /// How many bits are set.
    #[must_use]
    pub fn count_ones(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|word| format!("{word:#018x}"))).finish()
    }
}

/// Lines of zeros, or [`Error::Memory`].
pub(crate) fn zeroed(lines: usize) -> Result<Vec<Line>> {
    let mut zeros = Vec::new();
    zeros
        .try_reserve_exact(lines)
        .map_err(|_| Error::Memory { bytes: lines as u64 * LINE_BYTES as u64 })?;
    pages::ask_for_large(zeros.spare_capacity_mut());
    zeros.resize(lines, Line::zeroed());
    Ok(zeros)
}

/// Lines with these words, which are little-endian, filled up with zeros.
#[cfg(feature = "train")]
pub(crate) fn of_words(words: &[u64]) -> Result<Vec<Line>> {
    let mut lines = zeroed(words.len().div_ceil(WORDS))?;
    bytemuck::cast_slice_mut(&mut lines)[..words.len()].copy_from_slice(words);
    Ok(lines)
}

/// A copy of lines from bytes at any address.
pub(crate) fn copied(bytes: &[u8]) -> Result<Vec<Line>> {
    let mut lines = zeroed(bytes.len() / LINE_BYTES)?;
    bytemuck::cast_slice_mut(&mut lines).copy_from_slice(bytes);
    Ok(lines)
}

/// The bytes of lines, as they stand in a file.
pub(crate) fn bytes_of(lines: &[Line]) -> &[u8] {
    bytemuck::cast_slice(lines)
}

/// A slice as arrays of `N`, and what is left.
#[inline(always)]
pub(crate) fn chunks<T: Pod, const N: usize>(slice: &[T]) -> (&[[T; N]], &[T]) {
    let (whole, rest) = slice.split_at(slice.len() / N * N);
    (bytemuck::cast_slice(whole), rest)
}

/// How many bits are set in all lines.
pub(crate) fn ones(lines: &[Line]) -> u64 {
    lines.iter().map(|line| u64::from(line.count_ones())).sum()
}

/// Changes each word of `left` by the word of `right` at the same place.
pub(crate) fn combine(left: &mut [Line], right: &[Line], operation: impl Fn(u64, u64) -> u64) {
    for (left, right) in left.iter_mut().zip(right) {
        for index in 0..WORDS {
            left.set_word(index, operation(left.word(index), right.word(index)));
        }
    }
}
