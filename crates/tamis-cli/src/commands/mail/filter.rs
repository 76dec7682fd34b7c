//! `tamis mail filter`: copies a message and adds its verdict as headers.

use super::dialect::{self, Dialect, Worst};
use super::place::{OnBase, Place};
use super::told::Told;
use crate::exit::ExitCode;
use crate::output::Output;
use clap::Args;
use std::io::{self, Read};
use tamis_mail::headers::{Marks, Remarks};
use tamis_mail::mailbox::MAX_MESSAGE;

#[derive(Debug, Args)]
#[command(
    after_help = "Adds the headers X-Tamis-Verdict, X-Tamis-Score (a probability) and X-Tamis-Reason, and removes incoming
headers with such names. A message that cannot be judged is copied unchanged, with exit code 2 (or that of --exit):
no mail is lost.

Examples:
  tamis mail filter --store mail.store < message.eml > marked.eml
  tamis mail filter --store mail.store --exit bogofilter < message.eml > marked.eml
  tamis mail filter --store mail.store --spam-headers --subject-tag '[SPAM]' < message.eml > marked.eml"
)]
pub struct FilterArgs {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    base: OnBase,

    /// Use the exit codes of another filter
    #[arg(long, value_enum, value_name = "FILTER")]
    exit: Option<Dialect>,

    /// Also write X-Spam-Flag, X-Spam-Status and X-Spam-Score, as rules for other filters expect them
    #[arg(long)]
    spam_headers: bool,

    /// Put this before the subject of spam, such as `[SPAM]`
    #[arg(long, value_name = "TAG", value_parser = subject_tag)]
    subject_tag: Option<String>,
}

fn subject_tag(text: &str) -> Result<String, String> {
    Marks::new(false, Some(text)).map(|_| text.to_owned())
}

pub fn run(args: &FilterArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let mut input = io::stdin().lock();
    let mut raw = Vec::new();
    input.by_ref().take(MAX_MESSAGE as u64).read_to_end(&mut raw)?;
    let judged = judge(args, &raw);
    let marks = Marks::new(args.spam_headers, args.subject_tag.as_deref());
    match (&judged, marks) {
        (Ok((remarks, _)), Ok(marks)) => {
            let marked = marks.mark(&raw, remarks);
            out.data(&marked.head)?;
            out.data(marked.body)?;
        }
        _ => out.data(&raw)?,
    }
    // The rest of a message that is too long to be judged is still the owner's mail.
    let mut buffer = vec![0; 64 << 10];
    loop {
        match input.read(&mut buffer)? {
            0 => break,
            count => out.data(&buffer[..count])?,
        }
    }
    out.flush()?;
    dialect::exit(args.exit, judged.map(|(_, worst)| worst))
}

fn judge(args: &FilterArgs, raw: &[u8]) -> anyhow::Result<(Remarks, Worst)> {
    let store = args.base.store(&args.place)?;
    let told = Told::of(&store, raw, if args.spam_headers { 8 } else { 1 });
    let reason = told.reason().to_owned();
    let Told { verdict, probability, points, stages, worst, .. } = told;
    let is_spam = worst == Worst::Spam;
    Ok((Remarks { verdict, probability, reason, is_spam, points, stages }, worst))
}
