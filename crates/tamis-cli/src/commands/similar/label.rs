//! `tamis similar label`: the corpus itself, with what is known of each document.

use super::arguments::{Comparing, Reading, Resources};
use super::keep::Keep;
use super::stages::{self, Inputs, Prepared};
use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::values::{counted, grouped};
use clap::Args;
use std::path::PathBuf;
use tamis::similar::Shingles;
use tamis_corpus::documents::{Corpus, Document};
use tamis_corpus::rewrite::{LABELS, Label, check_output, label_unchanged};
use tamis_corpus::similar::labels::Labels;
use tamis_corpus::table::{Holds, Sheet, Value, check_table_name, write_table};

#[derive(Debug, Args)]
#[command(after_help = "Writes the corpus in its own format with three more columns:
  cluster         number of the group that a chain of similar pairs connects
  representative  id of the document that stays in its place; its own if it stays
  keep            whether it stays, as similar dedup would decide
A folder of shards becomes a folder of shards. Documents that are files or lines have no columns: for
them a table with id, cluster, representative and keep is written.

Examples:
  tamis similar label corpus.jsonl -o labelled.jsonl
  tamis similar label --keep smallest:date shards/ -o labelled/
  tamis similar label texts/ -o labels.csv")]
pub struct LabelArgs {
    /// Folders, files, patterns such as 'part-*.jsonl', addresses of objects (s3, gs, az, http);
    /// `-` for standard input
    #[arg(value_name = "INPUT", required = true)]
    files: Vec<PathBuf>,

    /// Where the labelled corpus goes: a file, or a folder
    #[arg(long, short, value_name = "OUTPUT")]
    output: PathBuf,

    /// Which of several copies stays: first, last, longest, largest:FIELD, smallest:FIELD, or
    /// priority:INPUT,INPUT...
    #[arg(long, default_value = "first")]
    keep: Keep,

    #[command(flatten)]
    comparing: Comparing,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    resources: Resources,
}

pub fn run(args: &LabelArgs) -> anyhow::Result<ExitCode> {
    let plan = args.comparing.plan()?;
    if plan.shingler.shingles() == Shingles::Picture {
        return Err(anyhow::anyhow!("pictures have no columns for labels").context(Hint(
            "tamis similar clusters --shingle picture lists the groups of like pictures",
        )));
    }
    let mut options = args.reading.options()?;
    options.field = args.keep.field();
    let corpus = Corpus::open_again(&args.files, &options)?;
    let has_columns = corpus.has_columns()?;
    stages::check_tables(&corpus, &[&args.reading.bad])?;
    if has_columns {
        check_output(&corpus, &args.output)?;
    } else {
        stages::check_tables(&corpus, &[&Some(args.output.clone())])?;
    }
    stages::check_other(&args.output, args.reading.bad.as_deref().into_iter())?;
    let as_read = corpus.fingerprint()?;
    let order = args.keep.order(&corpus)?;
    let inputs = Inputs {
        corpus: &corpus,
        others: None,
        options: &options,
        preference: format!("{:?}", args.keep),
        sets: None,
    };
    let rank = |document: &Document<'_>| args.keep.rank(&order, document);
    let prepared = stages::prepare(&plan, &inputs, &args.resources, rank)?;
    let Prepared { signed, candidates, workspace, run } = &prepared;
    let mut progress = stages::verifying();
    let labels =
        Labels::find(&plan, signed, candidates, workspace, |parts| progress.advance(parts))?;
    drop(progress);
    let label = |ordinal: u64| {
        let document = ordinal as u32;
        Label {
            cluster: u64::from(labels.clusters[ordinal as usize]),
            representative: signed.id(labels.representatives[ordinal as usize]),
            keep: labels.keeps(document),
        }
    };
    if has_columns {
        label_unchanged(&corpus, &options, as_read, &label, &args.output)?;
    } else {
        check_table_name(&args.output)?;
        let columns = [
            ("id", Holds::Text),
            (LABELS[0], Holds::Number),
            (LABELS[1], Holds::Text),
            (LABELS[2], Holds::Truth),
        ];
        let about = stages::about(&plan);
        let sheet = Sheet { columns: &columns, header: true, about: &about };
        write_table(&args.output, sheet, |rows| -> anyhow::Result<()> {
            for document in 0..signed.documents() as u32 {
                let Label { cluster, representative, keep } = label(u64::from(document));
                rows.row(&[
                    Value::Text(signed.id(document)),
                    Value::Number(cluster),
                    Value::Text(representative),
                    Value::Truth(keep),
                ])?;
            }
            Ok(())
        })?;
    }
    let found = format!(
        "{}, {} to keep",
        counted(labels.count() as u64, "cluster"),
        grouped(labels.kept() as u64)
    );
    run.print(&plan, signed, &found, args.resources.quiet);
    Ok(ExitCode::Yes)
}
