//! `tamis mail explain`: the whole story of one verdict.

use super::place::Place;
use super::stages::{self, StageArgs};
use crate::exit::ExitCode;
use crate::output::{Output, escaped};
use clap::Args;
use std::path::PathBuf;
use tamis_mail::explain::{
    Alike, Token, alike, date, missing, tokens, tokens_to_change, verdict_at,
};
use tamis_mail::filter::{Evidence, Judgement};
use tamis_mail::mailbox::for_each_message;
use tamis_mail::message::Message;
use tamis_mail::store::Store;
use tamis_mail::traits::Traits;

/// How many tokens are shown, and how many similar messages.
const TOKENS: usize = 20;
const ALIKE: usize = 3;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis mail explain --store mail.store message.eml
  tamis mail explain --store mail.store --stages words < message.eml")]
pub struct ExplainArgs {
    #[command(flatten)]
    place: Place,

    /// The message; standard input, if none is named
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,

    #[command(flatten)]
    stages: StageArgs,
}

pub fn run(args: &ExplainArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let mut store = Store::open(&args.place.folder()?)?;
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
        let about = self.judgement.about;
        let Some(label) = filter.labels().get(usize::from(about).wrapping_sub(1)) else {
            return Ok(out.text("unsure: nothing was learned yet\n")?);
        };
        let evidence = self.judgement.evidence[usize::from(about) - 1];
        let score = evidence.score();
        out.text(format_args!(
            "{} with a probability of {:.4} for {}\n\n",
            filter.verdict(self.judgement.verdict),
            self.judgement.probability,
            label.name
        ))?;
        let (with, without) = missing(filter, about);
        match (label.cuts.above, label.cuts.below) {
            (Some(above), Some(below)) => out.text(format_args!(
                "score {score:+.2}: {} above {above:.2}, ham up to {below:.2}, between them unsure\n",
                label.name
            ))?,
            _ => out.text(format_args!(
                "score {score:+.2}; before anything is sure, {with} more {} and {without} more others must be learned\n",
                label.name
            ))?,
        }
        let Evidence { words, sender, similarity } = evidence;
        out.text(format_args!(
            "  words {words:+.2}, sender {sender:+.2}, similarity {similarity:+.2}\n\n"
        ))?;
        self.sender(&label.name, out)?;
        self.alike(out)?;
        let tokens = tokens(filter, self.store.reader(), self.message, self.traits, about);
        said(&tokens, &label.name, out)?;
        out.text("\nwhat would have changed the verdict\n")?;
        for (stage, without) in [
            ("words", score - words),
            ("sender", score - sender),
            ("similarity", score - similarity),
        ] {
            let verdict = filter.verdict(verdict_at(&label.cuts, about, without));
            out.text(format_args!("  without {stage}: score {without:+.2}, {verdict}\n"))?;
        }
        let fewer = match tokens_to_change(&tokens, &label.cuts, about, score) {
            Some(count) => {
                format!("without the {count} weightiest of its {} features", tokens.len())
            }
            None => "no number of missing features".to_owned(),
        };
        Ok(out.text(format_args!("  {fewer}\n"))?)
    }

    fn sender(&self, label: &str, out: &mut Output) -> anyhow::Result<()> {
        let (Some(address), Some(record)) = (self.message.sender(), self.judgement.sender) else {
            return Ok(out.text("sender: none\n\n")?);
        };
        let address = escaped(address.as_bytes());
        let history = |(with, without): (i64, i64)| format!("{with} {label}, {without} others");
        out.text(format_args!("sender {address}\n"))?;
        out.text(format_args!("  from this address: {}\n", history(record.address)))?;
        out.text(format_args!("  from its domain:   {}\n", history(record.domain)))?;
        if self.traits.contradicted {
            out.text("  the receiving server found that somebody else has sent it: no credit for the address\n")?;
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

fn said(tokens: &[Token], label: &str, out: &mut Output) -> anyhow::Result<()> {
    out.text(format_args!(
        "the {} features that weigh most (+ for {label})\n",
        tokens.len().min(TOKENS)
    ))?;
    for token in tokens.iter().take(TOKENS) {
        let section = format!("{:?}", token.section).to_lowercase();
        let text = escaped(token.text.as_bytes());
        out.text(format_args!("  {:+.3}  {section:8} {text}\n", token.weight))?;
    }
    Ok(())
}
