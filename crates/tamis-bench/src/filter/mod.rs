//! `tamis-bench filter`: how fast, how large and how wrong, next to the peers.
//!
//! Three steps: races of all contenders on the same keys, measured false-positive rates, and the
//! claims of the project with their limits.

mod bars;
mod contender;
mod figure;
mod floor;
mod ours;
mod peers;
mod plan;
mod rates;
mod sizing;
mod speed;
mod tables;

use crate::bar::Bar;
use crate::keys::{Emails, RandomStrings, TextKeys, Texts, integers};
use crate::report::{self, Machine};
use contender::{BenchKey, Entry};
use plan::{Crowd, Heat};
use rates::Rate;
use serde::Serialize;
use speed::{Load, Speed};
use std::path::PathBuf;
use std::time::Duration;
use tamis::filter::CounterWidth;

/// What to compare.
#[derive(clap::Args)]
pub(crate) struct FilterArguments {
    /// Finish in under three minutes: fewer rounds, no 100 million keys
    #[arg(long)]
    quick: bool,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    /// Numbers of keys [default: 100000, 1000000, 10000000 and, unless quick, 100000000]
    #[arg(long, value_delimiter = ',')]
    sizes: Vec<usize>,
    /// Rates to check
    #[arg(long, value_delimiter = ',', default_values_t = [0.1, 0.01, 0.001, 0.0001])]
    rates: Vec<f64>,
    /// Kinds of keys: integers, strings, e-mails [default: all]
    #[arg(long, value_delimiter = ',')]
    keys: Vec<String>,
    /// Time only contenders whose names begin like one of these
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Rounds of every race, however long they take
    #[arg(long)]
    rounds: Option<usize>,
    /// Measure no rates
    #[arg(long)]
    skip_rates: bool,
    /// Write filter.json, filter.svg and filter.png into this folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Everything that was found.
#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    machine: Machine,
    quick: bool,
    speeds: Vec<Speed>,
    rates: Vec<Rate>,
    bars: Vec<Bar>,
}

/// The rate of the races.
const RACE_RATE: f64 = 0.01;

/// Runs the comparison.
///
/// # Errors
/// A filter that does not fit in memory or denies a key; a file that cannot be written.
pub(crate) fn run(arguments: &FilterArguments) -> anyhow::Result<()> {
    let mut speeds = Vec::new();
    let chosen = |kind: &str| arguments.keys.is_empty() || arguments.keys.iter().any(|k| k == kind);
    for mut heat in plan::heats(arguments.quick, &arguments.sizes) {
        if let Some(rounds) = arguments.rounds {
            (heat.rounds, heat.budget) = (rounds, Duration::MAX);
        }
        if chosen(heat.kind) {
            eprintln!("{heat}");
            speeds.extend(run_heat(&heat, &arguments.only)?);
        }
    }
    let mut rates = Vec::new();
    let checks =
        if arguments.skip_rates { Vec::new() } else { plan::rate_checks(&arguments.sizes) };
    for (kind, size) in checks.into_iter().filter(|(kind, _)| chosen(kind)) {
        eprintln!("rates: {kind}, {}", bars::short(size));
        rates.extend(rates::measure(kind, size, &arguments.rates)?);
    }
    let bars = bars::bars(&speeds, &rates);
    let machine = Machine::this();
    let findings = Findings { machine, quick: arguments.quick, speeds, rates, bars };
    let json = serde_json::to_string_pretty(&findings)? + "\n";
    if let Some(folder) = &arguments.output {
        report::save(folder, "filter.json", &json)?;
        figure::draw(&findings, folder)?;
    }
    report::print(&if arguments.json { json } else { tables::render(&findings) })
}

fn run_heat(heat: &Heat, only: &[String]) -> anyhow::Result<Vec<Speed>> {
    let absent = heat.questions.max(1_000_000);
    if heat.kind == "integers" {
        let end = heat.size as u64;
        let keys = integers(0..end);
        return race(heat, only, &keys, &integers(end..end + absent as u64));
    }
    let mut source: Box<dyn TextKeys> = match heat.kind {
        "strings" => Box::new(RandomStrings::default()),
        _ => Box::new(Emails::default()),
    };
    let present = Texts::take(source.as_mut(), heat.size);
    let absent = Texts::take(source.as_mut(), absent);
    race(heat, only, &present.keys(), &absent.keys())
}

fn race<'a, K: BenchKey + 'a>(
    heat: &Heat,
    only: &[String],
    present: &'a [K],
    absent: &'a [K],
) -> anyhow::Result<Vec<Speed>> {
    let mut entries = entries(heat)?;
    if !only.is_empty() {
        entries.retain(|entry| only.iter().any(|name| entry.name.starts_with(name.as_str())));
    }
    let load = Load {
        kind: heat.kind,
        rate: RACE_RATE,
        present,
        absent,
        questions: heat.questions,
        rounds: heat.rounds,
        budget: heat.budget,
    };
    speed::race(&load, &mut entries)
}

fn entries<'a, K: BenchKey + 'a>(heat: &Heat) -> anyhow::Result<Vec<Entry<'a, K>>> {
    let size = heat.size;
    let mut entries = ours::plain(size, RACE_RATE)?;
    entries.extend(peers::named(size, RACE_RATE));
    if heat.crowd >= Crowd::Bars {
        entries.extend(ours::concurrent(size, RACE_RATE)?);
        entries.extend(ours::counting(size, RACE_RATE, CounterWidth::Four)?);
        entries.push(peers::counting(size, RACE_RATE));
    }
    if heat.crowd == Crowd::Everyone {
        entries.extend(ours::counting(size, RACE_RATE, CounterWidth::Eight)?);
        entries.extend(ours::others(size, RACE_RATE)?);
        entries.extend(peers::others(size, RACE_RATE)?);
    }
    Ok(entries)
}
