//! Cascades of either kind.

use anyhow::Context;
use std::path::Path;
use tamis::cascade::classic::Classic;
use tamis::cascade::{Answer, Cascade};
use tamis::codec::{File, MAGIC};

/// What is printed for a key that was not trained.
const NOT_COVERED: &[u8] = b"(not covered)";

/// A cascade.
pub enum Any<'a> {
    Exact(Box<Cascade>),
    Classic(Classic<'a>),
}

impl<'a> Any<'a> {
    /// Reads a file of either kind.
    pub fn read(path: &Path, bytes: &'a [u8]) -> anyhow::Result<Self> {
        let read = if bytes.starts_with(&MAGIC) {
            Cascade::read(bytes).map(|cascade| Self::Exact(Box::new(cascade)))
        } else {
            Classic::read(bytes).map(Self::Classic)
        };
        read.with_context(|| path.display().to_string())
    }

    /// Compares the checksum, where there is one.
    pub fn verify(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        if bytes.starts_with(&MAGIC) {
            let verified = File::open(bytes).and_then(|file| file.verify());
            verified.with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// The category of a key.
    pub fn classify(&self, key: &[u8]) -> &[u8] {
        match self {
            Self::Exact(cascade) => match cascade.classify(key) {
                Answer::Category(category) | Answer::Unknowable(category) => cascade.name(category),
                Answer::NotCovered => NOT_COVERED,
            },
            Self::Classic(cascade) => cascade.classify(key),
        }
    }
}
