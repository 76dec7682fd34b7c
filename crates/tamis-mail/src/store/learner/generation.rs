//! A store written again from its messages, with the next journal: to drop what was forgotten, or to
//! convert a store of version 1.
//!
//! Tables name their journal. The new journal is written first, then the tables are replaced as a
//! whole, then the old journal is removed: a process that is killed leaves either store.

use super::Learner;
use crate::features;
use crate::filter::{FIRST_LABEL, Filter};
use crate::labels::Label;
use crate::store::checkpoint::Settings;
use crate::store::disk;
use crate::store::journal::{Identity, Journal};
use crate::store::ledger::{Ledger, OWNER, Row};
use crate::store::old::{self, Old};
use crate::store::record::Record;
use crate::traits::Reader;
use crate::{Error, Result};
use std::fs;
use std::path::Path;
use tamis_corpus::lock::Lock;

/// A larger store is left as it was learned.
const MOST_AGAIN: usize = 20_000;

impl Learner {
    /// Converts a store of version 1: the next journal has all its messages. Until the new tables are
    /// written as a whole, the old ones and their journal are the store.
    pub(super) fn convert(folder: &Path, lock: Lock) -> Result<Self> {
        let Some(old) = Old::open(folder)? else {
            let (expected, got) = (features::VERSION, old::VERSION);
            return Err(Error::Features { name: folder.to_owned(), expected, got });
        };
        let before = old.identity();
        let (features, generation) = (features::VERSION, before.generation + 1);
        let identity = Identity { features, generation, ..before };
        let mut fresh = Self::empty(folder, lock, identity, old.settings)?;
        old.for_each(|label, message, _| {
            let old::Message { digest, time, traits, .. } = message;
            fresh.learn_traits(traits.clone(), label, *digest, *time, OWNER)?;
            fresh.commit_if_much().map(drop)
        })?;
        fresh.finish(old.journal.path())?;
        Ok(fresh)
    }

    /// Writes a store of version 2 in this version: the next journal has the same lessons without those
    /// that were taken back. The tables are sums of them and stay what they are.
    pub(in crate::store) fn renewed(self) -> Result<Self> {
        let Self { folder, lock, settings, filter, ledger, journal, .. } = self;
        let lock = match lock {
            Some(lock) => lock,
            None => super::lock(&folder)?,
        };
        let old = journal.identity();
        let identity = Identity { generation: old.generation + 1, ..old };
        let mut fresh = Self::empty(&folder, lock, identity, settings)?;
        fresh.declare(&filter, &ledger);
        for row in ledger.iter() {
            let Some(mut learn) = journal.read(row.offset)?.into_learn() else { continue };
            learn.label = row.label;
            learn.replaces = false;
            fresh.ledger.push(&learn, fresh.journal.end());
            fresh.note(Record::Learn(learn));
            fresh.commit_if_much()?;
        }
        fresh.filter = filter;
        fresh.finish(journal.path())?;
        Ok(fresh)
    }

    /// Notes labels and teachers of another store, with the same numbers.
    fn declare(&mut self, filter: &Filter, ledger: &Ledger) {
        for (label, Label { name, .. }) in (FIRST_LABEL..).zip(filter.labels()) {
            // A number that a removed label has left is kept, under any name.
            let name = name.as_deref();
            let any = name.unwrap_or("removed");
            self.note(Record::Label { name: any.to_owned() });
            self.filter.add_label(any);
            if name.is_none() {
                self.note(Record::Remove { label });
                self.filter.remove_label(label);
            }
        }
        for name in ledger.teachers() {
            self.note(Record::Teacher { name: name.clone() });
            self.ledger.add_teacher(name);
        }
    }

    /// What was recovered from a journal, to be [renewed](Self::renewed).
    pub(in crate::store) fn recovered(
        folder: &Path,
        lock: Lock,
        settings: Settings,
        reader: Reader,
        filter: Filter,
        ledger: Ledger,
        journal: Journal,
    ) -> Self {
        let folder = folder.to_owned();
        let (newer, cut_off, origin, relearns) = (0, 0, None, false);
        let lock = Some(lock);
        Self {
            folder,
            lock,
            settings,
            reader,
            filter,
            ledger,
            journal,
            newer,
            cut_off,
            origin,
            relearns,
        }
    }

    /// Makes the files of a new generation the store, and removes the journal of the one before.
    fn finish(&mut self, before: &Path) -> Result<()> {
        self.commit()?;
        self.write_tables()?;
        if disk::before_change().is_ok() {
            fs::remove_file(before).ok();
        }
        Ok(())
    }

    /// Makes a store as if only the messages that are in it now had ever been learned, in the same
    /// order. The old files stay until the new ones are whole. Of a store that shares its lessons, every
    /// message becomes a lesson for the other hosts.
    ///
    /// # Errors
    /// [`Error::Undelivered`] if lessons wait for the shared journal, or the error of the system.
    pub fn rebuild(self, progress: impl FnMut(u64)) -> Result<()> {
        self.rebuild_in(|ledger| ledger.iter().collect(), progress)
    }

    /// As [`Self::close`]. If spam and other messages were learned one after the other, the store is
    /// rebuilt with both side by side, as if they had been learned together: a filter that first sees
    /// all of one class learns less. Returns how many messages were learned again.
    ///
    /// # Errors
    /// The error of the system.
    pub fn close_in_proportion(self) -> Result<usize> {
        let count = self.ledger.len();
        // Of lessons that are shared, the order is that of the shared journal.
        if self.ledger.shared.is_some() || count > MOST_AGAIN || !self.ledger.is_lopsided() {
            return self.close().map(|()| 0);
        }
        self.rebuild_in(Ledger::in_proportion, |_| ()).map(|()| count)
    }

    fn rebuild_in(
        mut self,
        order: impl Fn(&Ledger) -> Vec<&Row>,
        mut progress: impl FnMut(u64),
    ) -> Result<()> {
        self.commit()?;
        let undelivered = self.undelivered().unwrap_or(0);
        if undelivered > 0 {
            return Err(Error::Undelivered { count: undelivered });
        }
        let Self { folder, lock, settings, filter, ledger, journal, .. } = self;
        let lock = match lock {
            Some(lock) => lock,
            None => super::lock(&folder)?,
        };
        let old = journal.identity();
        let identity = Identity { generation: old.generation + 1, ..old };
        let mut fresh = Self::empty(&folder, lock, identity, settings)?;
        fresh.filter.set_base(filter.base().cloned());
        if let Some(shared) = &ledger.shared {
            fresh.declare(&filter, &ledger);
            let shared = Box::new(shared.before_rebuild(&ledger));
            fresh.note(Record::Shared(shared.clone()));
            fresh.ledger.shared = Some(shared);
            fresh.relearns = true;
        }
        for row in order(&ledger) {
            if let Some(learn) = journal.read(row.offset)?.into_learn() {
                let (label, teacher) = (filter.name(row.label), ledger.teacher_name(row.teacher));
                fresh.learn_traits(learn.traits, label, row.digest, row.time, teacher)?;
                fresh.commit_if_much()?;
            }
            progress(1);
        }
        fresh.finish(journal.path())
    }
}
