//! This project's signatures and its search for pairs.

use super::contender::{Signs, WORDS};
use super::store::Reader;
use tamis::hash::KeyHash;
use tamis::similar::lsh::Bands;
use tamis::similar::signature::estimate;
use tamis::similar::{Shingler, Shingles, Signer};
use tamis_corpus::similar::candidates::Candidates;
use tamis_corpus::similar::pairs::for_each_document_pair;
use tamis_corpus::similar::{Batch, DEFAULT_MEMORY, Plan, Scoring, Signing, Workspace};

/// How texts become sets, for us and for the exact join.
pub(crate) fn shingler() -> Shingler {
    Shingler::new(Shingles::Words(WORDS))
}

/// Signatures by fast similarity sketching.
pub(crate) struct Ours {
    shingler: Shingler,
    signer: Signer,
    hashes: Vec<u64>,
    components: Vec<u64>,
}

impl Ours {
    pub(crate) fn new(components: usize, seed: u64) -> Self {
        let hash = KeyHash::new(seed);
        let signer = Signer::new(components).expect("a number that is allowed").with_hash(hash);
        let shingler = shingler().with_hash(hash);
        Self { shingler, signer, hashes: Vec::new(), components: vec![0; components] }
    }
}

impl Signs for Ours {
    fn sign(&mut self, text: &str) -> &[u64] {
        self.hashes.clear();
        self.shingler.hashes(text, &mut self.hashes);
        self.signer.sign_into(&self.hashes, &mut self.components);
        &self.components
    }

    fn estimate(&self, left: &[u64], right: &[u64], sizes: (u64, u64)) -> f64 {
        estimate(left, right, sizes)
    }
}

/// Documents that are handed over at once.
const BATCH: usize = 1024;

/// The part of the pairs at the threshold that the bands are to find.
const RECALL: f64 = 0.995;

/// All pairs, verified from the sets.
///
/// # Errors
/// A file that cannot be read or written.
pub(crate) fn pairs(mut texts: Reader, threshold: f64) -> anyhow::Result<Vec<[u32; 2]>> {
    let plan = Plan {
        shingler: shingler(),
        signer: Signer::new(128)?,
        bands: Bands::for_recall(128, threshold, RECALL)?,
        threshold,
        scoring: Scoring::Exact,
    };
    let mut workspace = Workspace::temporary(DEFAULT_MEMORY)?;
    let mut signing = Signing::new(&plan, &workspace);
    let mut number = 0;
    let mut batch = Batch::default();
    while let Some(text) = texts.next()? {
        batch.push(&number.to_string(), text, 0.0);
        number += 1;
        if batch.len() == BATCH {
            signing.documents(&batch)?;
            batch.clear();
        }
    }
    signing.documents(&batch)?;
    drop(batch);
    let signed = signing.finish(&mut workspace)?;
    let candidates = Candidates::find(&signed, &mut workspace, |_| {})?;
    let mut pairs = Vec::new();
    let visit = |pair: tamis_corpus::similar::Pair| {
        pairs.push([pair.left, pair.right]);
        Ok::<(), tamis_corpus::Error>(())
    };
    for_each_document_pair(&plan, &signed, &candidates, visit, |_| {})?;
    Ok(pairs)
}
