//! Many keys at once, by the pipeline of [`crate::memory::prefetch`].

use super::{BitLayout, Bloom, Storage};
use crate::memory::prefetch::{Ahead, pipeline};

impl<L: BitLayout, S: Storage> Bloom<L, S> {
    /// Whether each of these keys is in, into `found`, in their order.
    #[inline(always)]
    pub(super) fn contains_each<K>(
        &self,
        keys: &[K],
        found: &mut [bool],
        hash: impl Fn(&K) -> u64,
    ) {
        // Copies, which stay in registers whatever is written.
        let (layout, lines) = (self.layout, self.lines());
        let ahead = Ahead::of(lines.len(), layout.lines_per_key());
        if !ahead.is_needed() {
            for (key, found) in keys.iter().zip(found) {
                *found = layout.contains(lines, hash(key));
            }
            return;
        }
        let mut found = found.iter_mut();
        pipeline(
            ahead,
            keys.iter(),
            &mut found,
            hash,
            |hash, _| layout.fetch(lines, hash),
            |hash, found| {
                if let Some(found) = found.next() {
                    *found = layout.contains(lines, hash);
                }
            },
        );
    }
}

impl<L: BitLayout> Bloom<L> {
    /// Inserts these keys.
    #[inline(always)]
    pub(super) fn insert_each<K>(&mut self, keys: &[K], hash: impl Fn(&K) -> u64) {
        let layout = self.layout;
        self.items.add(keys.len() as u64);
        let mut lines = &mut self.storage[..];
        pipeline(
            Ahead::of(lines.len(), layout.lines_per_key()),
            keys.iter(),
            &mut lines,
            hash,
            |hash, lines| layout.fetch(lines, hash),
            |hash, lines| {
                layout.insert(lines, hash);
            },
        );
    }
}
