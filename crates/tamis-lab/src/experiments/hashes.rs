//! The hashes that are examined: those of the library, and one that is known to be bad.

use tamis::hash::{Algorithm, KeyHash};

/// Something that turns a key into 64 bits; its further functions are those of [`tamis::hash::Functions`].
pub trait Hash: Sync {
    /// Its name in tables and legends.
    fn name(&self) -> &'static str;

    /// The hash of a key.
    fn hash(&self, key: &[u8]) -> u64;
}

impl Hash for KeyHash {
    fn name(&self) -> &'static str {
        self.algorithm().name()
    }

    fn hash(&self, key: &[u8]) -> u64 {
        self.bytes(key)
    }
}

/// The letters added up, times the golden ratio: looks spread, but "carrot" and "torrac" are one, and a string of 50
/// letters has one of a few thousand values.
#[derive(Debug, Clone, Copy, Default)]
pub struct SumOfLetters;

impl Hash for SumOfLetters {
    fn name(&self) -> &'static str {
        "sum of letters"
    }

    fn hash(&self, key: &[u8]) -> u64 {
        let sum: u64 = key.iter().map(|byte| u64::from(*byte)).sum();
        sum.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// A hash, and whether it should pass.
pub struct Subject {
    /// The hash.
    pub hash: Box<dyn Hash>,
    /// Whether it should pass; one that should not must be caught.
    pub is_sound: bool,
}

impl Subject {
    /// A hash that should pass.
    pub fn sound(hash: impl Hash + 'static) -> Self {
        Self { hash: Box::new(hash), is_sound: true }
    }
}

/// Every hash of the library with this seed, and the bad one.
#[must_use]
pub fn subjects(seed: u64) -> Vec<Subject> {
    let known = Algorithm::ALL.into_iter();
    let known = known.map(|algorithm| Subject::sound(KeyHash::with_algorithm(algorithm, seed)));
    let bad = Subject { hash: Box::new(SumOfLetters), is_sound: false };
    known.chain([bad]).collect()
}
