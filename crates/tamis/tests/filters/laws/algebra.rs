//! Unions, intersections, batches, order and positions, bit for bit.

use super::subjects::{blocked, classic, counting, growing_blocked, growing_classic, rotating};
use super::{Subject, key};
use crate::support::{bytes_of, content_of, set_bits};
use proptest::prelude::*;
use tamis::filter::Layout;
use tamis::filter::{BitLayout, Bloom, ConcurrentBloomFilter};
use tamis::hash::KeyKinds;

fn keys() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(key(), 0..80)
}

fn filled<S: Subject>(fresh: &S, keys: &[u16]) -> S {
    let mut filter = fresh.clone();
    filter.insert_many(keys);
    filter
}

fn united<S: Subject>(left: &S, right: &S) -> S {
    let mut both = left.clone();
    both.union(right).expect("they have one shape");
    both
}

fn unions_are_commutative_and_associative<S: Subject>(fresh: &S, [a, b, c]: [&[u16]; 3]) {
    let (a, b, c) = (filled(fresh, a), filled(fresh, b), filled(fresh, c));
    assert_eq!(bytes_of(&united(&a, &b)), bytes_of(&united(&b, &a)));
    let (left, right) = (united(&united(&a, &b), &c), united(&a, &united(&b, &c)));
    assert_eq!(bytes_of(&left), bytes_of(&right));
    assert_eq!(left.len(), a.len() + b.len() + c.len());
    assert_eq!(content_of(&united(&a, fresh)), content_of(&a), "nothing was added");
}

fn a_union_is_the_filter_of_all_keys<S: Subject>(fresh: &S, [a, b, _]: [&[u16]; 3]) {
    let all = filled(fresh, &[a, b].concat());
    assert_eq!(bytes_of(&united(&filled(fresh, a), &filled(fresh, b))), bytes_of(&all));
}

fn an_intersection_keeps_common_keys_and_adds_no_bit<S: Subject>(
    fresh: &S,
    [a, b, _]: [&[u16]; 3],
) {
    let (left, right) = (filled(fresh, a), filled(fresh, b));
    let mut both = left.clone();
    both.intersection(&right).expect("they have one shape");
    for key in a.iter().filter(|key| b.contains(key)) {
        assert!(both.contains(key), "{key} is in both");
    }
    for key in 0..400u16 {
        assert!(!both.contains(&key) || left.contains(&key) && right.contains(&key));
    }
    let mut other_way = right.clone();
    other_way.intersection(&left).expect("they have one shape");
    assert_eq!(content_of(&both), content_of(&other_way));
    assert!(both.len() <= left.len().min(right.len()));
}

fn batches_are_the_same_as_one_by_one<S: Subject>(fresh: &S, [a, b, c]: [&[u16]; 3]) {
    // A few keys, and more different ones than the library takes at a time.
    let all = [a, b, c].concat();
    let many = (0..6).flat_map(|round| all.iter().map(move |key| key + 300 * round)).collect();
    for keys in [a.to_vec(), many] {
        let (mut one_by_one, mut by_hash) = (fresh.clone(), fresh.clone());
        for key in &keys {
            one_by_one.insert(key);
        }
        let hashes: Vec<u64> = keys.iter().map(|&key| fresh.hash().integer(key.into())).collect();
        by_hash.insert_many_hashes(&hashes);
        if !keys.is_empty() {
            by_hash.record_keys(KeyKinds::INTEGERS);
        }
        let at_once = filled(fresh, &keys);
        assert_eq!(bytes_of(&at_once), bytes_of(&one_by_one));
        assert_eq!(bytes_of(&by_hash), bytes_of(&one_by_one));
        let asked: Vec<u16> = (0..700).collect();
        let answers: Vec<bool> = asked.iter().map(|key| at_once.contains(key)).collect();
        assert_eq!(at_once.contains_many(&asked), answers);
        let hashes: Vec<u64> = asked.iter().map(|&key| fresh.hash().integer(key.into())).collect();
        let mut by_hash = vec![false; hashes.len()];
        at_once.contains_many_hashes(&hashes, &mut by_hash);
        assert_eq!(by_hash, answers);
    }
}

fn the_order_does_not_matter<S: Subject>(fresh: &S, [a, b, c]: [&[u16]; 3]) {
    let mut sorted = [a, b, c].concat();
    let forwards = filled(fresh, &sorted);
    sorted.sort_unstable();
    assert_eq!(bytes_of(&filled(fresh, &sorted)), bytes_of(&forwards));
    sorted.reverse();
    assert_eq!(bytes_of(&filled(fresh, &sorted)), bytes_of(&forwards));
}

fn indexes_are_the_bits_that_are_set<L: BitLayout>(fresh: &Bloom<L>, keys: &[u16]) {
    let mut filter = fresh.clone();
    filter.insert_many(keys);
    let mut indexes: Vec<u64> = keys.iter().flat_map(|key| filter.indexes(key)).collect();
    assert_eq!(indexes.len(), keys.len() * filter.hashes() as usize);
    indexes.sort_unstable();
    indexes.dedup();
    assert!(indexes.iter().all(|&index| index < filter.bits()));
    assert_eq!(set_bits(bytemuck::cast_slice(filter.lines())), indexes);
}

/// Checks a law on random filters of every kind whose bits do not depend on the order.
macro_rules! every_kind {
    ($law:ident) => {
        every_kind!($law classic());
        every_kind!($law blocked());
        every_kind!($law counting(Layout::Classic));
        every_kind!($law counting(Layout::Blocked));
        every_kind!($law rotating());
    };
    ($law:ident $kind:expr) => {
        let cases = ProptestConfig::with_cases(60);
        proptest!(cases, |(fresh in $kind, a in keys(), b in keys(), c in keys())| {
            $law(&fresh, [&a, &b, &c]);
        });
    };
}

#[test]
fn unions_of_every_kind_are_commutative_and_associative() {
    every_kind!(unions_are_commutative_and_associative);
}

#[test]
fn the_union_of_filters_is_the_filter_of_the_union() {
    every_kind!(a_union_is_the_filter_of_all_keys);
}

#[test]
fn intersections_of_every_kind_keep_common_keys_and_add_no_bit() {
    every_kind!(an_intersection_keeps_common_keys_and_adds_no_bit);
}

#[test]
fn batches_of_every_kind_are_the_same_as_one_by_one() {
    every_kind!(batches_are_the_same_as_one_by_one);
}

#[test]
fn any_order_of_the_same_keys_gives_the_same_file() {
    every_kind!(the_order_does_not_matter);
}

#[test]
fn batches_of_a_growing_filter_are_the_same_as_one_by_one() {
    // Sizing a blocked layer takes milliseconds.
    let (many, few) = (ProptestConfig::with_cases(40), ProptestConfig::with_cases(4));
    proptest!(many, |(fresh in growing_classic(), a in keys(), b in keys(), c in keys())| {
        batches_are_the_same_as_one_by_one(&fresh, [&a, &b, &c]);
    });
    proptest!(few, |(fresh in growing_blocked(), a in keys(), b in keys(), c in keys())| {
        batches_are_the_same_as_one_by_one(&fresh, [&a, &b, &c]);
    });
}

#[test]
fn the_indexes_of_keys_are_the_bits_that_they_set() {
    proptest!(|(fresh in classic(), keys in keys())| {
        indexes_are_the_bits_that_are_set(&fresh, &keys);
    });
    proptest!(|(fresh in blocked(), keys in keys())| {
        indexes_are_the_bits_that_are_set(&fresh, &keys);
    });
}

#[test]
fn a_shared_filter_has_the_algebra_of_the_plain_one() {
    proptest!(ProptestConfig::with_cases(60), |(fresh in blocked(), a in keys(), b in keys())| {
        let (left, right) = (filled(&fresh, &a), filled(&fresh, &b));
        let shared = ConcurrentBloomFilter::from(left.clone());
        shared.union(&right).expect("they have one shape");
        prop_assert_eq!(bytes_of(&shared.into_filter()), bytes_of(&united(&left, &right)));

        let shared = ConcurrentBloomFilter::from(left.clone());
        let shared = shared.intersection(&right).expect("they have one shape");
        let mut plain = left;
        plain.intersection(&right).expect("they have one shape");
        prop_assert_eq!(bytes_of(&shared.into_filter()), bytes_of(&plain));
    });
}
