//! `tamis mail filter`: a message in, the message with its verdict out.

use super::dialect::{self, Dialect, Worst};
use super::place::Place;
use crate::exit::ExitCode;
use crate::output::Output;
use clap::Args;
use std::io::{self, Read};
use tamis_mail::explain::reasons;
use tamis_mail::headers::{Remarks, marked};
use tamis_mail::mailbox::MAX_MESSAGE;
use tamis_mail::message::Message;
use tamis_mail::store::Store;

#[derive(Debug, Args)]
#[command(
    after_help = "The message gets headers X-Tamis-Verdict, X-Tamis-Score (a probability) and X-Tamis-Reason; those that came in under
such names go. A message that cannot be judged comes out as it was, with exit code 2 (or that of --exit): no mail is
lost.

Examples:
  tamis mail filter --store mail.store < message.eml > marked.eml
  tamis mail filter --store mail.store --exit bogofilter < message.eml > marked.eml"
)]
pub struct FilterArgs {
    #[command(flatten)]
    place: Place,

    /// Speak by exit code as another filter does
    #[arg(long, value_enum, value_name = "FILTER")]
    exit: Option<Dialect>,
}

pub fn run(args: &FilterArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let mut input = io::stdin().lock();
    let mut raw = Vec::new();
    input.by_ref().take(MAX_MESSAGE as u64).read_to_end(&mut raw)?;
    let judged = judge(args, &raw);
    match &judged {
        Ok((remarks, _)) => out.data(&marked(&raw, &remarks.headers()))?,
        Err(_) => out.data(&raw)?,
    }
    // What is too long to be looked at is still the owner's mail.
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
    let store = Store::open(&args.place.folder()?)?;
    let message = Message::parse(raw);
    let (traits, judgement) = store.judge(&message);
    let reasons = reasons(&store, &message, &traits, &judgement);
    let remarks = Remarks {
        verdict: store.filter().verdict(judgement.verdict).to_owned(),
        probability: judgement.probability,
        reason: reasons.into_iter().next().unwrap_or_default(),
    };
    Ok((remarks, judgement.verdict.into()))
}
