//! The store: what a filter has learned, in a folder of its own.
//!
//! | file | what |
//! |---|---|
//! | `tables.tamis` | the tables at one moment, replaced as a whole |
//! | `journal-N.log` | every message learned or taken back, as hashes; only ever appended to |
//! | `lock` | held by the process that learns |
//!
//! 1. What [`Learner::commit`] has returned from survives the end of the process, however it ends.
//! 2. Any number of processes may read a store while one learns: tables are replaced, never changed, and what
//!    the journal has since is read on top of them.
//! 3. The text of messages is nowhere in it.
//! 4. Taking a message back inverts its own update, bit for bit. What was learned since was learned by a filter that
//!    knew the message, and stays so; [`Learner::rebuild`] makes a store as if it had never been learned.

mod checkpoint;
mod follow;
mod journal;
mod learner;
mod ledger;
mod places;
mod portable;
mod record;

pub use checkpoint::Settings;
pub use follow::{Followed, News};
pub use learner::{Change, Learner};
pub use portable::{export, export_identity, import};
pub use record::Digest;

use crate::filter::{Filter, Judgement, Learned};
use crate::message::Message;
use crate::neighbours::Neighbour;
use crate::stages::Stage;
use crate::traits::{Reader, Traits};
use crate::{Error, Result};
use checkpoint::Checkpoint;
use journal::Journal;
use ledger::Ledger;
use record::{Learn, Record};
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};

/// A store that is read.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    reader: Reader,
    filter: Filter,
    checkpoint: Checkpoint,
    journal: Journal,
    /// Records that are in the journal and not in the tables of the file.
    newer: u64,
    /// Where the last whole record ends.
    end: u64,
    /// Of the tables when they were opened.
    stamp: follow::Stamp,
    /// All that was learned, as long as that is little: every message may then move the cuts.
    young: Option<Ledger>,
}

/// The cuts of a store with fewer messages are set after every change, and when it is opened.
const YOUNG: usize = 1000;

/// What a store says about itself.
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
}

impl Store {
    /// Opens a store.
    ///
    /// # Errors
    /// [`Error::NoStore`], [`Error::Features`], [`Error::Damaged`], or what the system says.
    pub fn open(folder: &Path) -> Result<Self> {
        // A journal may go between the two looks, when its store is rebuilt; the next tables name the next one.
        let mut attempts = 3;
        loop {
            attempts -= 1;
            match Self::try_open(folder) {
                Err(Error::Read { source, .. })
                    if source.kind() == std::io::ErrorKind::NotFound && attempts > 0 => {}
                result => return result,
            }
        }
    }

    fn try_open(folder: &Path) -> Result<Self> {
        // Looked at first: tables that are replaced meanwhile are then seen to be new.
        let stamp = follow::Stamp::of(folder);
        let (checkpoint, mut filter) = Checkpoint::open(folder)?;
        let stamp = stamp?;
        let journal = Journal::open(folder, checkpoint.identity.generation)?;
        check_pair(&checkpoint, &journal)?;
        let mut records = Vec::new();
        let end = journal.for_each(checkpoint.journal, |offset, record| {
            records.push((offset, record));
            Ok(())
        })?;
        let newer = records.len() as u64;
        let is_young = checkpoint.messages() + records.len() < YOUNG;
        let mut young = None;
        if !is_young && records.iter().all(|(_, record)| is_simple(record)) {
            for (_, record) in records {
                if let Record::Learn(learn) = record {
                    relearn(&mut filter, &learn);
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
        let folder = folder.to_owned();
        Ok(Self { folder, reader, filter, checkpoint, journal, newer, end, stamp, young })
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

    /// All that was learned, with what is in the journal.
    fn ledger(&self) -> Result<Ledger> {
        let mut ledger = self.checkpoint.ledger();
        let (_, mut filter) = Checkpoint::open(&self.folder)?;
        self.journal.for_each(self.checkpoint.journal, |offset, record| {
            replay(&mut filter, &mut ledger, &self.journal, offset, record)
        })?;
        Ok(ledger)
    }

    /// What the store says about itself.
    ///
    /// # Errors
    /// [`Error::Damaged`], or what the system says.
    pub fn info(&self) -> Result<Info> {
        let ledger = self.ledger()?;
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
            ham_lost: self.checkpoint.settings.ham_lost,
            sizes: (self.checkpoint.size(), self.end),
            times,
            newer: self.newer,
        })
    }

    /// Reads everything, and replays the journal: the tables must come out as they are, bit for bit. Gives how many
    /// messages there are.
    ///
    /// # Errors
    /// [`Error::Damaged`] with the first thing that is wrong.
    pub fn verify(&self) -> Result<usize> {
        self.checkpoint.verify()?;
        let mut filter = Filter::new(self.filter.bits());
        let mut ledger = Ledger::default();
        self.journal.for_each(Journal::start(), |offset, record| {
            replay(&mut filter, &mut ledger, &self.journal, offset, record)
        })?;
        let damaged =
            |what| Error::Damaged { name: self.folder.join(checkpoint::NAME), at: 0, what };
        if filter.model() != self.filter.model() {
            return Err(damaged("the tables are not what the journal says"));
        }
        if filter.labels() != self.filter.labels() {
            return Err(damaged("the labels are not what the journal says"));
        }
        if filter.senders() != self.filter.senders() {
            return Err(damaged("the counts of senders are not what the journal says"));
        }
        let (of_journal, of_file) = (filter.neighbours(), self.filter.neighbours());
        let listed = |near: &crate::neighbours::Neighbours| -> Vec<(Digest, u64)> {
            near.iter().map(|message| (message.digest, message.time)).collect()
        };
        if listed(of_journal) != listed(of_file) {
            return Err(damaged("the similar messages are not what the journal says"));
        }
        Ok(ledger.len())
    }
}

/// Bytes of a message in the journal.
pub(crate) fn recorded_size(traits: &Traits, learned: &Learned) -> u64 {
    let traits = traits.clone().without_unlearned(&learned.surprises);
    let learned = *learned;
    let learn = Learn { digest: [0; 16], time: 0, label: 0, replaces: false, traits, learned };
    Record::Learn(learn).write().as_bytes().len() as u64 + 16
}

/// Bytes of a store with this filter, this many messages and this many bytes of journal.
pub(crate) fn bytes_of(filter: &Filter, messages: usize, journal: u64) -> u64 {
    let model = filter.model();
    let tables = Stage::ALL.map(|stage| size_of_val(model.correction(stage).cells()));
    let labels: usize = filter.labels().iter().map(|label| size_of_val(label.cells())).sum();
    let near = filter.neighbours();
    let fixed = size_of_val(model.masses().cells())
        + tables.iter().sum::<usize>()
        + labels
        + size_of_val(filter.senders().counters())
        + size_of_val(near.heads());
    let rows = messages * size_of::<ledger::Row>();
    (fixed + rows + near.len() * size_of::<Neighbour>()) as u64 + journal
}

/// A seed that nobody can foresee, from the system's entropy by way of the standard library.
#[must_use]
pub fn random_seed() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

/// The time now, in seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// The folder of a user's store in the folder of all stores.
///
/// # Errors
/// [`Error::User`] for what is not one name in it, or would lead out of it.
pub fn folder_of(stores: &Path, user: &str) -> Result<PathBuf> {
    let one_name = Path::new(user).file_name().is_some_and(|name| name == user);
    if one_name && !user.starts_with('.') && user.len() <= 255 && !user.contains('\0') {
        Ok(stores.join(user))
    } else {
        Err(Error::User { got: user.to_owned() })
    }
}

/// Which message it is: its [identity](crate::identity) under the seed of the store.
#[must_use]
pub fn digest(raw: &[u8], seed: u64) -> Digest {
    crate::identity::of(raw, seed)
}

/// Whether tables and journal are of the same store.
fn check_pair(checkpoint: &Checkpoint, journal: &Journal) -> Result<()> {
    let damaged = |at, what| Err(Error::Damaged { name: journal.path().to_owned(), at, what });
    if journal.identity() != checkpoint.identity {
        return damaged(0, "it belongs to another store");
    }
    if journal.end() < checkpoint.journal {
        return damaged(journal.end(), "its end is missing");
    }
    Ok(())
}

/// Whether it takes nothing back: for that one must know where the message is.
const fn is_simple(record: &Record) -> bool {
    matches!(record, Record::Learn(learn) if !learn.replaces)
}

fn relearn(filter: &mut Filter, learn: &Learn) {
    let Learn { digest, time, label, traits, learned, .. } = learn;
    filter.learn_again(traits, *label, &learned.surprises, *digest, *time);
}

/// Does again what a record says.
fn replay(
    filter: &mut Filter,
    ledger: &mut Ledger,
    journal: &Journal,
    offset: u64,
    record: Record,
) -> Result<()> {
    match record {
        Record::Learn(learn) => {
            if learn.replaces {
                take_back(filter, ledger, journal, &learn.digest)?;
            }
            relearn(filter, &learn);
            ledger.push(&learn, offset);
        }
        Record::Forget(digest) => {
            take_back(filter, ledger, journal, &digest)?;
        }
        Record::Label { name } => {
            filter.add_label(&name);
        }
        Record::Rename { label, name } => filter.rename_label(label, &name),
        Record::Remove { label } => {
            filter.remove_label(label);
            ledger.relabel(label, 0);
        }
    }
    Ok(())
}

/// Takes a message back; none if it is not there.
fn take_back(
    filter: &mut Filter,
    ledger: &mut Ledger,
    journal: &Journal,
    digest: &Digest,
) -> Result<Option<u8>> {
    let Some(number) = ledger.find(digest) else { return Ok(None) };
    let row = ledger.get(number);
    let Record::Learn(learn) = journal.read(row.offset)? else {
        let name = journal.path().to_owned();
        return Err(Error::Damaged { name, at: row.offset, what: "no message was learned there" });
    };
    filter.unlearn(&learn.traits, row.label, &row.surprises, *digest);
    ledger.remove(number);
    Ok(Some(row.label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_user_has_a_name_that_leads_out_of_the_folder() {
        let stores = Path::new("stores");
        for name in ["anne", "anne@example.org", "a.b", "ünal"] {
            assert_eq!(folder_of(stores, name).ok(), Some(stores.join(name)));
        }
        for name in ["", ".", "..", "../x", "a/b", "/", "/etc", "a/", ".hidden", "a\0b"] {
            assert!(folder_of(stores, name).is_err(), "{name:?}");
        }
    }
}
