//! Compares the tables of a store with its journal.

use super::checkpoint::{Checkpoint, cut_rules};
use super::journal::Journal;
use super::ledger::Ledger;
use super::replay::replay;
use super::{Files, Store, tables};
use crate::cuts::Cuts;
use crate::filter::Filter;
use crate::neighbours::Neighbours;
use crate::{Error, Result};

impl Store {
    /// Replays the whole journal and compares the result with the tables, bit for bit: all stages,
    /// labels, senders, similar messages, learned messages, and the cuts. The number of messages is
    /// returned.
    ///
    /// The store is checked as it was when it was opened. What other processes learn meanwhile does
    /// not matter. Cuts are compared if they were made by the rules of this version. The tables of a
    /// store of version 1 are not used any more; of it checksums and all records are checked.
    ///
    /// # Errors
    /// [`Error::Damaged`] with the first difference.
    pub fn verify(&self) -> Result<usize> {
        let (checkpoint, journal) = match &self.files {
            Files::Current(checkpoint, journal) => (checkpoint, journal),
            Files::Old(old) => {
                old.verify()?;
                return Ok(old.messages());
            }
        };
        checkpoint.verify()?;
        let mut filter = Filter::new(self.filter.bits());
        let mut ledger = Ledger::default();
        let apply = |filter: &mut Filter, ledger: &mut Ledger, range| {
            journal
                .for_each(range, |offset, record| replay(filter, ledger, journal, offset, record))
        };
        let end = apply(&mut filter, &mut ledger, Journal::start()..checkpoint.journal)?;
        if end != checkpoint.journal {
            return Err(
                self.differs("the place where they end in the journal is not that of a record")
            );
        }
        self.compare_checkpoint(checkpoint, &ledger)?;
        apply(&mut filter, &mut ledger, end..self.end)?;
        journal.check_end(self.end)?;
        self.compare_filter(&filter)?;
        if self.young.is_some()
            && !is_same(&ledger.cuts(self.settings().ham_lost), self.filter.cuts())
        {
            return Err(self.differs("the cuts are not those of the journal"));
        }
        Ok(ledger.len())
    }

    fn differs(&self, what: &'static str) -> Error {
        Error::Damaged { name: self.folder.join(tables::NAME), at: 0, what }
    }

    /// Compares the parts of the file that the filter does not use.
    fn compare_checkpoint(&self, checkpoint: &Checkpoint, ledger: &Ledger) -> Result<()> {
        if !ledger.iter().eq(checkpoint.rows()) {
            return Err(self.differs("the learned messages are not those of the journal"));
        }
        if ledger.teachers() != checkpoint.teachers() {
            return Err(self.differs("the teachers are not those of the journal"));
        }
        let cuts = ledger.cuts(checkpoint.settings.ham_lost);
        if checkpoint.rules == cut_rules() && !is_same(&cuts, &checkpoint.cuts) {
            return Err(self.differs("the cuts are not those of the journal"));
        }
        Ok(())
    }

    /// Compares a filter that has replayed the journal.
    fn compare_filter(&self, replayed: &Filter) -> Result<()> {
        if replayed.model() != self.filter.model() {
            return Err(self.differs("the tables are not those of the journal"));
        }
        if replayed.labels() != self.filter.labels() {
            return Err(self.differs("the labels are not those of the journal"));
        }
        if replayed.senders() != self.filter.senders() {
            return Err(self.differs("the counts of senders are not those of the journal"));
        }
        let [replayed, kept] =
            [replayed, &self.filter].map(|filter| filter.neighbours().compacted());
        let listed = |near: &Neighbours| near.messages().into_owned();
        if replayed.heads() != kept.heads() || listed(&replayed) != listed(&kept) {
            return Err(self.differs("the similar messages are not those of the journal"));
        }
        Ok(())
    }
}

/// Whether cuts are the same, apart from the last digits that a text of a number may lose.
fn is_same(left: &Cuts, right: &Cuts) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
    let both = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => close(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    left.missing == right.missing
        && both(left.above, right.above)
        && both(left.below, right.below)
        && close(left.slope, right.slope)
        && close(left.offset, right.offset)
}
