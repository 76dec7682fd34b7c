//! The classic layout: `k` positions anywhere, and no bit more than the theory asks for.

use super::Line;
use super::layout::{Layout, sealed::Sealed};
use crate::Result;
use crate::filter::Design;
use crate::filter::line::{self, LINE_BITS};
use crate::filter::prefetch::prefetch;
use crate::hash::{Functions, MULTIPLIER, reduce};
use std::f64::consts::LN_2;

/// Positions anywhere in the array: position `i` of a key is `reduce(f_i, bits)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Classic {
    bits: u64,
    hashes: u32,
}

/// The smallest rate that 64-bit hashes support with billions of keys.
const LEAST_RATE: f64 = 1e-9;

/// A batch asks for the lines of this many keys ahead; each has `k` of them.
const AHEAD: usize = 6;

impl Sealed for Classic {}

impl Classic {
    /// The bit for one function value, in the lowest place of the result.
    #[inline(always)]
    fn bit(&self, words: &[u64], function: u64) -> u64 {
        let position = reduce(function, self.bits);
        u64::from_le(words[(position / 64) as usize]) >> (position % 64)
    }

    #[inline(always)]
    fn set(&self, words: &mut [u64], function: u64) {
        let position = reduce(function, self.bits);
        words[(position / 64) as usize] |= (1u64 << (position % 64)).to_le();
    }

    fn ask(&self, lines: &[Line], hash: u64) {
        for function in Functions::new(hash).take(self.hashes as usize) {
            prefetch(&lines[(reduce(function, self.bits) / LINE_BITS) as usize]);
        }
    }
}

impl Layout for Classic {
    const NAME: &'static str = "classic";
    const CODE: u8 = 1;
    const MAX_HASHES: u32 = 64;

    fn for_rate(items: u64, rate: f64) -> Result<Self> {
        Design::check_rate(rate, LEAST_RATE)?;
        let items = items.max(1) as f64;
        let bits = Design::check_bits(-items * rate.ln() / (LN_2 * LN_2))?;
        let ideal = bits as f64 / items * LN_2;
        let hashes = [ideal.floor().max(1.0), ideal.ceil().max(1.0)]
            .into_iter()
            .min_by(|a, b| f64::total_cmp(&theory(bits, *a, items), &theory(bits, *b, items)))
            .map_or(1, |k| k as u32);
        Self::for_bits(bits + spare(hashes), hashes)
    }

    fn for_bits(bits: u64, hashes: u32) -> Result<Self> {
        Design::check_hashes(hashes, Self::MAX_HASHES)?;
        let bits = Design::check_bits(bits as f64)?;
        Ok(Self { bits, hashes })
    }

    fn bits(&self) -> u64 {
        self.bits
    }

    fn hashes(&self) -> u32 {
        self.hashes
    }

    fn expected_rate(&self, items: u64) -> f64 {
        theory(self.bits, f64::from(self.hashes), items as f64)
    }

    fn estimated_items(&self, fill: f64) -> f64 {
        let free = (1.0 - fill).max(0.5 / self.bits as f64);
        -free.ln() * self.bits as f64 / f64::from(self.hashes)
    }

    fn rate_of(&self, lines: &[Line]) -> f64 {
        // A file that was not verified may have bits set behind the last one.
        (line::ones(lines) as f64 / self.bits as f64).min(1.0).powi(self.hashes as i32)
    }

    fn indexes(&self, hash: u64) -> Vec<u64> {
        let functions = Functions::new(hash).take(self.hashes as usize);
        functions.map(|function| reduce(function, self.bits)).collect()
    }

    /// Two bits at a time: for a stranger the first pair decides in three of four cases, and a
    /// wrongly predicted branch costs as much as several reads.
    #[inline]
    fn contains(&self, lines: &[Line], hash: u64) -> bool {
        let words = bytemuck::cast_slice(lines);
        let mut function = hash;
        for _ in 0..self.hashes / 2 {
            let next = function.wrapping_mul(MULTIPLIER);
            if self.bit(words, function) & self.bit(words, next) & 1 == 0 {
                return false;
            }
            function = next.wrapping_mul(MULTIPLIER);
        }
        self.hashes.is_multiple_of(2) || self.bit(words, function) & 1 == 1
    }

    #[inline]
    fn insert(&self, lines: &mut [Line], hash: u64) {
        let words = bytemuck::cast_slice_mut(lines);
        let mut function = hash;
        for _ in 0..self.hashes {
            self.set(words, function);
            function = function.wrapping_mul(MULTIPLIER);
        }
    }

    fn contains_many(&self, lines: &[Line], hashes: &[u64], found: &mut [bool]) {
        for &hash in &hashes[..AHEAD.min(hashes.len())] {
            self.ask(lines, hash);
        }
        for (i, (&hash, found)) in hashes.iter().zip(found).enumerate() {
            if let Some(&ahead) = hashes.get(i + AHEAD) {
                self.ask(lines, ahead);
            }
            *found = self.contains(lines, hash);
        }
    }

    fn insert_many(&self, lines: &mut [Line], hashes: &[u64]) {
        for &hash in &hashes[..AHEAD.min(hashes.len())] {
            self.ask(lines, hash);
        }
        for (i, &hash) in hashes.iter().enumerate() {
            if let Some(&ahead) = hashes.get(i + AHEAD) {
                self.ask(lines, ahead);
            }
            self.insert(lines, hash);
        }
    }
}

/// The theory takes the part of the bits that is set for its mean. It varies, by `0.277 / sqrt(n)`
/// at half full, and the mean of its `k`-th power is larger by a part of
/// `(0.153 k (k - 1) + 0.35 k) / n`. So many bits make up for it, whatever the size.
fn spare(hashes: u32) -> u64 {
    (0.5 + 0.2215 * f64::from(hashes.saturating_sub(1))).ceil() as u64
}

/// `p = (1 - e^(-k m / n))^k`.
fn theory(bits: u64, hashes: f64, items: f64) -> f64 {
    (-(-hashes * items / bits as f64).exp_m1()).powf(hashes)
}
