//! A store as the base of others ([`crate::base`]).

use super::journal::Identity;
use super::{Files, Learner, Settings, Store, follow};
use crate::filter::Filter;
use crate::traits::Reader;
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A store that others stand on. It is read, and never changed by what they learn.
#[derive(Debug)]
pub struct Base {
    folder: PathBuf,
    bits: u32,
    seed: u64,
    filter: Arc<Filter>,
    /// A store without lessons on this base: for users who have none.
    alone: Store,
    /// How the files were when they were read.
    stamp: follow::Stamp,
    journal: PathBuf,
    end: u64,
}

impl Base {
    /// Opens a store as a base.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open(folder: &Path) -> Result<Self> {
        let store = Store::open(folder)?;
        let (bits, seed) = (store.reader.bits(), store.reader.hash().seed());
        let journal = store.journal().map(|journal| journal.path().to_owned()).unwrap_or_default();
        let Store { reader, filter, stamp, end, .. } = store;
        let filter = Arc::new(filter);
        let alone = Store::blank(reader, Arc::clone(&filter), stamp);
        Ok(Self { folder: folder.to_owned(), bits, seed, filter, alone, stamp, journal, end })
    }

    /// Whether the store has learned something since it was read.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        follow::has_grown(&self.folder, self.stamp, &self.journal, self.end)
    }

    /// What it says by itself, as a store without lessons.
    #[must_use]
    pub const fn alone(&self) -> &Store {
        &self.alone
    }

    /// As [`Self::alone`], for good.
    #[must_use]
    pub fn into_alone(self) -> Store {
        self.alone
    }

    /// Makes a store that stands on this base: features of both have the same places.
    ///
    /// # Errors
    /// As [`Learner::create`].
    pub fn create(&self, folder: &Path, settings: Settings) -> Result<Learner> {
        let mut learner = Learner::create(folder, self.bits, self.seed, settings)?;
        learner.set_base(self)?;
        Ok(learner)
    }

    fn check(&self, bits: u32, seed: u64) -> Result<()> {
        let same = |what, expected: u64, got: u64| match expected == got {
            true => Ok(()),
            false => {
                Err(Error::Mismatch { what, expected: expected.to_string(), got: got.to_string() })
            }
        };
        same("the size of the base's tables", u64::from(bits), u64::from(self.bits))?;
        // A seed is a secret: the sentence does not tell it.
        match seed == self.seed {
            true => Ok(()),
            false => Err(Error::OtherSeed { name: self.folder.clone() }),
        }
    }
}

impl Store {
    /// Judges on a base from now on.
    ///
    /// # Errors
    /// [`Error::Mismatch`] or [`Error::OtherSeed`] unless it was made for this base.
    pub fn set_base(&mut self, base: &Base) -> Result<()> {
        base.check(self.reader.bits(), self.reader.hash().seed())?;
        self.filter.set_base(Some(Arc::clone(&base.filter)));
        Ok(())
    }

    /// Whether it stands on this base as it is now.
    #[must_use]
    pub fn stands_on(&self, base: &Base) -> bool {
        self.filter.base().is_some_and(|own| Arc::ptr_eq(own, &base.filter))
    }

    /// A store without files and lessons on a base.
    fn blank(reader: Reader, base: Arc<Filter>, stamp: follow::Stamp) -> Self {
        let mut filter = Filter::new(reader.bits());
        filter.set_base(Some(base));
        let (folder, newer, end, young) = (PathBuf::new(), 0, 0, None);
        Self { folder, reader, filter, files: Files::None, newer, end, stamp, young }
    }
}

impl Learner {
    /// Learns on a base from now on: lessons correct what both say together.
    ///
    /// # Errors
    /// As [`Store::set_base`].
    pub fn set_base(&mut self, base: &Base) -> Result<()> {
        let Identity { bits, seed, .. } = self.identity();
        base.check(bits, seed)?;
        self.set_filter_base(Some(Arc::clone(&base.filter)));
        Ok(())
    }
}
