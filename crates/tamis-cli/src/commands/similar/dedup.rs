//! `tamis similar dedup`: a corpus without its copies.

use super::arguments::{Comparing, Reading, Resources};
use super::stages::{self, Inputs, Prepared};
use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::values::grouped;
use clap::Args;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tamis::similar::Shingles;
use tamis_corpus::documents::{Document, fingerprint};
use tamis_corpus::report::{Columns, Row, write_report};
use tamis_corpus::rewrite::rewrite_unchanged;
use tamis_corpus::similar::Plan;
use tamis_corpus::similar::dedup::{Removal, copies, found_in_others};

#[derive(Debug, Args)]
#[command(
    after_help = "The output has the format of the input: lines stay as they are, Parquet keeps its columns and
types. Every document that goes is similar to one that stays; --report tells which, and how similar.

Examples:
  tamis similar dedup corpus.jsonl -o clean.jsonl --report removed.tsv
  tamis similar dedup --keep longest --threshold 0.7 part1.parquet part2.parquet -o clean.parquet
  tamis similar dedup --against test.jsonl train.jsonl -o train-clean.jsonl
  tamis similar dedup --exact-only texts/ -o clean/"
)]
pub struct DedupArgs {
    /// Folders and files
    #[arg(value_name = "INPUT", required = true)]
    files: Vec<PathBuf>,

    /// Where the clean corpus goes: a file, or a folder
    #[arg(long, short, value_name = "OUTPUT")]
    output: PathBuf,

    /// Which of several copies stays: first, longest, largest:FIELD, or priority:INPUT,INPUT...
    #[arg(long, default_value = "first")]
    keep: Keep,

    /// Remove what is similar to a document of OTHER, and nothing else
    #[arg(long, value_name = "OTHER")]
    against: Vec<PathBuf>,

    /// Only texts that are the same
    #[arg(long, conflicts_with_all = ["threshold", "shingle", "estimate"])]
    exact_only: bool,

    /// What was removed, what was kept instead, and their similarity: .tsv, .jsonl or .parquet
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    #[command(flatten)]
    comparing: Comparing,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    resources: Resources,
}

/// Which of several copies stays.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Keep {
    First,
    Longest,
    Largest(String),
    Priority(Vec<String>),
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "first" => Ok(Self::First),
            None if text == "longest" => Ok(Self::Longest),
            Some(("largest", field)) if !field.is_empty() => Ok(Self::Largest(field.to_owned())),
            Some(("priority", inputs)) if !inputs.is_empty() => {
                Ok(Self::Priority(inputs.split(',').map(ToOwned::to_owned).collect()))
            }
            _ => Err("write first, longest, largest:FIELD or priority:INPUT,INPUT...".to_owned()),
        }
    }
}

pub fn run(args: &DedupArgs) -> anyhow::Result<ExitCode> {
    let mut plan = args.comparing.plan()?;
    if args.exact_only {
        plan.shingler = plan.shingler.with_shingles(Shingles::Text);
        plan.threshold = 1.0;
        // Equal sets are found by their digests; there is nothing else to find.
        plan.bands.bands = 0;
    }
    if plan.shingler.shingles() == Shingles::Picture {
        return Err(anyhow::anyhow!("pictures are not copied").context(Hint(
            "tamis similar clusters --shingle picture lists the groups of like pictures",
        )));
    }
    let mut options = args.reading.options();
    if let Keep::Largest(field) = &args.keep {
        options.field = Some(field.clone());
    }
    let order = order_of_inputs(args)?;
    let as_read = fingerprint(&args.files, options.format)?;
    let inputs = Inputs {
        files: &args.files,
        others: &args.against,
        options: &options,
        preference: format!("{:?}", args.keep),
        sets: None,
    };
    let rank = |document: &Document<'_>| rank(&args.keep, &order, document);
    let prepared = stages::prepare(&plan, &inputs, &args.resources, rank)?;
    let removals = removals(&plan, &prepared, args)?;
    // Those to compare with have the first numbers.
    let own = |removal: &Removal| u64::from(removal.document - prepared.signed.others());
    let mut next = removals.iter().map(own).peekable();
    options.field = None;
    let written = rewrite_unchanged(
        &args.files,
        &options,
        as_read,
        |ordinal| next.next_if_eq(&ordinal).is_none(),
        &args.output,
    )?;
    if let Some(path) = &args.report {
        report(path, &prepared, &removals)?;
    }
    if !args.resources.quiet {
        let found = format!("{} removed, {} kept", grouped(written.dropped), grouped(written.kept));
        prepared.run.print(&plan, &prepared.signed, &found);
    }
    Ok(ExitCode::Yes)
}

fn removals(plan: &Plan, prepared: &Prepared, args: &DedupArgs) -> anyhow::Result<Vec<Removal>> {
    let Prepared { signed, candidates, workspace, .. } = prepared;
    let mut progress = stages::verifying();
    let advance = |parts| progress.advance(parts);
    Ok(if args.against.is_empty() {
        copies(plan, signed, candidates, workspace, advance)?
    } else {
        found_in_others(plan, signed, candidates, advance)?
    })
}

fn report(path: &Path, prepared: &Prepared, removals: &[Removal]) -> anyhow::Result<()> {
    let signed = &prepared.signed;
    write_report(path, Columns::REMOVED, |report| {
        for &Removal { document, kept, similarity } in removals {
            report.row(Row { left: signed.id(document), right: signed.id(kept), similarity })?;
        }
        Ok(())
    })
}

/// How much a document is preferred.
fn rank(keep: &Keep, order: &[f64], document: &Document<'_>) -> f64 {
    match keep {
        Keep::First => 0.0,
        Keep::Longest => document.text.len() as f64,
        Keep::Largest(_) => {
            let number = document.field.and_then(|field| field.trim().parse::<f64>().ok());
            number.filter(|number| !number.is_nan()).unwrap_or(f64::NEG_INFINITY)
        }
        Keep::Priority(_) => order.get(document.input).copied().unwrap_or(0.0),
    }
}

/// For each input how much its documents are preferred, if inputs have a priority.
fn order_of_inputs(args: &DedupArgs) -> anyhow::Result<Vec<f64>> {
    let Keep::Priority(names) = &args.keep else { return Ok(Vec::new()) };
    let is_called = |path: &Path, name: &str| {
        path == Path::new(name)
            || path.file_name().is_some_and(|file| file == name)
            || path.file_name().and_then(|file| file.to_str()).is_some_and(|file| {
                file.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
            })
    };
    for name in names {
        if !args.files.iter().any(|path| is_called(path, name)) {
            return Err(anyhow::anyhow!("no input is called {name}")
                .context(Hint("priority takes the names of inputs, the preferred first")));
        }
    }
    let place = |path: &PathBuf| names.iter().position(|name| is_called(path, name));
    Ok(args
        .files
        .iter()
        .map(|path| place(path).map_or(0.0, |at| (names.len() - at) as f64))
        .collect())
}
