//! A set of items, kept as the sorted hashes of its members.

use crate::hash::{Key, KeyHash, Sorter};
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
        arrange(&mut hashes, 0, &mut Sorter::default());
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

/// Makes a set, as a [`Set`] has it, of the hashes from `start` on. So many sets can stand one behind the other,
/// and be made with the same room.
pub fn arrange(hashes: &mut Vec<u64>, start: usize, sorter: &mut Sorter<u64>) {
    let members = &mut hashes[start..];
    sorter.sort(members, |&hash| hash);
    // Without a branch: which shingles are repeated cannot be foreseen.
    let (mut kept, mut before) = (0, None);
    for index in 0..members.len() {
        let hash = members[index];
        members[kept] = hash;
        kept += usize::from(before != Some(hash));
        before = Some(hash);
    }
    hashes.truncate(start + kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_set_is_ascending_and_has_each_hash_once(
            first in proptest::collection::vec(0u64..50, 0..40),
            second in proptest::collection::vec(any::<u64>().prop_map(|hash| hash >> 54 << 54), 0..3000),
        ) {
            let mut sorter = Sorter::default();
            let mut hashes = first.clone();
            arrange(&mut hashes, 0, &mut sorter);
            let start = hashes.len();
            hashes.extend(&second);
            arrange(&mut hashes, start, &mut sorter);
            for (members, made) in [(first, &hashes[..start]), (second, &hashes[start..])] {
                let expected: Vec<u64> = members.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
                prop_assert_eq!(made, expected.as_slice());
                prop_assert_eq!(&Set::from_hashes(members)[..], expected.as_slice());
            }
        }
    }
}
