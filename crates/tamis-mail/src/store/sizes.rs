//! How many bytes a store takes, without writing it: for evaluations.

use super::ledger::Row;
use super::record::{Learn, Record};
use crate::filter::{Filter, Learned};
use crate::neighbours::Neighbour;
use crate::stages::Stage;
use crate::table::kept::Parts;
use crate::table::{Table, Value};
use crate::traits::Traits;

/// Bytes of a message in the journal.
pub(crate) fn recorded_size(traits: &Traits, learned: &Learned) -> u64 {
    let traits = traits.clone().without_unlearned(&learned.surprises);
    let learned = *learned;
    let (digest, time, label, teacher, replaces) = ([0; 16], 0, 0, 0, false);
    let learn = Learn { digest, time, label, teacher, replaces, traits, learned };
    Record::Learn(learn).write().as_bytes().len() as u64 + 16
}

/// Bytes of a store with this filter, number of messages and length of the journal.
pub(crate) fn bytes_of(filter: &Filter, messages: usize, journal: u64) -> u64 {
    let model = filter.model();
    let mut tables = size_in_file(model.masses().cells());
    tables +=
        Stage::ALL.map(|stage| size_in_file(model.correction(stage).cells())).iter().sum::<usize>();
    tables += filter.labels().iter().map(|label| size_in_file(label.cells())).sum::<usize>();
    let near = filter.neighbours();
    tables += size_in_file(filter.senders().counters()) + size_in_file(near.heads());
    let rows = messages * size_of::<Row>();
    (tables + rows + near.len() * size_of::<Neighbour>()) as u64 + journal
}

fn size_in_file<T: Value>(table: &Table<T>) -> usize {
    Parts::of(table).shape.sizes().iter().sum()
}
