//! The ends of every range: one bit, no item, all items, rates that are none.

use super::Subject;
use crate::support::{WIDTHS, bytes_of, check_numbers};
use std::sync::mpsc;
use std::time::Duration;
use tamis::Error;
use tamis::filter::Layout;
use tamis::filter::{
    BitLayout, Blocked, BlockedBloomFilter, BloomFilter, Classic, ConcurrentBloomFilter,
    CounterWidth, CountingFilter, GrowingFilter, MAX_BITS, RotatingFilter, SignatureFilter,
};
use tamis::hash::KeyHash;
use tamis::plan::{FilterPlan, Variant};

const NO_RATES: [f64; 9] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -0.0, 0.0, 1.0, 2.0, 1e-300];

#[test]
fn rates_that_are_none_are_refused_by_every_constructor() {
    for rate in NO_RATES {
        let refusals = [
            BloomFilter::with_false_positive_rate(10, rate).err(),
            BlockedBloomFilter::with_false_positive_rate(10, rate).err(),
            ConcurrentBloomFilter::with_false_positive_rate(10, rate).err(),
            CountingFilter::with_false_positive_rate(CounterWidth::Four, 10, rate).err(),
            CountingFilter::placed(Layout::Classic, CounterWidth::Eight, 10, rate).err(),
            GrowingFilter::<Classic>::placed(10, rate).err(),
            GrowingFilter::<Blocked>::placed(10, rate).err(),
            RotatingFilter::with_false_positive_rate(3, 10, rate).err(),
            SignatureFilter::build(&["needle"], rate, KeyHash::default()).err(),
        ];
        for error in refusals {
            let error = error.unwrap_or_else(|| panic!("a rate of {rate} is none"));
            assert!(matches!(error, Error::Rate { .. }), "{rate}: {error}");
        }
    }
}

/// A rate close to 1 needs less than a bit for a few keys; there is a filter all the same.
#[test]
fn rates_close_to_one_are_kept_like_any_other() {
    for rate in [0.5, 0.7, 0.9, 0.99, 0.999_999, 1.0 - f64::EPSILON] {
        for items in [0, 1, 2, 10, 100] {
            let text = format!("{items} items at {rate}");
            let mut classic = BloomFilter::with_false_positive_rate(items, rate).expect(&text);
            let blocked = BlockedBloomFilter::with_false_positive_rate(items, rate);
            classic.insert("leek");
            assert!(classic.contains("leek") && blocked.is_ok(), "{text}");
            for layout in [Layout::Classic, Layout::Blocked] {
                for width in WIDTHS {
                    CountingFilter::placed(layout, width, items, rate).expect(&text);
                }
            }
        }
    }
}

#[test]
fn sizes_and_functions_out_of_range_are_refused() {
    for bits in [0, MAX_BITS + 1, u64::MAX] {
        let refusals = [
            BloomFilter::with_bits(bits, 3).err(),
            BlockedBloomFilter::with_bits(bits, 3).err(),
            CountingFilter::with_bits(Layout::Classic, CounterWidth::Four, bits, 3).err(),
            CountingFilter::with_bits(Layout::Blocked, CounterWidth::Eight, bits, 3).err(),
            GrowingFilter::<Classic>::placed_in_bits(bits, 3).err(),
            RotatingFilter::with_bits(2, bits, 3).err(),
        ];
        assert!(refusals.iter().all(|e| matches!(e, Some(Error::Bits { .. }))), "{refusals:?}");
    }
    // Each generation is allowed, all of them together are not.
    assert!(matches!(RotatingFilter::with_bits(2, MAX_BITS, 3), Err(Error::Bits { .. })));
    for hashes in [0, 65, u32::MAX] {
        let refusals = [
            BloomFilter::with_bits(512, hashes).err(),
            BlockedBloomFilter::with_bits(512, hashes).err(),
            CountingFilter::with_bits(Layout::Classic, CounterWidth::Four, 512, hashes).err(),
            CountingFilter::with_bits(Layout::Blocked, CounterWidth::Four, 512, hashes).err(),
            GrowingFilter::<Blocked>::placed_in_bits(512, hashes).err(),
            RotatingFilter::with_bits(2, 512, hashes).err(),
        ];
        assert!(refusals.iter().all(|e| matches!(e, Some(Error::Hashes { .. }))), "{refusals:?}");
    }
    for items in [u64::MAX, u64::MAX / 2, 1 << 42] {
        assert!(matches!(
            BloomFilter::with_false_positive_rate(items, 0.01),
            Err(Error::Bits { .. })
        ));
        assert!(matches!(
            BlockedBloomFilter::with_false_positive_rate(items, 0.01),
            Err(Error::Bits { .. })
        ));
        assert!(GrowingFilter::<Classic>::placed(items, 0.01).is_err());
        assert!(RotatingFilter::with_false_positive_rate(3, items, 0.01).is_err());
    }
}

/// Empty, with one key, and full to the last bit: each can be asked, measured and saved.
pub(super) fn lives<S: Subject>(mut filter: S) {
    for keys in [0..0, 0..1, 1..3_000u16] {
        filter.insert_many(&keys.collect::<Vec<_>>());
        check_numbers(&filter);
        let loaded = S::from_bytes(&bytes_of(&filter));
        assert_eq!(loaded.expect("what was written can be read"), filter);
    }
    assert!(filter.contains(&0u16) && filter.contains(&2_999u16));
}

#[test]
fn the_smallest_filters_work_and_can_be_saved() {
    for (bits, hashes) in [(1, 1), (1, 64), (2, 1), (10, 7), (63, 64), (64, 64), (65, 2), (513, 3)]
    {
        lives(BloomFilter::with_bits(bits, hashes).expect("a sound shape"));
        lives(BlockedBloomFilter::with_bits(bits, hashes.min(32)).expect("a sound shape"));
        lives(RotatingFilter::with_bits(2, bits, hashes.min(32)).expect("a sound shape"));
        for (layout, most) in [(Layout::Classic, 32), (Layout::Blocked, 8)] {
            for width in WIDTHS {
                let filter = CountingFilter::with_bits(layout, width, bits, hashes.min(most));
                lives(filter.expect("a sound shape"));
            }
        }
    }
}

#[test]
fn filters_for_no_item_at_all_work_and_can_be_saved() {
    for rate in [0.5, 0.01, 0.0001] {
        lives(BloomFilter::with_false_positive_rate(0, rate).expect("for one"));
        lives(BlockedBloomFilter::with_false_positive_rate(0, rate).expect("for one"));
        lives(RotatingFilter::with_false_positive_rate(3, 0, rate).expect("for one"));
        lives(GrowingFilter::<Classic>::placed(0, rate).expect("for one"));
        for width in WIDTHS {
            let filter = CountingFilter::with_false_positive_rate(width, 0, rate);
            lives(filter.expect("for one"));
        }
    }
}

/// The plan of a file's filter is asked for whatever number its header holds.
#[test]
fn the_expected_rate_of_absurdly_many_keys_is_one_and_known_at_once() {
    let (sender, answers) = mpsc::channel();
    // On a thread of its own: what takes a century must not hold up the other tests.
    std::thread::spawn(move || {
        for items in [1 << 30, 1 << 50, u64::MAX] {
            let classic = Classic::for_bits(512, 8).expect("sound").expected_rate(items);
            let blocked = Blocked::for_bits(512, 8).expect("sound").expected_rate(items);
            let _ = sender.send((classic, blocked));
        }
    });
    for _ in 0..3 {
        let (classic, blocked) = answers.recv_timeout(Duration::from_secs(20)).expect("in time");
        assert!((classic - 1.0).abs() < 1e-9 && (blocked - 1.0).abs() < 1e-9);
    }
}

#[test]
fn plans_keep_to_the_memory_or_say_why_not() {
    for layout in [Layout::Classic, Layout::Blocked] {
        for counting in [None, Some(CounterWidth::Four), Some(CounterWidth::Eight)] {
            let variant = Variant { layout, counting };
            for rate in NO_RATES {
                let error = FilterPlan::for_rate(variant, 10, rate).expect_err("no rate");
                assert!(matches!(error, Error::Rate { .. }), "{error}");
            }
            for (items, bytes) in [(1, 0), (1, u64::MAX), (u64::MAX, 1), (u64::MAX, 1 << 39)] {
                assert!(FilterPlan::for_memory(variant, items, bytes).is_err());
            }
            for (items, bytes) in [(0, 64), (1_000, 2_000)] {
                let plan = FilterPlan::for_memory(variant, items, bytes).expect("it fits");
                assert!(plan.bits <= bytes * 8, "{plan:?}");
                assert!((0.0..1.0).contains(&plan.expected_rate), "{plan:?}");
            }
        }
    }
}
