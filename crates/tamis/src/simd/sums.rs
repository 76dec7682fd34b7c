//! Sums of slots with vectors of 128 bits.
//!
//! A word of each plane is masked by the pattern of its block, both blocks are added, and the ones of each word are added up by halves
//! until its highest bit is their parity. As assembly, so that all of a question is compiled into the loop of whoever asks: a function for processors with AVX
//! has to be called, which costs what it saves.

#![allow(unsafe_code)]

use core::arch::asm;

/// An order of bytes.
#[repr(align(16))]
struct Order(#[allow(dead_code, reason = "read by assembly alone")] [u8; 16]);

/// The second pattern in all words, and the first one.
static SECOND: Order = Order([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
static FIRST: Order = Order([2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3]);

/// The lower bytes of all words, then the higher ones.
static APART: Order = Order([0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15]);

/// Whether the processor has AVX.
pub(crate) fn is_there() -> bool {
    super::level() >= super::Level::Vectors
}

/// For each of the eight words of both blocks a bit: whether the sum of the slots that the patterns choose is odd.
///
/// # Safety
/// The processor must have AVX.
#[inline(always)]
pub(crate) unsafe fn odd_of_eight([first, second]: [&[u8; 16]; 2], patterns: u32) -> u8 {
    let odd: u32;
    // SAFETY: the processor has AVX. Sixteen bytes are read at either place, at any address.
    unsafe {
        asm!(
            "vmovd {a}, {patterns:e}",
            "vpshufb {b}, {a}, [rip + {second_pattern}]",
            "vpshufb {a}, {a}, [rip + {first_pattern}]",
            "vpand {b}, {b}, [{second}]",
            "vpand {a}, {a}, [{first}]",
            "vpxor {a}, {a}, {b}",
            // Up to the highest bit of each word, which is its sign and stays when it is made a byte.
            "vpsllw {b}, {a}, 8",
            "vpxor {a}, {a}, {b}",
            "vpsllw {b}, {a}, 4",
            "vpxor {a}, {a}, {b}",
            "vpsllw {b}, {a}, 2",
            "vpxor {a}, {a}, {b}",
            "vpsllw {b}, {a}, 1",
            "vpxor {a}, {a}, {b}",
            "vpacksswb {a}, {a}, {a}",
            "vpmovmskb {odd:e}, {a}",
            patterns = in(reg) patterns,
            first = in(reg) first.as_ptr(),
            second = in(reg) second.as_ptr(),
            first_pattern = sym FIRST,
            second_pattern = sym SECOND,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            odd = lateout(reg) odd,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    odd as u8
}

/// The same for sixteen words.
///
/// # Safety
/// As above.
#[inline(always)]
pub(crate) unsafe fn odd_of_sixteen([first, second]: [&[u8; 32]; 2], patterns: u32) -> u16 {
    let odd: u32;
    // SAFETY: as above, with thirty-two bytes.
    unsafe {
        asm!(
            "vmovd {a}, {patterns:e}",
            "vpshufb {b}, {a}, [rip + {second_pattern}]",
            "vpshufb {a}, {a}, [rip + {first_pattern}]",
            "vpand {c}, {b}, [{second}]",
            "vpand {d}, {a}, [{first}]",
            "vpand {b}, {b}, [{second} + 16]",
            "vpand {a}, {a}, [{first} + 16]",
            "vpxor {c}, {c}, {d}",
            "vpxor {a}, {a}, {b}",
            // A byte for each word from here on, eight of each half.
            "vpshufb {c}, {c}, [rip + {apart}]",
            "vpshufb {a}, {a}, [rip + {apart}]",
            "vpunpcklqdq {b}, {c}, {a}",
            "vpunpckhqdq {a}, {c}, {a}",
            "vpxor {a}, {a}, {b}",
            // What comes from its neighbour does not get as far as the highest bit.
            "vpsllw {b}, {a}, 4",
            "vpxor {a}, {a}, {b}",
            "vpsllw {b}, {a}, 2",
            "vpxor {a}, {a}, {b}",
            "vpsllw {b}, {a}, 1",
            "vpxor {a}, {a}, {b}",
            "vpmovmskb {odd:e}, {a}",
            patterns = in(reg) patterns,
            first = in(reg) first.as_ptr(),
            second = in(reg) second.as_ptr(),
            first_pattern = sym FIRST,
            second_pattern = sym SECOND,
            apart = sym APART,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            odd = lateout(reg) odd,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    odd as u16
}
