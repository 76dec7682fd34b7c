//! `tamis similar`: from documents or sets to similar pairs, groups and a clean corpus.

pub mod arguments;
pub mod clusters;
pub mod compare;
pub mod dedup;
pub mod index;
pub mod keep;
pub mod label;
pub mod pairs;
pub mod query;

mod stages;
mod summary;

use crate::exit::ExitCode;
use crate::output::Output;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// How similar are two documents?
    Compare(compare::CompareArgs),
    /// All similar pairs, each with its similarity
    Pairs(pairs::PairsArgs),
    /// Groups of similar documents, each with a representative
    Clusters(clusters::ClustersArgs),
    /// Write a corpus without its copies
    Dedup(dedup::DedupArgs),
    /// Write a corpus with the cluster of each document
    Label(label::LabelArgs),
    /// Make or change an index of documents
    Index(index::IndexArgs),
    /// Ask an index for similar documents
    Query(query::QueryArgs),
}

impl Command {
    pub fn run(&self, out: &mut Output) -> anyhow::Result<ExitCode> {
        let (done, reading) = match self {
            Self::Compare(args) => (compare::run(args, out), &args.reading),
            Self::Pairs(args) => (pairs::run(args, out), &args.all.reading),
            Self::Clusters(args) => (clusters::run(args, out), &args.all.reading),
            Self::Dedup(args) => (dedup::run(args), &args.reading),
            Self::Label(args) => (label::run(args), &args.reading),
            Self::Index(args) => (index::run(args), &args.reading),
            Self::Query(args) => (query::run(args, out), &args.reading),
        };
        // The list of what could not be read is of most use when the run was refused for it.
        let listed = reading.finish_list();
        let done = done?;
        listed?;
        Ok(done)
    }
}
