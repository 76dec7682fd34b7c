//! rapidhash V3 of eight bytes: how integers are hashed.
//!
//! All integers have one length, so nothing is left of a hash of byte strings but its core: a product of the key with itself, and one
//! of the two halves of that. XXH3 takes as many multiplications, and twice the steps around them.
//!
//! Reference: N. De Carli, *rapidhash*, version 3, 2025, whose mixing is that of wyhash (Wang Yi).

/// The numbers of the reference that eight bytes need.
const SECRETS: [u64; 2] = [0x8BB8_4B93_962E_ACC9, 0x4B33_A62E_D433_D4A3];
const LAST: u64 = 0xAAAA_AAAA_AAAA_AAAA;
const BYTES: u64 = 8;

/// A seed as integers need it. All that a key is combined with stands side by side: as constants of the code
/// they took longer, for want of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Rapid {
    first: [u64; 2],
    second: [u64; 2],
}

impl Rapid {
    pub const fn new(seed: u64) -> Self {
        let [low, high] = product(seed ^ SECRETS[1], SECRETS[0]);
        let seed = seed ^ low ^ high;
        Self { first: [SECRETS[0], seed ^ BYTES], second: [LAST, SECRETS[0] ^ BYTES] }
    }

    #[inline(always)]
    pub const fn hash(&self, key: u64) -> u64 {
        let [low, high] = product(key ^ self.first[0], key ^ self.first[1]);
        let [low, high] = product(low ^ self.second[0], high ^ self.second[1]);
        low ^ high
    }
}

/// The halves of a product, the lower one first.
#[inline(always)]
const fn product(left: u64, right: u64) -> [u64; 2] {
    let product = left as u128 * right as u128;
    [product as u64, (product >> 64) as u64]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Functions;
    use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};

    #[test]
    fn an_integer_hashes_as_its_eight_bytes_do() {
        let mut key = 1u64;
        for step in 0..20_000u64 {
            key = key.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(step);
            for (key, seed) in [(key, 0), (step, 0), (key, step), (!step, key), (key, !0)] {
                let expected =
                    rapidhash_v3_seeded(&key.to_le_bytes(), &RapidSecrets::seed_cpp(seed));
                assert_eq!(Rapid::new(seed).hash(key), expected, "{key:#x}, seed {seed:#x}");
            }
        }
    }

    type Family = (&'static str, fn(u64) -> u64);

    /// Integers as they are in practice: numbers in a row, at distances, with what differs in any place.
    fn families() -> [Family; 8] {
        [
            ("in a row", |i| i),
            ("in a row, across zero", |i| i.wrapping_sub(1000)),
            ("by 1000", |i| i * 1000),
            ("by 2^16", |i| i << 16),
            ("by 2^32", |i| i << 32),
            ("by 2^46", |i| i << 46),
            ("mirrored", u64::reverse_bits),
            ("fractions", |i| (i as f64).to_bits()),
        ]
    }

    /// The number of keys in a bucket is binomial. With 2^18 keys in 2^12 buckets the sum of `(n - 64)^2 / 64` is 4,095 on average, with a standard
    /// deviation of 90: 500 are five and a half.
    #[test]
    fn integers_of_every_kind_fall_into_buckets_as_by_chance() {
        for (name, key) in families() {
            for seed in [0, 1, 0x5EED] {
                let hash = Rapid::new(seed);
                for shift in [0, 20, 52] {
                    let mut counts = [0u32; 1 << 12];
                    for i in 0..1 << 18 {
                        counts[(hash.hash(key(i)) >> shift) as usize % (1 << 12)] += 1;
                    }
                    let sum: f64 =
                        counts.map(|n| (f64::from(n) - 64.0).powi(2) / 64.0).iter().sum();
                    assert!(
                        (sum - 4095.0).abs() < 500.0,
                        "{name}, seed {seed}, bits {shift}: {sum}"
                    );
                }
            }
        }
    }

    /// Of 20,000 keys 10,000 change a given bit of the hash when a given bit of theirs is turned, with a standard deviation of 71;
    /// the largest of 4,096 deviations is under five of them, but for one case in 400.
    #[test]
    fn each_bit_of_an_integer_turns_half_of_the_hash() {
        let hash = Rapid::new(7);
        for turned in 0..64 {
            let mut changed = [0u32; 64];
            // No key is another one turned, as neighbours would be.
            for key in Functions::new(turned | 1).take(20_000) {
                let difference = hash.hash(key) ^ hash.hash(key ^ 1 << turned);
                for (bit, changed) in changed.iter_mut().enumerate() {
                    *changed += (difference >> bit & 1) as u32;
                }
            }
            for (bit, changed) in changed.into_iter().enumerate() {
                assert!(changed.abs_diff(10_000) < 354, "{turned} to {bit}: {changed}");
            }
        }
    }
}
