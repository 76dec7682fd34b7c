//! `tamis mail check`: what are these?

use super::dialect::{self, Dialect, Worst};
use super::place::Place;
use super::stages::{self, StageArgs};
use crate::exit::ExitCode;
use crate::output::{Output, escaped};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use tamis_mail::explain::reasons;
use tamis_mail::mailbox::for_each_message;
use tamis_mail::message::Message;
use tamis_mail::store::Store;

#[derive(Debug, Args)]
#[command(
    after_help = "A line for each message: path, verdict (spam or another label, ham, unsure), probability, main reason.
Exit codes: 0 done, 2 an error; with --exit bogofilter 0 spam, 1 ham, 2 unsure, 3 an error; with --exit spamc
1 spam, 0 not, 74 an error. Of several messages the most spam-like counts.

Examples:
  tamis mail check --store mail.store message.eml
  tamis mail check --store mail.store --json Maildir/new
  tamis mail check --store mail.store --exit bogofilter < message.eml"
)]
pub struct CheckArgs {
    #[command(flatten)]
    place: Place,

    /// Messages: files, mbox files, Maildirs, folders; standard input, if none is named
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    stages: StageArgs,

    /// One JSON document a line
    #[arg(long)]
    json: bool,

    /// Speak by exit code as another filter does
    #[arg(long, value_enum, value_name = "FILTER")]
    exit: Option<Dialect>,
}

pub fn run(args: &CheckArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    dialect::exit(args.exit, check(args, out))
}

fn check(args: &CheckArgs, out: &mut Output) -> anyhow::Result<Worst> {
    let mut store = Store::open(&args.place.folder()?)?;
    stages::choose(&mut store, &args.stages);
    let mut worst = Worst::Ham;
    let paths = super::or_standard_input(&args.paths);
    for_each_message(&paths, |source, raw| -> anyhow::Result<()> {
        let message = Message::parse(raw);
        let (traits, judgement) = store.judge(&message);
        let reasons = reasons(&store, &message, &traits, &judgement);
        let verdict = store.filter().verdict(judgement.verdict);
        worst = worst.max(judgement.verdict.into());
        let probability = judgement.probability;
        if args.json {
            out.json(&json!({
                "path": source.to_string(),
                "verdict": verdict,
                "probability": probability,
                "label": store.filter().name(judgement.label),
                "reasons": reasons,
            }))
        } else {
            let reason = reasons.first().map(String::as_str).unwrap_or_default();
            let path = source.to_string();
            let [path, reason] = [path.as_str(), reason].map(|text| escaped(text.as_bytes()));
            Ok(out.text(format_args!("{path}\t{verdict}\t{probability:.4}\t{reason}\n"))?)
        }
    })?;
    Ok(worst)
}
