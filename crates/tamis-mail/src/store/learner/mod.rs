//! The process that learns.
//!
//! - [`labels`]: adds, renames and removes labels.
//! - [`teachers`]: who has taught what.
//! - [`generation`]: writes a store again from its messages.
//! - [`rest`]: a learner between two lessons.
//! - [`sharing`]: lessons of other hosts, and lessons for them.

mod generation;
mod labels;
mod rest;
mod sharing;
mod teachers;

pub use rest::Resting;
pub use sharing::{Heard, Outgoing};
pub use teachers::AUTOLEARN;

use crate::features;
use crate::filter::{Filter, Judgement};
use crate::message::Message;
use crate::store::checkpoint::{self, Checkpoint, Content, Settings};
use crate::store::journal::{self, Identity, Journal, name_of};
use crate::store::ledger::{LONG_RUN, Ledger, OWNER};
use crate::store::old;
use crate::store::record::{Digest, Learn, Record};
use crate::store::replay::{check_pair, kind_by, replay, take_back};
use crate::store::shared::Kind;
use crate::store::{LOCK, digest, private, seed, tables};
use crate::traits::{Reader, Traits};
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tamis_corpus::lock::Lock;

/// With so many records in the journal beyond the tables, the tables are written anew.
const TABLES_AFTER: u64 = 256;

/// Tables of a store with fewer records are written if they have at most this many times the bytes of
/// the journal.
const SPARED: u64 = 4;

/// The first messages of a store are kept with all their features, so that [`Learner::rebuild`] of a small store is
/// exact, and so are those of a long run of one class, which may have to be learned again
/// ([`Learner::close_in_proportion`]); of others, stages that learned nothing from them keep nothing.
const KEPT_WHOLE: usize = 1000;

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
    /// None while it rests.
    lock: Option<Lock>,
    settings: Settings,
    reader: Reader,
    filter: Filter,
    ledger: Ledger,
    journal: Journal,
    /// Records beyond the tables in the file.
    newer: u64,
    /// Bytes of an interrupted write that were cut off.
    cut_off: u64,
    /// Of the numbers of lessons that are shared.
    origin: Option<u64>,
    /// Whether lessons are those of a rebuild.
    relearns: bool,
}

impl Learner {
    /// Makes a new store.
    ///
    /// # Errors
    /// [`Error::Occupied`] unless the folder is empty or not there yet, or what the system says.
    pub fn create(folder: &Path, bits: u32, seed: u64, settings: Settings) -> Result<Self> {
        let failed = |source| Error::Read { name: folder.to_owned(), source };
        private::create_folder(folder)?;
        let lock = lock(folder)?;
        // Another process may have made it while this one waited.
        if folder.join(tables::NAME).exists() {
            return Self::with_lock(folder, lock);
        }
        for entry in fs::read_dir(folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            // What a process left that was ended while it made the store.
            let ours = name == LOCK
                || name == seed::NAME
                || name.to_string_lossy() == name_of(1)
                || name.to_string_lossy().starts_with(".tamis-");
            if !ours {
                return Err(Error::Occupied { name: folder.to_owned() });
            }
        }
        let identity = Identity { features: features::VERSION, bits, seed, generation: 1 };
        private::restrict_store(folder);
        let mut learner = Self::empty(folder, lock, identity, settings)?;
        learner.write_tables()?;
        Ok(learner)
    }

    fn empty(folder: &Path, lock: Lock, identity: Identity, settings: Settings) -> Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            lock: Some(lock),
            settings,
            reader: Reader::new(identity.bits, identity.seed)?,
            filter: Filter::new(identity.bits),
            ledger: Ledger::default(),
            journal: {
                seed::write(folder, identity.seed)?;
                Journal::create(folder, identity)?
            },
            newer: 0,
            cut_off: 0,
            origin: None,
            relearns: false,
        })
    }

    /// Opens a store, when no other process learns any more.
    ///
    /// # Errors
    /// As [`super::Store::open`].
    pub fn open(folder: &Path) -> Result<Self> {
        if !folder.join(tables::NAME).exists() {
            return Err(Error::NoStore { name: folder.to_owned(), file: tables::NAME });
        }
        Self::with_lock(folder, lock(folder)?)
    }

    fn with_lock(folder: &Path, lock: Lock) -> Result<Self> {
        private::restrict_store(folder);
        let (checkpoint, mut filter) = match Checkpoint::open(folder) {
            Err(Error::Features { got: old::VERSION, .. }) => return Self::convert(folder, lock),
            opened => opened?,
        };
        let mut journal = Journal::open(folder, checkpoint.identity.generation)?;
        check_pair(&checkpoint, &journal)?;
        let mut ledger = checkpoint.ledger();
        let mut newer = 0;
        let end = journal.for_each(checkpoint.journal..u64::MAX, |offset, record| {
            newer += 1;
            replay(&mut filter, &mut ledger, &journal, offset, record)
        })?;
        journal.synced_to(checkpoint.journal);
        let is_current = journal.is_current();
        let cut_off = if is_current { journal.cut(end)? } else { 0 };
        let Checkpoint { identity, settings, .. } = checkpoint;
        let reader = Reader::new(identity.bits, identity.seed)?;
        let opened = Self {
            folder: folder.to_owned(),
            lock: Some(lock),
            settings,
            reader,
            filter,
            ledger,
            journal,
            newer,
            cut_off,
            origin: None,
            relearns: false,
        };
        if !is_current {
            return opened.renewed();
        }
        remove_other_journals(folder, identity.generation);
        Ok(opened)
    }

    /// How many bytes of an interrupted write were cut off when the store was opened. Nothing in them was
    /// ever reported as learned.
    #[must_use]
    pub const fn cut_off(&self) -> u64 {
        self.cut_off
    }

    /// The filter as it is now.
    #[must_use]
    pub const fn filter(&self) -> &Filter {
        &self.filter
    }

    pub(in crate::store) fn set_filter_base(&mut self, base: Option<Arc<Filter>>) {
        self.filter.set_base(base);
    }

    /// What the filter says of a message, given as its bytes, by the cuts of the last [`Self::set_cuts`].
    #[must_use]
    pub fn judge(&self, raw: &[u8]) -> Judgement {
        self.filter.judge(&self.reader.read(&Message::parse(raw)))
    }

    /// Sets the cuts from the scores of all messages so far.
    pub fn set_cuts(&mut self) {
        self.filter.set_cuts(self.ledger.cuts(self.settings.ham_lost));
    }

    /// How many messages it knows.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.ledger.len()
    }

    /// Learns a message, given as its bytes, with a label, by the owner. It is safe once [`Self::commit`]
    /// has returned.
    ///
    /// # Errors
    /// [`Error::Label`] for what is no label, or what the system says.
    pub fn learn(&mut self, raw: &[u8], label: &str, time: u64) -> Result<Change> {
        self.learn_by(OWNER, raw, label, time)
    }

    /// As [`Self::learn`], by another teacher.
    ///
    /// # Errors
    /// As [`Self::learn`], and [`Error::Teacher`] for what is no name of one.
    pub fn learn_by(
        &mut self,
        teacher: &str,
        raw: &[u8],
        label: &str,
        time: u64,
    ) -> Result<Change> {
        let digest = digest(raw, self.reader.hash().seed());
        let known = self.find(raw, digest);
        if let Some((old, before)) = known {
            let is_same = self.filter.name(before) == label;
            if is_same || self.is_guess_about_known(teacher, &old) {
                self.taught_again(&old, teacher)?;
                return Ok(Change::Known);
            }
        }
        let traits = self.reader.read(&Message::parse(raw));
        match known {
            Some((old, before)) if old != digest => {
                // A message of version 1 has the digest of this version from now on.
                self.label(label)?;
                self.teacher(teacher)?;
                let from = self.filter.name(before).to_owned();
                self.forget_digest(&old)?;
                self.learn_traits(traits, label, digest, time, teacher)?;
                Ok(Change::Moved { from })
            }
            _ => self.learn_traits(traits, label, digest, time, teacher),
        }
    }

    /// The digest under which a message is known, and its label. Messages of a converted store have
    /// the digest of version 1.
    fn find(&self, raw: &[u8], digest: Digest) -> Option<(Digest, u8)> {
        let known = |digest: Digest| {
            let number = self.ledger.find(&digest)?;
            Some((digest, self.ledger.get(number).label))
        };
        known(digest).or_else(|| known(old::digest(raw, self.reader.hash().seed())))
    }

    pub(super) fn learn_traits(
        &mut self,
        traits: Traits,
        label: &str,
        digest: Digest,
        time: u64,
        teacher: &str,
    ) -> Result<Change> {
        let (label, teacher) = (self.label(label)?, self.teacher(teacher)?);
        let known = self.ledger.row_of(&digest);
        let before = take_back(&mut self.filter, &mut self.ledger, &self.journal, &digest)?;
        let learned = self.filter.learn(&traits, label, digest, time);
        let replaces = before.is_some();
        let is_kept_whole = self.ledger.len() < KEPT_WHOLE || self.ledger.run() > LONG_RUN;
        let traits = match is_kept_whole {
            true => traits,
            false => traits.without_unlearned(&learned.surprises),
        };
        let learn = Learn { digest, time, label, teacher, replaces, traits, learned };
        let offset = self.journal.end();
        let kind = if self.relearns { Kind::Again } else { kind_by(&self.ledger, teacher) };
        self.ledger.issue(kind, digest, known, offset);
        self.ledger.push(&learn, offset);
        self.note(if self.relearns { Record::Again(learn) } else { Record::Learn(learn) });
        Ok(match before {
            Some(from) => Change::Moved { from: self.filter.name(from).to_owned() },
            None => Change::Learned,
        })
    }

    /// Takes a message back; whether it was there is returned.
    ///
    /// # Errors
    /// What the system says.
    pub fn forget(&mut self, raw: &[u8]) -> Result<bool> {
        let digest = digest(raw, self.reader.hash().seed());
        match self.find(raw, digest) {
            Some((digest, _)) => self.forget_digest(&digest),
            None => Ok(false),
        }
    }

    fn forget_digest(&mut self, digest: &Digest) -> Result<bool> {
        let known = self.ledger.row_of(digest);
        let gone = take_back(&mut self.filter, &mut self.ledger, &self.journal, digest)?;
        if gone.is_some() {
            self.ledger.issue(Kind::Forget, *digest, known, self.journal.end());
            self.note(Record::Forget(*digest));
        }
        Ok(gone.is_some())
    }

    /// Takes back every message that was learned before this time; how many is returned.
    ///
    /// # Errors
    /// What the system says.
    pub fn expire(&mut self, before: u64) -> Result<usize> {
        let old: Vec<Digest> =
            self.ledger.iter().filter(|row| row.time < before).map(|row| row.digest).collect();
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
        self.number();
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
        self.settle()
    }

    fn settle(&mut self) -> Result<()> {
        self.commit()?;
        if self.newer >= TABLES_AFTER {
            self.write_tables()?;
        }
        Ok(())
    }

    /// Writes the tables with the cuts of this moment. As long as they would have several times as many
    /// bytes as the journal, readers replay the journal instead, and the tables are empty.
    fn write_tables(&mut self) -> Result<()> {
        self.ledger.compact();
        self.filter.compact();
        self.filter.set_cuts(self.ledger.cuts(self.settings.ham_lost));
        let (identity, end, settings) =
            (self.journal.identity(), self.journal.end(), self.settings);
        let most = if self.newer < TABLES_AFTER { SPARED * end } else { u64::MAX };
        if !self.note_shared()? {
            return Ok(());
        }
        let content = Content { settings, filter: &self.filter, ledger: &self.ledger };
        if checkpoint::write(&self.folder, identity, end, content, most)? {
            self.newer = 0;
            return Ok(());
        }
        let (filter, ledger) = (Filter::new(identity.bits), Ledger::default());
        let content = Content { settings, filter: &filter, ledger: &ledger };
        checkpoint::write(&self.folder, identity, Journal::start(), content, u64::MAX)?;
        Ok(())
    }

    /// Every message with its label and its teacher, in the order of learning.
    pub(super) fn for_each(
        &self,
        mut visit: impl FnMut(&str, &str, &Learn) -> Result<()>,
    ) -> Result<()> {
        for row in self.ledger.iter() {
            if let Some(learn) = self.journal.read(row.offset)?.into_learn() {
                let teacher = self.ledger.teacher_name(row.teacher);
                visit(self.filter.name(row.label), teacher, &learn)?;
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

pub(in crate::store) fn lock(folder: &Path) -> Result<Lock> {
    let path = folder.join(LOCK);
    let failed = |source| tamis_corpus::Error::Write { name: path.clone(), source };
    let file = private::open_or_create(&path).map_err(|error| match error {
        Error::Read { source, .. } => failed(source).into(),
        error => error,
    })?;
    Ok(Lock::open(file, &path)?)
}

/// Removes journals that a process left which was ended while it rebuilt.
fn remove_other_journals(folder: &Path, generation: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if journal::is_name(&name) && name.to_string_lossy() != name_of(generation) {
            fs::remove_file(entry.path()).ok();
        }
    }
}
