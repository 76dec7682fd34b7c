//! From documents to verified similar pairs and clusters, in memory or beside it.
//!
//! Three stages, each of which leaves its result in the [`Workspace`]:
//!
//! 1. **Sign** ([`sign`]): each document becomes a set of shingles, a signature, and a hash for each
//!    band of it. Sets that are equal are joined: one of them stands for all.
//! 2. **Candidates** ([`candidates`]): documents that share a band are a pair.
//! 3. **Verify** ([`verify`]): the exact similarity of each pair, from the sets.
//!
//! Everything that grows with the corpus is kept in a [`spool::Spool`], in memory while it is small and in
//! files when it is not. Work is cut into parts by hash and by document, each of which
//! fits in memory, so no stage sorts more than a part. The result is ordered by document, and depends
//! neither on threads nor on memory nor on where a run was interrupted.

pub mod candidates;
pub mod clusters;
pub mod sets;
pub mod sign;
pub mod spool;
pub mod verify;

mod manifest;
mod workspace;

pub use clusters::Clusters;
pub use sign::{Signed, Signing};
pub use verify::Pair;
pub use workspace::{DEFAULT_MEMORY, MIN_MEMORY, Workspace};

use tamis::similar::lsh::Bands;
use tamis::similar::{Shingler, Signer};

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
}
