//! Where spam begins and ham ends, and what a score means as a probability: set by the filter itself from the scores that
//! it gave to messages before it learned them.
//!
//! Such a score is that of a message never seen. The cut is where the tail of the ham scores leaves the part that may be
//! lost. That part is small and rests on very few messages, so the tail is taken to fall off exponentially beyond
//! its last hundredth (its last twenty messages, if that is more): a smooth estimate from many messages instead of one.
//!
//! The probability is a logistic function of the score (Platt 1999):
//!
//! ```text
//! ln(p / (1 - p)) = a score + b        a ~ N(2, 1/10),  b ~ N(ln(with / without), 1)
//! ```
//!
//! `a` and `b` are the most likely ones for the newer half of each class, as a filter that has learned more is surer; each
//! class weighs as much as it has messages in all. A filter is seldom wrong, so few scores say anything about `a` and `b`:
//! the two distributions stand for what is assumed beforehand. The 2, the 1/10 and the 1 were chosen among some fifty settings
//! by the expected error on Enron-Spam and SpamAssassin's corpus, the same messages that the figures in `docs/mail.md` and
//! the benchmark's notes are about. Left free, `a` is 1.4 to 1.8 on the first and 0.9 to 1.0 on the second; steeper is better
//! where the mail to come differs from what was learned. A message of which nothing is known has a score near 0
//! and is as likely to have the label as any other: hence the middle of `b`.
//!
//! What this cannot know is what the scores do not show: mail that is of another kind, or has another share of spam, than what
//! was learned.

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

/// Where the slope is before any message says otherwise.
const SLOPE: f64 = 2.0;

/// How firmly the slope is held there, and the offset where the shares of the classes put it: inverse variances.
const HOLD: [f64; 2] = [10.0, 1.0];

/// The part of the spam that may be called ham.
const SPAM_LOST: f64 = 0.005;

/// What a filter has concluded from its own scores about one label.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
        // The newest of a class, and how many it has in all.
        let newest = |scores: &mut dyn Iterator<Item = f32>| -> (Vec<f64>, usize) {
            let newest: Vec<f64> = scores.take(REMEMBERED).map(f64::from).collect();
            let count = newest.len() + scores.count();
            (newest, count)
        };
        let (mut with, all_with) = newest(&mut { with });
        let (mut without, all_without) = newest(&mut { without });
        let missing = (LEAST.saturating_sub(with.len()), LEAST.saturating_sub(without.len()));
        if missing != (0, 0) {
            return Self { missing, ..Self::unknown() };
        }
        let newer = |scores: &[f64]| scores[..scores.len().div_ceil(2)].to_vec();
        let odds = all_with as f64 / all_without as f64;
        let (slope, offset) = fit(&newer(&with), &newer(&without), odds);
        for scores in [&mut with, &mut without] {
            scores.sort_unstable_by(|a, b| b.total_cmp(a));
        }
        // Odds that rest on what was known beforehand are not enough: the score itself must say as much.
        let above = beyond(&without, CAUTION * lost).max((SURE - offset) / slope).max(SURE);
        let mirrored: Vec<f64> = with.iter().rev().map(|score| -score).collect();
        let below =
            (-beyond(&mirrored, SPAM_LOST)).min((-SURE_NOT - offset) / slope).min(-SURE_NOT);
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

/// The slope and offset that are most likely for these scores, by Newton's method, if there are messages with the label and
/// without at these odds.
fn fit(with: &[f64], without: &[f64], odds: f64) -> (f64, f64) {
    // All weigh together what they count.
    let (counts, share) = ([with.len() as f64, without.len() as f64], odds / (1.0 + odds));
    let weight_of = |part: f64, count: f64| part * (counts[0] + counts[1]) / count.max(1.0);
    let weights = [weight_of(share, counts[0]), weight_of(1.0 - share, counts[1])];
    let (mut slope, mut offset) = (SLOPE, odds.ln());
    for _ in 0..20 {
        let mut gradient = [HOLD[0] * (SLOPE - slope), HOLD[1] * (odds.ln() - offset)];
        let mut curvature = [HOLD[0], 0.0, HOLD[1]];
        for (scores, truth, weight) in [(with, 1.0, weights[0]), (without, 0.0, weights[1])] {
            for &score in scores {
                let p = 1.0 / (1.0 + (-(slope * score + offset)).exp());
                let (off, steep) = (weight * (truth - p), weight * p * (1.0 - p));
                gradient = [gradient[0] + off * score, gradient[1] + off];
                curvature[0] += steep * score * score;
                curvature[1] += steep * score;
                curvature[2] += steep;
            }
        }
        let determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
        let step = [
            (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant,
            (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant,
        ];
        slope = (slope + step[0].clamp(-0.5, 0.5)).clamp(0.25, 4.0);
        offset = (offset + step[1].clamp(-0.5, 0.5)).clamp(-10.0, 10.0);
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

    /// For scores from -3 to 3, the messages with the label and without if its odds are e^(slope score + offset).
    fn messages(slope: f64, offset: f64) -> (Vec<f64>, Vec<f64>) {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for step in -300..=300 {
            let score = f64::from(step) / 100.0;
            let p = 1.0 / (1.0 + (-(slope * score + offset)).exp());
            let count = (100.0 * p).round() as usize;
            with.extend(std::iter::repeat_n(score, count));
            without.extend(std::iter::repeat_n(score, 100 - count));
        }
        (with, without)
    }

    #[test]
    fn many_messages_say_what_a_score_means() {
        for (slope, offset) in [(2.0, 0.0), (1.0, 0.0), (1.5, -2.0)] {
            let (with, without) = messages(slope, offset);
            let found = fit(&with, &without, with.len() as f64 / without.len() as f64);
            let off = (found.0 - slope).abs().max((found.1 - offset).abs());
            assert!(off < 0.05, "{found:?} is not {slope} {offset}");
        }
    }

    /// Scores that tell the classes apart without a mistake say nothing about how fast the odds change.
    #[test]
    fn few_messages_leave_slope_and_offset_near_what_is_known_beforehand() {
        let (slope, offset) = fit(&[8.0; 20], &[-8.0; 180], 20.0 / 180.0);
        assert!((slope - SLOPE).abs() < 0.01, "{slope}");
        assert!((offset - (1.0 / 9f64).ln()).abs() < 0.01, "{offset}");
    }

    /// Only the newest of a class that is much the larger are looked at; its share is that of all of them.
    #[test]
    fn the_share_is_that_of_all_messages() {
        let (with, without) = messages(2.0, 0.0);
        let tenth: Vec<f64> = without.iter().copied().step_by(10).collect();
        let all = fit(&with, &without, 1.0);
        let some = fit(&with, &tenth, 1.0);
        assert!((all.0 - some.0).abs() < 0.05 && (all.1 - some.1).abs() < 0.05, "{all:?} {some:?}");

        let ham = |count| std::iter::repeat_n(without.iter().map(|score| *score as f32), count);
        let cuts = |count| {
            let spam = with.iter().map(|score| *score as f32).take(LEAST);
            Cuts::from_scores(spam, ham(count).flatten(), 0.001)
        };
        assert!(without.len() > REMEMBERED, "{}", without.len());
        assert!(cuts(10).offset < cuts(1).offset - 1.0, "{:?} {:?}", cuts(10), cuts(1));
    }

    #[test]
    fn nothing_is_sure_at_even_odds() {
        let spam = (0..1000).map(|index| 4.0 + index as f32 / 500.0);
        let ham = (0..1000).map(|index| -4.0 - index as f32 / 500.0);
        let cuts = Cuts::from_scores(spam, ham, 0.001);
        assert_eq!(cuts.side(0.0), Side::Between);
        assert!(cuts.probability(cuts.above.unwrap()) >= 0.899);
        assert!(cuts.probability(cuts.below.unwrap()) <= 0.334);
        // A steep slope makes nobody surer of a message of which little is known.
        assert!(cuts.slope > 1.5 && cuts.side(2.0) == Side::Between, "{cuts:?}");
        assert!(cuts.side(-0.6) == Side::Between, "{cuts:?}");
    }
}
