//! Counting filters: both widths, both layouts, with keys that are in several times.

use super::{Integers, KEYS, Strings, TOLERANCE, agrees, enough_for, measured};
use crate::support::WIDTHS;
use tamis::filter::Layout;
use tamis::filter::{CounterWidth, CountingFilter};

/// All keys once, and every fifth key three times: repetitions must not raise the rate.
fn filled(layout: Layout, width: CounterWidth, rate: f64, hashes: &[u64]) -> CountingFilter {
    let mut filter = CountingFilter::placed(layout, width, KEYS, rate).expect("sound");
    filter.insert_many_hashes(hashes);
    for hash in hashes.iter().step_by(5) {
        filter.insert_many_hashes(&[*hash; 2]);
    }
    filter
}

fn check(rate: f64, keys: &dyn super::Keys) {
    let present = keys.present(&tamis::hash::KeyHash::default());
    for layout in [Layout::Classic, Layout::Blocked] {
        let filters = WIDTHS.map(|width| filled(layout, width, rate, &present));
        let rates = measured(&[&filters[0], &filters[1]], keys, enough_for(rate));
        for (filter, measured) in filters.iter().zip(rates) {
            let (ratio, width) = (measured / rate, filter.width());
            assert!(ratio <= TOLERANCE, "{layout:?} {width:?} at {rate}: {ratio} of it");
            let least = if layout == Layout::Classic { 0.85 } else { 0.8 };
            assert!(ratio >= least, "{layout:?} {width:?} at {rate}: {ratio}, too large");
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
    for layout in [Layout::Classic, Layout::Blocked] {
        let mut filter =
            CountingFilter::placed(layout, CounterWidth::Eight, KEYS, 0.01).expect("sound");
        filter.insert_many(&(0..KEYS).collect::<Vec<_>>());
        let over = (0..KEYS).filter(|key| filter.count(key) > 1).count() as f64 / KEYS as f64;
        // A key is counted twice if others have all of its counters: one in a hundred, with a
        // standard deviation of 3.2 %.
        assert!((0.8..1.15).contains(&(over / 0.01)), "{layout:?}: {over}");
    }
}

#[test]
fn bits_per_key_are_those_of_the_manual() {
    for (layout, width, expected) in [
        (Layout::Blocked, CounterWidth::Four, 44.0),
        (Layout::Classic, CounterWidth::Four, 38.4),
        (Layout::Blocked, CounterWidth::Eight, 98.0),
        (Layout::Classic, CounterWidth::Eight, 76.7),
    ] {
        let filter = CountingFilter::placed(layout, width, KEYS, 0.01).expect("sound");
        let got = filter.bits() as f64 / KEYS as f64;
        assert!((got / expected - 1.0).abs() < 0.02, "{layout:?} {width:?}: {got} bits");
    }
}
