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
    /// Assemble so many bytes of real texts (1G) from what is installed: sources of crates, documents
    /// and packages of Python
    #[arg(long, value_name = "SIZE", conflicts_with = "texts", value_parser = size)]
    assemble: Option<usize>,
    /// Search for pairs at this threshold alone, 0.8 or 0.5, and measure no signatures
    #[arg(long, value_name = "THRESHOLD")]
    only_pairs: Option<f64>,
    /// Leave out the peers in Python
    #[arg(long)]
    skip_python: bool,
    /// What makes the Python environment; text-dedup wants Python 3.12
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: String,
    /// The program of fastdedup, built from its repository
    #[arg(long, value_name = "PROGRAM")]
    fastdedup: Option<PathBuf>,
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

/// A number of bytes: `200M`, `1G`.
fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = match text.strip_suffix(['k', 'M', 'G']) {
        Some(number) if text.ends_with('k') => (number, 1_000),
        Some(number) if text.ends_with('M') => (number, 1_000_000),
        Some(number) => (number, 1_000_000_000),
        None => (text, 1),
    };
    let number: usize = number.parse().map_err(|_| format!("write 200M or 1G, not {text}"))?;
    number.checked_mul(unit).ok_or_else(|| format!("{text} is too much"))
}

/// Runs the comparison.
///
/// # Errors
/// Texts that cannot be read, a search that fails, a file that cannot be written.
pub(crate) fn run(arguments: &SimilarArguments) -> anyhow::Result<()> {
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let texts = match (&arguments.texts, arguments.assemble) {
        (Some(folder), _) => texts::of_folder(folder)?,
        (None, Some(bytes)) => texts::assembled(bytes)?,
        (None, None) => texts::generated(texts::GENERATED),
    };
    let folder = tempfile::Builder::new().prefix("tamis-bench-").tempdir()?;
    let python = python(arguments, folder.path());
    let findings = measure(&texts, &effort, python.as_ref(), folder.path(), arguments)?;
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
    eprintln!("python: rensa, datasketch, text-dedup and datatrove");
    let environment = arguments.python_env.clone().unwrap_or_else(|| folder.join("python"));
    let fastdedup = arguments.fastdedup.clone();
    let python = Python::prepare(&arguments.python, &environment, folder, fastdedup);
    python.inspect_err(|error| eprintln!("The peers in Python are left out: {error:#}.")).ok()
}

fn measure(
    texts: &[String],
    effort: &Effort,
    python: Option<&Python>,
    folder: &Path,
    arguments: &SimilarArguments,
) -> anyhow::Result<Findings> {
    let (mut speeds, mut accuracies) = (Vec::new(), Vec::new());
    if arguments.only_pairs.is_none() {
        let sample = speed::sample(texts, effort.sample);
        eprintln!("text to signature: {} texts, {} rounds", sample.len(), effort.rounds);
        speeds = speed::race(&sample, effort.rounds);
        if let Some(python) = python.filter(|it| it.has("rensa") && it.has("datasketch")) {
            let path = folder.join("sample.jsonl");
            store::write_jsonl(&sample, &path)?;
            speeds.extend(python.speeds(&path, effort.python_signs)?);
        }
        eprintln!("errors: {} pairs of each kind", accuracy::PAIRS);
        accuracies = accuracy::measure(texts, accuracy::PAIRS);
    }
    if python.is_some() {
        store::write_jsonl(texts, &folder.join("texts.jsonl"))?;
    }
    store::write(texts, &folder.join("texts"))?;
    let race = Race {
        folder,
        python,
        rounds: effort.searches,
        python_rounds: effort.python_searches,
        threshold: arguments.only_pairs,
    };
    let searches = race.run()?;
    Ok(Findings {
        machine: Machine::this(),
        quick: arguments.quick,
        texts: texts.len(),
        bytes: texts.iter().map(String::len).sum(),
        bars: bars::bars(&speeds, &accuracies, &searches),
        speeds,
        accuracies,
        searches,
    })
}
