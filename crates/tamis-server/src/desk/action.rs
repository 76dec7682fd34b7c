//! What becomes of a message by its verdict.

use crate::config::Milter;
use crate::metrics::Source;

/// What becomes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Action {
    /// The verdict is told, and the client decides.
    #[default]
    Report,
    /// It is delivered with a verdict other than spam.
    Pass,
    /// It is delivered, marked as spam.
    Tag,
    /// The mail server holds it.
    Quarantine,
    /// The mail server refuses it.
    Reject,
    /// It could not be judged, and its sender tries again.
    Defer,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Report, Self::Pass, Self::Tag, Self::Quarantine, Self::Reject, Self::Defer];

    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Pass => "pass",
            Self::Tag => "tag",
            Self::Quarantine => "quarantine",
            Self::Reject => "reject",
            Self::Defer => "defer",
        }
    }

    /// For a message that is delivered with its verdict.
    #[must_use]
    pub const fn of_marked(is_spam: bool) -> Self {
        if is_spam { Self::Tag } else { Self::Pass }
    }

    /// For a message of a mail server.
    #[must_use]
    pub fn of_mail(config: &Milter, is_spam: bool, probability: f64) -> Self {
        let reaches = |from: Option<f64>| is_spam && from.is_some_and(|from| probability >= from);
        match () {
            () if reaches(config.reject_from) => Self::Reject,
            () if reaches(config.quarantine_from) => Self::Quarantine,
            () => Self::of_marked(is_spam),
        }
    }
}

/// A message that came, and what is known about it beside its text.
#[derive(Debug, Clone, Copy)]
pub struct Mail<'a> {
    /// How it came.
    pub source: Source,
    /// Whose store is asked.
    pub user: Option<&'a str>,
    /// The addresses that it is delivered to, if they are known.
    pub recipients: &'a [String],
    /// The name that the mail server has given it.
    pub queue_id: Option<&'a str>,
    /// Whether it is returned with marks.
    pub is_marked: bool,
}

impl<'a> Mail<'a> {
    /// A message of which nothing else is known.
    #[must_use]
    pub const fn of(source: Source, user: Option<&'a str>) -> Self {
        Self { source, user, recipients: &[], queue_id: None, is_marked: false }
    }

    /// What becomes of it.
    #[must_use]
    pub fn action(&self, config: &Milter, is_spam: bool, probability: f64) -> Action {
        match self.source {
            Source::Milter => Action::of_mail(config, is_spam, probability),
            _ if self.is_marked => Action::of_marked(is_spam),
            _ => Action::Report,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_spam_is_held_or_refused() {
        let (quarantine_from, reject_from) = (Some(0.9), Some(0.99));
        let config = Milter { quarantine_from, reject_from, ..Milter::default() };
        for (is_spam, probability, expected) in [
            (true, 0.8, Action::Tag),
            (true, 0.9, Action::Quarantine),
            (true, 0.99, Action::Reject),
            (false, 0.999, Action::Pass),
        ] {
            assert_eq!(Action::of_mail(&config, is_spam, probability), expected);
        }
        assert_eq!(Action::of_mail(&Milter::default(), true, 1.0), Action::Tag);
    }
}
