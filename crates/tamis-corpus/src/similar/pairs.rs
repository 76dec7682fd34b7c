//! All similar pairs of documents: those of distinct sets, and those of equal ones.

use super::candidates::Candidates;
use super::verify::{Pair, Portions};
use super::{Classes, Plan, Signed};
use crate::Result;

/// Calls `visit` with every similar pair of documents. First come, for each set in the order of its first
/// document, the pairs that have it in common, and then its pairs with later sets.
///
/// # Errors
/// As [`for_each_pair`](super::verify::for_each_pair).
pub fn for_each_document_pair<E: From<crate::Error> + Send>(
    plan: &Plan,
    signed: &Signed,
    candidates: &Candidates,
    mut visit: impl FnMut(Pair) -> Result<(), E>,
    mut progress: impl FnMut(u64),
) -> Result<(), E> {
    let mut pairs = Pairs::new(signed);
    let mut some = Vec::new();
    loop {
        pairs.next(plan, signed, candidates, AT_ONCE, &mut some, &mut progress)?;
        if some.is_empty() {
            return Ok(());
        }
        some.drain(..).try_for_each(&mut visit)?;
    }
}

/// Pairs that are gathered before they are handed on.
const AT_ONCE: usize = 1 << 14;

/// The pairs of [`for_each_document_pair`], some at a time.
#[derive(Debug)]
pub struct Pairs {
    classes: Classes,
    portions: Portions,
    /// Pairs of distinct sets that are verified, and the place of the next of them.
    verified: Vec<Pair>,
    next: usize,
    /// Sets before this one have had their equal pairs.
    next_first: u32,
    /// What is being paired: equal documents, or those of two similar sets; and how far.
    work: Option<(Work, [usize; 2])>,
}

#[derive(Debug, Clone, Copy)]
enum Work {
    Equal(u32),
    Similar(Pair),
}

impl Pairs {
    /// No pair yet.
    #[must_use]
    pub fn new(signed: &Signed) -> Self {
        Self {
            classes: Classes::new(signed),
            portions: Portions::default(),
            verified: Vec::new(),
            next: 0,
            next_first: 0,
            work: None,
        }
    }

    /// Appends the next pairs, until there are about so many of them. There are no more when none comes.
    ///
    /// # Errors
    /// As [`for_each_pair`](super::verify::for_each_pair).
    pub fn next(
        &mut self,
        plan: &Plan,
        signed: &Signed,
        candidates: &Candidates,
        at_once: usize,
        found: &mut Vec<Pair>,
        mut progress: impl FnMut(u64),
    ) -> Result<()> {
        while found.len() < at_once {
            if let Some((work, place)) = self.work.take() {
                self.work = self.pair(signed, work, place, at_once, found);
                continue;
            }
            if self.next == self.verified.len() {
                let all = |_, _| true;
                let more = self.portions.next(plan, signed, candidates, &all, &mut progress)?;
                (self.verified, self.next) = (more.unwrap_or_default(), 0);
                if self.verified.is_empty() && !self.portions.is_done() {
                    continue;
                }
            }
            let pair = self.verified.get(self.next);
            // Equal sets come before the pairs of the first of them.
            let end = pair.map_or(signed.documents() as u32, |pair| pair.left + 1);
            if self.next_first < end {
                self.work = Some((Work::Equal(self.next_first), [0, 1]));
                self.next_first += 1;
            } else if let Some(&pair) = pair {
                self.work = Some((Work::Similar(pair), [0, 0]));
                self.next += 1;
            } else {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Pairs documents from a place on, and tells where to go on.
    fn pair(
        &self,
        signed: &Signed,
        work: Work,
        [mut row, mut column]: [usize; 2],
        at_once: usize,
        found: &mut Vec<Pair>,
    ) -> Option<(Work, [usize; 2])> {
        let (rows, columns, similarity) = match work {
            Work::Equal(first) if signed.first_equal[first as usize] != first => return None,
            Work::Equal(first) => {
                let members = self.classes.of(first, signed);
                (members, members, 1.0)
            }
            Work::Similar(Pair { left, right, similarity }) => {
                let classes = &self.classes;
                (classes.of(left, signed), classes.of(right, signed), similarity)
            }
        };
        while let Some(&one) = rows.get(row) {
            let room = at_once.saturating_sub(found.len());
            let others = columns.get(column..).unwrap_or_default();
            let others = &others[..others.len().min(room)];
            found.extend(others.iter().map(|&other| Pair {
                left: one.min(other),
                right: one.max(other),
                similarity,
            }));
            column += others.len();
            if column < columns.len() {
                return Some((work, [row, column]));
            }
            row += 1;
            column = if matches!(work, Work::Equal(_)) { row + 1 } else { 0 };
        }
        None
    }
}
