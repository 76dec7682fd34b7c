//! What is remembered of the last verdicts, in memory only: so that a person can look at them and correct them.

use super::Judged;
use crate::config;
use crate::metrics::Source;
use crate::{Error, Result};
use std::collections::VecDeque;
use std::sync::Arc;

/// A verdict.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its number.
    pub id: u64,
    /// When, in seconds since 1970.
    pub time: u64,
    /// How the message came.
    pub source: Source,
    /// Whose store was asked.
    pub user: Option<String>,
    /// What was said.
    pub judged: Judged,
    /// The label that it was taught since.
    pub taught: Option<String>,
    /// The message, while there is room for it.
    pub raw: Option<Arc<Vec<u8>>>,
}

/// The last verdicts.
#[derive(Debug)]
pub struct Recent {
    next: u64,
    most: usize,
    most_bytes: usize,
    bytes: usize,
    entries: VecDeque<Entry>,
}

impl Recent {
    /// With room for so many.
    #[must_use]
    pub fn new(config: &config::Recent) -> Self {
        let most_bytes = config.memory_megabytes << 20;
        let (most, entries) = (config.messages, VecDeque::new());
        Self { next: 1, most, most_bytes, bytes: 0, entries }
    }

    /// Remembers a verdict; its number is returned.
    pub fn push(
        &mut self,
        source: Source,
        user: Option<&str>,
        time: u64,
        judged: Judged,
        raw: &Arc<Vec<u8>>,
    ) -> u64 {
        let id = self.next;
        self.next += 1;
        if self.most == 0 {
            return id;
        }
        if self.entries.len() == self.most {
            let oldest = self.entries.pop_front();
            self.bytes -= oldest.and_then(|entry| entry.raw).map_or(0, |raw| raw.len());
        }
        // A copy, which is not larger than the message.
        let raw = (raw.len() <= self.most_bytes).then(|| Arc::new(raw.to_vec()));
        self.bytes += raw.as_ref().map_or(0, |raw: &Arc<Vec<u8>>| raw.len());
        let user = user.map(str::to_owned);
        self.entries.push_back(Entry { id, time, source, user, judged, taught: None, raw });
        for entry in &mut self.entries {
            if self.bytes <= self.most_bytes {
                break;
            }
            self.bytes -= entry.raw.take().map_or(0, |raw| raw.len());
        }
        id
    }

    /// Those with a number greater than `after`, the newest first.
    pub fn after(&self, after: u64) -> impl Iterator<Item = &Entry> {
        self.entries.iter().rev().take_while(move |entry| entry.id > after)
    }

    fn find(&self, id: u64) -> Option<usize> {
        self.entries.binary_search_by_key(&id, |entry| entry.id).ok()
    }

    /// The message of a verdict, and whose store was asked.
    ///
    /// # Errors
    /// [`Error::Forgotten`] if it is not remembered any more.
    pub fn message(&self, id: u64) -> Result<(Arc<Vec<u8>>, Option<String>)> {
        let entry = self.find(id).map(|index| &self.entries[index]);
        let found = entry.and_then(|entry| Some((entry.raw.clone()?, entry.user.clone())));
        found.ok_or(Error::Forgotten { id })
    }

    /// Remembers that it was taught a label, or that it was taken back.
    pub fn teach(&mut self, id: u64, label: Option<&str>) {
        if let Some(index) = self.find(id) {
            self.entries[index].taught = label.map(str::to_owned);
        }
    }

    /// Renames the label that messages of some users were taught.
    pub fn relabel(&mut self, from: &str, to: &str, is_theirs: impl Fn(Option<&str>) -> bool) {
        let theirs = self.entries.iter_mut().filter(|entry| is_theirs(entry.user.as_deref()));
        let taught = theirs.filter_map(|entry| entry.taught.as_mut());
        for label in taught.filter(|label| *label == from) {
            to.clone_into(label);
        }
    }

    /// The text of a message with this digest, if it is one of them.
    pub fn find_raw(&self, is_it: impl Fn(&[u8]) -> bool) -> Option<Arc<Vec<u8>>> {
        let mut kept = self.entries.iter().rev().filter_map(|entry| entry.raw.as_ref());
        kept.find(|raw| is_it(raw)).cloned()
    }
}
