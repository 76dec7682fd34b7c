//! Other filters: bogofilter and spamprobe, as Debian packs them.

use super::process::Job;
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};

/// A filter that is called as a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    Bogofilter,
    Spamprobe,
}

/// What a peer says of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Said {
    pub(crate) probability: f64,
    pub(crate) is_spam: bool,
    pub(crate) is_unsure: bool,
}

impl Said {
    /// The answer about any message before the first one is learned: bogofilter's default for an
    /// unknown token, `robx`.
    pub(crate) const UNKNOWN: Self = Self { probability: 0.52, is_spam: false, is_unsure: true };
}

/// From here on bogofilter says spam; `bogofilter -Q` shows both.
const SPAM_CUTOFF: f64 = 0.99;

/// Up to here it says ham.
const HAM_CUTOFF: f64 = 0.45;

/// Files that one process of spamprobe is given.
const FILES: usize = 500;

impl Peer {
    pub(crate) const ALL: [Self; 2] = [Self::Bogofilter, Self::Spamprobe];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bogofilter => "bogofilter",
            Self::Spamprobe => "spamprobe",
        }
    }

    /// Whether it is installed.
    pub(crate) fn is_there(self) -> bool {
        Job::new(self.name()).with(["-V"]).codes_up_to(255).run().is_ok()
    }

    /// The commands that learn files.
    pub(crate) fn learn(self, store: &Path, spam: bool, files: &[PathBuf]) -> Vec<Job> {
        match self {
            Self::Bogofilter => {
                let how = [if spam { "-s" } else { "-n" }, "-b"];
                vec![self.job(store).with(how).names(files)]
            }
            Self::Spamprobe => {
                let how = [if spam { "spam" } else { "good" }];
                let chunks = files.chunks(FILES);
                chunks.map(|files| self.job(store).with(how).with(files)).collect()
            }
        }
    }

    /// The commands that check files, a line for each.
    pub(crate) fn check(self, store: &Path, files: &[PathBuf]) -> Vec<Job> {
        match self {
            Self::Bogofilter => vec![self.job(store).with(["-b", "-T"]).names(files)],
            Self::Spamprobe => {
                let chunks = files.chunks(FILES);
                chunks.map(|files| self.job(store).with(["score"]).with(files)).collect()
            }
        }
    }

    /// The command that checks one file.
    pub(crate) fn check_one(self, store: &Path, file: &Path) -> Job {
        match self {
            Self::Bogofilter => self.job(store).with(["-T", "-I"]).with([file]),
            Self::Spamprobe => self.job(store).with(["score"]).with([file]),
        }
    }

    /// What it says of each file.
    ///
    /// # Errors
    /// A command that fails, or says something else.
    pub(crate) fn judge(self, store: &Path, files: &[PathBuf]) -> anyhow::Result<Vec<Said>> {
        let mut all = Vec::with_capacity(files.len());
        let jobs = match self {
            // With all digits: its scores are close to 0 or 1.
            Self::Bogofilter => vec![self.job(store).with(["-b", "-TT"]).names(files)],
            Self::Spamprobe => self.check(store, files),
        };
        for job in jobs {
            for line in job.run()?.lines() {
                let said = self.said(line);
                all.push(said.with_context(|| format!("{} said {line:?}", self.name()))?);
            }
        }
        ensure!(all.len() == files.len(), "{} answers for {} files", all.len(), files.len());
        Ok(all)
    }

    /// Reads `FILE 0.9999999999999999` of bogofilter, `SPAM 0.9999999 DIGEST` of spamprobe.
    fn said(self, line: &str) -> Option<Said> {
        match self {
            Self::Bogofilter => {
                let probability: f64 = line.rsplit(' ').next()?.parse().ok()?;
                let is_spam = probability >= SPAM_CUTOFF;
                let is_unsure = !is_spam && probability > HAM_CUTOFF;
                Some(Said { probability, is_spam, is_unsure })
            }
            Self::Spamprobe => {
                let is_word = |word: &&str| matches!(*word, "SPAM" | "GOOD");
                let mut words = line.split_whitespace().skip_while(|word| !is_word(word));
                let is_spam = words.next()? == "SPAM";
                let probability = words.next()?.parse().ok()?;
                Some(Said { probability, is_spam, is_unsure: false })
            }
        }
    }

    fn job(self, store: &Path) -> Job {
        let job = Job::new(self.name());
        match self {
            // Its exit codes are spam, ham and unsure.
            Self::Bogofilter => job.with(["-d"]).with([store]).codes_up_to(2),
            // One message in each file, whatever its lines start with.
            Self::Spamprobe => job.with(["-M", "-d"]).with([store]).codes_up_to(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_peers_are_read() {
        let spam = Said { probability: 0.995, is_spam: true, is_unsure: false };
        assert_eq!(Peer::Bogofilter.said("a folder/b 0.9950000000000000"), Some(spam));
        assert_eq!(Peer::Spamprobe.said("SPAM 0.9950000 30facc79"), Some(spam));
        let unsure = Said { probability: 0.5, is_spam: false, is_unsure: true };
        assert_eq!(Peer::Bogofilter.said("b 0.5"), Some(unsure));
        assert_eq!(Peer::Spamprobe.said("nothing"), None);
    }
}
