//! What is broken is caught: a bad hash, a filter that repeats a function, a signature that is biased.

use tamis::filter::{BloomFilter, Filter, Insert};
use tamis::hash::KeyHash;
use tamis::similar::{Method, Signer};
use tamis_lab::experiment::Experiment;
use tamis_lab::experiments::best_functions::BestFunctions;
use tamis_lab::experiments::hash_correlation::HashCorrelation;
use tamis_lab::experiments::hash_distribution::HashDistribution;
use tamis_lab::experiments::hash_independence::HashIndependence;
use tamis_lab::experiments::hashes::{Hash, Subject, SumOfLetters};
use tamis_lab::experiments::minhash::{self, MinHashProperty};

#[test]
fn a_bad_hash_fails_every_test_of_hashes() {
    let subjects = || vec![Subject::sound(SumOfLetters)];
    assert!(!HashDistribution::quick().examine(1, &subjects()).holds());
    assert!(!HashCorrelation::quick().examine(1, &subjects()).holds());
    assert!(!HashIndependence::quick().examine(1, &subjects()).holds());
}

/// The last bit of a good hash follows from a bit of the key.
struct NearlyGood;

impl Hash for NearlyGood {
    fn name(&self) -> &'static str {
        "nearly good"
    }

    fn hash(&self, key: &[u8]) -> u64 {
        KeyHash::new(1).bytes(key) & !1 | u64::from(key[0] & 1)
    }
}

#[test]
fn one_bad_bit_fails_the_avalanche() {
    let outcome = HashIndependence::quick().examine(1, &[Subject::sound(NearlyGood)]);
    let failed: Vec<_> = outcome.verdicts.iter().filter(|verdict| !verdict.holds).collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0].claim.contains("each bit"), "{failed:?}");
}

/// A filter of `k` functions of which the last is the one before again: in truth it has one less.
struct Repeating(BloomFilter);

impl Filter for Repeating {
    fn hash(&self) -> &KeyHash {
        self.0.hash()
    }
    fn contains_hash(&self, hash: u64) -> bool {
        self.0.contains_hash(hash)
    }
    fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
        self.0.contains_many_hashes(hashes, found);
    }
    fn indexes_hash(&self, hash: u64) -> Vec<u64> {
        self.0.indexes_hash(hash)
    }
    fn len(&self) -> u64 {
        self.0.len()
    }
    fn fill(&self) -> f64 {
        self.0.fill()
    }
    fn estimated_items(&self) -> f64 {
        self.0.estimated_items()
    }
    fn current_false_positive_rate(&self) -> f64 {
        self.0.current_false_positive_rate()
    }
}

impl Insert for Repeating {
    fn insert_hash(&mut self, hash: u64) -> bool {
        self.0.insert_hash(hash)
    }
    fn insert_many_hashes(&mut self, hashes: &[u64]) {
        self.0.insert_many_hashes(hashes);
    }
    fn clear(&mut self) {
        self.0.clear();
    }
}

#[test]
fn a_repeated_function_fails_the_best_number_of_functions() {
    let make = |bits: u64, hashes: u32, hash: KeyHash| {
        let filter = BloomFilter::with_bits(bits, hashes.max(2) - 1)?.with_hash(hash);
        Ok(Box::new(Repeating(filter)) as Box<dyn Insert>)
    };
    let outcome = BestFunctions::quick().examine(1, &make).unwrap();
    assert!(!outcome.verdicts[0].holds, "{}", outcome.verdicts[0]);
}

#[test]
fn a_biased_signature_fails_the_minhash_property() {
    // Only three bits of a component are kept: some are equal by chance.
    let short = |seed: u64, components: usize, items: &[u64]| {
        let signer =
            Signer::with_method(Method::Classic, components)?.with_hash(KeyHash::new(seed));
        let mut signature = vec![0; components];
        signer.sign_into(items, &mut signature);
        signature.iter_mut().for_each(|component| *component %= 8);
        Ok(signature)
    };
    let subject = minhash::Subject { name: "short", independent: true, sign: &short };
    let outcome = MinHashProperty::quick().examine(1, &[subject]).unwrap();
    assert!(!outcome.holds());
    // A signature that repeats a component is right on average but less exact than it says.
    let repeated = |seed: u64, components: usize, items: &[u64]| {
        let signer =
            Signer::with_method(Method::Classic, components)?.with_hash(KeyHash::new(seed));
        let mut signature = vec![0; components];
        signer.sign_into(items, &mut signature);
        for pair in signature.chunks_mut(4) {
            pair.fill(pair[0]);
        }
        Ok(signature)
    };
    let subject = minhash::Subject { name: "repeated", independent: true, sign: &repeated };
    let outcome = MinHashProperty::quick().examine(1, &[subject]).unwrap();
    assert!(
        outcome
            .verdicts
            .iter()
            .any(|verdict| verdict.claim.starts_with("the error") && !verdict.holds)
    );
}
