//! The operations on the bits of a key in a line: one trait, and an implementation of it for each
//! kind of processor.
//!
//! [`Portable`] is plain Rust and the oracle of the others. For eight functions, which is what
//! nearly every filter has, the best that there is for a target is inlined; all else is a call.

use super::slots::{self, Rounds};
use crate::memory::{Held, Line, SharedLine, WORDS};

/// A line to be read: by one thread, or while others write to it.
pub(crate) trait ReadLine: Copy {
    /// Whether other threads may be writing to it.
    const SHARED: bool;

    fn word(self, index: usize) -> u64;

    /// Where its 64 bytes are.
    fn bytes(self) -> *const u8;
}

impl ReadLine for &Line {
    const SHARED: bool = false;

    #[inline(always)]
    fn word(self, index: usize) -> u64 {
        Line::word(self, index)
    }

    #[inline(always)]
    fn bytes(self) -> *const u8 {
        core::ptr::from_ref(self).cast()
    }
}

impl ReadLine for &SharedLine {
    const SHARED: bool = true;

    #[inline(always)]
    fn word(self, index: usize) -> u64 {
        SharedLine::word(self, index)
    }

    #[inline(always)]
    fn bytes(self) -> *const u8 {
        self.0.as_ptr().cast()
    }
}

impl ReadLine for Held<'_> {
    const SHARED: bool = false;

    #[inline(always)]
    fn word(self, index: usize) -> u64 {
        self.0.word(index)
    }

    #[inline(always)]
    fn bytes(self) -> *const u8 {
        self.0.0.as_ptr().cast()
    }
}

/// A line to be written to by one thread, though others may be reading it.
pub(crate) trait WriteLine {
    fn word(&self, index: usize) -> u64;

    fn set_word(&mut self, index: usize, value: u64);

    /// Where its 64 bytes are.
    fn bytes(&mut self) -> *mut u8;
}

impl WriteLine for Line {
    #[inline(always)]
    fn word(&self, index: usize) -> u64 {
        Line::word(self, index)
    }

    #[inline(always)]
    fn set_word(&mut self, index: usize, value: u64) {
        Line::set_word(self, index, value);
    }

    #[inline(always)]
    fn bytes(&mut self) -> *mut u8 {
        core::ptr::from_mut(self).cast()
    }
}

impl<L: WriteLine> WriteLine for &mut L {
    #[inline(always)]
    fn word(&self, index: usize) -> u64 {
        L::word(self, index)
    }

    #[inline(always)]
    fn set_word(&mut self, index: usize, value: u64) {
        L::set_word(self, index, value);
    }

    #[inline(always)]
    fn bytes(&mut self) -> *mut u8 {
        L::bytes(self)
    }
}

impl WriteLine for &SharedLine {
    #[inline(always)]
    fn word(&self, index: usize) -> u64 {
        SharedLine::word(self, index)
    }

    #[inline(always)]
    fn set_word(&mut self, index: usize, value: u64) {
        SharedLine::set_word(self, index, value);
    }

    #[inline(always)]
    fn bytes(&mut self) -> *mut u8 {
        self.0.as_ptr().cast_mut().cast()
    }
}

/// What a processor does with a full round of a key in a line: one bit in each word.
pub(crate) trait LineOperations: Copy {
    /// Whether all bits of the round are set.
    fn has_round<const ROUND: usize>(self, line: impl ReadLine, hash: u64) -> bool;

    /// Sets the bits of the round.
    fn set_round<const ROUND: usize>(self, line: impl WriteLine, hash: u64);

    /// Starts to bring something into the nearest cache, to be written to, where that is possible.
    #[inline(always)]
    fn fetch_to_write<T>(self, place: &T) {
        let _ = place;
    }

    /// Whether all bits of a key are set, whatever their number.
    #[inline(always)]
    fn has_rounds<L: ReadLine>(self, line: L, hash: u64, hashes: u32) -> bool {
        let Rounds { full, partial } = Rounds::of(hashes);
        (full < 1 || self.has_round::<0>(line, hash))
            && (full < 2 || self.has_round::<1>(line, hash))
            && (full < 3 || self.has_round::<2>(line, hash))
            && (full < 4 || self.has_round::<3>(line, hash))
            && slots::partial_round(hash, full as usize, partial)
                .all(|(word, slot)| line.word(word) >> slot & 1 == 1)
    }

    /// Sets all bits of a key, whatever their number.
    #[inline(always)]
    fn set_rounds(self, mut line: impl WriteLine, hash: u64, hashes: u32) {
        let Rounds { full, partial } = Rounds::of(hashes);
        if full > 0 {
            self.set_round::<0>(&mut line, hash);
        }
        if full > 1 {
            self.set_round::<1>(&mut line, hash);
        }
        if full > 2 {
            self.set_round::<2>(&mut line, hash);
        }
        if full > 3 {
            self.set_round::<3>(&mut line, hash);
        }
        for (word, slot) in slots::partial_round(hash, full as usize, partial) {
            line.set_word(word, line.word(word) | 1 << slot);
        }
    }
}

/// Plain Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Portable;

impl LineOperations for Portable {
    /// Four words at a time: of a non-member the first four decide in fifteen of sixteen cases, and
    /// a wrongly predicted branch costs more than they do.
    #[inline(always)]
    fn has_round<const ROUND: usize>(self, line: impl ReadLine, hash: u64) -> bool {
        let bit = |word: usize| line.word(word) >> slots::field(hash, ROUND, word);
        (bit(0) & bit(1) & bit(2) & bit(3)) & 1 == 1 && (bit(4) & bit(5) & bit(6) & bit(7)) & 1 == 1
    }

    #[inline(always)]
    fn set_round<const ROUND: usize>(self, mut line: impl WriteLine, hash: u64) {
        for word in 0..WORDS {
            let bit = 1 << slots::field(hash, ROUND, word);
            line.set_word(word, line.word(word) | bit);
        }
    }
}

/// The bits of a key in a line: how many functions, and what the processor does it with, chosen
/// once, because the choice costs as much as the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineBits {
    hashes: u32,
    kernel: Kernel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kernel {
    /// Eight functions: one full round.
    Whole(Best),
    /// Any number of functions.
    Rounds(Best),
    /// Eight functions, without vectors.
    WholePortable,
    /// Any number of functions, without vectors.
    RoundsPortable,
}

#[cfg(target_arch = "x86_64")]
use super::x86::Avx2 as Best;

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use super::neon::Neon as Best;

#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
)))]
use super::NoVectors as Best;

/// Whether plain Rust is all there is: then it is inlined. Beside vectors, which are, it is a call.
const IS_PORTABLE: bool =
    !cfg!(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")));

impl LineBits {
    pub(crate) fn new(hashes: u32) -> Self {
        let is_whole = hashes == WORDS as u32;
        let kernel = match Best::detect() {
            Some(best) if is_whole => Kernel::Whole(best),
            Some(best) => Kernel::Rounds(best),
            None if is_whole => Kernel::WholePortable,
            None => Kernel::RoundsPortable,
        };
        Self { hashes, kernel }
    }

    #[inline(always)]
    pub(crate) const fn hashes(self) -> u32 {
        self.hashes
    }

    /// Whether a line has all bits of a key.
    #[inline(always)]
    pub(crate) fn are_in<L: ReadLine>(self, line: L, hash: u64) -> bool {
        match self.kernel {
            Kernel::Whole(best) => best.has_round::<0>(line, hash),
            Kernel::WholePortable if IS_PORTABLE => Portable.has_round::<0>(line, hash),
            _ => self.are_all_in(line, hash),
        }
    }

    #[inline(never)]
    fn are_all_in<L: ReadLine>(self, line: L, hash: u64) -> bool {
        match self.kernel {
            Kernel::WholePortable => Portable.has_round::<0>(line, hash),
            Kernel::Whole(best) | Kernel::Rounds(best) => best.has_rounds(line, hash, self.hashes),
            Kernel::RoundsPortable => Portable.has_rounds(line, hash, self.hashes),
        }
    }

    /// Sets the bits of a key in a line.
    #[inline(always)]
    pub(crate) fn set(self, line: impl WriteLine, hash: u64) {
        match self.kernel {
            Kernel::Whole(best) => best.set_round::<0>(line, hash),
            Kernel::WholePortable if IS_PORTABLE => Portable.set_round::<0>(line, hash),
            _ => self.set_all(line, hash),
        }
    }

    #[inline(never)]
    fn set_all(self, line: impl WriteLine, hash: u64) {
        match self.kernel {
            Kernel::WholePortable => Portable.set_round::<0>(line, hash),
            Kernel::Whole(best) | Kernel::Rounds(best) => best.set_rounds(line, hash, self.hashes),
            Kernel::RoundsPortable => Portable.set_rounds(line, hash, self.hashes),
        }
    }

    /// Starts to bring something into the nearest cache, to be written to, where that is possible.
    #[inline(always)]
    pub(crate) fn fetch_to_write<T>(self, place: &T) {
        if let Kernel::Whole(best) | Kernel::Rounds(best) = self.kernel {
            best.fetch_to_write(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::KeyHash;
    use bytemuck::Zeroable;

    /// The definition, function by function.
    fn masks(hash: u64, hashes: u32) -> [u64; WORDS] {
        let mut masks = [0; WORDS];
        slots::for_each_slot(hash, hashes, |word, slot| masks[word] |= 1 << slot);
        masks
    }

    #[test]
    fn every_kernel_sets_and_finds_the_bits_of_the_definition() {
        let hash = KeyHash::new(5);
        for hashes in 1..=32 {
            let best = LineBits::new(hashes);
            let kernel = if hashes == 8 { Kernel::WholePortable } else { Kernel::RoundsPortable };
            let portable = LineBits { hashes, kernel };
            let mut expected = Line::zeroed();
            let mut lines = [Line::zeroed(); 2];
            let [shared, plain] = [SharedLine::new(&expected), SharedLine::new(&expected)];
            for key in 0..60u64 {
                let inside = hash.integer(key);
                for (word, mask) in masks(inside, hashes).into_iter().enumerate() {
                    expected.set_word(word, expected.word(word) | mask);
                }
                best.set(&mut lines[0], inside);
                portable.set(&mut lines[1], inside);
                best.set(&shared, inside);
                portable.set(&plain, inside);
                assert_eq!(lines, [expected; 2], "k = {hashes}");
                assert_eq!([shared.load(), plain.load()], [expected; 2], "k = {hashes}");
                for outside in (0..50).map(|key| hash.integer(key)) {
                    let bits = masks(outside, hashes).into_iter().enumerate();
                    let is_in = bits
                        .fold(true, |all, (word, mask)| all & (mask & !expected.word(word) == 0));
                    assert_eq!(best.are_in(&lines[0], outside), is_in, "k = {hashes}");
                    assert_eq!(portable.are_in(&lines[1], outside), is_in, "k = {hashes}");
                    assert_eq!(best.are_in(&shared, outside), is_in, "k = {hashes}");
                    assert_eq!(portable.are_in(&shared, outside), is_in, "k = {hashes}");
                }
            }
        }
    }
}
