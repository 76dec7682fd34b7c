//! Where the functions of a key are in its line.
//!
//! A line has eight words. The `k` functions of a key visit them in rounds: each full round puts
//! one slot into each word, and the last one puts `t = k mod 8` slots into words `s, s + 1, ...`,
//! where `s` is drawn by the key:
//!
//! ```text
//! slot in word w = the top bits of (h mod 2^32) * SALTS[round][w] mod 2^32
//! s              = the top three bits of (h mod 2^32) * STARTS[round] mod 2^32
//! ```

use crate::memory::WORDS;

/// Full rounds of one slot per word, then a partial one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rounds {
    pub(crate) full: u32,
    pub(crate) partial: u32,
}

impl Rounds {
    #[inline(always)]
    pub(crate) const fn of(hashes: u32) -> Self {
        Self { full: hashes / WORDS as u32, partial: hashes % WORDS as u32 }
    }
}

/// Whether the partial round of `partial` slots that starts at word `start` visits `word`.
#[inline(always)]
pub(crate) const fn visits(word: usize, start: usize, partial: u32) -> bool {
    (word + WORDS - start) % WORDS < partial as usize
}

/// The multipliers of the slots, by round and word: odd, and otherwise arbitrary
/// (the upper halves of SplitMix64 outputs 1 to 32).
pub(crate) const SALTS: [[u32; WORDS]; 4] = [
    [
        0xE220_A839,
        0x6E78_9E6B,
        0x06C4_5D19,
        0xF88B_B8A9,
        0x1B39_896B,
        0x53CB_9F0D,
        0x2C82_9ABF,
        0xC584_133B,
    ],
    [
        0x3EE5_7891,
        0xF3B8_488D,
        0x657E_ECDD,
        0xC2D3_26E1,
        0x8621_A03F,
        0x8E1F_7555,
        0xB54E_0F17,
        0x84BB_3F97,
    ],
    [
        0x7D29_825D,
        0xC3CF_1711,
        0x3466_E9A1,
        0xD81A_8D2B,
        0xDB01_602B,
        0xA903_8A93,
        0xEDF5_F1D9,
        0x5449_6AD7,
    ],
    [
        0xDD7C_01D5,
        0x935E_82F1,
        0x69B8_2EBD,
        0x40D2_9EB5,
        0xA2F0_9DAB,
        0xEE52_1D7B,
        0xF169_52EF,
        0x377D_35DF,
    ],
];

/// The multipliers of the first word of a partial round.
const STARTS: [u32; 4] = [0x3505_B779, 0x8176_DAF9, 0x8BD8_FF7B, 0x1A76_4A3D];

/// The field of six bits that chooses a slot in a word.
#[inline(always)]
pub(crate) const fn field(hash: u64, round: usize, word: usize) -> u64 {
    ((hash as u32).wrapping_mul(SALTS[round % 4][word % WORDS]) >> 26) as u64
}

/// The word at which a partial round starts.
#[inline(always)]
pub(crate) const fn start(hash: u64, round: usize) -> usize {
    ((hash as u32).wrapping_mul(STARTS[round % 4]) >> 29) as usize
}

/// The words and fields of the partial round of so many functions.
#[inline(always)]
pub(crate) fn partial_round(
    hash: u64,
    round: usize,
    partial: u32,
) -> impl Iterator<Item = (usize, u64)> {
    let start = start(hash, round);
    (0..partial as usize).map(move |step| {
        let word = (start + step) % WORDS;
        (word, field(hash, round, word))
    })
}

/// Calls `visit(word, field)` for each function of a key.
#[inline(always)]
pub(crate) fn for_each_slot(hash: u64, hashes: u32, mut visit: impl FnMut(usize, u64)) {
    let rounds = Rounds::of(hashes);
    for round in 0..rounds.full as usize {
        for word in 0..WORDS {
            visit(word, field(hash, round, word));
        }
    }
    for (word, field) in partial_round(hash, rounds.full as usize, rounds.partial) {
        visit(word, field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_visits_a_slot_of_its_own_in_the_first_round() {
        for hashes in 1..=8 {
            let mut words = Vec::new();
            for_each_slot(0x1234_5678_9ABC_DEF0, hashes, |word, _| words.push(word));
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), hashes as usize);
        }
    }
}
