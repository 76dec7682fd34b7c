//! Which entries are wanted.

use super::entry::subject_hash;
use super::{Action, Entry};

/// What an entry must fulfil. What is none does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Given at this time or later, in seconds since 1970.
    pub since: Option<u64>,
    /// Given before this time.
    pub until: Option<u64>,
    /// A part of the sender, in any case.
    pub from: Option<String>,
    /// The verdict.
    pub verdict: Option<String>,
    /// What became of the message.
    pub action: Option<Action>,
    /// A part of sender, subject or a reason, in any case; or the whole subject where its hash is kept.
    pub text: Option<String>,
    /// Whose store judged it.
    pub user: Option<String>,
}

/// The same, ready to be used on many entries.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    wanted: &'a Wanted,
    from: Option<String>,
    text: Option<String>,
    subject_hash: Option<String>,
}

impl Wanted {
    /// Whether an entry is wanted; `seed` is that of the history.
    #[must_use]
    pub fn matches(&self, entry: &Entry, seed: u64) -> bool {
        self.prepared(seed).matches(entry)
    }

    pub(super) fn prepared(&self, seed: u64) -> Prepared<'_> {
        Prepared {
            wanted: self,
            from: self.from.as_ref().map(|from| from.to_lowercase()),
            text: self.text.as_ref().map(|text| text.to_lowercase()),
            subject_hash: self.text.as_ref().map(|text| subject_hash(text, seed)),
        }
    }
}

impl Prepared<'_> {
    pub fn matches(&self, entry: &Entry) -> bool {
        let Wanted { since, until, verdict, action, user, .. } = self.wanted;
        let has = |text: &str, part: &str| text.to_lowercase().contains(part);
        let says = |part: &String| {
            has(&entry.from, part)
                || entry.subject.as_ref().is_some_and(|subject| has(subject, part))
                || entry.reasons.iter().any(|reason| has(reason, part))
                || entry.subject_hash.is_some() && entry.subject_hash == self.subject_hash
        };
        since.is_none_or(|since| entry.time >= since)
            && until.is_none_or(|until| entry.time < until)
            && verdict.as_ref().is_none_or(|verdict| *verdict == entry.verdict)
            && action.is_none_or(|action| action == entry.action)
            && user.as_ref().is_none_or(|user| entry.user.as_ref() == Some(user))
            && self.from.as_ref().is_none_or(|from| has(&entry.from, from))
            && self.text.as_ref().is_none_or(says)
    }
}
