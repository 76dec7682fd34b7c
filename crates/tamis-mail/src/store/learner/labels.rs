//! Labels of a store.

use super::Learner;
use crate::filter::{MAX_LABELS, SPAM};
use crate::labels::is_name;
use crate::store::record::Record;
use crate::{Error, Result};

impl Learner {
    /// The number of a label, which is added if it is new.
    pub(super) fn label(&mut self, name: &str) -> Result<u8> {
        if let Some(label) = self.filter.label(name) {
            return Ok(label);
        }
        self.check_name(name)?;
        let removed = self.filter.labels().iter().position(|label| label.name.is_none());
        // A lesson that is not delivered yet names its label by the number.
        let is_delivered = self.undelivered().unwrap_or(0) == 0;
        if let Some(index) = removed.filter(|_| is_delivered) {
            // A number that a removed label has left.
            let label = index as u8 + 2;
            self.note(Record::Rename { label, name: name.to_owned() });
            self.filter.rename_label(label, name);
            return Ok(label);
        }
        if self.filter.labels().len() + 2 >= MAX_LABELS {
            return Err(Error::TooManyLabels { most: MAX_LABELS });
        }
        self.note(Record::Label { name: name.to_owned() });
        Ok(self.filter.add_label(name))
    }

    fn check_name(&self, name: &str) -> Result<()> {
        match is_name(name) && self.filter.label(name).is_none() {
            true => Ok(()),
            false => Err(Error::Label { got: name.to_owned() }),
        }
    }

    pub(super) fn note(&mut self, record: Record) {
        self.journal.push(&record);
        self.newer += 1;
    }

    /// The number of a label that can be renamed or removed.
    fn own_label(&self, name: &str) -> Result<u8> {
        let label = self.filter.label(name).filter(|label| *label > SPAM);
        label.ok_or_else(|| Error::NoLabel { got: name.to_owned() })
    }

    /// Gives a label another name. In a store that shares its lessons, it has that name once the shared journal has
    /// the change.
    ///
    /// # Errors
    /// [`Error::NoLabel`] unless there is such a label besides `ham` and `spam`, [`Error::Label`] if the new name is
    /// taken or no name.
    pub fn rename_label(&mut self, from: &str, to: &str) -> Result<()> {
        let label = self.own_label(from)?;
        self.check_name(to)?;
        if self.asks(from, Some(to)) {
            return Ok(());
        }
        self.note(Record::Rename { label, name: to.to_owned() });
        self.filter.rename_label(label, to);
        Ok(())
    }

    /// Removes a label; its messages are ham from then on. How many there were is returned. In a store that shares its
    /// lessons, it is removed once the shared journal has the change.
    ///
    /// # Errors
    /// [`Error::NoLabel`] unless there is such a label besides `ham` and `spam`.
    pub fn remove_label(&mut self, name: &str) -> Result<usize> {
        let label = self.own_label(name)?;
        let messages = self.ledger.iter().filter(|row| row.label == label).count();
        if self.asks(name, None) {
            return Ok(messages);
        }
        self.note(Record::Remove { label });
        self.filter.remove_label(label);
        self.ledger.relabel(label, 0);
        Ok(messages)
    }
}
