//! `tamis cascade train`.

use super::make::{Making, OnConflict};
use super::training::Training;
use crate::exit::ExitCode;
use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "A key that starts with [ and ends with ] is written with a backslash before it. The same key twice in a category
counts once.

Examples:
  tamis cascade train -o classes.tamis classes.txt
  tamis cascade train --reject 8 -o classes.tamis --tsv classes.tsv
  tamis cascade train --listed ads.hosts --unlisted sites.txt -o ads.tamis
  tamis cascade train --format bfc --algorithm 1 -o classes.bfc classes.txt"
)]
pub struct TrainArgs {
    #[command(flatten)]
    training: Training,

    #[command(flatten)]
    making: Making,

    /// What to do with a key in two categories
    #[arg(long, value_enum, default_value_t = OnConflict::Error)]
    on_conflict: OnConflict,
}

pub fn run(args: &TrainArgs) -> anyhow::Result<ExitCode> {
    args.making.run(&args.training.open()?, args.on_conflict)?;
    Ok(ExitCode::Yes)
}
