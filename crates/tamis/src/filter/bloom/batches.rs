//! Many keys at once.
//!
//! While a filter is in some cache, a processor that works on several keys at once waits as little as one that was told of their lines
//! beforehand. Otherwise keys are hashed and their lines asked for, some dozens at a time, before the first of them is looked at. Where a key is a call, many are handed over together.

use super::{Bloom, Layout, Line, Storage};
use crate::filter::{contains_in_batches, insert_in_batches};
use crate::hash::{Key, KeyHash};

/// Filters of up to this many lines, 4 MiB, are in some cache.
pub(super) const ONE_BY_ONE: usize = 1 << 16;

/// The most keys that are asked for at a time.
const MOST_ASKED: usize = 64;

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
        for keys in keys.chunks(L::ASKED) {
            let mut room = [0; MOST_ASKED];
            let hashes = asked(layout, lines, &hash, keys, &mut room);
            found.extend(hashes.iter().map(|&hash| layout.contains(lines, hash)));
        }
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
        for keys in keys.chunks(L::ASKED) {
            let mut room = [0; MOST_ASKED];
            for &hash in asked(layout, lines, &hash, keys, &mut room) {
                layout.insert(lines, hash);
            }
        }
    }
}

/// The hashes of keys, whose lines are on their way.
#[inline(always)]
fn asked<'a, L: Layout, K: Key>(
    layout: L,
    lines: &[Line],
    hash: &KeyHash,
    keys: &[K],
    room: &'a mut [u64; MOST_ASKED],
) -> &'a [u64] {
    const { assert!(L::ASKED <= MOST_ASKED) };
    let hashes = &mut room[..keys.len()];
    for (slot, key) in hashes.iter_mut().zip(keys) {
        *slot = key.hash_with(hash);
        layout.ask(lines, *slot);
    }
    hashes
}
