//! Documents with equal sets.

use super::Signed;

/// For each set the documents that have it; a set is named by the first of them.
#[derive(Debug)]
pub struct Classes {
    /// All documents, those with equal sets together.
    documents: Vec<u32>,
    /// Where the documents of a set start, by its first document; others have no entry of their own.
    starts: Vec<u32>,
}

impl Classes {
    /// Those of a signed corpus.
    #[must_use]
    pub fn new(signed: &Signed) -> Self {
        let first_equal = &signed.first_equal;
        let mut documents: Vec<u32> = (0..first_equal.len() as u32).collect();
        documents.sort_by_key(|&document| first_equal[document as usize]);
        let mut starts = vec![0; first_equal.len()];
        for (place, &document) in documents.iter().enumerate().rev() {
            starts[first_equal[document as usize] as usize] = place as u32;
        }
        Self { documents, starts }
    }

    /// The documents with the set of this one, ascending; it must be the first of them.
    #[must_use]
    pub fn of<'c>(&'c self, first: u32, signed: &Signed) -> &'c [u32] {
        let from = &self.documents[self.starts[first as usize] as usize..];
        let same = |document: &&u32| signed.first_equal[**document as usize] == first;
        &from[..from.iter().take_while(same).count()]
    }
}
