//! The classic layout: `k` positions anywhere, and no bit more than the theory asks for.

use super::Line;
use super::checked::{Position, Words};
use super::layout::{BitLayout, Layout, sealed::Sealed};
use crate::Result;
use crate::filter::Design;
use crate::memory::prefetch::prefetch;
use crate::memory::{LINE_BITS, line};
use crate::prelude::*;
use core::f64::consts::LN_2;

/// Positions anywhere in the array: the digits of `hash / 2^64` in an odd base, the largest that is
/// no larger than the number of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Classic {
    bits: u64,
    hashes: u32,
}

/// The smallest rate that 64-bit hashes support with billions of keys.
const LEAST_RATE: f64 = 1e-9;

/// Filters of more lines than this, 32 MiB, are larger than most caches.
const LARGE: usize = 1 << 19;

impl Sealed for Classic {}

impl Classic {
    #[inline(always)]
    const fn base(&self) -> u64 {
        odd_base(self.bits)
    }

    #[inline(always)]
    fn positions(&self, hash: u64) -> impl Iterator<Item = u64> {
        positions(hash, self.bits, self.hashes)
    }
}

impl BitLayout for Classic {
    const LAYOUT: Layout = Layout::Classic;
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
        // An odd number: of an even one the last bit is never used.
        Self::for_bits((bits + spare(hashes)) | 1, hashes)
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
        theory(self.base(), f64::from(self.hashes), items as f64)
    }

    fn estimated_items(&self, fill: f64) -> f64 {
        let used = self.base() as f64;
        let taken = fill * self.bits as f64 / used;
        -(1.0 - taken).max(0.5 / used).ln() * used / f64::from(self.hashes)
    }

    fn rate_of(&self, lines: &[Line]) -> f64 {
        // A file that was not verified may have bits set behind the last one.
        (line::ones(lines) as f64 / self.base() as f64).min(1.0).powi(self.hashes as i32)
    }

    fn indexes(&self, hash: u64) -> Vec<u64> {
        self.positions(hash).collect()
    }

    /// Two bits at a time: for a stranger the first pair decides in three of four cases, and a
    /// wrongly predicted branch costs as much as several reads of the cache. It costs more when it has to wait for memory: a
    /// large filter is asked for three bits first.
    #[inline(always)]
    fn contains(&self, lines: &[Line], hash: u64) -> bool {
        let words = Words::new(self, lines);
        let (base, mut rest) = (self.base(), hash);
        let mut next = || words.bit(digit(&mut rest, base));
        let mut hashes = self.hashes;
        if lines.len() > LARGE && hashes >= 3 {
            if next() & next() & next() & 1 == 0 {
                return false;
            }
            hashes -= 3;
        }
        for _ in 0..hashes / 2 {
            if next() & next() & 1 == 0 {
                return false;
            }
        }
        hashes % 2 == 0 || next() & 1 == 1
    }

    #[inline(always)]
    fn insert(&self, lines: &mut [Line], hash: u64) -> bool {
        let mut words = Words::new_mut(self, lines);
        let (base, mut rest) = (self.base(), hash);
        let mut were_set = 1;
        for _ in 0..self.hashes / 2 {
            were_set &= words.set(digit(&mut rest, base));
            were_set &= words.set(digit(&mut rest, base));
        }
        if self.hashes % 2 == 1 {
            were_set &= words.set(digit(&mut rest, base));
        }
        were_set == 0
    }

    #[inline(always)]
    fn lines_per_key(&self) -> u32 {
        self.hashes
    }

    #[inline(always)]
    fn fetch(&self, lines: &[Line], hash: u64) {
        for position in self.positions(hash) {
            prefetch(&lines[(position / LINE_BITS) as usize]);
        }
    }
}

/// The theory takes the part of the bits that is set for its mean. It varies, by `0.277 / sqrt(n)`
/// at half full, and the mean of its `k`-th power is larger by a part of
/// `(0.153 k (k - 1) + 0.35 k) / n`. So many bits make up for it, whatever the size.
fn spare(hashes: u32) -> u64 {
    (0.5 + 0.2215 * f64::from(hashes.saturating_sub(1))).ceil() as u64
}

/// So many positions of a key in `0..range`: the digits of `hash / 2^64` in an odd base. One
/// multiplication gives a digit and what remains. While the base to the power of the count is less
/// than 2^64 the positions are as independent as the hash is random; behind that an odd
/// base still loses nothing of it, being a one-to-one step of a multiplicative generator.
#[inline(always)]
pub(crate) fn positions(hash: u64, range: u64, count: u32) -> impl Iterator<Item = u64> {
    let mut rest = hash;
    (0..count).map(move |_| digit(&mut rest, odd_base(range)).0)
}

/// The largest odd number that is no larger than `range`, which is at least 1.
#[inline(always)]
const fn odd_base(range: u64) -> u64 {
    (range - 1) | 1
}

/// The next digit of a fraction in this base; the rest remains.
#[inline(always)]
const fn digit(rest: &mut u64, base: u64) -> Position {
    let product = *rest as u128 * base as u128;
    *rest = product as u64;
    Position((product >> 64) as u64)
}

/// `p = (1 - e^(-k m / n))^k`.
fn theory(bits: u64, hashes: f64, items: f64) -> f64 {
    (-(-hashes * items / bits as f64).exp_m1()).powf(hashes)
}
