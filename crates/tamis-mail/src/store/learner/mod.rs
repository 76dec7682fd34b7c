//! The process that learns.

use super::checkpoint::{self, Checkpoint, Settings};
use super::journal::{Identity, Journal, name_of};
use super::ledger::Ledger;
use super::record::{Digest, Learn, Record};
use super::{check_pair, digest, replay, take_back};
use crate::features;
use crate::filter::{Filter, MAX_LABELS, SPAM};
use crate::labels::is_name;
use crate::message::Message;
use crate::traits::{Reader, Traits};
use crate::{Error, Result};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// With so many records in the journal beyond the tables, the tables are written anew.
const TABLES_AFTER: u64 = 256;

/// The first messages of a store are kept with all their features, so that [`Learner::rebuild`] of a small store is
/// exact; of later ones, stages that learned nothing from them keep nothing.
const KEPT_WHOLE: usize = 1000;

/// The name of the file that the learning process holds.
const LOCK: &str = "lock";

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It was learned.
    Learned,
    /// It was learned with another label before.
    Moved {
        /// Which.
        from: String,
    },
    /// It was learned with this label before: nothing has changed.
    Known,
}

/// A store that learns. One process at a time has it; others wait.
#[derive(Debug)]
pub struct Learner {
    folder: PathBuf,
    _lock: File,
    settings: Settings,
    reader: Reader,
    filter: Filter,
    ledger: Ledger,
    journal: Journal,
    /// Records beyond the tables in the file.
    newer: u64,
}

impl Learner {
    /// Makes a new store.
    ///
    /// # Errors
    /// [`Error::Occupied`] unless the folder is empty or not there yet, or what the system says.
    pub fn create(folder: &Path, bits: u32, seed: u64, settings: Settings) -> Result<Self> {
        let failed = |source| Error::Read { name: folder.to_owned(), source };
        fs::create_dir_all(folder)
            .map_err(|source| tamis_corpus::Error::Write { name: folder.to_owned(), source })?;
        let lock = lock(folder)?;
        // Another process may have made it while this one waited.
        if folder.join(checkpoint::NAME).exists() {
            return Self::with_lock(folder, lock);
        }
        for entry in fs::read_dir(folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            // What a process left that was ended while it made the store.
            let ours = name == LOCK
                || name.to_string_lossy() == name_of(1)
                || name.to_string_lossy().starts_with(".tamis-");
            if !ours {
                return Err(Error::Occupied { name: folder.to_owned() });
            }
        }
        let identity = Identity { features: features::VERSION, bits, seed, generation: 1 };
        let learner = Self::empty(folder, lock, identity, settings)?;
        learner.write_tables()?;
        Ok(learner)
    }

    fn empty(folder: &Path, lock: File, identity: Identity, settings: Settings) -> Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            _lock: lock,
            settings,
            reader: Reader::new(identity.bits, identity.seed)?,
            filter: Filter::new(identity.bits),
            ledger: Ledger::default(),
            journal: Journal::create(folder, identity)?,
            newer: 0,
        })
    }

    /// Opens a store, when no other process learns any more.
    ///
    /// # Errors
    /// As [`super::Store::open`].
    pub fn open(folder: &Path) -> Result<Self> {
        if !folder.join(checkpoint::NAME).exists() {
            return Err(Error::NoStore { name: folder.to_owned(), file: checkpoint::NAME });
        }
        Self::with_lock(folder, lock(folder)?)
    }

    fn with_lock(folder: &Path, lock: File) -> Result<Self> {
        let (checkpoint, mut filter) = Checkpoint::open(folder)?;
        let mut journal = Journal::open(folder, checkpoint.identity.generation)?;
        check_pair(&checkpoint, &journal)?;
        let mut ledger = checkpoint.ledger();
        let mut newer = 0;
        let end = journal.for_each(checkpoint.journal, |offset, record| {
            newer += 1;
            replay(&mut filter, &mut ledger, &journal, offset, record)
        })?;
        journal.cut(end)?;
        remove_other_journals(folder, checkpoint.identity.generation);
        let Checkpoint { identity, settings, .. } = checkpoint;
        let reader = Reader::new(identity.bits, identity.seed)?;
        let folder = folder.to_owned();
        Ok(Self { folder, _lock: lock, settings, reader, filter, ledger, journal, newer })
    }

    /// The filter as it is now.
    #[must_use]
    pub const fn filter(&self) -> &Filter {
        &self.filter
    }

    /// How many messages it knows.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.ledger.len()
    }

    /// Learns a message, given as its bytes, with a label. It is safe once [`Self::commit`] has returned.
    ///
    /// # Errors
    /// [`Error::Label`] for what is no label, or what the system says.
    pub fn learn(&mut self, raw: &[u8], label: &str, time: u64) -> Result<Change> {
        let digest = digest(raw, self.reader.hash().seed());
        if let Some(number) = self.ledger.find(&digest) {
            if self.filter.name(self.ledger.get(number).label) == label {
                return Ok(Change::Known);
            }
        }
        let traits = self.reader.read(&Message::parse(raw));
        self.learn_traits(traits, label, digest, time)
    }

    pub(super) fn learn_traits(
        &mut self,
        traits: Traits,
        label: &str,
        digest: Digest,
        time: u64,
    ) -> Result<Change> {
        let label = self.label(label)?;
        let before = take_back(&mut self.filter, &mut self.ledger, &self.journal, &digest)?;
        let learned = self.filter.learn(&traits, label, digest, time);
        let replaces = before.is_some();
        let traits = match self.ledger.len() {
            0..KEPT_WHOLE => traits,
            _ => traits.without_unlearned(&learned.surprises),
        };
        let learn = Learn { digest, time, label, replaces, traits, learned };
        self.ledger.push(&learn, self.journal.end());
        self.journal.push(&Record::Learn(learn));
        self.newer += 1;
        Ok(match before {
            Some(from) => Change::Moved { from: self.filter.name(from).to_owned() },
            None => Change::Learned,
        })
    }

    /// The number of a label, which is added if it is new.
    fn label(&mut self, name: &str) -> Result<u8> {
        if let Some(label) = self.filter.label(name) {
            return Ok(label);
        }
        self.check_name(name)?;
        let removed = self.filter.labels().iter().position(|label| label.name.is_none());
        if let Some(index) = removed {
            // A number that a removed label has left.
            let label = index as u8 + 2;
            self.note(Record::Rename { label, name: name.to_owned() });
            self.filter.rename_label(label, name);
            return Ok(label);
        }
        if self.filter.labels().len() + 2 >= MAX_LABELS {
            return Err(Error::TooManyLabels { most: MAX_LABELS });
        }
        self.note(Record::Label { name: name.to_owned() });
        Ok(self.filter.add_label(name))
    }

    fn check_name(&self, name: &str) -> Result<()> {
        match is_name(name) && self.filter.label(name).is_none() {
            true => Ok(()),
            false => Err(Error::Label { got: name.to_owned() }),
        }
    }

    fn note(&mut self, record: Record) {
        self.journal.push(&record);
        self.newer += 1;
    }

    /// The number of a label that can be renamed or removed.
    fn own_label(&self, name: &str) -> Result<u8> {
        let label = self.filter.label(name).filter(|label| *label > SPAM);
        label.ok_or_else(|| Error::NoLabel { got: name.to_owned() })
    }

    /// Gives a label another name.
    ///
    /// # Errors
    /// [`Error::NoLabel`] unless there is such a label besides `ham` and `spam`, [`Error::Label`] if the new name is
    /// taken or no name.
    pub fn rename_label(&mut self, from: &str, to: &str) -> Result<()> {
        let label = self.own_label(from)?;
        self.check_name(to)?;
        self.note(Record::Rename { label, name: to.to_owned() });
        self.filter.rename_label(label, to);
        Ok(())
    }

    /// Removes a label; its messages are ham from then on. How many there were is returned.
    ///
    /// # Errors
    /// [`Error::NoLabel`] unless there is such a label besides `ham` and `spam`.
    pub fn remove_label(&mut self, name: &str) -> Result<usize> {
        let label = self.own_label(name)?;
        let messages = self.ledger.iter().filter(|row| row.label == label).count();
        self.note(Record::Remove { label });
        self.filter.remove_label(label);
        self.ledger.relabel(label, 0);
        Ok(messages)
    }

    /// Takes a message back; whether it was there is returned.
    ///
    /// # Errors
    /// What the system says.
    pub fn forget(&mut self, raw: &[u8]) -> Result<bool> {
        let digest = digest(raw, self.reader.hash().seed());
        self.forget_digest(&digest)
    }

    fn forget_digest(&mut self, digest: &Digest) -> Result<bool> {
        let gone = take_back(&mut self.filter, &mut self.ledger, &self.journal, digest)?;
        if gone.is_some() {
            self.journal.push(&Record::Forget(*digest));
            self.newer += 1;
        }
        Ok(gone.is_some())
    }

    /// Takes back every message that was learned before this time; how many is returned.
    ///
    /// # Errors
    /// What the system says.
    pub fn expire(&mut self, before: u64) -> Result<usize> {
        let old: Vec<Digest> = self
            .ledger
            .iter()
            .filter(|row| row.time < before)
            .map(|row| row.digest)
            .collect();
        for digest in &old {
            self.forget_digest(digest)?;
        }
        Ok(old.len())
    }

    /// Brings everything so far to disk. What was learned before is safe from then on.
    ///
    /// # Errors
    /// What the system says.
    pub fn commit(&mut self) -> Result<()> {
        self.journal.commit()
    }

    /// Commits if much is waiting.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn commit_if_much(&mut self) -> Result<bool> {
        let much = self.journal.pending() > 1 << 20;
        if much {
            self.commit()?;
        }
        Ok(much)
    }

    /// Commits, and writes the tables anew if the journal has gone far beyond them.
    ///
    /// # Errors
    /// What the system says.
    pub fn close(mut self) -> Result<()> {
        self.commit()?;
        if self.newer >= TABLES_AFTER {
            self.set_cuts();
            self.write_tables()?;
        }
        Ok(())
    }

    fn set_cuts(&mut self) {
        self.filter.set_cuts(self.ledger.cuts(self.settings.ham_lost));
    }

    fn write_tables(&self) -> Result<()> {
        let identity = self.journal.identity();
        let end = self.journal.end();
        checkpoint::write(&self.folder, identity, end, self.settings, &self.filter, &self.ledger)
    }

    /// Makes the store anew as if only what is in it now had ever been learned, in the same order. The old one stays until
    /// the new one is whole.
    ///
    /// # Errors
    /// What the system says.
    pub fn rebuild(mut self, mut progress: impl FnMut(u64)) -> Result<()> {
        self.commit()?;
        let Self { folder, _lock: lock, settings, filter, ledger, journal, .. } = self;
        let old = journal.identity();
        let identity = Identity { generation: old.generation + 1, ..old };
        let mut fresh = Self::empty(&folder, lock, identity, settings)?;
        for row in ledger.iter() {
            if let Record::Learn(learn) = journal.read(row.offset)? {
                let label = filter.name(row.label);
                fresh.learn_traits(learn.traits, label, row.digest, row.time)?;
                fresh.commit_if_much()?;
            }
            progress(1);
        }
        fresh.commit()?;
        fresh.set_cuts();
        fresh.write_tables()?;
        fs::remove_file(journal.path()).ok();
        Ok(())
    }

    /// Every message with its label, in the order of learning.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&str, &Learn) -> Result<()>) -> Result<()> {
        for row in self.ledger.iter() {
            if let Record::Learn(learn) = self.journal.read(row.offset)? {
                visit(self.filter.name(row.label), &learn)?;
            }
        }
        Ok(())
    }

    /// Whether it knows a message.
    pub(super) fn knows(&self, digest: &Digest) -> bool {
        self.ledger.find(digest).is_some()
    }

    /// What all its messages have in common.
    pub(super) const fn identity(&self) -> Identity {
        self.journal.identity()
    }
}

fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    let failed = |source| tamis_corpus::Error::Write { name: path.clone(), source };
    let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

/// Removes journals that a process left which was ended while it rebuilt.
fn remove_other_journals(folder: &Path, generation: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("journal-") && name != name_of(generation) {
            fs::remove_file(entry.path()).ok();
        }
    }
}
