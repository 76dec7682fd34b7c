//! An index of documents: which of those that were inserted are like this one?
//!
//! The signature of each document is kept with 32 bits per component, and its bands in a sorted table. A
//! question by similarity looks up the bands of the asked document; a question for the nearest ones compares
//! all signatures. Both answer with estimates, whose standard error is at most `sqrt(J (1 - J) / k)`.
//!
//! A file is used in place: insertions and removals are kept beside it until the index is written again.
//!
//! ```
//! use tamis::similar::index::Index;
//! use tamis::similar::lsh::Bands;
//! use tamis::similar::{Shingler, Shingles, Signer};
//!
//! let shingler = Shingler::new(Shingles::Words(2));
//! let mut index = Index::new(Signer::new(128)?, Bands::for_threshold(128, 0.5)?)?;
//! index.insert("carrots", &shingler.set("peel the carrots and cut them into thin slices"));
//! index.insert("leeks", &shingler.set("wash the leeks and cut off the dark green leaves"));
//!
//! let asked = shingler.set("peel the carrots and cut them into thick slices");
//! let found = index.similars_to(&asked, 0.5);
//! assert_eq!(found[0].id, "carrots");
//! assert_eq!(index.nearest(&asked, 2).len(), 2);
//! assert!(index.remove("carrots"));
//! assert!(index.similars_to(&asked, 0.5).is_empty());
//! # Ok::<(), tamis::Error>(())
//! ```

mod base;
mod serialization;

use super::lsh::Bands;
use super::{Shingler, Signer};
use crate::memory::{Line, Storage};
use crate::{Error, Result};
use base::Base;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Documents by what they are like.
#[derive(Debug)]
pub struct Index<S = Vec<Line>> {
    signer: Signer,
    bands: Bands,
    shingler: Option<Shingler>,
    /// What the file has.
    base: Base<S>,
    /// Documents that were inserted since; their numbers follow those of the file.
    added: Vec<Added>,
    numbers: HashMap<String, u32>,
    /// By the hash of a band, the added documents that have it.
    buckets: HashMap<u64, Vec<u32>>,
    removed: HashSet<u32>,
}

#[derive(Debug)]
struct Added {
    id: String,
    components: Vec<u32>,
    bands: Vec<u64>,
}

/// A document that is like the one asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Match<'a> {
    /// Its name.
    pub id: &'a str,
    /// The estimated similarity.
    pub similarity: f64,
}

/// Two documents of an index that are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedPair<'a> {
    /// The one that was inserted earlier.
    pub left: &'a str,
    /// The one that was inserted later.
    pub right: &'a str,
    /// The estimated similarity.
    pub similarity: f64,
}

/// The most documents in an index.
pub const MAX_DOCUMENTS: usize = u32::MAX as usize;

impl Index {
    /// No document yet.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the bands take more components than a signature has, or none.
    pub fn new(signer: Signer, bands: Bands) -> Result<Self> {
        check_bands(&signer, bands)?;
        Ok(Self::assemble(signer, bands, None, Base::empty()))
    }
}

fn check_bands(signer: &Signer, bands: Bands) -> Result<()> {
    let used = bands.bands.saturating_mul(bands.rows);
    if (1..=signer.components()).contains(&used) {
        return Ok(());
    }
    Err(Error::Parameter {
        what: "the bands",
        expected: "at least one, and no more rows in all than components",
        got: format!("{} of {} rows for {}", bands.bands, bands.rows, signer.components()),
    })
}

impl<S: Storage> Index<S> {
    fn assemble(signer: Signer, bands: Bands, shingler: Option<Shingler>, base: Base<S>) -> Self {
        Self {
            signer,
            bands,
            shingler,
            base,
            added: Vec::new(),
            numbers: HashMap::new(),
            buckets: HashMap::new(),
            removed: HashSet::new(),
        }
    }

    /// Says how its documents became sets, so that questions can be asked in the same way.
    #[must_use]
    pub fn with_shingler(mut self, shingler: Shingler) -> Self {
        self.shingler = Some(shingler);
        self
    }

    /// How its documents became sets, if that was said.
    #[must_use]
    pub const fn shingler(&self) -> Option<&Shingler> {
        self.shingler.as_ref()
    }

    /// How sets become signatures.
    #[must_use]
    pub const fn signer(&self) -> &Signer {
        &self.signer
    }

    /// How signatures are cut.
    #[must_use]
    pub const fn bands(&self) -> Bands {
        self.bands
    }

    /// How many documents are in.
    #[must_use]
    pub fn len(&self) -> usize {
        self.base.len() + self.added.len() - self.removed.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of all documents, in the order of insertion.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.all().map(|number| self.id(number))
    }

    /// Whether a document of this name is in.
    #[must_use]
    pub fn contains(&self, id: &str) -> bool {
        self.number(id).is_some()
    }

    /// Inserts a document, given as the hashes of its set. One of the same name is replaced; whether
    /// there was one is returned.
    ///
    /// # Panics
    /// With more than [`MAX_DOCUMENTS`].
    pub fn insert(&mut self, id: &str, items: &[u64]) -> bool {
        let replaced = self.remove(id);
        let number = self.base.len() + self.added.len();
        assert!(number < MAX_DOCUMENTS, "an index holds 2^32 - 1 documents");
        let number = number as u32;
        let Asked { components, bands } = self.asked(items);
        for &hash in &bands {
            self.buckets.entry(hash).or_default().push(number);
        }
        self.numbers.insert(id.to_owned(), number);
        self.added.push(Added { id: id.to_owned(), components, bands });
        replaced
    }

    /// Takes a document out; whether there was one of this name is returned.
    pub fn remove(&mut self, id: &str) -> bool {
        let Some(number) = self.number(id) else { return false };
        self.numbers.remove(id);
        self.removed.insert(number)
    }

    /// The names of documents that share a band with this set.
    #[must_use]
    pub fn candidates_to(&self, items: &[u64]) -> Vec<&str> {
        let asked = self.asked(items);
        self.candidates_of(&asked).into_iter().map(|number| self.id(number)).collect()
    }

    /// The documents that share a band with this set and have at least this similarity by
    /// their signatures, the most similar first.
    #[must_use]
    pub fn similars_to(&self, items: &[u64], threshold: f64) -> Vec<Match<'_>> {
        let asked = self.asked(items);
        let candidates = self.candidates_of(&asked).into_iter();
        let matches = candidates.map(|number| (self.estimate(number, &asked), number));
        self.best(matches.filter(|(similarity, _)| *similarity >= threshold).collect())
    }

    /// The `count` documents with the most similar signatures, the most similar first. All signatures are
    /// compared; documents without any likeness are left out.
    #[must_use]
    pub fn nearest(&self, items: &[u64], count: usize) -> Vec<Match<'_>> {
        let asked = self.asked(items);
        let matches = self.all().map(|number| (self.estimate(number, &asked), number));
        let mut found = self.best(matches.filter(|(similarity, _)| *similarity > 0.0).collect());
        found.truncate(count);
        found
    }

    /// All pairs of documents that share a band, by name, the earlier first.
    #[must_use]
    pub fn candidates(&self) -> Vec<(&str, &str)> {
        let pairs = self.candidate_pairs().into_iter();
        pairs.map(|(left, right)| (self.id(left), self.id(right))).collect()
    }

    /// All pairs of documents that share a band and have at least this similarity by their
    /// signatures.
    #[must_use]
    pub fn similars(&self, threshold: f64) -> Vec<MatchedPair<'_>> {
        let mut similars = Vec::new();
        for (left, right) in self.candidate_pairs() {
            let similarity = self.similarity(&self.components(left), &self.components(right));
            if similarity >= threshold {
                similars.push(MatchedPair {
                    left: self.id(left),
                    right: self.id(right),
                    similarity,
                });
            }
        }
        similars
    }

    fn candidate_pairs(&self) -> BTreeSet<(u32, u32)> {
        let mut bands: Vec<(u64, u32)> = self.base.entries().collect();
        let added = (self.base.len() as u32..).zip(&self.added);
        bands.extend(
            added.flat_map(|(number, added)| added.bands.iter().map(move |&h| (h, number))),
        );
        bands.retain(|(_, number)| self.is_there(*number));
        bands.sort_unstable();
        let mut pairs = BTreeSet::new();
        for band in bands.chunk_by(|a, b| a.0 == b.0) {
            for (index, &(_, left)) in band.iter().enumerate() {
                let later = band[index + 1..].iter().filter(|(_, right)| left != *right);
                pairs.extend(later.map(|&(_, right)| (left, right)));
            }
        }
        pairs
    }

    fn asked(&self, items: &[u64]) -> Asked {
        let mut components = vec![0; self.signer.components()];
        self.signer.sign_into(items, &mut components);
        // The empty set is like nothing.
        let bands =
            if items.is_empty() { Vec::new() } else { self.bands.hashes(&components).collect() };
        let kept = |component: &u64| *component as u32;
        let components =
            if items.is_empty() { Vec::new() } else { components.iter().map(kept).collect() };
        Asked { components, bands }
    }

    fn candidates_of(&self, asked: &Asked) -> Vec<u32> {
        let mut numbers = Vec::new();
        for hash in &asked.bands {
            numbers.extend(self.base.with_band(*hash));
            numbers.extend(self.buckets.get(hash).into_iter().flatten());
        }
        numbers.retain(|&number| self.is_there(number));
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    fn best(&self, mut matches: Vec<(f64, u32)>) -> Vec<Match<'_>> {
        matches.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let named = |(similarity, number)| Match { id: self.id(number), similarity };
        matches.into_iter().map(named).collect()
    }

    fn estimate(&self, number: u32, asked: &Asked) -> f64 {
        self.similarity(&self.components(number), &asked.components)
    }

    /// The part of equal components. That two of 32 bits are equal by chance changes it by less than
    /// 2^-32.
    fn similarity(&self, left: &[u32], right: &[u32]) -> f64 {
        let equal: u32 = left.iter().zip(right).map(|(a, b)| u32::from(a == b)).sum();
        f64::from(equal) / self.signer.components() as f64
    }

    fn is_there(&self, number: u32) -> bool {
        (number as usize) < self.base.len() + self.added.len() && !self.removed.contains(&number)
    }

    fn all(&self) -> impl Iterator<Item = u32> {
        let end = (self.base.len() + self.added.len()) as u32;
        (0..end).filter(|number| !self.removed.contains(number))
    }

    fn number(&self, id: &str) -> Option<u32> {
        let added = self.numbers.get(id).copied();
        added.or_else(|| self.base.number(id)).filter(|&number| self.is_there(number))
    }

    fn id(&self, number: u32) -> &str {
        match self.added_of(number) {
            Some(added) => &added.id,
            None => self.base.id(number as usize),
        }
    }

    /// The components of a document; none if its set was empty.
    fn components(&self, number: u32) -> std::borrow::Cow<'_, [u32]> {
        match self.added_of(number) {
            Some(added) => (&added.components[..]).into(),
            None => self.base.components(number as usize, self.signer.components()),
        }
    }

    fn added_of(&self, number: u32) -> Option<&Added> {
        (number as usize).checked_sub(self.base.len()).map(|index| &self.added[index])
    }
}

/// What is needed of a document to ask for it.
struct Asked {
    components: Vec<u32>,
    bands: Vec<u64>,
}
