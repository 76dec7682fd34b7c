//! Messages of several labels, merged in proportion: a filter that first sees all spam and then all
//! ham learns less. [`Plan`] settles which label a path has when paths overlap.

mod plan;

pub use plan::{Overlap, Plan};

use crate::mailbox::{self, Report, STANDARD_INPUT};
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Size of the batches in which messages are passed on, in bytes: a switch between threads costs
/// more than a message.
const BATCH: usize = 256 << 10;

/// Messages with the same label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The label.
    pub label: String,
    /// Where they are.
    pub paths: Vec<PathBuf>,
}

/// A message, where it stands, and to which group it belongs.
#[derive(Debug)]
pub struct Merged {
    /// The place of its group in the list.
    pub group: usize,
    /// Where it stands, for a person to read.
    pub name: String,
    /// Its bytes.
    pub raw: Vec<u8>,
}

type Batch = Vec<(String, Vec<u8>)>;

/// How far a group has been read.
struct Progress {
    batches: Receiver<Batch>,
    messages: std::vec::IntoIter<(String, Vec<u8>)>,
    total: f64,
    read: f64,
    ended: bool,
}

/// Calls `visit` with all messages of all groups, as [`Plan::for_each`] does.
///
/// # Errors
/// Those of [`Plan::new`] and [`Plan::for_each`].
pub fn for_each_merged<E: From<Error>>(
    groups: &[Group],
    visit: impl FnMut(Merged) -> Result<(), E>,
) -> Result<Report, E> {
    Plan::new(groups)?.for_each(visit)
}

impl Plan {
    /// Calls `visit` with all messages of all groups. Each group is read in its own order, and at
    /// any time about the same part of each, in bytes, has been read. Reports what was left out.
    ///
    /// # Errors
    /// The error of `visit`; nothing more is read then. Files that cannot be read are in the report.
    pub fn for_each<E: From<Error>>(
        &self,
        mut visit: impl FnMut(Merged) -> Result<(), E>,
    ) -> Result<Report, E> {
        thread::scope(|scope| {
            let mut progress = Vec::with_capacity(self.groups.len());
            let mut readers = Vec::with_capacity(self.groups.len());
            for group in &self.groups {
                let options = self.options(group);
                let is_stream = |path: &PathBuf| path == Path::new(STANDARD_INPUT);
                let total = match group.paths.iter().any(is_stream) {
                    true => 0,
                    false => mailbox::size_of(&group.paths, &options),
                };
                let (sender, batches) = sync_channel(1);
                readers.push(scope.spawn(move || {
                    let (mut batch, mut size) = (Batch::new(), 0);
                    let report = mailbox::read(&group.paths, &options, |source, raw| {
                        batch.push((source.to_string(), raw.to_vec()));
                        size += raw.len();
                        if size < BATCH {
                            return Ok(());
                        }
                        size = 0;
                        // The receiver is gone if the visitor has failed.
                        sender.send(std::mem::take(&mut batch)).map_err(|_| Stopped)
                    });
                    sender.send(batch).ok();
                    report.unwrap_or_default()
                }));
                let (messages, total) = (Batch::new().into_iter(), total.max(1) as f64);
                progress.push(Progress { batches, messages, total, read: 0.0, ended: false });
            }
            loop {
                let part = |group: &Progress| group.read / group.total;
                let open = progress.iter_mut().enumerate().filter(|(_, group)| !group.ended);
                let next = open.min_by(|(_, a), (_, b)| part(a).total_cmp(&part(b)));
                let Some((group, progress)) = next else { break };
                match progress.messages.next() {
                    Some((name, raw)) => {
                        progress.read += raw.len() as f64;
                        visit(Merged { group, name, raw })?;
                    }
                    None => match progress.batches.recv() {
                        Ok(batch) => progress.messages = batch.into_iter(),
                        Err(_) => progress.ended = true,
                    },
                }
            }
            let mut report = Report::default();
            for reader in readers {
                let read = reader.join();
                report.append(read.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            Ok(report)
        })
    }
}

/// Ends a reader whose messages nobody wants any more.
struct Stopped;

impl From<Error> for Stopped {
    fn from(_: Error) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_merged_in_proportion() {
        let folder = tempfile::tempdir().unwrap();
        let mut groups = Vec::new();
        for (label, count) in [("spam", 10), ("ham", 40)] {
            let path = folder.path().join(label);
            std::fs::create_dir(&path).unwrap();
            for number in 0..count {
                std::fs::write(path.join(format!("{number:02}")), "x".repeat(50)).unwrap();
            }
            groups.push(Group { label: label.into(), paths: vec![path] });
        }
        let mut seen = [0usize; 2];
        for_each_merged(&groups, |message| -> Result<()> {
            seen[message.group] += 1;
            assert!(seen[1].abs_diff(4 * seen[0]) <= 5, "{seen:?}");
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, [10, 40]);
        let missing = Group { label: "ham".into(), paths: vec!["not/there".into()] };
        let refused = for_each_merged(&[missing], |_| -> Result<()> { Ok(()) });
        assert!(refused.unwrap_err().to_string().contains("not/there"));
        // A visitor that stops does not wait for the rest.
        let stopped = for_each_merged(&groups, |_| Err(Error::Threshold { got: 0.0 }));
        assert!(stopped.is_err());
    }
}
