//! The similarity of Jaccard, exactly, over sorted slices without repetitions.
//!
//! Two empty sets are alike: their similarity is 1. An empty and another one have nothing in
//! common: 0.

/// `|A and B| / |A or B|`.
#[must_use]
pub fn similarity(left: &[u64], right: &[u64]) -> f64 {
    let common = intersection(left, right);
    let all = left.len() + right.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

/// `1 - similarity`.
#[must_use]
pub fn distance(left: &[u64], right: &[u64]) -> f64 {
    let common = intersection(left, right);
    let all = left.len() + right.len() - common;
    if all == 0 { 0.0 } else { (all - common) as f64 / all as f64 }
}

/// How many members both have.
///
/// # Complexity
/// Linear in both lengths, without a branch that depends on the values.
#[must_use]
pub fn intersection(left: &[u64], right: &[u64]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        let (a, b) = (left[i], right[j]);
        common += usize::from(a == b);
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
    common
}

/// How many members two sets that have `total` together, each counted for itself, need in common to be this similar:
///
/// ```text
/// c / (total - c) >= t  <=>  c >= t total / (1 + t)
/// ```
#[must_use]
pub fn needed(total: usize, threshold: f64) -> usize {
    (threshold * total as f64 / (1.0 + threshold) - 1e-9).ceil() as usize
}

/// The similarity if it is at least `threshold`; stops as soon as it can no longer be.
#[must_use]
pub fn at_least(left: &[u64], right: &[u64], threshold: f64) -> Option<f64> {
    let (short, long) = (left.len().min(right.len()), left.len().max(right.len()));
    if (short as f64) < threshold * long as f64 {
        return None;
    }
    let total = left.len() + right.len();
    let needed = needed(total, threshold);
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        // In stretches, so that the test for giving up costs nothing.
        if common + (left.len() - i).min(right.len() - j) < needed {
            return None;
        }
        for _ in 0..16 {
            if i == left.len() || j == right.len() {
                break;
            }
            let (a, b) = (left[i], right[j]);
            common += usize::from(a == b);
            i += usize::from(a <= b);
            j += usize::from(b <= a);
        }
    }
    let all = total - common;
    let similarity = if all == 0 { 1.0 } else { common as f64 / all as f64 };
    (similarity >= threshold).then_some(similarity)
}

/// Roughly which members a set has: for each range of hashes whether a member lies in it.
///
/// What is not in the outline is not in the set, so that an outline tells of most sets that they have too little in
/// common with it, in a fraction of the time in which both are merged.
#[derive(Debug, Clone)]
pub struct Outline {
    /// One where no member lies: a byte for each range, which is looked up faster than a bit.
    empty: Vec<u8>,
    /// What is left of a hash is its range.
    shift: u32,
}

impl Default for Outline {
    /// The outline of the empty set.
    fn default() -> Self {
        Self { empty: vec![1; 2], shift: 63 }
    }
}

impl Outline {
    /// Ranges for each member, at least: one in sixteen that are not in the set seems to be.
    const RANGES: usize = 16;

    /// Makes this the outline of another set.
    pub fn draw(&mut self, set: &[u64]) {
        let ranges = (set.len() * Self::RANGES).next_power_of_two().max(2);
        self.shift = 64 - ranges.ilog2();
        self.empty.clear();
        self.empty.resize(ranges, 1);
        for member in set {
            self.empty[(member >> self.shift) as usize] = 0;
        }
    }

    /// Whether a set may have so many members in common with the one that was drawn. A set that has is never denied.
    #[must_use]
    pub fn may_share(&self, other: &[u64], needed: usize) -> bool {
        let Some(allowed) = other.len().checked_sub(needed) else { return false };
        let is_missing = |member: &u64| usize::from(self.empty[(member >> self.shift) as usize]);
        let mut missing = 0;
        // In stretches, so that the test for giving up costs nothing.
        other.chunks(16).all(|members| {
            missing += members.iter().map(is_missing).sum::<usize>();
            missing <= allowed
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_ends_of_the_scale() {
        assert_eq!(similarity(&[], &[]), 1.0);
        assert_eq!(similarity(&[], &[1]), 0.0);
        assert_eq!(similarity(&[1, 2], &[1, 2]), 1.0);
        assert_eq!(distance(&[1, 2, 3], &[3, 4, 5]), 0.8);
    }

    #[test]
    fn outlines_deny_nearly_all_strangers() {
        let hash = crate::hash::KeyHash::default();
        let set = |from| crate::similar::Set::of_items(from..from + 1000u64, &hash);
        let mut outline = Outline::default();
        assert!(outline.may_share(&set(0), 0) && !outline.may_share(&set(0), 1));
        outline.draw(&set(0));
        assert!(outline.may_share(&set(0), 1000) && outline.may_share(&set(300), 700));
        // Of 300 strangers one in sixteen is not known as one, give or take ten.
        assert!(!outline.may_share(&set(300), 750) && !outline.may_share(&set(1000), 100));
    }

    proptest! {
        #[test]
        fn merging_agrees_with_sets(
            a in proptest::collection::btree_set(0u64..60, 0..50),
            b in proptest::collection::btree_set(0u64..60, 0..50),
            threshold in 0.0f64..=1.0,
        ) {
            let left: Vec<u64> = a.iter().copied().collect();
            let right: Vec<u64> = b.iter().copied().collect();
            let common = a.intersection(&b).count();
            let all = a.union(&b).count();
            let expected = if all == 0 { 1.0 } else { common as f64 / all as f64 };
            prop_assert_eq!(similarity(&left, &right), expected);
            prop_assert!((distance(&left, &right) - (1.0 - expected)).abs() < 1e-12);
            prop_assert_eq!(at_least(&left, &right, threshold), (expected >= threshold).then_some(expected));
            prop_assert_eq!(at_least(&left, &right, expected), Some(expected));
            let _: BTreeSet<u64> = a;
            let spread = |set: &[u64]| set.iter().map(|&member| member << 58).collect::<Vec<_>>();
            let mut outline = Outline::default();
            for (left, right) in [(spread(&left), spread(&right)), (left, right)] {
                outline.draw(&left);
                prop_assert!(outline.may_share(&right, common));
                prop_assert!(!outline.may_share(&right, right.len() + 1));
            }
        }
    }
}
