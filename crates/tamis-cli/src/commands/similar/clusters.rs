//! `tamis similar clusters`: which documents belong together?

use super::arguments::{Comparing, Reading, Resources, Sets};
use super::stages::{self, Inputs, Prepared};
use crate::exit::ExitCode;
use crate::output::Output;
use crate::values::grouped;
use clap::Args;
use std::path::PathBuf;
use tamis_corpus::report::{Columns, Row, write_report};
use tamis_corpus::similar::verify::for_each_pair;
use tamis_corpus::similar::{Clusters, Plan};

#[derive(Debug, Args)]
#[command(
    after_help = "Prints a line for each document of each group: the representative, tab, the id, tab, their
similarity. The representative is the first document of its group, and documents are in one group if a
chain of similar pairs connects them. Exit code 0 if there is a group, 1 if none.

Examples:
  tamis similar clusters texts/
  tamis similar clusters --threshold 0.5 corpus.parquet -o groups.jsonl"
)]
pub struct ClustersArgs {
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

const COLUMNS: Columns = Columns { left: "representative", right: "id", header: false };

pub fn run(args: &ClustersArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let plan = args.comparing.plan()?;
    let options = args.reading.options();
    let inputs = Inputs {
        files: &args.files,
        others: &[],
        options: &options,
        sets: args.sets.sets.then_some((&args.sets, &args.reading)),
    };
    let prepared = stages::prepare(&plan, &inputs, &args.resources, |_| 0.0)?;
    let groups = groups(&plan, &prepared)?;
    match &args.output {
        Some(path) => write_report(path, COLUMNS, |report| {
            for_each(&plan, &prepared, &groups, |row| Ok(report.row(row)?))
        })?,
        None => for_each(&plan, &prepared, &groups, |row| out.row(row))?,
    }
    if !args.resources.quiet {
        let members: usize = groups.iter().map(Vec::len).sum();
        let found = format!(
            "{} groups of {} documents",
            grouped(groups.len() as u64),
            grouped(members as u64)
        );
        prepared.run.print(&plan, &found);
    }
    Ok(ExitCode::from_found(!groups.is_empty()))
}

fn groups(plan: &Plan, prepared: &Prepared) -> anyhow::Result<Vec<Vec<u32>>> {
    let Prepared { signed, candidates, .. } = prepared;
    let mut clusters = Clusters::new(signed);
    let mut progress = stages::verifying();
    for_each_pair(
        plan,
        signed,
        candidates,
        |_, _| true,
        |pair| -> anyhow::Result<()> {
            clusters.join(pair.left, pair.right);
            Ok(())
        },
        |parts| progress.advance(parts),
    )?;
    Ok(clusters.groups())
}

fn for_each(
    plan: &Plan,
    prepared: &Prepared,
    groups: &[Vec<u32>],
    mut write: impl FnMut(Row<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let signed = &prepared.signed;
    for group in groups {
        let representative = group[0];
        for &document in group {
            let similarity = signed.similarity(plan, representative, document)?;
            write(Row { left: signed.id(representative), right: signed.id(document), similarity })?;
        }
    }
    Ok(())
}
