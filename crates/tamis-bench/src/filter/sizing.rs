//! The size at which a split block filter reaches a rate.
//!
//! A block has 256 bits in eight words of 32, and a key sets one bit in each word. With `j`
//! keys in the block a stranger is found with probability `(1 - (1 - 1/32)^j)^8`, and `j` is
//! Poisson distributed with mean `256 / bits per key`. The sizes that the Parquet format
//! recommends leave the spread over blocks out and miss their rates.

/// The false-positive rate of a split block filter with so many bits per key.
pub(crate) fn split_block_rate(bits_per_key: f64) -> f64 {
    let load = 256.0 / bits_per_key;
    let mut weight = (-load).exp();
    let mut rate = 0.0;
    let most = (load + 12.0 * load.sqrt() + 30.0) as i32;
    for keys in 0..most {
        rate += weight * (1.0 - (31.0f64 / 32.0).powi(keys)).powi(8);
        weight *= load / f64::from(keys + 1);
    }
    rate
}

/// The fewest bits per key that reach a rate.
pub(crate) fn split_block_bits_per_key(rate: f64) -> f64 {
    let (mut low, mut high) = (1.0, 1024.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if split_block_rate(middle) > rate {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::peers::split_block;
    use tamis::hash::KeyHash;

    #[test]
    fn one_percent_takes_about_eleven_bits_per_key() {
        let bits = split_block_bits_per_key(0.01);
        assert!((10.3..11.2).contains(&bits), "{bits}");
        assert!((split_block_rate(bits) - 0.01).abs() < 1e-9);
    }

    #[test]
    fn the_recommended_ten_bits_miss_one_percent() {
        assert!(split_block_rate(10.0) > 0.012);
    }

    #[test]
    fn the_measured_rate_of_the_peer_is_within_a_tenth_of_the_computed_one() {
        let hash = KeyHash::default();
        let keys = 50_000u64;
        let mut filter = split_block(keys as usize, 0.01);
        for key in 0..keys {
            filter.insert_hash(hash.integer(key));
        }
        let found = (keys..keys + 200_000).filter(|&key| filter.contains_hash(hash.integer(key)));
        // 2000 expected: the standard deviation is 2.2 %.
        let rate = found.count() as f64 / 200_000.0;
        assert!((0.009..0.011).contains(&rate), "{rate}");
    }
}
