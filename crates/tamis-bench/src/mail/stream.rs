//! A stream of mail: every filter carries out the same steps of one plan.
//!
//! bogofilter is driven as a command, and with processes for each message it gets through only 60
//! to 120 messages per second. So feedback comes in batches (`--batch`, 100 messages by default) for
//! every filter alike: a batch is judged, then learned. That makes all figures worse, most of all at
//! the start; with `--batch 1` feedback is immediate, at the price of time. Splits (`--learn`) and
//! draws judge nothing before the last message is learned, so they are exact whatever the batch.

use super::accuracy::{Accuracy, BITS, Run, accuracy};
use super::contender::{Command, Contender, Mail, Tamis};
use super::peers::Peer;
use super::regression;
use serde::Serialize;
use std::path::PathBuf;
use tamis_mail::evaluation::Options;
use tamis_mail::evaluation::stream::{Draw, Feedback, Index, Plan, Step};

/// What the rows of a stream are called.
pub(crate) const DIVISION: &str = "stream";

/// Messages per batch if nothing else is asked for.
const BATCH: &str = "100";

/// A stream and its plan.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct StreamArguments {
    /// Replay a TREC-style index, a label and a path per line, in its own order
    #[arg(long, value_name = "INDEX")]
    pub(crate) stream: Option<PathBuf>,
    /// When a label is learned: immediate, delayed:MESSAGES or partial:SHARE%
    #[arg(long, conflicts_with = "collection", default_value = "immediate")]
    feedback: Feedback,
    /// Judge a batch of N messages before its labels are learned, for every filter
    #[arg(long, value_name = "N", conflicts_with = "collection", default_value = BATCH)]
    batch: usize,
    /// Learn the first N messages only and judge the rest
    #[arg(long, value_name = "N", conflicts_with = "collection")]
    learn: Option<usize>,
    /// Number of the first message to judge
    #[arg(long, value_name = "NUMBER", conflicts_with = "collection")]
    from: Option<usize>,
    /// Number of the last message of the stream
    #[arg(long, value_name = "NUMBER", conflicts_with = "collection")]
    to: Option<usize>,
    /// Learn a random sample, such as 20+20, and judge all other messages
    #[arg(long, value_name = "SPAM+HAM", conflicts_with_all = ["collection", "feedback", "learn"])]
    draw: Option<Draw>,
    /// Which random sample
    #[arg(long, conflicts_with = "collection", default_value_t = 0)]
    seed: u64,
}

/// How a stream was replayed.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Replayed {
    /// The plan in words.
    pub(crate) plan: String,
    /// Messages judged, spam and others.
    pub(crate) judged: (usize, usize),
    /// Messages learned.
    pub(crate) learned: usize,
    /// Bits of Tamis' tables.
    pub(crate) bits: u32,
}

impl StreamArguments {
    fn plan(&self) -> Plan {
        let Self { feedback, learn, from, to, draw, seed, batch, .. } = *self;
        Plan { feedback, learn, from, to, draw, seed, batch }
    }

    /// The plan in words.
    fn text(&self) -> String {
        if let Some(Draw { spam, ham }) = self.draw {
            return format!("{spam} spam and {ham} ham learned, drawn with seed {}", self.seed);
        }
        let feedback = match self.feedback {
            Feedback::Immediate => String::new(),
            Feedback::Delayed(messages) => format!(", delayed by {messages} messages"),
            Feedback::Partial(share) => format!(", for {} % of the messages", 100.0 * share),
        };
        let learned = match self.learn {
            Some(first) => format!("the first {first} messages learned"),
            None => format!("every message learned in batches of {} after judging", self.batch),
        };
        learned + &feedback
    }
}

/// Replays a stream with Tamis, bogofilter if it is installed, and the regressions.
///
/// # Errors
/// An index or a message that cannot be read, a plan that judges nothing, a command that fails.
pub(crate) fn measure(
    arguments: &StreamArguments,
    index: &std::path::Path,
    peers: &[Peer],
) -> anyhow::Result<(Replayed, Vec<Accuracy>)> {
    let index = Index::read(index, arguments.to)?;
    let steps = arguments.plan().steps(&index.entries)?;
    let options = Options { bits: BITS[1], ..Options::default() };
    let mut contenders: Vec<Box<dyn Contender>> =
        vec![Box::new(Tamis::new(&index.labels, options)?)];
    for peer in peers {
        contenders.push(Box::new(Command::new(*peer)?));
    }
    contenders.extend(regression::all());
    let mut accuracies = Vec::new();
    for mut contender in contenders {
        eprintln!("{}", contender.name());
        let run = replay(contender.as_mut(), &index, &steps)?;
        accuracies.push(accuracy(DIVISION, contender.name(), &[run]));
    }
    let judged: Vec<u8> = steps.iter().filter_map(|step| label(&index, *step)).collect();
    let spam = judged.iter().filter(|label| **label == super::SPAM).count();
    let replayed = Replayed {
        plan: arguments.text(),
        judged: (spam, judged.len() - spam),
        learned: steps.iter().filter(|step| matches!(step, Step::Learn(_))).count(),
        bits: BITS[1],
    };
    Ok((replayed, accuracies))
}

/// The label of a message that is judged.
fn label(index: &Index, step: Step) -> Option<u8> {
    if let Step::Judge(place) = step { Some(index.entries[place].label) } else { None }
}

/// Carries out the steps; neighbours of the same kind go to the filter together.
fn replay(contender: &mut dyn Contender, index: &Index, steps: &[Step]) -> anyhow::Result<Run> {
    let kind = |step: &Step| std::mem::discriminant(step);
    let mut run = Run::default();
    for group in steps.chunk_by(|left, right| kind(left) == kind(right)) {
        let place = |step: &Step| match step {
            Step::Learn(place) | Step::Judge(place) => Some(*place),
            Step::SetCuts => None,
        };
        let entries = group.iter().filter_map(place).map(|place| &index.entries[place]);
        let messages: Vec<Mail<'_>> =
            entries.map(|entry| Mail { path: &entry.path, label: entry.label }).collect();
        match group[0] {
            Step::Learn(_) => run.learn(contender, &messages)?,
            Step::SetCuts => contender.set_cuts(),
            Step::Judge(_) => run.judge(contender, &messages)?,
        }
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::super::contender::Answer;
    use super::*;
    use tamis_mail::evaluation::stream::Entry;

    /// Notes the calls, and says of each message how many were learned before.
    #[derive(Default)]
    struct Witness {
        calls: Vec<String>,
        learned: usize,
    }

    impl Contender for Witness {
        fn name(&self) -> &'static str {
            "witness"
        }

        fn learn(&mut self, messages: &[Mail<'_>]) -> anyhow::Result<()> {
            self.learned += messages.len();
            self.calls.push(format!("learn {}", messages.len()));
            Ok(())
        }

        fn judge(&mut self, messages: &[Mail<'_>]) -> anyhow::Result<Vec<Answer>> {
            self.calls.push(format!("judge {}", messages.len()));
            let score = self.learned as f64;
            let answer = |message: &Mail<'_>| Answer {
                is_spam: message.is_spam(),
                score,
                probability: 0.5,
                called_spam: false,
                unsure: true,
            };
            Ok(messages.iter().map(answer).collect())
        }
    }

    #[test]
    fn a_filter_is_called_once_per_batch_and_never_knows_the_batch_it_judges() {
        let entry = |place: usize| Entry {
            path: place.to_string().into(),
            label: (place % 2) as u8,
            feedback: true,
        };
        let labels = ["ham", "spam"].map(str::to_owned).to_vec();
        let index = Index { labels, entries: (0..25).map(entry).collect(), moved: 0 };
        let plan = Plan { batch: 10, ..Plan::default() };
        let steps = plan.steps(&index.entries).expect("steps");
        let mut witness = Witness::default();
        let run = replay(&mut witness, &index, &steps).expect("a run");
        let calls = ["judge 10", "learn 10", "judge 10", "learn 10", "judge 5", "learn 5"];
        assert_eq!(witness.calls, calls);
        let scores: Vec<usize> = run.answers.iter().map(|a| a.score as usize).collect();
        assert_eq!(scores, (0..25).map(|place| place / 10 * 10).collect::<Vec<_>>());
        assert_eq!((run.pace.judged, run.pace.learned), (25, 25));
    }
}
