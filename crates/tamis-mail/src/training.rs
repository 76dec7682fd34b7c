//! Learning messages of several labels in one call.
//!
//! A message has one label. If the same message ([`crate::identity`]) is found under two
//! labels in one call, nobody knows which of them is meant: it is not learned. What the store knew
//! about it before the call stays. The result is the same whatever the order of the labels.
//!
//! The first copy is learned when it is read and undone when a copy under another label follows,
//! so that messages are read once and standard input is as good as a file. What is learned between
//! the two is learned by a filter that knows the first copy.
//!
//! Cost: one more digest per message, and 16 bytes of memory for each if there are several labels.

use crate::identity;
use crate::mailbox::Tally;
use crate::store::{Change, Learner, OWNER, random_seed};
use crate::{Error, Result};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Messages that are learned together.
#[derive(Debug)]
pub struct Training {
    labels: Vec<String>,
    teacher: String,
    seed: u64,
    /// By half of the digest: two of a million messages share it once in 37 million calls.
    seen: HashMap<u64, Seen>,
    /// Labels that messages had before.
    before: Vec<String>,
    counts: Counts,
}

/// Numbers of messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Learned, and not known before.
    pub learned: u64,
    /// Known under another label before.
    pub moved: u64,
    /// Known under this label before.
    pub known: u64,
    /// Found under two labels, and not learned.
    pub conflicts: Tally,
}

/// What happened to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The store has it under this label.
    Done(Change),
    /// It was found under another label in this call, and is not learned.
    Conflict,
}

/// A message of this call.
#[derive(Debug, Clone, Copy)]
struct Seen {
    label: u16,
    before: Before,
}

/// What the store knew about a message before this call.
#[derive(Debug, Clone, Copy)]
enum Before {
    Nothing,
    SameLabel,
    /// The place of the other label in [`Training::before`].
    OtherLabel(u16),
    /// It was found under two labels, and is again as it was.
    Restored,
}

impl Training {
    /// Messages of these labels.
    #[must_use]
    pub fn new(labels: impl IntoIterator<Item = String>) -> Self {
        Self {
            labels: labels.into_iter().collect(),
            teacher: OWNER.to_owned(),
            seed: random_seed(),
            seen: HashMap::new(),
            before: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// By this teacher instead of the owner.
    #[must_use]
    pub fn by(mut self, teacher: &str) -> Self {
        teacher.clone_into(&mut self.teacher);
        self
    }

    /// Learns a message under the label with this number.
    ///
    /// # Errors
    /// [`Error::TooManyLabels`] for a number without a label, or the error of the store.
    pub fn learn(
        &mut self,
        learner: &mut Learner,
        label: usize,
        name: &str,
        raw: &[u8],
        time: u64,
    ) -> Result<Outcome> {
        let no_label = Error::TooManyLabels { most: self.labels.len() };
        let Some(label_name) = self.labels.get(label) else { return Err(no_label) };
        if self.labels.len() == 1 {
            let change = learner.learn_by(&self.teacher, raw, label_name, time)?;
            self.count(&change);
            return Ok(Outcome::Done(change));
        }
        let label = u16::try_from(label).map_err(|_| no_label)?;
        match self.seen.entry(identity::key(raw, self.seed)) {
            Entry::Occupied(entry) if entry.get().label == label && !entry.get().is_restored() => {}
            Entry::Occupied(mut entry) => {
                let before = std::mem::replace(&mut entry.get_mut().before, Before::Restored);
                self.restore(learner, before, name, raw, time)?;
                return Ok(Outcome::Conflict);
            }
            Entry::Vacant(entry) => {
                let change = learner.learn_by(&self.teacher, raw, label_name, time)?;
                let before = match &change {
                    Change::Learned => Before::Nothing,
                    Change::Known => Before::SameLabel,
                    Change::Moved { from } => Before::OtherLabel(place(&mut self.before, from)),
                };
                entry.insert(Seen { label, before });
                self.count(&change);
                return Ok(Outcome::Done(change));
            }
        }
        self.counts.known += 1;
        Ok(Outcome::Done(Change::Known))
    }

    /// Undoes what this call has learned from a message.
    fn restore(
        &mut self,
        learner: &mut Learner,
        before: Before,
        name: &str,
        raw: &[u8],
        time: u64,
    ) -> Result<()> {
        match before {
            Before::Restored => return Ok(()),
            Before::Nothing => {
                learner.forget(raw)?;
                self.counts.learned -= 1;
            }
            Before::SameLabel => self.counts.known -= 1,
            Before::OtherLabel(place) => {
                if let Some(label) = self.before.get(usize::from(place)) {
                    learner.learn_by(&self.teacher, raw, label, time)?;
                }
                self.counts.moved -= 1;
            }
        }
        self.counts.conflicts.add(|| name.to_owned());
        Ok(())
    }

    fn count(&mut self, change: &Change) {
        match change {
            Change::Learned => self.counts.learned += 1,
            Change::Moved { .. } => self.counts.moved += 1,
            Change::Known => self.counts.known += 1,
        }
    }

    /// What has happened so far.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }
}

impl Seen {
    const fn is_restored(&self) -> bool {
        matches!(self.before, Before::Restored)
    }
}

/// The place of a name in a list, where it is added if it is new.
fn place(names: &mut Vec<String>, name: &str) -> u16 {
    let place = names.iter().position(|other| other == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    // A store has at most 255 labels.
    u16::try_from(place).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Settings, Store};

    const TEXT: &[u8] = b"Subject: a\n\nthe same text under two labels\n";

    fn labels(store: &std::path::Path) -> Vec<(String, usize)> {
        let mut labels = Store::open(store).unwrap().info().unwrap().labels;
        labels.retain(|(_, count)| *count > 0);
        labels
    }

    /// Learns these messages and gives the counts, and the labels of the store.
    fn learned(
        folder: &std::path::Path,
        messages: &[(usize, &[u8])],
    ) -> (Counts, Vec<(String, usize)>) {
        let mut learner = Learner::open(folder)
            .or_else(|_| Learner::create(folder, 10, 1, Settings::default()))
            .unwrap();
        let mut training = Training::new(["spam".to_owned(), "ham".to_owned()]);
        for (label, raw) in messages {
            training.learn(&mut learner, *label, "name", raw, 0).unwrap();
        }
        learner.close().unwrap();
        (training.counts().clone(), labels(folder))
    }

    #[test]
    fn a_message_under_two_labels_is_not_learned() {
        let delivered = [b"Received: x\r\n", TEXT].concat();
        let other = b"Subject: b\n\nanother text\n".as_slice();
        for order in [[0, 1, 0, 1], [1, 0, 0, 1], [1, 0, 1, 1]] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("store");
            let [a, b, c, d] = order;
            let messages = [(a, TEXT), (0, other), (b, &delivered), (c, TEXT), (d, &delivered)];
            let (counts, labels) = learned(&path, &messages);
            assert_eq!(counts.conflicts.count, 1);
            assert_eq!((counts.learned, counts.moved, counts.known), (1, 0, 0));
            assert_eq!(labels, [("spam".to_owned(), 1)]);
            Store::open(&path).unwrap().verify().unwrap();
        }
    }

    #[test]
    fn what_was_known_before_a_conflict_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        learned(&path, &[(1, TEXT)]);
        for order in [[0, 1], [1, 0]] {
            let (counts, labels) = learned(&path, &order.map(|label| (label, TEXT)));
            assert_eq!((counts.conflicts.count, counts.moved, counts.known), (1, 0, 0));
            assert_eq!(labels, [("ham".to_owned(), 1)]);
        }
        let (counts, labels) = learned(&path, &[(0, TEXT), (0, TEXT)]);
        assert_eq!((counts.moved, counts.known, counts.conflicts.count), (1, 1, 0));
        assert_eq!(labels, [("spam".to_owned(), 1)]);
    }
}
