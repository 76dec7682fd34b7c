//! Measured false-positive rates, without a clock.
//!
//! The rate is measured on so many absent keys that its relative standard error is 3 % or less:
//! `1 / sqrt(p N)`, hence `N = 1200 / p`, and a million at least.

use crate::keys::{RandomStrings, TextKeys, splitmix64};
use serde::Serialize;
use tamis::filter::{BitLayout, BlockedBloomFilter, BloomFilter};
use tamis::hash::KeyHash;

/// One filter with one rate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Rate {
    pub(crate) keys: &'static str,
    pub(crate) size: usize,
    pub(crate) contender: &'static str,
    pub(crate) requested: f64,
    pub(crate) measured: f64,
    /// Measured over requested.
    pub(crate) ratio: f64,
    pub(crate) absent_keys: usize,
    pub(crate) bits_per_key: f64,
}

/// A filter under test.
struct Trial {
    contender: &'static str,
    requested: f64,
    bits: u64,
    filter: Box<dyn Rated>,
    asked: usize,
    found: usize,
}

trait Rated {
    fn insert(&mut self, hashes: &[u64]);
    fn count(&self, hashes: &[u64]) -> usize;
}

impl<L: BitLayout> Rated for tamis::filter::Bloom<L> {
    fn insert(&mut self, hashes: &[u64]) {
        self.insert_many_hashes(hashes);
    }

    fn count(&self, hashes: &[u64]) -> usize {
        let mut found = vec![false; hashes.len()];
        self.contains_many_hashes(hashes, &mut found);
        found.into_iter().filter(|&found| found).count()
    }
}

impl Rated for sbbf_rs_safe::Filter {
    fn insert(&mut self, hashes: &[u64]) {
        for &hash in hashes {
            self.insert_hash(hash);
        }
    }

    fn count(&self, hashes: &[u64]) -> usize {
        hashes.iter().filter(|&&hash| self.contains_hash(hash)).count()
    }
}

/// Measures both layouts and the split block filter at all of these rates.
///
/// # Errors
/// Filters that do not fit in memory; a filter that denies a key which it was given.
pub(crate) fn measure(kind: &'static str, size: usize, rates: &[f64]) -> anyhow::Result<Vec<Rate>> {
    const CHUNK: usize = 1 << 18;
    let mut trials = Vec::new();
    for &requested in rates {
        let items = size as u64;
        let classic = BloomFilter::with_false_positive_rate(items, requested)?;
        trials.push(Trial::new("classic", requested, classic.bits(), classic));
        let blocked = BlockedBloomFilter::with_false_positive_rate(items, requested)?;
        trials.push(Trial::new("blocked", requested, blocked.bits(), blocked));
        let split = super::peers::split_block(size, requested);
        let bits = split.as_bytes().len() as u64 * 8;
        trials.push(Trial::new("sbbf-rs-safe", requested, bits, split));
    }
    let mut next = hashes_of(kind);
    let present: Vec<u64> = (0..size).map(|_| next()).collect();
    for Trial { contender, filter, .. } in &mut trials {
        filter.insert(&present);
        anyhow::ensure!(filter.count(&present) == size, "{contender} denies a key it was given");
    }
    while trials.iter().any(Trial::wants_more) {
        let absent: Vec<u64> = (0..CHUNK).map(|_| next()).collect();
        for trial in trials.iter_mut().filter(|trial| trial.wants_more()) {
            trial.asked += absent.len();
            trial.found += trial.filter.count(&absent);
        }
    }
    Ok(trials.iter().map(|trial| trial.rate(kind, size)).collect())
}

impl Trial {
    fn new(
        contender: &'static str,
        requested: f64,
        bits: u64,
        filter: impl Rated + 'static,
    ) -> Self {
        Self { contender, requested, bits, filter: Box::new(filter), asked: 0, found: 0 }
    }

    fn wants_more(&self) -> bool {
        (self.asked as f64) < (1200.0 / self.requested).max(1e6)
    }

    fn rate(&self, keys: &'static str, size: usize) -> Rate {
        let measured = self.found as f64 / self.asked as f64;
        Rate {
            keys,
            size,
            contender: self.contender,
            requested: self.requested,
            measured,
            ratio: measured / self.requested,
            absent_keys: self.asked,
            bits_per_key: self.bits as f64 / size as f64,
        }
    }
}

/// The hashes of the keys of a kind, one after the other.
fn hashes_of(kind: &str) -> Box<dyn FnMut() -> u64> {
    let hash = KeyHash::default();
    if kind == "strings" {
        let (mut source, mut text) = (RandomStrings::default(), String::new());
        return Box::new(move || {
            text.clear();
            source.append(&mut text);
            hash.bytes(text.as_bytes())
        });
    }
    let mut index = 0;
    Box::new(move || {
        index += 1;
        hash.integer(splitmix64(index))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_filters_keep_their_rates_with_integers_and_strings() {
        for kind in ["integers", "strings"] {
            for rate in measure(kind, 20_000, &[0.1, 0.01]).unwrap() {
                // Three standard errors are 3 % at most; a small filter's own spread is less.
                assert!((0.85..1.10).contains(&rate.ratio), "{rate:?}");
            }
        }
    }
}
