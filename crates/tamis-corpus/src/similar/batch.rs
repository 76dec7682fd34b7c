//! Documents on their way into the first stage, and what becomes of them there.
//!
//! Texts, sets and bands stand one behind the other in a few long pieces of memory. A piece for each document would be
//! asked for and given back millions of times.

use super::{Plan, Scoring};
use tamis::hash::{KeyHash, Sorter};
use tamis::similar::{Set, arrange};

/// Documents that are handed over at once, in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    ids: Strings,
    texts: Strings,
    ranks: Vec<f64>,
}

#[derive(Debug, Clone, Default)]
struct Strings {
    all: String,
    ends: Vec<usize>,
}

impl Strings {
    fn push(&mut self, string: &str) {
        self.all.push_str(string);
        self.ends.push(self.all.len());
    }

    fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[index]]
    }

    fn clear(&mut self) {
        self.all.clear();
        self.all.shrink_to(MOST_ROOM);
        self.ends.clear();
    }
}

/// Room that is kept for the next documents, in bytes. Very long ones are rare.
const MOST_ROOM: usize = 8 << 20;

impl Batch {
    /// Appends a document with its name and text. The larger `rank` is, the more [`super::dedup`] prefers it.
    pub fn push(&mut self, id: &str, text: &str, rank: f64) {
        self.ids.push(id);
        self.texts.push(text);
        self.ranks.push(rank);
    }

    /// How many documents there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ranks.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// How long the texts are together.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.texts.all.len()
    }

    /// Forgets the documents and keeps the room, unless it is much.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.texts.clear();
        self.ranks.clear();
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.ids.get(index))
    }

    pub(super) fn text(&self, index: usize) -> &str {
        self.texts.get(index)
    }

    pub(super) fn ranks(&self) -> &[f64] {
        &self.ranks
    }
}

/// What becomes of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The hash of the set as a whole: documents with the same digest have equal sets.
    pub digest: u64,
    /// The set or the signature; nothing for a document without shingles.
    pub record: Vec<u64>,
    /// The hash of each band; none for a document without shingles.
    pub bands: Vec<u64>,
}

/// What this stage makes of a set.
#[must_use]
pub fn prepare(plan: &Plan, set: Set) -> Prepared {
    let mut block = Block { records: set.into_hashes(), ..Block::default() };
    block.finish(plan, 0);
    Prepared { digest: block.digests[0], record: block.records, bands: block.bands }
}

/// What becomes of documents that follow each other.
#[derive(Debug, Default)]
pub(super) struct Block {
    digests: Vec<u64>,
    records: Vec<u64>,
    bands: Vec<u64>,
    /// Where the record and the bands of each document end.
    ends: Vec<[usize; 2]>,
    components: Vec<u64>,
    sorter: Sorter<u64>,
}

impl Block {
    /// None yet, with room for the shingles of about so many bytes of text.
    pub(super) fn with_room(bytes: usize) -> Self {
        // Words of five letters; other shingles may need more.
        Self { records: Vec::with_capacity(bytes / 6), ..Self::default() }
    }

    pub(super) fn with_text(mut self, plan: &Plan, text: &str) -> Self {
        let start = self.records.len();
        plan.shingler.hashes(text, &mut self.records);
        arrange(&mut self.records, start, &mut self.sorter);
        self.finish(plan, start);
        self
    }

    pub(super) fn with_set(mut self, plan: &Plan, set: &Set) -> Self {
        let start = self.records.len();
        self.records.extend_from_slice(set);
        self.finish(plan, start);
        self
    }

    /// Takes the set from `start` on for that of the next document.
    fn finish(&mut self, plan: &Plan, start: usize) {
        let set = &self.records[start..];
        self.digests.push(digest(set));
        // An empty set is like other empty ones, which says nothing about documents.
        if !set.is_empty() {
            self.components.resize(plan.signer.components(), 0);
            plan.signer.sign_into(set, &mut self.components);
            self.bands.extend(plan.bands.hashes(&self.components));
            if plan.scoring == Scoring::Estimate {
                self.records.truncate(start);
                self.records.extend_from_slice(&self.components);
            }
        }
        self.ends.push([self.records.len(), self.bands.len()]);
    }

    /// Digest, record and bands of each document.
    pub(super) fn documents(&self) -> impl Iterator<Item = (u64, &[u64], &[u64])> {
        let starts = std::iter::once(&[0, 0]).chain(&self.ends);
        let places = starts.zip(&self.ends).zip(&self.digests);
        places.map(|((start, end), &digest)| {
            (digest, &self.records[start[0]..end[0]], &self.bands[start[1]..end[1]])
        })
    }
}

/// The hash of a set as a whole.
pub(super) fn digest(set: &[u64]) -> u64 {
    KeyHash::default().bytes(bytemuck::cast_slice(set))
}
