//! `tamis filter merge`: several filters into one.

use crate::exit::ExitCode;
use crate::input;
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    after_help = "Filters match when they were built with the same options: layout, items, rate, hash and seed.

Examples:
  tamis filter merge -o week.tamis monday.tamis tuesday.tamis
  tamis filter merge --intersection -o both.tamis a.tamis b.tamis"
)]
pub struct MergeArgs {
    /// The filter to write
    #[arg(short, long, value_name = "FILTER")]
    output: PathBuf,

    /// Keep what is in all of them instead of what is in any
    #[arg(long)]
    intersection: bool,

    /// The filters to join
    #[arg(required = true, num_args = 2.., value_name = "FILTER")]
    filters: Vec<PathBuf>,
}

pub fn run(args: &MergeArgs) -> anyhow::Result<ExitCode> {
    // The output may be one of the inputs.
    let _lock = input::lock(&args.output)?;
    let (first, others) = args.filters.split_first().context("no filter to join")?;
    let mut merged = input::load_filter(first)?;
    for path in others {
        input::verify_filter(path)?;
        let other = input::open_filter(path)?;
        let joined =
            if args.intersection { merged.intersection(&other) } else { merged.union(&other) };
        joined.with_context(|| format!("{} and {}", first.display(), path.display()))?;
    }
    input::warn_if_overfull(&merged);
    input::save_filter(&args.output, &merged)?;
    Ok(ExitCode::Yes)
}
