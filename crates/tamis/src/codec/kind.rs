//! The kinds of file and their versions.

use crate::{Error, Result};

/// What a file holds. Numbers are never used again for something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A Bloom filter, classic or blocked.
    Bloom,
    /// A counting Bloom filter.
    Counting,
    /// A growing Bloom filter.
    Growing,
    /// A rotating Bloom filter.
    Rotating,
    /// A set of byte strings to look for in streams.
    Signatures,
    /// The signature of a set, for its similarity to others.
    Sketch,
    /// An index of documents by similarity.
    Index,
    /// What a mail filter has learned.
    Mail,
    /// A map from keys to categories.
    Cascade,
    /// A filter that is built once.
    Static,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Bloom,
        Self::Counting,
        Self::Growing,
        Self::Rotating,
        Self::Signatures,
        Self::Sketch,
        Self::Index,
        Self::Mail,
        Self::Cascade,
        Self::Static,
    ];

    /// Its number in the file.
    #[must_use]
    pub const fn id(self) -> u16 {
        match self {
            Self::Bloom => 1,
            Self::Counting => 2,
            Self::Growing => 3,
            Self::Rotating => 4,
            Self::Signatures => 5,
            Self::Sketch => 6,
            Self::Index => 7,
            Self::Mail => 8,
            Self::Cascade => 9,
            Self::Static => 10,
        }
    }

    /// The version that is written now. History:
    ///
    /// 1. The first of every kind.
    /// 2. Mail: a table for each stage instead of one for each label. Index: what a word is. Filters
    ///    and cascades: which keys they were built from.
    /// 3. Mail: only numbers that are not zero, in as few bytes as they need; the seed in a file apart.
    #[must_use]
    pub const fn current_version(self) -> u16 {
        match self {
            Self::Mail => 3,
            Self::Sketch => 1,
            _ => 2,
        }
    }

    /// The first version whose header says which keys it was built from, if there is one.
    pub(crate) const fn records_keys_from(self) -> Option<u16> {
        match self {
            Self::Sketch | Self::Index | Self::Mail => None,
            _ => Some(2),
        }
    }

    /// Its name on the command line, in JSON and in Python.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bloom => "bloom",
            Self::Counting => "counting",
            Self::Growing => "growing",
            Self::Rotating => "rotating",
            Self::Signatures => "signatures",
            Self::Sketch => "sketch",
            Self::Index => "index",
            Self::Mail => "mail",
            Self::Cascade => "cascade",
            Self::Static => "static",
        }
    }

    /// What it is, in words, with its article.
    #[must_use]
    pub const fn described(self) -> &'static str {
        match self {
            Self::Bloom => "a Bloom filter",
            Self::Counting => "a counting filter",
            Self::Growing => "a growing filter",
            Self::Rotating => "a rotating filter",
            Self::Signatures => "a signature filter",
            Self::Sketch => "the signature of a set",
            Self::Index => "an index of similar documents",
            Self::Mail => "the tables of a mail store",
            Self::Cascade => "a cascade of categories",
            Self::Static => "a static filter",
        }
    }

    pub(crate) fn from_id(id: u16) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == id).ok_or_else(|| {
            Error::malformed("kind", "a number between 1 and 10 (or a newer tamis)", id)
        })
    }
}
