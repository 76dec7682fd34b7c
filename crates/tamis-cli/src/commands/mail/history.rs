//! `tamis mail history` and `tamis mail digest`: the verdicts that a server has given.

use crate::exit::ExitCode;
use crate::output::{Output, escaped};
use anyhow::{Context, bail, ensure};
use clap::Args;
use std::path::PathBuf;
use tamis_mail::explain::{instant, time};
use tamis_mail::history::{Action, Daily, Entry, Format, Wanted, folder_in, search};
use tamis_mail::store::now;

/// How many entries are read at a time.
const PAGE: usize = 1000;

const DAY: u64 = 24 * 60 * 60;

#[derive(Debug, Args)]
#[command(
    after_help = "A server keeps its verdicts if its settings say so: history.days is at least 1. Prints a line for each verdict, the
newest first: time (UTC), verdict, probability of spam, action, sender, subject, main reason, and the label that the
message was taught since. Exit codes: 0 found, 1 nothing found, 2 error.

A time is a day (2026-11-18), a day and time (2026-11-18T09:30, UTC), or an age: 30m, 12h, 7d, 2w.

Examples:
  tamis mail history --store mail.store --since 7d --verdict spam
  tamis mail history --store mail.store --from bank.example --action quarantined
  tamis mail history --store mail.store --text invoice --limit 20 --json"
)]
pub struct HistoryArgs {
    #[command(flatten)]
    whose: Whose,

    #[command(flatten)]
    period: Period,

    /// Part of the sender
    #[arg(long, value_name = "TEXT")]
    from: Option<String>,

    /// The verdict: spam, ham, unsure or another label
    #[arg(long, value_name = "VERDICT")]
    verdict: Option<String>,

    /// What became of the message: none, delivered, tagged, quarantined or rejected
    #[arg(long, value_name = "ACTION")]
    action: Option<Action>,

    /// Part of the sender, the subject or a reason
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,

    /// Maximum number of verdicts
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Print one JSON document per line
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Lists what a server has quarantined, tagged as spam or rejected, of the last 24 hours by default. Control and direction
characters of senders and subjects are replaced, and HTML is escaped.

Examples:
  tamis mail digest --store mail.store
  tamis mail digest --store mail.store --since 7d --format html > digest.html
  tamis mail digest --store stores --user anne --format mail --mail-from tamis@example.org --mail-to anne@example.org | sendmail -t"
)]
pub struct DigestArgs {
    #[command(flatten)]
    whose: Whose,

    #[command(flatten)]
    period: Period,

    /// The form: text, html, or mail (a message with both)
    #[arg(long, default_value = "text", value_name = "FORMAT")]
    format: Format,

    /// Sender of the mail
    #[arg(long, value_name = "ADDRESS")]
    mail_from: Option<String>,

    /// Recipient of the mail
    #[arg(long, value_name = "ADDRESS")]
    mail_to: Option<String>,
}

/// Whose verdicts.
#[derive(Debug, Args)]
struct Whose {
    /// The folder of the store, or of all stores
    #[arg(long, value_name = "DIR")]
    store: PathBuf,

    /// Verdicts of this user only, where each user has a store
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
}

#[derive(Debug, Args)]
struct Period {
    /// Verdicts given at this time or later
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<u64>,

    /// Verdicts given before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<u64>,
}

pub fn history(args: &HistoryArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let Whose { store, user } = &args.whose;
    let wanted = Wanted {
        since: args.period.since,
        until: args.period.until,
        from: args.from.clone(),
        verdict: args.verdict.clone(),
        action: args.action,
        text: args.text.clone(),
        user: user.clone(),
    };
    let folder = folder_in(store);
    let mut left = args.limit.unwrap_or(usize::MAX);
    let (mut before, mut damaged, mut found) = (None, 0, false);
    while left > 0 {
        let page = search(&folder, &wanted, before, left.min(PAGE))?;
        left -= page.entries.len();
        found |= !page.entries.is_empty();
        for entry in &page.entries {
            if args.json {
                out.json(entry)?;
            } else {
                out.text(line(entry))?;
            }
        }
        damaged = damaged.max(page.damaged);
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    out.flush()?;
    if damaged > 0 {
        eprintln!("warning: {damaged} damaged lines of the history were skipped");
    }
    Ok(ExitCode::from_found(found))
}

/// An entry between tabs.
fn line(entry: &Entry) -> String {
    let subject = entry.subject.as_deref().unwrap_or("-");
    let [verdict, from, subject, reason, taught] = [
        entry.verdict.as_str(),
        entry.from.as_str(),
        subject,
        entry.reason(),
        entry.taught.as_deref().unwrap_or("-"),
    ]
    .map(|text| escaped(text.replace('\t', " ").as_bytes()));
    let Entry { probability, action, .. } = entry;
    let time = time(entry.time);
    let action = action.name();
    format!(
        "{time}\t{verdict}\t{probability:.4}\t{action}\t{from}\t{subject}\t{reason}\t{taught}\n"
    )
}

pub fn digest(args: &DigestArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let Whose { store, user } = &args.whose;
    // What was judged in this second counts.
    let until = args.period.until.unwrap_or_else(|| now() + 1);
    let since = args.period.since.unwrap_or_else(|| until.saturating_sub(DAY));
    ensure!(since < until, "--since is not before --until");
    let folder = folder_in(store);
    let daily = Daily::read(since, until, user.as_deref(), |wanted, before, most| {
        search(&folder, wanted, before, most)
    })?;
    let text = match (args.format, &args.mail_from, &args.mail_to) {
        (Format::Text, ..) => daily.text(),
        (Format::Html, ..) => daily.html(),
        (Format::Mail, Some(from), Some(to)) => daily.mail(from, to, now())?,
        (Format::Mail, ..) => bail!("a mail needs --mail-from ADDRESS and --mail-to ADDRESS"),
    };
    out.text(text)?;
    out.flush()?;
    Ok(ExitCode::Yes)
}

/// A time such as `2026-11-18`, `2026-11-18T09:30` or `7d`, in seconds since 1970.
fn moment(text: &str) -> anyhow::Result<u64> {
    const HELP: &str =
        "write a day (2026-11-18), a day and time (2026-11-18T09:30) or an age (12h, 7d)";
    if text.contains('-') {
        return instant(text).context(HELP);
    }
    let seconds = match text.chars().next_back() {
        Some('m') => 60,
        Some('h') => 3600,
        Some('d') => DAY,
        Some('w') => 7 * DAY,
        _ => bail!(HELP),
    };
    let number: u64 = text[..text.len() - 1].parse().context(HELP)?;
    let age = number.checked_mul(seconds).context("the time is too long ago")?;
    Ok(now().saturating_sub(age))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_days_times_and_ages() {
        assert_eq!(moment("1970-01-02").ok(), Some(86_400));
        assert_eq!(moment("2000-02-29T12:34").ok(), Some(951_827_640));
        let day = moment("1d").expect("an age");
        assert!((now() - DAY).abs_diff(day) <= 1);
        for wrong in ["", "7", "d", "2026-13-01", "2026-02-30", "2026-11-18T25:00", "1.5d", "é"] {
            assert!(moment(wrong).is_err(), "{wrong:?}");
        }
    }
}
