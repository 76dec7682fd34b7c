//! Saves what is sound of a damaged store.
//!
//! Every record of the journal has checksums of its own, so those before and after a damaged place are
//! still sound. They are applied in their order and written as a new journal with new tables. Of two
//! journals (after an interrupted rebuild) the one with more sound records counts. The damaged journal
//! stays in the folder as `damaged-N.log`.
//!
//! What cannot be saved: the records in the damaged places; the name of a label or teacher whose record
//! is lost (it becomes `recovered-N`); a store whose seed or journal header is lost.

use super::checkpoint::Checkpoint;
use super::journal::{self, Journal};
use super::learner::{Learner, lock};
use super::ledger::Ledger;
use super::record::Record;
use super::replay::replay;
use super::shared::apply::{Change, Heard};
use super::{Settings, disk, private};
use crate::filter::{FIRST_LABEL, Filter, MAX_LABELS};
use crate::traits::Reader;
use crate::{Error, Result};
use std::fs;
use std::path::Path;

/// What was saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repaired {
    /// Messages that the store knows now.
    pub messages: usize,
    /// Sound records of the old journal.
    pub records: u64,
    /// Bytes of the old journal that were not sound.
    pub lost: u64,
}

/// Repairs a store. A sound store stays as it is, apart from a new journal without what was taken back.
///
/// # Errors
/// [`Error::NoStore`] if there is no journal; [`Error::Damaged`] if its header or the seed is lost; what
/// the system says.
pub fn repair(folder: &Path) -> Result<Repaired> {
    let no_store = || Error::NoStore { name: folder.to_owned(), file: "journal-N.log" };
    if !folder.is_dir() {
        return Err(no_store());
    }
    let lock = lock(folder)?;
    private::restrict_store(folder);
    let mut best: Option<(u64, Journal)> = None;
    let mut failed = None;
    for generation in generations(folder) {
        match Journal::open(folder, generation) {
            Ok(journal) => {
                let count = sound(&journal).count() as u64;
                if best.as_ref().is_none_or(|(most, _)| count >= *most) {
                    best = Some((count, journal));
                }
            }
            Err(error) => failed = Some(error),
        }
    }
    let (records, journal) = best.ok_or_else(|| failed.unwrap_or_else(no_store))?;
    let identity = journal.identity();
    let settings =
        Checkpoint::open(folder).map_or_else(|_| Settings::default(), |(c, _)| c.settings);
    let (mut filter, mut ledger) = (Filter::new(identity.bits), Ledger::default());
    let mut at = Journal::start();
    let mut lost = 0;
    for (offset, end, record) in sound(&journal) {
        lost += offset - at;
        at = end;
        if let Record::Learn(learn)
        | Record::Again(learn)
        | Record::Heard(Heard { change: Change::Learn(_, learn), .. }) = &record
        {
            name_lost(&mut filter, &mut ledger, learn.label, learn.teacher);
        }
        replay(&mut filter, &mut ledger, &journal, offset, record)?;
    }
    lost += journal.end().saturating_sub(at);
    keep_damaged(folder, &journal, lost)?;
    let reader = Reader::new(identity.bits, identity.seed)?;
    let learner = Learner::recovered(folder, lock, settings, reader, filter, ledger, journal);
    let messages = learner.renewed()?.messages();
    Ok(Repaired { messages, records, lost })
}

/// The numbers of all journals in a folder, ascending.
fn generations(folder: &Path) -> Vec<u64> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<u64> =
        entries.filter_map(|entry| journal::generation_of(&entry.file_name())).collect();
    all.sort_unstable();
    all
}

/// All sound records that say something: where each starts and ends.
fn sound(journal: &Journal) -> impl Iterator<Item = (u64, u64, Record)> + '_ {
    let mut next = journal.sound_after(Journal::start(), false);
    std::iter::from_fn(move || {
        loop {
            let offset = next?;
            let bytes = journal.read_bytes(offset).ok()?;
            let end = offset + bytes.len() as u64 + super::frames::AROUND;
            next = journal.sound_after(end, false);
            if let Some(record) = Record::read(&bytes) {
                return Some((offset, end, record));
            }
        }
    })
}

/// Gives names to a label and a teacher whose records are lost.
fn name_lost(filter: &mut Filter, ledger: &mut Ledger, label: u8, teacher: u8) {
    let most = label.min(MAX_LABELS as u8 - 1);
    while most >= FIRST_LABEL && filter.labels().len() <= usize::from(most - FIRST_LABEL) {
        let number = filter.labels().len() + usize::from(FIRST_LABEL);
        filter.add_label(&format!("recovered-{number}"));
    }
    while ledger.teachers().len() < usize::from(teacher) {
        let number = ledger.teachers().len() + 1;
        ledger.add_teacher(&format!("recovered-{number}"));
    }
}

/// Keeps a journal of which something is lost.
fn keep_damaged(folder: &Path, journal: &Journal, lost: u64) -> Result<()> {
    if lost == 0 {
        return Ok(());
    }
    let name = folder.join(format!("damaged-{}.log", journal.identity().generation));
    let failed = |source| tamis_corpus::Error::Write { name: name.clone(), source };
    disk::before_change().map_err(failed)?;
    match fs::hard_link(journal.path(), &name) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(failed(error).into())
        }
        _ => Ok(()),
    }
}
