//! x86-64 with AVX2.
//!
//! As assembly: a function that is compiled for AVX2 cannot be part of one that is not, so it would
//! be a call, with all that the caller has to keep in memory meanwhile. Assembly is inlined.

#![allow(unsafe_code)]

use super::line::{LineOperations, ReadLine, WriteLine};
use super::slots;
use core::arch::asm;

/// The multipliers of a round as vectors want them: those of words 4 to 7 in the lower halves
/// of the 64-bit lanes, those of words 0 to 3 in the upper ones.
pub(super) static SALTS: Salts = {
    let mut lanes = [[0; 8]; 4];
    let mut round = 0;
    while round < 4 {
        let mut lane = 0;
        while lane < 4 {
            lanes[round][2 * lane] = slots::SALTS[round][lane + 4];
            lanes[round][2 * lane + 1] = slots::SALTS[round][lane];
            lane += 1;
        }
        round += 1;
    }
    Salts(lanes)
};

/// Four vectors, none of which is in two cache lines.
#[repr(align(32))]
pub(super) struct Salts(pub(super) [[u32; 8]; 4]);

/// Proof that the processor has AVX2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// The vector path, where the processor has it.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Self> {
        (super::level() >= super::Level::Vectors).then_some(Self(()))
    }
}

/// A one in each word of half a line.
static ONES: Ones = Ones([1; 4]);

#[repr(align(32))]
struct Ones(#[allow(dead_code, reason = "read by assembly alone")] [u64; 4]);

/// Assembly with the places of a key in words 0 to 3 in `ymm0` and in words 4 to 7 in `ymm1`. It
/// may use `ymm2` and `ymm3`.
macro_rules! with_places {
    (
        $round:expr, [$($instruction:literal),*], $hash:expr,
        [$($operand:tt)*], [$($options:ident),*]
    ) => {
        asm!(
            "vmovd xmm1, {hash:e}",
            "vpbroadcastd ymm1, xmm1",
            "vpmulld ymm1, ymm1, [rip + {salts} + {round}]",
            "vpsrlq ymm0, ymm1, 58",
            "vpsllq ymm1, ymm1, 32",
            "vpsrlq ymm1, ymm1, 58",
            $($instruction,)*
            // What follows may be SSE code, which is slow while upper halves are in use.
            "vzeroupper",
            $($operand)*
            hash = in(reg) $hash as u32,
            salts = sym SALTS,
            round = const $round * 32,
            ones = sym ONES,
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
            out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options($($options),*),
        )
    };
}

/// Whether both halves of the line have the bits of the key.
macro_rules! has_round {
    ($line:expr, $has:ident, $hash:expr, [$($options:ident),*]) => {
        with_places!(
            ROUND,
            [
                "vmovdqa ymm2, [{line}]",
                "vmovdqa ymm3, [{line} + 32]",
                "vpsrlvq ymm0, ymm2, ymm0",
                "vpsrlvq ymm1, ymm3, ymm1",
                "vpand ymm0, ymm0, ymm1",
                "vptest ymm0, [rip + {ones}]",
                "setc {has}"
            ],
            $hash,
            [line = in(reg) $line, has = lateout(reg_byte) $has,],
            [$($options),*]
        )
    };
}

impl LineOperations for Avx2 {
    #[inline(always)]
    fn has_round<const ROUND: usize>(self, line: impl ReadLine, hash: u64) -> bool {
        #[inline(always)]
        const fn is_shared<L: ReadLine>(_: &L) -> bool {
            L::SHARED
        }
        let bytes = line.bytes();
        let has: u8;
        // SAFETY: `self` exists only where AVX2 was detected. A line is 64 bytes at a multiple of
        // 64: two aligned vectors. They are moved in words of 64 bits or more, and to the compiler
        // reads of assembly are no data race.
        unsafe {
            if is_shared(&line) {
                has_round!(bytes, has, hash, [nostack, readonly]);
            } else {
                has_round!(bytes, has, hash, [pure, nostack, readonly]);
            }
        }
        has == 1
    }

    #[inline(always)]
    fn set_round<const ROUND: usize>(self, mut line: impl WriteLine, hash: u64) {
        // SAFETY: as above; nobody else writes to the line.
        unsafe {
            with_places!(
                ROUND,
                [
                    "vmovdqa ymm2, [rip + {ones}]",
                    "vpsllvq ymm0, ymm2, ymm0",
                    "vpsllvq ymm1, ymm2, ymm1",
                    "vpor ymm0, ymm0, [{line}]",
                    "vpor ymm1, ymm1, [{line} + 32]",
                    "vmovdqa [{line}], ymm0",
                    "vmovdqa [{line} + 32], ymm1"
                ],
                hash,
                [line = in(reg) line.bytes(),],
                [nostack, preserves_flags]
            );
        }
    }

    // As assembly: for a build that has to run on every x86-64 the compiler makes a prefetch for
    // reading of `_MM_HINT_ET0`, after which a line of another core must be fetched once more. Some
    // of the first x86-64 do not know the instruction; all with AVX2 do.
    #[inline(always)]
    fn fetch_to_write<T>(self, place: &T) {
        // SAFETY: a prefetch cannot fault, and the processor has the instruction.
        unsafe {
            asm!(
                "prefetchw [{}]",
                in(reg) core::ptr::from_ref(place),
                options(nostack, preserves_flags, readonly),
            );
        }
    }
}
