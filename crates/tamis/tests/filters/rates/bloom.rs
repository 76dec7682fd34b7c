//! Bloom filters of 100,000 keys, integers and strings, at four rates, and their sizes.

use super::{Integers, KEYS, Keys, RATES, Strings, TOLERANCE, agrees, enough_for, measured};
use tamis::filter::{
    BitLayout, Blocked, BlockedBloomFilter, Bloom, BloomFilter, Classic, Filter, Insert,
};

fn check(keys: &dyn Keys) {
    for rate in RATES {
        let mut classic = BloomFilter::with_false_positive_rate(KEYS, rate).expect("sound");
        let mut blocked = BlockedBloomFilter::with_false_positive_rate(KEYS, rate).expect("sound");
        let present = keys.present(classic.hash());
        classic.insert_many_hashes(&present);
        blocked.insert_many_hashes(&present);
        let rates = measured(&[&classic, &blocked], keys, enough_for(rate));
        let ratio = rates[0] / rate;
        assert!((0.85..=TOLERANCE).contains(&ratio), "classic at {rate}: {ratio} of it");
        let ratio = rates[1] / rate;
        assert!(ratio <= TOLERANCE, "blocked at {rate}: {ratio} of it");
        assert!(ratio > 0.8, "blocked at {rate} is larger than it need be: {ratio} of it");
        agrees(&classic, rates[0], KEYS);
        agrees(&blocked, rates[1], KEYS);

        // What is computed before and after varies with the seed alone: four standard
        // deviations of the worst case, 0.01 %.
        let planned = classic.layout().expected_rate(KEYS);
        let computed = classic.current_false_positive_rate();
        assert!((computed / planned - 1.0).abs() < 0.02, "classic {computed}, planned {planned}");
        let planned = blocked.layout().expected_rate(KEYS);
        let computed = blocked.current_false_positive_rate();
        assert!((computed / planned - 1.0).abs() < 0.12, "blocked {computed}, planned {planned}");
    }
}

#[test]
fn with_integers_the_measured_rates_are_within_ten_percent_of_the_requested() {
    check(&Integers);
}

#[test]
fn with_strings_the_measured_rates_are_within_ten_percent_of_the_requested() {
    check(&Strings::new());
}

fn bits_per_key<L: BitLayout>(items: u64, rate: f64) -> f64 {
    L::for_rate(items, rate).expect("sound").bits() as f64 / items as f64
}

#[test]
fn the_classic_layout_takes_what_the_theory_asks_for() {
    for items in [100_000, 10_000_000, 1_000_000_000] {
        let classic = |rate| bits_per_key::<Classic>(items, rate);
        assert!((9.580..9.595).contains(&classic(0.01)), "{}", classic(0.01));
        assert!((19.16..19.205).contains(&classic(0.0001)), "{}", classic(0.0001));
        for rate in RATES {
            let theory = -rate.ln() / std::f64::consts::LN_2.powi(2);
            let over = (classic(rate) - theory) * items as f64;
            assert!((0.0..8.0).contains(&over), "{over} bits more than the theory at {rate}");
        }
    }
}

#[test]
fn the_blocked_layout_takes_at_most_a_little_more() {
    for items in [100_000, 10_000_000, 1_000_000_000] {
        let blocked = |rate| bits_per_key::<Blocked>(items, rate);
        assert!(blocked(0.01) <= 10.6, "{}", blocked(0.01));
        assert!(blocked(0.0001) <= 23.0, "{}", blocked(0.0001));
        assert!(blocked(0.1) <= 5.2, "{}", blocked(0.1));
        assert!(blocked(0.001) <= 16.2, "{}", blocked(0.001));
    }
}

/// With half and with twice the keys that it was made for, the numbers still agree.
#[test]
fn a_filter_knows_its_rate_at_any_load() {
    for keys in [KEYS / 2, 2 * KEYS] {
        let mut classic = BloomFilter::with_false_positive_rate(KEYS, 0.01).expect("sound");
        let mut blocked = BlockedBloomFilter::with_false_positive_rate(KEYS, 0.01).expect("sound");
        for filter in [&mut classic as &mut dyn Insert, &mut blocked] {
            let hashes: Vec<u64> = (0..keys).map(|key| filter.hash().integer(!key)).collect();
            filter.insert_many_hashes(&hashes);
            let count = enough_for(filter.current_false_positive_rate());
            let rate = measured(&[filter as &dyn Filter], &Integers, count)[0];
            agrees(filter, rate, keys);
        }
    }
}

/// Measures a filter of which one stranger in a hundred is found.
///
/// The rate is computed as if the positions of a key had nothing to do with each other. That
/// they come from one hash must not show, whatever the size and the number of functions.
fn positions_are_as_good_as_independent<L: BitLayout>(bits: u64, hashes: u32) {
    let mut filter = Bloom::<L>::with_bits(bits, hashes).expect("sound");
    let mut next = 0u64;
    while filter.current_false_positive_rate() < 0.01 {
        filter.insert_many(&(next..next + 20).map(|key| !key).collect::<Vec<_>>());
        next += 20;
    }
    let computed = filter.current_false_positive_rate();
    let measured = measured(&[&filter], &Integers, enough_for(computed))[0];
    let off = measured / computed - 1.0;
    assert!(off.abs() < 0.1, "{} of {bits} bits, k = {hashes}: {off}", L::LAYOUT.name());
}

/// Powers of two and their neighbours are where multiplication by the size mixes least.
#[test]
fn any_number_of_functions_at_any_size_gives_the_rate_that_is_computed() {
    for bits in [(1 << 16) - 1, 1 << 16, (1 << 16) + 1, 1 << 17, 100_000] {
        for hashes in [1, 2, 3, 5, 8, 13, 24, 32, 64] {
            positions_are_as_good_as_independent::<Classic>(bits, hashes);
        }
    }
    for bits in [1 << 15, 1 << 16, 100_000] {
        for hashes in [1, 2, 5, 7, 8, 9, 13, 16, 23, 24, 32] {
            positions_are_as_good_as_independent::<Blocked>(bits, hashes);
        }
    }
}
