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

/// The similarity if it is at least `threshold`; stops as soon as it can no longer be.
#[must_use]
pub fn at_least(left: &[u64], right: &[u64], threshold: f64) -> Option<f64> {
    let (short, long) = (left.len().min(right.len()), left.len().max(right.len()));
    if (short as f64) < threshold * long as f64 {
        return None;
    }
    // c / (n - c) >= t  <=>  c >= t n / (1 + t), where n counts both sets.
    let total = left.len() + right.len();
    let needed = (threshold * total as f64 / (1.0 + threshold) - 1e-9).ceil() as usize;
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
        }
    }
}
