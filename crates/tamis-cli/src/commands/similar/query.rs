//! `tamis similar query`: which documents of an index are like these?

use super::arguments::Reading;
use super::{index, summary};
use crate::exit::ExitCode;
use crate::output::Output;
use crate::values;
use clap::Args;
use std::path::PathBuf;
use tamis_corpus::documents::{Format, ReadOptions};
use tamis_corpus::report::Row;

#[derive(Debug, Args)]
#[command(
    after_help = "Prints the id of the asked document, tab, the id of one that is like it, tab, the estimated
similarity; the most similar first. Exit code 0 if something was found, 1 if nothing.

Examples:
  tamis similar query texts.tamis letter.txt
  tamis similar query texts.tamis --nearest 10 letter.txt
  tamis similar query texts.tamis --threshold 0.7 new.jsonl"
)]
pub struct QueryArgs {
    /// The index
    index: PathBuf,

    /// Folders and files to ask for; standard input if there is none, or for `-`
    #[arg(value_name = "INPUT")]
    files: Vec<PathBuf>,

    /// The least similarity
    #[arg(long, short, value_parser = values::rate, default_value = "0.5", conflicts_with = "nearest")]
    threshold: f64,

    /// The so many most similar documents, however similar they are
    #[arg(long, short, value_name = "N")]
    nearest: Option<usize>,

    #[command(flatten)]
    pub reading: Reading,

    /// Say nothing about what could not be read
    #[arg(long, short)]
    quiet: bool,
}

pub fn run(args: &QueryArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let index = index::open(&args.index)?;
    let shingler = index::shingler_of(&index, &args.index)?;
    let mut any = false;
    // A file that says nothing about itself is a document.
    let options = ReadOptions { plain: Format::Files, ..args.reading.options()? };
    let corpus = index::open_corpus(&args.files, &options, &shingler)?;
    let read = index::for_each_set(&corpus, &options, &shingler, "querying", |id, set| {
        let found = match args.nearest {
            Some(count) => index.nearest(&set, count),
            None => index.similars_to(&set, args.threshold),
        };
        for found in found {
            any = true;
            out.row(Row { left: id, right: found.id, similarity: found.similarity })?;
        }
        Ok(())
    })?;
    summary::tell(&read, args.quiet);
    Ok(ExitCode::from_found(any))
}
