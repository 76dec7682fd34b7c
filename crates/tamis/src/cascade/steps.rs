//! How categories become bits: a prefix code, after filters that take most of a very common category away.
//!
//! With counts `c` of `n` keys, a prefix code of lengths `l` costs `sum c l` bits, at least `n H`. Where one category has more
//! than half of the keys, its code of one bit is too long: a filter of `r` bits on all the others costs `r` bits
//! for each of them, and sends all but `2^-r` of the common category away before the code is asked.

use crate::prelude::*;
use crate::solve::ribbon::OVERHEAD;
use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

/// The most bits of a filter.
const MOST_FILTER_BITS: u32 = 20;

/// Filters are fewer than this.
pub(crate) const MOST_FILTERS: usize = 256;

/// A filter before the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilterStep {
    /// Whoever does not pass has this category.
    pub category: u32,
    /// Bits of a fingerprint.
    pub bits: u32,
    /// Which of several fingerprints: that which fewest keys pass by chance.
    pub variant: u32,
}

/// Filters and code lengths for these numbers of keys.
pub(crate) fn plan(counts: &[u64]) -> (Vec<FilterStep>, Vec<u8>) {
    let mut left: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
    let mut filters = Vec::new();
    loop {
        let most = (0..left.len()).max_by(|a, b| left[*a].total_cmp(&left[*b])).unwrap_or(0);
        let others: f64 = left.iter().sum::<f64>() - left.get(most).copied().unwrap_or(0.0);
        let with = |bits: u32| {
            let mut fewer = left.clone();
            fewer[most] *= 0.5f64.powi(bits as i32);
            fewer
        };
        if others <= 0.0 || filters.len() + 1 >= MOST_FILTERS {
            break;
        }
        let cost = |bits: u32| OVERHEAD * others * f64::from(bits) + code_cost(&with(bits));
        let best = (1..=MOST_FILTER_BITS).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(1);
        // A structure more is a step more for every question: it must be worth it.
        if cost(best) >= 0.998 * code_cost(&left) {
            break;
        }
        filters.push(FilterStep { category: most as u32, bits: best, variant: 0 });
        left = with(best);
    }
    let lengths = lengths(&left);
    (filters, lengths)
}

fn code_cost(counts: &[f64]) -> f64 {
    let lengths = lengths(counts);
    OVERHEAD
        * counts.iter().zip(lengths).map(|(count, length)| count * f64::from(length)).sum::<f64>()
}

/// The lengths of Huffman's code; 0 for categories without keys, and for one alone.
fn lengths(counts: &[f64]) -> Vec<u8> {
    // Nodes by weight; ties by the order in which they came, so that the code is always the same.
    let mut heap = BinaryHeap::new();
    let mut parents: Vec<usize> = Vec::new();
    let weight = |count: f64| (count * 1024.0).round() as u128;
    let used: Vec<usize> = (0..counts.len()).filter(|&category| counts[category] > 0.0).collect();
    for &category in &used {
        heap.push(Reverse((weight(counts[category]).max(1), parents.len())));
        parents.push(usize::MAX);
    }
    while heap.len() > 1 {
        let (Some(Reverse(first)), Some(Reverse(second))) = (heap.pop(), heap.pop()) else { break };
        let node = parents.len();
        parents.push(usize::MAX);
        (parents[first.1], parents[second.1]) = (node, node);
        heap.push(Reverse((first.0 + second.0, node)));
    }
    let mut lengths = vec![0; counts.len()];
    for (leaf, &category) in used.iter().enumerate() {
        let path = core::iter::successors(Some(parents[leaf]), |&node| parents.get(node).copied());
        lengths[category] = path.take_while(|&node| node != usize::MAX).count() as u8;
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_huffman() {
        assert_eq!(lengths(&[5.0; 5]), [3, 3, 2, 2, 2]);
        assert_eq!(lengths(&[8.0, 4.0, 2.0, 1.0, 1.0]), [1, 2, 3, 4, 4]);
        assert_eq!(lengths(&[3.0, 0.0]), [0, 0], "one alone needs no bit");
        assert_eq!(lengths(&[]), []);
    }

    #[test]
    fn a_common_category_is_filtered_away() {
        let (filters, _) = plan(&[100_000, 10_000_000]);
        assert_eq!(filters, [FilterStep { category: 1, bits: 6, variant: 0 }]);
        let (filters, lengths) = plan(&[1000, 1000]);
        assert!(filters.is_empty());
        assert_eq!(lengths, [1, 1]);
        assert!(plan(&[7]).0.is_empty() && plan(&[]).0.is_empty());
    }
}
