//! The third stage: the exact similarity of each candidate pair.

use super::candidates::{Candidates, PAIR_PARTS};
use super::{Plan, Scoring, Signed, threads};
use crate::Result;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use tamis::hash::Sorter;
use tamis::similar::jaccard::{self, Outline};

/// How many steps the progress has.
pub const PARTS: u64 = PAIR_PARTS as u64;

/// Two documents and how similar they are; the first has the smaller number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The document that was read earlier.
    pub left: u32,
    /// The document that was read later.
    pub right: u32,
    /// Their similarity.
    pub similarity: f64,
}

/// Calls `visit` with the pairs of distinct sets that are wanted and similar enough, ascending by
/// document. Each set is named by the first document that has it; [`super::Classes`] knows the others.
///
/// # Errors
/// [`crate::Error::Read`] when parts are in files, or what `visit` says.
pub fn for_each_pair<E: From<crate::Error> + Send>(
    plan: &Plan,
    signed: &Signed,
    candidates: &Candidates,
    wanted: impl Fn(u32, u32) -> bool + Sync,
    mut visit: impl FnMut(Pair) -> Result<(), E>,
    mut progress: impl FnMut(u64),
) -> Result<(), E> {
    let mut portions = Portions::default();
    while let Some(verified) = portions.next(plan, signed, candidates, &wanted, &mut progress)? {
        verified.into_iter().try_for_each(&mut visit)?;
    }
    Ok(())
}

/// The pairs of [`for_each_pair`] in portions that fit into the memory for them.
#[derive(Debug, Default)]
pub struct Portions {
    next_part: usize,
    /// Ranges of first documents of a part, of which each has few enough candidates.
    ranges: VecDeque<(usize, Range<u32>)>,
}

impl Portions {
    /// Whether there are no more.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.ranges.is_empty() && self.next_part == PAIR_PARTS
    }

    /// The next pairs, of as many parts as there are threads; `None` at the end.
    ///
    /// # Errors
    /// [`crate::Error::Read`] when parts are in files.
    pub fn next(
        &mut self,
        plan: &Plan,
        signed: &Signed,
        candidates: &Candidates,
        wanted: &(impl Fn(u32, u32) -> bool + Sync),
        mut progress: impl FnMut(u64),
    ) -> Result<Option<Vec<Pair>>> {
        let threads = rayon::current_num_threads().max(1);
        while self.ranges.len() < threads && self.next_part < PAIR_PARTS {
            let ranges = ranges_of(candidates, self.next_part)?;
            self.ranges.extend(ranges.into_iter().map(|range| (self.next_part, range)));
            self.next_part += 1;
            progress(1);
        }
        let now: Vec<_> = self.ranges.drain(..self.ranges.len().min(threads)).collect();
        if now.is_empty() {
            return Ok(None);
        }
        let verified = threads::map(0..now.len(), |index| {
            let (part, range) = &now[index];
            let mut pairs = Vec::new();
            candidates.pairs.visit(*part, |[left, right]| {
                if range.contains(&left) && wanted(left, right) {
                    pairs.push([left, right]);
                }
            })?;
            verified(plan, signed, pairs)
        });
        verified.into_iter().collect::<Result<Vec<_>>>().map(|parts| Some(parts.concat()))
    }
}

/// Ranges of the first documents of a part, with as many candidates in each as may be verified at once.
fn ranges_of(candidates: &Candidates, part: usize) -> Result<Vec<Range<u32>>> {
    let count = candidates.pairs.len(part) as usize;
    if count <= candidates.at_once {
        return Ok(Vec::from_iter((count > 0).then_some(0..u32::MAX)));
    }
    let mut counts = BTreeMap::new();
    candidates.pairs.visit(part, |[left, _]| *counts.entry(left).or_insert(0usize) += 1)?;
    let (mut ranges, mut start, mut so_far) = (Vec::new(), 0, 0);
    for (left, count) in counts {
        if so_far > 0 && so_far + count > candidates.at_once {
            ranges.push(start..left);
            (start, so_far) = (left, 0);
        }
        so_far += count;
    }
    ranges.push(start..u32::MAX);
    Ok(ranges)
}

fn verified(plan: &Plan, signed: &Signed, mut pairs: Vec<[u32; 2]>) -> Result<Vec<Pair>> {
    group(&mut pairs);
    let (mut kept, mut rights) = (Vec::new(), Vec::new());
    let (mut left_room, mut right_room) = (Vec::new(), Vec::new());
    let mut outline = Outline::default();
    for group in pairs.chunk_by_mut(|a, b| a[0] == b[0]) {
        let left = group[0][0];
        let members = signed.sets.get(left as usize, &mut left_room)?;
        // A set of another size cannot be similar enough, and need not be read.
        let alike = |right: u32| {
            let (a, b) = (members.len(), signed.size(right));
            (a.min(b) as f64) >= plan.threshold * a.max(b) as f64
        };
        rights.clear();
        rights.extend(group.iter().map(|pair| pair[1]).filter(|&right| alike(right)));
        rights.sort_unstable();
        rights.dedup();
        if plan.scoring == Scoring::Exact && !rights.is_empty() {
            outline.draw(members);
        }
        for &right in &rights {
            let others = signed.sets.get(right as usize, &mut right_room)?;
            let needed = jaccard::needed(members.len() + others.len(), plan.threshold);
            // Most candidates are not similar enough, and their outlines show it.
            if plan.scoring == Scoring::Exact && !outline.may_share(others, needed) {
                continue;
            }
            if let Some(similarity) = plan.score(members, others, plan.threshold) {
                kept.push(Pair { left, right, similarity });
            }
        }
    }
    Ok(kept)
}

/// Brings the pairs of each first document together, ascending by it. The documents of a part lie close together.
fn group(pairs: &mut [[u32; 2]]) {
    let firsts = || pairs.iter().map(|pair| pair[0]);
    let (Some(least), Some(most)) = (firsts().min(), firsts().max()) else { return };
    let shift = u64::from(most - least).max(1).leading_zeros();
    Sorter::default().sort(pairs, |pair| u64::from(pair[0] - least) << shift);
}
