//! `tamis mail check`: the verdict on each message.

use super::dialect::{self, Dialect, Worst};
use super::left_out;
use super::place::{OnBase, Place};
use super::stages::{self, StageArgs};
use super::told::Told;
use crate::exit::ExitCode;
use crate::output::{Output, escaped};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use tamis_mail::mailbox::{self, Options};

#[derive(Debug, Args)]
#[command(
    after_help = "Prints a line for each message: path, verdict (spam or another label, ham, unsure), probability, main reason.
An empty message is unsure. In folders, files that are not mail are skipped and counted on standard error;
a file that cannot be read is reported, the others are checked, and the exit code is that of an error.

Exit codes: 0 done, 2 error; with --exit bogofilter 0 spam, 1 ham, 2 unsure, 3 error; with --exit spamc 1 spam,
0 not spam, 74 error. Of several messages the most spam-like one counts.

Examples:
  tamis mail check --store mail.store message.eml
  tamis mail check --store mail.store --json Maildir/new
  tamis mail check --store users --user anne --base base.store message.eml
  tamis mail check --store mail.store --exit bogofilter < message.eml"
)]
pub struct CheckArgs {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    base: OnBase,

    /// Messages: files, mbox files, Maildirs, folders; standard input by default
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    stages: StageArgs,

    /// Print one JSON document per line
    #[arg(long)]
    json: bool,

    /// Use the exit codes of another filter
    #[arg(long, value_enum, value_name = "FILTER")]
    exit: Option<Dialect>,
}

pub fn run(args: &CheckArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    dialect::exit(args.exit, check(args, out))
}

fn check(args: &CheckArgs, out: &mut Output) -> anyhow::Result<Worst> {
    let mut store = args.base.store(&args.place)?;
    stages::choose(&mut store, &args.stages);
    let mut worst = Worst::Ham;
    let mut checked: u64 = 0;
    let paths = super::or_standard_input(&args.paths);
    let report = mailbox::read(&paths, &Options::judging(), |source, raw| -> anyhow::Result<()> {
        let told = Told::of(&store, raw, if args.json { usize::MAX } else { 1 });
        worst = worst.max(told.worst);
        checked += 1;
        let path = source.to_string();
        let Told { verdict, label, probability, score, reasons, .. } = &told;
        if args.json {
            return out.json(&json!({
                "path": path,
                "verdict": verdict,
                "probability": probability,
                "score": score,
                "label": label,
                "reasons": reasons,
            }));
        }
        let [path, reason] = [path.as_str(), told.reason()].map(|text| escaped(text.as_bytes()));
        Ok(out.text(format_args!("{path}\t{verdict}\t{probability:.4}\t{reason}\n"))?)
    })?;
    out.flush()?;
    left_out::skipped(&report);
    if checked == 0 {
        eprintln!("warning: no messages were found");
    }
    left_out::unreadable(&report, "everything else was checked")?;
    Ok(worst)
}
