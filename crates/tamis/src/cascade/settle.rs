//! Training from a source that can be read again: conflicts are settled and seeds are retried.
//!
//! A [`Trainer`] keeps hashes only. Two categories with one hash are either one key that was given
//! twice or, once in a hundred thousand trainings of 25 million keys, two different keys. Which of
//! the two it is, only the keys can tell: the source is read a second time for the few hashes in
//! question. One key with two categories is settled as [`OnConflict`] says; different keys get
//! another seed.

use super::train::{Conflict, Trainer};
use crate::Error;
use crate::hash::KeyHash;
use crate::prelude::*;
use std::collections::HashMap;

/// The number of seeds that are tried.
pub const MAX_SEEDS: u64 = 8;

/// What happens to a key that is given with two categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnConflict {
    /// Training fails.
    Error,
    /// The first category counts.
    First,
    /// The last category counts.
    Last,
}

/// A key with its category, and where it is, which an error repeats.
#[derive(Debug, Clone, Copy)]
pub struct Example<'a, P> {
    /// The key.
    pub key: &'a [u8],
    /// The number of its category.
    pub category: u32,
    /// Where it is.
    pub place: P,
}

/// What takes one example after the other.
pub type Visit<'v, P, E> = dyn FnMut(Example<'_, P>) -> Result<(), E> + 'v;

/// Why training from a source failed.
#[derive(Debug)]
pub enum TrainError<P, E> {
    /// The source could not be read.
    Source(E),
    /// One key has two categories.
    TwoCategories {
        /// The key.
        key: Vec<u8>,
        /// Where it is first.
        first: P,
        /// Where it has another category.
        second: P,
    },
    /// Different keys share a hash with each of [`MAX_SEEDS`] seeds.
    Seeds,
    /// There are more than [`super::MAX_CATEGORIES`].
    TooManyCategories {
        /// Where the first is that is one too many.
        place: P,
    },
    /// A name that cannot be one.
    Refused(Error),
}

impl Trainer {
    /// A trainer with all keys of a source and no conflict. `read` calls what it is given with each
    /// example, in the same order each time, and returns the names of the categories.
    ///
    /// # Errors
    /// Whatever `read` fails with; one key of two categories, if that is an error; keys that share
    /// their hashes with [`MAX_SEEDS`] seeds, the one of `hash` first; too many categories.
    pub fn from_source<P: Copy, E, N: AsRef<[u8]>>(
        hash: KeyHash,
        on_conflict: OnConflict,
        mut read: impl FnMut(&mut Visit<'_, P, E>) -> Result<Vec<N>, E>,
    ) -> Result<Self, TrainError<P, E>> {
        for attempt in 0..MAX_SEEDS {
            let seed = hash.seed().wrapping_add(attempt);
            let mut trainer = Self::new(KeyHash::with_algorithm(hash.algorithm(), seed));
            let mut beyond = None;
            let names = read(&mut |example| {
                if (example.category as usize) < super::MAX_CATEGORIES {
                    trainer.insert(example.category, example.key);
                } else if beyond.is_none() {
                    beyond = Some(example.place);
                }
                Ok(())
            })
            .map_err(TrainError::Source)?;
            if let Some(place) = beyond {
                return Err(TrainError::TooManyCategories { place });
            }
            for name in names {
                trainer.category(name).map_err(TrainError::Refused)?;
            }
            let conflicts = trainer.conflicts();
            if conflicts.is_empty() {
                return Ok(trainer);
            }
            let mut settling = Settling::new(trainer.hash(), on_conflict, &conflicts);
            read(&mut |example| {
                settling.see(&example);
                Ok(())
            })
            .map_err(TrainError::Source)?;
            match settling.outcome() {
                Outcome::Chosen(chosen) => {
                    trainer.settle(|hash| chosen.get(&hash).copied());
                    return Ok(trainer);
                }
                Outcome::TwoCategories { key, first, second } => {
                    return Err(TrainError::TwoCategories { key, first, second });
                }
                Outcome::DifferentKeys => {}
            }
        }
        Err(TrainError::Seeds)
    }
}

/// What is known of a hash with several categories.
struct Seen<P> {
    key: Vec<u8>,
    place: P,
    first: u32,
    chosen: u32,
}

/// The second look at the keys whose hashes have several categories.
struct Settling<'a, P> {
    hash: KeyHash,
    on_conflict: OnConflict,
    conflicts: &'a [Conflict],
    seen: HashMap<u64, Seen<P>>,
    different_keys: bool,
    two_categories: Option<(Vec<u8>, P, P)>,
}

enum Outcome<P> {
    Chosen(HashMap<u64, u32>),
    TwoCategories { key: Vec<u8>, first: P, second: P },
    DifferentKeys,
}

impl<'a, P: Copy> Settling<'a, P> {
    fn new(hash: &KeyHash, on_conflict: OnConflict, conflicts: &'a [Conflict]) -> Self {
        let (seen, different_keys, two_categories) = (HashMap::new(), false, None);
        Self { hash: *hash, on_conflict, conflicts, seen, different_keys, two_categories }
    }

    fn see(&mut self, example: &Example<'_, P>) {
        let Example { key, category, place } = *example;
        let hash = self.hash.bytes(key);
        if self.conflicts.binary_search_by_key(&hash, |conflict| conflict.hash).is_err() {
            return;
        }
        let seen = self.seen.entry(hash).or_insert_with(|| Seen {
            key: key.to_vec(),
            place,
            first: category,
            chosen: category,
        });
        self.different_keys |= seen.key != key;
        if seen.first != category && self.two_categories.is_none() {
            self.two_categories = Some((key.to_vec(), seen.place, place));
        }
        if self.on_conflict == OnConflict::Last {
            seen.chosen = category;
        }
    }

    fn outcome(self) -> Outcome<P> {
        match self.two_categories {
            _ if self.different_keys => Outcome::DifferentKeys,
            Some((key, first, second)) if self.on_conflict == OnConflict::Error => {
                Outcome::TwoCategories { key, first, second }
            }
            _ => {
                let chosen = self.seen.into_iter().map(|(hash, seen)| (hash, seen.chosen));
                Outcome::Chosen(chosen.collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cascade::Answer;

    const KEYS: [(&[u8], u32); 4] = [(b"leek", 0), (b"carrot", 1), (b"leek", 0), (b"leek", 1)];

    fn trained(on_conflict: OnConflict) -> Result<Trainer, TrainError<usize, Error>> {
        Trainer::from_source(KeyHash::new(3), on_conflict, |visit| {
            for (place, &(key, category)) in KEYS.iter().enumerate() {
                visit(Example { key, category, place })?;
            }
            Ok(vec!["leaf", "root"])
        })
    }

    #[test]
    fn a_conflict_is_settled_as_was_asked() {
        for (on_conflict, category) in [(OnConflict::First, 0), (OnConflict::Last, 1)] {
            let cascade = trained(on_conflict).unwrap().build(0).unwrap();
            assert_eq!(cascade.classify(b"leek"), Answer::Unknowable(category));
        }
        let error = trained(OnConflict::Error).unwrap_err();
        let TrainError::TwoCategories { key, first: 0, second: 3 } = error else {
            panic!("{error:?}");
        };
        assert_eq!(key, b"leek");
    }

    /// No two keys of one hash are known, so the first one is changed after it was seen.
    #[test]
    fn different_keys_of_one_hash_get_another_seed() {
        let hash = KeyHash::new(0);
        let conflict = Conflict { hash: hash.bytes(b"leek"), categories: (0, 1) };
        let conflicts = [conflict];
        let mut settling = Settling::new(&hash, OnConflict::First, &conflicts);
        settling.see(&Example { key: b"leek", category: 0, place: () });
        settling.seen.get_mut(&conflict.hash).unwrap().key = b"another".to_vec();
        settling.see(&Example { key: b"leek", category: 1, place: () });
        assert!(matches!(settling.outcome(), Outcome::DifferentKeys));
    }
}
