//! What was left out while messages were read.

use std::path::Path;

/// Number of names that a [`Tally`] keeps.
pub const NAMED: usize = 5;

/// A count with its first few names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many there were.
    pub count: u64,
    /// The first [`NAMED`] of them.
    pub names: Vec<String>,
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.names.len() < NAMED {
            self.names.push(name());
        }
    }

    fn append(&mut self, other: Self) {
        self.count += other.count;
        let room = NAMED - self.names.len().min(NAMED);
        self.names.extend(other.names.into_iter().take(room));
    }
}

/// What was not read, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Folders and mbox files of sent, unfinished, deleted or junk mail.
    pub folders: Tally,
    /// Files that are not mail.
    pub not_mail: Tally,
    /// Files and messages without content.
    pub empty: Tally,
    /// Pipes, sockets and devices.
    pub special: Tally,
    /// Files and folders that could not be read, each with the reason.
    pub unreadable: Tally,
}

impl Report {
    /// Adds what another part of the same run has left out.
    pub fn append(&mut self, other: Self) {
        self.folders.append(other.folders);
        self.not_mail.append(other.not_mail);
        self.empty.append(other.empty);
        self.special.append(other.special);
        self.unreadable.append(other.unreadable);
    }

    /// Number of files and folders that were skipped on purpose.
    #[must_use]
    pub const fn skipped(&self) -> u64 {
        self.folders.count + self.not_mail.count + self.empty.count + self.special.count
    }

    pub(super) fn cannot_read(&mut self, name: &Path, source: &std::io::Error) {
        self.unreadable.add(|| format!("{}: {source}", name.display()));
    }
}

/// Counts a path.
pub(super) fn add(tally: &mut Tally, path: &Path) {
    tally.add(|| path.display().to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_counts_all_and_names_the_first_few() {
        let mut report = Report::default();
        for number in 0..NAMED + 2 {
            add(&mut report.empty, Path::new(&number.to_string()));
        }
        let mut all = Report::default();
        add(&mut all.empty, Path::new("first"));
        all.append(report);
        assert_eq!(all.empty.count as usize, NAMED + 3);
        assert_eq!(all.empty.names, ["first", "0", "1", "2", "3"]);
        assert_eq!(all.skipped() as usize, NAMED + 3);
    }
}
