//! Builds a filter on each of several threads (or machines), and merges them: shards need the same
//! size, rate and seed.

use std::thread;
use tamis::filter::BloomFilter;

const ITEMS: u64 = 40_000;

fn shard(keys: std::ops::Range<u64>) -> tamis::Result<BloomFilter> {
    // Sized for all keys, not for those of the shard.
    let mut filter = BloomFilter::with_false_positive_rate(ITEMS, 0.01)?;
    filter.extend(keys);
    Ok(filter)
}

pub(crate) fn main() -> tamis::Result<()> {
    let part = ITEMS / 4;
    let shards: Vec<_> = (0..4)
        .map(|index| thread::spawn(move || shard(index * part..(index + 1) * part)))
        .collect();
    let mut merged = BloomFilter::with_false_positive_rate(ITEMS, 0.01)?;
    for shard in shards {
        let shard = shard.join().expect("a shard does not panic")?;
        merged.union(&shard)?;
    }
    assert_eq!(merged, shard(0..ITEMS)?);
    println!("{merged:?}");
    // What does not fit is refused, and says why.
    let other = BloomFilter::with_false_positive_rate(ITEMS / 2, 0.01)?;
    println!("{}", merged.union(&other).expect_err("another size"));
    Ok(())
}
