//! `tamis filter count`: how often has the filter seen each of these lines?

use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::input::{BATCH, KeyInput, open_filter};
use crate::output::Output;
use anyhow::{Context, anyhow};
use clap::Args;
use std::path::PathBuf;
use tamis::filter::AnyFilter;

#[derive(Debug, Args)]
#[command(
    after_help = "Prints each line, a tab and its count, which is never too small until it stops at 15 or 255.
Exit code 0 if a line is in, 1 if none.

Example:
  tamis filter count words.tamis text.txt"
)]
pub struct CountArgs {
    /// The counting filter
    filter: PathBuf,

    #[command(flatten)]
    input: KeyInput,
}

pub fn run(args: &CountArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let any = open_filter(&args.filter)?;
    let AnyFilter::Counting(filter) = &any else {
        return Err(anyhow!(
            "{}: {} knows whether it has seen a key, not how often",
            args.filter.display(),
            any.kind().described()
        ))
        .context(Hint("build with --counting 4 or 8 to count"));
    };
    args.input.check_kinds(&args.filter, filter)?;
    let separator = args.input.separator().byte();
    let mut any = false;
    let mut counts = [0; BATCH];
    args.input.for_each_batch("counting", filter.hash(), |keys, hashes| {
        let counts = &mut counts[..keys.len()];
        filter.count_many_hashes(hashes, counts);
        for (key, &count) in keys.iter().zip(&*counts) {
            any |= count > 0;
            out.data(key)?;
            out.text(format_args!("\t{count}"))?;
            out.byte(separator)?;
        }
        Ok(())
    })?;
    Ok(ExitCode::from_found(any))
}
