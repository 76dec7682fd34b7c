//! `tamis mail watch`: learns from the messages that a person moves.

use super::place::Place;
use crate::exit::ExitCode;
use crate::output::{Output, escaped};
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use tamis_mail::filter::HAM;
use tamis_mail::store::{Learner, now};
use tamis_mail::watch::{Lesson, Moves, Watch};

/// Maximum time between two looks, even if the system reports no change.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
#[command(
    after_help = "Messages that a person moves into the junk folder are learned as spam; messages moved out of it as ham. Delivered
messages (in new/), deleted messages, and messages moved to trash, drafts or sent mail teach nothing. Moves before the
start are not seen. The store must exist: tamis mail learn creates one.

Examples:
  tamis mail watch --store mail.store Maildir
  tamis mail watch --store mail.store --junk .Spam --ignore .Bin Maildir"
)]
pub struct WatchArgs {
    #[command(flatten)]
    place: Place,

    /// The Maildir with its folders
    maildir: PathBuf,

    /// Name of the junk folder
    #[arg(long, default_value = ".Junk", value_name = "NAME")]
    junk: String,

    /// Other folders whose messages teach nothing
    #[arg(long, value_name = "NAME", default_values = [".Trash", ".Deleted Messages", ".Deleted Items"])]
    ignore: Vec<String>,
}

pub fn run(args: &WatchArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let store = args.place.folder()?;
    // A missing store is reported now and not at the first move.
    Learner::open(&store)?.close()?;
    let watch = Watch::new(&args.maildir)?;
    let mut moves = Moves::new(&args.maildir, &args.junk, &args.ignore)?;
    out.text(format_args!("watching {}\n", args.maildir.display()))?;
    out.flush()?;
    loop {
        let lessons = moves.look()?;
        if !lessons.is_empty() {
            teach(&store, &lessons, out)?;
        }
        watch.wait(LOOK_AGAIN);
    }
}

fn teach(store: &std::path::Path, lessons: &[Lesson], out: &mut Output) -> anyhow::Result<()> {
    let mut learner = Learner::open(store)?;
    for Lesson { raw, label, .. } in lessons {
        learner.learn(raw, label, now())?;
    }
    learner.close().context("what was moved could not be learned")?;
    for Lesson { path, label, .. } in lessons {
        let verb = if *label == HAM { "moved back" } else { "moved to junk" };
        let path = escaped(path.as_os_str().as_encoded_bytes());
        out.text(format_args!("{path}\t{verb}, learned as {label}\n"))?;
    }
    Ok(out.flush()?)
}
