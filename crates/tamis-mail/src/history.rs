//! The scores that messages had before they were learned, for each label, in the order of learning.

use crate::cuts::Cuts;

/// The label of a message that was taken back.
const GONE: u8 = u8::MAX;

/// All messages that were learned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    labels: Vec<u8>,
    /// For each label but ham the score of every message.
    scores: Vec<Vec<f32>>,
}

impl History {
    /// How many messages there are, those that were taken back included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Adds a message with its score for each label; its number is returned.
    pub fn push(&mut self, label: u8, scores: &[f32]) -> usize {
        self.scores.resize_with(scores.len().max(self.scores.len()), Vec::new);
        self.labels.push(label);
        for (index, list) in self.scores.iter_mut().enumerate() {
            list.resize(self.labels.len() - 1, 0.0);
            list.push(scores.get(index).copied().unwrap_or(0.0));
        }
        self.labels.len() - 1
    }

    /// Adds a label with the scores of all messages that are there.
    pub fn push_label(&mut self, scores: Vec<f32>) {
        self.scores.push(scores);
    }

    /// Takes a message back.
    pub fn remove(&mut self, number: usize) {
        if let Some(label) = self.labels.get_mut(number) {
            *label = GONE;
        }
    }

    /// The scores of a message.
    pub fn scores(&self, number: usize) -> impl Iterator<Item = f32> {
        self.scores.iter().map(move |list| list[number])
    }

    /// What the scores say about the label with this number, from 1 on.
    #[must_use]
    pub fn cuts(&self, label: u8, lost: f64) -> Cuts {
        let Some(scores) = self.scores.get(usize::from(label).wrapping_sub(1)) else {
            return Cuts::unknown();
        };
        let of = |wanted: bool| {
            let newest = self.labels.iter().zip(scores).rev();
            newest
                .filter(move |(own, _)| **own != GONE && (**own == label) == wanted)
                .map(|(_, score)| *score)
        };
        Cuts::from_scores(of(true), of(false), lost)
    }
}
