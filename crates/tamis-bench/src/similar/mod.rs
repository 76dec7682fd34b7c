//! `tamis-bench similar`: signatures, their errors, and all similar pairs, next to the peers.
//!
//! Three steps, all on the same word 3-shingles: from text to signature, estimates against exact
//! similarities, and the search for all pairs, each contender's in a process of its own. Then
//! come the claims of the project with their limits.

mod accuracy;
mod bars;
mod contender;
mod figure;
mod join;
mod ours;
mod pairs;
mod peers;
mod python;
mod search;
mod speed;
mod store;
mod tables;
mod texts;

pub(crate) use search::{PairsArguments, run_pairs};

use crate::bar::Bar;
use crate::report::{self, Machine};
use accuracy::Accuracy;
use pairs::{Race, Search};
use python::Python;
use serde::Serialize;
use speed::Speed;
use std::path::{Path, PathBuf};

/// What to compare.
#[derive(clap::Args)]
pub(crate) struct SimilarArguments {
    /// A folder of texts, each file a document in Latin-1; generated texts, if none is named
    texts: Option<PathBuf>,
    /// Finish in under three minutes: fewer rounds, Python at 0.8 only
    #[arg(long)]
    quick: bool,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    /// Leave out the peers in Python
    #[arg(long)]
    skip_python: bool,
    /// Keep the Python environment in this folder [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    python_env: Option<PathBuf>,
    /// Write similar.json, similar.svg and similar.png into this folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Everything that was found.
#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    machine: Machine,
    quick: bool,
    /// How many texts.
    texts: usize,
    /// How long they are together, in UTF-8.
    bytes: usize,
    speeds: Vec<Speed>,
    accuracies: Vec<Accuracy>,
    searches: Vec<Search>,
    bars: Vec<Bar>,
}

/// How much is done.
struct Effort {
    /// Bytes of text in the races of signatures.
    sample: usize,
    rounds: usize,
    /// Rounds of the search for pairs.
    searches: usize,
    /// Rounds of the peers in Python, for signatures and at each threshold.
    python_signs: usize,
    python_searches: [usize; 2],
}

impl Effort {
    const QUICK: Self = Self {
        sample: 8_000_000,
        rounds: 8,
        searches: 2,
        python_signs: 1,
        python_searches: [1, 0],
    };
    const FULL: Self = Self {
        sample: 32_000_000,
        rounds: 20,
        searches: 5,
        python_signs: 3,
        python_searches: [2, 2],
    };
}

/// Runs the comparison.
///
/// # Errors
/// Texts that cannot be read, a search that fails, a file that cannot be written.
pub(crate) fn run(arguments: &SimilarArguments) -> anyhow::Result<()> {
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let texts = match &arguments.texts {
        Some(folder) => texts::of_folder(folder)?,
        None => texts::generated(texts::GENERATED),
    };
    let folder = tempfile::Builder::new().prefix("tamis-bench-").tempdir()?;
    let python = python(arguments, folder.path());
    let findings = measure(&texts, &effort, python.as_ref(), folder.path(), arguments.quick)?;
    let json = serde_json::to_string_pretty(&findings)? + "\n";
    if let Some(folder) = &arguments.output {
        report::save(folder, "similar.json", &json)?;
        figure::draw(&findings, folder)?;
    }
    report::print(&if arguments.json { json } else { tables::render(&findings) })
}

/// The peers in Python, if they are wanted and can be had.
fn python(arguments: &SimilarArguments, folder: &Path) -> Option<Python> {
    if arguments.skip_python {
        return None;
    }
    eprintln!("python: rensa and datasketch");
    let environment = arguments.python_env.clone().unwrap_or_else(|| folder.join("python"));
    let python = Python::prepare(&environment, folder);
    python.inspect_err(|error| eprintln!("The peers in Python are left out: {error:#}.")).ok()
}

fn measure(
    texts: &[String],
    effort: &Effort,
    python: Option<&Python>,
    folder: &Path,
    quick: bool,
) -> anyhow::Result<Findings> {
    let sample = speed::sample(texts, effort.sample);
    eprintln!("text to signature: {} texts, {} rounds", sample.len(), effort.rounds);
    let mut speeds = speed::race(&sample, effort.rounds);
    if let Some(python) = python {
        let path = folder.join("sample.jsonl");
        store::write_jsonl(&sample, &path)?;
        speeds.extend(python.speeds(&path, effort.python_signs)?);
        store::write_jsonl(texts, &folder.join("texts.jsonl"))?;
    }
    eprintln!("errors: {} pairs of each kind", accuracy::PAIRS);
    let accuracies = accuracy::measure(texts, accuracy::PAIRS);
    store::write(texts, &folder.join("texts"))?;
    let race =
        Race { folder, python, rounds: effort.searches, python_rounds: effort.python_searches };
    let searches = race.run()?;
    Ok(Findings {
        machine: Machine::this(),
        quick,
        texts: texts.len(),
        bytes: texts.iter().map(String::len).sum(),
        bars: bars::bars(&speeds, &accuracies, &searches),
        speeds,
        accuracies,
        searches,
    })
}
