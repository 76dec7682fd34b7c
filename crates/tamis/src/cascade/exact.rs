//! The cascade of this project: exact classes near the entropy of their sizes.

use super::code::{Code, FEW};
use super::short::{self, ShortCode};
use super::steps::{FilterStep, MOST_FILTERS};
use crate::Result;
use crate::hash::{Key, KeyHash, KeyKinds, Record, mixed};
use crate::memory::prefetch::{Ahead, pipeline};
use crate::memory::{Line, Storage, line};
use crate::prelude::*;
use crate::simd::machine::{self, Machine, Work};
use crate::solve::ribbon::{BATCH, Ribbon, words_of};

/// What a cascade says of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The category of a key that is known: one that was not trained comes here with probability `2^-bits`, the bits for
    /// which the cascade was built to refuse.
    Category(u32),
    /// The category, if the key was trained; the cascade cannot know whether it was.
    Unknowable(u32),
    /// The key was not trained.
    NotCovered,
}

impl Answer {
    /// The category, if there is one.
    #[must_use]
    pub const fn category(self) -> Option<u32> {
        match self {
            Self::Category(category) | Self::Unknowable(category) => Some(category),
            Self::NotCovered => None,
        }
    }
}

/// A map from keys to categories that stores no key.
///
/// 1. Every trained key has its category.
/// 2. The same keys, categories and seed give the same bytes.
///
/// Its structures are in memory of its own or in a mapped file ([`crate::filter::Stored`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cascade<S = Vec<Line>> {
    pub(super) hash: KeyHash,
    pub(super) keys: Record,
    pub(super) names: Vec<Vec<u8>>,
    /// Trained keys of each category.
    pub(super) counts: Vec<u64>,
    /// Fingerprints of all keys, to refuse others.
    pub(super) reject: Option<Ribbon>,
    pub(super) filters: Vec<(FilterStep, Ribbon)>,
    pub(super) lengths: Vec<u8>,
    pub(super) code: Code,
    /// One structure of uneven values for the whole code, or one for each of its steps.
    pub(super) steps: Vec<Ribbon>,
    /// The category of keys that no step settles: all, if there is only one, or strangers.
    pub(super) otherwise: u32,
    /// If nothing but a short code is asked: the shortest way.
    pub(super) short: Option<ShortCode>,
    pub(super) storage: S,
}

/// The fingerprint of a key.
#[inline(always)]
pub(super) const fn fingerprint(hash: u64, salt: u64, bits: u32) -> u32 {
    (mixed(hash, salt) >> (64 - bits)) as u32
}

/// What makes the fingerprints of a step differ from those of others.
pub(super) const fn salt(step: usize) -> u64 {
    (step as u64 + 1).wrapping_mul(0xA076_1D64_78BD_642F)
}

/// The fingerprint of a key for a filter.
#[inline(always)]
pub(super) const fn print_of(step: &FilterStep, index: usize, hash: u64) -> u32 {
    fingerprint(hash, salt(index + step.variant as usize * MOST_FILTERS), step.bits)
}

/// What the fingerprints that refuse have instead of the number of a step.
pub(super) const REJECT: usize = 1 << 20;

impl<S: Storage> Cascade<S> {
    /// Which keys it was trained with, as far as that is known.
    #[must_use]
    pub const fn key_kinds(&self) -> KeyKinds {
        self.keys.0
    }

    /// Refuses queries for keys of kinds that it was not trained with.
    ///
    /// # Errors
    /// [`crate::Error::KeyKinds`].
    pub fn check_keys(&self, asked: KeyKinds) -> Result<()> {
        self.keys.0.check(asked)
    }

    /// What it says of a key.
    #[must_use]
    pub fn classify<K: Key + ?Sized>(&self, key: &K) -> Answer {
        self.classify_hash(key.hash_with(&self.hash))
    }

    /// What it says of a key with this hash.
    #[must_use]
    #[inline]
    pub fn classify_hash(&self, hash: u64) -> Answer {
        machine::run(short::One { cascade: self, hash })
    }

    /// The same for whatever is no short code, or not there.
    #[inline(never)]
    pub(super) fn classify_at_length(&self, hash: u64) -> Answer {
        machine::run(Classify { cascade: self, hash })
    }

    #[inline(always)]
    fn category(&self, hash: u64, machine: impl Machine) -> u32 {
        let lines = self.storage.lines();
        let words = words_of(lines);
        for (index, (step, filter)) in self.filters.iter().enumerate() {
            if filter.get(words, hash, machine) != print_of(step, index, hash) {
                return step.category;
            }
        }
        if let Some((ribbon, table)) = self.whole_code() {
            return table[ribbon.get(words, hash, machine) as usize & (table.len() - 1)];
        }
        let mut code = 0;
        if let Some(table) = self.code.table() {
            if Ahead::of(lines.len(), 2).is_needed() {
                // The lines of all steps are fetched before the first is looked at.
                let mut starts = [0; FEW];
                for (start, step) in starts.iter_mut().zip(&self.steps) {
                    *start = step.begin(hash);
                    step.fetch(lines, *start);
                }
                for (start, step) in starts.into_iter().zip(&self.steps) {
                    let value = step.get_begun(words, hash, start, machine);
                    code = code << step.bits() | value as usize;
                }
            } else {
                for step in &self.steps {
                    code = code << step.bits() | step.get(words, hash, machine) as usize;
                }
            }
            return if self.steps.is_empty() { self.otherwise } else { table[code] };
        }
        let mut code = 0;
        for (index, step) in self.steps.iter().enumerate() {
            code = code << step.bits() | u64::from(step.get(words, hash, machine));
            if let Some(category) = self.code.decode(index, code) {
                return category;
            }
        }
        self.otherwise
    }

    /// The structure that has the whole code, with the category of each of its values.
    #[inline(always)]
    fn whole_code(&self) -> Option<(&Ribbon, &[u32])> {
        let ribbon = self.steps.first().filter(|ribbon| ribbon.values.are_uneven())?;
        Some((ribbon, self.code.reversed()?))
    }

    /// What it says of keys with these hashes, into `answers`, which must be as long. Several times as fast as one by one
    /// when the cascade is larger than the caches.
    pub fn classify_hashes(&self, hashes: &[u64], answers: &mut [Answer]) {
        match &self.short {
            Some(short) => machine::run(short::Many { cascade: self, short, hashes, answers }),
            None => machine::run(ClassifyMany { cascade: self, hashes, answers }),
        }
    }

    /// What it says of these keys, in their order.
    pub fn classify_many<K: Key>(&self, keys: &[K]) -> Vec<Answer> {
        let mut answers = vec![Answer::NotCovered; keys.len()];
        for (keys, answers) in keys.chunks(BATCH).zip(answers.chunks_mut(BATCH)) {
            let mut hashes = [0; BATCH];
            for (hash, key) in hashes.iter_mut().zip(keys) {
                *hash = key.hash_with(&self.hash);
            }
            self.classify_hashes(&hashes[..keys.len()], answers);
        }
        answers
    }

    /// One structure after the other, for all keys that it is asked for.
    #[inline(always)]
    fn classify_batch(&self, hashes: &[u64], answers: &mut [Answer], machine: impl Machine) {
        let lines = self.storage.lines();
        let sure = |category| match self.reject {
            Some(_) => Answer::Category(category),
            None => Answer::Unknowable(category),
        };
        let mut open = Open::new(hashes);
        if let Some(reject) = &self.reject {
            open.ask(reject, lines, machine, |value, key| {
                let known = value == fingerprint(key.hash, salt(REJECT), reject.bits());
                (!known).then(|| answers[key.place] = Answer::NotCovered)
            });
        }
        for (index, (step, filter)) in self.filters.iter().enumerate() {
            open.ask(filter, lines, machine, |value, key| {
                let passes = value == print_of(step, index, key.hash);
                (!passes).then(|| answers[key.place] = sure(step.category))
            });
        }
        if let Some((ribbon, table)) = self.whole_code() {
            return open.ask(ribbon, lines, machine, |value, key| {
                answers[key.place] = sure(table[value as usize & (table.len() - 1)]);
                Some(())
            });
        }
        for (index, step) in self.steps.iter().enumerate() {
            open.ask(step, lines, machine, |value, key| {
                key.code = key.code << step.bits() | u64::from(value);
                let category = self.code.decode(index, key.code)?;
                answers[key.place] = sure(category);
                Some(())
            });
        }
        open.keys().for_each(|key| answers[key.place] = sure(self.otherwise));
    }

    /// The names of the categories.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.names.iter().map(Vec::as_slice)
    }

    /// The name of a category.
    #[must_use]
    pub fn name(&self, category: u32) -> &[u8] {
        self.names.get(category as usize).map_or(&[], Vec::as_slice)
    }

    /// How many keys of each category were trained.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Bits of the fingerprints that refuse unknown keys; 0 if none are refused.
    #[must_use]
    pub fn reject_bits(&self) -> u32 {
        self.reject.as_ref().map_or(0, Ribbon::bits)
    }

    /// How many structures a question may have to ask.
    #[must_use]
    pub fn structures(&self) -> usize {
        usize::from(self.reject.is_some()) + self.filters.len() + self.steps.len()
    }

    /// How keys are hashed.
    #[must_use]
    pub const fn hash(&self) -> &KeyHash {
        &self.hash
    }

    /// The least number of bits that tell the categories of all keys.
    #[must_use]
    pub fn entropy_bits(&self) -> f64 {
        super::entropy_bits(&self.counts)
    }

    /// How many layers the structures have, in the order in which they are asked.
    #[must_use]
    pub fn layers(&self) -> Vec<usize> {
        self.ribbons().map(Ribbon::layers).collect()
    }

    /// A copy in memory of its own.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if there is none.
    pub fn to_owned(&self) -> Result<Cascade> {
        Ok(Cascade {
            hash: self.hash,
            keys: self.keys,
            names: self.names.clone(),
            counts: self.counts.clone(),
            reject: self.reject.clone(),
            filters: self.filters.clone(),
            lengths: self.lengths.clone(),
            code: self.code.clone(),
            steps: self.steps.clone(),
            otherwise: self.otherwise,
            short: self.short.clone(),
            storage: line::copied(line::bytes_of(self.storage.lines()))?,
        })
    }
}

/// A key of a batch.
#[derive(Clone, Copy, Default)]
struct OpenKey {
    hash: u64,
    place: usize,
    /// The code as far as it was read.
    code: u64,
}

/// The keys of a batch that are not settled.
struct Open {
    keys: [OpenKey; BATCH],
    count: usize,
}

impl Open {
    fn new(hashes: &[u64]) -> Self {
        let mut keys = [OpenKey::default(); BATCH];
        for (place, (key, &hash)) in keys.iter_mut().zip(hashes).enumerate() {
            *key = OpenKey { hash, place, code: 0 };
        }
        Self { keys, count: hashes.len().min(BATCH) }
    }

    fn keys(&self) -> impl Iterator<Item = &OpenKey> {
        self.keys[..self.count].iter()
    }

    /// Looks all of them up in a structure; those that `settle` settles are no longer open.
    #[inline(always)]
    fn ask(
        &mut self,
        ribbon: &Ribbon,
        lines: &[Line],
        machine: impl Machine,
        mut settle: impl FnMut(u32, &mut OpenKey) -> Option<()>,
    ) {
        let (words, keys) = (words_of(lines), self.keys);
        let mut left = 0;
        pipeline(
            Ahead::of(lines.len(), 1),
            keys.iter().take(self.count),
            &mut self.keys,
            #[inline(always)]
            |key| (*key, ribbon.begin(key.hash)),
            #[inline(always)]
            |(_, start), _| ribbon.fetch(lines, start),
            #[inline(always)]
            |(mut key, start), open| {
                let value = ribbon.get_begun(words, key.hash, start, machine);
                let is_open = settle(value, &mut key).is_none();
                // Written in any case: no branch waits for the answer.
                open[left] = key;
                left += usize::from(is_open);
            },
        );
        self.count = left;
    }
}

/// One question.
struct Classify<'a, S> {
    cascade: &'a Cascade<S>,
    hash: u64,
}

impl<S: Storage> Work for Classify<'_, S> {
    type Output = Answer;

    #[inline(always)]
    fn run(self, machine: impl Machine) -> Answer {
        let Self { cascade, hash } = self;
        let Some(reject) = &cascade.reject else {
            return Answer::Unknowable(cascade.category(hash, machine));
        };
        let words = words_of(cascade.storage.lines());
        let print = fingerprint(hash, salt(REJECT), reject.bits());
        match reject.get(words, hash, machine) == print {
            true => Answer::Category(cascade.category(hash, machine)),
            false => Answer::NotCovered,
        }
    }
}

/// Many questions.
struct ClassifyMany<'a, S> {
    cascade: &'a Cascade<S>,
    hashes: &'a [u64],
    answers: &'a mut [Answer],
}

impl<S: Storage> Work for ClassifyMany<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self, machine: impl Machine) {
        for (hashes, answers) in self.hashes.chunks(BATCH).zip(self.answers.chunks_mut(BATCH)) {
            self.cascade.classify_batch(hashes, answers, machine);
        }
    }
}
