//! `tamis mail check`: what are these?

use super::place::Place;
use super::stages::{self, StageArgs};
use crate::exit::ExitCode;
use crate::hints;
use crate::output::{Output, escaped};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::PathBuf;
use tamis_mail::explain::reasons;
use tamis_mail::filter::Verdict;
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dialect {
    Bogofilter,
    Spamc,
}

/// From the least to the most spam-like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worst {
    Ham,
    Unsure,
    Spam,
}

pub fn run(args: &CheckArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let Some(dialect) = args.exit else {
        check(args, out)?;
        return Ok(ExitCode::Yes);
    };
    Ok(match (dialect, check(args, out)) {
        (Dialect::Bogofilter, Ok(Worst::Spam)) => ExitCode::Other(0),
        (Dialect::Bogofilter, Ok(Worst::Ham)) => ExitCode::Other(1),
        (Dialect::Bogofilter, Ok(Worst::Unsure)) => ExitCode::Other(2),
        (Dialect::Spamc, Ok(worst)) => ExitCode::Other(u8::from(worst == Worst::Spam)),
        (dialect, Err(error)) => {
            hints::print(&error);
            ExitCode::Other(if dialect == Dialect::Bogofilter { 3 } else { 74 })
        }
    })
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
        let verdict = match judgement.verdict {
            Verdict::Label(label) => store.filter().name(label),
            Verdict::Ham => "ham",
            Verdict::Unsure => "unsure",
        };
        worst = worst.max(match judgement.verdict {
            Verdict::Label(_) => Worst::Spam,
            Verdict::Ham => Worst::Ham,
            Verdict::Unsure => Worst::Unsure,
        });
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
