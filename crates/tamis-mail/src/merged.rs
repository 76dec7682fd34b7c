//! Messages of several labels, merged in proportion: a filter that first sees all spam and then all ham learns less.

use crate::mailbox::for_each_message;
use crate::{Error, Result};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use tamis_corpus::documents::size_of;

/// Messages are handed on in batches of so many bytes: a switch between threads costs more than a message.
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
    batches: Receiver<Result<Batch>>,
    messages: std::vec::IntoIter<(String, Vec<u8>)>,
    total: f64,
    read: f64,
    ended: bool,
}

/// Calls `visit` with all messages of all groups; each group is read in its own order, and of each always nearly the same
/// part, in bytes, was read.
///
/// # Errors
/// [`Error::Read`] for what cannot be read, or what `visit` says; nothing more is read then.
pub fn for_each_merged<E: From<Error> + From<tamis_corpus::Error>>(
    groups: &[Group],
    mut visit: impl FnMut(Merged) -> Result<(), E>,
) -> Result<(), E> {
    thread::scope(|scope| {
        let mut progress = Vec::with_capacity(groups.len());
        for group in groups {
            let is_stream = |path: &PathBuf| path.as_os_str() == "-";
            let total = match group.paths.iter().any(is_stream) {
                true => 0,
                false => size_of(&group.paths, None)?,
            };
            let (sender, batches) = sync_channel(1);
            scope.spawn(move || {
                let (mut batch, mut size) = (Batch::new(), 0);
                // Whoever has heard enough hangs up.
                let send = |batch| sender.send(batch).map_err(|_| Stop::Heard);
                let read = for_each_message(&group.paths, |source, raw| {
                    batch.push((source.to_string(), raw.to_vec()));
                    size += raw.len();
                    if size < BATCH {
                        return Ok(());
                    }
                    size = 0;
                    send(Ok(std::mem::take(&mut batch)))
                });
                send(Ok(batch)).ok();
                if let Err(Stop::Failed(error)) = read {
                    send(Err(error)).ok();
                }
            });
            let (messages, total) = (Batch::new().into_iter(), total.max(1) as f64);
            progress.push(Progress { batches, messages, total, read: 0.0, ended: false });
        }
        loop {
            let part = |group: &Progress| group.read / group.total;
            let open = progress.iter_mut().enumerate().filter(|(_, group)| !group.ended);
            let next = open.min_by(|(_, a), (_, b)| part(a).total_cmp(&part(b)));
            let Some((group, progress)) = next else { return Ok(()) };
            match progress.messages.next() {
                Some((name, raw)) => {
                    progress.read += raw.len() as f64;
                    visit(Merged { group, name, raw })?;
                }
                None => match progress.batches.recv() {
                    Ok(batch) => progress.messages = batch?.into_iter(),
                    Err(_) => progress.ended = true,
                },
            }
        }
    })
}

enum Stop {
    Failed(Error),
    Heard,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
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
