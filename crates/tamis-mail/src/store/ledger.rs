//! What is known of each learned message: where its record is, how wrong the stages were, and its score.

use super::record::{Digest, Learn};
use crate::cuts::Cuts;
use crate::filter::SPAM;
use crate::model::Surprises;
use crate::scores::Scores;
use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

/// A learned message.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Row {
    pub digest: Digest,
    /// Where its record is in the journal.
    pub offset: u64,
    /// When it was learned, in seconds since 1970.
    pub time: u64,
    /// Its score before it was learned.
    pub score: f32,
    pub label: u8,
    /// How wrong each stage was.
    pub surprises: Surprises,
    pub zero: [u8; 5],
}

/// All learned messages, in the order of learning.
#[derive(Debug, Default, Clone)]
pub(crate) struct Ledger {
    rows: Vec<Row>,
    by_digest: HashMap<Digest, u32>,
    scores: Scores,
}

impl Ledger {
    /// Adds a message.
    pub fn push(&mut self, learn: &Learn, offset: u64) {
        let Learn { digest, time, label, learned, .. } = learn;
        self.push_row(Row {
            digest: *digest,
            offset,
            time: *time,
            score: learned.score,
            label: *label,
            surprises: learned.surprises,
            zero: [0; 5],
        });
    }

    /// Adds a message that was kept.
    pub fn push_row(&mut self, row: Row) {
        self.by_digest.insert(row.digest, self.rows.len() as u32);
        self.scores.push(row.label == SPAM, row.score);
        self.rows.push(row);
    }

    /// The number of a message that is there.
    pub fn find(&self, digest: &Digest) -> Option<usize> {
        self.by_digest.get(digest).map(|number| *number as usize)
    }

    fn row(&self, number: usize) -> Option<&Row> {
        let row = self.rows.get(number)?;
        (self.find(&row.digest) == Some(number)).then_some(row)
    }

    /// The messages that are there, in the order of learning.
    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        (0..self.rows.len()).filter_map(|number| self.row(number))
    }

    /// How many messages are there.
    pub fn len(&self) -> usize {
        self.by_digest.len()
    }

    /// A message by its number.
    pub fn get(&self, number: usize) -> Row {
        self.rows[number]
    }

    /// Takes a message out.
    pub fn remove(&mut self, number: usize) {
        let digest = self.rows[number].digest;
        self.by_digest.remove(&digest);
        self.scores.remove(number);
    }

    /// Gives all messages of a label another one; neither may be spam.
    pub fn relabel(&mut self, from: u8, to: u8) {
        self.rows.iter_mut().filter(|row| row.label == from).for_each(|row| row.label = to);
    }

    /// What the scores say.
    pub fn cuts(&self, lost: f64) -> Cuts {
        self.scores.cuts(lost)
    }
}
