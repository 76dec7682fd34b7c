//! `tamis similar pairs`: which documents are alike?

use super::arguments::AllWithAll;
use super::stages::{self, Prepared};
use crate::exit::ExitCode;
use crate::output::Output;
use crate::values::counted;
use clap::Args;
use tamis_corpus::report::{Columns, Row, write_report_about};
use tamis_corpus::similar::pairs::for_each_document_pair;
use tamis_corpus::similar::{Pair, Plan};

#[derive(Debug, Args)]
#[command(
    after_help = "Prints id, tab, id, tab, similarity. Exit code 0 if there is a pair, 1 if none.

Examples:
  tamis similar pairs texts/
  tamis similar pairs --threshold 0.5 --shingle chars:5 corpus.jsonl.gz -o pairs.parquet
  tamis similar pairs 'shards/part-*.parquet' --text-column meta.text -o pairs.csv
  tamis similar pairs 's3://bucket/shards/part-*.parquet' -o pairs.parquet
  tamis similar pairs --threshold 0.6 --sets --set-column 1 --item-column 2 ratings.tsv"
)]
pub struct PairsArgs {
    #[command(flatten)]
    pub all: AllWithAll,
}

pub fn run(args: &PairsArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let args = &args.all;
    let (plan, prepared) = stages::prepare_all(args)?;
    let mut count = 0;
    match &args.output {
        Some(path) => write_report_about(path, Columns::PAIRS, &stages::about(&plan), |report| {
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
    let found = format!("{} at {} or more", counted(count, "pair"), plan.threshold);
    prepared.run.print(&plan, &prepared.signed, &found, args.resources.quiet);
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
