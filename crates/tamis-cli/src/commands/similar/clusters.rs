//! `tamis similar clusters`: which documents belong together?

use super::arguments::AllWithAll;
use super::stages::{self, Prepared};
use crate::exit::ExitCode;
use crate::output::Output;
use crate::values::counted;
use clap::Args;
use tamis_corpus::report::{Columns, Row, write_report_about};
use tamis_corpus::similar::verify::for_each_pair;
use tamis_corpus::similar::{Clusters, Plan};

#[derive(Debug, Args)]
#[command(
    after_help = "Prints a line for each document of each group: the representative, tab, the id, tab, their
similarity. The representative is the first document of its group, and documents are in one group if a
chain of similar pairs connects them. Exit code 0 if there is a group of two or more, 1 if none.

Examples:
  tamis similar clusters texts/
  tamis similar clusters --threshold 0.5 corpus.parquet -o groups.jsonl
  tamis similar clusters --singletons corpus.csv -o groups.csv"
)]
pub struct ClustersArgs {
    /// List documents that are similar to no other, too: each is a group of its own
    #[arg(long)]
    singletons: bool,

    #[command(flatten)]
    pub all: AllWithAll,
}

const COLUMNS: Columns = Columns { left: "representative", right: "id", header: false };

pub fn run(args: &ClustersArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let least = if args.singletons { 1 } else { 2 };
    let args = &args.all;
    let (plan, prepared) = stages::prepare_all(args)?;
    let groups = groups(&plan, &prepared, least)?;
    match &args.output {
        Some(path) => write_report_about(path, COLUMNS, &stages::about(&plan), |report| {
            for_each(&plan, &prepared, &groups, |row| Ok(report.row(row)?))
        })?,
        None => for_each(&plan, &prepared, &groups, |row| out.row(row))?,
    }
    let alike = || groups.iter().filter(|group| group.len() > 1);
    let members: usize = alike().map(Vec::len).sum();
    let count = alike().count();
    let mut found =
        format!("{} of {}", counted(count as u64, "group"), counted(members as u64, "document"));
    if least == 1 {
        found += &format!(", {}", counted((groups.len() - count) as u64, "singleton"));
    }
    prepared.run.print(&plan, &prepared.signed, &found, args.resources.quiet);
    Ok(ExitCode::from_found(count > 0))
}

fn groups(plan: &Plan, prepared: &Prepared, least: usize) -> anyhow::Result<Vec<Vec<u32>>> {
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
    Ok(clusters.groups_of(least))
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
