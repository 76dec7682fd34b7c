//! Growing: where the bits of a key are after growth, and what merging does to the layers.

use crate::support::{bytes_of, set_bits};
use tamis::Error;
use tamis::filter::growing::MAX_LAYERS;
use tamis::filter::{BitLayout, Blocked, Bloom, Classic, GrowingFilter};
use tamis::hash::KeyHash;

fn fresh<L: BitLayout>(items: u64) -> GrowingFilter<L> {
    GrowingFilter::placed(items, 0.01).expect("a sound shape")
}

pub(super) fn grown<L: BitLayout>(items: u64, keys: std::ops::Range<u64>) -> GrowingFilter<L> {
    let mut filter = fresh(items);
    for key in keys {
        filter.insert(&key);
    }
    filter
}

#[test]
fn a_hundred_times_the_first_size_makes_layers_of_double_size() {
    fn check<L: BitLayout>() {
        let filter = grown::<L>(100, 0..10_000);
        let sizes: Vec<u64> = filter.layers().iter().map(|layer| layer.design().items).collect();
        assert_eq!(sizes, [100, 200, 400, 800, 1_600, 3_200, 6_400]);
        let (last, full) = filter.layers().split_last().expect("there are seven");
        assert!(full.iter().all(|layer| layer.len() == layer.design().items));
        assert!(last.len() <= last.design().items);
        assert_eq!(filter.len(), 10_000);
        assert_eq!(filter.bits(), filter.layers().iter().map(Bloom::bits).sum::<u64>());
        assert!((0..10_000u64).all(|key| filter.contains(&key)));
    }
    check::<Classic>();
    check::<Blocked>();
}

#[test]
fn repetitions_cost_no_room() {
    let mut filter = grown::<Classic>(100, 0..100);
    for _ in 0..50 {
        for key in 0..100u64 {
            filter.insert(&key);
        }
        filter.insert_many(&(0..100u64).collect::<Vec<_>>());
    }
    assert_eq!((filter.layers().len(), filter.len()), (1, 10_100));
}

#[test]
fn the_indexes_of_a_key_cover_all_layers_and_one_of_them_has_it() {
    fn check<L: BitLayout>() {
        let filter = grown::<L>(50, 0..1_000);
        // Positions count the bits of the layers; their lines end later for the classic one.
        let mut start = 0;
        let mut set = Vec::new();
        for layer in filter.layers() {
            let bits = set_bits(bytemuck::cast_slice(layer.lines()));
            set.extend(bits.into_iter().map(|bit| start + bit));
            start += layer.bits();
        }
        for key in 0..1_000u64 {
            let mut rest = &filter.indexes(&key)[..];
            let has_it = filter.layers().iter().any(|layer| {
                let (here, later) = rest.split_at(layer.hashes() as usize);
                rest = later;
                here.iter().all(|bit| set.binary_search(bit).is_ok())
            });
            assert!(has_it, "no layer has {key}");
        }
    }
    check::<Classic>();
    check::<Blocked>();
}

/// The number of keys after an intersection is an estimate and may be 0 while a key is in.
#[test]
fn a_union_after_an_intersection_forgets_nothing() {
    for seed in 0..2_000 {
        let one = || {
            let filter = GrowingFilter::<Classic>::placed(1, 0.5);
            let mut filter = filter.expect("a sound shape").with_hash(KeyHash::new(seed));
            filter.insert("leek");
            filter
        };
        let (mut left, right) = (one(), one());
        left.intersection(&right).expect("neither has grown");
        assert!(left.contains("leek"), "seed {seed}");

        let mut empty = one();
        empty.clear();
        let mut merged = left.clone();
        merged.union(&empty).expect("they match");
        assert!(merged.contains("leek"), "lost with nothing added, seed {seed}");
        empty.union(&left).expect("they match");
        assert!(empty.contains("leek"), "lost on the way into another, seed {seed}");
    }
}

#[test]
fn a_union_holds_the_keys_of_both_and_goes_on_growing() {
    let mut merged = grown::<Blocked>(50, 0..700);
    merged.union(&grown::<Blocked>(50, 500..1_500)).expect("they match");
    for key in 1_500..3_000u64 {
        merged.insert(&key);
    }
    assert!((0..3_000u64).all(|key| merged.contains(&key)));
    assert_eq!(merged.len(), 700 + 1_000 + 1_500);
}

/// Two filters of six layers have twelve; the next is twice the largest, not 64 times.
#[test]
fn the_first_layer_after_a_union_is_twice_the_largest_one() {
    let mut merged = grown::<Classic>(10, 0..600);
    let largest = merged.layers().last().expect("it has layers").design().items;
    merged.union(&grown::<Classic>(10, 600..1_200)).expect("they match");
    let before = merged.layers().len();
    let mut key = 1_200u64;
    while merged.layers().len() == before {
        merged.insert(&key);
        key += 1;
    }
    let newest = merged.layers().last().expect("it has layers").design().items;
    assert_eq!(newest, 2 * largest);
}

#[test]
fn a_union_of_too_many_layers_is_refused_and_changes_nothing() {
    let mut merged = grown::<Classic>(1, 0..50);
    let more = grown::<Classic>(1, 50..100);
    loop {
        let before = bytes_of(&merged);
        match merged.union(&more) {
            Ok(()) => assert!(merged.layers().len() <= MAX_LAYERS),
            Err(error) => {
                assert!(matches!(error, Error::Unsupported { .. }), "{error}");
                assert_eq!(bytes_of(&merged), before);
                break;
            }
        }
    }
    assert!((0..100u64).all(|key| merged.contains(&key)));
}

#[test]
fn an_intersection_after_growth_is_unsupported_and_changes_nothing() {
    fn check<L: BitLayout>() {
        let (small, large) = (grown::<L>(10, 0..5), grown::<L>(10, 0..50));
        assert!(large.layers().len() > 1 && small.layers().len() == 1);
        for (left, right) in [(&small, &large), (&large, &small), (&large, &large)] {
            let mut filter = left.clone();
            let error = filter.intersection(right).expect_err("one of them has grown");
            assert!(matches!(error, Error::Unsupported { .. }), "{error}");
            assert_eq!(&filter, left);
        }
    }
    check::<Classic>();
    check::<Blocked>();
}

#[test]
fn a_cleared_filter_is_a_new_one() {
    let mut filter = grown::<Blocked>(10, 0..200);
    filter.clear();
    assert_eq!(bytes_of(&filter), bytes_of(&fresh::<Blocked>(10)));
    let filter = grown::<Classic>(10, 0..200).with_hash(KeyHash::new(5));
    assert_eq!(bytes_of(&filter), bytes_of(&fresh::<Classic>(10).with_hash(KeyHash::new(5))));
}
