//! All similar pairs: what each contender's search costs and finds.

use super::python::Python;
use super::search::{Cost, SEARCHERS};
use super::store;
use anyhow::{Context as _, ensure};
use serde::Serialize;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// The thresholds.
pub(crate) const THRESHOLDS: [f64; 2] = [0.8, 0.5];

/// The one whose pairs are the truth.
const EXACT: &str = "exact join";

/// Those who need Python.
const IN_PYTHON: [&str; 5] = ["rensa", "datasketch", "text-dedup", "datatrove", "fastdedup"];

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
    /// The part of them that is similar enough. Who tells no pairs is judged by copies alone.
    pub(crate) precision: f64,
    /// The part of the similar ones that was found.
    pub(crate) recall: f64,
    /// Whether pairs are told, and not only which documents are copies.
    pub(crate) has_pairs: bool,
    /// What a corpus would lose.
    pub(crate) copies: Copies,
}

/// The documents that would be removed, judged by the groups of the truth: of each group one
/// document must stay.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Copies {
    pub(crate) removed: usize,
    /// The part of the removed ones whose group keeps another document.
    pub(crate) precision: f64,
    /// The part of what could be removed.
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
    /// The only threshold, if one was asked for.
    pub(crate) threshold: Option<f64>,
}

impl Race<'_> {
    /// Runs every search in a process of its own, in rounds that are interleaved.
    ///
    /// # Errors
    /// A process that cannot be started or fails.
    pub(crate) fn run(&self) -> anyhow::Result<Vec<Search>> {
        let mut searches = Vec::new();
        for (threshold, python_rounds) in THRESHOLDS.into_iter().zip(self.python_rounds) {
            if self.threshold.is_some_and(|wanted| wanted.to_bits() != threshold.to_bits()) {
                continue;
            }
            let costs = self.costs(threshold, python_rounds)?;
            let truth = store::read_pairs(&self.pairs_of(EXACT))?;
            for (&contender, costs) in SEARCHERS.iter().zip(costs) {
                if costs.is_empty() {
                    continue;
                }
                let mut found = store::read_pairs(&self.pairs_of(contender))?;
                // A pair of a document with itself says that it is a copy.
                let has_pairs = found.iter().all(|[left, right]| left != right);
                let removed = removed(&found);
                if !has_pairs {
                    found.clear();
                }
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
                    has_pairs,
                    copies: copies(&removed, &truth),
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
                let is_there = self.python.is_some_and(|python| python.has(searcher));
                if in_python && (!is_there || round >= python_rounds) {
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

/// The first document of each document's group, by pairs.
fn groups(pairs: &[[u32; 2]]) -> HashMap<u32, u32> {
    fn first(groups: &mut HashMap<u32, u32>, document: u32) -> u32 {
        let mut place = document;
        while groups.get(&place).is_some_and(|&above| above != place) {
            let above = groups[&place];
            let next = groups.get(&above).copied().unwrap_or(above);
            groups.insert(place, next);
            place = above;
        }
        place
    }
    let mut groups = HashMap::new();
    for &[left, right] in pairs {
        let (left, right) = (first(&mut groups, left), first(&mut groups, right));
        groups.insert(left.max(right), left.min(right));
        groups.insert(left.min(right), left.min(right));
    }
    let documents: Vec<u32> = groups.keys().copied().collect();
    for document in documents {
        let first = first(&mut groups, document);
        groups.insert(document, first);
    }
    groups
}

/// The documents that go: all but the first of each group, or those that are named.
fn removed(pairs: &[[u32; 2]]) -> Vec<u32> {
    if pairs.iter().any(|[left, right]| left == right) {
        return pairs.iter().map(|[left, _]| *left).collect();
    }
    let groups = groups(pairs);
    groups.into_iter().filter(|(document, first)| document != first).map(|(d, _)| d).collect()
}

fn copies(removed: &[u32], truth: &[[u32; 2]]) -> Copies {
    let groups = groups(truth);
    let mut sizes: HashMap<u32, usize> = HashMap::new();
    groups.values().for_each(|first| *sizes.entry(*first).or_default() += 1);
    let most: usize = sizes.values().map(|size| size - 1).sum();
    let mut gone: HashMap<u32, usize> = HashMap::new();
    for document in removed {
        if let Some(first) = groups.get(document) {
            *gone.entry(*first).or_default() += 1;
        }
    }
    let right: usize = gone.iter().map(|(first, gone)| (*gone).min(sizes[first] - 1)).sum();
    let part = |of: usize| if of == 0 { 1.0 } else { right as f64 / of as f64 };
    Copies { removed: removed.len(), precision: part(removed.len()), recall: part(most) }
}

/// How many pairs are in both ascending lists.
fn common(left: &[[u32; 2]], right: &[[u32; 2]]) -> usize {
    left.iter().filter(|pair| right.binary_search(pair).is_ok()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_document_of_each_group_must_stay() {
        let truth = [[0, 1], [1, 2], [5, 9]];
        let mut all = removed(&truth);
        all.sort_unstable();
        assert_eq!(all, [1, 2, 9]);
        let of = |removed: &[u32]| copies(removed, &truth);
        assert_eq!(of(&[1, 2, 9]), Copies { removed: 3, precision: 1.0, recall: 1.0 });
        // Another one may stay, but not none.
        assert_eq!(of(&[0, 2, 5]), Copies { removed: 3, precision: 1.0, recall: 1.0 });
        assert_eq!(of(&[0, 1, 2, 5]), Copies { removed: 4, precision: 0.75, recall: 1.0 });
        assert_eq!(of(&[1, 7]), Copies { removed: 2, precision: 0.5, recall: 1.0 / 3.0 });
        assert_eq!(removed(&[[4, 4], [7, 7]]), [4, 7]);
    }
}
