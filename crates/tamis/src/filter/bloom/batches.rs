//! Many keys at once.
//!
//! While a filter is in some cache, a processor that works on several keys at once waits as little as one that was told of their lines
//! beforehand. Otherwise a key is looked at when some dozens behind it are hashed and their lines asked for. Where a key is a call, many are handed over together.

use super::{Bloom, Layout, Line, Storage};
use crate::filter::{contains_in_batches, insert_in_batches};
use crate::hash::{Key, KeyHash};
use crate::memory::prefetch::for_each_asked;

/// Filters of up to this many lines, 4 MiB, are in some cache.
pub(super) const ONE_BY_ONE: usize = 1 << 16;

impl<L: Layout, S: Storage> Bloom<L, S> {
    pub(super) fn contains_each<K: Key>(&self, keys: &[K]) -> Vec<bool> {
        // Copies, which stay in registers whatever is written.
        let (layout, hash, lines) = (self.layout, self.hash, self.lines());
        if !layout.is_inlined() {
            return contains_in_batches(self, keys);
        }
        if lines.len() <= ONE_BY_ONE {
            return keys.iter().map(|key| layout.contains(lines, key.hash_with(&hash))).collect();
        }
        let mut found = Vec::with_capacity(keys.len());
        for_each_asked(
            L::ASKED,
            keys,
            lines,
            |key, lines| asked(layout, lines, &hash, key),
            |hash, lines| found.push(layout.contains(lines, hash)),
        );
        found
    }
}

impl<L: Layout> Bloom<L> {
    pub(super) fn insert_each<K: Key>(&mut self, keys: &[K]) {
        let (layout, hash) = (self.layout, self.hash);
        if !layout.is_inlined() {
            return insert_in_batches(self, keys);
        }
        self.items.add(keys.len() as u64);
        let lines = &mut self.storage[..];
        if lines.len() <= ONE_BY_ONE {
            return keys.iter().for_each(|key| layout.insert(lines, key.hash_with(&hash)));
        }
        for_each_asked(
            L::ASKED,
            keys,
            lines,
            |key, lines| asked(layout, lines, &hash, key),
            |hash, lines| layout.insert(lines, hash),
        );
    }
}

/// The hash of a key, whose lines are on their way.
#[inline(always)]
fn asked<L: Layout>(layout: L, lines: &[Line], hash: &KeyHash, key: &impl Key) -> u64 {
    let hash = key.hash_with(hash);
    layout.ask(lines, hash);
    hash
}
