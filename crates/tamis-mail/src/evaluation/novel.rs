//! Which messages of the testing part are new? Those without a near-copy of the same label in the training part.

use super::Example;
use crate::filter::NEAR_COPY;
use crate::message::Message;
use std::collections::{HashMap, HashSet};
use tamis::similar::lsh::Bands;
use tamis::similar::{Set, Shingler, Shingles, Signer, jaccard};

/// Which messages are near-copies of learned ones, by exact similarity of their runs of three words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Novelty {
    is_copy: Vec<bool>,
}

impl Novelty {
    /// Compares the testing part with the training part. Candidates are found by signatures, which miss one pair in 250
    /// at a similarity of one half and fewer above, and are then compared exactly.
    ///
    /// # Errors
    /// As [`Signer::new`].
    pub fn of(training: &[Example], testing: &[Example]) -> tamis::Result<Self> {
        let shingler = Shingler::new(Shingles::Words(3)).lowercase(true);
        let signer = Signer::new(129)?;
        let bands = Bands { bands: 43, rows: 3 };
        let set = |example: &Example| shingler.set(&Message::parse(&example.raw).body());
        let sets: Vec<Set> = training.iter().map(set).collect();
        let mut chains: HashMap<(u8, u64), Vec<u32>> = HashMap::new();
        let mut components = vec![0; signer.components()];
        let mut empty: HashSet<u8> = HashSet::new();
        for ((number, set), example) in (0..).zip(&sets).zip(training) {
            if set.is_empty() {
                empty.insert(example.label);
            } else {
                signer.sign_into(set, &mut components);
                for hash in bands.hashes(&components) {
                    chains.entry((example.label, hash)).or_default().push(number);
                }
            }
        }
        let mut is_copy = |example: &Example| {
            let own = set(example);
            if own.is_empty() {
                return empty.contains(&example.label);
            }
            signer.sign_into(&own, &mut components);
            let hashes = bands.hashes(&components);
            let mut near: Vec<u32> = hashes
                .filter_map(|hash| chains.get(&(example.label, hash)))
                .flatten()
                .copied()
                .collect();
            near.sort_unstable();
            near.dedup();
            near.iter().any(|&n| jaccard::at_least(&own, &sets[n as usize], NEAR_COPY).is_some())
        };
        Ok(Self { is_copy: testing.iter().map(&mut is_copy).collect() })
    }

    /// Whether a message of the testing part, by its place, has a learned near-copy.
    #[must_use]
    pub fn is_copy(&self, place: usize) -> bool {
        self.is_copy[place]
    }
}
