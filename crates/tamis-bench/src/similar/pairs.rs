//! All similar pairs: what each contender's search costs and finds.

use super::python::Python;
use super::search::{Cost, SEARCHERS};
use super::store;
use anyhow::{Context as _, ensure};
use serde::Serialize;
use std::path::Path;
use std::process::Command;

/// The thresholds.
pub(crate) const THRESHOLDS: [f64; 2] = [0.8, 0.5];

/// The one whose pairs are the truth.
const EXACT: &str = "exact join";

/// Those who need Python.
const IN_PYTHON: [&str; 2] = ["rensa", "datasketch"];

/// One contender's search at one threshold.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Search {
    pub(crate) contender: &'static str,
    pub(crate) threshold: f64,
    /// Processor time in seconds, the least of the rounds.
    pub(crate) cpu: f64,
    /// The largest memory in megabytes, of all rounds.
    pub(crate) memory: Option<f64>,
    /// How many pairs were found.
    pub(crate) pairs: usize,
    /// The part of them that is similar enough.
    pub(crate) precision: f64,
    /// The part of the similar ones that was found.
    pub(crate) recall: f64,
}

/// What is searched, by whom and how often.
pub(crate) struct Race<'a> {
    /// Where the texts are and the pairs go.
    pub(crate) folder: &'a Path,
    pub(crate) python: Option<&'a Python>,
    pub(crate) rounds: usize,
    /// Rounds of those in Python at each of [`THRESHOLDS`]: they take long.
    pub(crate) python_rounds: [usize; 2],
}

impl Race<'_> {
    /// Runs every search in a process of its own, in rounds that are interleaved.
    ///
    /// # Errors
    /// A process that cannot be started or fails.
    pub(crate) fn run(&self) -> anyhow::Result<Vec<Search>> {
        let mut searches = Vec::new();
        for (threshold, python_rounds) in THRESHOLDS.into_iter().zip(self.python_rounds) {
            let costs = self.costs(threshold, python_rounds)?;
            let truth = store::read_pairs(&self.pairs_of(EXACT))?;
            for (&contender, costs) in SEARCHERS.iter().zip(costs) {
                if costs.is_empty() {
                    continue;
                }
                let found = store::read_pairs(&self.pairs_of(contender))?;
                let right = common(&found, &truth) as f64;
                let part = |of: usize| if of == 0 { 1.0 } else { right / of as f64 };
                searches.push(Search {
                    contender,
                    threshold,
                    cpu: costs.iter().map(|cost| cost.cpu).fold(f64::INFINITY, f64::min),
                    memory: costs.iter().filter_map(|cost| cost.memory).reduce(f64::max),
                    pairs: found.len(),
                    precision: part(found.len()),
                    recall: part(truth.len()),
                });
            }
        }
        Ok(searches)
    }

    /// The costs of all rounds, for each of [`SEARCHERS`].
    fn costs(&self, threshold: f64, python_rounds: usize) -> anyhow::Result<Vec<Vec<Cost>>> {
        let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); SEARCHERS.len()];
        for round in 0..self.rounds.max(1) {
            for turn in 0..SEARCHERS.len() {
                let place = (turn + round) % SEARCHERS.len();
                let searcher = SEARCHERS[place];
                let in_python = IN_PYTHON.contains(&searcher);
                if in_python && (self.python.is_none() || round >= python_rounds) {
                    continue;
                }
                eprintln!("pairs at {threshold}: {searcher}, round {}", round + 1);
                let command = self.command(searcher, threshold)?;
                costs[place].push(cost(command).with_context(|| searcher.to_owned())?);
            }
        }
        Ok(costs)
    }

    /// What to start.
    fn command(&self, searcher: &str, threshold: f64) -> anyhow::Result<Command> {
        let (mut command, verb, texts) = match self.python {
            Some(python) if IN_PYTHON.contains(&searcher) => {
                (python.command(), "search", "texts.jsonl")
            }
            _ => (Command::new(std::env::current_exe()?), "similar-pairs", "texts"),
        };
        command.args([verb, searcher, &threshold.to_string()]);
        command.arg(self.folder.join(texts)).arg(self.pairs_of(searcher));
        command.env("RAYON_NUM_THREADS", "1");
        Ok(command)
    }

    fn pairs_of(&self, searcher: &str) -> std::path::PathBuf {
        self.folder.join(format!("pairs of {searcher}"))
    }
}

fn cost(mut command: Command) -> anyhow::Result<Cost> {
    let output = command.stderr(std::process::Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the search ended with {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// How many pairs are in both ascending lists.
fn common(left: &[[u32; 2]], right: &[[u32; 2]]) -> usize {
    left.iter().filter(|pair| right.binary_search(pair).is_ok()).count()
}
