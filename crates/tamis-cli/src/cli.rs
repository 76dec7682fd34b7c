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

    /// What is it like?
    #[command(subcommand)]
    Similar(Box<commands::similar::Command>),

    /// Which class is it in?
    #[command(subcommand)]
    Cascade(commands::cascade::Command),

    /// Do I want to read it?
    #[command(subcommand)]
    Mail(commands::mail::Command),

    /// One process for browsers, programs and mail servers
    Serve(commands::serve::ServeArgs),

    /// Do theory and measurement agree?
    #[command(subcommand)]
    Lab(commands::lab::Command),

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
            Part::Similar(command) => command.run(out),
            Part::Cascade(command) => command.run(out),
            Part::Mail(command) => command.run(out),
            Part::Serve(args) => commands::serve::run(args, out),
            Part::Lab(command) => command.run(out),
            Part::Completions(args) => commands::generate::completions(args),
            Part::Man(args) => commands::generate::man(args),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    /// Every line of an `Examples:` section that calls `tamis` is a command that parses.
    #[test]
    fn every_example_in_the_help_parses() {
        let mut count = 0;
        let mut commands = vec![Cli::command()];
        while let Some(command) = commands.pop() {
            commands.extend(command.get_subcommands().cloned());
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines() {
                let Some(start) = line.find("tamis ").filter(|_| line.starts_with("  ")) else {
                    continue;
                };
                let words = line[start..].split_whitespace();
                let words = words.take_while(|word| !matches!(*word, "|" | ">" | "<"));
                let words = words.map(|word| word.trim_matches('\''));
                let parsed = Cli::try_parse_from(words);
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                count += 1;
            }
            if !command.has_subcommands() {
                assert!(help.contains("Example"), "{} has no example", command.get_name());
            }
        }
        assert!(count > 10);
    }
}
