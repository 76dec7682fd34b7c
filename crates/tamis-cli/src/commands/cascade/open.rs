//! Cascades of either kind.

use crate::input::{BATCH, KeyInput};
use anyhow::{Context, ensure};
use std::path::Path;
use tamis::cascade::classic::Classic;
use tamis::cascade::{Answer, Cascade};
use tamis::codec::{File, MAGIC};
use tamis::filter::{Mapped, Stored};
use tamis::hash::KeyHash;

/// What is printed for a key that was not trained.
const NOT_COVERED: &[u8] = b"(not covered)";

/// A cascade.
pub enum Any<'a> {
    Exact(Box<Cascade<Mapped<&'a [u8]>>>),
    Classic(Classic<'a>),
}

impl<'a> Any<'a> {
    /// Uses the bytes of a file of either kind in place.
    pub fn open(path: &Path, bytes: &'a [u8]) -> anyhow::Result<Self> {
        let opened = if bytes.starts_with(&MAGIC) {
            Cascade::in_place(bytes).map(|cascade| Self::Exact(Box::new(cascade)))
        } else {
            Classic::read(bytes).map(Self::Classic)
        };
        opened.with_context(|| path.display().to_string())
    }

    /// Compares the checksum, where there is one.
    pub fn verify(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        if bytes.starts_with(&MAGIC) {
            let verified = File::open(bytes).and_then(|file| file.verify());
            verified.with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// The names of the categories, by number.
    pub fn names(&self) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        match self {
            Self::Exact(cascade) => Box::new(cascade.categories()),
            Self::Classic(cascade) => Box::new(cascade.categories()),
        }
    }

    /// The number of the category of a key, if it has one.
    pub fn number(&self, key: &[u8]) -> Option<u32> {
        match self {
            Self::Exact(cascade) => cascade.classify(key).category(),
            Self::Classic(cascade) => {
                let name = cascade.classify(key);
                cascade.categories().position(|other| other == name).map(|number| number as u32)
            }
        }
    }

    /// The name of the category of a key.
    pub fn classify(&self, key: &[u8]) -> &[u8] {
        match self {
            Self::Exact(cascade) => named(cascade, cascade.classify(key)),
            Self::Classic(cascade) => cascade.classify(key),
        }
    }

    /// Calls `visit` with some keys and the names of their categories at a time.
    pub fn classify_all(
        &self,
        input: &KeyInput,
        path: &Path,
        mut visit: impl FnMut(&[&[u8]], &[&[u8]]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let hash = match self {
            Self::Exact(cascade) => {
                input.check(path, cascade.check_keys(input.kinds()))?;
                *cascade.hash()
            }
            Self::Classic(_) => {
                ensure!(!input.integers, "{}: keys of a bfc file are text", path.display());
                KeyHash::default()
            }
        };
        let mut names: Vec<&[u8]> = Vec::with_capacity(BATCH);
        input.for_each_batch("classifying", &hash, |keys, hashes| {
            names.clear();
            match self {
                Self::Exact(cascade) => {
                    let mut answers = [Answer::NotCovered; BATCH];
                    cascade.classify_hashes(hashes, &mut answers[..hashes.len()]);
                    let answers = &answers[..hashes.len()];
                    names.extend(answers.iter().map(|answer| named(cascade, *answer)));
                }
                Self::Classic(cascade) => {
                    names.extend(keys.iter().map(|key| cascade.classify(key)));
                }
            }
            visit(keys, &names)
        })
    }
}

fn named<'c>(cascade: &'c Cascade<Mapped<&[u8]>>, answer: Answer) -> &'c [u8] {
    answer.category().map_or(NOT_COVERED, |category| cascade.name(category))
}
