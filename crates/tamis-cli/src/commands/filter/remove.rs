//! `tamis filter remove`: lines taken back from a counting filter.

use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::input::{self, KeyInput};
use crate::values::grouped;
use anyhow::{Context, anyhow};
use clap::Args;
use std::path::PathBuf;
use tamis::filter::{AnyFilter, Filter, Removal};

#[derive(Debug, Args)]
#[command(
    after_help = "Remove only what was added: a line that is found by chance takes from others.
Exit code 1 if some line was not in, or its counters had stopped.

Example:
  tamis filter remove words.tamis gone.txt"
)]
pub struct RemoveArgs {
    /// The counting filter; it is replaced whole or not at all
    filter: PathBuf,

    #[command(flatten)]
    input: KeyInput,
}

pub fn run(args: &RemoveArgs) -> anyhow::Result<ExitCode> {
    let _lock = input::lock(&args.filter)?;
    let mut any = input::load_filter(&args.filter)?;
    let AnyFilter::Counting(filter) = &mut any else {
        return Err(anyhow!(
            "{}: {} cannot take back a key: its bits are shared with others",
            args.filter.display(),
            any.kind().described()
        ))
        .context(Hint("build with --counting 4 to remove keys later"));
    };
    args.input.check_kinds(&args.filter, filter)?;
    let hash = *filter.hash();
    let (mut removed, mut absent, mut saturated) = (0, 0, 0);
    args.input.for_each_batch("removing", &hash, |_, hashes| {
        for &hash in hashes {
            match filter.remove_hash(hash) {
                Removal::Removed => removed += 1,
                Removal::Absent => absent += 1,
                Removal::Saturated => saturated += 1,
            }
        }
        Ok(())
    })?;
    input::save_filter(&args.filter, &any)?;
    eprintln!(
        "{} removed, {} were not in, {} are in too often to count",
        grouped(removed),
        grouped(absent),
        grouped(saturated)
    );
    Ok(ExitCode::from_found(absent + saturated == 0))
}
