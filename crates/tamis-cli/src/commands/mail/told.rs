//! The verdict on a message, for every command that prints one.

use super::dialect::Worst;
use tamis_mail::explain::first_reasons;
use tamis_mail::filter::Verdict;
use tamis_mail::headers::POINTS_OF_SPAM;
use tamis_mail::mailbox::{EMPTY, is_empty};
use tamis_mail::message::Message;
use tamis_mail::store::Store;

/// A verdict in words.
pub struct Told {
    pub verdict: String,
    /// The most probable label.
    pub label: String,
    pub probability: f64,
    /// The score that the cuts are compared with.
    pub score: f64,
    /// The score in points, such that spam begins at [`POINTS_OF_SPAM`].
    pub points: f64,
    /// The weightiest first.
    pub reasons: Vec<String>,
    /// The stages that give them.
    pub stages: Vec<&'static str>,
    pub worst: Worst,
}

impl Told {
    /// Judges a message and gives at most `most` reasons. An empty message has no evidence, so it is unsure.
    pub fn of(store: &Store, raw: &[u8], most: usize) -> Self {
        let filter = store.filter();
        if is_empty(raw) {
            return Self {
                verdict: filter.verdict(Verdict::Unsure).to_owned(),
                label: filter.name(0).to_owned(),
                probability: 0.5,
                score: 0.0,
                points: 0.0,
                reasons: vec![EMPTY.to_owned()],
                stages: Vec::new(),
                worst: Verdict::Unsure.into(),
            };
        }
        let message = Message::parse(raw);
        let (traits, judgement) = store.judge(&message);
        let reasons = first_reasons(store, &message, &traits, &judgement, most);
        let stages = reasons.iter().map(|reason| reason.stage).filter(|stage| *stage != "verdict");
        Self {
            verdict: filter.verdict(judgement.verdict).to_owned(),
            label: filter.name(judgement.label).to_owned(),
            probability: judgement.probability,
            score: judgement.score,
            points: judgement.score - filter.cuts().lowest_spam() + POINTS_OF_SPAM,
            stages: stages.collect(),
            reasons: reasons.iter().map(ToString::to_string).collect(),
            worst: judgement.verdict.into(),
        }
    }

    /// The weightiest reason.
    pub fn reason(&self) -> &str {
        self.reasons.first().map_or("", String::as_str)
    }
}
