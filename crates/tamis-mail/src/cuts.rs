//! Where spam begins and ham ends, and what a score means as a probability: set by the filter itself from the scores that
//! it gave to messages before it learned them.
//!
//! Such a score is that of a message never seen. The cut is where the tail of the ham scores leaves the part that may be
//! lost. That part is small and rests on very few messages, so the tail is taken to fall off exponentially beyond
//! its last hundredth (its last twenty messages, if that is more): a smooth estimate from many messages instead of one.

use serde::{Deserialize, Serialize};

/// The scores of each class that are looked at: the newest.
pub const REMEMBERED: usize = 5000;

/// Fewer than so many messages of either class say nothing about the others.
pub const LEAST: usize = 200;

/// The part of the scores that makes the tail, and the least number of them.
const TAIL: f64 = 0.01;
const LEAST_TAIL: usize = 20;

/// Tails are heavier than exponential, and the ham of tomorrow is not quite like that of today: the cut is set for this
/// part of what may be lost.
const CAUTION: f64 = 0.5;

/// Whatever the tails say, nothing has a label at less than nine to one, and nothing has it not at less than two to one:
/// the logarithms of that.
const SURE: f64 = 2.197_224_577_336_219_6;
const SURE_NOT: f64 = std::f64::consts::LN_2;

/// How many messages hold a probability where its score puts it.
const HOLD: f64 = 10.0;

/// The part of the spam that may be called ham.
const SPAM_LOST: f64 = 0.005;

/// What a filter has concluded from its own scores about one label.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Cuts {
    /// How many more messages with the label, and without, must be learned before anything is sure.
    pub missing: (usize, usize),
    /// A message with a score above has the label.
    pub above: Option<f64>,
    /// A message with a score of at most this has it not.
    pub below: Option<f64>,
    /// The logarithm of the odds is `slope * score + offset`.
    pub slope: f64,
    /// See `slope`.
    pub offset: f64,
}

/// What is sure about a message and a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// It has the label.
    Above,
    /// Nothing is sure.
    Between,
    /// It has it not.
    Below,
}

impl Cuts {
    /// Nothing is known.
    #[must_use]
    pub const fn unknown() -> Self {
        let (missing, above, below) = ((LEAST, LEAST), None, None);
        Self { missing, above, below, slope: 1.0, offset: 0.0 }
    }

    /// From the scores of messages with the label and without, the newest first, for at most this part of those
    /// without lost.
    #[must_use]
    pub fn from_scores(
        with: impl Iterator<Item = f32>,
        without: impl Iterator<Item = f32>,
        lost: f64,
    ) -> Self {
        let newest = |scores: &mut dyn Iterator<Item = f32>| -> Vec<f64> {
            scores.take(REMEMBERED).map(f64::from).collect()
        };
        let (mut with, mut without) = (newest(&mut { with }), newest(&mut { without }));
        let missing = (LEAST.saturating_sub(with.len()), LEAST.saturating_sub(without.len()));
        if missing != (0, 0) {
            return Self { missing, ..Self::unknown() };
        }
        // A filter that has learned more is surer: probabilities are fitted to the newer half.
        let newer = |scores: &[f64]| scores[..scores.len().div_ceil(2)].to_vec();
        let (slope, offset) = fit(&newer(&with), &newer(&without));
        for scores in [&mut with, &mut without] {
            scores.sort_unstable_by(|a, b| b.total_cmp(a));
        }
        let above = beyond(&without, CAUTION * lost).max((SURE - offset) / slope);
        let mirrored: Vec<f64> = with.iter().rev().map(|score| -score).collect();
        let below = (-beyond(&mirrored, SPAM_LOST)).min((-SURE_NOT - offset) / slope);
        Self { missing, above: Some(above), below: Some(below), slope, offset }
    }

    /// On which side of the cuts a score lies.
    #[must_use]
    pub fn side(&self, score: f64) -> Side {
        match (self.above, self.below) {
            (Some(above), _) if score > above => Side::Above,
            (_, Some(below)) if score <= below => Side::Below,
            _ => Side::Between,
        }
    }

    /// The probability that a message with this score has the label.
    #[must_use]
    pub fn probability(&self, score: f64) -> f64 {
        1.0 / (1.0 + (-(self.slope * score + self.offset)).exp())
    }
}

/// The slope and offset that make these scores most likely (Platt 1999), by Newton's method, held near 1 and 0 as if by
/// [`HOLD`] messages.
fn fit(with: &[f64], without: &[f64]) -> (f64, f64) {
    let (mut slope, mut offset) = (1.0, 0.0);
    for _ in 0..20 {
        let mut gradient = [HOLD * (1.0 - slope), -HOLD * offset];
        let mut curvature = [HOLD, 0.0, HOLD];
        for (scores, truth) in [(with, 1.0), (without, 0.0)] {
            for &score in scores {
                let p = 1.0 / (1.0 + (-(slope * score + offset)).exp());
                let weight = p * (1.0 - p);
                gradient = [gradient[0] + (truth - p) * score, gradient[1] + truth - p];
                curvature[0] += weight * score * score;
                curvature[1] += weight * score;
                curvature[2] += weight;
            }
        }
        let determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
        let step = [
            (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant,
            (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant,
        ];
        slope = (slope + step[0].clamp(-0.5, 0.5)).clamp(0.25, 4.0);
        offset = (offset + step[1].clamp(-0.5, 0.5)).clamp(-3.0, 3.0);
        if step[0].abs().max(step[1].abs()) < 1e-6 {
            break;
        }
    }
    (slope, offset)
}

/// The score that a part `p` exceeds of scores in descending order: the quantile where there are enough above it,
/// and an exponential tail behind.
fn beyond(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::INFINITY };
    let tail = ((sorted.len() as f64 * TAIL) as usize).max(LEAST_TAIL).min(last);
    let in_tail = tail as f64 / sorted.len() as f64;
    if p >= in_tail || tail == 0 {
        return sorted[((p * sorted.len() as f64) as usize).min(last)];
    }
    let start = sorted[tail];
    let mean = sorted[..tail].iter().map(|score| score - start).sum::<f64>() / tail as f64;
    start + mean * (in_tail / p).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_sure_before_enough_was_seen() {
        let scores = |count: usize| (0..count).map(|score| -(score as f32));
        let few = Cuts::from_scores(scores(LEAST), scores(LEAST - 1), 0.001);
        assert_eq!(few.missing, (0, 1));
        assert_eq!(few.side(1e9), Side::Between);
        let enough = Cuts::from_scores(scores(LEAST), scores(LEAST), 0.001);
        assert_eq!(enough.side(1e9), Side::Above);
        assert_eq!(enough.side(-1e9), Side::Below);
    }

    /// Of an exponential tail the estimate is right: the score that one in four thousand exceeds is ln(4000).
    #[test]
    fn the_tail_leaves_the_part_that_is_asked_for() {
        let count = 5000;
        let exceeded_by = |index: usize| (index as f64 + 0.5) / f64::from(count);
        let sorted: Vec<f64> = (0..5000).map(|index| -exceeded_by(index).ln()).collect();
        let cut = beyond(&sorted, 1.0 / 4000.0);
        assert!((cut - 4000f64.ln()).abs() < 0.1, "{cut}");
        assert_eq!(beyond(&sorted, 0.5), sorted[2500], "within the scores it is the quantile");
        assert_eq!(beyond(&[], 0.1), f64::INFINITY);
    }

    /// Scores whose odds are e^(2 score): the fit finds the two.
    #[test]
    fn probabilities_are_fitted_to_scores() {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for step in -300..=300 {
            let score = f64::from(step) / 100.0;
            let p = 1.0 / (1.0 + (-2.0 * score).exp());
            let count = (100.0 * p).round() as usize;
            with.extend(std::iter::repeat_n(score, count));
            without.extend(std::iter::repeat_n(score, 100 - count));
        }
        let (slope, offset) = fit(&with, &without);
        assert!((slope - 2.0).abs() < 0.05 && offset.abs() < 0.05, "{slope} {offset}");
    }

    #[test]
    fn nothing_is_sure_at_even_odds() {
        let spam = (0..1000).map(|index| 4.0 + index as f32 / 500.0);
        let ham = (0..1000).map(|index| -4.0 - index as f32 / 500.0);
        let cuts = Cuts::from_scores(spam, ham, 0.001);
        assert_eq!(cuts.side(0.0), Side::Between);
        assert!(cuts.probability(cuts.above.unwrap()) >= 0.899);
        assert!(cuts.probability(cuts.below.unwrap()) <= 0.334);
    }
}
