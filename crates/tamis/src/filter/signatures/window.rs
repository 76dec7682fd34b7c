//! The window that slides over a stream: the first bytes of a signature as one number.

use super::{Line, MIN_LENGTH};
use crate::hash::KeyHash;

/// The longest window: what fits into a register.
pub(super) const MAX_WINDOW: usize = 8;

/// The first 4 to 8 bytes of a signature, hashed by multiplication (Dietzfelbinger et al. 1997):
/// the high bits of an odd multiple. The multiplier follows from the seed, so that a secret
/// seed hides which windows collide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    length: usize,
    mask: u64,
    multiplier: u64,
}

impl Window {
    /// For signatures of at least this length.
    pub(super) fn new(shortest: usize, hash: &KeyHash) -> Self {
        let length = shortest.clamp(MIN_LENGTH, MAX_WINDOW);
        let mask = u64::MAX >> (64 - 8 * length);
        Self { length, mask, multiplier: hash.bytes(b"window") | 1 }
    }

    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// The hash of the window at the start of eight bytes.
    #[inline(always)]
    pub(super) const fn of(&self, bytes: [u8; MAX_WINDOW]) -> u64 {
        (u64::from_le_bytes(bytes) & self.mask).wrapping_mul(self.multiplier)
    }

    /// The hash of the window at the start of any bytes, which are at least as many.
    pub(super) fn of_slice(&self, bytes: &[u8]) -> u64 {
        let mut first = [0; MAX_WINDOW];
        let length = bytes.len().min(MAX_WINDOW);
        first[..length].copy_from_slice(&bytes[..length]);
        self.of(first)
    }
}

/// A set of windows: bits of which the hash's high bits name one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits<'a> {
    words: &'a [u64],
    shift: u32,
}

impl<'a> Bits<'a> {
    /// Over words whose number is a power of two.
    pub(super) fn new(words: &'a [u64]) -> Self {
        Self { words, shift: 64 - (words.len() as u64 * 64).trailing_zeros() }
    }

    pub(super) fn of_lines(lines: &'a [Line]) -> Self {
        Self::new(bytemuck::cast_slice(lines))
    }

    /// How many bits there are.
    pub(super) const fn len(&self) -> u64 {
        self.words.len() as u64 * 64
    }

    /// The bit of a window, 0 or 1.
    #[inline(always)]
    pub(super) fn get(&self, window: u64) -> usize {
        let place = window >> self.shift;
        (u64::from_le(self.words[(place / 64) as usize]) >> (place % 64) & 1) as usize
    }

    /// The places that are set.
    pub(super) fn places(self) -> impl Iterator<Item = u64> {
        (0..self.len()).filter(move |place| {
            u64::from_le(self.words[(place / 64) as usize]) >> (place % 64) & 1 == 1
        })
    }
}

/// Sets the bit of a window.
pub(super) fn set(words: &mut [u64], window: u64) {
    let place = window >> Bits::new(words).shift;
    words[(place / 64) as usize] |= (1u64 << (place % 64)).to_le();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_looks_at_its_own_bytes_and_no_others() {
        for length in MIN_LENGTH..=MAX_WINDOW {
            let window = Window::new(length, &KeyHash::new(4));
            let hash = window.of_slice(b"abcdefgh");
            for change in 0..MAX_WINDOW {
                let mut bytes = *b"abcdefgh";
                bytes[change] ^= 1;
                assert_eq!(window.of(bytes) == hash, change >= length, "{length} {change}");
            }
        }
    }

    #[test]
    fn what_is_set_is_got_and_listed() {
        let mut words = [0; 16];
        set(&mut words, 0x8123_4567_89AB_CDEF);
        let bits = Bits::new(&words);
        assert_eq!(bits.get(0x8123_4567_89AB_CDEF), 1);
        assert_eq!(bits.get(0x7123_4567_89AB_CDEF), 0);
        assert_eq!(bits.places().collect::<Vec<_>>(), [0x812 >> 2]);
    }
}
