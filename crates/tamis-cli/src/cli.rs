//! The arguments: one definition for parsing, help, completions and man pages.

use crate::commands;
use crate::exit::ExitCode;
use crate::output::Output;
use clap::{Parser, Subcommand};

/// A fine sieve for collections too large to keep
#[derive(Debug, Parser)]
#[command(name = "tamis", version, about, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "Exit codes: 0 yes or done, 1 no, 2 an error.")]
pub struct Cli {
    #[command(subcommand)]
    part: Part,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// Sizes and errors before anything is built
    #[command(subcommand)]
    Plan(commands::plan::Command),

    /// Have I seen this, and how often?
    #[command(subcommand)]
    Filter(commands::filter::Command),

    /// Write a completion script for a shell
    Completions(commands::generate::CompletionsArgs),

    /// Write the man pages
    Man(commands::generate::ManArgs),
}

impl Cli {
    /// Does what was asked for.
    pub fn run(&self, out: &mut Output) -> anyhow::Result<ExitCode> {
        match &self.part {
            Part::Plan(command) => command.run(out),
            Part::Filter(command) => command.run(out),
            Part::Completions(args) => commands::generate::completions(args),
            Part::Man(args) => commands::generate::man(args),
        }
    }
}
