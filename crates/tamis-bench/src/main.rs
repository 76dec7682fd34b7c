//! `tamis-bench`: Tamis beside its peers, in one run, so that anyone can check a claim.
//!
//! Each part is a subcommand with `--quick` (under three minutes) and `--json`. Data goes to
//! standard output, progress to standard error. This crate is the only place where the peers
//! are dependencies; what was found with it stands in its `NOTES.md`.

mod bar;
mod cascade;
mod filter;
mod hash;
mod keys;
mod mail;
mod report;
mod similar;
mod timing;
mod usage;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "tamis-bench", version, about = "Tamis beside its peers, in one run")]
struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Cascades: size over the entropy, training and lookups, against clubcard, sux and others.
    Cascade(cascade::CascadeArguments),
    /// One contender on one set of keys, in a process of its own.
    #[command(hide = true)]
    CascadeTrial(cascade::TrialArguments),
    /// Filters: time, size and measured rate, against fastbloom, sbbf-rs-safe and others.
    Filter(filter::FilterArguments),
    /// Hash functions on integers, short strings and e-mail addresses.
    Hash(hash::HashArguments),
    /// The mail filter, against bogofilter and spamprobe.
    Mail(mail::MailArguments),
    /// Similarity: signatures, their errors and all similar pairs, against txtfp, gaoya and others.
    Similar(similar::SimilarArguments),
    /// One contender's search for all pairs, in a process of its own.
    #[command(hide = true)]
    SimilarPairs(similar::PairsArguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().part {
        Part::Cascade(arguments) => cascade::run(&arguments),
        Part::CascadeTrial(arguments) => cascade::run_trial(&arguments),
        Part::Filter(arguments) => filter::run(&arguments),
        Part::Hash(arguments) => hash::run(&arguments),
        Part::Mail(arguments) => mail::run(&arguments),
        Part::Similar(arguments) => similar::run(&arguments),
        Part::SimilarPairs(arguments) => similar::run_pairs(&arguments),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
