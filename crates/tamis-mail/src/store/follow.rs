//! A store that stays open follows what this process or another one learns.
//!
//! [`Store::news`] reads the files and changes nothing; [`Store::accept`] applies the result in memory.
//! Queries can go on while the files are read.

use super::replay::{Step, apply_step, is_simple, step};
use super::{Files, Store, tables};
use crate::{Error, Result};
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// What has happened to a store since it was read.
#[derive(Debug)]
pub enum News {
    /// Nothing.
    None,
    /// Some messages were learned.
    Learned(Followed),
    /// Its tables were written anew, or something was taken back: this is how it is now.
    Replaced(Box<Store>),
}

/// Messages that were learned, and where the journal goes on.
#[derive(Debug)]
pub struct Followed {
    learned: Vec<Step>,
    end: u64,
}

/// By what one tells that a file was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// Of the tables in a folder.
    pub fn of(folder: &Path) -> Result<Self> {
        let name = folder.join(tables::NAME);
        let read = fs::metadata(&name).map_err(|source| Error::Read { name, source })?;
        Ok(Self { size: read.len(), modified: read.modified().ok() })
    }
}

/// Whether tables were replaced or a journal has grown beyond its end.
pub(super) fn has_grown(folder: &Path, stamp: Stamp, journal: &Path, end: u64) -> bool {
    let grown = || fs::metadata(journal).map_or(true, |read| read.len() > end);
    Stamp::of(folder).map_or(true, |now| now != stamp) || grown()
}

impl Store {
    /// Whether there is anything new. It costs two looks at the file system.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        let Some(journal) = self.journal() else { return false };
        has_grown(&self.folder, self.stamp, journal.path(), self.end)
    }

    /// Reads what has happened since.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn news(&self) -> Result<News> {
        let replaced = || {
            let mut store = Self::open(&self.folder)?;
            store.filter.set_base(self.filter.base().cloned());
            Ok(News::Replaced(Box::new(store)))
        };
        if matches!(self.files, Files::None) {
            return Ok(News::None);
        }
        if Stamp::of(&self.folder)? != self.stamp {
            return replaced();
        }
        let journal = match &self.files {
            Files::Current(_, journal) => journal,
            Files::Old(_) if self.is_behind() => return replaced(),
            Files::Old(_) | Files::None => return Ok(News::None),
        };
        let mut learned = Vec::new();
        let mut simple = true;
        let end = journal.for_each(self.end..u64::MAX, |_, record| {
            simple &= is_simple(&record);
            if simple {
                learned.extend(step(journal, record)?);
            }
            Ok(())
        })?;
        match (end == self.end, simple) {
            (true, _) => Ok(News::None),
            (false, true) => Ok(News::Learned(Followed { learned, end })),
            (false, false) => replaced(),
        }
    }

    /// Takes over what [`Self::news`] of this store has said last.
    pub fn accept(&mut self, news: News) {
        match news {
            News::None => {}
            News::Learned(Followed { learned, end }) => {
                for step in &learned {
                    apply_step(&mut self.filter, step);
                }
                let ham_lost = self.settings().ham_lost;
                if let Some(ledger) = &mut self.young {
                    // Where the records are does not matter to the cuts.
                    for step in &learned {
                        let (Step::Learn(learn) | Step::Renew(learn)) = step;
                        ledger.forget(&learn.digest);
                        ledger.push(learn, 0);
                    }
                    self.filter.set_cuts(ledger.cuts(ham_lost));
                }
                self.newer += learned.len() as u64;
                self.end = end;
            }
            News::Replaced(store) => *self = *store,
        }
    }
}
