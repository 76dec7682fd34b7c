//! Systems of linear equations over the field of two elements, one equation for each key.
//!
//! What static filters ([`band`]) and cascades ([`ribbon`]) share: keys by their hashes, elimination
//! on all cores, and the lookup of a solution.

pub(crate) mod band;
#[cfg(feature = "cascade")]
pub(crate) mod ribbon;

#[cfg(feature = "train")]
mod keys;
#[cfg(feature = "train")]
mod parallel;

#[cfg(all(feature = "train", feature = "cascade"))]
pub(crate) use keys::HashedKey;
#[cfg(feature = "train")]
pub(crate) use keys::HashedKeys;

/// Is told how many keys more were placed.
#[cfg(feature = "train")]
pub(crate) type Watch<'a> = &'a (dyn Fn(u64) + Sync);
