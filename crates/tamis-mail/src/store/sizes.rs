//! How many bytes a store takes, without writing it: for evaluations.

use super::ledger::Row;
use super::record::{Learn, Record};
use crate::filter::{Filter, Learned};
use crate::neighbours::Neighbour;
use crate::stages::Stage;
use crate::traits::Traits;

/// Bytes of a message in the journal.
pub(crate) fn recorded_size(traits: &Traits, learned: &Learned) -> u64 {
    let traits = traits.clone().without_unlearned(&learned.surprises);
    let learned = *learned;
    let learn = Learn { digest: [0; 16], time: 0, label: 0, replaces: false, traits, learned };
    Record::Learn(learn).write().as_bytes().len() as u64 + 16
}

/// Bytes of a store with this filter, number of messages and length of the journal.
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
    let rows = messages * size_of::<Row>();
    (fixed + rows + near.len() * size_of::<Neighbour>()) as u64 + journal
}
