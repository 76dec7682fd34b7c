//! `tamis mail`: a filter that learns from its owner.

pub mod eval;

use crate::exit::ExitCode;
use crate::output::Output;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Learn one part of a collection and judge the other: how good is the filter?
    Eval(eval::EvalArgs),
}

impl Command {
    pub fn run(&self, out: &mut Output) -> anyhow::Result<ExitCode> {
        match self {
            Self::Eval(args) => eval::run(args, out),
        }
    }
}
