//! The third stage: the exact similarity of each candidate pair.

use super::candidates::{Candidates, PAIR_PARTS};
use super::{Plan, Scoring, Signed, threads};
use crate::Result;
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
    let threads = rayon::current_num_threads().max(1);
    for first in (0..PAIR_PARTS).step_by(threads) {
        let parts = first..PAIR_PARTS.min(first + threads);
        let verified = threads::map(parts, |part| {
            verified(plan, signed, candidates.pairs.read(part)?, &wanted)
        });
        for part in verified {
            part?.into_iter().try_for_each(&mut visit)?;
            progress(1);
        }
    }
    Ok(())
}

fn verified(
    plan: &Plan,
    signed: &Signed,
    mut pairs: Vec<[u32; 2]>,
    wanted: impl Fn(u32, u32) -> bool,
) -> Result<Vec<Pair>> {
    pairs.retain(|&[left, right]| wanted(left, right));
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
