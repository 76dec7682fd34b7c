//! The binary matrix of the lecture: a row per shingle, a column per document.
//!
//! For small cases that a person wants to see, and as the oracle of everything faster.

use super::Set;

/// Which document has which shingle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryMatrix {
    rows: Vec<u64>,
    columns: Vec<Vec<bool>>,
}

impl BinaryMatrix {
    /// The matrix of these documents; the rows are all shingles that occur, ascending by hash.
    #[must_use]
    pub fn new(sets: &[Set]) -> Self {
        let rows = Set::from_hashes(sets.iter().flat_map(|set| set.iter().copied()).collect());
        let has = |set: &Set| rows.iter().map(|row| set.binary_search(row).is_ok()).collect();
        Self { columns: sets.iter().map(has).collect(), rows: rows.into_hashes() }
    }

    /// A matrix from rows of zeros and ones, one for each shingle.
    #[must_use]
    pub fn from_rows(rows: &[&[u8]]) -> Self {
        let documents = rows.first().map_or(0, |row| row.len());
        let column = |document: usize| rows.iter().map(|row| row[document] != 0).collect();
        Self {
            columns: (0..documents).map(column).collect(),
            rows: (0..rows.len() as u64).collect(),
        }
    }

    /// The shingles, by hash, in the order of the rows.
    #[must_use]
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// Whether each shingle is in a document.
    #[must_use]
    pub fn column(&self, document: usize) -> &[bool] {
        &self.columns[document]
    }

    /// Jaccard by counting rows: both, over at least one.
    #[must_use]
    pub fn similarity(&self, left: usize, right: usize) -> f64 {
        let pairs = || self.columns[left].iter().zip(&self.columns[right]);
        let both = pairs().filter(|(a, b)| **a && **b).count();
        let any = pairs().filter(|(a, b)| **a || **b).count();
        if any == 0 { 1.0 } else { both as f64 / any as f64 }
    }

    /// The signature of a document under a permutation: `order[row]` is the place, from 1, that
    /// the row is moved to; the least place of a shingle that the document has.
    #[must_use]
    pub fn minimum(&self, document: usize, order: &[usize]) -> Option<usize> {
        let column = &self.columns[document];
        column.iter().zip(order).filter(|(has, _)| **has).map(|(_, place)| *place).min()
    }
}
