//! The verdicts that were given: the last ones with their messages in memory, all of them on disk if that is wanted.

use super::{Held, Judged, Recent};
use crate::config;
use crate::metrics::Source;
use crate::{Error, Result, log};
use serde_json::json;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis_mail::history::{Action, Entry, History, Page, Settings, Wanted, folder_in, message_id};
use tamis_mail::store::random_seed;

/// All verdicts that can be looked at.
#[derive(Debug)]
pub struct Verdicts {
    recent: Mutex<Recent>,
    disk: Option<History>,
    /// Of the identity of messages.
    seed: u64,
    /// Whether the last one could not be written.
    is_failing: AtomicBool,
}

impl Verdicts {
    /// Those of the store, or of the stores, in a folder.
    ///
    /// # Errors
    /// What the history says.
    pub fn open(
        recent: &config::Recent,
        history: &config::History,
        store: &Path,
        now: u64,
    ) -> Result<Self> {
        let settings = Settings {
            days: history.days,
            bytes: history.megabytes << 20,
            subjects: history.subjects,
        };
        let disk = match history.days {
            0 => None,
            _ => Some(History::open(&folder_in(store), settings, now)?),
        };
        let next = disk.as_ref().map_or(1, History::next_id);
        let seed = disk.as_ref().map_or_else(random_seed, History::seed);
        let recent = Mutex::new(Recent::new(recent, next));
        Ok(Self { recent, disk, seed, is_failing: AtomicBool::new(false) })
    }

    /// Whether they are on disk.
    #[must_use]
    pub const fn is_on_disk(&self) -> bool {
        self.disk.is_some()
    }

    /// Which message it is, for [`Self::teach`].
    #[must_use]
    pub fn message_id(&self, raw: &[u8]) -> String {
        message_id(raw, self.seed)
    }

    /// Records a verdict; its number is returned.
    pub fn record(
        &self,
        source: Source,
        user: Option<&str>,
        time: u64,
        (judged, raw): (&Judged, &[u8]),
        action: Action,
    ) -> u64 {
        let mut entry = Entry {
            id: 0,
            time,
            source: source.name().to_owned(),
            user: user.map(str::to_owned),
            message: message_id(raw, self.seed),
            from: judged.from.clone(),
            subject: Some(judged.subject.clone()),
            subject_hash: None,
            verdict: judged.verdict.clone(),
            probability: judged.probability,
            score: judged.score,
            reasons: judged.reasons.iter().map(ToString::to_string).collect(),
            action,
            taught: None,
        };
        // Numbers are in the order of the file.
        let mut recent = self.recent();
        entry.id = recent.number(self.disk.as_ref().map_or(0, History::next_id));
        if let Some(disk) = &self.disk {
            self.tell_failure(disk.append(&entry));
        }
        let id = entry.id;
        recent.push(entry, raw);
        id
    }

    /// Remembers that a message was taught a label, or taken back, if there is a verdict on it.
    pub fn teach(&self, user: Option<&str>, message: &str, label: Option<&str>, time: u64) {
        let is_there = self.recent().teach(user, message, label);
        if let (true, Some(disk)) = (is_there, &self.disk) {
            self.tell_failure(disk.correct(user, message, label, time));
        }
    }

    /// The newest that fulfil a filter; with `before`, those with smaller numbers only.
    ///
    /// # Errors
    /// What the history says.
    pub fn search(&self, filter: &Wanted, before: Option<u64>, most: usize) -> Result<Page> {
        if let Some(disk) = &self.disk {
            return Ok(disk.search(filter, before, most)?);
        }
        let recent = self.recent();
        let entries = recent.newest().map(|Held { entry, .. }| entry);
        let wanted = entries.filter(|entry| {
            before.is_none_or(|before| entry.id < before) && filter.matches(entry, self.seed)
        });
        let mut entries: Vec<Entry> = wanted.take(most + 1).cloned().collect();
        let has_more = entries.len() > most;
        entries.truncate(most);
        let next = entries.last().filter(|_| has_more).map(|last| last.id);
        Ok(Page { entries, next, damaged: 0 })
    }

    /// Removes from disk what is older than the days that are kept.
    pub fn expire(&self, now: u64) {
        if let Some(disk) = &self.disk {
            self.tell_failure(disk.expire(now));
        }
    }

    /// The last ones.
    pub fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A verdict is given whether or not it can be written; the log says when that begins and ends.
    fn tell_failure(&self, written: tamis_mail::Result<()>) {
        let failed = written.is_err();
        if self.is_failing.swap(failed, Relaxed) == failed {
            return;
        }
        match written {
            Err(error) => log::line("history", json!({ "error": Error::from(error).sentence() })),
            Ok(()) => log::line("history", json!({ "written": true })),
        }
    }
}
