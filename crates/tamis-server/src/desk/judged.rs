//! A verdict as every port reports it. Probability, score and points always speak about spam, whatever label a
//! message has.
//!
//! - Without a store (a user who never taught anything) only the suspicious facts of the message count, as in an
//!   empty store.
//! - An empty message has no evidence: it is unsure, with probability 0.5 and the one reason [`EMPTY`].

use crate::metrics::Outcome;
use std::time::Duration;
use tamis_mail::cuts::{Cuts, Side};
use tamis_mail::explain::{Reason, reasons};
use tamis_mail::filter::{HAM, Verdict};
use tamis_mail::headers::Remarks;
use tamis_mail::mailbox::{EMPTY, is_empty};
use tamis_mail::message::{Message, Section};
use tamis_mail::stages::head::Head;
use tamis_mail::stages::prior::{Suspicion, Suspicions};
use tamis_mail::store::Store;

/// The threshold of `spamc`: a message with at least this many points is spam.
pub const POINTS_OF_SPAM: f64 = 5.0;

/// What is said about a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// A label, `ham` or `unsure`.
    pub verdict: String,
    /// The verdict as it is counted.
    pub outcome: Outcome,
    /// The most probable label.
    pub label: String,
    /// The probability that it is spam.
    pub probability: f64,
    /// The score that the cuts are compared with.
    pub score: f64,
    /// The score in points, such that spam begins at [`POINTS_OF_SPAM`].
    pub points: f64,
    /// Whether the verdict is `spam` and no other label.
    pub is_spam: bool,
    /// Why, the weightiest first.
    pub reasons: Vec<Reason>,
    /// The sender's address, or the `From` field if it has none.
    pub from: String,
    /// The subject.
    pub subject: String,
    /// How long it took.
    pub took: Duration,
}

impl Judged {
    /// Judges a message, given as its bytes; `store` is none if nothing was ever learned.
    #[must_use]
    pub fn new(store: Option<&Store>, raw: &[u8]) -> Self {
        if is_empty(raw) {
            return Self::unsure(0.5, 0.0, 0.0, vec![Reason::of_verdict(EMPTY)]);
        }
        let message = Message::parse(raw);
        let judged = match store {
            Some(store) => Self::by(store, &message),
            None => Self::unlearned(&message),
        };
        let first = |wanted: Section| {
            let mut sections = message.sections().filter(|(section, _)| *section == wanted);
            sections.next().map(|(_, text)| shortened(text)).unwrap_or_default()
        };
        Self {
            from: message.sender().map_or_else(|| first(Section::From), shortened),
            subject: first(Section::Subject),
            ..judged
        }
    }

    /// Judges a message by what a store has learned.
    fn by(store: &Store, message: &Message<'_>) -> Self {
        let filter = store.filter();
        let (traits, judgement) = store.judge(message);
        Self {
            verdict: filter.verdict(judgement.verdict).to_owned(),
            outcome: match judgement.verdict {
                verdict if verdict.is_spam() => Outcome::Spam,
                Verdict::Label(_) | Verdict::Ham => Outcome::Ham,
                Verdict::Unsure => Outcome::Unsure,
            },
            label: filter.name(judgement.label).to_owned(),
            probability: judgement.probability,
            score: judgement.score,
            points: judgement.score - filter.cuts().lowest_spam() + POINTS_OF_SPAM,
            is_spam: judgement.verdict.is_spam(),
            reasons: reasons(store, message, &traits, &judgement),
            from: String::new(),
            subject: String::new(),
            took: Duration::ZERO,
        }
    }

    /// Judges a message by its suspicious facts alone.
    fn unlearned(message: &Message<'_>) -> Self {
        let cuts = Cuts::unknown();
        let suspicions = Suspicions::of(message, &Head::of(message));
        let score = suspicions.weight();
        let mut reasons = vec![Reason::of_verdict(match score > 0.0 {
            true => "looks suspicious; nothing was learned so far",
            false => "nothing was learned so far",
        })];
        if score > 0.0 {
            let text = suspicions.iter().map(Suspicion::text).collect::<Vec<_>>().join(", ");
            reasons.push(Reason { stage: "structure", weight: score, text });
        }
        let points = score - cuts.lowest_spam() + POINTS_OF_SPAM;
        Self::unsure(cuts.probability(score, Side::Between), score, points, reasons)
    }

    /// The verdict `unsure`.
    fn unsure(probability: f64, score: f64, points: f64, reasons: Vec<Reason>) -> Self {
        Self {
            verdict: "unsure".to_owned(),
            outcome: Outcome::Unsure,
            label: if probability > 0.5 { "spam" } else { HAM }.to_owned(),
            probability,
            score,
            points,
            is_spam: false,
            reasons,
            from: String::new(),
            subject: String::new(),
            took: Duration::ZERO,
        }
    }

    /// The main reason.
    #[must_use]
    pub fn reason(&self) -> String {
        self.reasons.first().map(ToString::to_string).unwrap_or_default()
    }

    /// What is written into the message.
    #[must_use]
    pub fn remarks(&self) -> Remarks {
        Remarks {
            verdict: self.verdict.clone(),
            probability: self.probability,
            reason: self.reason(),
        }
    }
}

/// The start of a text, on one line.
fn shortened(text: &str) -> String {
    let start = &text[..text.floor_char_boundary(300)];
    start.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_message_is_unsure_at_one_half() {
        for raw in [&b""[..], b"\r\n", b" \n\t\r\n\r\n"] {
            let judged = Judged::new(None, raw);
            assert_eq!((judged.verdict.as_str(), judged.probability), ("unsure", 0.5));
            assert_eq!((judged.score, judged.points), (0.0, 0.0));
            assert_eq!(judged.reason(), EMPTY);
        }
        assert_ne!(Judged::new(None, b".").reason(), EMPTY, "a single dot is a message");
    }

    #[test]
    fn without_a_store_suspicious_facts_make_a_message_suspicious_and_never_spam() {
        let plain =
            b"Date: Mon, 16 Nov 2026 09:00:00 +0000\r\nMessage-ID: <1@a.example>\r\n\r\nhello\r\n";
        let plain = Judged::new(None, plain);
        assert_eq!(
            (plain.probability, plain.reason().as_str()),
            (0.5, "nothing was learned so far")
        );
        let forged =
            b"From: \"bank@bank.example\" <x@evil.example>\r\nSubject: account\r\n\r\nhello\r\n";
        let forged = Judged::new(None, forged);
        assert_eq!((forged.verdict.as_str(), forged.is_spam), ("unsure", false));
        assert!(forged.probability > 0.5 && forged.points < POINTS_OF_SPAM, "{forged:?}");
        assert_eq!(forged.reason(), "looks suspicious; nothing was learned so far");
        assert!(forged.reasons[1].text.contains("address of another domain"), "{forged:?}");
        assert_eq!(forged.subject, "account");
    }
}
