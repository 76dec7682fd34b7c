//! All pairs exactly, by the plain prefix filter (Bayardo, Ma and Srikant 2007).
//!
//! Members are ordered from the rarest to the most common. Two sets of similarity `t` have
//!
//! ```text
//! |B| >= t |A|         for |B| <= |A|
//! a common member among the first |A| - ceil(t |A|) + 1 of A, and likewise of B
//! ```
//!
//! so that an index of those first members finds every candidate, which is then compared.

use foldhash::fast::FixedState;
use std::collections::HashMap;

/// The pairs of sets, each of hashes without repetitions, that are at least this similar. Empty sets
/// are in no pair.
pub(crate) fn pairs(sets: Vec<Vec<u64>>, threshold: f64) -> Vec<[u32; 2]> {
    let (sets, members) = ranked(sets);
    let mut order: Vec<u32> = (0..sets.len() as u32).collect();
    order.sort_unstable_by_key(|&set| (sets[set as usize].len(), set));
    let mut index: Vec<Vec<u32>> = vec![Vec::new(); members];
    // For each set the last one that it was compared with.
    let mut compared = vec![u32::MAX; sets.len()];
    let mut pairs = Vec::new();
    for &current in &order {
        let set = &sets[current as usize];
        let least = at_least(threshold * set.len() as f64);
        let prefix = if set.is_empty() { &[][..] } else { &set[..set.len() - least.max(1) + 1] };
        for &member in prefix {
            let bucket = &mut index[member as usize];
            // Sets come by size: those that are too small now are so for all that follow.
            let small = bucket.iter().take_while(|&&set| sets[set as usize].len() < least).count();
            bucket.drain(..small);
            for &other in bucket.iter() {
                if std::mem::replace(&mut compared[other as usize], current) != current
                    && similar(set, &sets[other as usize], threshold)
                {
                    pairs.push([current.min(other), current.max(other)]);
                }
            }
            bucket.push(current);
        }
    }
    pairs
}

/// The least whole number that is not below `bound`, but for rounding.
fn at_least(bound: f64) -> usize {
    (bound - 1e-9).ceil() as usize
}

/// Members become their ranks from the rarest on, ascending; and how many members there are.
fn ranked(sets: Vec<Vec<u64>>) -> (Vec<Vec<u32>>, usize) {
    let mut counts: HashMap<u64, u32, FixedState> = HashMap::default();
    for &member in sets.iter().flatten() {
        *counts.entry(member).or_default() += 1;
    }
    let mut members: Vec<(u32, u64)> = counts.iter().map(|(&member, &n)| (n, member)).collect();
    members.sort_unstable();
    for (rank, (_, member)) in members.iter().enumerate() {
        counts.insert(*member, rank as u32);
    }
    let to_ranks = |set: Vec<u64>| {
        let mut ranks: Vec<u32> = set.iter().map(|member| counts[member]).collect();
        ranks.sort_unstable();
        ranks
    };
    (sets.into_iter().map(to_ranks).collect(), members.len())
}

/// Whether two ascending sets are similar enough; gives up as soon as they cannot be.
fn similar(left: &[u32], right: &[u32], threshold: f64) -> bool {
    let total = left.len() + right.len();
    let needed = at_least(threshold * total as f64 / (1.0 + threshold));
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        if common + (left.len() - i).min(right.len() - j) < needed {
            return false;
        }
        let (a, b) = (left[i], right[j]);
        common += usize::from(a == b);
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
    common as f64 / (total - common) as f64 >= threshold
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similar::texts::Source;
    use tamis::similar::{Set, jaccard};

    #[test]
    fn the_join_equals_brute_force() {
        let mut source = Source { draws: 5 };
        for round in 0..60 {
            let mut sets: Vec<Set> = Vec::new();
            for _ in 0..60 {
                // Some are copies with a few more members.
                let mut members = match sets.len() {
                    1.. if source.unit() < 0.5 => sets[source.below(sets.len())].to_vec(),
                    _ => Vec::new(),
                };
                for _ in 0..source.below(12) {
                    members.push(source.below(40 + 10 * round) as u64);
                }
                sets.push(Set::from_hashes(members));
            }
            for threshold in [0.3, 0.5, 0.75, 0.8, 1.0] {
                let mut found = pairs(sets.iter().map(|set| set.to_vec()).collect(), threshold);
                found.sort_unstable();
                let mut all = Vec::new();
                for left in 0..sets.len() {
                    for right in left + 1..sets.len() {
                        let (a, b) = (&sets[left], &sets[right]);
                        if !a.is_empty() && jaccard::similarity(a, b) >= threshold {
                            all.push([left as u32, right as u32]);
                        }
                    }
                }
                assert_eq!(found, all, "round {round} at {threshold}");
            }
        }
    }
}
