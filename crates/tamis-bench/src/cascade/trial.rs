//! One contender on one set, in a process of its own: its processor time and its largest memory are then nobody else's.

use super::clubcards::Clubcards;
use super::contender::{CHAIN, CLUBCARD, COMP_VFUNC, Contender, OURS};
use super::ours::{ClassicOf, Ours};
use super::peers::{RustCascades, Sux};
use super::sets::{Set, sets};
use crate::timing::{Times, Track, timed};
use crate::usage::{largest_memory, memory, processor_time};
use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Keys in a slice of time: some contenders take microseconds for one.
const SLICE: usize = 1 << 12;

/// What a process is to do.
#[derive(clap::Args)]
pub(crate) struct TrialArguments {
    /// Who
    pub(crate) contender: String,
    /// The keys
    pub(crate) set: String,
    /// The part of the keys
    #[arg(long, default_value_t = 1.0)]
    pub(crate) scale: f64,
    /// Timed questions of each round
    #[arg(long, default_value_t = 1 << 20)]
    pub(crate) questions: usize,
    /// Rounds of questions
    #[arg(long, default_value_t = 10)]
    pub(crate) rounds: usize,
}

/// What was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Trial {
    pub(crate) contender: String,
    pub(crate) set: String,
    /// The part of the set.
    pub(crate) scale: f64,
    pub(crate) keys: u64,
    /// The entropy bound, in bytes.
    pub(crate) bound: f64,
    pub(crate) bytes: u64,
    /// Processor time of the training, in seconds.
    pub(crate) cpu: f64,
    /// Time that went by.
    pub(crate) wall: f64,
    /// The largest memory of the training above that of the keys, in megabytes.
    pub(crate) memory: Option<f64>,
    /// Trained keys with a wrong category.
    pub(crate) errors: u64,
    /// Nanoseconds for a key, from its text on, one by one.
    pub(crate) single: Times,
    /// The same for many at once, if there is a way to ask for them.
    pub(crate) batched: Option<Times>,
}

impl Trial {
    /// The size over the bound.
    pub(crate) fn ratio(&self) -> f64 {
        self.bytes as f64 / self.bound
    }

    /// The better times of both, the larger memory, and all errors.
    fn best(self, other: Self) -> Self {
        let least =
            |a: Times, b: Times| Times { best: a.best.min(b.best), median: a.median.min(b.median) };
        Self {
            cpu: self.cpu.min(other.cpu),
            wall: self.wall.min(other.wall),
            memory: self.memory.zip(other.memory).map(|(a, b)| a.max(b)),
            errors: self.errors.max(other.errors),
            single: least(self.single, other.single),
            batched: self.batched.zip(other.batched).map(|(a, b)| least(a, b)),
            bytes: self.bytes.max(other.bytes),
            ..self
        }
    }
}

/// Runs a trial and prints it as JSON.
///
/// # Errors
/// An unknown contender or set, or keys that are refused.
pub(crate) fn run_trial(arguments: &TrialArguments) -> anyhow::Result<()> {
    let trial = trial(arguments)?;
    crate::report::print(&(serde_json::to_string(&trial)? + "\n"))
}

fn trial(arguments: &TrialArguments) -> anyhow::Result<Trial> {
    let set = sets().into_iter().find(|set| set.name == arguments.set);
    let set = set.with_context(|| format!("no set is called {}", arguments.set))?;
    let set = set.scaled(arguments.scale);
    match arguments.contender.as_str() {
        OURS => of::<Ours>(arguments, &set),
        "classic 0" => of::<ClassicOf<0>>(arguments, &set),
        "classic 1" => of::<ClassicOf<1>>(arguments, &set),
        "rust_cascade" => of::<RustCascades>(arguments, &set),
        CLUBCARD => of::<Clubcards<false>>(arguments, &set),
        CHAIN => of::<Clubcards<true>>(arguments, &set),
        COMP_VFUNC => of::<Sux>(arguments, &set),
        other => bail!("nobody is called {other}"),
    }
}

fn of<C: Contender>(arguments: &TrialArguments, set: &Set) -> anyhow::Result<Trial> {
    let texts = set.texts();
    let keys = texts.keys();
    let classes = set.classes(&keys);
    let before = memory();
    let (cpu, start) = (processor_time(), Instant::now());
    let contender = C::train(&classes)?;
    let (cpu, wall) = (processor_time() - cpu, start.elapsed().as_secs_f64());
    let memory = largest_memory().zip(before).map(|(largest, before)| largest - before);
    let wrong = |(keys, category): (&&[&str], u32)| {
        keys.iter().filter(|key| contender.category(key) != category).count() as u64
    };
    let errors = classes.iter().zip(0..).map(wrong).sum();
    let (single, batched) = lookups(arguments, set, &contender);
    Ok(Trial {
        contender: arguments.contender.clone(),
        set: set.name.to_owned(),
        scale: arguments.scale,
        keys: set.keys(),
        bound: set.bound() / 8.0,
        bytes: contender.bytes()? as u64,
        cpu,
        wall,
        memory,
        errors,
        single,
        batched,
    })
}

/// Times of questions for keys in random order, which lie in memory in the order of the questions.
fn lookups<C: Contender>(
    arguments: &TrialArguments,
    set: &Set,
    contender: &C,
) -> (Times, Option<Times>) {
    let texts = set.questions(arguments.questions);
    let questions = texts.keys();
    let (mut single, mut batched) = (Track::default(), Track::default());
    let mut into = vec![0; SLICE];
    for _ in 0..arguments.rounds.max(1) {
        let slices: Vec<_> = questions
            .chunks(SLICE)
            .map(|keys| timed(|| keys.iter().map(|key| contender.category(key)).sum::<u32>()))
            .collect();
        single.record(questions.len(), &slices);
        if C::BATCHES {
            let slices: Vec<_> = questions
                .chunks(SLICE)
                .map(|keys| timed(|| contender.categories(keys, &mut into)))
                .collect();
            batched.record(questions.len(), &slices);
        }
    }
    (single.times(), C::BATCHES.then(|| batched.times()))
}

/// Runs a trial in a process of its own, as often as wanted; the best is what counts.
///
/// # Errors
/// A process that cannot be started or fails.
pub(crate) fn in_processes(arguments: &TrialArguments, times: usize) -> anyhow::Result<Trial> {
    let mut best: Option<Trial> = None;
    for _ in 0..times.max(1) {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["cascade-trial", &arguments.contender, &arguments.set]);
        command.args(["--scale", &arguments.scale.to_string()]);
        command.args(["--questions", &arguments.questions.to_string()]);
        command.args(["--rounds", &arguments.rounds.to_string()]);
        let output = command.stderr(Stdio::inherit()).output()?;
        let (contender, set) = (&arguments.contender, &arguments.set);
        ensure!(output.status.success(), "{contender} on {set} ended with {}", output.status);
        let trial: Trial = serde_json::from_slice(&output.stdout)?;
        best = Some(match best {
            Some(before) => before.best(trial),
            None => trial,
        });
    }
    best.context("no trial")
}
