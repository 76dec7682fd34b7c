//! The documents of a file, used in place. Nothing in it is trusted: a number that leads nowhere
//! finds nothing.

use crate::memory::{Line, Storage};
use std::borrow::Cow;

/// The parts of the content, each a whole number of lines.
#[derive(Debug)]
pub(super) struct Base<S> {
    pub(super) documents: usize,
    pub(super) entries: usize,
    /// The components of each document, 32 bits each; zeros for the empty set, which has no bands.
    pub(super) components: S,
    /// The hashes of all bands, ascending, and the document of each at the same place.
    pub(super) hashes: S,
    pub(super) numbers: S,
    /// Where the name of each document ends in `names`.
    pub(super) ends: S,
    /// The documents in the order of their names.
    pub(super) order: S,
    pub(super) names: S,
}

impl Base<Vec<Line>> {
    pub(super) const fn empty() -> Self {
        Self {
            documents: 0,
            entries: 0,
            components: Vec::new(),
            hashes: Vec::new(),
            numbers: Vec::new(),
            ends: Vec::new(),
            order: Vec::new(),
            names: Vec::new(),
        }
    }
}

fn words32(part: &impl Storage) -> &[u32] {
    bytemuck::cast_slice(part.lines())
}

fn words64(part: &impl Storage) -> &[u64] {
    bytemuck::cast_slice(part.lines())
}

impl<S: Storage> Base<S> {
    pub(super) const fn len(&self) -> usize {
        self.documents
    }

    /// The bands of all documents.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u64, u32)> {
        let hashes = words64(&self.hashes).iter().map(|&hash| u64::from_le(hash));
        let numbers = words32(&self.numbers).iter().map(|&number| u32::from_le(number));
        hashes.zip(numbers).take(self.entries)
    }

    /// The documents with this band.
    pub(super) fn with_band(&self, hash: u64) -> impl Iterator<Item = u32> {
        let hashes = &words64(&self.hashes)[..self.entries];
        let numbers = words32(&self.numbers);
        let first = hashes.partition_point(|&other| u64::from_le(other) < hash);
        let same = hashes[first..].iter().take_while(move |&&other| u64::from_le(other) == hash);
        same.zip(&numbers[first..]).map(|(_, &number)| u32::from_le(number))
    }

    pub(super) fn id(&self, number: usize) -> &str {
        let ends = words64(&self.ends);
        let end = |index: usize| u64::from_le(ends[index]) as usize;
        let start = number.checked_sub(1).map_or(0, end);
        let names: &[u8] = bytemuck::cast_slice(self.names.lines());
        let bytes = names.get(start..end(number)).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    pub(super) fn number(&self, id: &str) -> Option<u32> {
        let order = &words32(&self.order)[..self.documents];
        let name = |number: u32| {
            let number = u32::from_le(number);
            if (number as usize) < self.documents { self.id(number as usize) } else { "" }
        };
        let place = order.partition_point(|&number| name(number) < id);
        let number = order.get(place).copied().filter(|&number| name(number) == id)?;
        Some(u32::from_le(number)).filter(|&number| (number as usize) < self.documents)
    }

    pub(super) fn components(&self, number: usize, count: usize) -> Cow<'_, [u32]> {
        let components = &words32(&self.components)[number * count..(number + 1) * count];
        if components.iter().all(|&component| component == 0) {
            return Cow::Borrowed(&[]);
        }
        if cfg!(target_endian = "little") {
            Cow::Borrowed(components)
        } else {
            Cow::Owned(components.iter().map(|&component| u32::from_le(component)).collect())
        }
    }
}
