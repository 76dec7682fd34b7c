//! A verdict as the protocols tell it.

use crate::metrics::Outcome;
use tamis_mail::explain::reasons;
use tamis_mail::filter::{Evidence, Verdict};
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
    /// The label that probability and score are about.
    pub about: String,
    /// The probability of that label.
    pub probability: f64,
    /// The logarithm of its odds.
    pub score: f64,
    /// The score for spam, such that spam begins at [`POINTS_OF_SPAM`].
    pub points: f64,
    /// Whether the verdict is `spam` and no other label.
    pub is_spam: bool,
    /// Why, the weightiest first.
    pub reasons: Vec<String>,
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
                about: SPAM.to_owned(),
                probability: 0.5,
                score: 0.0,
                points: 0.0,
                is_spam: false,
                reasons: vec!["nothing was learned yet".to_owned()],
                from,
                subject,
            };
        };
        let filter = store.filter();
        let (traits, judgement) = store.judge(message);
        let evidence = |label: u8| judgement.evidence.get(usize::from(label).wrapping_sub(1));
        let spam = filter.label(SPAM).unwrap_or(0);
        let cut = filter.labels().get(usize::from(spam).wrapping_sub(1)).and_then(|l| l.cuts.above);
        let points = match (evidence(spam), cut) {
            (Some(evidence), Some(cut)) => evidence.score() - cut + POINTS_OF_SPAM,
            _ => 0.0,
        };
        Self {
            verdict: filter.verdict(judgement.verdict).to_owned(),
            outcome: match judgement.verdict {
                Verdict::Label(_) => Outcome::Labelled,
                Verdict::Ham => Outcome::Ham,
                Verdict::Unsure => Outcome::Unsure,
            },
            label: filter.name(judgement.label).to_owned(),
            about: filter.name(judgement.about).to_owned(),
            probability: judgement.probability,
            score: evidence(judgement.about).map_or(0.0, Evidence::score),
            points,
            is_spam: spam != 0 && judgement.verdict == Verdict::Label(spam),
            reasons: reasons(store, message, &traits, &judgement),
            from,
            subject,
        }
    }

    /// The main reason.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.reasons.first().map_or("", String::as_str)
    }

    /// What is written into the message.
    #[must_use]
    pub fn remarks(&self) -> Remarks {
        Remarks {
            verdict: self.verdict.clone(),
            probability: self.probability,
            reason: self.reason().to_owned(),
        }
    }
}

/// The start of a text, on one line.
fn shortened(text: &str) -> String {
    let start = &text[..text.floor_char_boundary(300)];
    start.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
