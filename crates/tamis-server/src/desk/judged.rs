//! A verdict as the protocols tell it.

use crate::metrics::Outcome;
use tamis_mail::explain::{Reason, reasons};
use tamis_mail::filter::Verdict;
use tamis_mail::headers::Remarks;
use tamis_mail::message::{Message, Section};
use tamis_mail::store::Store;

/// The label that mail servers ask for.
pub const SPAM: &str = "spam";

/// The points from which on `spamc` calls a message spam.
pub const POINTS_OF_SPAM: f64 = 5.0;

/// What is said about a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// A label, `ham` or `unsure`.
    pub verdict: String,
    /// What is counted.
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
    /// Who has sent it.
    pub from: String,
    /// What it is about.
    pub subject: String,
}

impl Judged {
    /// Judges a message; without a store nothing is known.
    #[must_use]
    pub fn new(store: Option<&Store>, message: &Message<'_>) -> Self {
        let first = |wanted: Section| {
            let mut sections = message.sections().filter(|(section, _)| *section == wanted);
            sections.next().map(|(_, text)| shortened(text)).unwrap_or_default()
        };
        let (from, subject) = (
            message.sender().map_or_else(|| first(Section::From), shortened),
            first(Section::Subject),
        );
        let Some(store) = store else {
            return Self {
                verdict: "unsure".to_owned(),
                outcome: Outcome::Unsure,
                label: "ham".to_owned(),
                probability: 0.5,
                score: 0.0,
                points: 0.0,
                is_spam: false,
                reasons: vec![Reason::of_verdict("nothing was learned so far")],
                from,
                subject,
            };
        };
        let filter = store.filter();
        let (traits, judgement) = store.judge(message);
        let points = judgement.score - filter.cuts().lowest_spam() + POINTS_OF_SPAM;
        Self {
            verdict: filter.verdict(judgement.verdict).to_owned(),
            outcome: match judgement.verdict {
                Verdict::Label(_) => Outcome::Labelled,
                Verdict::Ham => Outcome::Ham,
                Verdict::Unsure => Outcome::Unsure,
            },
            label: filter.name(judgement.label).to_owned(),
            probability: judgement.probability,
            score: judgement.score,
            points,
            is_spam: judgement.verdict.is_spam(),
            reasons: reasons(store, message, &traits, &judgement),
            from,
            subject,
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
