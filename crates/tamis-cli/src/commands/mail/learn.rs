//! `tamis mail learn`: learns messages with their labels.

use super::labelled::Labelled;
use super::left_out;
use super::place::Place;
use crate::exit::ExitCode;
use crate::output::{Output, escaped};
use crate::progress::Progress;
use crate::values::{self, counted, grouped};
use anyhow::ensure;
use clap::Args;
use std::time::{Duration, Instant};
use tamis_mail::mailbox::NAMED;
use tamis_mail::merged::{Merged, Overlap, Plan};
use tamis_mail::store::{Change, Learner, OWNER, Settings, now, random_seed};
use tamis_mail::training::{Counts, Outcome, Training};

/// Maximum time that a line about a message waits for others to be written with it.
const PATIENCE: Duration = Duration::from_millis(20);

#[derive(Debug, Args)]
#[command(
    after_help = "Creates the store if there is none. A message that is known changes nothing; under another label it moves there.
A message is recognised before and after delivery: transport and filter headers do not count. Messages of several
labels are learned in proportion, in any order of the options. Learned messages survive a crash once reported.

Each message gets one label:
  - A path inside another keeps its own label: --spam Maildir/.Junk --ham Maildir learns .Junk as spam only.
  - Trash, Drafts, Sent and the like are skipped unless named, and so is Junk below a path that is not spam.
  - A message found under two labels is not learned. One path under two labels is an error; nothing is learned.
Files that are not mail are skipped. Files that cannot be read are reported; the rest is learned, with exit code 2.

Examples:
  tamis mail learn --store mail.store --spam Maildir/.Junk --ham Maildir
  tamis mail learn --store mail.store --spam - < message.eml
  tamis mail learn --store mail.store --label social social.mbox --label promotions shops/
  tamis mail learn --store mail.store --teacher archive --ham Maildir/.Archive"
)]
pub struct LearnArgs {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    labelled: Labelled,

    /// Who teaches this: `tamis mail forget --teacher NAME` takes it back
    #[arg(long, value_name = "NAME", default_value = OWNER)]
    teacher: String,

    /// Tables of a new store have 2^BITS cells of 16 bytes: 20 for a person, 22 for a server
    #[arg(long, value_name = "BITS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(10..=26))]
    table: u32,

    /// Maximum part of the ham that a new store may lose
    #[arg(long, value_parser = values::rate, default_value = "0.1%")]
    ham_lost: f64,

    /// Seed of a new store; random by default
    #[arg(long, value_parser = values::seed)]
    seed: Option<u64>,

    /// Print a line for each message once it is on disk
    #[arg(short, long)]
    verbose: bool,

    /// Print warnings and errors only
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(args: &LearnArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    ensure!(
        !args.labelled.groups.is_empty(),
        "nothing to learn: name messages with --spam, --ham or --label"
    );
    super::check_ham_lost(args.ham_lost)?;
    let plan = Plan::new(&args.labelled.groups)?;
    let folder = args.place.folder()?;
    let mut learner = match Learner::open(&folder) {
        Err(tamis_mail::Error::NoStore { .. }) => {
            let seed = args.seed.unwrap_or_else(random_seed);
            Learner::create(&folder, args.table, seed, Settings { ham_lost: args.ham_lost })?
        }
        opened => opened?,
    };
    super::warn_of_cut_off(&learner);
    let groups = plan.groups();
    let labels = groups.iter().map(|group| group.label.clone());
    let mut training = Training::new(labels).by(&args.teacher);
    let mut waiting: Vec<String> = Vec::new();
    let mut last = Instant::now();
    let mut progress = Progress::bytes("learning", 0);
    let report = plan.for_each(|Merged { group, name, raw }| -> anyhow::Result<()> {
        let outcome = training.learn(&mut learner, group, &name, &raw, now())?;
        progress.advance(raw.len() as u64);
        if !args.verbose {
            learner.commit_if_much()?;
            return Ok(());
        }
        waiting.push(line(&name, &groups[group].label, &outcome));
        if last.elapsed() > PATIENCE {
            learner.commit()?;
            say(&mut waiting, out)?;
            last = Instant::now();
        }
        Ok(())
    })?;
    drop(progress);
    learner.commit()?;
    say(&mut waiting, out)?;
    let messages = learner.messages() as u64;
    let again = learner.close_in_proportion()?;
    let Counts { learned, moved, known, conflicts } = training.counts();
    if !args.quiet {
        eprintln!(
            "{} learned, {} moved, {} known before; the store knows {}",
            grouped(*learned),
            grouped(*moved),
            grouped(*known),
            counted(messages, "message")
        );
        if again > 0 {
            let again = counted(again as u64, "message");
            eprintln!(
                "spam and other mail came one after the other: {again} learned again side by side"
            );
        }
        inside(plan.overlaps());
        left_out::skipped(&report);
    }
    if conflicts.count > 0 {
        let found = if conflicts.count == 1 { "message was" } else { "messages were" };
        let (count, names) = (grouped(conflicts.count), left_out::names(conflicts));
        eprintln!("warning: {count} {found} found under two labels and not learned: {names}");
    }
    if learned + moved + known + conflicts.count == 0 {
        eprintln!("warning: no messages were found");
    }
    left_out::unreadable(&report, "everything else was learned")?;
    Ok(ExitCode::Yes)
}

/// Tells which label the messages of a path inside another one have.
fn inside(overlaps: &[Overlap]) {
    for Overlap { inner, label, outer } in overlaps.iter().take(NAMED) {
        let [inner, outer] =
            [inner, outer].map(|path| escaped(path.as_os_str().as_encoded_bytes()));
        eprintln!("{inner} is inside {outer}: its messages are learned as {label} only");
    }
    if overlaps.len() > NAMED {
        let more = counted((overlaps.len() - NAMED) as u64, "more path");
        eprintln!("{more} inside others: their messages have the label of the inner path only");
    }
}

/// A line about one message.
fn line(name: &str, label: &str, outcome: &Outcome) -> String {
    let name = escaped(name.as_bytes());
    match outcome {
        Outcome::Done(Change::Learned) => format!("{name}\tlearned as {label}"),
        Outcome::Done(Change::Moved { from }) => format!("{name}\tmoved from {from} to {label}"),
        Outcome::Done(Change::Known) => format!("{name}\tknown as {label}"),
        Outcome::Conflict => format!("{name}\tfound under two labels, not learned"),
    }
}

fn say(waiting: &mut Vec<String>, out: &mut Output) -> anyhow::Result<()> {
    for line in waiting.drain(..) {
        out.text(format_args!("{line}\n"))?;
    }
    Ok(out.flush()?)
}
