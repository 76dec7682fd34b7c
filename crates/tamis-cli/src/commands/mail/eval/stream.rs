//! `tamis mail eval --stream INDEX`: the filter on a stream of mail, in the order of arrival.

use super::{EvalArgs, Report};
use crate::exit::ExitCode;
use crate::output::Output;
use crate::progress::Progress;
use crate::values::{Percent, counted, grouped};
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tamis_mail::evaluation::stream::{Draw, Feedback, Index, Plan, Stretch, replay};
use tamis_mail::evaluation::{Options, confusion};

#[derive(Debug, Args)]
pub struct StreamArgs {
    /// Replay a TREC-style index, a label and a path per line, in its own order
    #[arg(long, value_name = "INDEX", conflicts_with_all = ["online", "novel", "method", "threshold"])]
    pub stream: Option<PathBuf>,

    /// When a label is learned: immediate, delayed:MESSAGES or partial:SHARE%
    #[arg(long, conflicts_with = "collection", default_value = "immediate")]
    feedback: Feedback,

    /// Learn the first N messages only and judge the rest
    #[arg(long, value_name = "N", conflicts_with = "collection")]
    learn: Option<usize>,

    /// Number of the first message to judge [default: 1, or the first one after --learn]
    #[arg(long, value_name = "NUMBER", conflicts_with = "collection")]
    from: Option<usize>,

    /// Number of the last message of the stream [default: all]
    #[arg(long, value_name = "NUMBER", conflicts_with = "collection")]
    to: Option<usize>,

    /// Learn a random sample, such as 20+20, and judge all other messages
    #[arg(long, value_name = "SPAM+HAM", conflicts_with_all = ["collection", "feedback", "learn"])]
    draw: Option<Draw>,
}

impl StreamArgs {
    fn plan(&self, seed: u64) -> Plan {
        let Self { feedback, learn, from, to, draw, .. } = *self;
        Plan { feedback, learn, from, to, draw, seed, batch: 1 }
    }
}

pub fn run(
    args: &EvalArgs,
    index: &Path,
    options: Options,
    out: &mut Output,
) -> anyhow::Result<ExitCode> {
    let index = Index::read(index, args.stream.to)?;
    let plan = args.stream.plan(args.seed);
    let mut progress = None;
    let start = Instant::now();
    let replay = replay(&index, &plan, options, |_, all| {
        progress.get_or_insert_with(|| Progress::parts("replaying", all as u64)).advance(1);
    })?;
    drop(progress);
    let report = Report {
        all: replay.findings,
        parts: Vec::new(),
        confusion: confusion(index.labels.len(), &replay.judged),
        labels: &index.labels,
        store: replay.pupil.store_size(),
        speed: replay.messages as f64 / start.elapsed().as_secs_f64(),
    };
    if args.json {
        let mut value = report.as_json();
        value["moved_paths"] = json!(index.moved);
        value["stretches"] = replay.stretches.iter().map(as_json).collect();
        out.json(&value)?;
        return Ok(ExitCode::Yes);
    }
    report.print(out)?;
    if index.moved > 0 {
        let moved = counted(index.moved as u64, "path");
        out.text(format_args!("{:22}{moved} found below another folder\n", "moved"))?;
    }
    print_stretches(&replay.stretches, out)?;
    Ok(ExitCode::Yes)
}

fn as_json(stretch: &Stretch) -> Value {
    json!({
        "from": stretch.messages.0,
        "to": stretch.messages.1,
        "tested": { "spam": stretch.tested.0, "ham": stretch.tested.1 },
        "spam_recall": stretch.spam_recall,
        "ham_lost": stretch.ham_lost,
        "one_minus_auc_percent": stretch.one_minus_auc_percent,
    })
}

/// Verdicts in ten stretches, by the cut in force at each message; the ranking so far.
fn print_stretches(stretches: &[Stretch], out: &mut Output) -> anyhow::Result<()> {
    let head = ["spam", "ham", "found", "lost", "(1 - AUC) %"];
    out.text(format_args!("\n{:22}", "messages"))?;
    head.iter().try_for_each(|name| out.text(format_args!("{name:>12}")))?;
    for stretch in stretches {
        let (first, last) = stretch.messages;
        let name = format!("{} to {}", grouped(first as u64), grouped(last as u64));
        let (spam, ham) = stretch.tested;
        out.text(format_args!(
            "\n{name:22}{:>12}{:>12}{:>12}{:>12}{:>12.4}",
            grouped(spam as u64),
            grouped(ham as u64),
            Percent(stretch.spam_recall),
            Percent(stretch.ham_lost),
            stretch.one_minus_auc_percent,
        ))?;
    }
    Ok(out.text("\n")?)
}
