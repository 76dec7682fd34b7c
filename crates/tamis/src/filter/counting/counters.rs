//! Counters of four or eight bits inside of words.

use crate::memory::{Line, WORDS};

/// How wide a counter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CounterWidth {
    /// Four bits: counts to 15.
    Four,
    /// Eight bits: counts to 255.
    Eight,
}

impl CounterWidth {
    /// The width of this many bits, if there is one.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Self> {
        match bits {
            4 => Some(Self::Four),
            8 => Some(Self::Eight),
            _ => None,
        }
    }

    /// Bits of a counter.
    #[inline(always)]
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// Where a counter stops.
    #[inline(always)]
    #[must_use]
    pub const fn max(self) -> u32 {
        (1 << self.bits()) - 1
    }

    /// Counters in a word.
    #[inline(always)]
    pub(super) const fn per_word(self) -> u32 {
        64 / self.bits()
    }

    /// The line, word and shift of counter `place`.
    #[inline(always)]
    const fn locate(self, place: u64) -> (usize, usize, u32) {
        let word = (place / self.per_word() as u64) as usize;
        let shift = (place % self.per_word() as u64) as u32 * self.bits();
        (word / WORDS, word % WORDS, shift)
    }

    #[inline(always)]
    pub(super) fn get(self, lines: &[Line], place: u64) -> u32 {
        let (line, word, shift) = self.locate(place);
        (lines[line].word(word) >> shift) as u32 & self.max()
    }

    #[inline(always)]
    pub(super) fn increment(self, lines: &mut [Line], place: u64) {
        let (line, word, shift) = self.locate(place);
        let line = &mut lines[line];
        let old = line.word(word);
        let full = (old >> shift) as u32 & self.max() == self.max();
        line.set_word(word, old + (u64::from(!full) << shift));
    }

    /// A counter at its maximum stays; one at zero does, too.
    #[inline(always)]
    pub(super) fn decrement(self, lines: &mut [Line], place: u64) {
        let (line, word, shift) = self.locate(place);
        let line = &mut lines[line];
        let old = line.word(word);
        let value = (old >> shift) as u32 & self.max();
        let moves = value != 0 && value != self.max();
        line.set_word(word, old - (u64::from(moves) << shift));
    }

    /// How many counters of a word are not zero.
    pub(super) fn taken(self, word: u64) -> u32 {
        let mut any = word;
        let mut step = 1;
        while step < self.bits() {
            any |= any >> step;
            step *= 2;
        }
        (any & (u64::MAX / u64::from(self.max()))).count_ones()
    }

    /// Counter by counter, the sum, at most the maximum.
    pub(super) fn add(self, left: u64, right: u64) -> u64 {
        self.each(left, right, |a, b| (a + b).min(u64::from(self.max())))
    }

    /// Counter by counter, the lesser one.
    pub(super) fn least(self, left: u64, right: u64) -> u64 {
        self.each(left, right, u64::min)
    }

    fn each(self, left: u64, right: u64, operation: impl Fn(u64, u64) -> u64) -> u64 {
        let max = u64::from(self.max());
        (0..self.per_word()).map(|i| i * self.bits()).fold(0, |word, shift| {
            word | operation(left >> shift & max, right >> shift & max) << shift
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    #[test]
    fn counters_stop_at_their_ends_and_leave_their_neighbours_alone() {
        for width in [CounterWidth::Four, CounterWidth::Eight] {
            let mut lines = [Line::zeroed(); 2];
            let place = u64::from(width.per_word()) * 9 + 3;
            width.decrement(&mut lines, place);
            assert_eq!(width.get(&lines, place), 0);
            for expected in 1..=300 {
                width.increment(&mut lines, place);
                assert_eq!(width.get(&lines, place), expected.min(width.max()));
            }
            width.decrement(&mut lines, place);
            assert_eq!(width.get(&lines, place), width.max(), "a full counter stays");
            assert_eq!(width.get(&lines, place - 1), 0);
            assert_eq!(width.get(&lines, place + 1), 0);
        }
    }

    #[test]
    fn taken_counts_the_counters_that_are_not_zero() {
        assert_eq!(CounterWidth::Four.taken(0x8001_0F00_0000_0020), 4);
        assert_eq!(CounterWidth::Eight.taken(0x8001_0F00_0000_0020), 4);
        assert_eq!(CounterWidth::Four.taken(u64::MAX), 16);
        assert_eq!(CounterWidth::Eight.taken(0), 0);
    }

    #[test]
    fn sums_saturate_and_minima_do_not_mix_neighbours() {
        assert_eq!(CounterWidth::Four.add(0xF1, 0x1E), 0xFF);
        assert_eq!(CounterWidth::Eight.add(0xF1_01, 0x1E_02), 0xFF_03);
        assert_eq!(CounterWidth::Four.least(0xF1, 0x1E), 0x11);
    }
}
