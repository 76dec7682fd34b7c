//! Which documents are copies, and of which.
//!
//! Documents are taken from the most preferred to the least, those of equal rank in the order of
//! reading. One that is similar to a document that is kept goes; otherwise it is kept. So
//!
//! 1. every document that goes is similar to one that stays, by the threshold, and
//! 2. no two that stay are similar, as far as the bands found them.
//!
//! (Groups of connected documents, as in [`super::Clusters`], promise only a chain between their ends.)

use super::candidates::Candidates;
use super::spool::Spool;
use super::verify::{Pair, for_each_pair};
use super::{Classes, Plan, Signed, Workspace};
use crate::Result;
use bytemuck::{Pod, Zeroable};

/// A document that goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Removal {
    /// The document.
    pub document: u32,
    /// The one that stays in its place.
    pub kept: u32,
    /// How similar they are.
    pub similarity: f64,
}

/// Parts of the pairs, by the preferred document of each.
const PARTS: usize = 64;

/// A pair by the places of its sets in the order of preference.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Edge {
    better: u32,
    worse: u32,
    similarity: f64,
}

/// Why a set goes: the set that stays, and how similar they are.
type Reason = Option<(u32, f64)>;

/// The copies among all documents, ascending.
///
/// # Errors
/// [`crate::Error::Read`] and [`crate::Error::Write`] when parts are in files.
pub fn copies(
    plan: &Plan,
    signed: &Signed,
    candidates: &Candidates,
    workspace: &Workspace,
    progress: impl FnMut(u64),
) -> Result<Vec<Removal>> {
    copies_seeing(plan, signed, candidates, workspace, |_| (), progress)
}

/// As [`copies`]; `see` is given each similar pair of distinct sets.
pub(super) fn copies_seeing(
    plan: &Plan,
    signed: &Signed,
    candidates: &Candidates,
    workspace: &Workspace,
    mut see: impl FnMut(Pair),
    progress: impl FnMut(u64),
) -> Result<Vec<Removal>> {
    let classes = Classes::new(signed);
    let best = best_of_each_set(signed);
    let places = places(signed, &best);
    let sets = signed.documents();
    let mut edges = Spool::new(workspace.folder(), "edges", PARTS, workspace.share(0.15));
    edges.remove()?;
    for_each_pair(
        plan,
        signed,
        candidates,
        |_, _| true,
        |pair| {
            see(pair);
            let (left, right) = (places[pair.left as usize], places[pair.right as usize]);
            let (better, worse) = (left.min(right), left.max(right));
            let part = (better as usize * PARTS / sets.max(1)).min(PARTS - 1);
            edges.push(part, Edge { better, worse, similarity: pair.similarity })
        },
        progress,
    )?;
    // By place in the order of preference, as the edges are.
    let mut reasons: Vec<Reason> = vec![None; sets];
    for part in 0..PARTS {
        let mut edges = edges.read(part)?;
        edges.sort_unstable_by_key(|edge| (edge.better, edge.worse));
        for Edge { better, worse, similarity } in edges {
            if reasons[better as usize].is_none() && reasons[worse as usize].is_none() {
                reasons[worse as usize] = Some((better, similarity));
            }
        }
    }
    edges.remove()?;
    // Back to documents.
    let mut by_place = vec![0; sets];
    for (document, &place) in places.iter().enumerate() {
        if signed.first_equal[document] == document as u32 {
            by_place[place as usize] = document as u32;
        }
    }
    let mut removals = Vec::new();
    for first in 0..sets as u32 {
        if signed.first_equal[first as usize] != first {
            continue;
        }
        let reason = reasons[places[first as usize] as usize];
        for &document in classes.of(first, signed) {
            match reason {
                Some((better, similarity)) => {
                    let kept = best[by_place[better as usize] as usize];
                    removals.push(Removal { document, kept, similarity });
                }
                None if document != best[first as usize] => {
                    let kept = best[first as usize];
                    removals.push(Removal { document, kept, similarity: 1.0 });
                }
                None => {}
            }
        }
    }
    removals.sort_unstable_by_key(|removal| removal.document);
    Ok(removals)
}

/// The documents that are similar to one of those that are only there to be compared with, ascending;
/// each with the most similar one.
///
/// # Errors
/// As [`copies`].
pub fn found_in_others(
    plan: &Plan,
    signed: &Signed,
    candidates: &Candidates,
    progress: impl FnMut(u64),
) -> Result<Vec<Removal>> {
    let classes = Classes::new(signed);
    let others = signed.others();
    // The first document of a set is among the others if any is.
    let is_other = |first: u32| first < others;
    let mut best: Vec<Reason> = vec![None; signed.documents()];
    let mut note = |first: u32, other: u32, similarity: f64| {
        let reason = &mut best[first as usize];
        if reason.is_none_or(|(_, before)| similarity > before) {
            *reason = Some((other, similarity));
        }
    };
    for_each_pair(
        plan,
        signed,
        candidates,
        |left, right| is_other(left) || is_other(right),
        |Pair { left, right, similarity }| -> Result<()> {
            for (first, other) in [(left, right), (right, left)] {
                if is_other(other) {
                    note(first, other, similarity);
                }
            }
            Ok(())
        },
        progress,
    )?;
    let mut removals = Vec::new();
    for first in 0..signed.documents() as u32 {
        if signed.first_equal[first as usize] != first {
            continue;
        }
        let equal = is_other(first).then_some((first, 1.0));
        if let Some((kept, similarity)) = equal.or(best[first as usize]) {
            let members = classes.of(first, signed).iter().filter(|&&document| document >= others);
            removals.extend(members.map(|&document| Removal { document, kept, similarity }));
        }
    }
    removals.sort_unstable_by_key(|removal| removal.document);
    Ok(removals)
}

/// For each set, by its first document, the preferred of the documents that have it.
fn best_of_each_set(signed: &Signed) -> Vec<u32> {
    let mut best: Vec<u32> = signed.first_equal.clone();
    for document in 0..signed.documents() as u32 {
        let first = signed.first_equal[document as usize] as usize;
        if signed.rank(document) > signed.rank(best[first]) {
            best[first] = document;
        }
    }
    best
}

/// For each set, by its first document, its place in the order of preference.
fn places(signed: &Signed, best: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..best.len() as u32).collect();
    let preferred = |&document: &u32| {
        let best = best[document as usize];
        (best, signed.rank(best))
    };
    order.sort_by(|left, right| {
        let ((left, left_rank), (right, right_rank)) = (preferred(left), preferred(right));
        right_rank.total_cmp(&left_rank).then(left.cmp(&right))
    });
    let mut places = vec![0; order.len()];
    for (place, &document) in order.iter().enumerate() {
        places[document as usize] = place as u32;
    }
    places
}
