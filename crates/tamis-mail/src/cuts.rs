//! Where spam begins and ham ends, and what a score means as a probability: set by the filter itself from the scores
//! that it gave to messages before it learned them.
//!
//! Such a progressive score is that of a message never seen. With at least [`LEAST`] messages of each class, `ns`
//! spam and `nh` ham:
//!
//! ```text
//! floor = 4 + 4 * 200/(200 + min(ns, nh))
//! most  = the score that a share .9 - 30/(nh+40) of the newer half of the spam exceeds, at most 12 + nh/500
//! seen  = the score that .1 % of the newest 75 % of the ham exceed; their maximum below 1,000
//! tail  = the score that a share .2 + .2 nh/(nh+10000) of the permitted one would exceed if the scores of
//!         the newest 75 % of the ham fell off exponentially beyond their last fiftieth
//! cut0  = max(seen, min(tail, most))
//! cut   = max(floor, cut0 + max(0, most - cut0) 100/(100+nh))
//! ```
//!
//! The tail is a smooth estimate from many messages; a quantile of one in a thousand would rest on a handful. With
//! little ham learned the cut leans towards `most`: only what scores like typical spam is called so. Early scores
//! come from a filter that knew less than today's, hence the newest ones.
//!
//! The probability is a logistic function of the score (Platt 1999):
//!
//! ```text
//! ln(p / (1 - p)) = a score + b        a ~ N(1, .1^2),  b ~ N(-1.5, .32^2)
//! ```
//!
//! `a` and `b` are the most likely ones for the newer half of each class. A filter is seldom wrong, so few scores say
//! anything about `a` and `b`: the two distributions stand for what is assumed beforehand. `b` is below 0 because new
//! kinds of ham (another list, another program) score much higher at first than the ham that was learned, whereas
//! new kinds of spam seldom score like ham. The distributions, and the numbers of the cut, were chosen on
//! SpamAssassin's corpus, Enron-Spam and the first 25,000 messages of TREC 2007.
//!
//! What this cannot know is what the scores do not show: mail of another kind, or with another share of spam, than
//! what was learned.

use serde::{Deserialize, Serialize};

/// The most scores of each class that are looked at: the newest.
pub const REMEMBERED: usize = 20_000;

/// Fewer messages of either class say nothing about others.
pub const LEAST: usize = 15;

/// The share of ham scores that makes the tail, and the least number of them.
const TAIL: f64 = 0.02;
const LEAST_TAIL: usize = 20;

/// The share of the newest ham scores that count.
const NEWEST: f64 = 0.75;

/// No cut is ever lower, and with few messages it is higher by up to [`BEGINNER`].
const LOWEST: f64 = 4.0;
const BEGINNER: f64 = 4.0;

/// With little ham learned, no cut is higher than this because of what spam scores.
const HIGHEST: f64 = 12.0;

/// What is called ham scores less.
const HIGHEST_HAM: f64 = 0.0;

/// Slope and offset before any message says otherwise, and how firmly they are held: inverse variances.
const SLOPE: f64 = 1.0;
const OFFSET: f64 = -1.5;
const HOLD: [f64; 2] = [100.0, 10.0];

/// The share of the spam that may be called ham.
const SPAM_LOST: f64 = 0.005;

/// What is called spam is so at least with this probability, and everything else at most.
pub const SURE: f64 = 0.97;

/// What is called ham is spam at most with this probability.
pub const SURE_NOT: f64 = 0.5;

/// What a filter has concluded from its own scores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cuts {
    /// How many more spam and ham messages must be learned before scores decide.
    pub missing: (usize, usize),
    /// A message with a higher score is spam.
    pub above: Option<f64>,
    /// A message with a lower score is not. A message without evidence has the score 0 and is neither.
    pub below: Option<f64>,
    /// The logarithm of the odds is `slope * score + offset`.
    pub slope: f64,
    /// See `slope`.
    pub offset: f64,
}

/// What the cuts say about a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Spam.
    Above,
    /// Unsure.
    Between,
    /// Not spam.
    Below,
}

impl Cuts {
    /// Nothing is known.
    #[must_use]
    pub const fn unknown() -> Self {
        let (missing, above, below) = ((LEAST, LEAST), None, None);
        Self { missing, above, below, slope: SLOPE, offset: 0.0 }
    }

    /// From the scores of spam and ham, the newest first, for at most this share of the ham lost.
    #[must_use]
    pub fn from_scores(
        spam: impl Iterator<Item = f32>,
        ham: impl Iterator<Item = f32>,
        lost: f64,
    ) -> Self {
        let spam: Vec<f64> = spam.take(REMEMBERED).map(f64::from).collect();
        let ham: Vec<f64> = ham.take(REMEMBERED).map(f64::from).collect();
        let missing = (LEAST.saturating_sub(spam.len()), LEAST.saturating_sub(ham.len()));
        if missing != (0, 0) {
            return Self { missing, ..Self::unknown() };
        }
        let newer = |scores: &[f64]| descending(&scores[..scores.len().div_ceil(2)]);
        let (newer_spam, newer_ham) = (newer(&spam), newer(&ham));
        let (slope, offset) = fit(&newer_spam, &newer_ham);
        let floor = floor(spam.len().min(ham.len()));
        let above = spam_cut(&newer_spam, &ham, lost).max(floor);
        // Below this, spam was not seen but for a few in a thousand.
        let at = newer_spam.len() - 1 - (SPAM_LOST * newer_spam.len() as f64) as usize;
        let below = newer_spam[at].min(HIGHEST_HAM);
        Self { missing, above: Some(above), below: Some(below), slope, offset }
    }

    /// The score above which messages are spam, or where it starts as long as there is none.
    #[must_use]
    pub fn lowest_spam(&self) -> f64 {
        self.above.unwrap_or(LOWEST + BEGINNER)
    }

    /// On which side of the cuts a score lies.
    #[must_use]
    pub fn side(&self, score: f64) -> Side {
        match (self.above, self.below) {
            (Some(above), _) if score > above => Side::Above,
            (_, Some(below)) if score < below => Side::Below,
            _ => Side::Between,
        }
    }

    /// The probability that a message with this score, on this side of the cuts, is spam. It agrees with the side:
    /// only what is called spam has more than [`SURE`].
    #[must_use]
    pub fn probability(&self, score: f64, side: Side) -> f64 {
        let p = 1.0 / (1.0 + (-(self.slope * score + self.offset)).exp());
        match side {
            Side::Above => p.max(SURE),
            Side::Between => p.min(SURE),
            Side::Below => p.min(SURE_NOT),
        }
    }
}

fn descending(scores: &[f64]) -> Vec<f64> {
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    sorted
}

/// The score above which a message is spam, from the newer spam in descending order and all ham, the newest first.
fn spam_cut(newer_spam: &[f64], ham: &[f64], lost: f64) -> f64 {
    let count = ham.len() as f64;
    let share = 0.9 - 30.0 / (count + 40.0);
    let at = (share * newer_spam.len() as f64) as usize;
    // Spam that is learned in long runs of its kind scores higher than the next kind will.
    let highest = HIGHEST + count / 500.0;
    let most = newer_spam[at.min(newer_spam.len() - 1)].min(highest);
    let newest = descending(&ham[..(count * NEWEST).ceil() as usize]);
    let at = if ham.len() < 1000 { 0 } else { (lost * newest.len() as f64) as usize };
    let seen = newest[at.min(newest.len() - 1)];
    // Tails are heavier than exponential, and tomorrow's ham is not quite like today's.
    let caution = 0.2 + 0.2 * count / (count + 10_000.0);
    let tail = beyond(&newest, caution * lost);
    let cut = seen.max(tail.min(most));
    cut + (most - cut).max(0.0) * 100.0 / (100.0 + count)
}

/// The lowest cut after this many messages of the rarer class.
fn floor(fewer: usize) -> f64 {
    LOWEST + BEGINNER * 200.0 / (200.0 + fewer as f64)
}

/// The most likely slope and offset for these scores, by Newton's method.
fn fit(spam: &[f64], ham: &[f64]) -> (f64, f64) {
    let (mut slope, mut offset) = (SLOPE, OFFSET);
    for _ in 0..20 {
        let mut gradient = [HOLD[0] * (SLOPE - slope), HOLD[1] * (OFFSET - offset)];
        let mut curvature = [HOLD[0], 0.0, HOLD[1]];
        for (scores, truth) in [(spam, 1.0), (ham, 0.0)] {
            for &score in scores {
                let p = 1.0 / (1.0 + (-(slope * score + offset)).exp());
                let (off, steep) = (truth - p, p * (1.0 - p));
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
        slope = (slope + step[0].clamp(-0.2, 0.2)).clamp(0.1, 4.0);
        offset = (offset + step[1].clamp(-0.5, 0.5)).clamp(-10.0, 10.0);
        if step[0].abs().max(step[1].abs()) < 1e-6 {
            break;
        }
    }
    (slope, offset)
}

/// The score that a share `p` exceeds of scores in descending order: the quantile where enough exceed it, and an
/// exponential tail beyond.
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
    fn scores_decide_once_enough_was_learned() {
        let spam = |count: usize| (0..count).map(|score| 8.0 + score as f32 / 10.0);
        let ham = |count: usize| (0..count).map(|score| -8.0 - score as f32 / 10.0);
        let few = Cuts::from_scores(spam(LEAST), ham(LEAST - 1), 0.001);
        assert_eq!(few.missing, (0, 1));
        assert_eq!(few.side(1e9), Side::Between);
        let enough = Cuts::from_scores(spam(LEAST), ham(LEAST), 0.001);
        assert_eq!(enough.side(1e9), Side::Above);
        assert_eq!(enough.side(-1e9), Side::Below);
        assert_eq!(enough.side(2.0), Side::Between);
    }

    /// Of an exponential tail the estimate is right: the score that one in four thousand exceeds is ln(4000).
    #[test]
    fn the_tail_leaves_the_requested_share() {
        let count = 5000;
        let exceeded_by = |index: usize| (index as f64 + 0.5) / f64::from(count);
        let sorted: Vec<f64> = (0..5000).map(|index| -exceeded_by(index).ln()).collect();
        let cut = beyond(&sorted, 1.0 / 4000.0);
        assert!((cut - 4000f64.ln()).abs() < 0.1, "{cut}");
        assert_eq!(beyond(&sorted, 0.5), sorted[2500], "within the scores it is the quantile");
        assert_eq!(beyond(&[], 0.1), f64::INFINITY);
    }

    /// For scores from -12 to 12, the messages that are spam and ham if the odds are e^(slope score + offset).
    fn messages(slope: f64, offset: f64) -> (Vec<f64>, Vec<f64>) {
        let (mut spam, mut ham) = (Vec::new(), Vec::new());
        for step in -600..=600 {
            let score = f64::from(step) / 50.0;
            let p = 1.0 / (1.0 + (-(slope * score + offset)).exp());
            let count = (100.0 * p).round() as usize;
            spam.extend(std::iter::repeat_n(score, count));
            ham.extend(std::iter::repeat_n(score, 100 - count));
        }
        (spam, ham)
    }

    #[test]
    fn many_messages_say_what_a_score_means() {
        for (slope, offset) in [(0.65, 0.0), (1.0, 0.0), (0.5, -2.0)] {
            let (spam, ham) = messages(slope, offset);
            let found = fit(&spam, &ham);
            let off = (found.0 - slope).abs().max((found.1 - offset).abs());
            assert!(off < 0.05, "{found:?} is not {slope} {offset}");
        }
    }

    /// Scores that tell the classes apart without a mistake say nothing about how fast the odds change.
    #[test]
    fn few_messages_leave_slope_and_offset_near_what_is_assumed() {
        let (slope, offset) = fit(&[20.0; 20], &[-20.0; 180]);
        assert!((slope - SLOPE).abs() < 0.01, "{slope}");
        assert!((offset - OFFSET).abs() < 0.01, "{offset}");
    }

    #[test]
    fn a_probability_never_contradicts_the_verdict() {
        let spam = (0..1000).map(|index| 4.0 + index as f32 / 100.0);
        let ham = (0..1000).map(|index| -14.0 + index as f32 / 50.0);
        let cuts = Cuts::from_scores(spam, ham, 0.001);
        for step in -300..300 {
            let score = f64::from(step) / 10.0;
            let side = cuts.side(score);
            let p = cuts.probability(score, side);
            match side {
                Side::Above => assert!(p >= SURE, "{score}: {p}"),
                Side::Between => assert!(p <= SURE, "{score}: {p}"),
                Side::Below => assert!(p <= SURE_NOT, "{score}: {p}"),
            }
        }
    }

    /// Ham that scores like spam moves the cut above it, whatever the tail says.
    #[test]
    fn the_cut_lies_above_the_ham_that_was_seen() {
        let spam = || (0..200).map(|index| 10.0 + index as f32 / 100.0);
        let quiet = Cuts::from_scores(spam(), (0..200).map(|_| -10.0), 0.001);
        let loud =
            Cuts::from_scores(spam(), (0..200).map(|i| if i == 50 { 11.5 } else { -10.0 }), 0.001);
        assert!(quiet.above.unwrap() < 11.5 && loud.above.unwrap() >= 11.5, "{quiet:?} {loud:?}");
    }
}
