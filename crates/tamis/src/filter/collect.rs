//! Filters from iterators, and into them.

use super::bloom::{BitLayout, Bloom};
use super::{BATCH, CounterWidth, CountingFilter, GrowingFilter, Insert, RotatingFilter};
use crate::Result;
use crate::hash::{Key, KeyHash, KeyKinds};
use alloc::vec::Vec;

/// The false-positive rate of a filter that is collected: nobody is asked for one.
const RATE: f64 = 0.01;

/// Inserts keys batch by batch, which is several times as fast as one by one in large filters.
fn extend<K: Key>(filter: &mut impl Insert, keys: impl IntoIterator<Item = K>) {
    let hash = *filter.hash();
    let (mut room, mut count) = ([0; BATCH], 0);
    let mut kinds = KeyKinds::NONE;
    for key in keys {
        kinds = kinds.with(key.kinds());
        room[count] = key.hash_with(&hash);
        count += 1;
        if count == BATCH {
            filter.insert_many_hashes(&room);
            count = 0;
        }
    }
    filter.insert_many_hashes(&room[..count]);
    filter.record_keys(kinds);
}

/// A filter of these keys, which are counted first: eight bytes of memory for each.
fn collect<F: Insert, K: Key>(
    keys: impl IntoIterator<Item = K>,
    sized: impl FnOnce(u64) -> Result<F>,
) -> F {
    let hash = KeyHash::default();
    let mut kinds = KeyKinds::NONE;
    let hash_of = |key: K| {
        kinds = kinds.with(key.kinds());
        key.hash_with(&hash)
    };
    let hashes: Vec<u64> = keys.into_iter().map(hash_of).collect();
    // A size that was counted is sound; what is left is memory.
    let mut filter = sized(hashes.len() as u64).unwrap_or_else(|error| panic!("{error}"));
    filter.insert_many_hashes(&hashes);
    filter.record_keys(kinds);
    filter
}

macro_rules! extend_by_keys {
    ($([$($generics:tt)*] $filter:ty),*) => {$(
        impl<$($generics)* K: Key> Extend<K> for $filter {
            fn extend<T: IntoIterator<Item = K>>(&mut self, keys: T) {
                extend(self, keys);
            }
        }
    )*};
}
extend_by_keys!([L: BitLayout,] Bloom<L>, [L: BitLayout,] GrowingFilter<L>);
extend_by_keys!([] CountingFilter, [] RotatingFilter);

/// Sized for the number of keys, at a 1 % false-positive rate.
///
/// # Panics
/// If there is no memory for it, as every collection does.
impl<L: BitLayout, K: Key> FromIterator<K> for Bloom<L> {
    fn from_iter<T: IntoIterator<Item = K>>(keys: T) -> Self {
        collect(keys, |items| Self::with_false_positive_rate(items, RATE))
    }
}

/// With counters of four bits, sized for the number of keys, at a 1 % false-positive rate.
///
/// # Panics
/// If there is no memory for it, as every collection does.
impl<K: Key> FromIterator<K> for CountingFilter {
    fn from_iter<T: IntoIterator<Item = K>>(keys: T) -> Self {
        collect(keys, |items| Self::with_false_positive_rate(CounterWidth::Four, items, RATE))
    }
}

/// With a first layer for the number of keys, at a 1 % false-positive rate.
///
/// # Panics
/// If there is no memory for it, as every collection does.
impl<L: BitLayout, K: Key> FromIterator<K> for GrowingFilter<L> {
    fn from_iter<T: IntoIterator<Item = K>>(keys: T) -> Self {
        collect(keys, |items| Self::placed(items, RATE))
    }
}
