//! What a run did, for the person who waits for it.

use crate::output::escaped;
use crate::values::{self, Percent, counted, grouped};
use std::time::Instant;
use tamis_corpus::documents::{Problem, Summary};
use tamis_corpus::similar::{Plan, Scoring, Signed};

/// A run so far.
pub struct Run {
    started: Instant,
    /// Whether finished stages were taken over.
    pub resumed: bool,
}

impl Run {
    pub fn start() -> Self {
        Self { started: Instant::now(), resumed: false }
    }

    /// Prints what was read and found, and how sure that is, to standard error; the last line has
    /// the counts. Records that could not be read are told of in any case.
    pub fn print(&self, plan: &Plan, signed: &Signed, found: &str, is_quiet: bool) {
        let read = signed.read();
        let skipped: u64 = read.iter().map(Summary::skipped).sum();
        read.iter().for_each(|summary| tell(summary, is_quiet));
        if is_quiet {
            return;
        }
        eprintln!("{}", words(plan));
        if plan.bands.bands > 0 {
            eprintln!("{}", promise(plan));
        }
        let sources: Vec<String> = read.iter().filter_map(Summary::sources).collect();
        let mut what = sources.join(", ");
        if !what.is_empty() {
            what += ", ";
        }
        what += &counted(signed.documents() as u64, "document");
        if signed.others() > 0 {
            what += &format!(", {} of them to compare with", grouped(u64::from(signed.others())));
        }
        let bytes: u64 = read.iter().map(|summary| summary.bytes).sum();
        if bytes > 0 {
            what += &format!(", {}", values::size(bytes));
        }
        if self.resumed {
            what += ", taken over from an earlier run";
        }
        let skipped = match skipped {
            0 => String::new(),
            _ => format!("; {} skipped", counted(skipped, "record")),
        };
        let seconds = self.started.elapsed().as_secs_f64();
        let memory = peak_memory().map(|bytes| format!(", {} at the peak", values::size(bytes)));
        let memory = memory.unwrap_or_default();
        eprintln!("{what}: {found}{skipped}; {seconds:.1} s{memory}");
    }
}

/// What was compared.
fn words(plan: &Plan) -> String {
    format!("compared by {}", plan.shingler)
}

/// What the curve promises.
fn promise(plan: &Plan) -> String {
    let bands = plan.bands;
    let found = Percent(bands.probability(plan.threshold));
    let judged = match plan.scoring {
        Scoring::Exact => "every candidate is verified",
        Scoring::Estimate => "estimated from signatures",
    };
    format!(
        "of the pairs at similarity {} the bands find {found}, of more similar ones more ({} bands of {} rows); {judged}",
        plan.threshold, bands.bands, bands.rows
    )
}

/// Prints what could not be read, or only in part.
fn problems(summary: &Summary) {
    print(summary, |_| true);
    if summary.empty > 0 {
        eprintln!("noted {}: the text is empty", grouped(summary.empty));
    }
}

/// Prints what could not be read; if the run is to be quiet, only what was left out.
pub fn tell(summary: &Summary, is_quiet: bool) {
    if is_quiet {
        print(summary, Problem::is_skipped);
    } else {
        problems(summary);
    }
}

fn print(summary: &Summary, wanted: impl Fn(Problem) -> bool) {
    for (problem, occurrences) in summary.problems.iter().filter(|(problem, _)| wanted(**problem)) {
        let places: Vec<String> = occurrences
            .examples
            .iter()
            .map(|example| {
                let detail = if example.detail.is_empty() { "" } else { " " };
                format!("{}{detail}{}", example.place, example.detail)
            })
            .collect();
        let more = occurrences.count > places.len() as u64;
        let verb = if problem.is_skipped() { "skipped" } else { "noted" };
        eprintln!(
            "{verb} {}: {problem} ({}{})",
            grouped(occurrences.count),
            escaped(places.join("; ").as_bytes()),
            if more { "; ..." } else { "" }
        );
    }
}

/// The most memory that this process has had, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
