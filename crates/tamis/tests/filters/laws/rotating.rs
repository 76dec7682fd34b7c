//! Rotating: what was seen lately is found with its age, what was not is forgotten.

use crate::support::{Aligned, bytes_of};
use proptest::prelude::*;
use tamis::filter::rotating::MAX_GENERATIONS;
use tamis::filter::{Mapped, RotatingFilter};

/// So large that in a fixed test of a thousand keys no false positive disturbs.
fn sharp(generations: u32) -> RotatingFilter {
    let filter = RotatingFilter::with_false_positive_rate(generations, 1_000, 1e-5);
    filter.expect("a sound shape")
}

#[test]
fn a_key_is_found_with_its_age_until_it_is_forgotten() {
    for generations in [1, 2, 3, 7, 30] {
        let mut filter = sharp(generations);
        for key in 0..1_000u64 {
            filter.insert(&key);
        }
        for age in 0..generations {
            let ages = |key: u64| filter.age(&key);
            assert!((0..1_000).all(|key| ages(key) == Some(age)), "of {generations}, age {age}");
            assert!((0..1_000u64).all(|key| filter.contains(&key)));
            filter.rotate();
        }
        assert!((0..1_000u64).all(|key| !filter.contains(&key)), "{generations} rotations ago");
        assert!(filter.is_empty() && filter.fill() == 0.0);
    }
}

#[test]
fn a_key_that_is_seen_again_is_young_again() {
    let mut filter = sharp(3);
    filter.insert("leek");
    filter.insert("turnip");
    for _ in 0..10 {
        filter.rotate();
        filter.rotate();
        assert_eq!(filter.age("leek"), Some(2));
        filter.insert("leek");
        assert_eq!(filter.age("leek"), Some(0));
        assert_eq!(filter.contains("turnip"), filter.age("turnip").is_some());
    }
    assert_eq!(filter.age("turnip"), None);
}

/// Each of a hundred days brings its own thousand keys; the window is the last seven.
#[test]
fn a_window_over_many_rotations_holds_exactly_the_last_generations() {
    let mut filter = sharp(7);
    for day in 0..100u64 {
        if day > 0 {
            filter.rotate();
        }
        let keys: Vec<u64> = (day * 1_000..(day + 1) * 1_000).collect();
        filter.insert_many(&keys);
        for (age, seen) in (0..=day).rev().enumerate() {
            let age = u32::try_from(age).expect("a hundred days");
            let key = seen * 1_000 + day % 1_000;
            let expected = (age < 7).then_some(age);
            assert_eq!(filter.age(&key), expected, "of day {seen} on day {day}");
        }
    }
    assert_eq!(filter.items_by_age().collect::<Vec<_>>(), [1_000; 7]);
    assert_eq!(filter.len(), 7_000);
    let estimate = filter.estimated_items();
    assert!((estimate / 7_000.0 - 1.0).abs() < 0.05, "{estimate}");
}

#[test]
fn generations_are_united_by_age_wherever_they_stand() {
    let (mut left, mut right) = (sharp(4), sharp(4));
    // The same ages in other places of the arrays.
    (0..3).for_each(|_| left.rotate());
    for key in ["oldest", "older", "young"] {
        right.insert(key);
        right.rotate();
        left.rotate();
    }
    left.insert("now");
    right.insert("now");
    left.union(&right).expect("they match");
    for (age, key) in (0..).zip(["now", "young", "older", "oldest"]) {
        assert_eq!(left.age(key), Some(age));
    }
    assert_eq!(left.items_by_age().collect::<Vec<_>>(), [2, 1, 1, 1]);
}

#[test]
fn after_an_intersection_a_key_is_as_old_as_where_it_was_seen_longer_ago() {
    let generations = 5;
    for (ours, theirs) in (0..generations).flat_map(|a| (0..generations).map(move |b| (a, b))) {
        let aged = |age: u32, alone: &str| {
            let mut filter = sharp(generations);
            filter.insert("leek");
            filter.insert(alone);
            (0..age).for_each(|_| filter.rotate());
            filter
        };
        let (mut left, right) = (aged(ours, "left"), aged(theirs, "right"));
        left.intersection(&right).expect("they match");
        assert_eq!(left.age("leek"), Some(ours.max(theirs)), "{ours} and {theirs}");
        assert!(!left.contains("left") && !left.contains("right"));
        assert!(!left.is_empty(), "the leek of {ours} and {theirs} is in");
        for _ in ours.max(theirs)..generations {
            assert!(left.contains("leek"));
            left.rotate();
        }
        assert!(!left.contains("leek"), "{ours} and {theirs}: it is forgotten in time");
    }
}

/// Keys of different ages have bits in common: what both filters have in some generations is
/// more than what both have in one. Each generation must keep only the pairs that it stands
/// for, or the oldest one holds everything and is full.
#[test]
fn an_intersection_of_full_filters_still_denies_strangers() {
    let full = |first: u64| {
        let filter = RotatingFilter::with_false_positive_rate(5, 1_000, 0.01);
        let mut filter = filter.expect("a sound shape");
        for generation in 0..5 {
            filter.rotate();
            let start = first + generation * 1_000;
            for key in start..start + 1_000 {
                filter.insert(&key);
            }
        }
        filter
    };
    let (mut left, right) = (full(0), full(1_000_000));
    left.intersection(&right).expect("they match");
    // 4.4 % with the pairs alone; 36 % if each generation has everything up to its age.
    let strangers = (2_000_000..2_010_000u64).filter(|key| left.contains(key)).count();
    assert!(strangers < 700, "{strangers} of 10,000 are found");
}

#[test]
fn a_cleared_filter_is_a_new_one() {
    let mut filter = sharp(3);
    filter.insert("leek");
    filter.rotate();
    filter.clear();
    assert_eq!(bytes_of(&filter), bytes_of(&sharp(3)));
}

#[test]
fn generations_of_none_or_too_many_are_refused() {
    for generations in [0, MAX_GENERATIONS + 1, u32::MAX] {
        let error = RotatingFilter::with_bits(generations, 512, 8).expect_err("nonsense");
        assert!(matches!(error, tamis::Error::Parameter { .. }), "{error}");
        assert!(RotatingFilter::with_false_positive_rate(generations, 10, 0.01).is_err());
    }
    let mut most = RotatingFilter::with_bits(MAX_GENERATIONS, 512, 8).expect("1,024 lines");
    most.insert("leek");
    (1..MAX_GENERATIONS).for_each(|_| most.rotate());
    assert_eq!(most.age("leek"), Some(MAX_GENERATIONS - 1));
    most.rotate();
    assert_eq!(most.age("leek"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn ages_survive_saving_loading_and_mapping(
        generations in 1..9u32,
        rotations in prop::collection::vec(0..4u32, 1..12),
    ) {
        let filter = RotatingFilter::with_bits(generations, 60_000, 24);
        let mut filter = filter.expect("a sound shape");
        for (key, &times) in (0u64..).zip(&rotations) {
            filter.insert(&key);
            (0..times).for_each(|_| filter.rotate());
        }
        let file = bytes_of(&filter);
        let loaded = RotatingFilter::<Vec<_>>::from_bytes(&file).expect("we wrote it");
        let mapped = RotatingFilter::<Mapped<_>>::in_place(Aligned::new(&file)).expect("we wrote it");
        for key in 0..rotations.len() as u64 {
            let ago: u32 = rotations[usize::try_from(key).expect("few")..].iter().sum();
            prop_assert_eq!(filter.age(&key), (ago < generations).then_some(ago));
            prop_assert_eq!(loaded.age(&key), filter.age(&key));
            prop_assert_eq!(mapped.age(&key), filter.age(&key));
        }
    }
}
