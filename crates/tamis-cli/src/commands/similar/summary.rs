//! What a run did, for the person who waits for it.

use crate::output::escaped;
use crate::values::{self, Percent, counted, grouped};
use std::time::Instant;
use tamis_corpus::documents::Summary;
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

    /// Prints what was read and found, and how sure that is, to standard error.
    pub fn print(&self, plan: &Plan, signed: &Signed, found: &str) {
        signed.read().iter().for_each(problems);
        let mut what = counted(signed.documents() as u64, "document");
        if signed.others() > 0 {
            what += &format!(", {} of them to compare with", grouped(u64::from(signed.others())));
        }
        let bytes: u64 = signed.read().iter().map(|summary| summary.bytes).sum();
        if bytes > 0 {
            what += &format!(", {}", values::size(bytes));
        }
        if self.resumed {
            what += ", taken over from an earlier run";
        }
        let seconds = self.started.elapsed().as_secs_f64();
        let memory = peak_memory().map(|bytes| format!(", {} at the peak", values::size(bytes)));
        eprintln!("{what}: {found}; {seconds:.1} s{}", memory.unwrap_or_default());
        if plan.bands.bands > 0 {
            eprintln!("{}", promise(plan));
        }
    }
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
pub fn problems(summary: &Summary) {
    for (problem, occurrences) in &summary.problems {
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
    if summary.empty > 0 {
        eprintln!("noted {}: the text is empty", grouped(summary.empty));
    }
}

/// The most memory that this process has had, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
