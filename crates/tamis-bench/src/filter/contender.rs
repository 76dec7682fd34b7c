//! What is measured of every filter, ours and others'.

use crate::timing::timed;
use std::hash::Hash;
use std::marker::PhantomData;
use std::time::Duration;
use tamis::hash::{Key, KeyHash};

/// A key in every form that some filter asks for.
pub(crate) trait BenchKey: Key + Hash + Copy + Send + Sync {
    /// What the static filters take: an integer as it is, a text by its hash.
    fn word(&self) -> u64;

    /// What filters over byte strings take.
    fn with_bytes<R>(&self, work: impl FnOnce(&[u8]) -> R) -> R;
}

impl BenchKey for u64 {
    #[inline(always)]
    fn word(&self) -> u64 {
        *self
    }

    #[inline(always)]
    fn with_bytes<R>(&self, work: impl FnOnce(&[u8]) -> R) -> R {
        work(&self.to_le_bytes())
    }
}

impl BenchKey for &str {
    #[inline(always)]
    fn word(&self) -> u64 {
        self.hash_with(&KeyHash::default())
    }

    #[inline(always)]
    fn with_bytes<R>(&self, work: impl FnOnce(&[u8]) -> R) -> R {
        work(self.as_bytes())
    }
}

/// A filter on the track. Each method walks all keys itself, so that the call through the
/// trait is paid once per slice and everything inside is compiled for its own filter.
pub(crate) trait Contender<K> {
    /// Forgets all keys and keeps the memory.
    fn clear(&mut self);

    /// Inserts these keys.
    fn insert(&mut self, keys: &[K]);

    /// How many of these keys are found.
    fn count(&self, keys: &[K]) -> usize;

    /// The size of the whole filter.
    fn bits(&self) -> u64;

    /// How long [`Self::insert`] takes.
    fn insert_time(&mut self, keys: &[K]) -> Duration {
        timed(|| self.insert(keys))
    }

    /// Whether it must be given all keys in one call.
    fn is_static(&self) -> bool {
        false
    }
}

/// A contender with its name in tables.
pub(crate) struct Entry<'a, K> {
    pub(crate) name: &'static str,
    pub(crate) contender: Box<dyn Contender<K> + 'a>,
}

impl<'a, K> Entry<'a, K> {
    pub(crate) fn new(name: &'static str, contender: impl Contender<K> + 'a) -> Self {
        Self { name, contender: Box::new(contender) }
    }
}

/// A filter that is used key by key: the loops around three closures.
pub(crate) struct KeyByKey<K, F, Clear, Insert, Contains> {
    filter: F,
    bits: u64,
    clear: Clear,
    insert: Insert,
    contains: Contains,
    keys: PhantomData<fn(K)>,
}

impl<K, F, Clear, Insert, Contains> KeyByKey<K, F, Clear, Insert, Contains>
where
    Clear: Fn(&mut F),
    Insert: Fn(&mut F, &K),
    Contains: Fn(&F, &K) -> bool,
{
    pub(crate) fn new(
        filter: F,
        bits: u64,
        clear: Clear,
        insert: Insert,
        contains: Contains,
    ) -> Self {
        Self { filter, bits, clear, insert, contains, keys: PhantomData }
    }
}

impl<K, F, Clear, Insert, Contains> Contender<K> for KeyByKey<K, F, Clear, Insert, Contains>
where
    Clear: Fn(&mut F),
    Insert: Fn(&mut F, &K),
    Contains: Fn(&F, &K) -> bool,
{
    fn clear(&mut self) {
        (self.clear)(&mut self.filter);
    }

    fn insert(&mut self, keys: &[K]) {
        for key in keys {
            (self.insert)(&mut self.filter, key);
        }
    }

    fn count(&self, keys: &[K]) -> usize {
        keys.iter().filter(|key| (self.contains)(&self.filter, key)).count()
    }

    fn bits(&self) -> u64 {
        self.bits
    }
}
