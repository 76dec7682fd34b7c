//! The keys of the trials: categories of many sizes, the same keys on every machine.
//!
//! A key has 12 to 20 letters and digits. The first 11 are a number of 64 bits that no other key has, so that no two
//! keys are equal. The bound of a set is
//!
//! ```text
//! n H = sum c log2(n / c) bits        c keys of a category, n of all
//! ```

use crate::keys::{TextKeys, Texts, splitmix64};
use serde::Serialize;

/// A set of keys by the sizes of its categories.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Set {
    pub(crate) name: &'static str,
    /// What it is, in words.
    pub(crate) about: &'static str,
    /// Keys of each category.
    pub(crate) counts: Vec<u64>,
}

/// All sets, at full size.
pub(crate) fn sets() -> Vec<Set> {
    let set = |name, about, counts: &[u64]| Set { name, about, counts: counts.to_vec() };
    vec![
        set("A", "1 M + 1 M", &[1_000_000; 2]),
        set("B", "100 k + 10 M", &[100_000, 10_000_000]),
        set("C", "5 x 5 M", &[5_000_000; 5]),
        set("D", "5 M, Zipf 1 over 5", &zipf(5_000_000, 5, 1)),
        set("D2", "5 M, Zipf 2 over 5", &zipf(5_000_000, 5, 2)),
        set("E", "5 x 12 k", &[12_000; 5]),
        set("3 equal", "3 x 333,333", &[333_333; 3]),
        set("10 equal", "10 x 100 k", &[100_000; 10]),
        set("1:2", "333,333 + 666,667", &[333_333, 666_667]),
        set("1:4", "200 k + 800 k", &[200_000, 800_000]),
        set("1:10", "90,909 + 909,091", &[90_909, 909_091]),
    ]
}

/// So many keys over categories of which the `i`-th has a share of `i^-exponent`.
fn zipf(keys: u64, categories: u32, exponent: i32) -> Vec<u64> {
    let share = |rank: u32| f64::from(rank).powi(-exponent);
    let all: f64 = (1..=categories).map(share).sum();
    (1..=categories).map(|rank| (keys as f64 * share(rank) / all).round() as u64).collect()
}

impl Set {
    /// The same with a part of the keys, one of each category at least.
    pub(crate) fn scaled(&self, scale: f64) -> Self {
        let part = |count: &u64| ((*count as f64 * scale).round() as u64).max(1);
        Self { counts: self.counts.iter().map(part).collect(), ..self.clone() }
    }

    /// How many keys.
    pub(crate) fn keys(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The least number of bits.
    pub(crate) fn bound(&self) -> f64 {
        let all = self.keys() as f64;
        self.counts.iter().map(|&count| count as f64 * (all / count as f64).log2()).sum()
    }

    /// All keys, in the order of their numbers.
    pub(crate) fn texts(&self) -> Texts {
        Texts::take(&mut Numbered(0..), self.keys() as usize)
    }

    /// The keys of each category, out of all.
    pub(crate) fn classes<'a>(&self, keys: &'a [&'a str]) -> Vec<&'a [&'a str]> {
        let mut rest = keys;
        let each = self.counts.iter().map(|count| {
            let (own, others) = rest.split_at(*count as usize);
            rest = others;
            own
        });
        each.collect()
    }

    /// Keys for questions, drawn from all.
    pub(crate) fn questions(&self, count: usize) -> Texts {
        let all = self.keys();
        let numbers = (0..count as u64).map(|draw| splitmix64(!draw) % all);
        Texts::take(&mut Numbered(numbers), count)
    }
}

/// The keys with these numbers.
struct Numbered<I>(I);

impl<I: Iterator<Item = u64>> TextKeys for Numbered<I> {
    fn append(&mut self, text: &mut String) {
        const ALPHABET: &[u8; 62] =
            b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let mut push = |mut rest: u64, length: u64| {
            for _ in 0..length {
                text.push(char::from(ALPHABET[(rest % 62) as usize]));
                rest /= 62;
            }
        };
        let own = splitmix64(self.0.next().unwrap_or(0));
        push(own, 11);
        let more = splitmix64(own);
        push(more >> 4, 1 + more % 9);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_those_of_the_published_figures() {
        let bytes: Vec<u64> =
            sets().iter().map(|set| (set.bound() / 8.0).round() as u64).take(6).collect();
        for (bytes, expected) in
            bytes.into_iter().zip([250_000, 101_172, 7_256_025, 1_289_912, 893_457, 17_414])
        {
            assert!(bytes.abs_diff(expected) <= 5, "{bytes} for {expected}");
        }
    }

    #[test]
    fn keys_are_short_and_all_different() {
        let set = sets()[5].clone();
        let texts = set.texts();
        let keys = texts.keys();
        assert!(keys.iter().all(|key| (12..=20).contains(&key.len())));
        let different: std::collections::HashSet<&str> = keys.iter().copied().collect();
        assert_eq!(different.len(), 60_000);
        assert!(set.questions(100).keys().iter().all(|question| different.contains(question)));
    }

    #[test]
    fn categories_follow_each_other() {
        let set = Set { name: "", about: "", counts: vec![2, 1, 3] };
        let classes = set.classes(&["a", "b", "c", "d", "e", "f"]).concat();
        assert_eq!(classes, ["a", "b", "c", "d", "e", "f"]);
        assert_eq!(set.scaled(0.1).counts, [1, 1, 1]);
    }
}
