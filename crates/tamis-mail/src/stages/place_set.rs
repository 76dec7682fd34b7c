//! A set of places that is filled in any order and read in ascending order.
//!
//! A bitmap with one bit per place, and a summary with one bit per 64 places: reading visits only
//! words that are not empty, and clears them. That costs a fraction of sorting. Tables larger than
//! [`MAX_BITMAP`] would need a bitmap outside the caches; their places are sorted instead.

use std::cell::Cell;

/// Largest table with a bitmap, in bits of its places: 512 KiB.
const MAX_BITMAP: u32 = 22;

thread_local! {
    /// An empty set whose memory is used for the next message.
    static SPARE: Cell<Option<PlaceSet>> = const { Cell::new(None) };
}

/// A set of places.
#[derive(Debug, Default)]
pub(super) struct PlaceSet {
    /// Bits of a place.
    bits: u32,
    words: Vec<u64>,
    summary: Vec<u64>,
    count: usize,
    /// All places of a large table, repetitions included.
    list: Vec<u32>,
}

impl PlaceSet {
    /// An empty set; give it back with [`Self::keep`].
    pub(super) fn take() -> Self {
        SPARE.take().unwrap_or_default()
    }

    /// Keeps the memory for the next [`Self::take`] of this thread.
    pub(super) fn keep(self) {
        SPARE.set(Some(self));
    }

    /// Prepares for places of so many bits.
    pub(super) fn start(&mut self, bits: u32) {
        self.bits = bits;
        let words = 1usize << bits.min(MAX_BITMAP).saturating_sub(6);
        if self.words.len() < words {
            self.words.resize(words, 0);
            self.summary.resize(words.div_ceil(64), 0);
        }
    }

    /// Adds a place below the bound of [`Self::start`].
    #[inline]
    pub(super) fn insert(&mut self, place: u32) {
        if self.bits > MAX_BITMAP {
            self.list.push(place);
            return;
        }
        let at = place as usize / 64;
        let Some(word) = self.words.get_mut(at) else { return };
        let bit = 1 << (place % 64);
        self.count += usize::from(*word & bit == 0);
        *word |= bit;
        self.summary[at / 64] |= 1 << (at % 64);
    }

    /// The places, ascending and distinct; the set is empty afterwards.
    pub(super) fn drain(&mut self) -> Vec<u32> {
        if self.bits > MAX_BITMAP {
            self.list.sort_unstable();
            self.list.dedup();
            let places = self.list.clone();
            self.list.clear();
            return places;
        }
        let mut places = Vec::with_capacity(std::mem::take(&mut self.count));
        for (block, summary) in self.summary.iter_mut().enumerate() {
            let mut left = std::mem::take(summary);
            while left != 0 {
                let at = 64 * block + left.trailing_zeros() as usize;
                left &= left - 1;
                let mut word = std::mem::take(&mut self.words[at]);
                while word != 0 {
                    places.push(64 * at as u32 + word.trailing_zeros());
                    word &= word - 1;
                }
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn places_are_drained_in_order_and_once(
            bits in prop::sample::select(vec![7, 12, 20, MAX_BITMAP, MAX_BITMAP + 1]),
            places in prop::collection::vec(any::<u32>(), 0..300),
        ) {
            let mut set = PlaceSet::take();
            let places: Vec<u32> = places.into_iter().map(|place| place >> (32 - bits)).collect();
            for _ in 0..2 {
                set.start(bits);
                places.iter().for_each(|place| set.insert(*place));
                let expected: Vec<u32> = BTreeSet::from_iter(places.clone()).into_iter().collect();
                prop_assert_eq!(set.drain(), expected);
            }
            set.keep();
        }
    }
}
