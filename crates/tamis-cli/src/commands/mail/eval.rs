//! `tamis mail eval`: how good is the filter?

use crate::exit::ExitCode;
use crate::output::Output;
use crate::values::{self, Percent, grouped};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;
use tamis_mail::evaluation::{Findings, Options, Split, train_and_test};

#[derive(Debug, Args)]
#[command(
    after_help = "The collection has folders spam/training, spam/testing, ham/training and ham/testing, or
training/spam and so on, with a message in each file: raw mail, or a first line FROM: address and then
text. The cuts are set from the training part alone.

Examples:
  tamis mail eval collection/
  tamis mail eval --body-only --json collection/"
)]
pub struct EvalArgs {
    /// The collection
    collection: PathBuf,

    /// Look at nothing but the body
    #[arg(long)]
    body_only: bool,

    /// The part of the ham that may be lost
    #[arg(long, value_parser = values::rate, default_value = "0.1%")]
    ham_lost: f64,

    /// The table has 2^BITS cells of 16 bytes
    #[arg(long, value_name = "BITS", default_value_t = 22, value_parser = clap::value_parser!(u32).range(10..=26))]
    table: u32,

    /// Another order of learning
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// One JSON document
    #[arg(long)]
    json: bool,
}

pub fn run(args: &EvalArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        args.ham_lost > 0.0 && args.ham_lost < 0.5,
        "--ham-lost is {}; write a part between 0 and 50 %, such as 0.1%",
        args.ham_lost
    );
    let split = Split::read(&args.collection)?;
    let options = Options {
        bits: args.table,
        body_only: args.body_only,
        ham_lost: args.ham_lost,
        order: args.seed,
    };
    let start = Instant::now();
    let findings = train_and_test(&split, &options);
    let speed = split.examples().len() as f64 / start.elapsed().as_secs_f64();
    if args.json {
        out.json(&as_json(&findings, speed))?;
    } else {
        print(&findings, speed, out)?;
    }
    Ok(ExitCode::Yes)
}

fn as_json(findings: &Findings, speed: f64) -> serde_json::Value {
    json!({
        "learned": { "spam": findings.learned.0, "ham": findings.learned.1 },
        "tested": { "spam": findings.tested.0, "ham": findings.tested.1 },
        "missing_ham": findings.missing_ham,
        "spam_recall": findings.spam_recall,
        "ham_lost": findings.ham_lost,
        "unsure_spam": findings.unsure_spam,
        "unsure_ham": findings.unsure_ham,
        "one_minus_auc_percent": findings.one_minus_auc_percent,
        "recall_at": {
            "0.001": findings.recall_at[0],
            "0.005": findings.recall_at[1],
            "0.01": findings.recall_at[2],
        },
        "brier": findings.brier,
        "expected_error": findings.expected_error,
        "messages_per_second": speed,
    })
}

fn print(findings: &Findings, speed: f64, out: &mut Output) -> anyhow::Result<()> {
    let mut row = |name: &str, value: String| out.text(format_args!("{name:22}{value}\n"));
    let messages = |(spam, ham): (usize, usize)| {
        format!("{} spam, {} ham", grouped(spam as u64), grouped(ham as u64))
    };
    row("learned", messages(findings.learned))?;
    row("judged", messages(findings.tested))?;
    row("spam found", Percent(findings.spam_recall).to_string())?;
    row("ham lost", Percent(findings.ham_lost).to_string())?;
    let unsure = [findings.unsure_spam, findings.unsure_ham].map(|part| Percent(part).to_string());
    row("unsure", format!("{} of the spam, {} of the ham", unsure[0], unsure[1]))?;
    if findings.missing_ham > 0 {
        let missing = grouped(findings.missing_ham as u64);
        row("", format!("until {missing} more ham messages are learned, nothing is called spam"))?;
    }
    row("(1 - AUC) %", format!("{:.4}", findings.one_minus_auc_percent))?;
    for (lost, recall) in ["0.1", "0.5", "1"].iter().zip(findings.recall_at) {
        row(&format!("found at {lost} % lost"), Percent(recall).to_string())?;
    }
    row(
        "probabilities",
        format!(
            "Brier {:.4}, off by {} on average",
            findings.brier,
            Percent(findings.expected_error)
        ),
    )?;
    row("speed", format!("{} messages per second", grouped(speed as u64)))?;
    Ok(())
}
