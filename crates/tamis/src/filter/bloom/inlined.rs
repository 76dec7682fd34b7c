//! A key with eight functions and its line, in the loop of whoever asks.
//!
//! A function that is compiled for AVX2 cannot be part of one that is not: it has to be called. That is a tenth of the time of a key, for the call, and for what
//! the caller cannot keep in registers. Assembly can be part of both. [`super::avx2`] does the same for batches.

#![allow(unsafe_code)]

use super::avx2::SALTS;
use crate::filter::Line;
use crate::filter::concurrent::stripe::{HELD, Stripe};
use std::arch::asm;

/// A one in each word of half a line.
static ONES: Ones = Ones([1; 4]);

#[repr(align(32))]
struct Ones(#[allow(dead_code, reason = "read by assembly alone")] [u64; 4]);

/// Assembly with the places of a key in words 0 to 3 in `ymm0` and in words 4 to 7 in `ymm1`. It may use `ymm2` and `ymm3`; all vectors are lost.
macro_rules! with_places {
    ([$($instruction:literal),*], $hash:expr, [$($operand:tt)*], [$($options:ident),*]) => {
        asm!(
            "vmovd xmm1, {hash:e}",
            "vpbroadcastd ymm1, xmm1",
            "vpmulld ymm1, ymm1, [rip + {salts}]",
            "vpsrlq ymm0, ymm1, 58",
            "vpsllq ymm1, ymm1, 32",
            "vpsrlq ymm1, ymm1, 58",
            $($instruction,)*
            // What comes after it may be of older processors, to which the upper halves are in the way.
            "vzeroupper",
            $($operand)*
            hash = in(reg) $hash as u32,
            salts = sym SALTS,
            ones = sym ONES,
            out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _,
            out("ymm4") _, out("ymm5") _, out("ymm6") _, out("ymm7") _,
            out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
            out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
            options($($options),*),
        )
    };
}

/// Whether a line has all bits of a key.
///
/// # Safety
/// The processor must have AVX2, and there must be a line. Others may be changing it: aligned vectors are moved in words of 64 bits or more, and to the
/// compiler reads of assembly are no data race.
#[inline(always)]
pub(super) unsafe fn line_has(line: *const Line, hash: u64) -> bool {
    let has: u8;
    // SAFETY: the processor has AVX2; a line is 64 bytes at a multiple of 64: two aligned vectors.
    unsafe {
        with_places!(
            [
                "vmovdqa ymm2, [{line}]",
                "vmovdqa ymm3, [{line} + 32]",
                "vpsrlvq ymm0, ymm2, ymm0",
                "vpsrlvq ymm1, ymm3, ymm1",
                "vpand ymm0, ymm0, ymm1",
                "vptest ymm0, [rip + {ones}]",
                "setc {has}"
            ],
            hash,
            [line = in(reg) line, has = lateout(reg_byte) has,],
            [nostack, readonly]
        );
    }
    has == 1
}

/// Sets the bits of a key in a line.
///
/// # Safety
/// As above, and nobody else may be changing the line, though others may read it.
#[inline(always)]
pub(super) unsafe fn line_insert(line: *mut Line, hash: u64) {
    // SAFETY: as above.
    unsafe {
        with_places!(
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
            [line = in(reg) line,],
            [nostack, preserves_flags]
        );
    }
}

/// Sets the bits of a key in a line of a stripe, and counts it there, unless another thread holds the stripe: then nothing is changed. Says which.
///
/// All that can be computed is, before the stripe is taken: a processor reads nothing until it has it.
///
/// # Safety
/// The processor must have AVX2, and there must be a line, which is changed by those alone who hold the stripe.
#[inline(always)]
pub(super) unsafe fn shared_line_insert(line: *mut Line, hash: u64, stripe: &Stripe) -> bool {
    const { assert!(HELD == u64::MAX) };
    let items: u64;
    // SAFETY: as above. Whoever finds a number in the stripe and leaves `HELD` there has it until it writes a number; a store is never seen before
    // those that come before it.
    unsafe {
        with_places!(
            [
                "vmovdqa ymm2, [rip + {ones}]",
                "vpsllvq ymm0, ymm2, ymm0",
                "vpsllvq ymm1, ymm2, ymm1",
                "mov {items}, -1",
                "xchg [{stripe}], {items}",
                "cmp {items}, -1",
                "je 2f",
                "vpor ymm0, ymm0, [{line}]",
                "vpor ymm1, ymm1, [{line} + 32]",
                "vmovdqa [{line}], ymm0",
                "vmovdqa [{line} + 32], ymm1",
                "inc {items}",
                "mov [{stripe}], {items}",
                "2:"
            ],
            hash,
            [line = in(reg) line, stripe = in(reg) stripe.0.as_ptr(), items = out(reg) items,],
            [nostack]
        );
    }
    items != HELD
}
