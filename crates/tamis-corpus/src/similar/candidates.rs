//! The second stage: documents that share a band are candidates.

use super::manifest::Stage;
use super::sign::{BAND_PARTS, InBand, PART_BITS};
use super::spool::Spool;
use super::{Signed, Workspace, threads};
use crate::Result;
use std::sync::{Mutex, PoisonError};
use tamis::hash::Sorter;

/// Parts of the candidates, by the first document of a pair.
pub(super) const PAIR_PARTS: usize = 64;

/// How many steps the progress has.
pub const PARTS: u64 = BAND_PARTS as u64;

/// Candidate pairs, with repetitions, in parts by the first document.
#[derive(Debug)]
pub struct Candidates {
    pub(super) pairs: Spool<[u32; 2]>,
    /// How many of them may be verified at once.
    pub(super) at_once: usize,
}

/// Pairs that a thread gathers before it hands them on.
const GATHERED: usize = 1 << 16;

/// The memory of a candidate while it is verified: twice itself, because parts are put in order, and twice the pair that it becomes.
const VERIFIED: u64 = 48;

impl Candidates {
    /// Finds them, or takes those that an earlier run has left.
    ///
    /// # Errors
    /// [`crate::Error::Read`] or [`crate::Error::Write`] when parts are in files.
    pub fn find(
        signed: &Signed,
        workspace: &mut Workspace,
        mut progress: impl FnMut(u64),
    ) -> Result<Self> {
        let threads = rayon::current_num_threads().max(1);
        let at_once = (workspace.share(0.3) / VERIFIED) as usize / threads;
        if workspace.has(Stage::Candidates) {
            let pairs = Spool::reopened(workspace.folder(), "pairs", PAIR_PARTS);
            return Ok(Self { pairs, at_once });
        }
        let pairs = Spool::new(workspace.folder(), "pairs", PAIR_PARTS, workspace.share(0.15));
        let pairs = Mutex::new(pairs);
        for first in (0..BAND_PARTS).step_by(threads) {
            let parts = first..BAND_PARTS.min(first + threads);
            let found = threads::map(parts, |part| {
                for_each_pair_of(signed, signed.bands.read(part)?, |found| {
                    let mut pairs = pairs.lock().unwrap_or_else(PoisonError::into_inner);
                    found.iter().try_for_each(|&pair| {
                        pairs.push(part_of(pair[0], signed.documents()), pair)
                    })
                })
            });
            for found in found {
                found?;
                progress(1);
            }
        }
        let mut pairs = pairs.into_inner().unwrap_or_else(PoisonError::into_inner);
        if workspace.resumes() {
            pairs.spill()?;
            workspace.finished(Stage::Candidates)?;
        }
        Ok(Self { pairs, at_once })
    }
}

/// Which part of the pairs belongs to a document.
fn part_of(document: u32, documents: usize) -> usize {
    (document as usize * PAIR_PARTS / documents.max(1)).min(PAIR_PARTS - 1)
}

/// Calls `visit` with the pairs of a part of the bands, some at once: a band that thousands share has millions. A pair that
/// shares several bands may be there several times: few parts have two bands of a pair, and [`super::verify`] takes each once.
fn for_each_pair_of(
    signed: &Signed,
    mut records: Vec<InBand>,
    mut visit: impl FnMut(&[[u32; 2]]) -> Result<()>,
) -> Result<()> {
    // Of equal sets only the first takes part; the others are as similar as it is.
    records.retain(|record| signed.first_equal[record.document as usize] == record.document);
    // The records of a part begin alike, and came in the order of documents.
    Sorter::default().sort(&mut records, |record| record.hash() << PART_BITS);
    let mut pairs = Vec::new();
    for band in records.chunk_by(|a, b| a.hash() == b.hash()) {
        for (index, left) in band.iter().enumerate() {
            pairs.extend(band[index + 1..].iter().map(|right| [left.document, right.document]));
            if pairs.len() >= GATHERED {
                visit(&pairs)?;
                pairs.clear();
            }
        }
    }
    visit(&pairs)
}
