//! The hashes of keys with their categories, ten bytes each, in order.

use super::parallel;
use crate::prelude::*;
use core::ops::Range;

/// Keys are kept apart by this many of their highest bits, so that they are put in order part by part.
const PART_BITS: u32 = 8;

/// The hash of a key, and a number that belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C, packed(2))]
pub(crate) struct HashedKey {
    pub hash: u64,
    pub category: u16,
}

/// Keys by their hashes.
#[derive(Debug, Clone)]
pub(crate) struct HashedKeys {
    parts: Vec<Vec<HashedKey>>,
}

impl HashedKeys {
    pub fn new() -> Self {
        Self { parts: vec![Vec::new(); 1 << PART_BITS] }
    }

    #[inline]
    pub fn push(&mut self, hash: u64, category: u16) {
        self.parts[(hash >> (64 - PART_BITS)) as usize].push(HashedKey { hash, category });
    }

    pub fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// All keys in ascending order, if [`Self::sort`] was called.
    pub fn iter(&self) -> impl Iterator<Item = HashedKey> {
        self.parts.iter().flatten().copied()
    }

    /// Puts them in order, each once.
    pub fn sort(&mut self) {
        parallel::for_each(&mut self.parts, |part| {
            part.sort_unstable();
            part.dedup();
        });
    }

    /// Pairs of neighbours with one hash.
    pub fn twice(&self) -> impl Iterator<Item = [HashedKey; 2]> {
        let pairs = self.parts.iter().flat_map(|part| part.windows(2));
        let pairs = pairs.filter_map(|pair| pair.first_chunk().copied());
        pairs.filter(|[first, second]: &[HashedKey; 2]| { first.hash } == second.hash)
    }

    /// Keeps those that are wanted.
    pub fn retain(&mut self, wanted: impl Fn(HashedKey) -> bool + Sync) {
        parallel::for_each(&mut self.parts, |part| part.retain(|key| wanted(*key)));
    }

    /// How many are wanted.
    pub fn count(&self, wanted: impl Fn(HashedKey) -> bool + Sync) -> usize {
        self.sum(|key| usize::from(wanted(key)))
    }

    /// The sum of what each gives.
    pub fn sum(&self, value: impl Fn(HashedKey) -> usize + Sync) -> usize {
        let of_part = |part: usize| self.parts[part].iter().map(|key| value(*key)).sum::<usize>();
        parallel::map(self.parts.len(), of_part).into_iter().sum()
    }

    /// Those that start in a range, ascending; `start` must be in the order of hashes.
    pub fn starting(
        &self,
        starts: Range<u64>,
        start: impl Fn(u64) -> u64,
    ) -> impl Iterator<Item = HashedKey> {
        self.parts.iter().flat_map(move |part| {
            let from = part.partition_point(|key| start(key.hash) < starts.start);
            let own = part[from..].partition_point(|key| start(key.hash) < starts.end);
            part[from..from + own].iter().copied()
        })
    }

    /// The keys of a shard, ascending.
    #[cfg(feature = "cascade")]
    pub fn shard(&self, shard: usize, shard_bits: u32) -> impl Iterator<Item = HashedKey> {
        let shard_of = move |key: &HashedKey| super::ribbon::shard_of(key.hash, shard_bits);
        let parts = match shard_bits.checked_sub(PART_BITS) {
            None => {
                let each = 1 << (PART_BITS - shard_bits);
                &self.parts[shard * each..(shard + 1) * each]
            }
            Some(more) => core::slice::from_ref(&self.parts[shard >> more]),
        };
        parts.iter().flat_map(move |part| {
            let from = part.partition_point(|key| shard_of(key) < shard);
            let own = part[from..].partition_point(|key| shard_of(key) == shard);
            part[from..from + own].iter().copied()
        })
    }
}
