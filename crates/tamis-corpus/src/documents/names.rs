//! The names of records, so that equal ones are told apart: 64 bits of each.
//!
//! Two different names have the same bits once in 2^64 pairs; a name is then longer than it
//! needs to be, and nothing else happens.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use tamis::hash::KeyHash;

/// Names that were seen.
#[derive(Debug, Default)]
pub(super) struct Names {
    hash: KeyHash,
    seen: HashSet<u64, BuildHasherDefault<AsItIs>>,
}

impl Names {
    /// Whether a name is new.
    pub(super) fn insert(&mut self, name: &str) -> bool {
        self.seen.insert(self.hash.bytes(name.as_bytes()))
    }
}

/// What is hashed already.
#[derive(Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_new_once() {
        let mut names = Names::default();
        assert!((0..1000).all(|name| names.insert(&name.to_string())));
        assert!((0..1000).all(|name| !names.insert(&name.to_string())));
    }
}
