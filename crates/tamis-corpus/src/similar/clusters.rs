//! Connected groups of similar documents.

use super::Signed;

/// Which documents belong together: a forest in which every document points to an earlier one.
#[derive(Debug)]
pub struct Clusters {
    parents: Vec<u32>,
}

impl Clusters {
    /// Documents with equal sets together, all others apart.
    #[must_use]
    pub fn new(signed: &Signed) -> Self {
        Self { parents: signed.first_equal.clone() }
    }

    /// The first document of the group.
    #[must_use]
    pub fn first(&mut self, document: u32) -> u32 {
        let mut root = document;
        while self.parents[root as usize] != root {
            root = self.parents[root as usize];
        }
        // Everyone on the way points to the first from now on.
        let mut next = document;
        while self.parents[next as usize] != root {
            next = std::mem::replace(&mut self.parents[next as usize], root);
        }
        root
    }

    /// Joins the groups of two documents.
    pub fn join(&mut self, left: u32, right: u32) {
        let (left, right) = (self.first(left), self.first(right));
        let (first, last) = (left.min(right), left.max(right));
        self.parents[last as usize] = first;
    }

    /// The groups of at least two documents, each ascending, ordered by their first.
    #[must_use]
    pub fn groups(self) -> Vec<Vec<u32>> {
        self.groups_of(2)
    }

    /// The groups of at least so many documents, each ascending, ordered by their first. With one,
    /// documents that are similar to no other are groups of their own.
    #[must_use]
    pub fn groups_of(mut self, least: usize) -> Vec<Vec<u32>> {
        let firsts: Vec<u32> = (0..self.parents.len() as u32).map(|d| self.first(d)).collect();
        let mut members: Vec<(u32, u32)> = firsts.iter().copied().zip(0..).collect();
        members.sort_unstable();
        let groups = members.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() >= least);
        groups.map(|group| group.iter().map(|(_, document)| *document).collect()).collect()
    }

    /// For each document the number of its group, from 0 in the order of their first documents.
    #[must_use]
    pub fn numbers(mut self) -> Vec<u32> {
        let mut numbers = vec![0; self.parents.len()];
        let mut next = 0;
        for document in 0..numbers.len() as u32 {
            let first = self.first(document);
            if first == document {
                numbers[document as usize] = next;
                next += 1;
            } else {
                // Its first document came before it.
                numbers[document as usize] = numbers[first as usize];
            }
        }
        numbers
    }
}
