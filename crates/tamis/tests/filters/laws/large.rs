//! Filters that are larger than a cache, whose lines are asked for before they are needed.

use crate::support::bytes_of;
use tamis::filter::{
    BitLayout, Blocked, BlockedBloomFilter, Bloom, BloomFilter, ConcurrentBloomFilter,
};

/// A little more than 4 MiB, from where on lines are asked for.
const BITS: u64 = (4 << 20) * 8 + 5_000;

/// Many keys, in numbers that fill no batch, one by one, as hashes and as keys.
fn many_keys_are_the_same_as_one_by_one<L: BitLayout>(fresh: &Bloom<L>) {
    let keys: Vec<u64> = (0..5_003).collect();
    let hashes: Vec<u64> = keys.iter().map(|&key| fresh.hash().integer(key)).collect();
    let (mut one_by_one, mut by_hash, mut at_once) = (fresh.clone(), fresh.clone(), fresh.clone());
    for key in &keys {
        one_by_one.insert(key);
    }
    by_hash.insert_many_hashes(&hashes);
    at_once.insert_many(&keys);
    assert!(at_once == one_by_one && by_hash == one_by_one);

    // Few keys in so many bits: what is not in is found only by an error.
    let asked: Vec<u64> = (2_500..12_345).collect();
    let hashes: Vec<u64> = asked.iter().map(|&key| fresh.hash().integer(key)).collect();
    let mut by_hash = vec![false; asked.len()];
    one_by_one.contains_many_hashes(&hashes, &mut by_hash);
    let expected: Vec<bool> = asked.iter().map(|&key| key < 5_003).collect();
    assert_eq!(one_by_one.contains_many(&asked), expected);
    assert_eq!(by_hash, expected);
}

#[test]
fn large_filters_take_many_keys_as_they_take_one() {
    for hashes in [7, 8, 12] {
        many_keys_are_the_same_as_one_by_one(&BloomFilter::with_bits(BITS, hashes).expect("sound"));
        let blocked = BlockedBloomFilter::with_bits(BITS, hashes).expect("sound");
        many_keys_are_the_same_as_one_by_one::<Blocked>(&blocked);
    }
}

#[test]
fn a_large_concurrent_filter_is_that_of_one_thread() {
    for hashes in [8, 12] {
        let shared = ConcurrentBloomFilter::with_bits(BITS, hashes).expect("sound");
        let mut plain = BlockedBloomFilter::with_bits(BITS, hashes).expect("sound");
        let keys: Vec<u64> = (0..20_000).collect();
        plain.insert_many(&keys);
        std::thread::scope(|scope| {
            for (part, keys) in keys.chunks(5_000).enumerate() {
                let shared = &shared;
                scope.spawn(move || match part % 2 {
                    0 => {
                        for key in keys {
                            shared.insert(key);
                        }
                    }
                    _ => shared.insert_many(keys),
                });
            }
        });
        assert_eq!(bytes_of(&shared.into_filter()), bytes_of(&plain));
    }
}
