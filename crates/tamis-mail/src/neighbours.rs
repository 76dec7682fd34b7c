//! Which learned messages is this one like? Signatures in a locality-sensitive index.
//!
//! A signature has 128 components of eight bits. Forty-two bands of three components each choose a chain of messages;
//! two messages of similarity `J` meet in at least one with probability `1 - (1 - J^3)^42`: 0.996 at one half.
//! Of a chain the newest messages are looked at, so that a flood of copies costs no more than a few.
//! Different components agree by chance once in 256 times, for which the estimate is corrected
//! ([`tamis::similar::signature`]); its standard error is at most 0.045.

use crate::table::Table;
use crate::table::list::List;
use bytemuck::{Pod, Zeroable};
use std::borrow::Cow;
use tamis::hash::{MULTIPLIER, reduce};

/// Components of a signature.
pub const COMPONENTS: usize = 128;

const ROWS: usize = 3;
const BANDS: usize = COMPONENTS / ROWS;

/// How many messages of a chain are looked at.
const LONGEST_CHAIN: usize = 32;

/// The label of a message that was taken back.
const GONE: u32 = u32::MAX;

/// What a text is like.
pub type Signature = [u8; COMPONENTS];

/// Eight bits of each component, the evenly spread ones.
pub(crate) fn packed(components: &[u64; COMPONENTS]) -> Signature {
    components.map(|component| (component.wrapping_mul(MULTIPLIER) >> 56) as u8)
}

/// The estimated similarity of two texts.
#[must_use]
pub fn similarity(left: &Signature, right: &Signature) -> f64 {
    let equal: u16 = left.iter().zip(right).map(|(a, b)| u16::from(a == b)).sum();
    let part = f64::from(equal) / COMPONENTS as f64;
    let chance = 1.0 / 256.0;
    ((part - chance) / (1.0 - chance)).max(0.0)
}

/// A learned message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Neighbour {
    /// When it was learned, in seconds since 1970.
    pub time: u64,
    /// Which message it is.
    pub digest: [u8; 16],
    label: u32,
    /// The message before it in each chain, as its number plus one.
    before: [u32; BANDS],
    zero: u32,
    /// What it is like.
    pub signature: Signature,
}

impl Neighbour {
    /// The number of its label.
    pub(crate) const fn label(&self) -> u32 {
        self.label
    }

    /// The place before its own in the chain of a band, 0 at the end.
    const fn before(&self, band: usize, place: u32) -> u32 {
        let before = self.before[band];
        // A damaged file may lead anywhere, but never forward.
        if before < place { before } else { 0 }
    }
}

/// A learned message and how similar it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Its number.
    pub number: u32,
    /// Its label.
    pub label: u8,
    /// The estimated similarity.
    pub similarity: f64,
}

/// All learned messages that have enough text.
#[derive(Debug, Clone)]
pub struct Neighbours {
    /// For each chain its newest message, as its number plus one.
    heads: Table<u32>,
    kept: List<Neighbour>,
    added: Vec<Neighbour>,
}

impl Neighbours {
    /// How many chains belong to a table of `2^bits` cells.
    #[must_use]
    pub const fn chains_for(bits: u32) -> usize {
        1 << (bits - 1)
    }

    /// No message yet.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        let heads = Table::new(Self::chains_for(bits));
        Self { heads, kept: Vec::new().into(), added: Vec::new() }
    }

    pub(crate) const fn from_parts(heads: Table<u32>, kept: List<Neighbour>) -> Self {
        Self { heads, kept, added: Vec::new() }
    }

    /// The chains, to be kept.
    #[must_use]
    pub const fn heads(&self) -> &Table<u32> {
        &self.heads
    }

    /// How many messages have a number, those that were taken back included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len() + self.added.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All messages that were not taken back, in the order of learning.
    pub fn iter(&self) -> impl Iterator<Item = &Neighbour> {
        self.kept.iter().chain(&self.added).filter(|message| message.label != GONE)
    }

    /// A message by its number.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&Neighbour> {
        let number = number as usize;
        match number.checked_sub(self.kept.len()) {
            None => self.kept.get(number),
            Some(added) => self.added.get(added),
        }
    }

    fn get_mut(&mut self, number: u32) -> Option<&mut Neighbour> {
        let number = number as usize;
        match number.checked_sub(self.kept.len()) {
            None => self.kept.get_mut(number),
            Some(added) => self.added.get_mut(added),
        }
    }

    fn chain(&self, band: usize, signature: &Signature) -> usize {
        let rows = &signature[band * ROWS..][..ROWS];
        let key = rows.iter().fold(1, |key, row| key << 8 | u64::from(*row));
        // Each band has chains of its own: a message is in one chain of each.
        let chains = self.heads.len() / BANDS;
        band * chains + reduce(key.wrapping_mul(MULTIPLIER), chains as u64) as usize
    }

    /// Takes a message in.
    pub fn insert(&mut self, signature: Signature, label: u8, digest: [u8; 16], time: u64) {
        let number = self.len() as u32 + 1;
        let mut before = [0; BANDS];
        for (band, before) in before.iter_mut().enumerate() {
            let chain = self.chain(band, &signature);
            self.heads.update(chain, |head| *before = std::mem::replace(head, number));
        }
        let label = u32::from(label);
        self.added.push(Neighbour { time, digest, label, before, zero: 0, signature });
    }

    /// Takes a message out; it keeps its place in the chains until the index is kept anew.
    pub fn remove(&mut self, signature: &Signature, digest: [u8; 16]) {
        // It is in one chain of each band; the first will do.
        let mut place = self.heads.get(self.chain(0, signature));
        while let Some(message) = place.checked_sub(1).and_then(|number| self.get_mut(number)) {
            if message.digest == digest && message.label != GONE {
                message.label = GONE;
                return;
            }
            place = message.before(0, place);
        }
    }

    /// Gives all messages of a label another one.
    pub fn relabel(&mut self, from: u8, to: u8) {
        let kept: &mut [Neighbour] = &mut self.kept;
        for message in kept.iter_mut().chain(&mut self.added) {
            if message.label == u32::from(from) {
                message.label = u32::from(to);
            }
        }
    }

    /// The newest messages in the chains of a signature, ascending.
    fn chained(&self, signature: &Signature) -> Vec<u32> {
        let mut places: [u32; BANDS] =
            std::array::from_fn(|band| self.heads.get(self.chain(band, signature)));
        let mut numbers = Vec::with_capacity(2 * BANDS);
        // A step in each chain by turns: the memory then brings the messages of many chains at once.
        for _ in 0..LONGEST_CHAIN {
            if places == [0; BANDS] {
                break;
            }
            for (band, place) in places.iter_mut().enumerate() {
                let Some(number) = place.checked_sub(1) else { continue };
                numbers.push(number);
                *place = self.get(number).map_or(0, |message| message.before(band, *place));
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The learned messages that are similar, the most similar first.
    #[must_use]
    pub fn find(&self, signature: &Signature, least: f64) -> Vec<Near> {
        let near = |number: u32| {
            let message = self.get(number)?;
            let label = u8::try_from(message.label).ok()?;
            let similarity = similarity(signature, &message.signature);
            (similarity >= least).then_some(Near { number, label, similarity })
        };
        let mut found: Vec<Near> = self.chained(signature).into_iter().filter_map(near).collect();
        found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(b.number.cmp(&a.number)));
        found
    }

    /// The same index without the messages that were taken back, as if they had never been in. Where there is none it is the
    /// index itself: a copy takes as much memory again.
    #[must_use]
    pub fn compacted(&self) -> Cow<'_, Self> {
        if self.iter().count() == self.len() {
            return Cow::Borrowed(self);
        }
        let mut compact = Self {
            heads: Table::new(self.heads.len()),
            kept: Vec::new().into(),
            added: Vec::with_capacity(self.len()),
        };
        for message in self.iter() {
            compact.insert(message.signature, message.label as u8, message.digest, message.time);
        }
        Cow::Owned(compact)
    }

    /// Drops the messages that were taken back, if they are the larger part.
    pub(crate) fn compact(&mut self) {
        let live = self.iter().count();
        if self.len() > 2 * live + 1024
            && let Cow::Owned(compact) = self.compacted()
        {
            *self = compact;
        }
    }

    /// The messages in the order of their numbers, to be kept; of a compacted index.
    #[must_use]
    pub fn messages(&self) -> Cow<'_, [Neighbour]> {
        match (&*self.kept, &*self.added) {
            ([], added) => Cow::Borrowed(added),
            (kept, []) => Cow::Borrowed(kept),
            (kept, added) => Cow::Owned([kept, added].concat()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(seed: u64) -> Signature {
        let mut functions = tamis::hash::Functions::new(tamis::hash::KeyHash::new(seed).integer(1));
        std::array::from_fn(|_| (functions.next().unwrap_or(0) >> 56) as u8)
    }

    fn mixed(left: &Signature, right: &Signature, of_right: usize) -> Signature {
        std::array::from_fn(|i| if i % 8 < of_right { right[i] } else { left[i] })
    }

    #[test]
    fn the_nearest_message_is_found_and_forgotten() {
        let mut index = Neighbours::new(12);
        for seed in 0..500 {
            index.insert(signature(seed), (seed % 2) as u8, [seed as u8; 16], seed);
        }
        let asked = mixed(&signature(77), &signature(9999), 2);
        let found = index.find(&asked, 0.5);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].number, found[0].label), (77, 1));
        assert!((found[0].similarity - 0.75).abs() < 0.02, "{}", found[0].similarity);
        index.remove(&signature(77), [77; 16]);
        assert!(index.find(&asked, 0.5).is_empty());
        let compact = index.compacted();
        assert_eq!((compact.len(), index.len()), (499, 500));
        assert_eq!(compact.find(&signature(78), 0.9)[0].number, 77);
    }

    /// What is written must not depend on how the index came to be: by a copy, in one go or on top of a file.
    #[test]
    fn an_index_without_gaps_is_kept_as_it_is() {
        let insert = |index: &mut Neighbours, seeds: std::ops::Range<u64>| {
            for seed in seeds {
                // Every third is a copy, so that chains are longer than one.
                index.insert(signature(seed / 3), (seed % 2) as u8, [seed as u8; 16], seed);
            }
        };
        let mut whole = Neighbours::new(12);
        insert(&mut whole, 0..300);
        assert!(matches!(whole.compacted(), Cow::Borrowed(_)));

        let mut first = Neighbours::new(12);
        insert(&mut first, 0..100);
        let (heads, kept) = (first.heads().clone(), first.messages().into_owned());
        let mut second = Neighbours::from_parts(heads, kept.into());
        assert_eq!(second.messages(), first.messages(), "nothing was added");
        insert(&mut second, 100..300);
        assert!(matches!(second.compacted(), Cow::Borrowed(_)));

        // Taking one out that was put in last leaves what was there, by way of a copy.
        let mut third = whole.clone();
        third.insert(signature(1000), 1, [255; 16], 1000);
        third.remove(&signature(1000), [255; 16]);
        let third = third.compacted();
        assert!(matches!(third, Cow::Owned(_)));
        for other in [&second, &*third] {
            assert_eq!(other.heads(), whole.heads());
            assert_eq!(other.messages(), whole.messages());
        }
    }

    #[test]
    fn a_flood_of_copies_hides_nobody() {
        let mut index = Neighbours::new(12);
        index.insert(signature(1), 0, [1; 16], 0);
        for copy in 0..1000 {
            index.insert(signature(2), 1, [2; 16], copy);
        }
        assert_eq!(index.find(&signature(1), 0.5)[0].number, 0);
        assert!(index.find(&signature(2), 0.5).len() <= LONGEST_CHAIN);
    }
}
