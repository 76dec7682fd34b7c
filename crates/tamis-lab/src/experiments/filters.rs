//! What the experiments on filters have in common: making one, filling it, and asking strangers.

use crate::chance::Chance;
use crate::statistics::{ALARM, count_tails_within};
use tamis::Result;
use tamis::filter::{BloomFilter, Insert};
use tamis::hash::KeyHash;

/// Makes an empty filter of so many bits and functions, with this hash.
pub type Maker<'a> = dyn Fn(u64, u32, KeyHash) -> Result<Box<dyn Insert>> + Sync + 'a;

/// The classic Bloom filter of the library.
///
/// # Errors
/// As [`BloomFilter::with_bits`].
pub fn classic(bits: u64, hashes: u32, hash: KeyHash) -> Result<Box<dyn Insert>> {
    Ok(Box::new(BloomFilter::with_bits(bits, hashes)?.with_hash(hash)))
}

/// Inserts so many random keys, then asks for so many others; how many of these are found, and the part of bits that is
/// set.
///
/// # Errors
/// As `make`.
pub fn found_strangers(
    make: &Maker<'_>,
    (bits, hashes): (u64, u32),
    (keys, questions): (u64, u64),
    chance: &mut Chance,
) -> Result<(u64, f64)> {
    const BATCH: usize = 4096;
    let hash = KeyHash::new(chance.number());
    let mut filter = make(bits, hashes, hash)?;
    let mut hashes = Vec::with_capacity(BATCH);
    let mut batch = |count: u64, visit: &mut dyn FnMut(&[u64])| {
        let mut left = count;
        while left > 0 {
            hashes.clear();
            let now = left.min(BATCH as u64);
            hashes.extend((0..now).map(|_| hash.integer(chance.number())));
            visit(&hashes);
            left -= now;
        }
    };
    batch(keys, &mut |hashes| filter.insert_many_hashes(hashes));
    let mut answers = [false; BATCH];
    let mut found = 0;
    batch(questions, &mut |hashes| {
        let answers = &mut answers[..hashes.len()];
        filter.contains_many_hashes(hashes, answers);
        found += answers.iter().filter(|answer| **answer).count() as u64;
    });
    Ok((found, filter.fill()))
}

/// What a Bloom filter of `bits` with `hashes` functions should do with `keys` in.
#[derive(Debug, Clone, Copy)]
pub struct Theory {
    bits: f64,
    hashes: f64,
    keys: f64,
}

impl Theory {
    /// For this filter.
    #[must_use]
    pub fn new(bits: u64, hashes: u32, keys: u64) -> Self {
        Self { bits: bits as f64, hashes: f64::from(hashes), keys: keys as f64 }
    }

    /// The part of bits that is set, on average: `1 - e^(-k m / n)`.
    #[must_use]
    pub fn fill(&self) -> f64 {
        -(-self.hashes * self.keys / self.bits).exp_m1()
    }

    /// The part of strangers that is found: `fill^k`.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.fill().powf(self.hashes)
    }

    /// The standard deviation of the rate among filters: the fill varies with `sqrt(n e^-c (1 - (1 + c) e^-c)) / n` for
    /// `c = k m / n`.
    #[must_use]
    pub fn spread(&self) -> f64 {
        let c = self.hashes * self.keys / self.bits;
        let fill = ((-c).exp() * (1.0 - (1.0 + c) * (-c).exp()) / self.bits).sqrt();
        self.hashes * self.rate() * fill / self.fill()
    }

    /// From where to where the rate of one filter is, but for the probability `alarm`. Each of `k m` positions changes at
    /// most one bit, so by McDiarmid's inequality the number of bits is off by `t` with probability at most
    /// `2 e^(-2 t^2 / (k m))`.
    #[must_use]
    pub fn rates(&self, alarm: f64) -> (f64, f64) {
        let off = (self.hashes * self.keys * (2.0 / alarm).ln() / 2.0).sqrt() / self.bits;
        let rate = |fill: f64| fill.clamp(0.0, 1.0).powf(self.hashes);
        (rate(self.fill() - off), rate(self.fill() + off))
    }

    /// Whether chance explains so many strangers found, if `tests` such counts are judged together.
    #[must_use]
    pub fn explains(&self, found: u64, questions: u64, tests: usize) -> bool {
        let alarm = ALARM / tests.max(1) as f64 / 2.0;
        count_tails_within(found, questions, self.rates(alarm)) >= alarm
    }
}
