//! The second stage: documents that share a band are candidates.

use super::manifest::Stage;
use super::sign::{BAND_PARTS, InBand, PART_BITS};
use super::spool::Spool;
use super::{Signed, Workspace, threads};
use crate::Result;
use tamis::hash::Sorter;

/// Parts of the candidates, by the first document of a pair.
pub(super) const PAIR_PARTS: usize = 64;

/// How many steps the progress has.
pub const PARTS: u64 = BAND_PARTS as u64;

/// Candidate pairs, with repetitions, in parts by the first document.
#[derive(Debug)]
pub struct Candidates {
    pub(super) pairs: Spool<[u32; 2]>,
}

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
        if workspace.has(Stage::Candidates) {
            let pairs = Spool::reopened(workspace.folder(), "pairs", PAIR_PARTS);
            return Ok(Self { pairs });
        }
        let mut pairs = Spool::new(workspace.folder(), "pairs", PAIR_PARTS, workspace.share(0.15));
        // As many parts at once as there are threads; their pairs are taken in order.
        let threads = rayon::current_num_threads().max(1);
        for first in (0..BAND_PARTS).step_by(threads) {
            let parts = first..BAND_PARTS.min(first + threads);
            let found: Vec<Result<Vec<[u32; 2]>>> =
                threads::map(parts, |part| Ok(pairs_of(signed, signed.bands.read(part)?)));
            for found in found {
                for pair in found? {
                    pairs.push(part_of(pair[0], signed.documents()), pair)?;
                }
                progress(1);
            }
        }
        if workspace.resumes() {
            pairs.spill()?;
            workspace.finished(Stage::Candidates)?;
        }
        Ok(Self { pairs })
    }
}

/// Which part of the pairs belongs to a document.
fn part_of(document: u32, documents: usize) -> usize {
    (document as usize * PAIR_PARTS / documents.max(1)).min(PAIR_PARTS - 1)
}

/// The pairs of a part of the bands. One that shares several bands may be there several times: few parts have two
/// bands of a pair, and [`super::verify`] takes each once.
fn pairs_of(signed: &Signed, mut records: Vec<InBand>) -> Vec<[u32; 2]> {
    // Of equal sets only the first takes part; the others are as similar as it is.
    records.retain(|record| signed.first_equal[record.document as usize] == record.document);
    // The records of a part begin alike, and came in the order of documents.
    Sorter::default().sort(&mut records, |record| record.hash() << PART_BITS);
    let mut pairs = Vec::new();
    for band in records.chunk_by(|a, b| a.hash() == b.hash()) {
        for (index, left) in band.iter().enumerate() {
            pairs.extend(band[index + 1..].iter().map(|right| [left.document, right.document]));
        }
    }
    pairs
}
