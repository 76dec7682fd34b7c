//! The shortest way to uneven values of few bits: what nearly every question is, without a call, a loop, or a branch that cannot be
//! foreseen. While one question waits for memory, the processor then is at the next ones already.

use super::{Layer, Ribbon, UNEVEN, WORD, is_bumped, pattern, words_of};
use crate::memory::prefetch::prefetch;
use crate::memory::{Line, WORDS};
use crate::simd::machine::{FEW, FEW_ROWS, Machine};

/// The first layer of a structure of uneven values of at most [`FEW`] bits, from which keys are bumped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Few {
    first: Layer,
}

impl Few {
    /// Numbers of which a value is one, if its bits behind [`FEW`] are cut off.
    pub const VALUES: usize = 1 << FEW;

    /// That of a structure, if it is of this kind.
    pub fn of(ribbon: &Ribbon) -> Option<Self> {
        let few = ribbon.values.are_uneven() && ribbon.bits() as usize <= FEW;
        (few && !ribbon.first.last).then(|| Self { first: ribbon.first.clone() })
    }

    /// The first slot of a key.
    #[inline(always)]
    pub const fn start(&self, hash: u64) -> usize {
        self.first.start(hash)
    }

    /// Asks memory for what a key with this first slot needs.
    #[inline(always)]
    pub fn fetch(&self, lines: &[Line], start: usize) {
        let word = self.first.solution + start / WORD;
        // Nobody can foresee whether that is one line or two: both are asked for.
        for word in [word, word + FEW_ROWS - 1] {
            if let Some(line) = lines.get(word / WORDS) {
                prefetch(line);
            }
        }
    }

    /// The value of a key with this first slot, the first bit lowest, and whether it has one here: if it has not, the structure is to be asked.
    #[inline(always)]
    pub fn get(
        &self,
        lines: &[Line],
        hash: u64,
        start: usize,
        machine: impl Machine,
    ) -> (usize, bool) {
        let (words, layer) = (words_of(lines), &self.first);
        let rows = words.get(layer.solution + start / WORD..).and_then(<[u64]>::first_chunk);
        let codes = words.get(layer.thresholds + start / UNEVEN.bucket / (WORD / 2));
        let (Some(rows), Some(&codes)) = (rows, codes) else {
            return (0, false);
        };
        let value = machine.few(rows, start % WORD, pattern(hash));
        (value as usize % Self::VALUES, !is_bumped(&UNEVEN, u64::from_le(codes), start))
    }
}
