//! The smallest filter: built once from all its keys.

use tamis::filter::{BloomFilter, StaticFilter};

pub(crate) fn main() -> tamis::Result<()> {
    let words = (0..100_000).map(|number| format!("word-{number}"));
    let fixed = StaticFilter::from_keys(words.clone(), 0.001)?;
    let bloom = BloomFilter::with_false_positive_rate(100_000, 0.001)?;
    assert!(words.clone().all(|word| fixed.contains(&word)));
    let others = (0..100_000).map(|number| format!("other-{number}"));
    let found = others.filter(|other| fixed.contains(other)).count();
    println!("{} bits, and {} for a Bloom filter; {found} others", fixed.bits(), bloom.bits());
    assert!(found < 160 && fixed.bits() < bloom.bits() * 3 / 4);
    Ok(())
}
