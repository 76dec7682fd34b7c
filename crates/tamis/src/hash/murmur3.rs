//! MurmurHash3 x86 32-bit, after its public-domain definition by Austin Appleby.
//!
//! The classic cascade files address their filters with it, one seed per function.

use crate::memory::chunks;

/// The 32-bit hash of `bytes` with a seed.
#[must_use]
pub fn hash32(bytes: &[u8], seed: u32) -> u32 {
    let (words, tail) = chunks::<u8, 4>(bytes);
    let mut state = seed;
    for word in words {
        state ^= scramble(u32::from_le_bytes(*word));
        state = state.rotate_left(13).wrapping_mul(5).wrapping_add(0xE654_6B64);
    }
    let mut last = [0; 4];
    last[..tail.len()].copy_from_slice(tail);
    // An empty tail scrambles to 0 and changes nothing.
    state ^= scramble(u32::from_le_bytes(last));
    // The definition counts the length in 32 bits.
    finish(state ^ bytes.len() as u32)
}

fn scramble(word: u32) -> u32 {
    word.wrapping_mul(0xCC9E_2D51).rotate_left(15).wrapping_mul(0x1B87_3593)
}

fn finish(mut state: u32) -> u32 {
    state ^= state >> 16;
    state = state.wrapping_mul(0x85EB_CA6B);
    state ^= state >> 13;
    state = state.wrapping_mul(0xC2B2_AE35);
    state ^ (state >> 16)
}
