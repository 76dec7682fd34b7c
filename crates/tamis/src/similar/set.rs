//! A set of items, kept as the sorted hashes of its members.

use crate::hash::{Key, KeyHash};
use std::ops::Deref;

/// The hashes of a set's members, ascending, each once.
///
/// Two different members share a hash with probability 2^-64, so that a similarity computed from
/// hashes is the exact one but for one pair in billions of billions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Set(Vec<u64>);

impl Set {
    /// The set of these hashes, in any order, with repetitions.
    #[must_use]
    pub fn from_hashes(mut hashes: Vec<u64>) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes)
    }

    /// The set of these items.
    pub fn of_items<K: Key>(items: impl IntoIterator<Item = K>, hash: &KeyHash) -> Self {
        Self::from_hashes(items.into_iter().map(|item| item.hash_with(hash)).collect())
    }

    /// The hashes themselves.
    #[must_use]
    pub fn into_hashes(self) -> Vec<u64> {
        self.0
    }
}

impl Deref for Set {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.0
    }
}
