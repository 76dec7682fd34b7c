//! Learning that happens by itself: which messages teach without anybody's word, and how many of them in a day.
//!
//! 1. A guess is a lesson of the teacher [`AUTOLEARN`]: it changes nothing that somebody has taught, and all of them can be
//!    taken back at once.
//! 2. No more than half of a day's guesses are spam, and no more than half ham.
//! 3. The lessons of the day are counted in the store: a restart does not renew the budget.

use super::{Judged, Mail, Shelf};
use crate::Result;
use crate::config::Autolearn;
use crate::metrics::{Outcome, Source};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tamis_mail::filter::HAM;
use tamis_mail::store::AUTOLEARN;

/// Larger messages teach nothing by themselves.
pub(crate) const LARGEST: usize = 256 << 10;

const DAY: u64 = 24 * 60 * 60;

/// What was guessed today, by user.
#[derive(Debug, Default)]
pub struct Guesses {
    days: Mutex<HashMap<String, Day>>,
}

/// Guesses of a day: ham, spam.
#[derive(Debug, Clone, Copy)]
struct Day {
    day: u64,
    counts: [usize; 2],
}

/// The label that a verdict teaches by itself.
pub(crate) fn label(config: &Autolearn, mail: &Mail<'_>, judged: &Judged) -> Option<&'static str> {
    // What somebody only asks about was perhaps never delivered.
    if !config.enabled || mail.source == Source::Http {
        return None;
    }
    if mail.login.is_some() {
        return config.sent.then_some(HAM);
    }
    if judged.reasons.first().is_some_and(|reason| reason.stage == "list") {
        return None;
    }
    match judged.outcome {
        Outcome::Spam if judged.probability >= config.spam_from => Some("spam"),
        Outcome::Ham if judged.verdict == HAM && judged.probability <= config.ham_to => Some(HAM),
        _ => None,
    }
}

impl Guesses {
    /// Takes one guess out of the budget of today; false if there is none left.
    ///
    /// # Errors
    /// What the store says.
    pub(crate) fn take(
        &self,
        shelf: &Shelf,
        user: &str,
        label: &str,
        per_day: usize,
        now: u64,
    ) -> Result<bool> {
        let (day, class) = (now / DAY, usize::from(label == "spam"));
        let known = {
            let days = self.days.lock().unwrap_or_else(PoisonError::into_inner);
            days.get(user).copied().filter(|known| known.day == day)
        };
        let counted = match known {
            Some(_) => None,
            None => Some(shelf.with_store(|store| {
                store.map_or(Ok([0; 2]), |store| store.taught_since(AUTOLEARN, day * DAY))
            })??),
        };
        let mut days = self.days.lock().unwrap_or_else(PoisonError::into_inner);
        let today = days.entry(user.to_owned()).or_insert(Day { day: 0, counts: [0; 2] });
        if let Some(counts) = counted.filter(|_| today.day != day) {
            *today = Day { day, counts };
        }
        let is_left = today.counts[class] < per_day.div_ceil(2);
        today.counts[class] += usize::from(is_left);
        Ok(is_left)
    }

    /// Gives a guess back that has changed nothing.
    pub(crate) fn give_back(&self, user: &str, label: &str) {
        let mut days = self.days.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(today) = days.get_mut(user) {
            let count = &mut today.counts[usize::from(label == "spam")];
            *count = count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Beliefs;
    use crate::lists::Lists;

    #[test]
    fn only_clear_verdicts_on_delivered_mail_teach() {
        let lists = Lists::default();
        let beliefs = Beliefs { lists: &lists, hosts: &[] };
        let mut judged = Judged::new(None, b"Subject: x\r\n\r\nx\r\n", beliefs).expect("a verdict");
        let mail = Mail::of(Source::Spamd, None);
        let on = Autolearn { enabled: true, ..Autolearn::default() };
        assert_eq!(label(&on, &mail, &judged), None, "unsure");
        for (outcome, verdict, probability, expected) in [
            (Outcome::Spam, "spam", 0.9999, Some("spam")),
            (Outcome::Spam, "spam", 0.99, None),
            (Outcome::Ham, "ham", 0.0001, Some("ham")),
            (Outcome::Ham, "ham", 0.01, None),
            (Outcome::Ham, "news", 0.0001, None),
        ] {
            judged.outcome = outcome;
            verdict.clone_into(&mut judged.verdict);
            judged.probability = probability;
            assert_eq!(label(&on, &mail, &judged), expected, "{verdict} {probability}");
            assert_eq!(label(&Autolearn::default(), &mail, &judged), None, "it is off");
            let asked = Mail::of(Source::Http, None);
            assert_eq!(label(&on, &asked, &judged), None, "only asked about");
            let sent = Mail { login: Some("anne"), ..mail };
            assert_eq!(label(&on, &sent, &judged), Some("ham"), "sent by the owner");
        }
    }
}
