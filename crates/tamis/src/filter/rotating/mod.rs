//! The rotating filter: what was not seen for `N` rotations is forgotten.
//!
//! `N` generations of one blocked Bloom filter each, all of the same size. Insertions go into
//! the current generation, questions ask all of them, and [`RotatingFilter::rotate`] empties
//! the oldest one and makes it the current. With 30 generations and a rotation each
//! midnight, "found" means "seen in the last 30 days".
//!
//! Because the generations are of the same size, a key has the same line in each. The lines of one
//! number stand side by side, so that a question reads one stretch of memory.
//!
//! ```text
//! rate of a generation = 1 - (1 - rate)^(1/N)
//! ```
//!
//! ```
//! use tamis::filter::RotatingFilter;
//!
//! let mut seen = RotatingFilter::with_false_positive_rate(3, 1_000, 0.01)?;
//! seen.insert("anne@example.org");
//! seen.rotate();
//! seen.rotate();
//! assert_eq!(seen.age("anne@example.org"), Some(2));
//! seen.rotate();
//! assert!(!seen.contains("anne@example.org"));
//! # Ok::<(), tamis::Error>(())
//! ```

mod serialization;

use super::bloom::{BitLayout, Blocked};
use super::methods::{insert_methods, question_methods, stored_methods};
use super::{Design, Filter, Insert, LINE_BITS, any_of, joined_keys};
use crate::hash::{Key, KeyHash, KeyKinds, Record};
use crate::memory::prefetch::{Ahead, pipeline, prefetch};
use crate::memory::{Line, Storage, line};
use crate::prelude::*;
use crate::{Error, Result};

/// The most generations.
pub const MAX_GENERATIONS: u32 = 1024;

/// Generations of a Bloom filter, of which the oldest is forgotten at each rotation.
///
/// ```
/// use tamis::filter::RotatingFilter;
///
/// let mut seen = RotatingFilter::with_false_positive_rate(2, 1_000, 0.01)?;
/// seen.insert("leek");
/// seen.rotate();
/// assert!(seen.contains("leek"));
/// seen.rotate();
/// assert!(!seen.contains("leek"));
/// # Ok::<(), tamis::Error>(())
/// ```
///
/// 1. A key inserted at most `N - 1` rotations ago is found.
/// 2. A key that was not inserted since is forgotten after `N` rotations.
#[derive(Clone, PartialEq)]
pub struct RotatingFilter<S = Vec<Line>> {
    layout: Blocked,
    hash: KeyHash,
    design: Design,
    current: u32,
    keys: Record,
    items: Vec<u64>,
    storage: S,
}

impl RotatingFilter {
    /// With this many generations of `items` keys each; the rate holds for all of them together.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than [`MAX_GENERATIONS`] or none; [`Error::Rate`],
    /// [`Error::Bits`] or [`Error::Memory`].
    pub fn with_false_positive_rate(generations: u32, items: u64, rate: f64) -> Result<Self> {
        check_generations(generations)?;
        Design::check_rate(rate, 0.0)?;
        let each = -((-rate).ln_1p() / f64::from(generations)).exp_m1();
        let layout = Blocked::for_rate(items, each)?;
        Self::with_layout(generations, layout, Design { items, rate })
    }

    /// With this many generations of so many bits each and this many functions.
    ///
    /// # Errors
    /// [`Error::Parameter`], [`Error::Hashes`], [`Error::Bits`] or [`Error::Memory`].
    pub fn with_bits(generations: u32, bits: u64, hashes: u32) -> Result<Self> {
        check_generations(generations)?;
        let layout = Blocked::for_bits(bits, hashes)?;
        let items = layout.half_full();
        let rate = compound(layout.expected_rate(items), generations);
        Self::with_layout(generations, layout, Design { items, rate })
    }

    fn with_layout(generations: u32, layout: Blocked, design: Design) -> Result<Self> {
        let bits = layout.bits() as f64 * f64::from(generations);
        let lines = Design::check_bits(bits)? / LINE_BITS;
        Ok(Self {
            layout,
            hash: KeyHash::default(),
            design,
            current: 0,
            keys: Record::default(),
            items: vec![0; generations as usize],
            storage: line::zeroed(lines as usize)?,
        })
    }

    /// The same filter, empty, with another hash or seed.
    #[must_use]
    pub fn with_hash(mut self, hash: KeyHash) -> Self {
        self.clear();
        self.hash = hash;
        self
    }

    /// Forgets the oldest generation and starts a new one.
    pub fn rotate(&mut self) {
        let generations = self.items.len();
        let next = (self.current as usize + 1) % generations;
        self.current = next as u32;
        self.items[next] = 0;
        for line in self.storage.iter_mut().skip(next).step_by(generations) {
            *line = bytemuck::Zeroable::zeroed();
        }
    }

    /// Sets the bits of a key in the current generation.
    #[inline(always)]
    fn set_in_current(&mut self, hash: u64) {
        let current = self.current as usize;
        self.items[current] = self.items[current].saturating_add(1);
        let line = self.line_to_write(hash);
        self.layout.line_bits().set(&mut self.storage[line], hash);
    }

    /// Everything that either filter has, generation by generation from the newest.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if hash, seed, size or generations differ; nothing is changed then.
    pub fn union<S: Storage>(&mut self, other: &RotatingFilter<S>) -> Result<()> {
        self.must_match(other)?;
        self.keys = joined_keys(self, other);
        for age in 0..self.generations() {
            let (here, there) = (self.slot(age), other.slot(age));
            self.items[here] = self.items[here].saturating_add(other.items[there]);
            let generations = self.items.len();
            let theirs = other.storage.lines().iter().skip(there).step_by(generations);
            let ours = self.storage.iter_mut().skip(here).step_by(generations);
            for (ours, theirs) in ours.zip(theirs) {
                line::combine(
                    core::slice::from_mut(ours),
                    core::slice::from_ref(theirs),
                    |a, b| a | b,
                );
            }
        }
        Ok(())
    }

    /// What both filters have. A key is as old as in the filter that saw it longer ago.
    ///
    /// # Errors
    /// [`Error::Mismatch`] as in [`Self::union`].
    pub fn intersection<S: Storage>(&mut self, other: &RotatingFilter<S>) -> Result<()> {
        self.must_match(other)?;
        self.keys = joined_keys(self, other);
        // A key that is `age` rotations old in one filter is that old or younger in the other:
        // of each generation stays what the other filter has up to the same age.
        let generations = self.items.len();
        for index in 0..self.layout.lines() {
            let mut younger: [Line; 2] = bytemuck::Zeroable::zeroed();
            for age in 0..self.generations() {
                let slot = index * generations + self.slot(age);
                let theirs = other.storage.lines()[index * generations + other.slot(age)];
                let mut kept = [self.storage[slot], theirs];
                line::combine(&mut younger, &kept, |a, b| a | b);
                line::combine(&mut kept, &[younger[1], younger[0]], |a, b| a & b);
                self.storage[slot] = kept[0];
                line::combine(&mut self.storage[slot..=slot], &kept[1..], |a, b| a | b);
            }
        }
        let most = self.len().min(other.len());
        for slot in 0..generations {
            self.items[slot] = (self.estimated_items_of(slot).round() as u64).min(most);
        }
        Ok(())
    }
}

impl<S: Storage> RotatingFilter<S> {
    /// How many generations there are.
    #[must_use]
    pub fn generations(&self) -> u32 {
        self.items.len() as u32
    }

    /// How many keys were inserted into each generation, from the current to the oldest.
    pub fn items_by_age(&self) -> impl Iterator<Item = u64> {
        (0..self.generations()).map(|age| self.items[self.slot(age)])
    }

    /// How many rotations ago this key was inserted last; `None` if it is not in.
    pub fn age<K: Key + ?Sized>(&self, key: &K) -> Option<u32> {
        self.age_hash(key.hash_with(&self.hash))
    }

    /// How many rotations ago a key with this hash was inserted last.
    #[must_use]
    pub fn age_hash(&self, hash: u64) -> Option<u32> {
        let lines = self.lines_of(hash);
        (0..self.generations())
            .find(|&age| self.layout.line_bits().are_in(&lines[self.slot(age)], hash))
    }

    /// How many bits all generations have.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.layout.bits() * u64::from(self.generations())
    }

    /// How many functions of a key it uses.
    #[must_use]
    pub fn hashes(&self) -> u32 {
        self.layout.hashes()
    }

    /// The items of a generation and the rate of all together.
    #[must_use]
    pub const fn design(&self) -> Design {
        self.design
    }

    /// A copy in memory of its own, which can be changed.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is none.
    pub fn to_owned(&self) -> Result<RotatingFilter> {
        let storage = line::copied(line::bytes_of(self.storage.lines()))?;
        let Self { layout, hash, design, current, keys, .. } = *self;
        let items = self.items.clone();
        Ok(RotatingFilter { layout, hash, design, current, keys, items, storage })
    }

    /// The place of the generation that is `age` rotations old.
    fn slot(&self, age: u32) -> usize {
        let generations = self.generations();
        ((self.current + generations - age) % generations) as usize
    }

    fn estimated_items_of(&self, slot: usize) -> f64 {
        let lines = self.storage.lines().iter().skip(slot).step_by(self.items.len());
        let ones: u64 = lines.map(|line| u64::from(line.count_ones())).sum();
        self.layout.estimated_items(ones as f64 / self.layout.bits() as f64)
    }

    /// The lines of a key, one for each generation.
    fn lines_of(&self, hash: u64) -> &[Line] {
        let generations = self.items.len();
        let first = self.layout.line_of(hash) * generations;
        &self.storage.lines()[first..first + generations]
    }

    /// The line of a key in the current generation.
    #[inline(always)]
    fn line_to_write(&self, hash: u64) -> usize {
        self.layout.line_of(hash) * self.items.len() + self.current as usize
    }

    fn must_match<T: Storage>(&self, other: &RotatingFilter<T>) -> Result<()> {
        self.hash.must_equal(&other.hash)?;
        let (left, right) = (self.generations(), other.generations());
        if left != right {
            return Err(Error::mismatch("the number of generations", left, right));
        }
        if self.layout != other.layout {
            let size = |l: Blocked| format!("{} bits, {} functions", l.bits(), l.hashes());
            return Err(Error::mismatch("the size", size(self.layout), size(other.layout)));
        }
        Ok(())
    }
}

question_methods!(RotatingFilter);
insert_methods!(RotatingFilter);
stored_methods!(RotatingFilter);

impl<S: Storage> Filter for RotatingFilter<S> {
    fn hash(&self) -> &KeyHash {
        &self.hash
    }

    #[inline]
    fn contains_hash(&self, hash: u64) -> bool {
        let line_bits = self.layout.line_bits();
        self.lines_of(hash).iter().any(|line| line_bits.are_in(line, hash))
    }

    fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
        // Each key reads a stretch of lines; the processor itself fetches the third and later ones.
        let mut found = found.iter_mut();
        pipeline(
            Ahead::of(self.storage.lines().len(), 2),
            hashes.iter(),
            &mut found,
            |hash| *hash,
            |hash, _| self.lines_of(hash).iter().take(2).for_each(prefetch),
            |hash, found| {
                if let Some(found) = found.next() {
                    *found = self.contains_hash(hash);
                }
            },
        );
    }

    /// Positions inside of one generation; they are the same in each.
    fn indexes_hash(&self, hash: u64) -> Vec<u64> {
        self.layout.indexes(hash)
    }

    fn len(&self) -> u64 {
        total(&self.items)
    }

    fn key_kinds(&self) -> KeyKinds {
        self.keys.0
    }

    fn fill(&self) -> f64 {
        line::ones(self.storage.lines()) as f64 / self.bits() as f64
    }

    /// The sum over the generations: a key that was seen in three of them counts three times.
    fn estimated_items(&self) -> f64 {
        (0..self.items.len()).map(|slot| self.estimated_items_of(slot)).sum()
    }

    fn current_false_positive_rate(&self) -> f64 {
        let lines = self.storage.lines().chunks(self.items.len());
        let rates = lines.map(|lines| {
            let each = lines.iter().map(|line| self.layout.rate_of(core::slice::from_ref(line)));
            any_of(each)
        });
        rates.sum::<f64>() / self.layout.lines() as f64
    }
}

impl Insert for RotatingFilter {
    /// A key is new if no generation has it.
    #[inline]
    fn insert_hash(&mut self, hash: u64) -> bool {
        let is_new = !self.contains_hash(hash);
        self.set_in_current(hash);
        is_new
    }

    fn insert_many_hashes(&mut self, hashes: &[u64]) {
        pipeline(
            Ahead::of(self.storage.len(), 1),
            hashes.iter(),
            self,
            |hash| *hash,
            |hash, filter| prefetch(&filter.storage[filter.line_to_write(hash)]),
            |hash, filter| filter.set_in_current(hash),
        );
    }

    #[inline(always)]
    fn record_keys(&mut self, kinds: KeyKinds) {
        self.keys.add(kinds);
    }

    fn clear(&mut self) {
        self.keys = Record::default();
        self.current = 0;
        self.items.fill(0);
        self.storage.fill(bytemuck::Zeroable::zeroed());
    }
}

fn check_generations(generations: u32) -> Result<()> {
    if (1..=MAX_GENERATIONS).contains(&generations) {
        return Ok(());
    }
    Err(Error::Parameter {
        what: "the number of generations",
        expected: "between 1 and 1024",
        got: generations.to_string(),
    })
}

/// All generations together; a number that was read from a file may be any.
fn total(items: &[u64]) -> u64 {
    items.iter().fold(0, |sum: u64, &items| sum.saturating_add(items))
}

fn compound(rate: f64, generations: u32) -> f64 {
    1.0 - (1.0 - rate).powi(generations as i32)
}
