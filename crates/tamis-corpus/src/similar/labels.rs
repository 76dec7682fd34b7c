//! Labels of all documents: the cluster of each, and the document that stays in its place.
//!
//! Documents that a chain of similar pairs connects are in one cluster, as in [`Clusters`]. Which
//! of them stay is decided as in [`super::dedup`]: a cluster keeps more than one document if not all
//! of them are similar to the same one.

use super::candidates::Candidates;
use super::dedup::copies_seeing;
use super::{Clusters, Plan, Signed, Workspace};
use crate::Result;

/// The labels of all documents, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// The number of its cluster, from 0 in the order of their first documents.
    pub clusters: Vec<u32>,
    /// The document that stays in its place; its own number if it stays.
    pub representatives: Vec<u32>,
}

impl Labels {
    /// Finds them.
    ///
    /// # Errors
    /// [`crate::Error::Read`] and [`crate::Error::Write`] when parts are in files.
    pub fn find(
        plan: &Plan,
        signed: &Signed,
        candidates: &Candidates,
        workspace: &Workspace,
        progress: impl FnMut(u64),
    ) -> Result<Self> {
        let mut clusters = Clusters::new(signed);
        let see = |pair: super::Pair| clusters.join(pair.left, pair.right);
        let removals = copies_seeing(plan, signed, candidates, workspace, see, progress)?;
        let mut representatives: Vec<u32> = (0..signed.documents() as u32).collect();
        for removal in removals {
            representatives[removal.document as usize] = removal.kept;
        }
        Ok(Self { clusters: clusters.numbers(), representatives })
    }

    /// Whether a document stays.
    #[must_use]
    pub fn keeps(&self, document: u32) -> bool {
        self.representatives[document as usize] == document
    }

    /// How many documents stay.
    #[must_use]
    pub fn kept(&self) -> usize {
        (0..self.representatives.len() as u32).filter(|&document| self.keeps(document)).count()
    }

    /// How many clusters there are, those of one document included.
    #[must_use]
    pub fn count(&self) -> usize {
        self.clusters.iter().max().map_or(0, |&last| last as usize + 1)
    }
}
