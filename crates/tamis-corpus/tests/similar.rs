//! The pipeline finds what an exhaustive comparison finds, whatever the memory, the threads, and
//! where it was interrupted.

use std::collections::BTreeMap;
use std::path::Path;
use tamis::hash::{Functions, KeyHash};
use tamis::similar::lsh::Bands;
use tamis::similar::{Shingler, Shingles, Signer, jaccard};
use tamis_corpus::similar::candidates::Candidates;
use tamis_corpus::similar::verify::for_each_pair;
use tamis_corpus::similar::{Batch, Clusters, Pair, Plan, Scoring, Signed, Signing, Workspace};
use tamis_corpus::{Error, Result};

fn plan(threshold: f64) -> Plan {
    let signer = Signer::new(128).expect("128 components");
    Plan {
        shingler: Shingler::new(Shingles::Words(2)),
        signer,
        bands: Bands::for_recall(128, threshold, 0.9999).expect("a sensible threshold"),
        threshold,
        scoring: Scoring::Exact,
    }
}

/// Texts of invented words; every third is a copy of the one before with some words changed, and every
/// tenth an exact copy.
fn corpus(documents: u64) -> Vec<String> {
    let mut texts: Vec<Vec<u64>> = Vec::new();
    for document in 0..documents {
        let mut words = Functions::new(KeyHash::new(1).integer(document)).map(|f| f >> 48);
        let text = if document % 10 == 9 {
            texts[document as usize / 2].clone()
        } else if document % 3 == 2 {
            let mut text = texts[document as usize - 1].clone();
            for change in 0..document % 7 {
                let place = words.next().unwrap_or(0) as usize % text.len();
                text[place] = change;
            }
            text
        } else {
            words.take(20 + (document % 30) as usize).collect()
        };
        texts.push(text);
    }
    let join = |text: &Vec<u64>| {
        let words: Vec<String> = text.iter().map(|word| format!("w{word}")).collect();
        words.join(" ")
    };
    texts.iter().map(join).collect()
}

fn sign(plan: &Plan, corpus: &[String], workspace: &mut Workspace) -> Result<Signed> {
    let mut signing = Signing::new(plan, workspace);
    let (mut batch, mut number) = (Batch::default(), 0);
    for texts in corpus.chunks(37) {
        for text in texts {
            batch.push(&format!("document {number}"), text, 0.0);
            number += 1;
        }
        signing.documents(&batch)?;
        batch.clear();
    }
    signing.finish(workspace)
}

fn pairs(plan: &Plan, signed: &Signed, workspace: &mut Workspace) -> Result<Vec<Pair>> {
    let candidates = Candidates::find(signed, workspace, |_| ())?;
    let mut found = Vec::new();
    for_each_pair(
        plan,
        signed,
        &candidates,
        |_, _| true,
        |pair| -> Result<(), Error> {
            found.push(pair);
            Ok(())
        },
        |_| (),
    )?;
    Ok(found)
}

#[test]
fn the_pipeline_finds_the_pairs_of_an_exhaustive_comparison() {
    let corpus = corpus(400);
    let plan = plan(0.6);
    let sets: Vec<_> = corpus.iter().map(|document| plan.shingler.set(document)).collect();
    let mut expected = BTreeMap::new();
    for left in 0..sets.len() {
        // Equal sets are joined beforehand; the first stands for all.
        if sets[..left].contains(&sets[left]) {
            continue;
        }
        for right in left + 1..sets.len() {
            let similarity = jaccard::similarity(&sets[left], &sets[right]);
            if similarity >= 0.6 && !sets[..right].contains(&sets[right]) {
                expected.insert((left as u32, right as u32), similarity);
            }
        }
    }
    assert!(expected.len() > 50, "only {} pairs", expected.len());
    let mut workspace = Workspace::temporary(1 << 30).expect("a folder");
    let signed = sign(&plan, &corpus, &mut workspace).expect("signed");
    let found = pairs(&plan, &signed, &mut workspace).expect("pairs");
    let found: BTreeMap<_, _> = found.iter().map(|p| ((p.left, p.right), p.similarity)).collect();
    assert_eq!(found, expected);
    assert_eq!(signed.id(7), "document 7");

    // Groups: whatever is connected by a pair or by equal sets.
    let mut clusters = Clusters::new(&signed);
    for (left, right) in found.keys() {
        clusters.join(*left, *right);
    }
    for (left, right) in found.keys() {
        assert_eq!(clusters.first(*left), clusters.first(*right));
    }
    let grouped: usize = clusters.groups().iter().map(Vec::len).sum();
    assert!(grouped > 100, "{grouped} documents are in groups");
}

#[test]
fn threads_do_not_change_the_result() {
    let corpus = corpus(300);
    let plan = plan(0.5);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut workspace = Workspace::temporary(1 << 30).expect("a folder");
            let signed = sign(&plan, &corpus, &mut workspace).expect("signed");
            pairs(&plan, &signed, &mut workspace).expect("pairs")
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

fn resumable(folder: &Path) -> Workspace {
    Workspace::resumable(folder, "the same run", 1 << 30).expect("a folder")
}

#[test]
fn a_run_goes_on_from_the_last_finished_stage() {
    let corpus = corpus(300);
    let plan = plan(0.6);
    let mut workspace = Workspace::temporary(1 << 30).expect("a folder");
    let signed = sign(&plan, &corpus, &mut workspace).expect("signed");
    let expected = pairs(&plan, &signed, &mut workspace).expect("pairs");

    let folder = tempfile::tempdir().expect("a folder");
    // Interrupted in the first stage: nothing is there to go on from.
    {
        let workspace = resumable(folder.path());
        let mut signing = Signing::new(&plan, &workspace);
        let mut batch = Batch::default();
        corpus[..100].iter().for_each(|text| batch.push("", text, 0.0));
        signing.documents(&batch).expect("signed");
        assert!(Signed::reopen(&workspace).expect("readable").is_none());
    }
    // The first stage finished, the second interrupted.
    {
        let mut workspace = resumable(folder.path());
        assert!(Signed::reopen(&workspace).expect("readable").is_none());
        sign(&plan, &corpus, &mut workspace).expect("signed");
        std::fs::write(folder.path().join("pairs-0000.part"), [7; 24]).expect("half a stage");
    }
    // Both finished.
    for _ in 0..2 {
        let mut workspace = resumable(folder.path());
        let signed = Signed::reopen(&workspace).expect("readable").expect("the first stage");
        assert_eq!(pairs(&plan, &signed, &mut workspace).expect("pairs"), expected);
    }
    // Another run does not take what this one has left.
    let other = Workspace::resumable(folder.path(), "another run", 1 << 30);
    let refused = other.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused.contains("keeps a run with other"), "{refused}");
}

#[test]
fn documents_without_words_are_like_nothing() {
    let corpus = ["", " ", "", "one", "one", "two"].map(str::to_owned);
    let plan = plan(0.5);
    let mut workspace = Workspace::temporary(1 << 30).expect("a folder");
    let signed = sign(&plan, &corpus, &mut workspace).expect("signed");
    assert!(pairs(&plan, &signed, &mut workspace).expect("pairs").is_empty());
    assert_eq!(Clusters::new(&signed).groups(), [vec![3, 4]]);
}
