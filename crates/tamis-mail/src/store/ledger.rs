//! What is known of each learned message: where its record is, how wrong the stages were, and its score.

use super::record::{Digest, Learn};
use super::shared::Kind;
use super::shared::Shared;
use crate::cuts::Cuts;
use crate::filter::SPAM;
use crate::model::Surprises;
use crate::scores::Scores;
use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

/// Who teaches unless another name is given.
pub const OWNER: &str = "owner";

/// With fewer messages of either class, their order does not matter.
const LEAST: usize = crate::cuts::LEAST;

/// At some point so much more of one class than of the other had been learned. Of 15 spam and 15 ham
/// messages in random order about one set in forty is; of larger ones, hardly any.
const LOPSIDED: f64 = 0.5;

/// This many messages of one class in a row are a run.
pub const LONG_RUN: usize = 30;

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
    /// Who has taught it; 0 for the owner.
    pub teacher: u8,
    pub zero: [u8; 4],
}

/// All learned messages, in the order of learning.
#[derive(Debug, Default, Clone)]
pub(crate) struct Ledger {
    rows: Vec<Row>,
    by_digest: HashMap<Digest, u32>,
    scores: Scores,
    /// The names of teachers besides the owner; the number of the first is 1.
    teachers: Vec<String>,
    /// Of a store that shares its lessons.
    pub shared: Option<Box<Shared>>,
}

impl Ledger {
    /// Adds a message.
    pub fn push(&mut self, learn: &Learn, offset: u64) {
        self.push_row(Self::row_at(learn, offset));
    }

    /// A message as it is kept.
    pub fn row_at(learn: &Learn, offset: u64) -> Row {
        let Learn { digest, time, label, teacher, learned, .. } = learn;
        Row {
            digest: *digest,
            offset,
            time: *time,
            score: learned.score,
            label: *label,
            surprises: learned.surprises,
            teacher: *teacher,
            zero: [0; 4],
        }
    }

    /// Notes an own lesson, if lessons are shared; `before` is how the message was known.
    pub fn issue(&mut self, kind: Kind, digest: Digest, before: Option<Row>, offset: u64) {
        if let Some(shared) = &mut self.shared {
            shared.issue(kind, digest, before, offset);
        }
    }

    /// A message that is there.
    pub fn row_of(&self, digest: &Digest) -> Option<Row> {
        self.find(digest).map(|number| self.get(number))
    }

    /// Takes a message out, if it is there.
    pub fn forget(&mut self, digest: &Digest) {
        if let Some(number) = self.find(digest) {
            self.remove(number);
        }
    }

    /// Drops what was taken out, if that is the larger part.
    pub fn compact(&mut self) {
        if self.rows.len() < 2 * self.len() + 1024 {
            return;
        }
        let rows: Vec<Row> = self.iter().copied().collect();
        self.rows.clear();
        self.by_digest.clear();
        self.scores = Scores::default();
        rows.into_iter().for_each(|row| self.push_row(row));
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

    /// Whether spam and other messages were learned one after the other rather than side by side.
    pub fn is_lopsided(&self) -> bool {
        let spam = self.iter().filter(|row| row.label == SPAM).count();
        let totals = [self.len() - spam, spam];
        if totals.into_iter().min() < Some(LEAST) {
            return false;
        }
        let mut read = [0_u32; 2];
        self.iter().any(|row| {
            read[usize::from(row.label == SPAM)] += 1;
            let [ham, spam] = [0, 1].map(|class| f64::from(read[class]) / totals[class] as f64);
            (spam - ham).abs() >= LOPSIDED
        })
    }

    /// The messages, spam and others side by side in proportion; each class in the order of learning.
    pub fn in_proportion(&self) -> Vec<&Row> {
        let spam = self.iter().filter(|row| row.label == SPAM).count();
        let totals = [self.len() - spam, spam];
        let mut read = [0_u32; 2];
        let mut rows: Vec<(f64, &Row)> = self
            .iter()
            .map(|row| {
                let class = usize::from(row.label == SPAM);
                read[class] += 1;
                ((f64::from(read[class]) - 0.5) / totals[class] as f64, row)
            })
            .collect();
        rows.sort_by(|(left, _), (right, _)| left.total_cmp(right));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// How many of the newest messages are all spam, or all not.
    pub fn run(&self) -> usize {
        let mut newest = self.rows.iter().rev().map(|row| row.label == SPAM);
        newest
            .next()
            .map_or(0, |class| 1 + newest.take(LONG_RUN).take_while(|c| *c == class).count())
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

    /// Notes that somebody else has taught the same.
    pub fn taught(&mut self, number: usize, teacher: u8) {
        self.rows[number].teacher = teacher;
    }

    /// The names of teachers besides the owner.
    pub fn teachers(&self) -> &[String] {
        &self.teachers
    }

    /// Adds a teacher; its number is returned, none if there are too many.
    pub fn add_teacher(&mut self, name: &str) -> Option<u8> {
        self.teachers.push(name.to_owned());
        u8::try_from(self.teachers.len()).ok()
    }

    /// The number of a teacher that is known.
    pub fn teacher(&self, name: &str) -> Option<u8> {
        if name == OWNER {
            return Some(0);
        }
        let number = self.teachers.iter().position(|known| known == name)?;
        u8::try_from(number + 1).ok()
    }

    /// The name of a teacher.
    pub fn teacher_name(&self, number: u8) -> &str {
        let index = usize::from(number).checked_sub(1);
        index.and_then(|index| self.teachers.get(index)).map_or(OWNER, String::as_str)
    }

    /// What the scores say.
    pub fn cuts(&self, lost: f64) -> Cuts {
        self.scores.cuts(lost)
    }
}
