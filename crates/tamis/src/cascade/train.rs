//! Training a cascade: keys are streamed, only their hashes stay.

use super::code::{self, Code};
use super::exact::{Cascade, REJECT, fingerprint, salt};
use super::ribbon::Ribbon;
use super::solve::{Entry, solve};
use crate::hash::KeyHash;
use crate::{Error, Result};

/// The most categories.
pub const MAX_CATEGORIES: usize = 1 << 16;

/// The most bits of the fingerprints that refuse.
pub const MAX_REJECT: u32 = 32;

/// Two keys with the same hash and different categories: the same key twice, or a very rare accident that another seed mends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    /// The hash.
    pub hash: u64,
    /// The categories, the lesser first.
    pub categories: (u32, u32),
}

/// Keys with their categories, while they are collected.
#[derive(Debug, Clone)]
pub struct Trainer {
    hash: KeyHash,
    names: Vec<Vec<u8>>,
    keys: Vec<Entry>,
}

impl Trainer {
    /// No key yet.
    #[must_use]
    pub const fn new(hash: KeyHash) -> Self {
        Self { hash, names: Vec::new(), keys: Vec::new() }
    }

    /// How keys are hashed.
    #[must_use]
    pub const fn hash(&self) -> &KeyHash {
        &self.hash
    }

    /// Adds a category; its number is returned.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than [`MAX_CATEGORIES`].
    pub fn category(&mut self, name: impl AsRef<[u8]>) -> Result<u32> {
        if let Some(known) = self.names.iter().position(|other| other == name.as_ref()) {
            return Ok(known as u32);
        }
        if self.names.len() >= MAX_CATEGORIES {
            return Err(Error::Parameter {
                what: "the number of categories",
                expected: "at most 65,536",
                got: (self.names.len() + 1).to_string(),
            });
        }
        self.names.push(name.as_ref().to_owned());
        Ok(self.names.len() as u32 - 1)
    }

    /// Adds a key; the same one again with the same category counts once.
    pub fn insert(&mut self, category: u32, key: &[u8]) {
        self.keys.push(Entry { hash: self.hash.bytes(key), value: category });
    }

    /// Puts the keys in order, each once; the first conflict is returned, if there is one.
    pub fn sort(&mut self) -> Option<Conflict> {
        self.keys.sort_unstable_by_key(|entry| (entry.hash, entry.value));
        self.keys.dedup();
        let twice = self.keys.windows(2).find(|pair| pair[0].hash == pair[1].hash)?;
        Some(Conflict { hash: twice[0].hash, categories: (twice[0].value, twice[1].value) })
    }

    /// The hashes of all keys with several categories, ascending; the keys are in order then.
    pub fn conflicts(&mut self) -> Vec<u64> {
        self.sort();
        let twice = self.keys.windows(2).filter(|pair| pair[0].hash == pair[1].hash);
        let mut hashes: Vec<u64> = twice.map(|pair| pair[0].hash).collect();
        hashes.dedup();
        hashes
    }

    /// Settles conflicts: a key with this hash has that category alone, where `settle` knows one.
    pub fn settle(&mut self, settle: impl Fn(u64) -> Option<u32>) {
        self.keys.retain(|key| settle(key.hash).is_none_or(|category| category == key.value));
    }

    /// Builds the cascade. With `reject` bits keys that were not trained are refused but for one in `2^reject`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for two categories of one key, which [`Self::sort`] tells more of, for no category, or
    /// for more than [`MAX_REJECT`] bits.
    pub fn build(mut self, reject: u32) -> Result<Cascade> {
        let refused = |what, expected, got: String| Error::Parameter { what, expected, got };
        if let Some(conflict) = self.sort() {
            let got = format!("{:?}", conflict.categories);
            return Err(refused("the categories of a key", "one", got));
        }
        if self.names.is_empty() {
            return Err(refused("the number of categories", "at least one", "0".to_owned()));
        }
        if reject > MAX_REJECT {
            return Err(refused("the bits to refuse by", "at most 32", reject.to_string()));
        }
        let mut counts = vec![0; self.names.len()];
        for key in &self.keys {
            counts[key.value as usize] += 1;
        }
        let (plan, lengths) = code::plan(&counts);
        let code = Code::new(&lengths).ok_or_else(|| {
            refused("the lengths of codes", "those of a prefix code", format!("{lengths:?}"))
        })?;
        let mut words = Vec::new();
        let reject = (reject > 0).then(|| {
            let print =
                |key: &Entry| Entry { value: fingerprint(key.hash, salt(REJECT), reject), ..*key };
            let entries: Vec<Entry> = self.keys.iter().map(print).collect();
            solve(&entries, reject, salt(REJECT), &mut words)
        });
        let only = counts.iter().position(|count| *count > 0).unwrap_or(0) as u32;
        let mut keys = self.keys;
        let mut filters = Vec::new();
        for (index, step) in plan.into_iter().enumerate() {
            let print = |key: &Entry| fingerprint(key.hash, salt(index), step.bits);
            let others = keys.iter().filter(|key| key.value != step.category);
            let entries: Vec<Entry> =
                others.map(|key| Entry { value: print(key), ..*key }).collect();
            let ribbon = solve(&entries, step.bits, salt(index), &mut words);
            keys.retain(|key| {
                key.value != step.category || ribbon.get(&words, key.hash) == print(key)
            });
            filters.push((step, ribbon));
        }
        let steps = solve_code(&code, &lengths, keys, &mut words);
        let (hash, names, words) = (self.hash, self.names, words.into());
        Ok(Cascade { hash, names, counts, reject, filters, lengths, code, steps, only, words })
    }
}

/// A structure for each step: the next bits of the codes of all keys that have any left.
fn solve_code(
    code: &Code,
    lengths: &[u8],
    mut keys: Vec<Entry>,
    words: &mut Vec<u64>,
) -> Vec<Ribbon> {
    let codes = code.encode(lengths);
    let mut depth = 0;
    let mut steps = Vec::new();
    for (index, bits) in code.steps().enumerate() {
        depth += bits;
        keys.retain(|key| codes[key.value as usize].1 >= depth);
        let next = |key: &Entry| {
            let (code, length) = codes[key.value as usize];
            let value = code >> (length - depth) & ((1 << bits) - 1);
            Entry { hash: key.hash, value: value as u32 }
        };
        let entries: Vec<Entry> = keys.iter().map(next).collect();
        steps.push(solve(&entries, bits, salt(REJECT + 1 + index), words));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cascade::Answer;

    fn trained(sizes: &[usize], reject: u32) -> (Cascade, Vec<(String, u32)>) {
        let mut trainer = Trainer::new(KeyHash::new(5));
        let mut keys = Vec::new();
        for (category, &size) in sizes.iter().enumerate() {
            let number = trainer.category(format!("category{category}")).unwrap();
            for key in 0..size {
                keys.push((format!("key{key}-of-{category}"), number));
            }
        }
        keys.iter().for_each(|(key, category)| trainer.insert(*category, key.as_bytes()));
        (trainer.build(reject).unwrap(), keys)
    }

    /// Sizes over the entropy, words alone: the limits are those of the code (1.034 for five equal ones, 1.086 for one to
    /// ten) and one hundredth for the structures.
    #[test]
    fn every_key_has_its_category_near_the_entropy() {
        for (sizes, most) in [
            (vec![100_000, 100_000], 1.010),
            (vec![12_000; 5], 1.050),
            (vec![5_000, 200_000], 1.10),
            (vec![20_000, 200_000], 1.11),
            (vec![80_000, 40_000, 27_000, 20_000, 16_000], 1.035),
            (vec![0, 10, 0], f64::INFINITY),
            (vec![1, 1], f64::INFINITY),
            (vec![3; 1000], f64::INFINITY),
            (vec![0], f64::INFINITY),
        ] {
            let (cascade, keys) = trained(&sizes, 0);
            for (key, category) in &keys {
                assert_eq!(
                    cascade.classify(key.as_bytes()),
                    Answer::Unknowable(*category),
                    "{sizes:?}"
                );
            }
            let ratio = cascade.words.len() as f64 * 64.0 / cascade.entropy_bits();
            assert!(ratio <= most || cascade.entropy_bits() == 0.0, "{sizes:?} take {ratio}");
            assert_eq!(trained(&sizes, 0).0, cascade, "always the same");
        }
    }

    /// Of 100,000 strangers one in 256 is expected to pass: 391, with a standard deviation of 20.
    #[test]
    fn strangers_are_refused() {
        let (cascade, keys) = trained(&[30_000, 10_000], 8);
        for (key, category) in &keys {
            assert_eq!(cascade.classify(key.as_bytes()), Answer::Category(*category));
        }
        let strangers = (0..100_000).filter(|number| {
            cascade.classify(format!("stranger{number}").as_bytes()) != Answer::NotCovered
        });
        let passed = strangers.count();
        assert!((311..=471).contains(&passed), "{passed}");
    }

    #[test]
    fn a_key_in_two_categories_is_told() {
        let mut trainer = Trainer::new(KeyHash::default());
        assert!(trainer.clone().build(0).is_err(), "no category");
        let (a, b) = (trainer.category("a").unwrap(), trainer.category("b").unwrap());
        trainer.insert(a, b"leek");
        trainer.insert(a, b"leek");
        assert_eq!(trainer.sort(), None, "the same again");
        trainer.insert(b, b"leek");
        let hash = trainer.hash().bytes(b"leek");
        assert_eq!(trainer.sort(), Some(Conflict { hash, categories: (a, b) }));
        assert!(trainer.build(0).is_err());
    }
}
