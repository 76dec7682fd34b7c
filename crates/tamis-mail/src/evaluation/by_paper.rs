//! The report's method on a collection.

use super::Split;
use crate::Result;
use crate::message::Message;
use crate::paper::{Paper, PaperVerdict};

/// What it has found: messages that it calls spam, those that are and those that are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PaperFindings {
    /// Messages judged, spam and others.
    pub tested: (usize, usize),
    /// Because of their sender.
    pub by_sender: [usize; 2],
    /// Because their text has no shingle.
    pub without_shingle: [usize; 2],
    /// Because they are like a learned spam.
    pub similar: [usize; 2],
}

/// Learns the spam of the training part and judges the testing part. Of a body alone there is no sender to know.
///
/// # Errors
/// [`crate::Error::Threshold`] unless the threshold lies between 0 and 1.
pub fn judge_by_paper(split: &Split, threshold: f64, body_only: bool) -> Result<PaperFindings> {
    const SPAM: u8 = 1;
    let mut paper =
        if body_only { Paper::without_senders(threshold)? } else { Paper::new(threshold)? };
    for example in split.training.iter().filter(|example| example.label == SPAM) {
        paper.learn(&Message::parse(&example.raw));
    }
    let mut findings = PaperFindings::default();
    for example in &split.testing {
        let class = usize::from(example.label != SPAM);
        match class {
            0 => findings.tested.0 += 1,
            _ => findings.tested.1 += 1,
        }
        match paper.judge(&Message::parse(&example.raw)) {
            PaperVerdict::Sender { .. } => findings.by_sender[class] += 1,
            PaperVerdict::NoShingle => findings.without_shingle[class] += 1,
            PaperVerdict::Similar { .. } => findings.similar[class] += 1,
            PaperVerdict::Ham => {}
        }
    }
    Ok(findings)
}
