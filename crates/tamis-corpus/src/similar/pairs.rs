//! All similar pairs of documents: those of distinct sets, and those of equal ones.

use super::candidates::Candidates;
use super::verify::{Pair, for_each_pair};
use super::{Classes, Plan, Signed};
use crate::Result;

/// Calls `visit` with every similar pair of documents. First come, for each set in the order of its first
/// document, the pairs that have it in common, and then its pairs with later sets.
///
/// # Errors
/// As [`for_each_pair`].
pub fn for_each_document_pair<E: From<crate::Error> + Send>(
    plan: &Plan,
    signed: &Signed,
    candidates: &Candidates,
    mut visit: impl FnMut(Pair) -> Result<(), E>,
    progress: impl FnMut(u64),
) -> Result<(), E> {
    let classes = Classes::new(signed);
    // Sets up to this document have had their equal pairs.
    let mut next = 0;
    let mut equal_before = |end: u32, visit: &mut dyn FnMut(Pair) -> Result<(), E>| {
        for first in next..end {
            if signed.first_equal[first as usize] != first {
                continue;
            }
            let members = classes.of(first, signed);
            for (index, &left) in members.iter().enumerate() {
                for &right in &members[index + 1..] {
                    visit(Pair { left, right, similarity: 1.0 })?;
                }
            }
        }
        next = next.max(end);
        Ok::<(), E>(())
    };
    for_each_pair(
        plan,
        signed,
        candidates,
        |_, _| true,
        |Pair { left, right, similarity }| -> Result<(), E> {
            equal_before(left + 1, &mut visit)?;
            for &one in classes.of(left, signed) {
                for &other in classes.of(right, signed) {
                    visit(Pair { left: one.min(other), right: one.max(other), similarity })?;
                }
            }
            Ok(())
        },
        progress,
    )?;
    equal_before(signed.documents() as u32, &mut visit)
}
