//! `tamis cascade`: which class is it in?

pub mod ask;
pub mod convert;
pub mod train;

mod make;
mod open;
mod training;

use crate::exit::ExitCode;
use crate::output::Output;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a cascade of keys with their categories
    Train(train::TrainArgs),
    /// Print the category of each key
    Classify(ask::ClassifyArgs),
    /// What a cascade holds, and how near it is to the least possible size
    Info(ask::InfoArgs),
    /// Check a file, and every key that it was trained with
    Verify(ask::VerifyArgs),
    /// Make a cascade of another kind that says the same of the keys that are named
    Convert(convert::ConvertArgs),
}

impl Command {
    pub fn run(&self, out: &mut Output) -> anyhow::Result<ExitCode> {
        match self {
            Self::Train(args) => train::run(args),
            Self::Classify(args) => ask::classify(args, out),
            Self::Info(args) => ask::info(args, out),
            Self::Verify(args) => ask::verify(args, out),
            Self::Convert(args) => convert::run(args),
        }
    }
}
