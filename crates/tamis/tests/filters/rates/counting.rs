//! Counting filters: both widths, both placements, with keys that are in several times.

use super::{Integers, KEYS, Strings, TOLERANCE, agrees, enough_for, measured};
use crate::support::WIDTHS;
use tamis::filter::counting::Placement;
use tamis::filter::{CounterWidth, CountingFilter, Insert};

/// All keys once, and every fifth key three times: repetitions must not raise the rate.
fn filled(placement: Placement, width: CounterWidth, rate: f64, hashes: &[u64]) -> CountingFilter {
    let mut filter = CountingFilter::placed(placement, width, KEYS, rate).expect("sound");
    filter.insert_many_hashes(hashes);
    for hash in hashes.iter().step_by(5) {
        filter.insert_many_hashes(&[*hash; 2]);
    }
    filter
}

fn check(rate: f64, keys: &dyn super::Keys) {
    let present = keys.present(&tamis::hash::KeyHash::default());
    for placement in [Placement::Classic, Placement::Blocked] {
        let filters = WIDTHS.map(|width| filled(placement, width, rate, &present));
        let rates = measured(&[&filters[0], &filters[1]], keys, enough_for(rate));
        for (filter, measured) in filters.iter().zip(rates) {
            let (ratio, width) = (measured / rate, filter.width());
            assert!(ratio <= TOLERANCE, "{placement:?} {width:?} at {rate}: {ratio} of it");
            let least = if placement == Placement::Classic { 0.85 } else { 0.8 };
            assert!(ratio >= least, "{placement:?} {width:?} at {rate}: {ratio}, too large");
            agrees(filter, measured, KEYS);
        }
    }
}

#[test]
fn at_ten_percent_the_measured_rates_are_within_ten_percent_of_it() {
    check(0.1, &Integers);
    check(0.1, &Strings::new());
}

#[test]
fn at_one_percent_the_measured_rates_are_within_ten_percent_of_it() {
    check(0.01, &Integers);
    check(0.01, &Strings::new());
}

#[test]
fn at_a_thousandth_the_measured_rates_are_within_ten_percent_of_it() {
    check(0.001, &Integers);
}

#[test]
fn counts_of_keys_that_are_in_are_too_large_as_rarely_as_strangers_are_found() {
    for placement in [Placement::Classic, Placement::Blocked] {
        let mut filter =
            CountingFilter::placed(placement, CounterWidth::Eight, KEYS, 0.01).expect("sound");
        filter.insert_many(&(0..KEYS).collect::<Vec<_>>());
        let over = (0..KEYS).filter(|key| filter.count(key) > 1).count() as f64 / KEYS as f64;
        // A key is counted twice if others have all of its counters: one in a hundred, with a
        // standard deviation of 3.2 %.
        assert!((0.8..1.15).contains(&(over / 0.01)), "{placement:?}: {over}");
    }
}

#[test]
fn bits_per_key_are_those_of_the_manual() {
    for (placement, width, expected) in [
        (Placement::Blocked, CounterWidth::Four, 44.0),
        (Placement::Classic, CounterWidth::Four, 38.4),
        (Placement::Blocked, CounterWidth::Eight, 98.0),
        (Placement::Classic, CounterWidth::Eight, 76.7),
    ] {
        let filter = CountingFilter::placed(placement, width, KEYS, 0.01).expect("sound");
        let got = filter.bits() as f64 / KEYS as f64;
        assert!((got / expected - 1.0).abs() < 0.02, "{placement:?} {width:?}: {got} bits");
    }
}
