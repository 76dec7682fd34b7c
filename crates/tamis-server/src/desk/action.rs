//! What becomes of a message by its verdict.

use crate::config::Milter;
use crate::metrics::Source;
use tamis_mail::history::Action;

/// What becomes of a message that is returned with its verdict.
const fn of_marked(is_spam: bool) -> Action {
    if is_spam { Action::Tagged } else { Action::Delivered }
}

/// What becomes of a message of a mail server.
fn of_mail(config: &Milter, is_spam: bool, probability: f64) -> Action {
    let reaches = |from: Option<f64>| is_spam && from.is_some_and(|from| probability >= from);
    match () {
        () if reaches(config.reject_from) => Action::Rejected,
        () if reaches(config.quarantine_from) => Action::Quarantined,
        () => of_marked(is_spam),
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
    /// Who has logged in to send it.
    pub login: Option<&'a str>,
}

impl<'a> Mail<'a> {
    /// A message of which nothing else is known.
    #[must_use]
    pub const fn of(source: Source, user: Option<&'a str>) -> Self {
        Self { source, user, recipients: &[], queue_id: None, login: None }
    }

    /// What becomes of it.
    #[must_use]
    pub fn action(&self, config: &Milter, is_spam: bool, probability: f64) -> Action {
        match self.source {
            Source::Milter => of_mail(config, is_spam, probability),
            // The client marks what it is told to be spam, or does something harsher with it.
            Source::Spamd => of_marked(is_spam),
            Source::Http => Action::None,
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
            (true, 0.8, Action::Tagged),
            (true, 0.9, Action::Quarantined),
            (true, 0.99, Action::Rejected),
            (false, 0.999, Action::Delivered),
        ] {
            assert_eq!(of_mail(&config, is_spam, probability), expected);
        }
        assert_eq!(of_mail(&Milter::default(), true, 1.0), Action::Tagged);
    }
}
