//! From documents to verified similar pairs and clusters, in memory or beside it.
//!
//! Three stages, each of which leaves its result in the [`Workspace`]:
//!
//! 1. **Sign** ([`sign`]): each document becomes a set of shingles, a signature, and a hash for each
//!    band of it. Sets that are equal are joined: one of them stands for all.
//! 2. **Candidates** ([`candidates`]): documents that share a band are a pair.
//! 3. **Verify** ([`verify`]): the exact similarity of each pair, from the sets.
//!
//! [`read`] does the first stage for files; [`pairs`], [`clusters`], [`dedup`] and [`labels`] are what is made of
//! the verified pairs.
//!
//! Everything that grows with the corpus is kept in a [`spool::Spool`], in memory while it is small and in
//! files when it is not. Work is cut into parts by hash and by document, each of which
//! fits in memory, so no stage sorts more than a part. The result is ordered by document, and depends
//! neither on threads nor on memory nor on where a run was interrupted.

pub mod candidates;
pub mod clusters;
pub mod dedup;
pub mod labels;
pub mod pairs;
pub mod read;
pub mod sets;
pub mod sign;
pub mod spool;
pub mod verify;

mod batch;
mod classes;
mod manifest;
mod pieces;
mod threads;
mod workspace;

pub use batch::{Batch, Prepared, prepare};
pub use classes::Classes;
pub use clusters::Clusters;
pub use sign::{Signed, Signing};
pub use verify::Pair;
pub use workspace::{DEFAULT_MEMORY, MIN_MEMORY, Workspace};

use tamis::similar::lsh::Bands;
use tamis::similar::signature::equal;
use tamis::similar::{Shingler, Signer, jaccard};

/// What is compared, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// How documents become sets.
    pub shingler: Shingler,
    /// How sets become signatures.
    pub signer: Signer,
    /// How signatures are cut.
    pub bands: Bands,
    /// The least similarity of a pair.
    pub threshold: f64,
    /// How the similarity of a candidate pair is found.
    pub scoring: Scoring,
}

/// How the similarity of a candidate pair is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scoring {
    /// From the sets, which are kept.
    #[default]
    Exact,
    /// From the signatures, which are kept in place of the sets.
    Estimate,
}

impl Plan {
    /// The similarity of two records of the [`sets::SetStore`], if it reaches a threshold.
    #[must_use]
    pub fn score(&self, left: &[u64], right: &[u64], threshold: f64) -> Option<f64> {
        match self.scoring {
            Scoring::Exact => jaccard::at_least(left, right, threshold),
            Scoring::Estimate => {
                let estimate = equal(left, right) as f64 / left.len().max(1) as f64;
                (estimate >= threshold).then_some(estimate)
            }
        }
    }
}
