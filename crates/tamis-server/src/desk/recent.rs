//! The last verdicts with their messages, in memory only: so that a person can look at them and correct them.

use crate::config;
use crate::{Error, Result};
use std::collections::VecDeque;
use std::sync::Arc;
use tamis_mail::history;

/// A verdict.
#[derive(Debug, Clone)]
pub struct Held {
    /// What was said.
    pub entry: history::Entry,
    /// The message, while there is room for it.
    pub raw: Option<Arc<[u8]>>,
}

/// The last verdicts.
#[derive(Debug)]
pub struct Recent {
    next: u64,
    most: usize,
    most_bytes: usize,
    bytes: usize,
    held: VecDeque<Held>,
}

impl Recent {
    /// With this room; the first verdict gets the number `next`.
    #[must_use]
    pub fn new(config: &config::Recent, next: u64) -> Self {
        let most_bytes = config.memory_megabytes << 20;
        Self { next, most: config.messages, most_bytes, bytes: 0, held: VecDeque::new() }
    }

    /// The number of the next verdict, at least this one.
    pub fn number(&mut self, least: u64) -> u64 {
        let number = self.next.max(least);
        self.next = number + 1;
        number
    }

    /// Remembers a verdict that has its number.
    pub fn push(&mut self, entry: history::Entry, raw: &[u8]) {
        if self.most == 0 {
            return;
        }
        if self.held.len() == self.most {
            let oldest = self.held.pop_front();
            self.bytes -= oldest.and_then(|held| held.raw).map_or(0, |raw| raw.len());
        }
        let raw = (raw.len() <= self.most_bytes).then(|| Arc::from(raw));
        self.bytes += raw.as_ref().map_or(0, |raw: &Arc<[u8]>| raw.len());
        self.held.push_back(Held { entry, raw });
        for held in &mut self.held {
            if self.bytes <= self.most_bytes {
                break;
            }
            self.bytes -= held.raw.take().map_or(0, |raw| raw.len());
        }
    }

    /// All of them, the newest first.
    pub fn newest(&self) -> impl Iterator<Item = &Held> {
        self.held.iter().rev()
    }

    /// Those with a number greater than `after`, the newest first.
    pub fn after(&self, after: u64) -> impl Iterator<Item = &Held> {
        self.newest().take_while(move |held| held.entry.id > after)
    }

    fn find(&self, id: u64) -> Option<usize> {
        self.held.binary_search_by_key(&id, |held| held.entry.id).ok()
    }

    /// Whether the message of a verdict is there.
    #[must_use]
    pub fn has_message(&self, id: u64) -> bool {
        self.find(id).is_some_and(|index| self.held[index].raw.is_some())
    }

    /// The message of a verdict, and whose store was asked. `is_theirs` tells whether who asks may know.
    ///
    /// # Errors
    /// [`Error::Forgotten`] if it is not remembered any more, or somebody else's.
    pub fn message(
        &self,
        id: u64,
        is_theirs: impl Fn(Option<&str>) -> bool,
    ) -> Result<(Arc<[u8]>, Option<String>)> {
        let held = self.find(id).map(|index| &self.held[index]);
        let held = held.filter(|held| is_theirs(held.entry.user.as_deref()));
        let found = held.and_then(|held| Some((held.raw.clone()?, held.entry.user.clone())));
        found.ok_or(Error::Forgotten { id })
    }

    /// Remembers that a message was taught a label, or that it was taken back; whether it is one of them.
    pub fn teach(&mut self, user: Option<&str>, message: &str, label: Option<&str>) -> bool {
        let mut is_there = false;
        for Held { entry, .. } in &mut self.held {
            if entry.message == message && entry.user.as_deref() == user {
                entry.taught = label.map(str::to_owned);
                is_there = true;
            }
        }
        is_there
    }

    /// Renames the label that messages of some users were taught.
    pub fn relabel(&mut self, from: &str, to: &str, is_theirs: impl Fn(Option<&str>) -> bool) {
        let entries = self.held.iter_mut().map(|held| &mut held.entry);
        let theirs = entries.filter(|entry| is_theirs(entry.user.as_deref()));
        let taught = theirs.filter_map(|entry| entry.taught.as_mut());
        for label in taught.filter(|label| *label == from) {
            to.clone_into(label);
        }
    }

    /// The text of a message with this digest, if it is one of them.
    pub fn find_raw(&self, is_it: impl Fn(&[u8]) -> bool) -> Option<Arc<[u8]>> {
        let mut kept = self.newest().filter_map(|held| held.raw.as_ref());
        kept.find(|raw| is_it(raw)).cloned()
    }
}
