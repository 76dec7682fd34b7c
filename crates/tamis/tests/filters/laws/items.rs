//! The number of items: any number that a header can hold must be lived with.

use super::extremes::lives;
use super::{Subject, growing::grown};
use crate::support::{bytes_of, rewrite};
use tamis::filter::Layout;
use tamis::filter::growing::MAX_LAYERS;
use tamis::filter::{
    BlockedBloomFilter, BloomFilter, Classic, ConcurrentBloomFilter, CounterWidth, CountingFilter,
    GrowingFilter, Removal, RotatingFilter,
};

/// Where a header has the number of items.
const ITEMS: usize = 48;

const ALL: [u8; 8] = u64::MAX.to_le_bytes();

/// The filter of a file that says that as many items were inserted as there are numbers.
fn of_all_items<S: Subject>(filter: &S) -> S {
    S::from_bytes(&rewrite(&bytes_of(filter), ITEMS, &ALL)).expect("a number like any other")
}

fn goes_on_at_the_last_number<S: Subject>(fresh: &S) {
    let mut filter = of_all_items(fresh);
    filter.insert(&1u16);
    filter.insert_many(&[2u16, 3]);
    assert_eq!(filter.len(), u64::MAX, "it stops counting and goes on inserting");
    assert!((1..4u16).all(|key| filter.contains(&key)));
    filter.union(&of_all_items(fresh)).expect("they match");
    assert_eq!(filter.len(), u64::MAX);
    lives(filter);
}

#[test]
fn the_number_of_items_in_a_bloom_filter_stops_at_its_end() {
    goes_on_at_the_last_number(&BloomFilter::with_bits(2_000, 3).expect("sound"));
    goes_on_at_the_last_number(&BlockedBloomFilter::with_bits(2_000, 3).expect("sound"));
}

#[test]
fn the_number_of_items_in_a_counting_filter_stops_at_both_ends() {
    for layout in [Layout::Classic, Layout::Blocked] {
        let filter = CountingFilter::with_bits(layout, CounterWidth::Four, 20_000, 3);
        let mut filter = filter.expect("sound");
        goes_on_at_the_last_number(&filter);
        filter.insert("leek");
        let file = rewrite(&bytes_of(&filter), ITEMS, &[0; 8]);
        let mut filter = CountingFilter::<Vec<_>>::from_bytes(&file).expect("a number");
        assert_eq!(filter.remove("leek"), Removal::Removed);
        assert!(filter.is_empty());
    }
}

#[test]
fn the_number_of_items_in_a_growing_filter_stops_at_its_end() {
    goes_on_at_the_last_number(&grown::<Classic>(10, 0..100));
}

/// The last layer that there can be takes whatever comes.
#[test]
fn a_growing_filter_of_all_layers_full_of_all_items_takes_one_more() {
    let mut filter = grown::<Classic>(1, 0..1);
    while filter.layers().len() < MAX_LAYERS {
        filter.union(&grown::<Classic>(1, 0..1)).expect("they match");
    }
    // 24 bytes for all layers, then 40 for each: its items stand after the first 16.
    let last = 56 + 24 + (MAX_LAYERS - 1) * 40 + 16;
    let file = rewrite(&rewrite(&bytes_of(&filter), ITEMS, &ALL), last, &ALL);
    let mut filter = GrowingFilter::<Classic>::from_bytes(&file).expect("numbers");
    assert_eq!(filter.layers()[MAX_LAYERS - 1].len(), u64::MAX);
    for key in 1..100u64 {
        filter.insert(&key);
    }
    assert!((0..100u64).all(|key| filter.contains(&key)));
    assert_eq!((filter.layers().len(), filter.len()), (MAX_LAYERS, u64::MAX));
}

#[test]
fn the_number_of_items_in_a_shared_filter_stops_at_its_end() {
    let plain = of_all_items(&BlockedBloomFilter::with_bits(20_000, 3).expect("sound"));
    let shared = ConcurrentBloomFilter::from(plain.clone());
    for key in 0..100u16 {
        shared.insert(&key);
    }
    assert_eq!(shared.len(), u64::MAX);
    shared.union(&plain).expect("they match");
    assert_eq!(shared.len(), u64::MAX);
    assert_eq!(shared.into_filter().len(), u64::MAX);
}

#[test]
fn the_number_of_items_in_all_generations_stops_at_its_end() {
    let fresh = RotatingFilter::with_bits(2, 2_000, 3).expect("sound");
    // After 40 bytes of parameters come the items of each generation.
    let full = rewrite(&rewrite(&bytes_of(&fresh), ITEMS, &ALL), 56 + 40, &ALL);
    let full = RotatingFilter::<Vec<_>>::from_bytes(&full).expect("the sum is right");
    let mut filter = full.clone();
    filter.insert(&1u16);
    assert_eq!(filter.len(), u64::MAX);
    filter.rotate();
    filter.insert(&2u16);
    assert_eq!(filter.len(), u64::MAX, "both generations together");
    filter.union(&full).expect("they match");
    assert_eq!(filter.len(), u64::MAX);
    lives(filter);
}
