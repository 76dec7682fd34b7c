//! Questions to the memory of a static filter.
//!
//! One comparison of lengths stands for a check of both places. Eight planes are looked at together, with instructions that every
//! x86-64 processor has, so that all of a question is compiled into the loop of whoever asks: code for newer processors needs fewer instructions, but
//! has to be called, and took longer by a tenth.

#![allow(unsafe_code)]

use super::shape::{Patterns, Place, Shape, WINDOW};
use crate::filter::line::{LINE_BYTES, Line, bytes_of};
use crate::filter::prefetch::prefetch;

/// Whether the sums of the chosen slots of a key are its fingerprint. Not if there are too few lines, as of a filter without keys.
#[inline(always)]
pub(super) fn agrees(shape: &Shape, lines: &[Line], hash: u64) -> bool {
    let [eight, sixteen] = shape.lines_of();
    // SAFETY: all lines of the shape are there.
    if lines.len() >= eight {
        unsafe { agrees_in_eight(shape, lines, hash) }
    } else if lines.len() >= sixteen {
        unsafe { agrees_in_sixteen(shape, lines, hash) }
    } else {
        lines.len() >= shape.lines() && unsafe { agrees_in_all(shape, lines, hash) }
    }
}

/// The same where there are at most eight planes.
///
/// # Safety
/// All lines of the shape must be there.
#[inline(always)]
unsafe fn agrees_in_eight(shape: &Shape, lines: &[Line], hash: u64) -> bool {
    let Place { blocks, patterns, planes } = shape.place(hash);
    // SAFETY: the place is one of the shape.
    let windows = blocks.map(|block| unsafe { window(lines, block) });
    (odd_of_eight(windows, patterns) ^ patterns as u8) & planes as u8 == 0
}

/// The same for the first sixteen planes.
///
/// # Safety
/// As above.
#[inline(always)]
unsafe fn agrees_in_sixteen(shape: &Shape, lines: &[Line], hash: u64) -> bool {
    let Place { blocks, patterns, planes } = shape.place(hash);
    // SAFETY: the place is one of the shape.
    let windows = blocks.map(|block| unsafe { window(lines, block) });
    (odd_of_sixteen(windows, patterns) ^ patterns as u16) & planes as u16 == 0
}

/// The same for more than sixteen planes.
///
/// # Safety
/// As above.
#[inline(never)]
unsafe fn agrees_in_all(shape: &Shape, lines: &[Line], hash: u64) -> bool {
    let Place { blocks, patterns, planes } = shape.place(hash);
    // SAFETY: the place is one of the shape, and has planes behind its first window.
    let windows = blocks.map(|block| unsafe { window(lines, block + WINDOW) });
    let sums = odd_of_sixteen(windows, patterns) ^ (patterns >> 16) as u16;
    // SAFETY: as above.
    sums & (planes >> 16) as u16 == 0 && unsafe { agrees_in_sixteen(shape, lines, hash) }
}

/// Asks for the memory of a key, if there is any.
#[inline(always)]
pub(super) fn ask(shape: &Shape, lines: &[Line], hash: u64) {
    let Place { blocks, planes, .. } = shape.place(hash);
    for block in blocks {
        let last = block + (2 * planes.count_ones() as usize).saturating_sub(1);
        lines.get(block / LINE_BYTES).map(prefetch);
        lines.get(last / LINE_BYTES).map(prefetch);
    }
}

/// Bytes of a block, and whatever follows.
///
/// # Safety
/// They begin within a block of a shape that has no more lines than these.
#[inline(always)]
unsafe fn window<const N: usize>(lines: &[Line], at: usize) -> &[u8; N] {
    const { assert!(N <= WINDOW) };
    let bytes = bytes_of(lines);
    debug_assert!(at + N <= bytes.len());
    // SAFETY: behind every block the shape has a window.
    unsafe { &*bytes.as_ptr().add(at).cast() }
}

/// For each of the eight words of both blocks a bit: whether the sum of the slots that the patterns choose is odd.
#[inline(always)]
fn odd_of_eight(blocks: [&[u8; 16]; 2], patterns: Patterns) -> u8 {
    #[cfg(target_arch = "x86_64")]
    return x86::odd_of_eight(blocks, patterns);
    #[cfg(not(target_arch = "x86_64"))]
    return odd(blocks, patterns) as u8;
}

/// The same for sixteen words.
#[inline(always)]
fn odd_of_sixteen(blocks: [&[u8; 32]; 2], patterns: Patterns) -> u16 {
    #[cfg(target_arch = "x86_64")]
    return x86::odd_of_sixteen(blocks, patterns);
    #[cfg(not(target_arch = "x86_64"))]
    return odd(blocks, patterns);
}

/// The same on any machine.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn odd<const N: usize>([first, second]: [&[u8; N]; 2], patterns: Patterns) -> u16 {
    let [a, b] = super::shape::each(patterns);
    let words = first.as_chunks::<2>().0.iter().zip(second.as_chunks::<2>().0);
    words.enumerate().fold(0, |odd, (plane, (first, second))| {
        let chosen = u16::from_le_bytes(*first) & a ^ u16::from_le_bytes(*second) & b;
        odd | (chosen.count_ones() as u16 & 1) << plane
    })
}

/// With instructions that all processors of this kind have.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Patterns;
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_movemask_epi8,
        _mm_packs_epi16, _mm_packus_epi16, _mm_shuffle_epi32, _mm_shufflelo_epi16, _mm_slli_epi16,
        _mm_srli_epi16, _mm_xor_si128,
    };

    #[inline(always)]
    pub(super) fn odd_of_eight(blocks: [&[u8; 16]; 2], patterns: Patterns) -> u8 {
        // SAFETY: all processors have them.
        unsafe {
            let mut sum = chosen(blocks, both(patterns));
            // Up to the highest bit of each word, which is its sign and stays when it is made a byte.
            sum = _mm_xor_si128(sum, _mm_slli_epi16::<8>(sum));
            sum = _mm_xor_si128(sum, _mm_slli_epi16::<4>(sum));
            sum = _mm_xor_si128(sum, _mm_slli_epi16::<2>(sum));
            sum = _mm_xor_si128(sum, _mm_slli_epi16::<1>(sum));
            _mm_movemask_epi8(_mm_packs_epi16(sum, sum)) as u8
        }
    }

    #[inline(always)]
    pub(super) fn odd_of_sixteen(blocks: [&[u8; 32]; 2], patterns: Patterns) -> u16 {
        let both = both(patterns);
        // SAFETY: all processors have them.
        unsafe {
            let half = |half: usize| {
                let sum = chosen(blocks.map(|block| &block.as_chunks::<16>().0[half]), both);
                _mm_srli_epi16::<8>(_mm_xor_si128(sum, _mm_slli_epi16::<8>(sum)))
            };
            // A byte for each word from here on. What comes from its neighbour does not get as far as the highest bit.
            let mut sum = _mm_packus_epi16(half(0), half(1));
            sum = _mm_xor_si128(sum, _mm_slli_epi16::<4>(sum));
            sum = _mm_xor_si128(sum, _mm_slli_epi16::<2>(sum));
            sum = _mm_xor_si128(sum, _mm_slli_epi16::<1>(sum));
            _mm_movemask_epi8(sum) as u16
        }
    }

    /// The pattern of each block in all words.
    #[inline(always)]
    fn both(patterns: Patterns) -> [__m128i; 2] {
        // SAFETY: all processors have them.
        unsafe {
            let both = _mm_cvtsi32_si128(patterns as i32);
            let (first, second) =
                (_mm_shufflelo_epi16::<0b0101_0101>(both), _mm_shufflelo_epi16::<0>(both));
            [_mm_shuffle_epi32::<0>(first), _mm_shuffle_epi32::<0>(second)]
        }
    }

    /// The chosen slots of both blocks.
    #[inline(always)]
    fn chosen([first, second]: [&[u8; 16]; 2], [a, b]: [__m128i; 2]) -> __m128i {
        // SAFETY: all processors have them; sixteen bytes are there.
        unsafe {
            let first = _mm_and_si128(_mm_loadu_si128(first.as_ptr().cast()), a);
            let second = _mm_and_si128(_mm_loadu_si128(second.as_ptr().cast()), b);
            _mm_xor_si128(first, second)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Functions;

    #[test]
    fn every_machine_finds_the_same_sums() {
        let mut random = Functions::new(5);
        let mut next = || random.next().expect("there is no end");
        for _ in 0..1000 {
            let blocks: [[u8; 32]; 2] =
                std::array::from_fn(|_| std::array::from_fn(|_| next() as u8));
            let patterns = next() as Patterns;
            let blocks = [&blocks[0], &blocks[1]];
            let expected = odd(blocks, patterns);
            assert_eq!(odd_of_sixteen(blocks, patterns), expected);
            let halves = blocks.map(|block| &block.as_chunks::<16>().0[0]);
            assert_eq!(u16::from(odd_of_eight(halves, patterns)), expected & 255);
        }
    }
}
