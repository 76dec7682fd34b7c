//! `tamis lab run`: some experiments, one after the other.

use super::Common;
use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::output::Output;
use anyhow::Context;
use clap::Args;
use serde_json::Value;
use tamis_lab::experiment::Record;
use tamis_lab::files;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis lab run best-functions
  tamis lab run hash-distribution hash-correlation --seed 7 -o results
  tamis lab run movielens --data movielens=u.data
  tamis lab run best-size --set keys=200000 --set questions=1000000")]
pub struct RunArgs {
    /// Names of experiments, as `tamis lab list` gives them
    #[arg(required = true)]
    names: Vec<String>,

    #[command(flatten)]
    common: Common,

    /// Change a parameter
    #[arg(long = "set", value_name = "PARAMETER=VALUE", value_parser = change)]
    changes: Vec<(String, Value)>,
}

/// A parameter and its value, which is JSON.
fn change(text: &str) -> Result<(String, Value), String> {
    let sentence = || "write a parameter and its value, as in keys=200000".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(sentence)?;
    let value = serde_json::from_str(value).map_err(|_| sentence())?;
    Ok((name.to_owned(), value))
}

pub fn run(args: &RunArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let entries = args
        .names
        .iter()
        .map(|name| {
            tamis_lab::find(name)
                .with_context(|| format!("there is no experiment {name}"))
                .context(Hint("tamis lab list has the names"))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut all_hold = true;
    for entry in entries {
        let record = entry.run(&args.common.request(entry.about.name, &args.changes))?;
        files::write(&record, &args.common.output)?;
        print(&record, out)?;
        out.flush()?;
        all_hold &= record.outcome.holds();
    }
    Ok(ExitCode::from_found(all_hold))
}

fn print(record: &Record, out: &mut Output) -> anyhow::Result<()> {
    let about = record.about;
    out.text(format_args!("{}\n{}\n\n", about.name, about.question))?;
    for paragraph in about.theory {
        out.text(format_args!("{paragraph}\n\n"))?;
    }
    for verdict in &record.outcome.verdicts {
        out.text(format_args!("{verdict}\n"))?;
    }
    Ok(out.text("\n")?)
}
