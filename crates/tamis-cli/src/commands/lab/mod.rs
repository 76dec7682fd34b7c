//! `tamis lab`: do theory and measurement agree?

mod report;
mod run;

use crate::exit::ExitCode;
use crate::output::Output;
use clap::{Args, Subcommand};
use serde_json::Value;
use std::path::PathBuf;
use tamis_lab::ENTRIES;
use tamis_lab::experiment::{Request, Size};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// The experiments and their questions
    List(ListArgs),
    /// Run experiments: data, plots and verdicts; exit code 1 if a verdict does not hold
    Run(run::RunArgs),
    /// Run all of them and write one page
    Report(report::ReportArgs),
}

impl Command {
    pub fn run(&self, out: &mut Output) -> anyhow::Result<ExitCode> {
        match self {
            Self::List(args) => list(args, out),
            Self::Run(args) => run::run(args, out),
            Self::Report(args) => report::run(args, out),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis lab list
  tamis lab list --json")]
pub struct ListArgs {
    /// One JSON document
    #[arg(long)]
    json: bool,
}

fn list(args: &ListArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    if args.json {
        let all: Vec<_> = ENTRIES.iter().map(|entry| entry.about).collect();
        out.json(&all)?;
        return Ok(ExitCode::Yes);
    }
    for entry in ENTRIES {
        out.text(format_args!("{:18} {}\n", entry.about.name, entry.about.question))?;
    }
    Ok(ExitCode::Yes)
}

/// What `run` and `report` have in common.
#[derive(Debug, Args)]
pub struct Common {
    /// Where files go; made if it is not there
    #[arg(short, long, default_value = "lab")]
    output: PathBuf,

    /// Chooses keys and functions: the same seed gives the same data and plots
    #[arg(long, default_value = "1", value_parser = crate::values::seed)]
    seed: u64,

    /// Small sizes, for a first look
    #[arg(long)]
    quick: bool,

    /// A file or folder for an experiment that takes one, as NAME=PATH
    #[arg(long, value_name = "NAME=PATH", value_parser = named_path)]
    data: Vec<(String, PathBuf)>,
}

fn named_path(text: &str) -> Result<(String, PathBuf), String> {
    let takes = || ENTRIES.iter().filter(|entry| entry.about.data.is_some());
    let names = || takes().map(|entry| entry.about.name).collect::<Vec<_>>().join(" or ");
    match text.split_once('=') {
        Some((name, path)) if takes().any(|entry| entry.about.name == name) => {
            Ok((name.to_owned(), path.into()))
        }
        _ => Err(format!(
            "write the experiment and a path, as in movielens=u.data; {} take data",
            names()
        )),
    }
}

impl Common {
    /// What is asked of the experiment of this name.
    fn request(&self, name: &str, changes: &[(String, Value)]) -> Request {
        let data = self.data.iter().find(|(of, _)| of == name);
        Request {
            seed: self.seed,
            size: if self.quick { Size::Quick } else { Size::Full },
            data: data.map(|(_, path)| path.clone()),
            changes: changes.to_vec(),
        }
    }
}
