//! The scores that messages had before they were learned, in the order of learning.

use crate::cuts::Cuts;

/// All messages that were learned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    scores: Vec<f32>,
    classes: Vec<State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Spam,
    Ham,
    Gone,
}

impl Scores {
    /// How many messages there are, unlearned ones included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.scores.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// Adds a message with its score; its number is returned.
    pub fn push(&mut self, is_spam: bool, score: f32) -> usize {
        self.scores.push(score);
        self.classes.push(if is_spam { State::Spam } else { State::Ham });
        self.scores.len() - 1
    }

    /// Takes a message out.
    pub fn remove(&mut self, number: usize) {
        if let Some(class) = self.classes.get_mut(number) {
            *class = State::Gone;
        }
    }

    /// The score of a message.
    #[must_use]
    pub fn score(&self, number: usize) -> f32 {
        self.scores.get(number).copied().unwrap_or_default()
    }

    /// What the scores say, for at most this share of the ham lost.
    #[must_use]
    pub fn cuts(&self, lost: f64) -> Cuts {
        let of = |wanted: State| {
            let newest = self.classes.iter().zip(&self.scores).rev();
            newest.filter(move |(class, _)| **class == wanted).map(|(_, score)| *score)
        };
        Cuts::from_scores(of(State::Spam), of(State::Ham), lost)
    }
}
