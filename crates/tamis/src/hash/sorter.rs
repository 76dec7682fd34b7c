//! Sorting by hash: the high bits of a hash tell nearly where its item belongs.
//!
//! Hashes are spread evenly, so that with four times as many places as items most places have one item or none:
//! items are counted by place, moved there, and the few that stand before a lesser neighbour are brought back. That
//! takes half the time of sorting by comparison. Keys that are not spread evenly are noticed by the way that items would
//! have to go, and are sorted by comparison after all.

use crate::prelude::*;

/// Fewer items are sorted by comparison, which then needs no preparation.
const LEAST: usize = 16;

/// More items than this have no use of [`MOST_PLACES`].
const MOST: usize = 1 << 20;

/// The places are looked up at random, and have to stay in the near caches.
const MOST_PLACES: u32 = 18;

/// Sorts by hash, many times with the same room.
#[derive(Debug, Clone)]
pub struct Sorter<T> {
    room: Vec<T>,
    /// Where the next item of each place goes.
    next: Vec<u32>,
}

impl<T> Default for Sorter<T> {
    fn default() -> Self {
        Self { room: Vec::new(), next: Vec::new() }
    }
}

impl<T: Copy> Sorter<T> {
    /// Sorts items by hash, ascending; those of the same hash stay in their order.
    pub fn sort(&mut self, items: &mut [T], hash: impl Fn(&T) -> u64) {
        if !(LEAST..=MOST).contains(&items.len()) {
            return items.sort_by_key(hash);
        }
        self.place(items, &hash);
        if !settle(items, &hash) {
            items.sort_by_key(hash);
        }
    }

    /// Sorts by the high bits alone.
    fn place(&mut self, items: &mut [T], hash: impl Fn(&T) -> u64) {
        let bits = (items.len().ilog2() + 2).min(MOST_PLACES);
        let place = |item: &T| (hash(item) >> (64 - bits)) as usize;
        self.next.clear();
        self.next.resize(1 << bits, 0);
        let next = &mut self.next[..];
        for item in &*items {
            next[place(item)] += 1;
        }
        let mut sum = 0;
        for next in &mut *next {
            sum += core::mem::replace(next, sum);
        }
        self.room.clear();
        self.room.extend_from_slice(items);
        for item in &self.room {
            let next = &mut next[place(item)];
            items[*next as usize] = *item;
            *next += 1;
        }
    }
}

/// Brings items that are nearly in order into order; gives up when that takes too many moves.
fn settle<T: Copy>(items: &mut [T], hash: impl Fn(&T) -> u64) -> bool {
    let (mut largest, mut moves) = (0, 0);
    for index in 0..items.len() {
        let item = items[index];
        let own = hash(&item);
        if own >= largest {
            largest = own;
            continue;
        }
        let mut to = index;
        while to > 0 && hash(&items[to - 1]) > own {
            items[to] = items[to - 1];
            to -= 1;
            moves += 1;
            // Four items at each place need two moves for each item.
            if moves > 8 * items.len() {
                items[to] = item;
                return false;
            }
        }
        items[to] = item;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::KeyHash;
    use proptest::prelude::*;

    fn same(keys: impl Iterator<Item = u64>) {
        let mut items: Vec<(u64, usize)> = keys.zip(0..).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|item| item.0);
        let mut sorter = Sorter::default();
        for _ in 0..2 {
            let mut items = items.clone();
            sorter.sort(&mut items, |item| item.0);
            assert!(items == expected, "{} items", items.len());
        }
        // Those that are sorted stay so.
        sorter.sort(&mut expected, |item| item.0);
        sorter.sort(&mut items, |item| item.0);
        assert!(items == expected);
    }

    #[test]
    fn hashes_of_any_number_and_spread_are_sorted() {
        for count in [0, 1, 15, 16, 17, 1000, 100_000, MOST as u64 + 1] {
            let hash = |key| KeyHash::default().integer(key);
            same((0..count).map(hash));
            same((0..count).map(|key| hash(key % 7)));
            same((0..count).map(|key| hash(key) >> 40));
            same((0..count).rev());
            same((0..count).map(|key| key << 44));
        }
    }

    proptest! {
        #[test]
        fn sorting_by_place_and_by_comparison_agree(
            keys in proptest::collection::vec(any::<u64>(), 0..300),
            shift in 0u32..64,
        ) {
            same(keys.into_iter().map(|key| key >> shift));
        }
    }
}
