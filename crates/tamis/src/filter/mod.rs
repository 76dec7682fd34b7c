//! Sets that forget their members but never deny one.
//!
//! | type | for | can forget |
//! |---|---|---|
//! | [`BloomFilter`] | least memory of those that can be added to | no |
//! | [`BlockedBloomFilter`] | most speed: one cache line per key | no |
//! | [`ConcurrentBloomFilter`] | many threads insert into one filter | no |
//! | [`CountingFilter`] | how often, and taking back | one key at a time |
//! | [`GrowingFilter`] | the number of keys is not known beforehand | no |
//! | [`RotatingFilter`] | "seen in the last 30 days" | the oldest generation |
//! | [`StaticFilter`] | least memory of all: built once from all its keys | no |
//! | [`SignatureFilter`] | known byte strings inside of streams | no |
//!
//! All of them keep these promises:
//!
//! 1. What was inserted and not taken back is found. There are no false negatives.
//! 2. The same keys in any order, with any number of threads, give the same bits.
//! 3. The hash and its seed are part of the value: what differs in them, in the
//!    layout or in the size is never combined.
//!
//! What was not inserted is still found with a small probability, the
//! *false-positive rate*: [`Filter::current_false_positive_rate`] computes it from the bits as
//! they are, [`crate::plan`] before anything is built.
//!
//! Each type has all of its methods itself: `insert`, `contains`, `len`, `save`, `open` and so on.
//! For code that takes any filter there are two traits, [`Filter`] for questions and [`Insert`]
//! for additions, as bounds or as objects; each takes keys, hashes of keys, or many of either at
//! once.

pub mod bloom;
#[cfg(feature = "std")]
pub mod concurrent;
pub mod counting;
pub mod fixed;
pub mod growing;
pub mod rotating;
pub mod signatures;

mod any;
mod block;
mod collect;
mod design;
mod methods;
#[cfg(feature = "serde")]
mod serde;

pub use any::AnyFilter;
pub use bloom::{BitLayout, Blocked, BlockedBloomFilter, Bloom, BloomFilter, Classic, Layout};
#[cfg(feature = "std")]
pub use concurrent::ConcurrentBloomFilter;
pub use counting::{CounterWidth, CountingFilter, Removal};
pub use design::Design;
pub use fixed::StaticFilter;
#[cfg(feature = "train")]
pub use fixed::StaticFilterBuilder;
pub use growing::GrowingFilter;
pub use rotating::RotatingFilter;
pub use signatures::SignatureFilter;

pub use crate::codec::stored::Stored;
use crate::hash::{Key, KeyHash, KeyKinds, Record};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
pub use crate::memory::{LINE_BITS, Line, MAX_BITS, Mapped, Storage, WORDS};
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// How many keys a batch hashes before it looks at memory.
const BATCH: usize = 256;

/// Questions to a filter.
///
/// Every filter has these as methods of its own; the trait is for code that takes any of them.
/// References, boxes and counted pointers of filters are filters, too, so that a box of an object
/// answers keys of every type:
///
/// ```
/// use tamis::filter::{BloomFilter, Filter, StaticFilterBuilder};
///
/// let mut basket = BloomFilter::with_false_positive_rate(100, 0.01)?;
/// basket.insert("leek");
/// let mut builder = StaticFilterBuilder::new(0.01)?;
/// builder.insert("turnip");
/// let filters: Vec<Box<dyn Filter>> = vec![Box::new(basket), Box::new(builder.build()?)];
/// assert!(filters.iter().any(|filter| filter.contains("turnip")));
/// # Ok::<(), tamis::Error>(())
/// ```
pub trait Filter {
    /// The hash and seed that this filter was made with.
    fn hash(&self) -> &KeyHash;

    /// Whether a key with this hash is probably in.
    fn contains_hash(&self, hash: u64) -> bool;

    /// Whether keys with these hashes are probably in, into `found`, which must be
    /// as long. Several times as fast as one by one when the filter is larger than
    /// the caches.
    fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]);

    /// Where a key with this hash has its bits or counters, in the order of the
    /// functions.
    fn indexes_hash(&self, hash: u64) -> Vec<u64>;

    /// How many keys were inserted, repetitions included.
    fn len(&self) -> u64;

    /// The part of the bits or counters that is not zero, between 0 and 1.
    fn fill(&self) -> f64;

    /// How many different keys were inserted, estimated from the fill.
    fn estimated_items(&self) -> f64;

    /// The probability that a key which was never inserted is found now.
    fn current_false_positive_rate(&self) -> f64;

    /// Which keys it was built from, as far as that is known.
    fn key_kinds(&self) -> KeyKinds {
        KeyKinds::NONE
    }

    /// Refuses queries for keys of kinds that it was not built from.
    ///
    /// # Errors
    /// [`crate::Error::KeyKinds`].
    fn check_keys(&self, asked: KeyKinds) -> crate::Result<()> {
        self.key_kinds().check(asked)
    }

    /// Whether nothing is in. The bits have the last word: after an intersection the number of
    /// keys is an estimate, which may be zero while a key is in.
    fn is_empty(&self) -> bool {
        self.len() == 0 && self.fill() == 0.0
    }

    /// Whether this key is probably in.
    #[inline]
    fn contains<K: Key + ?Sized>(&self, key: &K) -> bool
    where
        Self: Sized,
    {
        self.contains_hash(key.hash_with(self.hash()))
    }

    /// Whether this key is probably in, or that keys of its kind cannot be.
    ///
    /// # Errors
    /// [`crate::Error::KeyKinds`].
    fn try_contains<K: Key + ?Sized>(&self, key: &K) -> crate::Result<bool>
    where
        Self: Sized,
    {
        self.check_keys(key.kinds())?;
        Ok(self.contains(key))
    }

    /// Whether these keys are probably in, in their order.
    fn contains_many<K: Key>(&self, keys: &[K]) -> Vec<bool>
    where
        Self: Sized,
    {
        contains_in_batches(self, keys)
    }

    /// Where this key has its bits or counters.
    fn indexes<K: Key + ?Sized>(&self, key: &K) -> Vec<u64>
    where
        Self: Sized,
    {
        self.indexes_hash(key.hash_with(self.hash()))
    }
}

/// Additions to a filter.
pub trait Insert: Filter {
    /// Inserts a key with this hash; whether it was new. A key that is found by chance is taken
    /// for one that was in. Of what the hash is, [`Self::record_keys`] is told.
    fn insert_hash(&mut self, hash: u64) -> bool;

    /// Inserts keys with these hashes.
    fn insert_many_hashes(&mut self, hashes: &[u64]);

    /// Says what hashes were made of that are inserted: recorded in the file, for
    /// [`Filter::check_keys`].
    fn record_keys(&mut self, kinds: KeyKinds) {
        let _ = kinds;
    }

    /// Forgets everything.
    fn clear(&mut self);

    /// Inserts a key; whether it was new.
    #[inline]
    fn insert<K: Key + ?Sized>(&mut self, key: &K) -> bool
    where
        Self: Sized,
    {
        let hash = key.hash_with(self.hash());
        self.record_keys(key.kinds());
        self.insert_hash(hash)
    }

    /// Inserts many keys.
    fn insert_many<K: Key>(&mut self, keys: &[K])
    where
        Self: Sized,
    {
        insert_in_batches(self, keys);
    }
}

macro_rules! filters_by_reference {
    ($($pointer:ty),*) => {$(
        impl<F: Filter + ?Sized> Filter for $pointer {
            #[inline]
            fn hash(&self) -> &KeyHash {
                (**self).hash()
            }

            #[inline]
            fn contains_hash(&self, hash: u64) -> bool {
                (**self).contains_hash(hash)
            }

            fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
                (**self).contains_many_hashes(hashes, found);
            }

            fn indexes_hash(&self, hash: u64) -> Vec<u64> {
                (**self).indexes_hash(hash)
            }

            fn len(&self) -> u64 {
                (**self).len()
            }

            fn fill(&self) -> f64 {
                (**self).fill()
            }

            fn estimated_items(&self) -> f64 {
                (**self).estimated_items()
            }

            fn current_false_positive_rate(&self) -> f64 {
                (**self).current_false_positive_rate()
            }

            fn is_empty(&self) -> bool {
                (**self).is_empty()
            }

            fn key_kinds(&self) -> KeyKinds {
                (**self).key_kinds()
            }
        }
    )*};
}
filters_by_reference!(&F, &mut F, Box<F>, Rc<F>, Arc<F>);

macro_rules! insert_by_reference {
    ($($pointer:ty),*) => {$(
        impl<F: Insert + ?Sized> Insert for $pointer {
            #[inline]
            fn insert_hash(&mut self, hash: u64) -> bool {
                (**self).insert_hash(hash)
            }

            fn insert_many_hashes(&mut self, hashes: &[u64]) {
                (**self).insert_many_hashes(hashes);
            }

            #[inline]
            fn record_keys(&mut self, kinds: KeyKinds) {
                (**self).record_keys(kinds);
            }

            fn clear(&mut self) {
                (**self).clear();
            }
        }
    )*};
}
insert_by_reference!(&mut F, Box<F>);

/// What is known of the keys of two filters that become one. Where something is in of which
/// nothing was recorded, anything may be in.
fn joined_keys(left: &impl Filter, right: &impl Filter) -> Record {
    fn known(filter: &impl Filter) -> KeyKinds {
        match filter.key_kinds() {
            KeyKinds::NONE if !filter.is_empty() => KeyKinds::UNKNOWN,
            kinds => kinds,
        }
    }
    Record(known(left).with(known(right)))
}

fn contains_in_batches<K: Key>(filter: &impl Filter, keys: &[K]) -> Vec<bool> {
    let mut found = vec![false; keys.len()];
    for (keys, found) in keys.chunks(BATCH).zip(found.chunks_mut(BATCH)) {
        filter.contains_many_hashes(hashes_of(keys, filter.hash(), &mut [0; BATCH]), found);
    }
    found
}

fn insert_in_batches<K: Key>(filter: &mut impl Insert, keys: &[K]) {
    let hash = *filter.hash();
    filter.record_keys(KeyKinds::of(keys));
    for keys in keys.chunks(BATCH) {
        filter.insert_many_hashes(hashes_of(keys, &hash, &mut [0; BATCH]));
    }
}

/// The probability of at least one of independent events, exact for small ones too.
fn any_of(rates: impl Iterator<Item = f64>) -> f64 {
    -rates.map(|rate| (-rate.min(1.0)).ln_1p()).sum::<f64>().exp_m1()
}

/// The hashes of at most [`BATCH`] keys, in `room`.
fn hashes_of<'a, K: Key>(keys: &[K], hash: &KeyHash, room: &'a mut [u64; BATCH]) -> &'a [u64] {
    let hashes = &mut room[..keys.len()];
    for (slot, key) in hashes.iter_mut().zip(keys) {
        *slot = key.hash_with(hash);
    }
    hashes
}
