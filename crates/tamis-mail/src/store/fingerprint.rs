//! Whether two stores know the same.

use super::Store;
use crate::Result;
use crate::stages::Stage;
use crate::table::{Table, Value};
use tamis::codec::Parameters;
use tamis::hash::KeyHash;

impl Store {
    /// A hash of all that the store knows: its messages in their order with labels, teachers and surprises, and every
    /// table. Stores that share their lessons have the same one when none of them is behind, whatever the numbers of
    /// their labels and the places of their records are.
    ///
    /// # Errors
    /// As [`Store::info`].
    pub fn fingerprint(&self) -> Result<u64> {
        let filter = self.filter();
        let ledger = self.ledger()?;
        let name = |label: u8| filter.name(label).as_bytes();
        let mut out = Parameters::new();
        for row in ledger.iter() {
            let teacher = ledger.teacher_name(row.teacher);
            out = out.bytes(&row.digest).u64(row.time).bytes(&row.score.to_le_bytes());
            out = out.bytes(&row.surprises).bytes(name(row.label)).u8(0);
            out = out.bytes(teacher.as_bytes()).u8(0);
        }
        out = table(out, filter.model().masses().cells());
        for stage in Stage::ALL {
            out = table(out, filter.model().correction(stage).cells());
        }
        out = table(out, filter.senders().counters());
        for message in filter.neighbours().iter() {
            let label = u8::try_from(message.label()).unwrap_or(0);
            out = out.bytes(&message.digest).u64(message.time).bytes(&message.signature);
            out = out.bytes(name(label)).u8(0);
        }
        let mut labels: Vec<_> = filter.labels().iter().collect();
        labels.retain(|label| label.name.is_some() && label.totals().messages > 0);
        labels.sort_by_key(|label| label.name.clone());
        for label in labels {
            out = out.bytes(label.name.as_deref().unwrap_or_default().as_bytes()).u8(0);
            out = table(out, label.cells());
        }
        Ok(KeyHash::default().bytes(out.as_bytes()))
    }
}

/// Appends the numbers of a table that are not zero, with their places.
fn table<T: Value>(mut out: Parameters, table: &Table<T>) -> Parameters {
    for (place, value) in table.to_vec().into_iter().enumerate() {
        if value != T::default() {
            let [first, second] = value.fields();
            out = out.u64(place as u64).bytes(&first.to_le_bytes()).bytes(&second.to_le_bytes());
        }
    }
    out
}
