//! The store: what a filter has learned, in a folder of its own.
//!
//! | file | content |
//! |---|---|
//! | `tables.tamis` | the tables at one moment, replaced as a whole |
//! | `journal-N.log` | every message learned or forgotten, as hashes; only ever appended to |
//! | `seed` | what everything is hashed with; without it, journal and tables say nothing |
//! | `lock` | held by the process that learns |
//!
//! 1. Everything before a returned [`Learner::commit`] survives the end of the process, however it ends.
//! 2. Any number of processes may read a store while one learns: tables are replaced, never changed,
//!    and later records of the journal are applied to them when they are opened.
//! 3. The text of messages is not in it.
//! 4. Forgetting a message inverts its update bit for bit. What was learned since was learned by a
//!    filter that knew the message; [`Learner::rebuild`] makes a store as if it had never been learned.
//! 5. Its files are private: mode 0700 for the folder and 0600 for files. Links are refused.
//! 6. Stores of versions 1 and 2 can be read; the first process that learns converts them.
//!
//! - `tables`, `checkpoint`: the file of tables. `seed`: the file of the seed.
//! - `journal`, `frames`, `record`, `places`: the journal. `disk`: all writing.
//! - `ledger`: which messages are there. `replay`: records applied to tables and ledger.
//! - `learner`: writes. `follow`: readers that stay open. `verify`: compares tables and journal.
//! - `repair`: saves what is sound of a damaged store.
//! - `shared_base`: a store under others. `user`: whose store.
//! - `shared`: lessons that several hosts share. `fingerprint`: whether they know the same.
//! - `portable`: export and import. `old`: version 1. `private`: permissions.

mod checkpoint;
mod disk;
#[cfg(test)]
mod faults;
mod fingerprint;
mod follow;
mod frames;
mod journal;
mod learner;
mod ledger;
mod old;
mod places;
mod portable;
pub(crate) mod private;
mod record;
mod repair;
mod replay;
mod seed;
mod shared;
mod shared_base;
mod sizes;
mod tables;
mod user;
mod verify;

pub use checkpoint::Settings;
pub use follow::{Followed, News};
pub use learner::{AUTOLEARN, Change, Heard, Learner, Outgoing, Resting};
pub use ledger::OWNER;
pub use portable::{export, export_identity, import};
pub use record::Digest;
pub use repair::{Repaired, repair};
pub use seed::read_file as read_seed;
pub use shared::Position;
pub use shared_base::Base;
pub(crate) use sizes::{bytes_of, recorded_size};
pub use user::{folder_of, user};

use crate::filter::{Filter, Judgement};
use crate::message::Message;
use crate::traits::{Reader, Traits};
use crate::{Error, Result};
use checkpoint::Checkpoint;
use journal::Journal;
use ledger::Ledger;
use old::Old;
use replay::{apply_step, check_pair, is_simple, note, replay, step};
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};

/// The name of the file that the learning process locks.
const LOCK: &str = "lock";

/// A store that is read.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    reader: Reader,
    filter: Filter,
    files: Files,
    /// Records of the journal that are not in the tables of the file.
    newer: u64,
    /// Where the last whole record ends.
    end: u64,
    /// Of the tables when they were opened.
    stamp: follow::Stamp,
    /// The ledger of a small store: each message may then move the cuts.
    young: Option<Ledger>,
}

/// The files that a store was read from.
#[derive(Debug)]
enum Files {
    Current(Box<Checkpoint>, Journal),
    Old(Box<Old>),
    /// A store without lessons that stands on a base.
    None,
}

/// The cuts of a store with fewer messages are set after every change, and when it is opened.
const YOUNG: usize = 1000;

/// How often a store is opened again if its files are replaced meanwhile.
const ATTEMPTS: usize = 5;

/// Facts about a store.
#[derive(Debug, Clone, PartialEq)]
pub struct Info {
    /// Messages of each label, ham first.
    pub labels: Vec<(String, usize)>,
    /// Bits of the tables.
    pub bits: u32,
    /// The share of the word cells that is used.
    pub used: f64,
    /// The part of the ham that may be lost.
    pub ham_lost: f64,
    /// Bytes of the tables and of the journal.
    pub sizes: (u64, u64),
    /// When the oldest and the newest message were learned, in seconds since 1970.
    pub times: Option<(u64, u64)>,
    /// Records that are in the journal and not yet in the tables.
    pub newer: u64,
    /// Who has taught how many messages, the owner first.
    pub teachers: Vec<(String, usize)>,
    /// Own lessons that the shared journal does not have yet; none if lessons are not shared.
    pub undelivered: Option<usize>,
}

impl Store {
    /// Opens a store.
    ///
    /// # Errors
    /// [`Error::NoStore`], [`Error::Features`], [`Error::Damaged`], or what the system says.
    pub fn open(folder: &Path) -> Result<Self> {
        // When a store is rebuilt or converted, its journal may vanish after the tables were read; the
        // next tables name the next journal.
        for _ in 0..ATTEMPTS {
            match Self::try_open(folder) {
                Err(Error::Read { source, .. })
                    if source.kind() == std::io::ErrorKind::NotFound => {}
                Ok(None) => {}
                Ok(Some(store)) => return Ok(store),
                Err(error) => return Err(error),
            }
        }
        let damaged = |what| Error::Damaged { name: folder.join(tables::NAME), at: 0, what };
        Self::try_open(folder)?.ok_or_else(|| damaged("it is replaced again and again"))
    }

    /// Opens a store; none if its files were replaced meanwhile.
    fn try_open(folder: &Path) -> Result<Option<Self>> {
        // Taken first: tables that are replaced meanwhile are then seen to be new.
        let stamp = follow::Stamp::of(folder);
        let (checkpoint, mut filter) = match Checkpoint::open(folder) {
            Err(Error::Features { got: old::VERSION, .. }) => return Self::open_old(folder),
            opened => opened?,
        };
        let stamp = stamp?;
        let journal = Journal::open(folder, checkpoint.identity.generation)?;
        check_pair(&checkpoint, &journal)?;
        let mut records = Vec::new();
        let end = journal.for_each(checkpoint.journal..u64::MAX, |offset, record| {
            records.push((offset, record));
            Ok(())
        })?;
        let newer = records.len() as u64;
        let is_young = checkpoint.messages() + records.len() < YOUNG;
        let mut young = None;
        if !is_young && records.iter().all(|(_, record)| is_simple(record)) {
            for (_, record) in records {
                if let Some(step) = step(&journal, record)? {
                    apply_step(&mut filter, &step);
                }
            }
        } else {
            let mut ledger = checkpoint.ledger();
            for (offset, record) in records {
                replay(&mut filter, &mut ledger, &journal, offset, record)?;
            }
            if is_young {
                filter.set_cuts(ledger.cuts(checkpoint.settings.ham_lost));
                young = Some(ledger);
            }
        }
        let identity = checkpoint.identity;
        let reader = Reader::new(identity.bits, identity.seed)?;
        let (folder, files) = (folder.to_owned(), Files::Current(Box::new(checkpoint), journal));
        Ok(Some(Self { folder, reader, filter, files, newer, end, stamp, young }))
    }

    fn open_old(folder: &Path) -> Result<Option<Self>> {
        let stamp = follow::Stamp::of(folder)?;
        let Some(old) = Old::open(folder)? else { return Ok(None) };
        let (filter, ledger) = old.learned()?;
        let reader = Reader::new(old.identity().bits, old.identity().seed)?;
        let (newer, end, young) = (old.messages() as u64, old.end, Some(ledger));
        let (folder, files) = (folder.to_owned(), Files::Old(Box::new(old)));
        Ok(Some(Self { folder, reader, filter, files, newer, end, stamp, young }))
    }

    /// The filter.
    #[must_use]
    pub const fn filter(&self) -> &Filter {
        &self.filter
    }

    /// The filter, to switch stages off.
    pub const fn filter_mut(&mut self) -> &mut Filter {
        &mut self.filter
    }

    /// How messages are read.
    #[must_use]
    pub const fn reader(&self) -> &Reader {
        &self.reader
    }

    /// What a message is.
    #[must_use]
    pub fn judge(&self, message: &Message<'_>) -> (Traits, Judgement) {
        let traits = self.reader.read(message);
        let judgement = self.filter.judge(&traits);
        (traits, judgement)
    }

    /// Which messages are there, by tables and journal at the moment of opening.
    fn ledger(&self) -> Result<Ledger> {
        match (&self.files, &self.young) {
            (Files::Current(checkpoint, journal), _) => {
                let mut ledger = checkpoint.ledger();
                journal.for_each(checkpoint.journal..self.end, |offset, record| {
                    note(&mut ledger, journal, offset, &record)
                })?;
                Ok(ledger)
            }
            (Files::Old(_), Some(ledger)) => Ok(ledger.clone()),
            (Files::Old(old), None) => Ok(old.learned()?.1),
            (Files::None, _) => Ok(Ledger::default()),
        }
    }

    fn settings(&self) -> Settings {
        match &self.files {
            Files::Current(checkpoint, _) => checkpoint.settings,
            Files::Old(old) => old.settings,
            Files::None => Settings::default(),
        }
    }

    fn journal(&self) -> Option<&Journal> {
        match &self.files {
            Files::Current(_, journal) => Some(journal),
            Files::Old(old) => Some(&old.journal),
            Files::None => None,
        }
    }

    /// How many messages a teacher has taught since a time, in seconds since 1970: ham with any label, and spam.
    ///
    /// # Errors
    /// As [`Self::info`].
    pub fn taught_since(&self, teacher: &str, time: u64) -> Result<[usize; 2]> {
        let ledger = self.ledger()?;
        let mut counts = [0; 2];
        if let Some(teacher) = ledger.teacher(teacher) {
            for row in ledger.iter().filter(|row| row.teacher == teacher && row.time >= time) {
                counts[usize::from(row.label == crate::filter::SPAM)] += 1;
            }
        }
        Ok(counts)
    }

    /// Facts about the store at the moment of opening.
    ///
    /// # Errors
    /// [`Error::Damaged`], or the error of the system.
    pub fn info(&self) -> Result<Info> {
        let ledger = self.ledger()?;
        let tables = match &self.files {
            Files::Current(checkpoint, _) => checkpoint.size(),
            Files::Old(old) => old.size(),
            Files::None => 0,
        };
        let mut counts = [0; 256];
        let mut times: Option<(u64, u64)> = None;
        for row in ledger.iter() {
            counts[usize::from(row.label)] += 1;
            let (oldest, newest) = times.unwrap_or((row.time, row.time));
            times = Some((oldest.min(row.time), newest.max(row.time)));
        }
        let masses = self.filter.model().masses();
        let name = |(label, name): (u8, &str)| (name.to_owned(), counts[usize::from(label)]);
        Ok(Info {
            labels: self.filter.names().map(name).collect(),
            bits: self.filter.bits(),
            used: masses.totals().used as f64 / masses.cells().len() as f64,
            ham_lost: self.settings().ham_lost,
            sizes: (tables, self.end),
            times,
            newer: self.newer,
            teachers: ledger.taught_by(),
            undelivered: ledger.shared.as_ref().map(|shared| shared.undelivered()),
        })
    }
}

/// A seed that nobody can foresee, from the system's entropy by way of the standard library.
#[must_use]
pub fn random_seed() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

/// Replaces a file that only its owner may read.
///
/// # Errors
/// What the system says.
pub fn write_private(path: &Path, content: &[u8]) -> Result<()> {
    private::write(path, |out| {
        let failed = |source| tamis_corpus::Error::Write { name: path.to_owned(), source };
        Ok(out.write_all(content).map_err(failed)?)
    })
}

/// The time now, in seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Which message it is: its [identity](crate::identity) under the seed of the store.
#[must_use]
pub fn digest(raw: &[u8], seed: u64) -> Digest {
    crate::identity::of(raw, seed)
}
