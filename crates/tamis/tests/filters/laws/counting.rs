//! Counting: never fewer than there are, and a removal that says what it did.

use super::subjects::counting;
use crate::support::{WIDTHS, bytes_of, content_of};
use proptest::prelude::*;
use std::collections::BTreeMap;
use tamis::filter::Layout;
use tamis::filter::{CounterWidth, CountingFilter, Removal};

const PLACEMENTS: [Layout; 2] = [Layout::Classic, Layout::Blocked];

/// Large enough that no two of the few keys below meet: counts are exact.
fn roomy(layout: Layout, width: CounterWidth) -> CountingFilter {
    CountingFilter::placed(layout, width, 2_000, 0.0001).expect("a sound shape")
}

fn each_shape(check: impl Fn(Layout, CounterWidth)) {
    for layout in PLACEMENTS {
        for width in WIDTHS {
            check(layout, width);
        }
    }
}

#[test]
fn every_count_is_exact_up_to_the_maximum_where_keys_do_not_meet() {
    each_shape(|layout, width| {
        let mut filter = roomy(layout, width);
        for key in 0..300u32 {
            filter.insert_many(&vec![key; key as usize]);
        }
        for key in 0..300u32 {
            assert_eq!(filter.count(&key), key.min(width.max()), "{layout:?} {width:?}");
        }
        let hashes: Vec<u64> = (0..300).map(|key| filter.hash().integer(key)).collect();
        let mut counts = vec![0; hashes.len()];
        filter.count_many_hashes(&hashes, &mut counts);
        assert!(counts.iter().zip(0..).all(|(&count, key)| count == width.max().min(key)));
        assert_eq!(filter.len(), (0..300).sum::<u64>());
    });
}

#[test]
fn what_was_inserted_n_times_can_be_removed_n_times_and_then_no_more() {
    each_shape(|layout, width| {
        let mut filter = roomy(layout, width);
        let empty = filter.clone();
        let times = width.max() - 1;
        filter.insert_many(&vec!["leek"; times as usize]);
        for left in (0..times).rev() {
            assert_eq!(filter.remove("leek"), Removal::Removed);
            assert_eq!((filter.count("leek"), filter.len()), (left, left.into()));
        }
        assert_eq!(filter.remove("leek"), Removal::Absent);
        assert_eq!(filter, empty, "everything was taken back");
    });
}

#[test]
fn a_saturated_counter_never_goes_down_until_the_filter_is_cleared() {
    each_shape(|layout, width| {
        let mut filter = roomy(layout, width);
        filter.insert_many(&vec!["leek"; width.max() as usize]);
        let full = content_of(&filter);
        for _ in 0..2 * width.max() {
            assert_eq!(filter.remove("leek"), Removal::Saturated);
        }
        filter.insert("leek");
        assert_eq!(content_of(&filter), full, "it stays at its maximum");
        filter.clear();
        assert_eq!((filter.count("leek"), filter.is_empty()), (0, true));
    });
}

/// A key that shares some of its counters with a saturated one keeps its own count.
#[test]
fn a_removal_next_to_saturated_counters_moves_only_the_others() {
    let mut filter =
        CountingFilter::with_bits(Layout::Classic, CounterWidth::Four, 64, 4).expect("sound");
    filter.insert_many(&[7u16; 40]);
    let saturated = filter.indexes(&7u16);
    let shared = |key: &u16| filter.indexes(key).iter().filter(|i| saturated.contains(i)).count();
    let neighbour = (8..999).find(|key| (1..3).contains(&shared(key))).expect("16 counters");
    filter.insert(&neighbour);
    assert_eq!(filter.remove(&neighbour), Removal::Removed);
    assert_eq!(filter.remove(&neighbour), Removal::Absent);
    assert_eq!(filter.count(&7u16), 15, "the neighbour took nothing from it");
}

#[test]
fn removals_of_what_is_absent_change_no_byte() {
    each_shape(|layout, width| {
        let mut filter = roomy(layout, width);
        for key in 0..1_000u64 {
            filter.insert(&key);
        }
        let before = bytes_of(&filter);
        let mut absent = 0;
        for stranger in 1_000_000..1_020_000u64 {
            if !filter.contains(&stranger) {
                assert_eq!(filter.remove(&stranger), Removal::Absent);
                absent += 1;
            }
        }
        assert!(absent > 19_900, "at 0.01 % nearly all are absent, {absent} were");
        assert_eq!(bytes_of(&filter), before);
    });
}

#[test]
fn the_union_adds_counts_and_the_intersection_keeps_the_lesser() {
    each_shape(|layout, width| {
        let (mut left, mut right) = (roomy(layout, width), roomy(layout, width));
        left.insert_many(&["leek"; 9]);
        right.insert_many(&["leek"; 4]);
        right.insert("turnip");
        let mut both = left.clone();
        both.union(&right).expect("they match");
        assert_eq!((both.count("leek"), both.count("turnip"), both.len()), (13, 1, 14));
        both.union(&right).expect("they match");
        assert_eq!(both.count("leek"), width.max().min(17));
        left.intersection(&right).expect("they match");
        assert_eq!((left.count("leek"), left.count("turnip")), (4, 0));
    });
}

fn counts_never_fall_below_the_truth(mut filter: CountingFilter, steps: &[(u16, bool)]) {
    let mut truth: BTreeMap<u16, u32> = BTreeMap::new();
    for &(key, insert) in steps {
        let count = truth.entry(key).or_default();
        if insert {
            filter.insert(&key);
            *count += 1;
        } else if *count > 0 && filter.remove(&key) == Removal::Removed {
            *count -= 1;
        }
    }
    for (key, count) in truth {
        assert!(filter.count(&key) >= count.min(filter.max_count()), "{key}");
        assert_eq!(filter.contains(&key), filter.count(&key) > 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Ten keys and a thousand steps: most counters overflow, in the narrow filters all do.
    #[test]
    fn counts_never_fall_below_the_truth_in_crowded_filters(
        classic in counting(Layout::Classic),
        blocked in counting(Layout::Blocked),
        steps in prop::collection::vec((0..10u16, prop::bool::weighted(0.6)), 0..1_000),
    ) {
        counts_never_fall_below_the_truth(classic, &steps);
        counts_never_fall_below_the_truth(blocked, &steps);
    }
}
