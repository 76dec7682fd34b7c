//! `tamis mail label`: the labels of a store.

use super::place::Place;
use crate::exit::ExitCode;
use crate::output::{Output, escaped};
use crate::values::counted;
use clap::{Args, Subcommand};
use serde_json::{Map, Value};
use tamis_mail::store::{Learner, Store};

#[derive(Debug, Subcommand)]
pub enum LabelCommand {
    /// List all labels with their numbers of messages
    List(ListArgs),
    /// Give a label another name
    Rename(RenameArgs),
    /// Remove a label; its messages become ham
    Remove(RemoveArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Labels are created by learning: tamis mail learn --label NAME PATH

Example:
  tamis mail label list --store mail.store")]
pub struct ListArgs {
    #[command(flatten)]
    place: Place,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "The labels ham and spam cannot be renamed.

Example:
  tamis mail label rename --store mail.store social friends")]
pub struct RenameArgs {
    #[command(flatten)]
    place: Place,

    /// The label
    #[arg(value_name = "NAME")]
    from: String,

    /// Its new name
    #[arg(value_name = "NEW")]
    to: String,
}

#[derive(Debug, Args)]
#[command(after_help = "The labels ham and spam cannot be removed.

Example:
  tamis mail label remove --store mail.store friends")]
pub struct RemoveArgs {
    #[command(flatten)]
    place: Place,

    /// The label
    #[arg(value_name = "NAME")]
    name: String,
}

impl LabelCommand {
    pub fn run(&self, out: &mut Output) -> anyhow::Result<ExitCode> {
        match self {
            Self::List(args) => list(args, out),
            Self::Rename(args) => rename(args),
            Self::Remove(args) => remove(args),
        }
    }
}

fn list(args: &ListArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let labels = Store::open(&args.place.folder()?)?.info()?.labels;
    if args.json {
        let counts: Map<String, Value> =
            labels.into_iter().map(|(name, count)| (name, count.into())).collect();
        out.json(&Value::from(counts))?;
        return Ok(ExitCode::Yes);
    }
    for (name, count) in labels {
        out.text(format_args!("{}\t{count}\n", escaped(name.as_bytes())))?;
    }
    Ok(ExitCode::Yes)
}

fn rename(args: &RenameArgs) -> anyhow::Result<ExitCode> {
    let mut learner = Learner::open(&args.place.folder()?)?;
    learner.rename_label(&args.from, &args.to)?;
    learner.close()?;
    eprintln!("{} is now {}", escaped(args.from.as_bytes()), escaped(args.to.as_bytes()));
    Ok(ExitCode::Yes)
}

fn remove(args: &RemoveArgs) -> anyhow::Result<ExitCode> {
    let mut learner = Learner::open(&args.place.folder()?)?;
    let messages = learner.remove_label(&args.name)?;
    learner.close()?;
    let name = escaped(args.name.as_bytes());
    eprintln!("{name} removed, {} turned into ham", counted(messages as u64, "message"));
    Ok(ExitCode::Yes)
}
