//! `tamis similar dedup`: a corpus without its copies.

use super::arguments::{Comparing, Reading, Resources};
use super::keep::Keep;
use super::stages::{self, Inputs, Prepared};
use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::values::grouped;
use clap::Args;
use std::path::{Path, PathBuf};
use tamis::similar::Shingles;
use tamis_corpus::documents::{Corpus, Document};
use tamis_corpus::report::{Columns, Row, write_report_about};
use tamis_corpus::rewrite::{check_output, rewrite_unchanged};
use tamis_corpus::similar::Plan;
use tamis_corpus::similar::dedup::{Removal, copies, found_in_others};

#[derive(Debug, Args)]
#[command(
    after_help = "The output has the format of the input: lines stay as they are, Parquet keeps its columns and
types. A folder of shards becomes a folder of shards, unless the output has an extension. Every
document that goes is similar to one that stays; --report tells which, and how similar.

Examples:
  tamis similar dedup corpus.jsonl -o clean.jsonl --report removed.tsv
  tamis similar dedup --keep longest --threshold 0.7 part1.parquet part2.parquet -o clean.parquet
  tamis similar dedup --against test.jsonl train.jsonl -o train-clean.jsonl
  tamis similar dedup --exact-only texts/ -o clean/
  zcat corpus.jsonl.gz | tamis similar dedup - -o clean.jsonl.zst"
)]
pub struct DedupArgs {
    /// Folders, files, patterns such as 'part-*.jsonl', addresses of objects (s3, gs, az, http);
    /// `-` for standard input
    #[arg(value_name = "INPUT", required = true)]
    files: Vec<PathBuf>,

    /// Where the clean corpus goes: a file, or a folder
    #[arg(long, short, value_name = "OUTPUT")]
    output: PathBuf,

    /// Which of several copies stays: first, last, longest, largest:FIELD, smallest:FIELD, or
    /// priority:INPUT,INPUT...
    #[arg(long, default_value = "first")]
    keep: Keep,

    /// Remove what is similar to a document of OTHER, and nothing else
    #[arg(long, value_name = "OTHER")]
    against: Vec<PathBuf>,

    /// Only texts that are the same
    #[arg(long, conflicts_with_all = ["threshold", "shingle", "estimate"])]
    exact_only: bool,

    /// What was removed, what was kept instead, and their similarity: .tsv, .csv, .jsonl or .parquet
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    #[command(flatten)]
    comparing: Comparing,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    resources: Resources,
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
    let mut options = args.reading.options()?;
    options.field = args.keep.field();
    let corpus = Corpus::open_again(&args.files, &options)?;
    let others = match &args.against[..] {
        [] => None,
        against => Some(Corpus::open(against, &options)?),
    };
    check_outputs(args, &corpus)?;
    let order = args.keep.order(&corpus)?;
    let as_read = corpus.fingerprint()?;
    let inputs = Inputs {
        corpus: &corpus,
        others: others.as_ref(),
        options: &options,
        preference: format!("{:?}, exact-only {}", args.keep, args.exact_only),
        sets: None,
    };
    let rank = |document: &Document<'_>| args.keep.rank(&order, document);
    let prepared = stages::prepare(&plan, &inputs, &args.resources, rank)?;
    let removals = removals(&plan, &prepared, args)?;
    // Those to compare with have the first numbers.
    let own = |removal: &Removal| u64::from(removal.document - prepared.signed.others());
    let mut next = removals.iter().map(own).peekable();
    let written = rewrite_unchanged(
        &corpus,
        &options,
        as_read,
        |ordinal| next.next_if_eq(&ordinal).is_none(),
        &args.output,
    )?;
    if let Some(path) = &args.report {
        report(path, &plan, &prepared, &removals)?;
    }
    let found = format!("{} removed, {} kept", grouped(written.dropped), grouped(written.kept));
    prepared.run.print(&plan, &prepared.signed, &found, args.resources.quiet);
    Ok(ExitCode::Yes)
}

/// Refuses what cannot be written before hours of work for it.
fn check_outputs(args: &DedupArgs, corpus: &Corpus) -> anyhow::Result<()> {
    check_output(corpus, &args.output)?;
    stages::check_tables(corpus, &[&args.report, &args.reading.bad])?;
    let tables = [&args.report, &args.reading.bad];
    stages::check_other(&args.output, tables.into_iter().filter_map(|table| table.as_deref()))
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

fn report(
    path: &Path,
    plan: &Plan,
    prepared: &Prepared,
    removals: &[Removal],
) -> anyhow::Result<()> {
    let signed = &prepared.signed;
    write_report_about(path, Columns::REMOVED, &stages::about(plan), |report| {
        for &Removal { document, kept, similarity } in removals {
            report.row(Row { left: signed.id(document), right: signed.id(kept), similarity })?;
        }
        Ok(())
    })
}
