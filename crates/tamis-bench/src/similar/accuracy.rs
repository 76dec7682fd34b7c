//! How far estimates are from the truth, over pairs of all similarities.
//!
//! The pairs are stretches of one long text that overlap by a part: their shingles are real, and
//! their similarity is chosen and then computed exactly. The error is compared with that of `k`
//! independent functions:
//!
//! ```text
//! ratio = sqrt(mean (estimate - J)^2) / sqrt(mean J (1 - J) / k)
//! ```

use super::contender::{Contender, WORDS, contenders};
use super::ours::shingler;
use super::texts::Source;
use serde::Serialize;
use std::ops::Range;
use tamis::similar::jaccard;

/// How many pairs of each kind, over [`SEEDS`] seeds.
pub(crate) const PAIRS: usize = 20_000;

/// How many seeds.
pub(crate) const SEEDS: usize = 5;

/// Shingles of a small set, at most.
const SMALL: usize = 127;

/// How many times a set has the size of the other, at least, to be of very unequal size.
const UNEQUAL: usize = 8;

/// Which sets are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sizes {
    /// As large as the texts.
    All,
    /// Both under 128 shingles.
    Small,
    /// One at least eight times as large as the other.
    Unequal,
}

impl Sizes {
    pub(crate) const EVERY: [Self; 3] = [Self::All, Self::Small, Self::Unequal];

    /// Its name in tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Small => "small",
            Self::Unequal => "unequal",
        }
    }
}

/// One contender on one kind of sets.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Accuracy {
    pub(crate) contender: &'static str,
    pub(crate) components: usize,
    pub(crate) sizes: Sizes,
    pub(crate) pairs: usize,
    /// The error as a part of that of independent functions.
    pub(crate) ratio: f64,
    /// The mean of estimate less truth.
    pub(crate) mean_error: f64,
}

/// Every contender on every kind of sets.
pub(crate) fn measure(texts: &[String], pairs: usize) -> Vec<Accuracy> {
    let stream = Stream::new(texts);
    let mut found = Vec::new();
    for sizes in Sizes::EVERY {
        let pairs = stream.pairs(sizes, pairs);
        for contender in contenders().iter().filter(|contender| contender.name != "txtfp murmur3") {
            found.push(compare(contender, sizes, &pairs));
        }
    }
    found
}

fn compare(contender: &Contender, sizes: Sizes, pairs: &[Pair<'_>]) -> Accuracy {
    let (mut squares, mut expected, mut errors) = (0.0, 0.0, 0.0);
    for seed in 0..SEEDS {
        let mut signs = contender.with_seed(1 + seed as u64);
        for pair in pairs.iter().skip(seed).step_by(SEEDS) {
            let left = signs.sign(pair.left).to_vec();
            let right = signs.sign(pair.right).to_vec();
            let estimate = signs.estimate(&left, &right, pair.sizes);
            let error = estimate - pair.similarity;
            squares += error * error;
            expected += pair.similarity * (1.0 - pair.similarity) / left.len() as f64;
            errors += error;
        }
    }
    Accuracy {
        contender: contender.name,
        components: contender.components,
        sizes,
        pairs: pairs.len(),
        ratio: (squares / expected).sqrt(),
        mean_error: errors / pairs.len() as f64,
    }
}

/// Two texts and how similar they are.
struct Pair<'a> {
    left: &'a str,
    right: &'a str,
    similarity: f64,
    sizes: (u64, u64),
}

/// Many texts, one behind the other.
struct Stream {
    text: String,
    /// Where each word is.
    words: Vec<Range<usize>>,
    /// The sizes of texts, in shingles.
    sizes: Vec<usize>,
}

impl Stream {
    /// As long as a sample of the pairs needs.
    const BYTES: usize = 16_000_000;

    fn new(texts: &[String]) -> Self {
        let mut stream = Self { text: String::new(), words: Vec::new(), sizes: Vec::new() };
        for text in super::speed::sample(texts, Self::BYTES) {
            let before = stream.words.len();
            for word in text.split_whitespace() {
                let start = stream.text.len();
                stream.text.push_str(word);
                stream.words.push(start..stream.text.len());
                stream.text.push(' ');
            }
            stream.sizes.push((stream.words.len() - before).saturating_sub(WORDS - 1));
        }
        stream.sizes.retain(|&size| size >= 4);
        stream
    }

    /// So many pairs of a kind.
    fn pairs(&self, sizes: Sizes, count: usize) -> Vec<Pair<'_>> {
        let mut source = Source { draws: 1 << 40 };
        let mut pairs = Vec::with_capacity(count);
        // Texts that are all of one size have no unequal pairs, say.
        for _ in 0..count * 1000 {
            if pairs.len() == count {
                break;
            }
            pairs.extend(self.overlap(sizes, &mut source).and_then(|shape| {
                let pair = self.pair(shape, &mut source)?;
                (pair.similarity > 0.0 && pair.similarity < 1.0).then_some(pair)
            }));
        }
        pairs
    }

    /// The sizes of two sets and of what they have in common, if the draw is of this kind.
    fn overlap(&self, sizes: Sizes, source: &mut Source) -> Option<[usize; 3]> {
        let mut size = || self.sizes.get(source.below(self.sizes.len())).copied();
        let large = size()?;
        if sizes == Sizes::Unequal {
            let small = size()?;
            return (large >= UNEQUAL * small).then(|| [large, small, 1 + source.below(small)]);
        }
        if sizes == Sizes::Small && large > SMALL {
            return None;
        }
        let similarity = 0.02 + 0.96 * source.unit();
        let part = similarity + (1.0 - similarity) * source.unit();
        let small = ((large as f64 * part) as usize).max(1);
        let common = similarity / (1.0 + similarity) * (large + small) as f64;
        Some([large, small, (common.round() as usize).min(small)])
    }

    /// Two stretches that overlap.
    fn pair(&self, [large, small, common]: [usize; 3], source: &mut Source) -> Option<Pair<'_>> {
        let length = large - common + small + WORDS;
        let start = source.below(self.words.len().checked_sub(length)?);
        let left = self.stretch(start, large);
        let right = self.stretch(start + large - common, small);
        let shingler = shingler();
        let sets = [left, right].map(|text| shingler.set(text));
        let similarity = jaccard::similarity(&sets[0], &sets[1]);
        let sizes = (sets[0].len() as u64, sets[1].len() as u64);
        Some(Pair { left, right, similarity, sizes })
    }

    /// So many shingles.
    fn stretch(&self, start: usize, shingles: usize) -> &str {
        let last = start + shingles + WORDS - 2;
        &self.text[self.words[start].start..self.words[last].end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_of_their_kind_and_of_all_similarities() {
        let texts = crate::similar::texts::generated(1000);
        let stream = Stream::new(&texts);
        for sizes in Sizes::EVERY {
            let pairs = stream.pairs(sizes, 1000);
            assert_eq!(pairs.len(), 1000);
            let size = |text: &str| text.split_whitespace().count() - WORDS + 1;
            for pair in &pairs {
                let (left, right) = (size(pair.left), size(pair.right));
                assert!(sizes != Sizes::Small || left.max(right) <= SMALL);
                assert!(sizes != Sizes::Unequal || left >= UNEQUAL * right);
            }
            if sizes != Sizes::Unequal {
                let low = pairs.iter().filter(|pair| pair.similarity < 0.5).count();
                assert!((350..650).contains(&low), "{low}");
            }
        }
    }
}
