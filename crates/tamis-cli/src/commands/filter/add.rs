//! `tamis filter add`: more lines into a filter that is there.

use crate::exit::ExitCode;
use crate::input::{self, KeyInput};
use anyhow::bail;
use clap::Args;
use std::path::PathBuf;
use tamis::filter::AnyFilter;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis filter add seen.tamis new.txt
  tamis filter add --rotate month.tamis today.txt")]
pub struct AddArgs {
    /// The filter to add to; it is replaced whole or not at all
    filter: PathBuf,

    /// First forget the oldest generation of a rotating filter; without FILE only that
    #[arg(long)]
    rotate: bool,

    #[command(flatten)]
    input: KeyInput,
}

pub fn run(args: &AddArgs) -> anyhow::Result<ExitCode> {
    let _lock = input::lock(&args.filter)?;
    let mut filter = input::load_filter(&args.filter)?;
    if args.rotate {
        match &mut filter {
            AnyFilter::Rotating(rotating) => rotating.rotate(),
            other => bail!(
                "{}: --rotate is for rotating filters, and this is {}",
                args.filter.display(),
                other.kind().described()
            ),
        }
    }
    if !args.rotate || !args.input.files.is_empty() {
        let hash = *filter.hash();
        let insert = filter.as_insert()?;
        args.input.for_each_batch("adding", &hash, |_, hashes| {
            insert.record_keys(args.input.kinds());
            insert.insert_many_hashes(hashes);
            Ok(())
        })?;
    }
    input::warn_if_overfull(&filter);
    input::save_filter(&args.filter, &filter)?;
    Ok(ExitCode::Yes)
}
