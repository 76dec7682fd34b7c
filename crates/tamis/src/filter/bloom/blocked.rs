//! The blocked layout: all bits of a key in one cache line.
//!
//! [`crate::simd::line`] tests and sets the bits of a line, [`super::super::block`] has the
//! mathematics.

use super::Line;
use super::checked;
use super::layout::{BitLayout, Layout, sealed::Sealed};
use crate::Result;
use crate::filter::block::Model;
use crate::filter::{Design, LINE_BITS};
use crate::hash::reduce;
use crate::memory::prefetch::prefetch;
use crate::prelude::*;
use crate::simd::line::LineBits;
use crate::simd::slots;

/// The bits of a key in one line of 512.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocked {
    lines: u64,
    line_bits: LineBits,
}

/// Below this the spread of keys over lines costs more than it saves; the classic layout goes on.
const LEAST_RATE: f64 = 1e-7;

impl Sealed for Blocked {}

impl Blocked {
    const fn model(&self) -> Model {
        Model::new(64, self.line_bits.hashes())
    }

    /// Which line belongs to a key.
    #[inline(always)]
    pub(crate) fn line_of(&self, hash: u64) -> usize {
        reduce(hash, self.lines) as usize
    }

    /// The bits of a key in its line.
    #[inline(always)]
    pub(crate) const fn line_bits(&self) -> LineBits {
        self.line_bits
    }
}

impl BitLayout for Blocked {
    const LAYOUT: Layout = Layout::Blocked;
    const MAX_HASHES: u32 = 32;

    fn for_rate(items: u64, rate: f64) -> Result<Self> {
        Design::check_rate(rate, LEAST_RATE)?;
        let (hashes, lines) = Model::best(64, Self::MAX_HASHES, items, rate)?;
        Ok(Self { lines, line_bits: LineBits::new(hashes) })
    }

    fn for_bits(bits: u64, hashes: u32) -> Result<Self> {
        Design::check_hashes(hashes, Self::MAX_HASHES)?;
        let lines = Design::check_bits(bits as f64)?.div_ceil(LINE_BITS);
        Ok(Self { lines, line_bits: LineBits::new(hashes) })
    }

    fn bits(&self) -> u64 {
        self.lines * LINE_BITS
    }

    fn hashes(&self) -> u32 {
        self.line_bits.hashes()
    }

    fn expected_rate(&self, items: u64) -> f64 {
        self.model().rate(items as f64 / self.lines as f64)
    }

    fn estimated_items(&self, fill: f64) -> f64 {
        let most = 1.0 - 0.5 / self.bits() as f64;
        self.model().estimated_load(fill.min(most)) * self.lines as f64
    }

    fn rate_of(&self, lines: &[Line]) -> f64 {
        self.model().rate_of_lines(lines, u64::count_ones)
    }

    fn indexes(&self, hash: u64) -> Vec<u64> {
        let first = self.line_of(hash) as u64 * LINE_BITS;
        let mut indexes = Vec::with_capacity(self.hashes() as usize);
        slots::for_each_slot(hash, self.hashes(), |word, slot| {
            indexes.push(first + word as u64 * 64 + slot);
        });
        indexes
    }

    #[inline(always)]
    fn contains(&self, lines: &[Line], hash: u64) -> bool {
        self.line_bits.are_in(checked::line(self, lines, hash), hash)
    }

    #[inline(always)]
    fn insert(&self, lines: &mut [Line], hash: u64) -> bool {
        let line = checked::line_mut(self, lines, hash);
        // A second look instead of an answer from `set`: the compiler drops it where nobody asks.
        let is_new = !self.line_bits.are_in(&*line, hash);
        self.line_bits.set(line, hash);
        is_new
    }

    #[inline(always)]
    fn lines_per_key(&self) -> u32 {
        1
    }

    #[inline(always)]
    fn fetch(&self, lines: &[Line], hash: u64) {
        prefetch(checked::line(self, lines, hash));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::KeyHash;
    use bytemuck::Zeroable;

    #[test]
    fn indexes_are_the_bits_that_insert_sets() {
        for hashes in [1, 7, 8, 13, 32] {
            let layout = Blocked::for_bits(5_000, hashes).unwrap();
            let mut lines = vec![Line::zeroed(); layout.lines()];
            let hash = KeyHash::new(1).bytes(b"carrot");
            layout.insert(&mut lines, hash);
            let mut expected = layout.indexes(hash);
            expected.sort_unstable();
            expected.dedup();
            let set: Vec<u64> = (0..layout.bits())
                .filter(|bit| {
                    let line = &lines[(bit / LINE_BITS) as usize];
                    line.word((bit % LINE_BITS / 64) as usize) >> (bit % 64) & 1 == 1
                })
                .collect();
            assert_eq!(set, expected);
        }
    }
}
