//! `tamis mail forget`, `expire` and `rebuild`: undo what was learned by mistake, or long ago.

use super::left_out;
use super::place::Place;
use crate::exit::ExitCode;
use crate::progress::Progress;
use crate::values::{counted, grouped};
use anyhow::{Context, bail};
use clap::Args;
use std::path::PathBuf;
use tamis_mail::mailbox::{self, Options};
use tamis_mail::store::{Learner, now};

#[derive(Debug, Args)]
#[command(
    after_help = "Inverts the update of each message bit for bit, whatever was learned since. (Later messages were learned by a
filter that knew the message; tamis mail rebuild makes a store as if it had never been learned.) A message is found
in any copy, before or after delivery. With --teacher everything that this teacher has taught is forgotten.
Exit codes: 0 forgotten, 1 none of them was known, 2 error.

Examples:
  tamis mail forget --store mail.store message.eml
  tamis mail forget --store mail.store --teacher autolearn
  tamis mail forget --store mail.store - < message.eml"
)]
pub struct ForgetArgs {
    #[command(flatten)]
    place: Place,

    /// Messages: files, mbox files, Maildirs, folders; standard input by default
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Forget every message that this teacher has taught
    #[arg(long, value_name = "NAME", conflicts_with = "paths")]
    teacher: Option<String>,

    /// Print nothing about the run
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis mail expire --store mail.store --older-than 365d
  tamis mail expire --store mail.store --older-than 12w")]
pub struct ExpireArgs {
    #[command(flatten)]
    place: Place,

    /// Forget what was learned longer ago than this: days (d), weeks (w) or years (y)
    #[arg(long, value_name = "TIME", value_parser = age)]
    older_than: u64,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Learns the remaining messages again in their order: the store is then identical to one that has never seen
anything else, and its journal is as short as possible. The old store stays in place until the new one is complete.

Example:
  tamis mail rebuild --store mail.store"
)]
pub struct RebuildArgs {
    #[command(flatten)]
    place: Place,
}

pub fn forget(args: &ForgetArgs) -> anyhow::Result<ExitCode> {
    let mut learner = Learner::open(&args.place.folder()?)?;
    super::warn_of_cut_off(&learner);
    if let Some(teacher) = &args.teacher {
        let forgotten = learner.forget_teacher(teacher)? as u64;
        learner.close()?;
        if !args.quiet {
            eprintln!("{} forgotten that {teacher} has taught", grouped(forgotten));
        }
        return Ok(ExitCode::from_found(forgotten > 0));
    }
    let (mut forgotten, mut unknown) = (0, 0);
    let paths = super::or_standard_input(&args.paths);
    let report = mailbox::read(&paths, &Options::judging(), |_, raw| -> anyhow::Result<()> {
        if learner.forget(raw)? {
            forgotten += 1;
        } else {
            unknown += 1;
        }
        Ok(())
    })?;
    learner.close()?;
    if !args.quiet {
        eprintln!("{} forgotten, {} not known", grouped(forgotten), grouped(unknown));
        left_out::skipped(&report);
    }
    left_out::unreadable(&report, "everything else was forgotten")?;
    Ok(ExitCode::from_found(forgotten > 0))
}

pub fn expire(args: &ExpireArgs) -> anyhow::Result<ExitCode> {
    let mut learner = Learner::open(&args.place.folder()?)?;
    let expired = learner.expire(now().saturating_sub(args.older_than))? as u64;
    let left = learner.messages() as u64;
    learner.close()?;
    eprintln!("{} expired, {} left", grouped(expired), grouped(left));
    Ok(ExitCode::Yes)
}

pub fn rebuild(args: &RebuildArgs) -> anyhow::Result<ExitCode> {
    let learner = Learner::open(&args.place.folder()?)?;
    let messages = learner.messages() as u64;
    let mut progress = Progress::parts("learning again", messages);
    learner.rebuild(|done| progress.advance(done))?;
    drop(progress);
    eprintln!("rebuilt from {}", counted(messages, "message"));
    Ok(ExitCode::Yes)
}

/// A time such as `30d`, in seconds.
fn age(text: &str) -> anyhow::Result<u64> {
    const DAY: u64 = 24 * 60 * 60;
    let split = text.len() - text.chars().next_back().map_or(0, char::len_utf8);
    let (number, unit) = text.split_at(split);
    let seconds = match unit {
        "d" => DAY,
        "w" => 7 * DAY,
        "y" => 365 * DAY,
        _ => bail!("write a number and d, w or y, such as 365d"),
    };
    let number: u64 = number.parse().context("write a number and d, w or y, such as 365d")?;
    number.checked_mul(seconds).context("the time is too long")
}

#[cfg(test)]
mod tests {
    use super::age;

    #[test]
    fn ages_have_a_unit() {
        assert_eq!(age("2d").ok(), Some(172_800));
        assert_eq!(age("1w").ok(), Some(604_800));
        assert_eq!(age("1y").ok(), Some(31_536_000));
        for refused in ["", "3", "d", "-1d", "1.5d", "9999999999999999d", "3é"] {
            assert!(age(refused).is_err(), "{refused}");
        }
    }
}
