//! aarch64 with NEON, which every such processor has: no call is needed.

#![allow(unsafe_code)]
#![allow(unused_unsafe, reason = "intrinsics are safe to call since Rust 1.87")]

use super::line::{LineOperations, ReadLine, WriteLine};
use super::slots;
use crate::memory::WORDS;
use core::arch::aarch64::{
    uint64x2_t, vandq_u64, vdupq_n_u64, vget_low_u32, vgetq_lane_u64, vld1q_u32, vld1q_u64,
    vmovl_high_u32, vmovl_u32, vmulq_n_u32, vnegq_s64, vreinterpretq_s64_u64, vshlq_u64,
    vshrq_n_u32, vst1q_u64,
};

/// Proof that there is NEON, and that nobody has switched it off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Neon(());

impl Neon {
    #[inline(always)]
    pub(crate) fn detect() -> Option<Self> {
        (super::level() >= super::Level::Vectors).then_some(Self(()))
    }
}

/// The places in words 0 and 1, 2 and 3, 4 and 5, 6 and 7.
#[inline(always)]
fn places(hash: u64, number: usize) -> [uint64x2_t; 4] {
    let salts = &slots::SALTS[number % 4];
    // SAFETY: both reads are of four of eight multipliers.
    unsafe {
        let fields = [0, 4].map(
            #[inline(always)]
            |first: usize| {
                let salts = vld1q_u32(salts[first..first + 4].as_ptr());
                vshrq_n_u32::<26>(vmulq_n_u32(salts, hash as u32))
            },
        );
        [
            vmovl_u32(vget_low_u32(fields[0])),
            vmovl_high_u32(fields[0]),
            vmovl_u32(vget_low_u32(fields[1])),
            vmovl_high_u32(fields[1]),
        ]
    }
}

/// Eight words in four vectors.
#[inline(always)]
fn vectors(word: impl Fn(usize) -> u64) -> [uint64x2_t; 4] {
    let words: [u64; WORDS] = core::array::from_fn(
        #[inline(always)]
        |index| word(index),
    );
    // SAFETY: each read is of two of eight words.
    unsafe {
        [
            vld1q_u64(words.as_ptr()),
            vld1q_u64(words[2..].as_ptr()),
            vld1q_u64(words[4..].as_ptr()),
            vld1q_u64(words[6..].as_ptr()),
        ]
    }
}

impl LineOperations for Neon {
    #[inline(always)]
    fn has_round<const ROUND: usize>(self, line: impl ReadLine, hash: u64) -> bool {
        let line = vectors(|index| line.word(index));
        let places = places(hash, ROUND);
        // SAFETY: every aarch64 has NEON.
        unsafe {
            let bit =
                |pair: usize| vshlq_u64(line[pair], vnegq_s64(vreinterpretq_s64_u64(places[pair])));
            let all = vandq_u64(vandq_u64(bit(0), bit(1)), vandq_u64(bit(2), bit(3)));
            vgetq_lane_u64::<0>(all) & vgetq_lane_u64::<1>(all) & 1 == 1
        }
    }

    #[inline(always)]
    fn set_round<const ROUND: usize>(self, mut line: impl WriteLine, hash: u64) {
        for (word, bit) in bits(hash, ROUND).into_iter().enumerate() {
            line.set_word(word, line.word(word) | bit);
        }
    }

    #[inline(always)]
    fn fetch_to_write<T>(self, place: &T) {
        // SAFETY: a prefetch reads nothing into the program and cannot fault.
        unsafe {
            core::arch::asm!(
                "prfm pstl1keep, [{}]",
                in(reg) core::ptr::from_ref(place),
                options(nostack, preserves_flags, readonly),
            );
        }
    }
}

/// The bits of a round.
#[inline(always)]
fn bits(hash: u64, number: usize) -> [u64; WORDS] {
    let (places, mut bits) = (places(hash, number), [0; WORDS]);
    for (places, bits) in places.into_iter().zip(bits.chunks_exact_mut(2)) {
        // SAFETY: every aarch64 has NEON; two words are written to two.
        unsafe {
            let bit = vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(places));
            vst1q_u64(bits.as_mut_ptr(), bit);
        }
    }
    bits
}
