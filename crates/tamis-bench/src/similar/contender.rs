//! Those who make signatures from texts, all on the same word 3-shingles.

use super::ours::Ours;
use super::peers::{Gaoya, OptDens, SuperMinHash, Txtfp};
use tamis::similar::signature::equal;
use txtfp::HashFamily;

/// Words in a shingle.
pub(crate) const WORDS: usize = 3;

/// Makes a signature from a text that is not empty.
pub(crate) trait Signs {
    /// The components, until the next text.
    fn sign(&mut self, text: &str) -> &[u64];

    /// The estimate from two signatures: the part of equal components, unless the sizes of the sets are kept
    /// with them.
    fn estimate(&self, left: &[u64], right: &[u64], _sizes: (u64, u64)) -> f64 {
        equal(left, right) as f64 / left.len() as f64
    }
}

/// A contender with its number of components.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) components: usize,
    make: fn(usize, u64) -> Box<dyn Signs>,
}

impl Contender {
    /// Ready to sign with the functions of a seed.
    pub(crate) fn with_seed(&self, seed: u64) -> Box<dyn Signs> {
        (self.make)(self.components, seed)
    }
}

/// The name of this project's contenders.
pub(crate) const OURS: &str = "tamis";

/// All, ours first.
pub(crate) fn contenders() -> Vec<Contender> {
    let ours = |components| Contender {
        name: OURS,
        components,
        make: |components, seed| Box::new(Ours::new(components, seed)),
    };
    let peer = |name, make| Contender { name, components: 128, make };
    vec![
        ours(128),
        ours(400),
        ours(1000),
        peer("txtfp", |_, seed| Box::new(Txtfp::new(HashFamily::Xxh3_64, seed))),
        peer("txtfp murmur3", |_, seed| {
            Box::new(Txtfp::new(HashFamily::MurmurHash3_x64_128, seed))
        }),
        peer("gaoya", |components, seed| Box::new(Gaoya::new(components, seed))),
        peer("probminhash OptDens", |components, seed| Box::new(OptDens::new(components, seed))),
        peer("probminhash SuperMinHash", |components, seed| {
            Box::new(SuperMinHash::new(components, seed))
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_of_all_are_equal_for_equal_sets_and_not_for_others() {
        for contender in contenders() {
            let mut signs = contender.with_seed(7);
            let one = signs.sign("a fine sieve for texts").to_vec();
            assert_eq!(one.len(), contender.components, "{}", contender.name);
            let spaced = signs.sign("a  fine sieve\nfor texts").to_vec();
            assert_eq!(one, spaced, "{}", contender.name);
            let other = signs.sign("something that is quite different").to_vec();
            let equal = one.iter().zip(&other).filter(|(a, b)| a == b).count();
            assert!(equal < contender.components / 8, "{}: {equal}", contender.name);
        }
    }
}
