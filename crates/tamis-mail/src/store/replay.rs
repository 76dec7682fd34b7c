//! Applies the records of a journal to a filter and a ledger.

use super::AUTOLEARN;
use super::checkpoint::Checkpoint;
use super::journal::Journal;
use super::ledger::Ledger;
use super::record::{Digest, Learn, Record};
use super::shared::apply::{Change, Effect, Heard, hear};
use super::shared::{Kind, Shared};
use crate::filter::Filter;
use crate::{Error, Result};

/// Checks that tables and journal belong to the same store.
pub(super) fn check_pair(checkpoint: &Checkpoint, journal: &Journal) -> Result<()> {
    let damaged = |at, what| Err(Error::Damaged { name: journal.path().to_owned(), at, what });
    if journal.identity() != checkpoint.identity {
        return damaged(0, "it belongs to another store");
    }
    if journal.end() < checkpoint.journal {
        return damaged(journal.end(), "its end is missing");
    }
    Ok(())
}

/// Whether a record only adds a message, or changes nothing in the filter: a ledger is not needed to
/// apply it.
pub(super) const fn is_simple(record: &Record) -> bool {
    match record {
        Record::Learn(learn) | Record::Again(learn) => !learn.replaces,
        Record::Heard(heard) => !matches!(heard.effect, Effect::Other),
        Record::Teacher { .. } | Record::Taught { .. } => true,
        Record::Number { .. } | Record::Joins { .. } | Record::Shared(_) | Record::Asks { .. } => {
            true
        }
        _ => false,
    }
}

/// What a simple record does to a filter.
#[derive(Debug)]
pub(super) enum Step {
    /// Adds a message.
    Learn(Box<Learn>),
    /// Makes a message that is there the newest one.
    Renew(Box<Learn>),
}

/// The step of a [simple](is_simple) record; none if it changes no filter.
pub(super) fn step(journal: &Journal, record: Record) -> Result<Option<Step>> {
    Ok(match record {
        Record::Learn(learn) | Record::Again(learn) => Some(Step::Learn(Box::new(learn))),
        Record::Heard(Heard { effect: Effect::Adds, change: Change::Learn(_, learn), .. }) => {
            Some(Step::Learn(Box::new(learn)))
        }
        Record::Heard(Heard { effect: Effect::Moves(offset), .. }) => {
            Some(Step::Renew(Box::new(journal.lesson(offset)?)))
        }
        _ => None,
    })
}

/// Applies a step to a filter.
pub(super) fn apply_step(filter: &mut Filter, step: &Step) {
    match step {
        Step::Learn(learn) => relearn(filter, learn),
        Step::Renew(learn) => {
            if let Some(signature) = learn.traits.signature {
                filter.renew(signature, learn.label, learn.digest, learn.time);
            }
        }
    }
}

/// Learns the message of a record again.
pub(super) fn relearn(filter: &mut Filter, learn: &Learn) {
    let Learn { digest, time, label, traits, learned, .. } = learn;
    filter.learn_again(traits, *label, &learned.surprises, *digest, *time);
}

/// Applies a record to filter and ledger.
pub(super) fn replay(
    filter: &mut Filter,
    ledger: &mut Ledger,
    journal: &Journal,
    offset: u64,
    record: Record,
) -> Result<()> {
    match record {
        Record::Learn(ref learn) | Record::Again(ref learn) => {
            issue(ledger, &record, offset);
            if learn.replaces {
                take_back(filter, ledger, journal, &learn.digest)?;
            }
            relearn(filter, learn);
            ledger.push(learn, offset);
        }
        Record::Forget(digest) => {
            issue(ledger, &record, offset);
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
        Record::Heard(heard) => {
            hear(Some(filter), ledger, journal, offset, &heard)?;
        }
        record => note(ledger, journal, offset, &record)?,
    }
    Ok(())
}

/// Notes the own lesson of a record, if lessons are shared.
fn issue(ledger: &mut Ledger, record: &Record, offset: u64) {
    let (kind, digest) = match record {
        Record::Learn(learn) => (kind_by(ledger, learn.teacher), learn.digest),
        Record::Again(learn) => (Kind::Again, learn.digest),
        Record::Forget(digest) => (Kind::Forget, *digest),
        Record::Taught { digest, .. } => (Kind::Taught, *digest),
        Record::Asks { .. } => (Kind::Relabel, Digest::default()),
        _ => return,
    };
    ledger.issue(kind, digest, ledger.row_of(&digest), offset);
}

/// The kind of a lesson by this teacher.
pub(super) fn kind_by(ledger: &Ledger, teacher: u8) -> Kind {
    match ledger.teacher_name(teacher) {
        AUTOLEARN => Kind::Guess,
        _ => Kind::Learn,
    }
}

/// Applies a record to the ledger alone.
pub(super) fn note(
    ledger: &mut Ledger,
    journal: &Journal,
    offset: u64,
    record: &Record,
) -> Result<()> {
    issue(ledger, record, offset);
    match record {
        Record::Learn(learn) | Record::Again(learn) => {
            if learn.replaces {
                ledger.forget(&learn.digest);
            }
            ledger.push(learn, offset);
        }
        Record::Forget(digest) => ledger.forget(digest),
        Record::Remove { label } => ledger.relabel(*label, 0),
        Record::Teacher { name } => {
            ledger.add_teacher(name);
        }
        Record::Taught { digest, teacher } => {
            if let Some(number) = ledger.find(digest) {
                ledger.taught(number, *teacher);
            }
        }
        Record::Number { origin, first } => {
            if let Some(shared) = &mut ledger.shared {
                shared.number(*origin, *first);
            }
        }
        Record::Joins { journal } => {
            ledger.shared = Some(Box::new(Shared::offering(ledger, *journal)));
        }
        Record::Shared(shared) => ledger.shared = Some(shared.clone()),
        Record::Heard(heard) => {
            hear(None, ledger, journal, offset, heard)?;
        }
        Record::Label { .. } | Record::Rename { .. } | Record::Asks { .. } => {}
    }
    Ok(())
}

/// Unlearns a message; its label, or none if it is not there.
pub(super) fn take_back(
    filter: &mut Filter,
    ledger: &mut Ledger,
    journal: &Journal,
    digest: &Digest,
) -> Result<Option<u8>> {
    let Some(number) = ledger.find(digest) else { return Ok(None) };
    let row = ledger.get(number);
    let learn = journal.lesson(row.offset)?;
    filter.unlearn(&learn.traits, row.label, &row.surprises, *digest);
    ledger.remove(number);
    Ok(Some(row.label))
}
