//! The first stage for files: documents or ready-made sets become signatures.

use super::spool::Spool;
use super::{Batch, Plan, Signed, Signing, Workspace};
use crate::Result;
use crate::documents::{Corpus, Document, ReadOptions, Tolerance};
use crate::pictures::for_each_picture_of;
use crate::sets::{SetOptions, for_each_member_of};
use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;
use std::path::PathBuf;
use tamis::hash::Key;
use tamis::similar::Set;

/// Documents are handed on when so many bytes of text, or so many documents, have come together: enough
/// for all threads, and little beside the least memory.
const BATCH_BYTES: usize = 4 << 20;
const BATCH_DOCUMENTS: usize = 4096;

/// Reads documents into a stage that has begun. `rank` tells how much one is preferred; `progress` is
/// told how many bytes were read.
///
/// # Errors
/// As [`Corpus::open`] and [`Corpus::for_each_document`], and [`crate::Error::Write`] when parts go to files.
pub fn sign_documents(
    signing: &mut Signing<'_>,
    inputs: &[PathBuf],
    options: &ReadOptions,
    rank: impl Fn(&Document<'_>) -> f64,
    progress: impl FnMut(u64),
) -> Result<()> {
    sign_corpus(signing, &Corpus::open(inputs, options)?, options, rank, progress)
}

/// As [`sign_documents`], of inputs that were looked at.
///
/// # Errors
/// As [`Corpus::for_each_document`], and [`crate::Error::Write`] when parts go to files.
pub fn sign_corpus(
    signing: &mut Signing<'_>,
    corpus: &Corpus,
    options: &ReadOptions,
    rank: impl Fn(&Document<'_>) -> f64,
    mut progress: impl FnMut(u64),
) -> Result<()> {
    let mut batch = Batch::default();
    let mut position = 0;
    let summary = corpus.for_each_document(options, |document| -> Result<()> {
        batch.push(document.id, document.text, rank(&document));
        if batch.bytes() >= BATCH_BYTES || batch.len() >= BATCH_DOCUMENTS {
            signing.documents(&batch)?;
            batch.clear();
            progress(document.position.saturating_sub(position));
            position = document.position;
        }
        Ok(())
    })?;
    signing.documents(&batch)?;
    signing.note(summary);
    Ok(())
}

/// Reads pictures into a stage that has begun; `progress` is told how many bytes were read.
///
/// # Errors
/// As [`for_each_picture_of`], and [`crate::Error::Write`] when parts go to files.
pub fn sign_pictures(
    signing: &mut Signing<'_>,
    corpus: &Corpus,
    tolerance: &Tolerance,
    progress: impl FnMut(u64),
) -> Result<()> {
    let shingler = signing.shingler().clone();
    let sign = |id: &str, set: Set| signing.sets(&[(id.to_owned(), set)]);
    let summary = for_each_picture_of(corpus, &shingler, tolerance, sign, progress)?;
    signing.note(summary);
    Ok(())
}

/// A member of a set: twelve bytes, the hash in two halves so that no room is lost.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct InSet {
    hash: [u32; 2],
    set: u32,
}

/// Sets with neighbouring numbers are read back together.
const SETS_PER_PART: u32 = 1 << 14;
const SET_PARTS: usize = 1 << 10;

/// Reads ready-made sets, numbered in the order in which they are first named.
///
/// # Errors
/// As [`for_each_member_of`], and [`crate::Error::Write`] when parts go to files.
pub fn sign_sets(
    plan: &Plan,
    corpus: &Corpus,
    options: &SetOptions,
    workspace: &mut Workspace,
    mut progress: impl FnMut(u64),
) -> Result<Signed> {
    let hash = plan.shingler.hash();
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut names: Vec<String> = Vec::new();
    let mut members = Spool::new(workspace.folder(), "members", SET_PARTS, workspace.share(0.2));
    members.remove()?;
    let mut position = 0;
    let summary = for_each_member_of(corpus, options, |member| -> Result<()> {
        let set = match numbers.get(member.set) {
            Some(&set) => set,
            None => {
                let set = names.len() as u32;
                numbers.insert(member.set.to_owned(), set);
                names.push(member.set.to_owned());
                set
            }
        };
        let item = member.item.hash_with(hash);
        let part = ((set / SETS_PER_PART) as usize).min(SET_PARTS - 1);
        members.push(part, InSet { hash: [item as u32, (item >> 32) as u32], set })?;
        if member.position - position > 1 << 20 {
            progress(member.position - position);
            position = member.position;
        }
        Ok(())
    })?;
    drop(numbers);
    let mut signing = Signing::new(plan, workspace);
    let mut names = names.into_iter();
    for part in 0..SET_PARTS {
        let mut records = members.read(part)?;
        records.sort_by_key(|record| record.set);
        let mut batch = Vec::new();
        for rows in records.chunk_by(|a, b| a.set == b.set) {
            let item = |row: &InSet| u64::from(row.hash[1]) << 32 | u64::from(row.hash[0]);
            let Some(name) = names.next() else { break };
            batch.push((name, Set::from_hashes(rows.iter().map(item).collect())));
        }
        signing.sets(&batch)?;
    }
    members.remove()?;
    signing.note(summary);
    signing.finish(workspace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similar::{Scoring, candidates::Candidates, pairs::for_each_document_pair};
    use tamis::similar::lsh::Bands;
    use tamis::similar::{Shingler, Shingles, Signer};

    #[test]
    fn sets_are_numbered_as_they_come_and_their_rows_need_not_be_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ratings.tsv");
        let rows = "b\t1\na\t1\nb\t2\na\t2\nc\t9\na\t3\nb\t3\nb\t3\nd\t1\nd\t2\n";
        std::fs::write(&path, rows).unwrap();
        let plan = Plan {
            shingler: Shingler::new(Shingles::Words(1)),
            signer: Signer::new(64).unwrap(),
            bands: Bands { bands: 64, rows: 1 },
            threshold: 0.6,
            scoring: Scoring::Exact,
        };
        let mut workspace = Workspace::temporary(1 << 26).unwrap();
        let options = SetOptions::default();
        let corpus = crate::sets::corpus_of_sets(&[path], &options).unwrap();
        let signed = sign_sets(&plan, &corpus, &options, &mut workspace, |_| ()).unwrap();
        assert_eq!(signed.read()[0].documents, 10);
        assert_eq!((0..4).map(|d| signed.id(d)).collect::<Vec<_>>(), ["b", "a", "c", "d"]);
        let candidates = Candidates::find(&signed, &mut workspace, |_| ()).unwrap();
        let mut found = Vec::new();
        for_each_document_pair(
            &plan,
            &signed,
            &candidates,
            |pair| -> Result<()> {
                found.push((pair.left, pair.right, pair.similarity));
                Ok(())
            },
            |_| (),
        )
        .unwrap();
        // b and a are {1, 2, 3}; d is {1, 2}.
        assert_eq!(found, [(0, 1, 1.0), (0, 3, 2.0 / 3.0), (1, 3, 2.0 / 3.0)]);
    }
}
