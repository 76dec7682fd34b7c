//! `tamis mail learn`: these are spam, those are not.

use super::labelled::Labelled;
use super::place::Place;
use crate::exit::ExitCode;
use crate::output::{Output, escaped};
use crate::progress::Progress;
use crate::values::{self, counted, grouped};
use anyhow::ensure;
use clap::Args;
use std::time::{Duration, Instant};
use tamis_mail::merged::{Merged, for_each_merged};
use tamis_mail::store::{Change, Learner, Settings, now, random_seed};

/// Lines about messages that are safe wait no longer than this.
const PATIENCE: Duration = Duration::from_millis(20);

#[derive(Debug, Args)]
#[command(
    after_help = "The store is made when it is not there. The same message again changes nothing; under another label it moves
there. Messages of several labels are learned in proportion, whatever their order on the command line.
What is learned survives a crash from the moment it is reported.

Examples:
  tamis mail learn --store mail.store --spam Maildir/.Junk --ham Maildir
  tamis mail learn --store mail.store --spam - < message.eml
  tamis mail learn --store mail.store --label social social.mbox --label promotions shops/"
)]
pub struct LearnArgs {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    labelled: Labelled,

    /// A new store has tables of 2^BITS cells of 16 bytes: 20 serve a person, 22 a server
    #[arg(long, value_name = "BITS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(10..=26))]
    table: u32,

    /// A new store may lose this part of the ham
    #[arg(long, value_parser = values::rate, default_value = "0.1%")]
    ham_lost: f64,

    /// The seed of a new store; by chance, if none is given
    #[arg(long, value_parser = values::seed)]
    seed: Option<u64>,

    /// A line for each message once it is safe
    #[arg(short, long)]
    verbose: bool,

    /// Print nothing about the run
    #[arg(short, long)]
    quiet: bool,
}

/// What became of the messages.
#[derive(Default)]
struct Counts {
    learned: u64,
    moved: u64,
    known: u64,
}

pub fn run(args: &LearnArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    ensure!(
        !args.labelled.groups.is_empty(),
        "nothing to learn: name messages with --spam, --ham or --label"
    );
    super::check_ham_lost(args.ham_lost)?;
    let folder = args.place.folder()?;
    let mut learner = match Learner::open(&folder) {
        Err(tamis_mail::Error::NoStore { .. }) => {
            let seed = args.seed.unwrap_or_else(random_seed);
            Learner::create(&folder, args.table, seed, Settings { ham_lost: args.ham_lost })?
        }
        opened => opened?,
    };
    let mut counts = Counts::default();
    let mut waiting: Vec<String> = Vec::new();
    let mut last = Instant::now();
    let groups = &args.labelled.groups;
    let mut progress = Progress::bytes("learning", 0);
    for_each_merged(groups, |Merged { group, name, raw }| -> anyhow::Result<()> {
        let label = &groups[group].label;
        let change = learner.learn(&raw, label, now())?;
        progress.advance(raw.len() as u64);
        match change {
            Change::Learned => counts.learned += 1,
            Change::Moved { .. } => counts.moved += 1,
            Change::Known => counts.known += 1,
        }
        if args.verbose {
            let name = escaped(name.as_bytes());
            waiting.push(match change {
                Change::Learned => format!("{name}\tlearned as {label}"),
                Change::Moved { from } => format!("{name}\tmoved from {from} to {label}"),
                Change::Known => format!("{name}\tknown as {label}"),
            });
            if last.elapsed() > PATIENCE {
                learner.commit()?;
                say(&mut waiting, out)?;
                last = Instant::now();
            }
        } else {
            learner.commit_if_much()?;
        }
        Ok(())
    })?;
    drop(progress);
    learner.commit()?;
    say(&mut waiting, out)?;
    let messages = learner.messages() as u64;
    learner.close()?;
    if !args.quiet {
        let Counts { learned, moved, known } = counts;
        eprintln!(
            "{} learned, {} moved, {} known before; the store knows {}",
            grouped(learned),
            grouped(moved),
            grouped(known),
            counted(messages, "message")
        );
    }
    Ok(ExitCode::Yes)
}

fn say(waiting: &mut Vec<String>, out: &mut Output) -> anyhow::Result<()> {
    for line in waiting.drain(..) {
        out.text(format_args!("{line}\n"))?;
    }
    Ok(out.flush()?)
}
