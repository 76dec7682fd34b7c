//! Training a classic cascade.

use super::{Classic, Filter, Functions, MAX_FUNCTIONS, MAX_NAME};
use crate::cascade::names::Names;
use crate::hash::murmur3::hash32;
use crate::hash::{self, KeyHash};
use crate::prelude::*;
use crate::{Error, Result};
use std::collections::HashMap;

/// Rounds that settle nothing before it is given up: with 256 seeds, two different keys that share their places under
/// all of them do not exist.
const MOST_IDLE_ROUNDS: usize = 10_000;

/// Keys with their categories.
#[derive(Debug, Clone, Default)]
pub struct Training<'k> {
    names: Names,
    /// The category of each key; the first one that it was inserted with.
    keys: HashMap<&'k [u8], u32>,
    /// In the order of insertion.
    order: Vec<&'k [u8]>,
}

impl<'k> Training<'k> {
    /// No category yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a category, which is made if it is new.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a name of more than [`MAX_NAME`] bytes, or too many categories.
    pub fn category(&mut self, name: impl AsRef<[u8]>) -> Result<u32> {
        let name = name.as_ref();
        if name.len() > MAX_NAME {
            return Err(Error::Parameter {
                what: "the name of a category",
                expected: "at most 255 bytes",
                got: String::from_utf8_lossy(&name[..MAX_NAME]).into_owned(),
            });
        }
        self.names.number(name)
    }

    /// Adds a key. The category that it has already is returned, if that is another one; it keeps it.
    pub fn insert(&mut self, category: u32, key: &'k [u8]) -> Option<u32> {
        match self.keys.entry(key) {
            std::collections::hash_map::Entry::Occupied(entry) => {
                Some(*entry.get()).filter(|other| *other != category)
            }
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(category);
                self.order.push(key);
                None
            }
        }
    }

    /// Gives a key that is there another category.
    pub fn replace(&mut self, category: u32, key: &'k [u8]) {
        if let Some(own) = self.keys.get_mut(key) {
            *own = category;
        }
    }

    /// The name of a category.
    #[must_use]
    pub fn name(&self, category: u32) -> &[u8] {
        self.names.list().get(category as usize).map_or(&[], Vec::as_slice)
    }

    /// How many keys there are of each category.
    #[must_use]
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.names.list().len()];
        for category in self.keys.values() {
            counts[*category as usize] += 1;
        }
        counts
    }

    /// Builds the cascade; the same one for the same keys, categories and seed.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is no key at all, or for no function or more than [`MAX_FUNCTIONS`].
    pub fn build(&self, functions: Functions, seed: u64) -> Result<Classic<'static>> {
        self.build_by_round(&[functions], seed)
    }

    /// As [`Self::build`] with other numbers of functions in each round; the last ones are those of all further rounds.
    ///
    /// # Errors
    /// As [`Self::build`], and for no round or rounds of both algorithms.
    pub fn build_by_round(&self, rounds: &[Functions], seed: u64) -> Result<Classic<'static>> {
        let refused =
            |what, expected, got: usize| Error::Parameter { what, expected, got: got.to_string() };
        let Some(algorithm) = rounds.first().map(|functions| functions.algorithm()) else {
            return Err(refused("the number of rounds", "at least one", 0));
        };
        for functions in rounds {
            if functions.algorithm() != algorithm {
                return Err(refused("the algorithms of all rounds", "one", 2));
            }
            let (Functions::Zero(first) | Functions::One(first, _)) = *functions;
            let second = if let Functions::One(_, second) = *functions { second } else { first };
            for count in [first, second] {
                if !(1..=MAX_FUNCTIONS).contains(&count) {
                    return Err(refused("the number of functions", "1 to 254", usize::from(count)));
                }
            }
        }
        if self.order.is_empty() {
            return Err(refused("the number of keys", "at least one", 0));
        }
        let mut left: Vec<Vec<&[u8]>> = vec![Vec::new(); self.names.list().len()];
        for key in &self.order {
            left[self.keys[key] as usize].push(key);
        }
        let mut builder = Builder { seeds: Seeds::new(seed), filters: Vec::new(), left };
        let mut idle = 0;
        let mut following = rounds.iter().chain(core::iter::repeat(&rounds[rounds.len() - 1]));
        while builder.open() > 1 {
            let before = builder.keys();
            builder.round(*following.next().unwrap_or(&rounds[0]))?;
            idle = if builder.keys() < before { 0 } else { idle + 1 };
            if idle > MOST_IDLE_ROUNDS {
                return Err(refused("keys that no seed tells apart", "none", builder.keys()));
            }
        }
        let last = builder.left.iter().position(|keys| !keys.is_empty()).unwrap_or(0);
        Ok(Classic {
            algorithm,
            names: self.names.list().to_vec(),
            filters: builder.filters,
            last: self.names.list()[last].clone(),
        })
    }
}

/// Seeds of one byte, one after the other.
struct Seeds(hash::Functions);

impl Seeds {
    fn new(seed: u64) -> Self {
        Self(hash::Functions::new(KeyHash::new(seed).bytes(b"cascade")))
    }

    /// So many, each of them another one.
    fn take(&mut self, count: u8) -> Vec<u8> {
        let mut seeds = Vec::with_capacity(usize::from(count));
        while seeds.len() < usize::from(count) {
            let seed = (self.0.next().unwrap_or(0) >> 56) as u8;
            if !seeds.contains(&seed) {
                seeds.push(seed);
            }
        }
        seeds
    }
}

struct Builder<'k> {
    seeds: Seeds,
    filters: Vec<Option<Filter<'static>>>,
    /// For each category what is not settled.
    left: Vec<Vec<&'k [u8]>>,
}

impl<'k> Builder<'k> {
    /// Categories with something left.
    fn open(&self) -> usize {
        self.left.iter().filter(|keys| !keys.is_empty()).count()
    }

    fn keys(&self) -> usize {
        self.left.iter().map(Vec::len).sum()
    }

    fn round(&mut self, functions: Functions) -> Result<()> {
        for category in 0..self.left.len() {
            if self.open() <= 1 {
                return Ok(());
            }
            match functions {
                Functions::Zero(count) => self.settle(category, count)?,
                Functions::One(first, second) => self.settle_in_two(category, first, second)?,
            }
        }
        Ok(())
    }

    fn others(&self, category: usize) -> impl Iterator<Item = &'k [u8]> + '_ {
        let others = self.left.iter().enumerate().filter(move |(other, _)| *other != category);
        others.flat_map(|(_, keys)| keys.iter().copied())
    }

    fn settle(&mut self, category: usize, functions: u8) -> Result<()> {
        if self.left[category].is_empty() {
            self.filters.push(None);
            return Ok(());
        }
        let others: Vec<&[u8]> = self.others(category).collect();
        let filter = filter(&others, self.seeds.take(functions))?;
        self.left[category].retain(|key| filter.contains(key));
        self.filters.push(Some(filter));
        Ok(())
    }

    fn settle_in_two(&mut self, category: usize, first: u8, second: u8) -> Result<()> {
        if self.left[category].is_empty() {
            self.filters.extend([None, None]);
            return Ok(());
        }
        let own = filter(&self.left[category], self.seeds.take(first))?;
        let passing: Vec<&[u8]> = self.others(category).filter(|key| own.contains(key)).collect();
        self.filters.push(Some(own));
        if passing.is_empty() {
            self.left[category].clear();
            self.filters.push(None);
            return Ok(());
        }
        let others = filter(&passing, self.seeds.take(second))?;
        self.left[category].retain(|key| others.contains(key));
        self.filters.push(Some(others));
        Ok(())
    }
}

/// The filter of these keys.
fn filter(keys: &[&[u8]], seeds: Vec<u8>) -> Result<Filter<'static>> {
    let bits = (keys.len() as f64 * seeds.len() as f64 / core::f64::consts::LN_2).trunc();
    let bytes = ((bits / 8.0).ceil() as usize).max(1);
    if u32::try_from(bytes).is_err() {
        return Err(Error::Parameter {
            what: "the size of a filter",
            expected: "less than 4 GB, which is all that the file can say",
            got: bytes.to_string(),
        });
    }
    let mut array = vec![0u8; bytes];
    for key in keys {
        for &seed in &seeds {
            let place = u64::from(hash32(key, u32::from(seed))) % (bytes as u64 * 8);
            array[(place / 8) as usize] |= 1 << (place % 8);
        }
    }
    Ok(Filter { seeds: seeds.into(), bits: array.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cascade::classic::Algorithm;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Any keys in any categories: no trained key is ever wrong, through a file or not.
        #[test]
        fn every_trained_key_has_its_category(
            keys in prop::collection::hash_map(prop::collection::vec(any::<u8>(), 0..12), 0..6u32, 1..200),
            one in any::<bool>(),
            seed in any::<u64>(),
        ) {
            let mut training = Training::new();
            for category in 0..6 {
                training.category(format!("category{category}")).unwrap();
            }
            for (key, category) in &keys {
                prop_assert_eq!(training.insert(*category, key), None);
            }
            let algorithm = if one { Algorithm::One } else { Algorithm::Zero };
            let cascade = training.build(algorithm.functions(), seed).unwrap();
            prop_assert_eq!(&training.build(algorithm.functions(), seed).unwrap(), &cascade);
            let mut bytes = Vec::new();
            cascade.write(&mut bytes).unwrap();
            let read = Classic::read(&bytes).unwrap();
            prop_assert_eq!(&read, &cascade);
            for (key, category) in &keys {
                prop_assert_eq!(read.classify(key), training.name(*category));
            }
        }
    }

    #[test]
    fn rounds_may_differ_in_their_functions() {
        let keys: Vec<(u32, String)> = (0..3000).map(|key| (key % 3, key.to_string())).collect();
        let mut training = Training::new();
        for name in ["a", "b", "c"] {
            training.category(name).unwrap();
        }
        for (category, key) in &keys {
            training.insert(*category, key.as_bytes());
        }
        let same = [Functions::One(3, 4); 4];
        assert_eq!(training.build_by_round(&same, 1).unwrap(), training.build(same[0], 1).unwrap());
        let rounds = [Functions::One(5, 2), Functions::One(1, 3), Functions::One(2, 2)];
        let cascade = training.build_by_round(&rounds, 1).unwrap();
        let mut bytes = Vec::new();
        cascade.write(&mut bytes).unwrap();
        let read = Classic::read(&bytes).unwrap();
        for (category, key) in &keys {
            assert_eq!(read.classify(key.as_bytes()), training.name(*category));
        }
    }

    #[test]
    fn what_cannot_be_trained_is_refused() {
        let mut training = Training::new();
        let long = "x".repeat(256);
        assert!(matches!(training.category(&long), Err(Error::Parameter { .. })));
        let (a, b) = (training.category("a").unwrap(), training.category("b").unwrap());
        assert!(training.build(Algorithm::Zero.functions(), 0).is_err(), "no key");
        assert_eq!(training.insert(a, b"leek"), None);
        assert_eq!(training.insert(a, b"leek"), None, "the same again");
        assert_eq!(training.insert(b, b"leek"), Some(a), "another category");
        assert_eq!(training.counts(), [1, 0]);
        for functions in [Functions::Zero(0), Functions::Zero(255), Functions::One(3, 0)] {
            assert!(training.build(functions, 0).is_err());
        }
        assert!(training.build_by_round(&[], 0).is_err(), "no round");
        let mixed = [Functions::Zero(1), Functions::One(3, 4)];
        assert!(training.build_by_round(&mixed, 0).is_err(), "both algorithms");
        // One category: nothing to tell apart.
        let cascade = training.build(Algorithm::One.functions(), 0).unwrap();
        assert_eq!((cascade.rounds(), cascade.classify(b"anything")), (0, &b"a"[..]));
        training.replace(b, b"leek");
        assert_eq!(training.counts(), [0, 1]);
    }
}
