//! FarmHash, 64 bits: the variant `farmhashna`, which is the same on every machine.

const K0: u64 = 0xC3A5_C85C_97CB_3127;
const K1: u64 = 0xB492_B66F_BE98_F273;
const K2: u64 = 0x9AE1_6A3B_2F90_404F;

/// Eight bytes from an offset, little-endian.
#[inline(always)]
fn word(bytes: &[u8], offset: usize) -> u64 {
    bytes[offset..].first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

/// Four bytes from an offset, little-endian.
#[inline(always)]
fn half(bytes: &[u8], offset: usize) -> u64 {
    bytes[offset..].first_chunk().map_or(0, |chunk| u64::from(u32::from_le_bytes(*chunk)))
}

#[inline(always)]
const fn fold(value: u64) -> u64 {
    value ^ value >> 47
}

/// Sums and products are modulo 2^64.
macro_rules! sum {
    ($first:expr $(, $next:expr)*) => { ($first)$(.wrapping_add($next))* };
}

#[inline(always)]
const fn mix(left: u64, right: u64, multiplier: u64) -> u64 {
    let first = fold((left ^ right).wrapping_mul(multiplier));
    fold((right ^ first).wrapping_mul(multiplier)).wrapping_mul(multiplier)
}

/// The hash of a byte string, without a seed.
pub(super) fn hash64(bytes: &[u8]) -> u64 {
    match bytes.len() {
        0 => K2,
        1..=3 => tiny(bytes),
        4..=7 => {
            let length = bytes.len() as u64;
            let first = length.wrapping_add(half(bytes, 0) << 3);
            mix(first, half(bytes, bytes.len() - 4), multiplier(bytes))
        }
        8..=16 => {
            let by = multiplier(bytes);
            let (a, b) = (sum!(word(bytes, 0), K2), word(bytes, bytes.len() - 8));
            let left = sum!(b.rotate_right(37).wrapping_mul(by), a);
            let right = sum!(a.rotate_right(25), b).wrapping_mul(by);
            mix(left, right, by)
        }
        17..=32 => {
            let ends = Ends::of(bytes, K1);
            mix(ends.left, ends.right, ends.by)
        }
        33..=64 => middle(bytes),
        _ => long(bytes),
    }
}

fn multiplier(bytes: &[u8]) -> u64 {
    K2.wrapping_add(bytes.len() as u64 * 2)
}

/// One to three bytes.
fn tiny(bytes: &[u8]) -> u64 {
    let (first, middle) = (u32::from(bytes[0]), u32::from(bytes[bytes.len() / 2]));
    let last = u32::from(bytes[bytes.len() - 1]);
    let (y, z) = (first + (middle << 8), bytes.len() as u32 + (last << 2));
    fold(u64::from(y).wrapping_mul(K2) ^ u64::from(z).wrapping_mul(K0)).wrapping_mul(K2)
}

/// The first and the last 16 bytes.
struct Ends {
    by: u64,
    first: u64,
    left: u64,
    right: u64,
}

impl Ends {
    fn of(bytes: &[u8], factor: u64) -> Self {
        let (by, end) = (multiplier(bytes), bytes.len());
        let (a, b) = (word(bytes, 0).wrapping_mul(factor), word(bytes, 8));
        let c = word(bytes, end - 8).wrapping_mul(by);
        let d = word(bytes, end - 16).wrapping_mul(K2);
        let left = sum!(sum!(a, b).rotate_right(43), c.rotate_right(30), d);
        let right = sum!(a, sum!(b, K2).rotate_right(18), c);
        Self { by, first: a, left, right }
    }
}

/// 33 to 64 bytes.
fn middle(bytes: &[u8]) -> u64 {
    let (Ends { by, first, left, right }, end) = (Ends::of(bytes, K2), bytes.len());
    let mixed = mix(left, right, by);
    let (e, f) = (word(bytes, 16).wrapping_mul(by), word(bytes, 24));
    let g = sum!(left, word(bytes, end - 32)).wrapping_mul(by);
    let h = sum!(mixed, word(bytes, end - 24)).wrapping_mul(by);
    let left = sum!(sum!(e, f).rotate_right(43), g.rotate_right(30), h);
    mix(left, sum!(e, sum!(f, first).rotate_right(18), g), by)
}

/// What 65 bytes and more are hashed with: 56 bytes.
struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

/// 32 bytes into two numbers.
fn weak(bytes: &[u8], a: u64, b: u64) -> (u64, u64) {
    let last = word(bytes, 24);
    let a = sum!(a, word(bytes, 0));
    let b = sum!(b, a, last).rotate_right(21);
    let sum = sum!(a, word(bytes, 8), word(bytes, 16));
    (sum!(sum, last), sum!(b, sum.rotate_right(44), a))
}

impl State {
    /// Takes 64 bytes in; the last ones by another multiplier, and factor of what was there.
    fn take(&mut self, bytes: &[u8], by: u64, factor: u64) {
        let Self { x, y, z, v, w } = self;
        *x = sum!(*x, *y, v.0, word(bytes, 8)).rotate_right(37).wrapping_mul(by);
        *y = sum!(*y, v.1, word(bytes, 48)).rotate_right(42).wrapping_mul(by);
        *x ^= w.1.wrapping_mul(factor);
        *y = sum!(*y, v.0.wrapping_mul(factor), word(bytes, 40));
        *z = sum!(*z, w.0).rotate_right(33).wrapping_mul(by);
        *v = weak(bytes, v.1.wrapping_mul(by), sum!(*x, w.0));
        *w = weak(&bytes[32..], sum!(*z, w.1), sum!(*y, word(bytes, 16)));
        core::mem::swap(z, x);
    }
}

/// More than 64 bytes.
fn long(bytes: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let y = sum!(SEED.wrapping_mul(K1), 113);
    let z = fold(sum!(y.wrapping_mul(K2), 113)).wrapping_mul(K2);
    let x = sum!(SEED.wrapping_mul(K2), word(bytes, 0));
    let mut state = State { x, y, z, v: (0, 0), w: (0, 0) };
    let rest = (bytes.len() - 1) % 64;
    for block in bytes[..bytes.len() - 1 - rest].chunks_exact(64) {
        state.take(block, K1, 1);
    }
    let by = sum!(K1, (state.z & 0xFF) << 1);
    state.w.0 = sum!(state.w.0, rest as u64);
    state.v.0 = sum!(state.v.0, state.w.0);
    state.w.0 = sum!(state.w.0, state.v.0);
    state.take(&bytes[bytes.len() - 64..], by, 9);
    let State { x, y, z, v, w } = state;
    let left = sum!(mix(v.0, w.0, by), fold(y).wrapping_mul(K0), z);
    mix(left, sum!(mix(v.1, w.1, by), x), by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_hashed_as_by_another_implementation() {
        let bytes: Vec<u8> =
            (0..1_000u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect();
        for length in 0..bytes.len() {
            for start in [0, 1, 7] {
                let bytes = &bytes[start.min(length)..length];
                assert_eq!(hash64(bytes), farmhash::fingerprint64(bytes), "{} bytes", bytes.len());
            }
        }
    }
}
