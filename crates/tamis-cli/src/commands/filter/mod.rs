//! `tamis filter`: build, change, ask and look into filters.

pub mod add;
pub mod build;
pub mod check;
pub mod count;
pub mod info;
pub mod merge;
pub mod remove;
pub mod scan;
pub mod spell;
pub mod verify;

use crate::exit::ExitCode;
use crate::output::Output;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a filter of the lines of files or of standard input
    Build(build::BuildArgs),
    /// Add lines to a filter
    Add(add::AddArgs),
    /// Take lines back from a counting filter
    Remove(remove::RemoveArgs),
    /// Print the lines that are probably in a filter
    Check(check::CheckArgs),
    /// Print each line and how often it is in a counting filter
    Count(count::CountArgs),
    /// Join filters into one
    Merge(merge::MergeArgs),
    /// Show what a filter is and how full
    Info(info::InfoArgs),
    /// Check that a file is sound, to the last byte
    Verify(verify::VerifyArgs),
    /// Find words that are not in a dictionary, and suggest others
    Spell(spell::SpellArgs),
    /// Find known byte strings inside of files or streams
    Scan(scan::ScanArgs),
}

impl Command {
    pub fn run(&self, out: &mut Output) -> anyhow::Result<ExitCode> {
        match self {
            Self::Build(args) => build::run(args),
            Self::Add(args) => add::run(args),
            Self::Remove(args) => remove::run(args),
            Self::Check(args) => check::run(args, out),
            Self::Count(args) => count::run(args, out),
            Self::Merge(args) => merge::run(args),
            Self::Info(args) => info::run(args, out),
            Self::Verify(args) => verify::run(args, out),
            Self::Spell(args) => spell::run(args, out),
            Self::Scan(args) => scan::run(args, out),
        }
    }
}
