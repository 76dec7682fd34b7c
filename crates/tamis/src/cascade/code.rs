//! How categories become bits: a prefix code, after filters that take most of a very common category away.
//!
//! With counts `c` of `n` keys, a prefix code of lengths `l` costs `sum c l` bits, at least `n H`. Where one category has more
//! than half of the keys, its code of one bit is too long: a filter of `r` bits on all the others costs `r` bits
//! for each of them, and sends all but `2^-r` of the common category away before the code is asked.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most bits of a filter.
const MOST_FILTER_BITS: u32 = 20;

/// What a structure costs above its bits, as a part of them.
const OVERHEAD: f64 = 1.005;

/// A filter before the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FilterStep {
    /// Whoever does not pass has this category.
    pub category: u32,
    /// Bits of a fingerprint.
    pub bits: u32,
}

/// Filters and code lengths for these numbers of keys.
pub(super) fn plan(counts: &[u64]) -> (Vec<FilterStep>, Vec<u8>) {
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
        if others <= 0.0 {
            break;
        }
        let cost = |bits: u32| OVERHEAD * others * f64::from(bits) + code_cost(&with(bits));
        let best = (1..=MOST_FILTER_BITS).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(1);
        // A structure more is a step more for every question: it must be worth it.
        if cost(best) >= 0.998 * code_cost(&left) {
            break;
        }
        filters.push(FilterStep { category: most as u32, bits: best });
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
        let path = std::iter::successors(Some(parents[leaf]), |&node| parents.get(node).copied());
        lengths[category] = path.take_while(|&node| node != usize::MAX).count() as u8;
    }
    lengths
}

/// A canonical code: of each length the categories in their order have codes that follow each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Code {
    /// For each length that is used: the length, its first code, and where its categories begin.
    levels: Vec<(u32, u64, usize)>,
    /// By length, then by number.
    categories: Vec<u32>,
}

impl Code {
    /// The code with these lengths; none if they are none of a prefix code.
    pub fn new(lengths: &[u8]) -> Option<Self> {
        let mut categories: Vec<u32> =
            (0..lengths.len() as u32).filter(|&category| lengths[category as usize] > 0).collect();
        categories.sort_by_key(|&category| (lengths[category as usize], category));
        let mut levels: Vec<(u32, u64, usize)> = Vec::new();
        let (mut next, mut length) = (0u64, 0);
        for (place, &category) in categories.iter().enumerate() {
            let own = u32::from(lengths[category as usize]);
            if own > 60 {
                return None;
            }
            if own > length {
                next = next.checked_shl(own - length)?;
                length = own;
                levels.push((own, next, place));
            }
            next += 1;
            if next > 1 << length {
                return None;
            }
        }
        Some(Self { levels, categories })
    }

    /// The bits that are read at each step, between one length and the next.
    pub fn steps(&self) -> impl Iterator<Item = u32> {
        let before = std::iter::once(0).chain(self.levels.iter().map(|level| level.0));
        self.levels.iter().zip(before).map(|(level, before)| level.0 - before)
    }

    /// The category whose code has been read in so many steps, if it is one.
    #[inline]
    pub fn decode(&self, step: usize, code: u64) -> Option<u32> {
        let (_, first, place) = self.levels[step];
        let end = self.levels.get(step + 1).map_or(self.categories.len(), |level| level.2);
        let index = code.checked_sub(first)? as usize;
        (index < end - place).then(|| self.categories[place + index])
    }

    /// The code of a category, and its length.
    pub fn encode(&self, lengths: &[u8]) -> Vec<(u64, u32)> {
        let mut codes = vec![(0, 0); lengths.len()];
        for (step, &(length, first, place)) in self.levels.iter().enumerate() {
            let end = self.levels.get(step + 1).map_or(self.categories.len(), |level| level.2);
            for (index, &category) in self.categories[place..end].iter().enumerate() {
                codes[category as usize] = (first + index as u64, length);
            }
        }
        codes
    }

    /// Some category, for a code that is none.
    pub fn any(&self) -> u32 {
        self.categories.first().copied().unwrap_or(0)
    }
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
        assert_eq!(filters, [FilterStep { category: 1, bits: 6 }]);
        let (filters, lengths) = plan(&[1000, 1000]);
        assert!(filters.is_empty());
        assert_eq!(lengths, [1, 1]);
        assert!(plan(&[7]).0.is_empty() && plan(&[]).0.is_empty());
    }

    #[test]
    fn codes_are_read_as_they_were_written() {
        let lengths = [3, 1, 0, 3, 3, 4, 4];
        let code = Code::new(&lengths).unwrap();
        assert_eq!(code.steps().collect::<Vec<_>>(), [1, 2, 1]);
        for (category, (bits, length)) in code.encode(&lengths).into_iter().enumerate() {
            let (mut read, mut depth) = (0, 0);
            let found = code.steps().enumerate().find_map(|(step, more)| {
                depth += more;
                read = bits.checked_shr(length.checked_sub(depth)?)?;
                code.decode(step, read)
            });
            assert_eq!(found, (lengths[category] > 0).then_some(category as u32));
        }
        assert!(Code::new(&[1, 1, 1]).is_none(), "three codes of one bit");
    }
}
