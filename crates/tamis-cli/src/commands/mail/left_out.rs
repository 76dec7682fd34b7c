//! Reports on standard error what was not read.

use crate::output::escaped;
use crate::values::{counted, grouped};
use anyhow::ensure;
use tamis_mail::mailbox::{Report, Tally};

/// Lists what was skipped on purpose, with a final count.
pub fn skipped(report: &Report) {
    let line = |tally: &Tally, thing: &str, after: &str| {
        if tally.count > 0 {
            let count = counted(tally.count, thing);
            eprintln!("skipped {count}{after}: {}", names(tally));
        }
    };
    line(&report.folders, "folder", " of sent, deleted, unfinished or junk mail");
    if report.folders.count > 0 {
        eprintln!("hint: name such a folder itself to include it");
    }
    line(
        &report.not_mail,
        "file",
        if report.not_mail.count == 1 { " that is not mail" } else { " that are not mail" },
    );
    line(&report.empty, "empty message", "");
    line(&report.special, "special file", " (pipes, sockets or devices)");
    let tallies = [&report.folders, &report.not_mail, &report.empty, &report.special];
    if tallies.iter().filter(|tally| tally.count > 0).count() > 1 {
        eprintln!("{} skipped in all", grouped(report.skipped()));
    }
}

/// Warns about each of the first files that could not be read.
///
/// # Errors
/// The number of them, if there are any; `rest` tells what happened to everything else.
pub fn unreadable(report: &Report, rest: &str) -> anyhow::Result<()> {
    let Tally { count, names } = &report.unreadable;
    for name in names {
        eprintln!("warning: cannot read {}", escaped(name.as_bytes()));
    }
    let files = if *count == 1 { "file or folder" } else { "files or folders" };
    ensure!(*count == 0, "{} {files} could not be read; {rest}", grouped(*count));
    Ok(())
}

/// The first names of a tally, and how many more there are.
pub fn names(tally: &Tally) -> String {
    let mut text = escaped(tally.names.join(", ").as_bytes());
    let more = tally.count.saturating_sub(tally.names.len() as u64);
    if more > 0 {
        text.push_str(&format!(" and {} more", grouped(more)));
    }
    text
}
