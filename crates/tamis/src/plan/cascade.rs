//! How large a cascade is going to be.

use crate::cascade::classic::Functions;
use crate::cascade::{MAX_CATEGORIES, entropy_bits, steps};
use crate::solve::ribbon::{MAX_BITS, OVERHEAD};
use crate::{Error, Result};

/// What a cascade would be.
#[derive(Debug, Clone, PartialEq)]
pub struct CascadePlan {
    /// Keys of each category.
    pub counts: Vec<u64>,
    /// Bits of the fingerprints that refuse unknown keys.
    pub reject: u32,
    /// Filters that take a common category away before the code is asked: the category, and the bits of a fingerprint.
    pub filters: Vec<(usize, u32)>,
    /// The length of the code of each category, in bits.
    pub code_lengths: Vec<u32>,
    /// Bits of all structures, expected.
    pub bits: f64,
}

impl CascadePlan {
    /// The cascade for so many keys of each category, which refuses unknown keys but for one in `2^reject`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no category or too many, more than 32 bits to refuse by, or more keys than can be counted.
    pub fn new(counts: &[u64], reject: u32) -> Result<Self> {
        let refused = |what, expected, got: String| Err(Error::Parameter { what, expected, got });
        if !(1..=MAX_CATEGORIES).contains(&counts.len()) {
            let got = counts.len().to_string();
            return refused("the number of categories", "1 to 65,536", got);
        }
        if reject > MAX_BITS {
            return refused("the bits to refuse by", "at most 32", reject.to_string());
        }
        let keys = counts.iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
        let Some(keys) = keys.filter(|keys| *keys < 1 << 48) else {
            return refused("the number of keys", "less than 2^48", "more".to_owned());
        };
        let (filters, lengths) = steps::plan(counts);
        let mut left: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
        let mut bits = keys as f64 * f64::from(reject);
        for step in &filters {
            let common = step.category as usize;
            bits += (left.iter().sum::<f64>() - left[common]) * f64::from(step.bits);
            left[common] *= 0.5f64.powi(step.bits as i32);
        }
        bits +=
            left.iter().zip(&lengths).map(|(left, length)| left * f64::from(*length)).sum::<f64>();
        Ok(Self {
            counts: counts.to_vec(),
            reject,
            filters: filters.iter().map(|step| (step.category as usize, step.bits)).collect(),
            code_lengths: lengths.into_iter().map(u32::from).collect(),
            bits: OVERHEAD * bits,
        })
    }

    /// How many keys there are.
    #[must_use]
    pub fn keys(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The size of the file, expected: small ones differ by what the header takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.bits / 8.0).ceil() as u64 + 192
    }

    /// The least number of bits that tell the categories of all keys.
    #[must_use]
    pub fn entropy_bits(&self) -> f64 {
        entropy_bits(&self.counts)
    }

    /// The memory that training takes: ten bytes for each key, and what is built.
    #[must_use]
    pub fn training_bytes(&self) -> u64 {
        10 * self.keys() + 2 * self.bytes()
    }

    /// The bytes of a classic cascade of the same keys, expected: after each filter of `k` functions one in `2^k` is left
    /// of what it is to settle.
    #[must_use]
    pub fn classic_bytes(&self, functions: Functions) -> u64 {
        self.classic_bytes_by_round(&[functions])
    }

    /// The same with other numbers of functions in each round; the last ones are those of all further rounds. No round, no
    /// bytes.
    #[must_use]
    pub fn classic_bytes_by_round(&self, rounds: &[Functions]) -> u64 {
        let Some(last) = rounds.last() else { return 0 };
        let mut following = rounds.iter().chain(std::iter::repeat(last));
        let rate = |functions: u8| 0.5f64.powi(i32::from(functions));
        let bits = |keys: f64, functions: u8| keys * f64::from(functions) / std::f64::consts::LN_2;
        let mut left: Vec<f64> = self.counts.iter().map(|count| *count as f64).collect();
        let mut total = 0.0;
        while left.iter().filter(|left| **left >= 0.5).count() > 1 {
            let functions = *following.next().unwrap_or(last);
            for category in 0..left.len() {
                let others = left.iter().sum::<f64>() - left[category];
                match functions {
                    Functions::Zero(count) => {
                        total += bits(others, count);
                        left[category] *= rate(count);
                    }
                    Functions::One(first, second) => {
                        let passing = others * rate(first);
                        total += bits(left[category], first) + bits(passing, second);
                        left[category] *= rate(second);
                    }
                }
            }
        }
        (total / 8.0).ceil() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cascade::classic::Algorithm;

    /// Bounds of the entropy as computed by hand: 1 bit for each of two equal ones; log2 5 for five.
    #[test]
    fn sizes_are_near_what_is_known() {
        let two = CascadePlan::new(&[1_000_000; 2], 0).unwrap();
        assert_eq!(two.entropy_bits(), 2e6);
        assert!((two.bits / 2e6 - 1.005).abs() < 0.001);
        assert_eq!(two.code_lengths, [1, 1]);
        let rare = CascadePlan::new(&[100_000, 10_000_000], 8).unwrap();
        assert_eq!(rare.filters, [(1, 6)]);
        let without = CascadePlan::new(&[100_000, 10_000_000], 0).unwrap();
        assert!((rare.bits - without.bits) / 10.1e6 < 8.1);
    }

    /// Five times 12,000 keys took the original program 65,201 and 47,237 bytes.
    #[test]
    fn classic_sizes_are_those_of_the_original() {
        let five = CascadePlan::new(&[12_000; 5], 0).unwrap();
        for (algorithm, bytes) in [(Algorithm::Zero, 65_201.0), (Algorithm::One, 47_237.0)] {
            let expected = five.classic_bytes(algorithm.functions()) as f64;
            assert!((expected / bytes - 1.0).abs() < 0.02, "{expected} for {bytes}");
        }
    }

    #[test]
    fn absurd_numbers_are_refused() {
        assert!(CascadePlan::new(&[], 0).is_err());
        assert!(CascadePlan::new(&[1], 33).is_err());
        assert!(CascadePlan::new(&[u64::MAX, 2], 0).is_err());
        assert_eq!(CascadePlan::new(&[0, 0], 0).unwrap().bits, 0.0);
    }
}
