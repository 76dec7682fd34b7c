//! `tamis mail eval`: how good is the filter?

mod stream;
mod verdicts;

use super::stages::StageArgs;
use crate::exit::ExitCode;
use crate::output::Output;
use crate::values::{self, Percent, grouped};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;
use stream::StreamArgs;
use tamis_mail::evaluation::{
    Contribution, Findings, Judged, Novelty, Options, PaperFindings, Pupil, Split, confusion,
    findings, judge_by_paper, online, train_and_test,
};

#[derive(Debug, Args)]
#[command(
    after_help = "The collection has folders spam/training, spam/testing, ham/training and ham/testing, or
training/spam and so on, with messages in files, mbox files or Maildirs: raw mail, or a first line FROM: address and
then text. Folders of other names are other labels. The cuts are set from the training part alone.

The index of a stream has a label and a path per line. A capital first letter (Spam, Ham) means that the label is
never learned. Verdicts are by the cuts in force when each message was judged.

Examples:
  tamis mail eval collection/
  tamis mail eval --body-only --novel --json collection/
  tamis mail eval --online collection/
  tamis mail eval --stream trec/full/index --learn 10000
  tamis mail eval --stream trec/full/index --feedback delayed:500 --json
  tamis mail eval --method paper --threshold 0.3 collection/"
)]
pub struct EvalArgs {
    /// The collection
    #[arg(required_unless_present = "stream", conflicts_with = "stream")]
    collection: Option<PathBuf>,

    #[command(flatten)]
    stream: StreamArgs,

    /// Look at nothing but the body
    #[arg(long)]
    body_only: bool,

    /// Judge each message and then learn it, from empty, both parts together
    #[arg(long, conflicts_with = "novel")]
    online: bool,

    /// Also tell apart messages with a learned near-copy and those without
    #[arg(long)]
    novel: bool,

    #[command(flatten)]
    stages: StageArgs,

    /// How to judge
    #[arg(long, value_enum, default_value_t = Method::Full)]
    method: Method,

    /// The similarity from which on the paper's method calls a message spam
    #[arg(long, default_value_t = 0.3)]
    threshold: f64,

    /// The part of the ham that may be lost
    #[arg(long, value_parser = values::rate, default_value = "0.1%")]
    ham_lost: f64,

    /// The table has 2^BITS cells of 16 bytes
    #[arg(long, value_name = "BITS", default_value_t = 22, value_parser = clap::value_parser!(u32).range(10..=26))]
    table: u32,

    /// Another order of learning, or another random sample of a stream
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// One JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// All stages, with cuts that the filter sets itself
    Full,
    /// The method of the report: a list of senders, and similarity to learned spam
    Paper,
}

pub fn run(args: &EvalArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    super::check_ham_lost(args.ham_lost)?;
    let options = Options {
        bits: args.table,
        body_only: args.body_only,
        ham_lost: args.ham_lost,
        order: args.seed,
        stages: args.stages.get(),
    };
    if let Some(index) = &args.stream.stream {
        return stream::run(args, index, options, out);
    }
    let Some(collection) = &args.collection else { anyhow::bail!("name a collection or --stream") };
    let mut split = Split::read(collection)?;
    if args.method == Method::Paper {
        return paper(args, &split, out);
    }
    let start = Instant::now();
    let (pupil, judged) = if args.online {
        let testing = std::mem::take(&mut split.testing);
        split.training.extend(testing);
        online(&split.labels, &split.training, options)?
    } else {
        train_and_test(&split.labels, &split.training, &split.testing, options)?
    };
    let messages = split.training.len() + split.testing.len();
    let speed = messages as f64 / start.elapsed().as_secs_f64();
    let report = Report {
        all: findings(&pupil, &judged),
        parts: if args.novel { by_novelty(&split, &pupil, &judged)? } else { Vec::new() },
        confusion: confusion(split.labels.len(), &judged),
        labels: &split.labels,
        store: pupil.store_size(),
        speed,
    };
    if args.json {
        out.json(&report.as_json())?;
    } else {
        report.print(out)?;
        if !args.online {
            verdicts::print(&pupil, &split.testing, &judged, out)?;
        }
    }
    Ok(ExitCode::Yes)
}

/// Findings about the messages without a learned near-copy, and about those with one.
fn by_novelty(
    split: &Split,
    pupil: &Pupil,
    judged: &[Judged],
) -> anyhow::Result<Vec<(&'static str, Findings)>> {
    let novelty = Novelty::of(&split.training, &split.testing)?;
    let of = |copies: bool| -> Vec<Judged> {
        let own = judged.iter().enumerate().filter(|(place, _)| novelty.is_copy(*place) == copies);
        own.map(|(_, judged)| judged.clone()).collect()
    };
    Ok(vec![("novel", findings(pupil, &of(false))), ("near_copies", findings(pupil, &of(true)))])
}

/// Everything that is said about a run.
struct Report<'a> {
    all: Findings,
    parts: Vec<(&'static str, Findings)>,
    confusion: Vec<Vec<usize>>,
    labels: &'a [String],
    store: u64,
    speed: f64,
}

impl Report<'_> {
    fn as_json(&self) -> Value {
        let mut value = as_json(&self.all);
        let names: Vec<&str> = self.labels.iter().map(String::as_str).collect();
        value["labels"] = json!(names);
        value["confusion"] = json!(self.confusion);
        value["messages_per_second"] = json!(self.speed);
        value["store_bytes"] = json!(self.store);
        for (name, findings) in &self.parts {
            value[*name] = as_json(findings);
        }
        value
    }

    fn print(&self, out: &mut Output) -> anyhow::Result<()> {
        print(&self.all, self.labels, out)?;
        for (name, findings) in &self.parts {
            let title = match *name {
                "novel" => "without a learned near-copy",
                _ => "with a learned near-copy",
            };
            out.text(format_args!("\n{title}\n"))?;
            print_part(findings, self.labels, out)?;
        }
        self.print_confusion(out)?;
        let mut row = |name: &str, value: String| out.text(format_args!("{name:22}{value}\n"));
        row("store", format!("{} after this", values::size(self.store)))?;
        row("speed", format!("{} messages per second", grouped(self.speed as u64)))?;
        Ok(())
    }

    /// What each label was taken for; the most probable one counts.
    fn print_confusion(&self, out: &mut Output) -> anyhow::Result<()> {
        let used: Vec<usize> = (0..self.labels.len())
            .filter(|&label| {
                let taken = self.confusion.iter().any(|row| row[label] > 0);
                taken || self.confusion[label].iter().any(|count| *count > 0)
            })
            .collect();
        out.text("\nmore probably         ")?;
        for &label in &used {
            out.text(format_args!("{:>12}", self.labels[label]))?;
        }
        out.text("\n")?;
        for &label in &used {
            out.text(format_args!("{:22}", self.labels[label]))?;
            for &other in &used {
                out.text(format_args!("{:>12}", self.confusion[label][other]))?;
            }
            out.text("\n")?;
        }
        Ok(out.text("\n")?)
    }
}

fn as_json(findings: &Findings) -> Value {
    let contributions: Vec<Value> = findings
        .contributions
        .iter()
        .map(|(stage, c)| {
            json!({ "stage": stage, "found": c.found, "missed": c.missed, "lost": c.lost, "kept": c.kept })
        })
        .collect();
    json!({
        "learned": { "spam": findings.learned.0, "ham": findings.learned.1 },
        "tested": { "spam": findings.tested.0, "ham": findings.tested.1 },
        "missing": { "spam": findings.missing.0, "ham": findings.missing.1 },
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
        "stages": contributions,
    })
}

fn messages((spam, ham): (usize, usize), labels: &[String]) -> String {
    let others = if labels.len() == 2 { labels[0].as_str() } else { "others" };
    format!("{} {}, {} {others}", grouped(spam as u64), labels[1], grouped(ham as u64))
}

fn print(findings: &Findings, labels: &[String], out: &mut Output) -> anyhow::Result<()> {
    out.text(format_args!("{:22}{}\n", "learned", messages(findings.learned, labels)))?;
    print_part(findings, labels, out)?;
    let (spam, ham) = findings.missing;
    if (spam, ham) != (0, 0) {
        let (spam, ham) = (grouped(spam as u64), grouped(ham as u64));
        out.text(format_args!(
            "{:22}scores decide after {spam} more {} and {ham} more ham\n",
            "", labels[1]
        ))?;
    }
    let mut row = |name: &str, value: String| out.text(format_args!("{name:22}{value}\n"));
    for (lost, recall) in ["0.1", "0.5", "1"].iter().zip(findings.recall_at) {
        row(&format!("found at {lost} % lost"), Percent(recall).to_string())?;
    }
    let off = Percent(findings.expected_error);
    row("probabilities", format!("Brier {:.4}, off by {off} on average", findings.brier))?;
    for (stage, c) in &findings.contributions {
        if *c == Contribution::default() {
            continue;
        }
        let text = format!(
            "{} found, {} lost because of it",
            grouped(c.found as u64),
            grouped(c.lost as u64)
        );
        row(&format!("stage {stage}"), text)?;
    }
    Ok(())
}

fn print_part(findings: &Findings, labels: &[String], out: &mut Output) -> anyhow::Result<()> {
    let mut row = |name: &str, value: String| out.text(format_args!("{name:22}{value}\n"));
    row("judged", messages(findings.tested, labels))?;
    row(&format!("{} found", labels[1]), Percent(findings.spam_recall).to_string())?;
    row("ham lost", Percent(findings.ham_lost).to_string())?;
    let unsure = [findings.unsure_spam, findings.unsure_ham].map(|part| Percent(part).to_string());
    row("unsure", format!("{} of the {}, {} of the rest", unsure[0], labels[1], unsure[1]))?;
    row("(1 - AUC) %", format!("{:.4}", findings.one_minus_auc_percent))?;
    Ok(())
}

fn paper(args: &EvalArgs, split: &Split, out: &mut Output) -> anyhow::Result<ExitCode> {
    let found = judge_by_paper(split, args.threshold, args.body_only)?;
    let PaperFindings { tested, by_sender, without_shingle, similar } = found;
    let sum = |class: usize| by_sender[class] + without_shingle[class] + similar[class];
    let recall = sum(0) as f64 / tested.0.max(1) as f64;
    let lost = sum(1) as f64 / tested.1.max(1) as f64;
    if args.json {
        out.json(&json!({
            "method": "paper",
            "threshold": args.threshold,
            "tested": { "spam": tested.0, "ham": tested.1 },
            "spam_recall": recall,
            "ham_lost": lost,
            "unsure_spam": 0.0,
            "unsure_ham": 0.0,
            "by_sender": { "spam": by_sender[0], "ham": by_sender[1] },
            "without_shingle": { "spam": without_shingle[0], "ham": without_shingle[1] },
            "similar": { "spam": similar[0], "ham": similar[1] },
        }))?;
        return Ok(ExitCode::Yes);
    }
    let mut row = |name: &str, value: String| out.text(format_args!("{name:22}{value}\n"));
    row("judged", messages(tested, &split.labels))?;
    row("spam found", format!("{} ({})", Percent(recall), grouped(sum(0) as u64)))?;
    row("ham lost", format!("{} ({})", Percent(lost), grouped(sum(1) as u64)))?;
    for (name, [spam, ham]) in [
        ("by sender", by_sender),
        ("without a shingle", without_shingle),
        ("by similarity", similar),
    ] {
        row(name, format!("{} spam, {} ham", grouped(spam as u64), grouped(ham as u64)))?;
    }
    Ok(ExitCode::Yes)
}
