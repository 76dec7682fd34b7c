//! Many functions from one hash: a multiplicative congruential sequence.

/// The multiplier between successive functions (Steele and Vigna 2022, table 6).
pub const MULTIPLIER: u64 = 0xF135_7AEA_2E62_A9C5;

/// A number that has nothing in common with either: the halves of their product, folded.
#[inline(always)]
#[must_use]
pub const fn mixed(left: u64, right: u64) -> u64 {
    let product = (left ^ 0x9E37_79B9_7F4A_7C15) as u128 * (right ^ 0xD6E8_FEB8_6659_FD93) as u128;
    (product >> 64) as u64 ^ product as u64
}

/// Function `index` of a key with this hash. Its high bits are the good ones:
/// bring it into a range with [`reduce`], not with a remainder.
#[must_use]
pub const fn function(hash: u64, index: u32) -> u64 {
    hash.wrapping_mul(MULTIPLIER.wrapping_pow(index))
}

/// Maps a hash to `0..range` by its high bits (Lemire 2019), without division.
#[inline(always)]
#[must_use]
pub const fn reduce(hash: u64, range: u64) -> u64 {
    ((hash as u128 * range as u128) >> 64) as u64
}

/// The functions of a key, one after the other, without end.
///
/// ```
/// use tamis::hash::{Functions, KeyHash, function};
///
/// let hash = KeyHash::default().bytes(b"carrot");
/// let first: Vec<u64> = Functions::new(hash).take(3).collect();
/// assert_eq!(first, [hash, function(hash, 1), function(hash, 2)]);
/// ```
#[derive(Debug, Clone)]
pub struct Functions {
    next: u64,
}

impl Functions {
    /// The functions of a key with this hash, beginning with the hash itself.
    #[must_use]
    pub const fn new(hash: u64) -> Self {
        Self { next: hash }
    }
}

impl Iterator for Functions {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        let current = self.next;
        self.next = current.wrapping_mul(MULTIPLIER);
        Some(current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_function_and_the_sequence_agree() {
        let hash = 0x0123_4567_89AB_CDEF;
        for (index, value) in (0..40).zip(Functions::new(hash)) {
            assert_eq!(value, function(hash, index));
        }
    }

    #[test]
    fn reduce_covers_a_range_from_its_first_to_its_last_value() {
        assert_eq!(reduce(0, 10), 0);
        assert_eq!(reduce(u64::MAX, 10), 9);
        assert_eq!(reduce(1 << 63, 10), 5);
        assert_eq!(reduce(u64::MAX, u64::MAX), u64::MAX - 1);
    }

    /// The sequence must not come back to itself soon: a rotation in place of the
    /// multiplication would do so after 64 functions.
    #[test]
    fn functions_far_apart_stay_unrelated() {
        for distance in [1usize, 2, 8, 16, 32, 63, 64, 65, 99, 128] {
            let pairs: Vec<(f64, f64)> = (0..20_000u64)
                .map(|i| {
                    let hash = xxhash_rust::xxh3::xxh3_64(&i.to_le_bytes());
                    (hash as f64, function(hash, u32::try_from(distance).unwrap()) as f64)
                })
                .collect();
            let r = pearson(&pairs);
            // 20,000 pairs: the standard deviation of r is 0.0071; four of them.
            assert!(r.abs() < 0.029, "functions {distance} apart correlate: {r}");
        }
    }

    fn pearson(pairs: &[(f64, f64)]) -> f64 {
        let n = pairs.len() as f64;
        let (sx, sy) = pairs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
        let (mx, my) = (sx / n, sy / n);
        let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
        for (x, y) in pairs {
            xy += (x - mx) * (y - my);
            xx += (x - mx).powi(2);
            yy += (y - my).powi(2);
        }
        xy / (xx * yy).sqrt()
    }
}
