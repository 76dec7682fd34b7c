//! `tamis filter check`: which of these lines has the filter seen?

use crate::exit::ExitCode;
use crate::input::{BATCH, KeyInput, open_filter};
use crate::output::Output;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Exit code 0 if a line was printed, 1 if none.

Examples:
  tamis filter check seen.tamis addresses.txt
  seq 1000 | tamis filter check --integers numbers.tamis
  tamis filter check --absent seen.tamis new.txt > unseen.txt")]
pub struct CheckArgs {
    /// The filter
    filter: PathBuf,

    /// Print the lines that are certainly not in
    #[arg(long)]
    absent: bool,

    /// Print nothing; the exit code tells
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    input: KeyInput,
}

pub fn run(args: &CheckArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let filter = open_filter(&args.filter)?;
    args.input.check_kinds(&args.filter, &filter)?;
    let separator = args.input.separator().byte();
    let mut any = false;
    let mut found = [false; BATCH];
    args.input.for_each_batch("checking", filter.hash(), |keys, hashes| {
        let found = &mut found[..keys.len()];
        filter.contains_many_hashes(hashes, found);
        for (key, &found) in keys.iter().zip(&*found) {
            if found != args.absent {
                any = true;
                if !args.quiet {
                    out.data(key)?;
                    out.byte(separator)?;
                }
            }
        }
        Ok(())
    })?;
    Ok(ExitCode::from_found(any))
}
