//! One contender's search for all pairs, in a process of its own: its processor time and its
//! largest memory are then nobody else's.

use super::join;
use super::ours;
use super::peers::{Gaoya, Txtfp};
use super::store::{self, Reader};
use crate::usage::{largest_memory, processor_time};
use anyhow::{Context as _, bail};
use gaoya::minhash::{MinHashIndex, calculate_minhash_params};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use txtfp::{HashFamily, LshIndex, LshIndexBuilder};

/// Those who search, ours first.
pub(crate) const SEARCHERS: [&str; 10] = [
    "tamis",
    "txtfp",
    "txtfp, more bands",
    "gaoya",
    "exact join",
    "rensa",
    "datasketch",
    "text-dedup",
    "datatrove",
    "fastdedup",
];

/// What a process is to do.
#[derive(clap::Args)]
pub(crate) struct PairsArguments {
    /// Who searches
    pub(crate) searcher: String,
    /// The least similarity
    pub(crate) threshold: f64,
    /// The texts
    pub(crate) texts: PathBuf,
    /// Where the pairs go
    pub(crate) pairs: PathBuf,
}

/// What a process needed.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// Processor time in seconds, of the user and of the system.
    pub(crate) cpu: f64,
    /// The largest memory, in megabytes; none where the system does not tell.
    pub(crate) memory: Option<f64>,
}

/// Searches, writes the pairs and prints the cost as JSON.
///
/// # Errors
/// A file that cannot be read or written, or an unknown contender.
pub(crate) fn run_pairs(arguments: &PairsArguments) -> anyhow::Result<()> {
    let texts = Reader::open(&arguments.texts)?;
    let threshold = arguments.threshold;
    let pairs = match arguments.searcher.as_str() {
        "tamis" => ours::pairs(texts, threshold)?,
        "txtfp" => txtfp(texts, threshold, 1)?,
        "txtfp, more bands" => txtfp(texts, threshold, 2)?,
        "gaoya" => gaoya(texts, threshold)?,
        "exact join" => exact(texts, threshold)?,
        other => bail!("nobody is called {other}"),
    };
    let cost = Cost { cpu: processor_time(), memory: largest_memory() };
    store::write_pairs(&pairs, &arguments.pairs)?;
    crate::report::print(&(serde_json::to_string(&cost)? + "\n"))
}

/// Asks the index of txtfp before each insertion, with the bands that it chooses for the threshold,
/// or so many times more, which find more.
fn txtfp(mut texts: Reader, threshold: f64, more: usize) -> anyhow::Result<Vec<[u32; 2]>> {
    let signs = Txtfp::new(HashFamily::Xxh3_64, 0);
    let threshold = threshold as f32;
    let chosen: LshIndex<128> =
        LshIndexBuilder::for_threshold(threshold, 128).context("txtfp")?.build();
    let mut index = LshIndex::<128>::with_bands_rows(chosen.bands() * more, chosen.rows() / more)
        .context("txtfp")?;
    let (mut pairs, mut number) = (Vec::new(), 0);
    while let Some(text) = texts.next()? {
        if let Some(signature) = signs.fingerprint(text) {
            let found = index.query_with_threshold(&signature, threshold);
            pairs.extend(found.into_iter().map(|other| [other as u32, number]));
            index.insert(u64::from(number), signature);
        }
        number += 1;
    }
    Ok(pairs)
}

/// Asks the index of gaoya before each insertion, with bands for the threshold.
fn gaoya(mut texts: Reader, threshold: f64) -> anyhow::Result<Vec<[u32; 2]>> {
    let (bands, rows) = calculate_minhash_params(threshold, 128);
    let signs = Gaoya::new(bands * rows, 3);
    let mut index = MinHashIndex::new(bands, rows, threshold);
    let (mut pairs, mut number) = (Vec::new(), 0u32);
    while let Some(text) = texts.next()? {
        if let Some(signature) = signs.signature(text) {
            let found = index.query(&signature);
            pairs.extend(found.into_iter().map(|&other| [other, number]));
            index.insert(number, signature);
        }
        number += 1;
    }
    Ok(pairs)
}

fn exact(mut texts: Reader, threshold: f64) -> anyhow::Result<Vec<[u32; 2]>> {
    let shingler = ours::shingler();
    let mut sets = Vec::new();
    while let Some(text) = texts.next()? {
        sets.push(shingler.set(text).into_hashes());
    }
    Ok(join::pairs(sets, threshold))
}
