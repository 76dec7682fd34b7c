//! `tamis similar pairs`: which documents are alike?

use super::arguments::{Comparing, Reading, Resources, Sets};
use super::stages::{self, Inputs, Prepared};
use crate::exit::ExitCode;
use crate::output::Output;
use crate::values::grouped;
use clap::Args;
use std::path::PathBuf;
use tamis_corpus::report::{Columns, Row, write_report};
use tamis_corpus::similar::pairs::for_each_document_pair;
use tamis_corpus::similar::{Pair, Plan};

#[derive(Debug, Args)]
#[command(
    after_help = "Prints id, tab, id, tab, similarity. Exit code 0 if there is a pair, 1 if none.

Examples:
  tamis similar pairs texts/
  tamis similar pairs --threshold 0.5 --shingle chars:5 corpus.jsonl.gz -o pairs.parquet
  tamis similar pairs --threshold 0.6 --sets --set-column 1 --item-column 2 ratings.tsv"
)]
pub struct PairsArgs {
    /// Folders and files; standard input if there is none, or for `-`
    #[arg(value_name = "INPUT")]
    files: Vec<PathBuf>,

    /// Write to a file: .tsv, .jsonl or .parquet, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    comparing: Comparing,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    sets: Sets,

    #[command(flatten)]
    resources: Resources,
}

pub fn run(args: &PairsArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let plan = args.comparing.plan()?;
    let options = args.reading.options();
    let inputs = Inputs {
        files: &args.files,
        others: &[],
        options: &options,
        sets: args.sets.sets.then_some((&args.sets, &args.reading)),
    };
    let prepared = stages::prepare(&plan, &inputs, &args.resources, |_| 0.0)?;
    let mut count = 0;
    match &args.output {
        Some(path) => write_report(path, Columns::PAIRS, |report| {
            for_each(&plan, &prepared, |row| {
                count += 1;
                Ok(report.row(row)?)
            })
        })?,
        None => for_each(&plan, &prepared, |row| {
            count += 1;
            out.row(row)
        })?,
    }
    if !args.resources.quiet {
        let found = format!("{} pairs at {} or more", grouped(count), plan.threshold);
        prepared.run.print(&plan, &found);
    }
    Ok(ExitCode::from_found(count > 0))
}

fn for_each(
    plan: &Plan,
    prepared: &Prepared,
    mut write: impl FnMut(Row<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Prepared { signed, candidates, .. } = prepared;
    let mut progress = stages::verifying();
    for_each_document_pair(
        plan,
        signed,
        candidates,
        |Pair { left, right, similarity }| {
            write(Row { left: signed.id(left), right: signed.id(right), similarity })
        },
        |parts| progress.advance(parts),
    )
}
