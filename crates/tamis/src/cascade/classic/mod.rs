//! The classic Bloom cascade: filters that settle, one category after the other, what the others do not have.
//!
//! Algorithm 0 takes each category `C` in turn. A filter of everything else that is not settled yet says *no* to most of
//! `C`: a *no* at that filter means `C`. What of `C` it says *yes* to goes into the next round, with as much of the
//! others as was not settled either; when one category at most is left, that is the answer to *yes* everywhere.
//!
//! Algorithm 1 puts a filter of `C` before it, so that the second one holds only the others that the first lets pass:
//! *yes* at the first and *no* at the second (or no second at all) means `C`.
//!
//! ```text
//! bits of a filter of m keys with k functions: trunc(m k / ln 2), rounded up to whole bytes
//! place of a key: MurmurHash3_x86_32(key, seed) mod bits, for each of k seeds of one byte
//! ```
//!
//! A key that was not trained gets some category. The program that the files come from never ends on a key in two
//! categories or on no input, and fails on filters of no byte. Here [`Training::insert`] tells of the first, the second is
//! refused, and the last is malformed.
//!
//! ```
//! use tamis::cascade::classic::{Algorithm, Classic, Training};
//!
//! let mut training = Training::new();
//! let (root, leaf) = (training.category("root")?, training.category("leaf")?);
//! training.insert(root, b"carrot");
//! training.insert(root, b"turnip");
//! training.insert(leaf, b"leek");
//! let cascade = training.build(Algorithm::One.functions(), 7)?;
//! let mut bytes = Vec::new();
//! cascade.write(&mut bytes)?;
//! let read = Classic::read(&bytes)?;
//! assert_eq!(read.classify(b"leek"), b"leaf");
//! assert_eq!(read.classify(b"carrot"), b"root");
//! # Ok::<(), tamis::Error>(())
//! ```

#[cfg(feature = "train")]
mod build;
mod file;

#[cfg(feature = "train")]
pub use build::Training;

use crate::hash::murmur3::hash32;
use crate::prelude::*;

/// The longest name of a category, in bytes.
pub const MAX_NAME: usize = 255;

/// The most functions of a filter; a number more ends the file.
pub const MAX_FUNCTIONS: u8 = 254;

/// Which of the two, by its number in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// One filter for each category.
    Zero,
    /// Two filters for each category: smaller files.
    One,
}

/// How many functions each filter has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Functions {
    /// Algorithm 0 with so many.
    Zero(u8),
    /// Algorithm 1 with so many in the first and in the second filter.
    One(u8, u8),
}

impl Algorithm {
    /// The numbers of functions that gave the smallest files in the report.
    #[must_use]
    pub const fn functions(self) -> Functions {
        match self {
            Self::Zero => Functions::Zero(1),
            Self::One => Functions::One(3, 4),
        }
    }
}

impl Functions {
    /// Whose numbers they are.
    #[must_use]
    pub const fn algorithm(self) -> Algorithm {
        match self {
            Self::Zero(_) => Algorithm::Zero,
            Self::One(..) => Algorithm::One,
        }
    }
}

/// One filter; none where a category or what is to be kept out of it is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Filter<'a> {
    seeds: alloc::borrow::Cow<'a, [u8]>,
    bits: alloc::borrow::Cow<'a, [u8]>,
}

impl Filter<'_> {
    fn contains(&self, key: &[u8]) -> bool {
        let bits = self.bits.len() as u64 * 8;
        self.seeds.iter().all(|&seed| {
            let place = u64::from(hash32(key, u32::from(seed))) % bits;
            self.bits[(place / 8) as usize] & 1 << (place % 8) != 0
        })
    }
}

/// A cascade, in memory or over the bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classic<'a> {
    algorithm: Algorithm,
    names: Vec<Vec<u8>>,
    /// One for each category of each round, or two for algorithm 1.
    filters: Vec<Option<Filter<'a>>>,
    last: Vec<u8>,
}

impl Classic<'_> {
    /// Which algorithm made it.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The names of the categories.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.names.iter().map(Vec::as_slice)
    }

    /// How many rounds it has, the last one perhaps not whole.
    #[must_use]
    pub fn rounds(&self) -> usize {
        let of_round = self.names.len() * self.filters_per_category();
        if of_round == 0 { 0 } else { self.filters.len().div_ceil(of_round) }
    }

    const fn filters_per_category(&self) -> usize {
        match self.algorithm {
            Algorithm::Zero => 1,
            Algorithm::One => 2,
        }
    }

    /// The name of a key's category; of a key that was not trained, some name.
    #[must_use]
    pub fn classify(&self, key: &[u8]) -> &[u8] {
        match self.path(key).position(|step| step.settles) {
            Some(step) => &self.names[step % self.names.len()],
            None => &self.last,
        }
    }

    /// The name of the category of keys that no filter settles.
    #[must_use]
    pub fn last(&self) -> &[u8] {
        &self.last
    }

    /// What all filters say about a key, one category after the other and one round after the other. The first step that
    /// settles it is its answer.
    pub fn path(&self, key: &[u8]) -> impl Iterator<Item = Step> {
        let has = |filter: &Option<Filter<'_>>| filter.as_ref().map(|filter| filter.contains(key));
        self.filters.chunks(self.filters_per_category()).map(move |filters| {
            let said = [has(&filters[0]), filters.get(1).and_then(has)];
            let settles = match self.algorithm {
                Algorithm::Zero => said[0] == Some(false),
                Algorithm::One => said[0] == Some(true) && said[1] != Some(true),
            };
            Step { said, settles }
        })
    }

    /// Bits and functions of each filter, in the order of [`Self::path`]; none where there is no filter.
    pub fn shapes(&self) -> impl Iterator<Item = [Option<(u64, usize)>; 2]> {
        let shape = |filter: &Option<Filter<'_>>| {
            filter.as_ref().map(|filter| (filter.bits.len() as u64 * 8, filter.seeds.len()))
        };
        self.filters
            .chunks(self.filters_per_category())
            .map(move |filters| [shape(&filters[0]), filters.get(1).and_then(shape)])
    }
}

/// What the filters of a category say about a key in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What the first and the second say; none where there is no filter.
    pub said: [Option<bool>; 2],
    /// Whether the key has that category.
    pub settles: bool,
}
