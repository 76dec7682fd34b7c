//! The kinds of filter as subjects of the laws, and the shapes they are tried in.

use super::{Held, Subject};
use crate::support::{Aligned, WIDTHS};
use proptest::prelude::*;
use tamis::filter::Layout;
use tamis::filter::{
    Blocked, BlockedBloomFilter, BloomFilter, Classic, ConcurrentBloomFilter, CountingFilter,
    GrowingFilter, Removal, RotatingFilter,
};
use tamis::hash::{Algorithm, KeyHash};

pub(crate) fn hash() -> impl Strategy<Value = KeyHash> {
    let algorithm = prop::sample::select(&Algorithm::ALL[..]);
    (algorithm, 0..4u64).prop_map(|(algorithm, seed)| KeyHash::with_algorithm(algorithm, seed))
}

pub(crate) fn classic() -> impl Strategy<Value = BloomFilter> {
    (1..4_000u64, 1..=64u32, hash()).prop_map(|(bits, hashes, hash)| {
        BloomFilter::with_bits(bits, hashes).expect("a sound shape").with_hash(hash)
    })
}

pub(crate) fn blocked() -> impl Strategy<Value = BlockedBloomFilter> {
    (1..8_000u64, 1..=32u32, hash()).prop_map(|(bits, hashes, hash)| {
        BlockedBloomFilter::with_bits(bits, hashes).expect("a sound shape").with_hash(hash)
    })
}

pub(crate) fn counting(layout: Layout) -> impl Strategy<Value = CountingFilter> {
    let width = prop::sample::select(&WIDTHS[..]);
    let most = if layout == Layout::Blocked { 8 } else { 32u32 };
    (width, 1..20_000u64, 1..=most, hash()).prop_map(move |(width, bits, hashes, hash)| {
        let filter = CountingFilter::with_bits(layout, width, bits, hashes);
        filter.expect("a sound shape").with_hash(hash)
    })
}

/// First sizes so small that every sequence makes it grow.
pub(crate) fn growing_classic() -> impl Strategy<Value = GrowingFilter<Classic>> {
    (0..20u64, 0.001..0.9f64, hash()).prop_map(|(items, rate, hash)| {
        let filter = GrowingFilter::placed(items, rate);
        filter.expect("a sound shape").with_hash(hash)
    })
}

pub(crate) fn growing_blocked() -> impl Strategy<Value = GrowingFilter<Blocked>> {
    (0..20u64, 0.001..0.9f64, hash()).prop_map(|(items, rate, hash)| {
        let filter = GrowingFilter::placed(items, rate);
        filter.expect("a sound shape").with_hash(hash)
    })
}

pub(crate) fn rotating() -> impl Strategy<Value = RotatingFilter> {
    (1..6u32, 1..8_000u64, 1..=32u32, hash()).prop_map(|(generations, bits, hashes, hash)| {
        let filter = RotatingFilter::with_bits(generations, bits, hashes);
        filter.expect("a sound shape").with_hash(hash)
    })
}

/// What every kind does by its own methods of the same names.
macro_rules! common {
    ($mapped:ty) => {
        fn union(&mut self, other: &Self) -> tamis::Result<()> {
            self.union(other)
        }

        fn intersection(&mut self, other: &Self) -> tamis::Result<()> {
            self.intersection(other)
        }

        fn asked_in_place(file: Aligned, keys: &[u16]) -> tamis::Result<(Vec<bool>, Self)> {
            let mapped = <$mapped>::in_place(file)?;
            Ok((mapped.contains_many(keys), mapped.to_owned()?))
        }
    };
}

type Place = tamis::filter::Mapped<Aligned>;

impl Subject for BloomFilter {
    common!(BloomFilter<Place>);
}

impl Subject for BlockedBloomFilter {
    common!(BlockedBloomFilter<Place>);

    fn insert_by_threads(&mut self, keys: &[u16]) {
        let shared = ConcurrentBloomFilter::from(self.clone());
        let (left, right) = keys.split_at(keys.len() / 2);
        std::thread::scope(|scope| {
            scope.spawn(|| shared.insert_many(left));
            scope.spawn(|| {
                for key in right {
                    shared.insert(key);
                }
            });
        });
        assert!(keys.iter().all(|key| shared.contains(key)));
        *self = shared.into_filter();
    }
}

impl Subject for CountingFilter {
    common!(CountingFilter<Place>);

    fn take_back(&mut self, key: u16) -> Option<Removal> {
        let before = self.count(&key);
        let answer = self.remove(&key);
        let after = match answer {
            Removal::Removed => before - 1,
            Removal::Absent | Removal::Saturated => before,
        };
        assert_eq!(self.count(&key), after, "{answer:?}");
        assert_eq!(answer == Removal::Saturated, before == self.max_count());
        Some(answer)
    }

    fn check_key(&self, key: u16, held: Held) {
        let least = held.count.min(self.max_count());
        assert!(self.count(&key) >= least, "{key} is in {least} times");
    }
}

impl Subject for GrowingFilter<Classic> {
    common!(GrowingFilter<Classic, Place>);
}

impl Subject for GrowingFilter<Blocked> {
    common!(GrowingFilter<Blocked, Place>);
}

impl Subject for RotatingFilter {
    common!(RotatingFilter<Place>);

    fn rotate(&mut self) -> Option<u32> {
        self.rotate();
        Some(self.generations())
    }

    /// By chance a key may look younger than it is, never older.
    fn check_key(&self, key: u16, held: Held) {
        assert!(self.age(&key).is_some_and(|age| age <= held.age), "{key} is younger");
    }
}
