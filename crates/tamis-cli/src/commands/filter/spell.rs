//! `tamis filter spell`: words that a dictionary does not have, and what was perhaps meant.

use crate::exit::ExitCode;
use crate::output::Output;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct SpellArgs {
    /// The dictionary: a filter of words
    filter: PathBuf,
}

pub fn run(_args: &SpellArgs, _out: &mut Output) -> anyhow::Result<ExitCode> {
    anyhow::bail!("not yet")
}
