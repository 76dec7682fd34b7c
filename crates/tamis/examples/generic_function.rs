//! Functions that take any filter, by a bound and by an object.

use tamis::filter::{BloomFilter, Filter, GrowingFilter, Insert, StaticFilter};

/// How many of these words a filter has.
pub(crate) fn hits(filter: &impl Filter, words: &[&str]) -> usize {
    words.iter().filter(|word| filter.contains(**word)).count()
}

/// Inserts what is not in yet.
pub(crate) fn learn<F: Insert>(filter: &mut F, words: &[&str]) -> usize {
    words.iter().filter(|word| filter.insert(**word)).count()
}

pub(crate) fn main() -> tamis::Result<()> {
    let words = ["carrot", "leek", "turnip"];
    let mut bloom = BloomFilter::with_false_positive_rate(100, 0.001)?;
    let mut growing = GrowingFilter::with_false_positive_rate(10, 0.001)?;
    assert_eq!(learn(&mut bloom, &words), 3);
    assert_eq!(learn(&mut growing, &words[..2]), 2);
    assert_eq!(hits(&bloom, &words), 3);

    let built = StaticFilter::from_keys(["parsnip"], 0.001)?;
    let filters: Vec<Box<dyn Filter>> = vec![Box::new(bloom), Box::new(growing), Box::new(built)];
    for filter in &filters {
        println!("{} of {}", hits(filter, &words), words.len());
    }
    assert!(filters.iter().any(|filter| filter.contains("parsnip")));
    Ok(())
}
