//! Stores of version 1, as the first release of the mail filter wrote them.
//!
//! Version 1 had one table of words for each label. Its tables are of no use here, but its journal
//! has everything that was learned: word places, sender and signature of each message. Reading it
//! gives the live messages in the order of learning, and they are learned again, by
//! [`super::Store::open`] in memory and by [`super::Learner::open`] for good.
//!
//! Ordinary words fall into the same places in both versions. The other stages know nothing of these
//! messages. [`digest`] is how version 1 told messages apart: exact copies apart from CR.
//!
//! Cost: opening a store of version 1 learns all of its messages, about 50 microseconds each. The
//! first process that learns converts the store.

mod record;

pub(super) use record::Message;

use super::checkpoint::Settings;
use super::journal::{Identity, Journal};
use super::ledger::Ledger;
use super::record::{Digest, Learn};
use super::tables::{Description, Tables};
use crate::filter::{Filter, HAM, MAX_LABELS, SPAM};
use crate::labels::is_name;
use crate::model::BITS;
use crate::stages::Stage;
use crate::{Error, Result};
use record::Record;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use tamis::hash::KeyHash;

/// Version of the tables, of the journal and of the features.
pub(super) const VERSION: u16 = 1;

/// What version 1 kept as JSON, as far as it is of use.
#[derive(Debug, Deserialize)]
struct Small {
    settings: Settings,
}

/// A store of version 1.
#[derive(Debug)]
pub(super) struct Old {
    tables: Tables,
    pub journal: Journal,
    pub settings: Settings,
    /// The name of each label, `ham` first.
    names: Vec<String>,
    /// Where the records of the live messages are.
    messages: Vec<u64>,
    /// Where the last whole record ends.
    pub end: u64,
}

impl Old {
    /// Opens a store; none if its tables are of a later version.
    pub fn open(folder: &Path) -> Result<Option<Self>> {
        let tables = Tables::open(folder)?;
        if tables.version != VERSION {
            return Ok(None);
        }
        let (described, seed) = (tables.described, tables.seed);
        let Description { bits, generation, .. } = described;
        if described.features != VERSION || !BITS.contains(&bits) {
            return Err(tables.damaged("the size of its tables is absurd"));
        }
        let small: Small = tables
            .small()
            .and_then(|json| serde_json::from_slice(json).ok())
            .ok_or_else(|| tables.damaged("its settings cannot be read"))?;
        let journal = Journal::open_versions(folder, generation, VERSION..=VERSION)?;
        if journal.identity() != (Identity { features: VERSION, bits, seed, generation }) {
            let name = journal.path().to_owned();
            return Err(Error::Damaged { name, at: 0, what: "it belongs to another store" });
        }
        let settings = small.settings;
        let (names, messages) = (vec![HAM.to_owned()], Vec::new());
        let mut old = Self { tables, journal, settings, names, messages, end: 0 };
        old.read()?;
        if old.end < described.journal {
            let name = old.journal.path().to_owned();
            return Err(Error::Damaged { name, at: old.end, what: "its end is missing" });
        }
        Ok(Some(old))
    }

    /// Reads the journal: which messages are there, and the names of labels.
    fn read(&mut self) -> Result<()> {
        let mut order: Vec<Option<u64>> = Vec::new();
        let mut numbers: HashMap<Digest, usize> = HashMap::new();
        let mut names = Vec::new();
        let end = self.journal.for_each_bytes(Journal::start()..u64::MAX, |offset, bytes| {
            let record = Record::read(bytes)?;
            if let Record::Learn(Message { digest, .. }) | Record::Forget(digest) = &record
                && let Some(number) = numbers.remove(digest)
            {
                order[number] = None;
            }
            match record {
                Record::Learn(Message { digest, .. }) => {
                    numbers.insert(digest, order.len());
                    order.push(Some(offset));
                }
                Record::Label { name } => names.push(name),
                Record::Forget(_) => {}
            }
            Some(())
        })?;
        self.names.extend(names.iter().map(|name| usable(name).into_owned()));
        self.messages = order.into_iter().flatten().collect();
        self.end = end;
        Ok(())
    }

    /// What all its messages have in common.
    pub const fn identity(&self) -> Identity {
        self.journal.identity()
    }

    /// How many messages it knows.
    pub fn messages(&self) -> usize {
        self.messages.len()
    }

    /// Bytes of its tables.
    pub fn size(&self) -> u64 {
        self.tables.size()
    }

    /// Compares the checksum of the tables. All records were read when the store was opened.
    pub fn verify(&self) -> Result<()> {
        self.tables.verify()
    }

    /// Calls `visit` with each live message, its label and its place in the journal.
    pub fn for_each(&self, mut visit: impl FnMut(&str, &Message, u64) -> Result<()>) -> Result<()> {
        for offset in &self.messages {
            let bytes = self.journal.read_bytes(*offset)?;
            let damaged = || Error::Damaged {
                name: self.journal.path().to_owned(),
                at: *offset,
                what: "no message was learned there",
            };
            let Some(Record::Learn(mut message)) = Record::read(&bytes) else {
                return Err(damaged());
            };
            let label = self.names.get(usize::from(message.label)).ok_or_else(damaged)?;
            let limit = 1 << self.identity().bits;
            message.traits.places[Stage::Words as usize].retain(|place| *place < limit);
            visit(label, &message, *offset)?;
        }
        Ok(())
    }

    /// A filter and a ledger that have learned all messages.
    pub fn learned(&self) -> Result<(Filter, Ledger)> {
        let mut filter = Filter::new(self.identity().bits);
        let mut ledger = Ledger::default();
        self.for_each(|name, message, offset| {
            let Message { digest, time, traits, .. } = message;
            let label = match filter.label(name) {
                Some(label) => label,
                None if filter.labels().len() + usize::from(SPAM) + 1 < MAX_LABELS => {
                    filter.add_label(name)
                }
                None => return Err(Error::TooManyLabels { most: MAX_LABELS }),
            };
            let learned = filter.learn(traits, label, *digest, *time);
            let (digest, time, traits) = (*digest, *time, traits.clone());
            let (teacher, replaces) = (0, false);
            let learn = Learn { digest, time, label, teacher, replaces, traits, learned };
            ledger.push(&learn, offset);
            Ok(())
        })?;
        filter.set_cuts(ledger.cuts(self.settings.ham_lost));
        Ok((filter, ledger))
    }
}

/// The name that a label has today: version 1 allowed names that mean a verdict.
pub(super) fn usable(name: &str) -> Cow<'_, str> {
    match matches!(name, HAM | "spam") || is_name(name) {
        true => name.into(),
        false => format!("label-{name}").into(),
    }
}

/// The digest of a message in version 1: of all its bytes but CR.
pub(super) fn digest(raw: &[u8], seed: u64) -> Digest {
    let mut lines = Cow::Borrowed(raw);
    if memchr::memchr(b'\r', raw).is_some() {
        lines.to_mut().retain(|byte| *byte != b'\r');
    }
    let mut digest = [0; 16];
    digest[..8].copy_from_slice(&KeyHash::new(seed).bytes(&lines).to_le_bytes());
    digest[8..].copy_from_slice(&KeyHash::new(!seed).bytes(&lines).to_le_bytes());
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_named_like_a_verdict_has_another_name() {
        let names = ["ham", "spam", "social", "unsure", "SPAM"].map(usable);
        assert_eq!(names, ["ham", "spam", "social", "label-unsure", "label-SPAM"]);
    }

    #[test]
    fn a_digest_of_version_1_ignores_nothing_but_cr() {
        assert_eq!(digest(b"a: b\r\n\r\nc\r\n", 7), digest(b"a: b\n\nc\n", 7));
        assert_ne!(digest(b"a: b\n\nc\n", 7), digest(b"Received: x\na: b\n\nc\n", 7));
    }
}
