//! The first stage: documents become sets, signatures and bands.

use super::batch::{Batch, Block, digest};
use super::manifest::Stage;
use super::sets::SetStore;
use super::spool::{Spool, read_records, write_records};
use super::{Plan, Workspace, threads};
use crate::Result;
use crate::documents::Summary;
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use tamis::similar::{Set, Shingler};

/// The first bits of a band's hash say which part it is in.
pub(super) const PART_BITS: u32 = 8;

/// Parts of the bands, by hash.
pub(super) const BAND_PARTS: usize = 1 << PART_BITS;

/// Where an earlier run has left what it had read.
const READ: &str = "read.part";

/// A document in a band: twelve bytes, the hash in two halves so that no room is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct InBand {
    hash: [u32; 2],
    pub(super) document: u32,
}

impl InBand {
    fn new(hash: u64, document: u32) -> Self {
        Self { hash: [hash as u32, (hash >> 32) as u32], document }
    }

    pub(super) fn hash(&self) -> u64 {
        u64::from(self.hash[1]) << 32 | u64::from(self.hash[0])
    }
}

/// The first stage while it takes documents.
#[derive(Debug)]
pub struct Signing<'a> {
    plan: &'a Plan,
    others: u32,
    read: Vec<Summary>,
    ranks: Vec<f64>,
    sets: SetStore,
    bands: Spool<InBand>,
    /// The hash of each set as a whole.
    digests: Vec<u64>,
    ids: Ids,
}

/// What the first stage has made.
#[derive(Debug)]
pub struct Signed {
    pub(super) sets: SetStore,
    pub(super) bands: Spool<InBand>,
    /// For each document the first one with an equal set.
    pub(super) first_equal: Vec<u32>,
    pub(super) ranks: Vec<f64>,
    others: u32,
    read: Vec<Summary>,
    ids: Ids,
}

/// The names of documents, one behind the other.
#[derive(Debug, Default)]
struct Ids {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl Ids {
    fn push(&mut self, id: &str) {
        self.bytes.extend_from_slice(id.as_bytes());
        self.ends.push(self.bytes.len() as u64);
    }

    fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        std::str::from_utf8(&self.bytes[start..self.ends[index] as usize]).unwrap_or_default()
    }
}

impl<'a> Signing<'a> {
    /// No document yet.
    #[must_use]
    pub fn new(plan: &'a Plan, workspace: &Workspace) -> Self {
        let folder = workspace.folder();
        Self {
            plan,
            sets: SetStore::new(folder, workspace.share(0.35)),
            bands: Spool::new(folder, "bands", BAND_PARTS, workspace.share(0.25)),
            digests: Vec::new(),
            ranks: Vec::new(),
            others: 0,
            read: Vec::new(),
            ids: Ids::default(),
        }
    }

    /// How documents become sets.
    #[must_use]
    pub const fn shingler(&self) -> &Shingler {
        &self.plan.shingler
    }

    /// Remembers what was read.
    pub fn note(&mut self, read: Summary) {
        self.read.push(read);
    }

    /// Says that all documents so far are only there to be compared with.
    pub const fn end_others(&mut self) {
        self.others = self.digests.len() as u32;
    }

    /// Takes documents in the order of their numbers.
    ///
    /// # Errors
    /// [`crate::Error::Write`] when parts go to files.
    pub fn documents(&mut self, batch: &Batch) -> Result<()> {
        let plan = self.plan;
        let room = batch.bytes() / rayon::current_num_threads().max(1);
        let blocks = threads::fold(
            0..batch.len(),
            || Block::with_room(room),
            |block, index| block.with_text(plan, batch.text(index)),
        );
        // Ranks that are all alike need no room.
        if !self.ranks.is_empty() || batch.ranks().iter().any(|&rank| rank != 0.0) {
            self.ranks.resize(self.digests.len(), 0.0);
            self.ranks.extend_from_slice(batch.ranks());
        }
        self.take(batch.ids(), blocks)
    }

    /// Takes ready-made sets.
    ///
    /// # Errors
    /// As [`Self::documents`].
    pub fn sets(&mut self, batch: &[(String, Set)]) -> Result<()> {
        let plan = self.plan;
        let add = |block: Block, index: usize| block.with_set(plan, &batch[index].1);
        let blocks = threads::fold(0..batch.len(), Block::default, add);
        self.take(batch.iter().map(|(id, _)| id.as_str()), blocks)
    }

    /// Takes what has become of documents, in their order whatever the number of blocks.
    fn take<'i>(&mut self, ids: impl Iterator<Item = &'i str>, blocks: Vec<Block>) -> Result<()> {
        ids.for_each(|id| self.ids.push(id));
        for (digest, record, bands) in blocks.iter().flat_map(Block::documents) {
            let document = self.digests.len() as u32;
            self.digests.push(digest);
            self.sets.push(record)?;
            for &hash in bands {
                self.bands
                    .push((hash >> (64 - PART_BITS)) as usize, InBand::new(hash, document))?;
            }
        }
        Ok(())
    }

    /// Ends the stage.
    ///
    /// # Errors
    /// [`crate::Error::Write`] when parts go to files.
    pub fn finish(mut self, workspace: &mut Workspace) -> Result<Signed> {
        if workspace.resumes() {
            let folder = workspace.folder();
            self.sets.save(folder)?;
            self.bands.spill()?;
            write_records(&folder.join("digests.part"), &self.digests)?;
            write_records(&folder.join("ranks.part"), &self.ranks)?;
            write_records(&folder.join("others.part"), &[self.others])?;
            write_records(&folder.join(READ), &serde_json::to_vec(&self.read).unwrap_or_default())?;
            write_records(&folder.join("ids.part"), &self.ids.bytes)?;
            write_records(&folder.join("id-ends.part"), &self.ids.ends)?;
            workspace.finished(Stage::Signed)?;
        }
        Ok(Signed {
            sets: self.sets,
            bands: self.bands,
            first_equal: first_equal(&self.digests),
            ranks: self.ranks,
            others: self.others,
            read: self.read,
            ids: self.ids,
        })
    }
}

impl Signed {
    /// What an earlier run has left, if it has finished this stage.
    ///
    /// # Errors
    /// [`crate::Error::Read`].
    pub fn reopen(workspace: &Workspace) -> Result<Option<Self>> {
        if !workspace.has(Stage::Signed) {
            return Ok(None);
        }
        let folder = workspace.folder();
        let digests: Vec<u64> = read_records(&folder.join("digests.part"))?;
        Ok(Some(Self {
            sets: SetStore::reopen(folder)?,
            bands: Spool::reopened(folder, "bands", BAND_PARTS),
            first_equal: first_equal(&digests),
            ranks: read_records(&folder.join("ranks.part"))?,
            others: read_records(&folder.join("others.part"))?.first().copied().unwrap_or(0),
            read: serde_json::from_slice(&read_records::<u8>(&folder.join(READ))?)
                .unwrap_or_default(),
            ids: Ids {
                bytes: read_records(&folder.join("ids.part"))?,
                ends: read_records(&folder.join("id-ends.part"))?,
            },
        }))
    }

    /// How many documents there are.
    #[must_use]
    pub const fn documents(&self) -> usize {
        self.first_equal.len()
    }

    /// What was read, by this run or by the one that it goes on from.
    #[must_use]
    pub fn read(&self) -> &[Summary] {
        &self.read
    }

    /// How many documents, from the first on, are only there to be compared with.
    #[must_use]
    pub const fn others(&self) -> u32 {
        self.others
    }

    /// The name of a document.
    #[must_use]
    pub fn id(&self, document: u32) -> &str {
        self.ids.get(document as usize)
    }

    /// How many shingles a document has; components, if only signatures were kept.
    #[must_use]
    pub fn size(&self, document: u32) -> usize {
        self.sets.size(document as usize)
    }

    /// How much a document is preferred.
    pub(super) fn rank(&self, document: u32) -> f64 {
        self.ranks.get(document as usize).copied().unwrap_or(0.0)
    }

    /// The similarity of two documents, whatever it is.
    ///
    /// # Errors
    /// [`crate::Error::Read`].
    pub fn similarity(&self, plan: &Plan, left: u32, right: u32) -> Result<f64> {
        let firsts = [left, right].map(|document| self.first_equal[document as usize]);
        if firsts[0] == firsts[1] {
            return Ok(1.0);
        }
        let (mut left_room, mut right_room) = (Vec::new(), Vec::new());
        let left = self.sets.get(left as usize, &mut left_room)?;
        let right = self.sets.get(right as usize, &mut right_room)?;
        Ok(plan.score(left, right, 0.0).unwrap_or(0.0))
    }
}

/// For each document the first one with the same digest. Documents without shingles stay apart.
fn first_equal(digests: &[u64]) -> Vec<u32> {
    let empty = digest(&[]);
    let mut order: Vec<u32> = (0..digests.len() as u32).collect();
    order.par_sort_unstable_by_key(|&document| (digests[document as usize], document));
    let mut first: Vec<u32> = (0..digests.len() as u32).collect();
    for pair in 1..order.len() {
        let (before, document) = (order[pair - 1] as usize, order[pair] as usize);
        if digests[before] == digests[document] && digests[document] != empty {
            first[document] = first[before];
        }
    }
    first
}
