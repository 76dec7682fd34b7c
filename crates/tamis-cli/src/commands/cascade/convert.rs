//! `tamis cascade convert`.

use super::make::{Making, OnConflict};
use super::open::Any;
use super::training::Sources;
use crate::exit::ExitCode;
use crate::hints::Hint;
use clap::Args;
use std::path::PathBuf;
use tamis_corpus::files::map;

#[derive(Debug, Args)]
#[command(
    after_help = "A cascade stores no keys, so those that the new one is to know are named; they keep the categories that the old one
gives them. Keys that it does not cover are left out.

Examples:
  tamis cascade convert classes.bfc keys.txt -o classes.tamis
  tamis cascade convert classes.tamis keys.txt --format bfc -o classes.bfc"
)]
pub struct ConvertArgs {
    /// The cascade to convert, of either kind
    cascade: PathBuf,

    /// Files of keys, one a line
    #[arg(value_name = "KEYS")]
    keys: Vec<PathBuf>,

    #[command(flatten)]
    making: Making,
}

pub fn run(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    let bytes = map(&args.cascade)?;
    Any::verify(&args.cascade, bytes.as_ref())?;
    let cascade = Any::open(&args.cascade, bytes.as_ref())?;
    if args.keys.is_empty() {
        let error =
            anyhow::anyhow!("a cascade stores no keys, and those to be converted are not named");
        return Err(error.context(Hint("name files of keys, one a line")));
    }
    // A key has one category here, however often it comes.
    args.making.run(&Sources::judged(&args.keys, &cascade)?, OnConflict::First)?;
    Ok(ExitCode::Yes)
}
