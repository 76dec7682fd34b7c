//! Training a cascade: keys are streamed, only their hashes stay.

use super::code::Code;
use super::exact::{Cascade, REJECT, fingerprint, print_of, salt};
use super::names::Names;
use super::short::ShortCode;
use super::steps::{self, FilterStep};
use crate::hash::{Key, KeyHash, KeyKinds, Record};
use crate::memory::line;
use crate::prelude::*;
use crate::simd::machine::Plain;
use crate::solve::ribbon::{MAX_BITS, Ribbon, solve, solve_uneven};
use crate::solve::{HashedKey, HashedKeys, Watch};
use crate::{Error, Result};

/// The most bits of the fingerprints that refuse.
pub const MAX_REJECT: u32 = MAX_BITS;

/// Up to so many keys, so many variants of a filter are tried: what one more passes is seen in the size.
const FEW_KEYS: usize = 1 << 19;
const VARIANTS: u32 = 16;

/// Two keys with the same hash and different categories: the same key twice, or a very rare accident that another seed mends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    /// The hash.
    pub hash: u64,
    /// The categories, the lesser first.
    pub categories: (u32, u32),
}

/// Keys with their categories, while they are collected: ten bytes for each.
#[derive(Debug, Clone)]
pub struct Trainer {
    hash: KeyHash,
    names: Names,
    record: Record,
    keys: HashedKeys,
}

impl Trainer {
    /// No key yet.
    #[must_use]
    pub fn new(hash: KeyHash) -> Self {
        let (names, record) = (Names::default(), Record::default());
        Self { hash, names, record, keys: HashedKeys::new() }
    }

    /// How keys are hashed.
    #[must_use]
    pub const fn hash(&self) -> &KeyHash {
        &self.hash
    }

    /// The number of a category, which is new if its name is.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than [`super::MAX_CATEGORIES`].
    pub fn category(&mut self, name: impl AsRef<[u8]>) -> Result<u32> {
        self.names.number(name.as_ref())
    }

    /// The name of a category; nothing, if it has none.
    #[must_use]
    pub fn name(&self, category: u32) -> &[u8] {
        self.names.list().get(category as usize).map_or(&[], Vec::as_slice)
    }

    /// Adds a key; the same one again with the same category counts once. The category may get its name later.
    ///
    /// # Panics
    /// If the number is not below [`super::MAX_CATEGORIES`].
    pub fn insert<K: Key + ?Sized>(&mut self, category: u32, key: &K) {
        self.record_keys(key.kinds());
        self.insert_hash(category, key.hash_with(&self.hash));
    }

    /// Says what hashes were made of that are added: recorded in the file of the cascade.
    pub fn record_keys(&mut self, kinds: KeyKinds) {
        self.record.add(kinds);
    }

    /// Adds a key with this hash.
    ///
    /// # Panics
    /// As [`Self::insert`].
    pub fn insert_hash(&mut self, category: u32, hash: u64) {
        assert!((category as usize) < super::MAX_CATEGORIES, "category {category}");
        self.keys.push(hash, category as u16);
    }

    /// Puts the keys in order, each once; all that have several categories are returned, ascending by their hashes.
    pub fn conflicts(&mut self) -> Vec<Conflict> {
        self.keys.sort();
        let conflict = |[first, second]: [HashedKey; 2]| Conflict {
            hash: first.hash,
            categories: (u32::from(first.category), u32::from(second.category)),
        };
        self.keys.twice().map(conflict).collect()
    }

    /// Settles conflicts: a key with this hash has that category alone, where `settle` knows one.
    pub fn settle(&mut self, settle: impl Fn(u64) -> Option<u32> + Sync) {
        self.keys.retain(|key| {
            settle(key.hash).is_none_or(|category| category == u32::from(key.category))
        });
    }

    /// Builds the cascade, on all cores. With `reject` bits keys that were not trained are refused but for one in
    /// `2^reject`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for two categories of one key, which [`Self::conflicts`] tells more of, for no category or one without a name, or
    /// for more than [`MAX_REJECT`] bits; [`Error::Memory`].
    pub fn build(self, reject: u32) -> Result<Cascade> {
        self.build_watched(reject, &|_| ())
    }

    /// As [`Self::build`]; `watch` is told how many keys more were placed: a key counts in each structure that it is in, and in each that is tried for it.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn build_watched(mut self, reject: u32, watch: Watch<'_>) -> Result<Cascade> {
        let refused = |what, expected, got: String| Error::Parameter { what, expected, got };
        if let Some(conflict) = self.conflicts().first() {
            let got = format!("{:?}", conflict.categories);
            return Err(refused("the categories of a key", "one", got));
        }
        let (hash, names, mut keys) = (self.hash, self.names.list().to_vec(), self.keys);
        if names.is_empty() {
            return Err(refused("the number of categories", "at least one", "0".to_owned()));
        }
        if reject > MAX_REJECT {
            return Err(refused("the bits to refuse by", "at most 32", reject.to_string()));
        }
        let mut counts = vec![0; names.len()];
        for key in keys.iter() {
            let number = usize::from(key.category);
            let Some(count) = counts.get_mut(number) else {
                return Err(refused(
                    "the number of a category",
                    "that of a name",
                    number.to_string(),
                ));
            };
            *count += 1;
        }
        let (plan, lengths) = steps::plan(&counts);
        let code = Code::new(&lengths).ok_or_else(|| {
            refused("the lengths of codes", "those of a prefix code", format!("{lengths:?}"))
        })?;
        let mut words = Vec::new();
        let reject = (reject > 0).then(|| {
            let print = |key: HashedKey| Some(fingerprint(key.hash, salt(REJECT), reject));
            solve(&keys, print, reject, &mut words, watch)
        });
        let mut filters = Vec::new();
        for (index, step) in plan.into_iter().enumerate() {
            let (step, ribbon) = solve_filter(&keys, step, index, &mut words, watch);
            keys.retain(|key| passes(&ribbon, &words, &step, index, key));
            filters.push((step, ribbon));
        }
        let steps = solve_code(&code, &lengths, keys, &mut words, watch);
        let alone = reject.is_none() && filters.is_empty();
        let short = if alone { ShortCode::of(&code, &steps) } else { None };
        let (otherwise, storage) = (code.otherwise(&counts), line::of_words(&words)?);
        Ok(Cascade {
            hash,
            keys: self.record,
            names,
            counts,
            reject,
            filters,
            lengths,
            code,
            steps,
            otherwise,
            short,
            storage,
        })
    }
}

/// Whether a filter lets a key pass: every one of another category, and of the common one some by chance.
fn passes(ribbon: &Ribbon, words: &[u64], step: &FilterStep, index: usize, key: HashedKey) -> bool {
    u32::from(key.category) != step.category
        || ribbon.get(words, key.hash, Plain) == print_of(step, index, key.hash)
}

/// A filter. Of few keys several are tried, and that is taken which fewest pass.
fn solve_filter(
    keys: &HashedKeys,
    step: FilterStep,
    index: usize,
    words: &mut Vec<u64>,
    watch: Watch<'_>,
) -> (FilterStep, Ribbon) {
    let solved = |step: &FilterStep, words: &mut Vec<u64>| {
        let print = |key: HashedKey| {
            let other = u32::from(key.category) != step.category;
            other.then(|| print_of(step, index, key.hash))
        };
        solve(keys, print, step.bits, words, watch)
    };
    let mut best = step;
    if keys.len() <= FEW_KEYS {
        let passing = |variant: &u32| {
            let (step, mut words) = (FilterStep { variant: *variant, ..step }, Vec::new());
            let ribbon = solved(&step, &mut words);
            keys.count(|key| passes(&ribbon, &words, &step, index, key))
        };
        best.variant = (0..VARIANTS).min_by_key(passing).unwrap_or(0);
    }
    let ribbon = solved(&best, words);
    (best, ribbon)
}

/// Codes of up to so many bits on average, for so many keys, are one structure: it is asked in a third of the time, and takes a few
/// thousandths more room.
const SHORT_CODE: f64 = 4.0;
const MANY_KEYS: usize = 1 << 16;

/// Whether all bits of a code go into one structure.
fn is_one_structure(code: &Code, codes: &[(u64, u32)], keys: &HashedKeys) -> bool {
    let bits = || keys.iter().map(|key| u64::from(codes[usize::from(key.category)].1)).sum::<u64>();
    code.table().is_some()
        && code.steps().count() > 1
        && keys.len() >= MANY_KEYS
        && bits() as f64 <= SHORT_CODE * keys.len() as f64
}

/// One structure, or one for each step: the next bits of the codes of all keys that have any left.
fn solve_code(
    code: &Code,
    lengths: &[u8],
    mut keys: HashedKeys,
    words: &mut Vec<u64>,
    watch: Watch<'_>,
) -> Vec<Ribbon> {
    let codes = code.encode(lengths);
    if is_one_structure(code, &codes, &keys) {
        let value = |key: HashedKey| codes[usize::from(key.category)];
        return vec![solve_uneven(&keys, value, code.whole(), words, watch)];
    }
    let mut depth = 0;
    let mut steps = Vec::new();
    for bits in code.steps() {
        depth += bits;
        keys.retain(|key| codes[usize::from(key.category)].1 >= depth);
        let next = |key: HashedKey| {
            let (code, length) = codes[usize::from(key.category)];
            Some((code >> (length - depth) & ((1 << bits) - 1)) as u32)
        };
        steps.push(solve(&keys, next, bits, words, watch));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cascade::Answer;
    use crate::filter::Stored as _;

    fn trained(sizes: &[usize], reject: u32) -> (Cascade, Vec<(String, u32)>) {
        let mut trainer = Trainer::new(KeyHash::new(5));
        let mut keys = Vec::new();
        for (category, &size) in sizes.iter().enumerate() {
            let number = trainer.category(format!("category{category}")).unwrap();
            for key in 0..size {
                keys.push((format!("key{key}-of-{category}"), number));
            }
        }
        keys.iter().for_each(|(key, category)| trainer.insert(*category, key.as_str()));
        (trainer.build(reject).unwrap(), keys)
    }

    /// Sizes over the entropy, words alone: the limits are those of the code (1.034 for five equal ones, 1.086 for one to
    /// ten) and one hundredth for the structures.
    #[test]
    fn every_key_has_its_category_near_the_entropy() {
        for (sizes, most) in [
            (vec![100_000, 100_000], 1.010),
            (vec![12_000; 5], 1.050),
            (vec![5_000, 200_000], 1.105),
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
                    cascade.classify(key.as_str()),
                    Answer::Unknowable(*category),
                    "{sizes:?}"
                );
            }
            let ratio = cascade.storage.len() as f64 * 512.0 / cascade.entropy_bits();
            assert!(ratio <= most || cascade.entropy_bits() == 0.0, "{sizes:?} take {ratio}");
            assert_eq!(trained(&sizes, 0).0, cascade, "always the same");
            let texts: Vec<&str> = keys.iter().map(|(key, _)| key.as_str()).collect();
            let answers = keys.iter().map(|(_, category)| Answer::Unknowable(*category));
            assert!(cascade.classify_many(&texts).into_iter().eq(answers), "{sizes:?} at once");
            let mut file = Vec::new();
            cascade.write(&mut file).unwrap();
            assert_eq!(Cascade::from_bytes(&file).unwrap(), cascade, "{sizes:?} as a file");
        }
    }

    /// Of 100,000 strangers one in 256 is expected to pass: 391, with a standard deviation of 20.
    #[test]
    fn strangers_are_refused() {
        let (cascade, keys) = trained(&[30_000, 10_000], 8);
        for (key, category) in &keys {
            assert_eq!(cascade.classify(key.as_str()), Answer::Category(*category));
        }
        let strangers = (0..100_000)
            .filter(|number| cascade.classify(&format!("stranger{number}")) != Answer::NotCovered);
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
        assert_eq!(trainer.conflicts(), [], "the same again");
        trainer.insert(b, b"leek");
        let hash = trainer.hash().bytes(b"leek");
        assert_eq!(trainer.conflicts(), [Conflict { hash, categories: (a, b) }]);
        assert!(trainer.build(0).is_err());
    }
}
