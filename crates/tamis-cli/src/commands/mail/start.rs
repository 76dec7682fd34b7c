//! `tamis mail start`: the first run, on the mail that a person already has.

use super::left_out;
use super::place::Place;
use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::output::{Output, escaped};
use crate::progress::Progress;
use crate::values::{self, Percent, counted, grouped};
use anyhow::{Context, anyhow, bail};
use clap::Args;
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use tamis_mail::filter::Verdict;
use tamis_mail::mailbox::tree::{self, MailFolder, Messages, Role};
use tamis_mail::merged::{Group, Merged, Plan};
use tamis_mail::store::{Change, Learner, Settings, now, random_seed};
use tamis_mail::training::{Outcome, Training};

/// The labels that folders teach.
const LABELS: [&str; 2] = ["spam", "ham"];

/// Cuts are set again after this many messages; after each one up to this many in all.
const CUTS_EVERY: usize = 100;

/// Whether a message was spam, and the verdict before it was learned.
type Judged = (bool, Verdict);

#[derive(Debug, Args)]
#[command(
    after_help = "Junk teaches spam. Archive, Sent and all other folders teach ham, and so do the messages of the inbox that were read.
Trash, Drafts and the like teach nothing. Nothing is learned before you agree.

Each message is judged before it is learned, so the result tells how good the filter is on your own mail.
Learning again is harmless: a known message changes nothing. Exit codes: 0 learned, 1 you said no, 2 error.

Examples:
  tamis mail start --store mail.store Maildir
  tamis mail start --store mail.store --yes Maildir /var/mail/anne"
)]
pub struct StartArgs {
    #[command(flatten)]
    place: Place,

    /// Maildirs, mbox files, or folders of them
    #[arg(value_name = "MAIL", required = true)]
    mail: Vec<PathBuf>,

    /// Learn without asking
    #[arg(short, long)]
    yes: bool,

    /// Tables of a new store have 2^BITS cells of 16 bytes: 20 for a person, 22 for a server
    #[arg(long, value_name = "BITS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(10..=26))]
    table: u32,

    /// Maximum part of the ham that a new store may lose
    #[arg(long, value_parser = values::rate, default_value = "0.1%")]
    ham_lost: f64,

    /// Seed of a new store; random by default
    #[arg(long, value_parser = values::seed)]
    seed: Option<u64>,

    /// Print the result as one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &StartArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    super::check_ham_lost(args.ham_lost)?;
    let store = args.place.folder()?;
    let mut folders = Vec::new();
    for path in &args.mail {
        folders.extend(tree::folders(path)?);
    }
    let lessons = |label: &str| -> u64 {
        let of = folders.iter().filter(|folder| folder.role.label() == Some(label));
        of.map(MailFolder::lessons).sum()
    };
    let counts = LABELS.map(lessons);
    if !args.json {
        show(&folders, out)?;
    }
    if counts == [0, 0] {
        bail!("nothing to learn: no mail was found, or none that was read or filed");
    }
    let [spam, ham] = counts.map(grouped);
    let place = escaped(store.as_os_str().as_encoded_bytes());
    if !args.yes && !ask(&format!("Learn {spam} spam and {ham} ham into {place}? [y/N] "))? {
        eprintln!("nothing was learned");
        return Ok(ExitCode::No);
    }
    let learned = learn(args, &store, &folders)?;
    if args.json {
        out.json(&learned.as_json())?;
    } else {
        learned.print(out)?;
    }
    out.flush()?;
    if !args.json {
        eprintln!("next: tamis mail watch --store {place} MAILDIR learns from what you move");
    }
    left_out::unreadable(&learned.report, "everything else was learned")?;
    Ok(ExitCode::Yes)
}

/// What is there, and what each folder would teach.
fn show(folders: &[MailFolder], out: &mut Output) -> anyhow::Result<()> {
    let width = folders.iter().map(|folder| folder.name.chars().count()).max().unwrap_or(0).max(6);
    let mut line = |name: &str, messages: &str, teaches: &str| {
        let name = escaped(name.as_bytes());
        out.text(format_args!("{name:width$}  {messages:>9}  {teaches}\n"))
    };
    line("folder", "messages", "teaches")?;
    for folder in folders {
        let [read, unread] = folder.counts().map(grouped);
        let all: u64 = folder.counts().iter().sum();
        match (folder.role, folder.role.label()) {
            (Role::Inbox, Some(label)) => {
                line(&folder.name, &read, &format!("{label}: read"))?;
                line(&folder.name, &unread, "nothing: not read yet")?;
            }
            (_, Some(label)) => line(&folder.name, &grouped(all), label)?,
            (_, None) => line(&folder.name, &grouped(all), "nothing: deleted or unfinished")?,
        }
    }
    Ok(out.flush()?)
}

/// Asks on the terminal.
fn ask(question: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        let error = anyhow!("nothing was learned: there is no terminal to ask on");
        return Err(error.context(Hint("add --yes to learn what is listed")));
    }
    eprint!("{question}");
    std::io::stderr().flush().ok();
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).context("the answer cannot be read")?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// What was learned, and how each message was judged before.
struct Learned {
    counts: tamis_mail::training::Counts,
    messages: u64,
    /// Whether it was spam, and the verdict.
    judged: Vec<Judged>,
    /// How many more spam and ham messages must be learned before scores decide.
    missing: (usize, usize),
    report: tamis_mail::mailbox::Report,
}

fn learn(
    args: &StartArgs,
    store: &std::path::Path,
    folders: &[MailFolder],
) -> anyhow::Result<Learned> {
    let plan = Plan::new(&groups(folders))?;
    let mut learner = match Learner::open(store) {
        Err(tamis_mail::Error::NoStore { .. }) => {
            let seed = args.seed.unwrap_or_else(random_seed);
            Learner::create(store, args.table, seed, Settings { ham_lost: args.ham_lost })?
        }
        opened => opened?,
    };
    let mut training = Training::new(LABELS.map(str::to_owned));
    let mut judged = Vec::new();
    let mut progress = Progress::bytes("learning", 0);
    learner.set_cuts();
    let report = plan.for_each(|Merged { group, name, raw }| -> anyhow::Result<()> {
        progress.advance(raw.len() as u64);
        // The last group holds mbox files that also have unread messages.
        if group == LABELS.len() && !tree::is_read(&raw) {
            return Ok(());
        }
        let label = group.min(LABELS.len() - 1);
        let verdict = learner.judge(&raw).verdict;
        let outcome = training.learn(&mut learner, label, &name, &raw, now())?;
        if outcome == Outcome::Done(Change::Learned) {
            judged.push((LABELS[label] == "spam", verdict));
            if judged.len() < CUTS_EVERY || judged.len().is_multiple_of(CUTS_EVERY) {
                learner.set_cuts();
            }
        }
        learner.commit_if_much()?;
        Ok(())
    })?;
    drop(progress);
    learner.commit()?;
    learner.set_cuts();
    let missing = learner.filter().cuts().missing;
    let messages = learner.messages() as u64;
    learner.close()?;
    Ok(Learned { counts: training.counts().clone(), messages, judged, missing, report })
}

/// Spam, ham, and mbox files of which only the read messages are ham.
fn groups(folders: &[MailFolder]) -> Vec<Group> {
    let group = |label: &str| Group { label: label.to_owned(), paths: Vec::new() };
    let mut groups = vec![group(LABELS[0]), group(LABELS[1]), group(LABELS[1])];
    for MailFolder { role, messages, .. } in folders {
        let Some(label) = role.label() else { continue };
        let own = usize::from(label != LABELS[0]);
        match messages {
            Messages::Files(read, unread) => {
                groups[own].paths.extend_from_slice(read);
                if *role != Role::Inbox {
                    groups[own].paths.extend_from_slice(unread);
                }
            }
            Messages::Mbox(path, _) if *role == Role::Inbox => groups[2].paths.push(path.clone()),
            Messages::Mbox(path, _) => groups[own].paths.push(path.clone()),
        }
    }
    groups
}

/// Shares of the messages of one kind.
#[derive(Debug, Clone, Copy)]
struct Shares {
    messages: usize,
    as_spam: f64,
    unsure: f64,
}

fn shares(judged: &[Judged], is_spam: bool) -> Shares {
    let of: Vec<Verdict> = judged.iter().filter(|j| j.0 == is_spam).map(|j| j.1).collect();
    let share = |matches: fn(&Verdict) -> bool| {
        of.iter().filter(|verdict| matches(verdict)).count() as f64 / of.len().max(1) as f64
    };
    Shares {
        messages: of.len(),
        as_spam: share(|verdict| verdict.is_spam()),
        unsure: share(|verdict| *verdict == Verdict::Unsure),
    }
}

impl Learned {
    /// All messages, and the newer half, which a filter judged that knew the older half.
    fn parts(&self) -> [&[Judged]; 2] {
        [&self.judged, &self.judged[self.judged.len() / 2..]]
    }

    fn print(&self, out: &mut Output) -> anyhow::Result<()> {
        let tamis_mail::training::Counts { learned, moved, known, conflicts } = &self.counts;
        out.text(format_args!(
            "{} learned, {} moved, {} known before; the store knows {}\n",
            grouped(*learned),
            grouped(*moved),
            grouped(*known),
            counted(self.messages, "message")
        ))?;
        if conflicts.count > 0 {
            let names = left_out::names(conflicts);
            out.text(format_args!("not learned, found under two labels: {names}\n"))?;
        }
        left_out::skipped(&self.report);
        let [all, newer] = self.parts();
        out.text(format_args!(
            "\n{:22}{:>14}{:>14}\n",
            "judged before learned", "all", "second half"
        ))?;
        let mut line = |name: &str, value: &dyn Fn(&[Judged]) -> String| {
            out.text(format_args!("{name:22}{:>14}{:>14}\n", value(all), value(newer)))
        };
        let count = |part: &[Judged], is_spam| grouped(shares(part, is_spam).messages as u64);
        let percent = |share: f64| Percent(share).to_string();
        line("spam", &|part| count(part, true))?;
        line("ham", &|part| count(part, false))?;
        line("spam found", &|part| percent(shares(part, true).as_spam))?;
        line("spam unsure", &|part| percent(shares(part, true).unsure))?;
        line("ham lost", &|part| percent(shares(part, false).as_spam))?;
        line("ham unsure", &|part| percent(shares(part, false).unsure))?;
        if self.missing != (0, 0) {
            let (spam, ham) = self.missing;
            out.text(format_args!(
                "\ntoo little is known to be sure: {spam} spam and {ham} ham messages more are needed\n"
            ))?;
        }
        Ok(())
    }

    fn as_json(&self) -> serde_json::Value {
        let part = |part: &[Judged]| {
            let (spam, ham) = (shares(part, true), shares(part, false));
            json!({
                "spam": spam.messages, "ham": ham.messages,
                "spam_found": spam.as_spam, "spam_unsure": spam.unsure,
                "ham_lost": ham.as_spam, "ham_unsure": ham.unsure,
            })
        };
        let [all, newer] = self.parts();
        json!({
            "learned": self.counts.learned, "moved": self.counts.moved, "known": self.counts.known,
            "conflicts": self.counts.conflicts.count, "messages": self.messages,
            "judged": part(all), "second_half": part(newer),
            "missing": { "spam": self.missing.0, "ham": self.missing.1 },
        })
    }
}
