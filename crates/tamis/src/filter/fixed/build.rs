//! Building a static filter: only the hashes of its keys are kept.

use super::{StaticFilter, room};
use crate::filter::Design;
use crate::hash::{Key, KeyHash, KeyKinds, Record};
use crate::memory::{Line, line};
use crate::prelude::*;
use crate::solve::band::shape::{Planes, Shape};
use crate::solve::band::system::System;
use crate::solve::{HashedKeys, Watch};
use crate::{Error, Result};

/// So often keys are given more room.
const ATTEMPTS: u32 = 60;

/// The keys of a static filter, while they are collected: ten bytes for each.
#[derive(Debug, Clone)]
pub struct StaticFilterBuilder {
    hash: KeyHash,
    rate: f64,
    record: Record,
    keys: HashedKeys,
}

impl<K: Key> Extend<K> for StaticFilterBuilder {
    fn extend<T: IntoIterator<Item = K>>(&mut self, keys: T) {
        for key in keys {
            self.insert(&key);
        }
    }
}

impl StaticFilter {
    /// A filter of all these keys at this rate of false positives, built on all cores.
    ///
    /// ```
    /// use tamis::filter::StaticFilter;
    ///
    /// let basket = StaticFilter::from_keys(["carrot", "leek", "turnip"], 0.01)?;
    /// assert!(basket.contains("leek"));
    /// # Ok::<(), tamis::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`StaticFilterBuilder::new`] and [`StaticFilterBuilder::build`].
    pub fn from_keys<K: Key>(keys: impl IntoIterator<Item = K>, rate: f64) -> Result<Self> {
        let mut builder = StaticFilterBuilder::new(rate)?;
        builder.extend(keys);
        builder.build()
    }
}

impl StaticFilterBuilder {
    /// For a filter with this rate of false positives.
    ///
    /// # Errors
    /// [`crate::Error::Rate`] unless the rate lies between `2^-30` and 1.
    pub fn new(rate: f64) -> Result<Self> {
        Planes::for_rate(rate)?;
        let (hash, record) = (KeyHash::default(), Record::default());
        Ok(Self { hash, rate, record, keys: HashedKeys::new() })
    }

    /// The same, without keys, with another hash or seed.
    #[must_use]
    pub fn with_hash(self, hash: KeyHash) -> Self {
        Self { hash, record: Record::default(), keys: HashedKeys::new(), ..self }
    }

    /// How keys are hashed.
    #[must_use]
    pub const fn hash(&self) -> &KeyHash {
        &self.hash
    }

    /// Adds many keys.
    pub fn insert_many<K: Key>(&mut self, keys: &[K]) {
        self.extend(keys);
    }

    /// Adds a key; the same one again counts once.
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) {
        self.record_keys(key.kinds());
        self.insert_hash(key.hash_with(&self.hash));
    }

    /// Says what hashes were made of that are added: recorded in the file of the filter.
    #[inline]
    pub fn record_keys(&mut self, kinds: KeyKinds) {
        self.record.add(kinds);
    }

    /// Adds a key with this hash.
    #[inline]
    pub fn insert_hash(&mut self, hash: u64) {
        self.keys.push(hash, 0);
    }

    /// Builds the filter, on all cores.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if there is none, [`crate::Error::Parameter`] if hashes are not spread as those of keys are.
    pub fn build(self) -> Result<StaticFilter> {
        self.build_watched(&|_| ())
    }

    /// As [`Self::build`]; `watch` is told how many keys more were placed.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn build_watched(mut self, watch: Watch<'_>) -> Result<StaticFilter> {
        self.keys.sort();
        let planes = Planes::for_rate(self.rate)?;
        let items = self.keys.len() as u64;
        let design = Design { items, rate: planes.rate() };
        let (shape, storage) = match items {
            0 => (Shape::new(planes, 0, 0)?, Vec::new()),
            _ => self.solved(planes, watch)?,
        };
        Ok(StaticFilter { hash: self.hash, design, keys: self.record, shape, storage })
    }

    /// With as little room as the keys need: more is given where they are crowded.
    fn solved(&self, planes: Planes, watch: Watch<'_>) -> Result<(Shape, Vec<Line>)> {
        for attempt in 0..ATTEMPTS {
            let (starts, span_bits) = room(self.keys.len() as u64, attempt);
            let shape = Shape::new(planes, starts, span_bits)?;
            let watch: Watch<'_> = if attempt == 0 { watch } else { &|_| () };
            if let Some(lines) = self.filled(&shape, watch)? {
                return Ok((shape, lines));
            }
        }
        let (what, expected) = ("the hashes of the keys", "numbers that are spread evenly");
        Err(Error::Parameter { what, expected, got: "many that are nearly equal".to_owned() })
    }

    /// The lines of a shape, unless it has too little room.
    fn filled(&self, shape: &Shape, watch: Watch<'_>) -> Result<Option<Vec<Line>>> {
        let mut lines = line::zeroed(shape.lines())?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut lines);
        for (part, starts) in shape.parts().into_iter().enumerate() {
            if starts.is_empty() {
                continue;
            }
            let system = System::new(shape, part, &self.keys);
            let Ok(solution) = system.solve(watch) else {
                return Ok(None);
            };
            let (planes, first) = shape.part(part);
            let blocks = (starts.end - starts.start + shape.span()) as usize;
            let planes = planes as usize;
            let words = bytes[first..].chunks_exact_mut(2);
            for (index, word) in words.take(blocks * planes).enumerate() {
                let block = solution.block(index / planes, index % planes);
                word.copy_from_slice(&block.to_le_bytes());
            }
        }
        Ok(Some(lines))
    }
}
