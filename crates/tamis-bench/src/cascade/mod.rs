//! `tamis-bench cascade`: exact categories of keys, next to the peers.
//!
//! Every contender learns every set in a process of its own and is asked for all keys of it. Then come the numbers of
//! functions of the classic cascade, static filters, and the claims of the project with their limits.

mod bars;
mod clubcards;
mod contender;
mod figure;
mod grid;
mod ours;
mod peers;
mod sets;
mod static_filter;
mod tables;
mod tree;
mod trial;

pub(crate) use trial::{TrialArguments, run_trial};

use crate::bar::Bar;
use crate::report::{self, Machine};
use anyhow::ensure;
use contender::{CHAIN, CLUBCARD, COMP_VFUNC, CONTENDERS, OURS};
use grid::Cell;
use serde::Serialize;
use sets::{Set, sets};
use static_filter::StaticRow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use trial::Trial;

/// What to compare.
#[derive(clap::Args)]
pub(crate) struct CascadeArguments {
    /// Finish in about three minutes: one round, and large sets for ours and the fastest peer alone
    #[arg(long)]
    quick: bool,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    /// A part of the keys of every set; claims about sizes and times are of whole sets
    #[arg(long, default_value_t = 1.0, value_name = "PART")]
    scale: f64,
    /// Sets by their names [default: all]
    #[arg(long, value_delimiter = ',')]
    sets: Vec<String>,
    /// Only contenders whose names begin like one of these
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Skip the numbers of functions of the classic cascade
    #[arg(long)]
    skip_grid: bool,
    /// Skip static filters
    #[arg(long)]
    skip_filters: bool,
    /// Write cascade.json and plots as SVG and PNG into this folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Everything that was found.
#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    machine: Machine,
    quick: bool,
    /// Who did not learn what, and why.
    left_out: Vec<String>,
    sets: Vec<Set>,
    trials: Vec<Trial>,
    grid: Vec<Cell>,
    filters: Vec<StaticRow>,
    bars: Vec<Bar>,
}

/// Sets of more keys are large.
const LARGE: u64 = 3_000_000;

/// Runs the comparison.
///
/// # Errors
/// A trial that fails, or a file that cannot be written.
pub(crate) fn run(arguments: &CascadeArguments) -> anyhow::Result<()> {
    let scale = arguments.scale;
    ensure!(scale > 0.0 && scale <= 1.0, "a part lies between 0 and 1, got {scale}");
    let mut all = sets();
    if !arguments.sets.is_empty() {
        all.retain(|set| arguments.sets.iter().any(|name| name == set.name));
    }
    let (trials, left_out) = trials(arguments, &all)?;
    let mut grid = Vec::new();
    if let Some(set) = sets().iter().find(|set| set.name == "E" && !arguments.skip_grid) {
        eprintln!("functions of the classic cascade");
        grid = grid::measure(&set.scaled(scale))?;
    }
    let mut filters = Vec::new();
    if !arguments.skip_filters {
        eprintln!("static filters");
        let rounds = if arguments.quick { 10 } else { 40 };
        for keys in [1e6, 1e7] {
            filters.extend(static_filter::measure(((keys * scale) as usize).max(1000), rounds)?);
        }
    }
    let findings = Findings {
        machine: Machine::this(),
        quick: arguments.quick,
        left_out,
        sets: all,
        bars: bars::bars(&trials, &filters),
        trials,
        grid,
        filters,
    };
    let json = serde_json::to_string_pretty(&findings)? + "\n";
    if let Some(folder) = &arguments.output {
        report::save(folder, "cascade.json", &json)?;
        figure::draw(&findings, folder)?;
    }
    report::print(&if arguments.json { json } else { tables::render(&findings) })
}

/// All trials, one process at a time, and who was left out.
fn trials(arguments: &CascadeArguments, all: &[Set]) -> anyhow::Result<(Vec<Trial>, Vec<String>)> {
    let mut trials = Vec::new();
    let mut left_out: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let wanted = |name: &str| {
        arguments.only.is_empty() || arguments.only.iter().any(|only| name.starts_with(only))
    };
    for set in all {
        let keys = set.scaled(arguments.scale).keys();
        let rounds = if arguments.quick { 4 } else { 10 };
        let times = if arguments.quick || keys > LARGE { 1 } else { 3 };
        for contender in CONTENDERS.into_iter().filter(|name| wanted(name)) {
            if contender == CHAIN && set.counts.len() == 2 {
                continue;
            }
            if arguments.quick && !in_quick(contender, keys) {
                left_out.entry(contender).or_default().push(set.name);
                continue;
            }
            eprintln!("{}: {contender}", set.name);
            let trial = TrialArguments {
                contender: contender.to_owned(),
                set: set.name.to_owned(),
                scale: arguments.scale,
                questions: ((f64::from(1 << 20) * arguments.scale) as usize).max(1000),
                rounds,
            };
            trials.push(trial::in_processes(&trial, times)?);
        }
    }
    let slow = |(contender, sets): (&str, Vec<&str>)| {
        format!("{contender} on {}: too slow for a quick run", sets.join(", "))
    };
    Ok((trials, left_out.into_iter().map(slow).collect()))
}

/// Whether a quick run has time for it.
fn in_quick(contender: &str, keys: u64) -> bool {
    match contender {
        OURS | COMP_VFUNC => true,
        CLUBCARD => keys <= LARGE,
        _ => keys < 100_000,
    }
}
