//! Which hash, with which seed: the part of a filter that a file records.

use super::rapid::Rapid;
use super::{farm, murmur3};
use crate::prelude::*;
use crate::{Error, Result};
use core::fmt;
use core::str::FromStr;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The hash algorithms that a file can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Algorithm {
    /// XXH3, 64 bits, seeded, and for integers rapidhash V3: the default.
    #[default]
    Xxh3,
    /// `farmhashna::Hash64WithSeed` of FarmHash 1.1: the same on every machine.
    FarmHash64,
    /// MurmurHash3 x86 32-bit with seeds `s` and `s + 1`, joined to 64 bits.
    Murmur3,
}

impl Algorithm {
    /// Every algorithm, in the order of its number in files.
    pub const ALL: [Self; 3] = [Self::Xxh3, Self::FarmHash64, Self::Murmur3];

    /// The number that stands for it in a file.
    #[must_use]
    pub const fn id(self) -> u16 {
        match self {
            Self::Xxh3 => 1,
            Self::FarmHash64 => 2,
            Self::Murmur3 => 3,
        }
    }

    /// The algorithm with this number.
    ///
    /// # Errors
    /// [`Error::Malformed`] for a number that no version has used.
    pub fn from_id(id: u16) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.id() == id)
            .ok_or_else(|| Error::malformed("hash", "1, 2 or 3", id))
    }

    /// Its name on the command line, in JSON and in Python.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xxh3 => "xxh3",
            Self::FarmHash64 => "farmhash64",
            Self::Murmur3 => "murmur3",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name).ok_or_else(|| {
            Error::Parameter {
                what: "hash",
                expected: "xxh3, farmhash64 or murmur3",
                got: name.to_owned(),
            }
        })
    }
}

/// An algorithm with its seed: maps a key to 64 bits, the same on every machine
/// and in every version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash {
    algorithm: Algorithm,
    seed: u64,
    /// The seed once more, as integers need it.
    integers: Rapid,
}

impl Default for KeyHash {
    fn default() -> Self {
        Self::new(0)
    }
}

impl KeyHash {
    /// The default algorithm with this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self::with_algorithm(Algorithm::Xxh3, seed)
    }

    /// Another algorithm with this seed; Murmur3 uses its lower 32 bits.
    #[must_use]
    pub const fn with_algorithm(algorithm: Algorithm, seed: u64) -> Self {
        Self { algorithm, seed, integers: Rapid::new(seed) }
    }

    /// The default algorithm with a seed that nobody can foresee, for keys that come from people
    /// who might mean harm. The seed comes from the operating system, through the standard
    /// library's own tables.
    ///
    /// ```
    /// use tamis::filter::BlockedBloomFilter;
    /// use tamis::hash::KeyHash;
    ///
    /// let filter = BlockedBloomFilter::with_false_positive_rate(1_000, 0.01)?;
    /// let mut filter = filter.with_hash(KeyHash::random());
    /// filter.insert("anne@example.org");
    /// assert!(filter.contains("anne@example.org"));
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub fn random() -> Self {
        use std::hash::{BuildHasher, RandomState};
        Self::new(RandomState::new().hash_one(std::time::SystemTime::now()))
    }

    /// Which algorithm.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Which seed.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The hash of a byte string.
    #[inline]
    #[must_use]
    pub fn bytes(&self, key: &[u8]) -> u64 {
        match self.algorithm {
            // The same, with the seed in the constants.
            Algorithm::Xxh3 if self.seed == 0 => xxh3_64(key),
            Algorithm::Xxh3 => seeded(key, self.seed),
            other => otherwise(other, self.seed, key),
        }
    }

    /// The hash of an integer. With the default algorithm it is rapidhash of its eight bytes, little-endian, and so another than that of
    /// [`Self::bytes`]; with the others it is the same.
    #[inline]
    #[must_use]
    pub fn integer(&self, key: u64) -> u64 {
        match self.algorithm {
            Algorithm::Xxh3 => self.integers.hash(key),
            other => integer_otherwise(other, self.seed, key),
        }
    }

    /// Refuses another algorithm or seed, which would make every comparison wrong.
    pub(crate) fn must_equal(&self, other: &Self) -> Result<()> {
        if self.algorithm != other.algorithm {
            return Err(Error::mismatch("the hash", self.algorithm, other.algorithm));
        }
        if self.seed != other.seed {
            return Err(Error::mismatch("the seed", self.seed, other.seed));
        }
        Ok(())
    }
}

/// The default with a seed, as one copy that all callers share.
#[inline(never)]
fn seeded(key: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(key, seed)
}

/// The other algorithms are out of the way of the default, whose callers then keep everything
/// in registers.
#[cold]
#[inline(never)]
fn otherwise(algorithm: Algorithm, seed: u64, key: &[u8]) -> u64 {
    match algorithm {
        Algorithm::Xxh3 => xxh3_64_with_seed(key, seed),
        Algorithm::FarmHash64 => farm_with_seed(key, seed),
        Algorithm::Murmur3 => murmur_pair(key, seed),
    }
}

#[cold]
#[inline(never)]
fn integer_otherwise(algorithm: Algorithm, seed: u64, key: u64) -> u64 {
    otherwise(algorithm, seed, &key.to_le_bytes())
}

/// `farmhashna::Hash64WithSeed`: the portable 64-bit hash, then two rounds of
/// the 128-to-64 mix with the seed.
fn farm_with_seed(key: &[u8], seed: u64) -> u64 {
    const K2: u64 = 0x9AE1_6A3B_2F90_404F;
    const MIX: u64 = 0x9DDF_EA08_EB38_2D69;
    let low = farm::hash64(key).wrapping_sub(K2);
    let mut a = (low ^ seed).wrapping_mul(MIX);
    a ^= a >> 47;
    let mut b = (seed ^ a).wrapping_mul(MIX);
    b ^= b >> 47;
    b.wrapping_mul(MIX)
}

fn murmur_pair(key: &[u8], seed: u64) -> u64 {
    let seed = seed as u32;
    let high = murmur3::hash32(key, seed);
    let low = murmur3::hash32(key, seed.wrapping_add(1));
    u64::from(high) << 32 | u64::from(low)
}
