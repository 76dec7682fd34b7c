//! A polynomial hash of a window that moves by one byte for one multiplication.

use crate::hash::{KeyHash, MULTIPLIER};

/// The polynomial of a window: its length, its base, and what a leaving byte took.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Rolling {
    window: usize,
    base: u64,
    /// `leaving[b]` is `b * base^window`.
    leaving: Box<[u64; 256]>,
}

impl std::fmt::Debug for Rolling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rolling").field("window", &self.window).finish_non_exhaustive()
    }
}

impl Rolling {
    /// The base follows from the seed, so that a secret seed hides which windows collide.
    pub(super) fn new(window: usize, hash: &KeyHash) -> Self {
        // Odd and of the form 8 i + 5: its powers have the longest period modulo 2^64.
        let base = hash.bytes(b"rolling window") & !7 | 5;
        let power = base.wrapping_pow(window as u32);
        let leaving = Box::new(std::array::from_fn(|byte| (byte as u64).wrapping_mul(power)));
        Self { window, base, leaving }
    }

    pub(super) const fn window(&self) -> usize {
        self.window
    }

    /// The hash of the first window of `bytes`, or of all of them if they are fewer.
    pub(super) fn of(&self, bytes: &[u8]) -> u64 {
        bytes.iter().take(self.window).fold(0, |hash, &byte| self.append(hash, byte))
    }

    #[inline(always)]
    fn append(&self, hash: u64, byte: u8) -> u64 {
        hash.wrapping_mul(self.base).wrapping_add(u64::from(byte))
    }

    /// Moves the window: `out` leaves at its start, `byte` enters at its end.
    #[inline(always)]
    pub(super) fn roll(&self, hash: u64, out: u8, byte: u8) -> u64 {
        self.append(hash, byte).wrapping_sub(self.leaving[out as usize])
    }
}

/// The place of a window in an array of `bits` bits, a power of two.
#[inline(always)]
pub(super) const fn place(window: u64, bits: u64) -> u64 {
    window.wrapping_mul(MULTIPLIER) >> (64 - bits.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolling_over_bytes_is_the_same_as_hashing_each_window() {
        let rolling = Rolling::new(5, &KeyHash::new(1));
        let bytes = b"the quick brown fox jumps over the lazy dog";
        let mut hash = rolling.of(bytes);
        for start in 1..=bytes.len() - 5 {
            hash = rolling.roll(hash, bytes[start - 1], bytes[start + 4]);
            assert_eq!(hash, rolling.of(&bytes[start..]));
        }
    }
}
