//! What is known of each learned message: where its record is, how wrong the tables were, and its scores.

use super::record::{Digest, Learn};
use crate::cuts::Cuts;
use crate::filter::Learned;
use crate::history::History;
use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

/// A learned message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Row {
    pub digest: Digest,
    /// Where its record is in the journal.
    pub offset: u64,
    /// When it was learned, in seconds since 1970.
    pub time: u64,
    pub label: u32,
    pub zero: u32,
}

/// All learned messages, in the order of learning.
#[derive(Debug, Default, Clone)]
pub(crate) struct Ledger {
    rows: Vec<Row>,
    by_digest: HashMap<Digest, u32>,
    /// For each label but ham, how wrong its table was about each message.
    surprises: Vec<Vec<u8>>,
    history: History,
}

impl Ledger {
    /// Adds a message.
    pub fn push(&mut self, learn: &Learn, offset: u64) {
        let Learn { digest, time, label, learned, .. } = learn;
        let row = Row { digest: *digest, offset, time: *time, label: u32::from(*label), zero: 0 };
        self.push_row(row, learned);
    }

    /// Adds a message that was kept.
    pub fn push_row(&mut self, row: Row, learned: &Learned) {
        let number = self.rows.len();
        self.by_digest.insert(row.digest, number as u32);
        let tables = learned.surprises.len().max(self.surprises.len());
        self.surprises.resize_with(tables, || vec![0; number]);
        for (table, surprises) in self.surprises.iter_mut().enumerate() {
            surprises.push(learned.surprises.get(table).copied().unwrap_or(0));
        }
        self.history.push(row.label as u8, &learned.scores);
        self.rows.push(row);
    }

    /// Adds a label: what its table made of all messages that are there, in their order.
    pub fn push_label(&mut self, surprises: &[u8], scores: &[f32]) {
        let (mut all_surprises, mut all_scores) = (Vec::new(), Vec::new());
        let mut of_live = surprises.iter().zip(scores);
        for number in 0..self.rows.len() {
            let own = self.row(number).and_then(|_| of_live.next());
            let (surprise, score) = own.unwrap_or((&0, &0.0));
            all_surprises.push(*surprise);
            all_scores.push(*score);
        }
        self.surprises.push(all_surprises);
        self.history.push_label(all_scores);
    }

    /// The number of a message that is there.
    pub fn find(&self, digest: &Digest) -> Option<usize> {
        self.by_digest.get(digest).map(|number| *number as usize)
    }

    fn row(&self, number: usize) -> Option<&Row> {
        let row = self.rows.get(number)?;
        (self.find(&row.digest) == Some(number)).then_some(row)
    }

    /// The messages that are there, in the order of learning, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Row)> {
        (0..self.rows.len()).filter_map(|number| Some((number, self.row(number)?)))
    }

    /// How many messages are there.
    pub fn len(&self) -> usize {
        self.by_digest.len()
    }

    /// A message by its number, and how wrong the tables were about it.
    pub fn get(&self, number: usize) -> (Row, Learned) {
        let surprises = self.surprises.iter().map(|list| list[number]).collect();
        let scores = self.history.scores(number).collect();
        (self.rows[number], Learned { surprises, scores })
    }

    /// Takes a message out.
    pub fn remove(&mut self, number: usize) {
        let digest = self.rows[number].digest;
        self.by_digest.remove(&digest);
        self.history.remove(number);
    }

    /// What the scores say about a label.
    pub fn cuts(&self, label: u8, lost: f64) -> Cuts {
        self.history.cuts(label, lost)
    }
}
