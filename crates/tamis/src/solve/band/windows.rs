//! Questions to the memory of a static filter.
//!
//! One comparison of lengths stands for a check of both places. Eight or sixteen planes are looked at together, with vectors where the processor
//! has them: all of such a question is compiled into the loop of whoever asks. The others are a call.

#![allow(unsafe_code)]

use super::shape::{Patterns, Place, Shape, WINDOW, each};
use crate::memory::chunks;
use crate::memory::line::bytes_of;
use crate::memory::prefetch::prefetch;
use crate::memory::{LINE_BYTES, Line};
#[cfg(target_arch = "x86_64")]
use crate::simd::sums;

/// Whether the sums of the chosen slots of a key are its fingerprint. Not if there are too few lines, as of a filter without keys.
#[inline(always)]
pub(crate) fn agrees(shape: &Shape, lines: &[Line], hash: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        let [eight, sixteen] = shape.lines_for_vectors();
        // SAFETY: all lines of the shape are there, and there are vectors.
        if lines.len() >= eight {
            return unsafe { agrees_in_eight(shape, lines, hash) };
        } else if lines.len() >= sixteen {
            return unsafe { agrees_in_sixteen(shape, lines, hash) };
        }
    }
    // SAFETY: all lines of the shape are there.
    lines.len() >= shape.lines() && unsafe { agrees_in_all(shape, lines, hash) }
}

/// The same where there are at most eight planes.
///
/// # Safety
/// All lines of the shape must be there, and the processor must have AVX.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn agrees_in_eight(shape: &Shape, lines: &[Line], hash: u64) -> bool {
    // SAFETY: all lines of the shape are there.
    let (windows, Place { patterns, planes, .. }) = unsafe { windows(shape, lines, hash) };
    // SAFETY: the processor has AVX.
    let odd = unsafe { sums::odd_of_eight(windows, patterns) };
    (odd ^ patterns as u8) & planes as u8 == 0
}

/// The same where there are at most sixteen.
///
/// # Safety
/// As above.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn agrees_in_sixteen(shape: &Shape, lines: &[Line], hash: u64) -> bool {
    // SAFETY: all lines of the shape are there.
    let (windows, Place { patterns, planes, .. }) = unsafe { windows(shape, lines, hash) };
    // SAFETY: the processor has AVX.
    let odd = unsafe { sums::odd_of_sixteen(windows, patterns) };
    (odd ^ patterns as u16) & planes as u16 == 0
}

/// The same for any number of planes, on any machine.
///
/// # Safety
/// All lines of the shape must be there.
#[inline(never)]
unsafe fn agrees_in_all(shape: &Shape, lines: &[Line], hash: u64) -> bool {
    // SAFETY: all lines of the shape are there.
    let (windows, Place { blocks, patterns, planes }) = unsafe { windows(shape, lines, hash) };
    let is_first_right = (odd(windows, patterns) ^ patterns as u16) & planes as u16 == 0;
    let planes = (planes >> 16) as u16;
    if planes == 0 || !is_first_right {
        return is_first_right;
    }
    // SAFETY: the place is one of the shape, and has planes behind its first window.
    let windows = blocks.map(|block| unsafe { window(lines, block + WINDOW) });
    (odd(windows, patterns) ^ (patterns >> 16) as u16) & planes == 0
}

/// The place of a key, and the bytes of both blocks.
///
/// # Safety
/// All lines of the shape must be there.
#[inline(always)]
unsafe fn windows<'a, const N: usize>(
    shape: &Shape,
    lines: &'a [Line],
    hash: u64,
) -> ([&'a [u8; N]; 2], Place) {
    let place = shape.place(hash);
    // SAFETY: the place is one of the shape.
    (place.blocks.map(|block| unsafe { window(lines, block) }), place)
}

/// Prefetches the lines of a key, if there are any.
#[inline(always)]
pub(crate) fn fetch(shape: &Shape, lines: &[Line], hash: u64) {
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

/// For each of the sixteen words of both blocks a bit: whether the sum of the slots that the patterns choose is odd.
fn odd(blocks: [&[u8; WINDOW]; 2], patterns: Patterns) -> u16 {
    #[cfg(target_arch = "x86_64")]
    if sums::is_there() {
        // SAFETY: it is there.
        return unsafe { sums::odd_of_sixteen(blocks, patterns) };
    }
    odd_one_by_one(blocks, patterns)
}

/// The plain twin of the vectors.
fn odd_one_by_one([first, second]: [&[u8; WINDOW]; 2], patterns: Patterns) -> u16 {
    let [a, b] = each(patterns);
    let words = chunks::<u8, 2>(first).0.iter().zip(chunks::<u8, 2>(second).0);
    words.enumerate().fold(0, |odd, (plane, (first, second))| {
        let chosen = u16::from_le_bytes(*first) & a ^ u16::from_le_bytes(*second) & b;
        odd | (chosen.count_ones() as u16 & 1) << plane
    })
}

#[cfg(test)]
mod tests {
    use super::super::shape::Planes;
    use super::*;
    use crate::hash::Functions;
    use bytemuck::Zeroable;

    /// Whether the sums of all planes are the bits of the fingerprint, plane by plane.
    fn is_right(shape: &Shape, lines: &[Line], hash: u64) -> bool {
        let Place { blocks, patterns, planes } = shape.place(hash);
        let [a, b] = each(patterns);
        let word = |at: usize| u16::from_le_bytes([0, 1].map(|i| bytes_of(lines)[at + i]));
        (0..planes.count_ones() as usize).all(|plane| {
            let chosen = word(blocks[0] + 2 * plane) & a ^ word(blocks[1] + 2 * plane) & b;
            chosen.count_ones() & 1 == patterns >> plane & 1
        })
    }

    fn is_asked_right(shape: &Shape, lines: &[Line], hash: u64) -> bool {
        let expected = is_right(shape, lines, hash);
        assert_eq!(agrees(shape, lines, hash), expected, "{:?}", shape.planes);
        // SAFETY: all lines of the shape are there.
        assert_eq!(unsafe { agrees_in_all(shape, lines, hash) }, expected);
        expected
    }

    /// Random lines, and of each shape as many keys as some of them agree; behind sixteen planes those of which all of these do.
    #[test]
    fn every_way_to_ask_is_that_of_the_definition() {
        const STARTS: u64 = 41;
        // The inverse modulo 2^64, by Newton's method: a hash that leaves what one wants behind its start.
        let inverse =
            (0..6).fold(STARTS, |x, _| x.wrapping_mul(2u64.wrapping_sub(STARTS.wrapping_mul(x))));
        let mut random = Functions::new(9);
        let mut next = || random.next().expect("there is no end");
        for least in [0, 2, 6, 7, 8, 14, 15, 16, 20, 29] {
            let planes = Planes { least, longer: 1 << 31 };
            let shape = Shape::new(planes, STARTS, 3).expect("it is small");
            let mut lines = vec![Line::zeroed(); shape.lines()];
            for line in &mut lines {
                (0..8).for_each(|word| line.set_word(word, next()));
            }
            let tries = 200 << least.min(8);
            let mut right = (0..tries).filter(|_| is_asked_right(&shape, &lines, next())).count();
            if least >= 16 {
                let (tries, mut lines) = (200 << (least - 16).min(8), lines);
                right = (0..tries)
                    .filter(|_| {
                        // The second pattern is empty, and so are sixteen planes of the first block.
                        let hash = (next() & !(0xFFFF << 26)).wrapping_mul(inverse);
                        let Place { blocks, patterns, .. } = shape.place(hash);
                        assert_eq!(patterns as u16, 0);
                        bytemuck::cast_slice_mut(&mut lines)[blocks[0]..][..WINDOW].fill(0u8);
                        is_asked_right(&shape, &lines, hash)
                    })
                    .count();
                assert!(!agrees(&shape, &lines[1..], next()), "too few lines");
            }
            assert!(right > 0 || (9..16).contains(&least), "{least} planes: some agree");
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn vectors_and_their_plain_twin_find_the_same_sums() {
        if !sums::is_there() {
            return;
        }
        let mut random = Functions::new(5);
        let mut next = || random.next().expect("there is no end");
        for _ in 0..1000 {
            let blocks: [[u8; 32]; 2] =
                std::array::from_fn(|_| std::array::from_fn(|_| next() as u8));
            let patterns = next() as Patterns;
            let blocks = [&blocks[0], &blocks[1]];
            let expected = odd_one_by_one(blocks, patterns);
            let halves = blocks.map(|block| &block.as_chunks::<16>().0[0]);
            // SAFETY: it is there.
            let found = unsafe {
                (sums::odd_of_sixteen(blocks, patterns), sums::odd_of_eight(halves, patterns))
            };
            assert_eq!(found, (expected, expected as u8));
        }
    }
}
