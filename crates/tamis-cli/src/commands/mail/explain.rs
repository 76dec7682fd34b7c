//! `tamis mail explain`: the whole story of one verdict.

use super::place::{OnBase, Place};
use super::stages::{self, StageArgs};
use crate::exit::ExitCode;
use crate::output::{Output, escaped};
use clap::Args;
use std::path::PathBuf;
use tamis_mail::explain::{
    Alike, Part, alike, all_parts, date, missing, parts_to_change, reasons, verdict_at,
};
use tamis_mail::filter::Judgement;
use tamis_mail::mailbox::for_each_message;
use tamis_mail::message::Message;
use tamis_mail::store::Store;
use tamis_mail::traits::Traits;

/// How many parts of the message are shown, and how many similar messages.
const PARTS: usize = 20;
const ALIKE: usize = 3;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis mail explain --store mail.store message.eml
  tamis mail explain --store mail.store --stages words < message.eml")]
pub struct ExplainArgs {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    base: OnBase,

    /// The message; standard input, if none is named
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,

    #[command(flatten)]
    stages: StageArgs,
}

pub fn run(args: &ExplainArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let mut store = args.base.store(&args.place)?;
    stages::choose(&mut store, &args.stages);
    let paths: Vec<PathBuf> = args.path.iter().cloned().collect();
    for_each_message(&super::or_standard_input(&paths), |source, raw| -> anyhow::Result<()> {
        let message = Message::parse(raw);
        let (traits, judgement) = store.judge(&message);
        let story =
            Story { store: &store, message: &message, traits: &traits, judgement: &judgement };
        out.text(format_args!("{}\n", escaped(source.to_string().as_bytes())))?;
        story.tell(out)
    })?;
    Ok(ExitCode::Yes)
}

struct Story<'a> {
    store: &'a Store,
    message: &'a Message<'a>,
    traits: &'a Traits,
    judgement: &'a Judgement,
}

impl Story<'_> {
    fn tell(&self, out: &mut Output) -> anyhow::Result<()> {
        let filter = self.store.filter();
        let Judgement { verdict, probability, score, evidence, is_copy, .. } = self.judgement;
        let word = filter.verdict(*verdict);
        out.text(format_args!("{word}, {:.1} % probably spam\n", 100.0 * probability))?;
        for reason in reasons(self.store, self.message, self.traits, self.judgement) {
            out.text(format_args!("  {}\n", escaped(reason.to_string().as_bytes())))?;
        }
        out.text("\n")?;
        let (spam, ham) = missing(filter);
        match (filter.cuts().above, filter.cuts().below) {
            (Some(above), Some(below)) => out.text(format_args!(
                "score {score:+.2}: spam above {above:.2}, ham up to {below:.2}, unsure between\n"
            ))?,
            _ => out.text(format_args!(
                "score {score:+.2}; scores decide after {spam} more spam and {ham} more ham\n"
            ))?,
        }
        for (stage, weight) in evidence.named() {
            let without = score - weight;
            let then = filter.verdict(verdict_at(filter, without));
            let note = match *is_copy || then == word || verdict_at(filter, *score) != *verdict {
                true => String::new(),
                false => format!("   {then} without it"),
            };
            out.text(format_args!("  {stage:10} {weight:+6.2}{note}\n"))?;
        }
        out.text("\n")?;
        self.sender(out)?;
        self.alike(out)?;
        let parts = all_parts(self.store, self.message, self.traits, self.judgement);
        list(&parts, out)?;
        if *is_copy {
            return Ok(out.text("\nit is spam because it is a near-copy of learned spam\n")?);
        }
        match parts_to_change(filter, &parts, *score) {
            Some(count) => out.text(format_args!(
                "\nwithout the {count} of these {} that weigh most the verdict would be another\n",
                parts.len()
            ))?,
            None => out.text("\nno part of it alone would change the verdict\n")?,
        }
        Ok(())
    }

    fn sender(&self, out: &mut Output) -> anyhow::Result<()> {
        let (Some(address), Some(record)) = (self.message.sender(), self.judgement.sender) else {
            return Ok(out.text("sender: none\n\n")?);
        };
        let address = escaped(address.as_bytes());
        let history = |(spam, other): (i64, i64)| format!("{spam} spam, {other} other");
        out.text(format_args!("sender {address}\n"))?;
        out.text(format_args!("  from this address: {}\n", history(record.address)))?;
        out.text(format_args!("  from its domain:   {}\n", history(record.domain)))?;
        if self.traits.contradicted {
            out.text(
                "  the receiving server found the sender forged: no credit for the address\n",
            )?;
        }
        Ok(out.text("\n")?)
    }

    fn alike(&self, out: &mut Output) -> anyhow::Result<()> {
        if self.traits.signature.is_none() {
            return Ok(out.text("similar messages: too little text to tell\n\n")?);
        }
        let found = alike(self.store, self.message, self.judgement, ALIKE);
        if found.is_empty() {
            return Ok(out.text("similar messages: none was learned\n\n")?);
        }
        out.text("similar messages\n")?;
        for Alike { label, time, digest, similarity, shared } in &found {
            let name: String = digest[..4].iter().map(|byte| format!("{byte:02x}")).collect();
            let percent = (100.0 * similarity).round();
            out.text(format_args!(
                "  {percent} % like {label} {name}, learned on {}\n",
                date(*time)
            ))?;
            let quoted: Vec<String> = shared
                .iter()
                .take(4)
                .map(|text| format!("\"{}\"", escaped(text.as_bytes())))
                .collect();
            if !quoted.is_empty() {
                out.text(format_args!("    both have {}\n", quoted.join(", ")))?;
            }
        }
        Ok(out.text("\n")?)
    }
}

fn list(parts: &[Part], out: &mut Output) -> anyhow::Result<()> {
    let shown = parts.len().min(PARTS);
    out.text(format_args!("the {shown} parts that weigh most (+ for spam)\n"))?;
    for part in parts.iter().take(PARTS) {
        let stage = part.stage.name();
        let text = escaped(part.text.as_bytes());
        out.text(format_args!("  {:+.3}  {stage:10} {text}\n", part.weight))?;
    }
    Ok(())
}
