//! Filters under one interface: messages are learned and judged in groups, each with its time.

use super::accuracy::OURS;
use super::collection::SPAM;
use super::peers::{Peer, Said};
use std::fs;
use std::path::{Path, PathBuf};
use tamis_mail::evaluation::{Example, Options, Pupil};
use tamis_mail::filter::Verdict;
use tempfile::TempDir;

/// A message of a comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mail<'a> {
    pub(crate) path: &'a Path,
    /// The number of its label, 0 for ham.
    pub(crate) label: u8,
}

impl<'a> Mail<'a> {
    pub(crate) fn of(example: &'a Example) -> Self {
        Self { path: &example.path, label: example.label }
    }

    pub(crate) fn is_spam(&self) -> bool {
        self.label == SPAM
    }
}

/// What a filter says about a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) is_spam: bool,
    /// Messages are ranked by it.
    pub(crate) score: f64,
    pub(crate) probability: f64,
    pub(crate) called_spam: bool,
    pub(crate) unsure: bool,
}

/// A filter in a comparison.
pub(crate) trait Contender {
    /// What it is called in a table.
    fn name(&self) -> &'static str;

    /// Learns messages, in this order if the order matters to it.
    ///
    /// # Errors
    /// A file that cannot be read, a command that fails.
    fn learn(&mut self, messages: &[Mail<'_>]) -> anyhow::Result<()>;

    /// Prepares to judge, where cuts follow from what was learned.
    fn set_cuts(&mut self) {}

    /// Judges messages without learning them.
    ///
    /// # Errors
    /// As [`Contender::learn`].
    fn judge(&mut self, messages: &[Mail<'_>]) -> anyhow::Result<Vec<Answer>>;
}

/// Tamis as a library.
pub(crate) struct Tamis(Pupil);

impl Tamis {
    /// Nothing learned.
    ///
    /// # Errors
    /// As [`Pupil::new`].
    pub(crate) fn new(labels: &[String], options: Options) -> anyhow::Result<Self> {
        Ok(Self(Pupil::new(labels, options)?))
    }
}

impl Contender for Tamis {
    fn name(&self) -> &'static str {
        OURS
    }

    fn learn(&mut self, messages: &[Mail<'_>]) -> anyhow::Result<()> {
        for message in messages {
            let traits = self.0.read(&fs::read(message.path)?);
            self.0.learn(&traits, message.label);
        }
        Ok(())
    }

    fn set_cuts(&mut self) {
        self.0.set_cuts();
    }

    fn judge(&mut self, messages: &[Mail<'_>]) -> anyhow::Result<Vec<Answer>> {
        let judge = |message: &Mail<'_>| {
            let judgement = self.0.filter().judge(&self.0.read(&fs::read(message.path)?));
            Ok(Answer {
                is_spam: message.is_spam(),
                score: judgement.score,
                probability: judgement.probability,
                called_spam: judgement.verdict.is_spam(),
                unsure: judgement.verdict == Verdict::Unsure,
            })
        };
        messages.iter().map(judge).collect()
    }
}

/// Another filter as its command.
pub(crate) struct Command {
    peer: Peer,
    store: TempDir,
    /// Whether anything was learned: without a word list bogofilter fails.
    has_learned: bool,
}

impl Command {
    /// Nothing learned.
    ///
    /// # Errors
    /// A temporary folder that cannot be made.
    pub(crate) fn new(peer: Peer) -> anyhow::Result<Self> {
        let store = tempfile::Builder::new().prefix("tamis-bench-").tempdir()?;
        Ok(Self { peer, store, has_learned: false })
    }
}

impl Contender for Command {
    fn name(&self) -> &'static str {
        self.peer.name()
    }

    fn learn(&mut self, messages: &[Mail<'_>]) -> anyhow::Result<()> {
        for spam in [true, false] {
            let of_class = messages.iter().filter(|message| message.is_spam() == spam);
            let files: Vec<PathBuf> = of_class.map(|message| message.path.to_owned()).collect();
            if files.is_empty() {
                continue;
            }
            for job in self.peer.learn(self.store.path(), spam, &files) {
                job.run()?;
            }
            self.has_learned = true;
        }
        Ok(())
    }

    fn judge(&mut self, messages: &[Mail<'_>]) -> anyhow::Result<Vec<Answer>> {
        let names: Vec<PathBuf> = messages.iter().map(|message| message.path.to_owned()).collect();
        let said = match self.has_learned {
            true => self.peer.judge(self.store.path(), &names)?,
            false => vec![Said::UNKNOWN; names.len()],
        };
        let answer = |(said, message): (Said, &Mail<'_>)| Answer {
            is_spam: message.is_spam(),
            score: said.probability,
            probability: said.probability,
            called_spam: said.is_spam,
            unsure: said.is_unsure,
        };
        Ok(said.into_iter().zip(messages).map(answer).collect())
    }
}
