//! Applies the records of a journal to a filter and a ledger.

use super::checkpoint::Checkpoint;
use super::journal::Journal;
use super::ledger::Ledger;
use super::record::{Digest, Learn, Record};
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
        Record::Learn(learn) => !learn.replaces,
        Record::Teacher { .. } | Record::Taught { .. } => true,
        _ => false,
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
        record @ (Record::Teacher { .. } | Record::Taught { .. }) => note(ledger, offset, &record),
    }
    Ok(())
}

/// Applies a record to the ledger alone.
pub(super) fn note(ledger: &mut Ledger, offset: u64, record: &Record) {
    let forget = |ledger: &mut Ledger, digest: &Digest| {
        if let Some(number) = ledger.find(digest) {
            ledger.remove(number);
        }
    };
    match record {
        Record::Learn(learn) => {
            if learn.replaces {
                forget(ledger, &learn.digest);
            }
            ledger.push(learn, offset);
        }
        Record::Forget(digest) => forget(ledger, digest),
        Record::Remove { label } => ledger.relabel(*label, 0),
        Record::Teacher { name } => {
            ledger.add_teacher(name);
        }
        Record::Taught { digest, teacher } => {
            if let Some(number) = ledger.find(digest) {
                ledger.taught(number, *teacher);
            }
        }
        Record::Label { .. } | Record::Rename { .. } => {}
    }
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
    let Record::Learn(learn) = journal.read(row.offset)? else {
        let name = journal.path().to_owned();
        return Err(Error::Damaged { name, at: row.offset, what: "no message was learned there" });
    };
    filter.unlearn(&learn.traits, row.label, &row.surprises, *digest);
    ledger.remove(number);
    Ok(Some(row.label))
}
