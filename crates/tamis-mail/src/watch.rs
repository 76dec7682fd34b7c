//! What a person moves into the junk folder of a Maildir, and out of it.
//!
//! A program that delivers writes into `new`; a mail reader takes messages from there to `cur`, and puts what is moved
//! or copied into `cur` at once. So a message that comes to `cur` and was not in that folder's `new` was put there by a
//! person. [`Moves`] compares what is in the folders now with what was there at the last look; [`Watch`] tells when to.
//!
//! 1. Into the junk folder: spam.
//! 2. Into any other folder, and was in the junk folder before: ham.
//! 3. Into the trash, drafts or sent mail (under any name of [`crate::mailbox::folders`]), or gone:
//!    nothing.
//!
//! Empty files teach nothing. Messages are compared by [identity](crate::identity): a client that
//! changes transport or filter headers on the way does not hide a move.

use crate::filter::HAM;
use crate::mailbox::folders::{Use, use_of};
use crate::mailbox::{MAX_MESSAGE, is_empty};
use crate::store::{Digest, digest};
use crate::{Error, Result};
use notify::{RecursiveMode, Watcher};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// What comes shortly after one change is looked at together with it.
const TOGETHER: Duration = Duration::from_millis(100);

/// The most messages that are remembered to have been in the junk folder.
const MOST_REMEMBERED: usize = 1_000_000;

/// A message that a person has moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lesson {
    /// Where it is now.
    pub path: PathBuf,
    /// The message.
    pub raw: Vec<u8>,
    /// What it is.
    pub label: &'static str,
}

/// What is where, since the last look.
#[derive(Debug)]
pub struct Moves {
    root: PathBuf,
    junk: String,
    ignored: Vec<String>,
    /// The messages of each folder, by their names without flags.
    folders: HashMap<String, HashSet<String>>,
    /// What is or was in the junk folder.
    junked: HashSet<Digest>,
}

impl Moves {
    /// What is there now is where it belongs.
    ///
    /// # Errors
    /// [`Error::Read`] for what is no Maildir.
    pub fn new(root: &Path, junk: &str, ignored: &[String]) -> Result<Self> {
        let mut moves = Self {
            root: root.to_owned(),
            junk: junk.to_owned(),
            ignored: ignored.to_vec(),
            folders: HashMap::new(),
            junked: HashSet::new(),
        };
        let name = root.join("cur");
        if !name.is_dir() {
            let source = std::io::Error::new(ErrorKind::NotFound, "it is no Maildir");
            return Err(Error::Read { name, source });
        }
        for folder in moves.names()? {
            let found = moves.found(&folder);
            if folder == moves.junk {
                for message in &found {
                    moves.remember(&message.path);
                }
            }
            let bases = found.into_iter().map(|message| message.base).collect();
            moves.folders.insert(folder, bases);
        }
        Ok(moves)
    }

    fn remember(&mut self, path: &Path) -> Option<Vec<u8>> {
        let raw = read(path)?;
        if self.junked.len() < MOST_REMEMBERED {
            self.junked.insert(digest(&raw, 0));
        }
        Some(raw)
    }

    /// The folders of the Maildir: itself, and those inside.
    fn names(&self) -> Result<Vec<String>> {
        let failed = |source| Error::Read { name: self.root.clone(), source };
        let mut names = vec![String::new()];
        for entry in fs::read_dir(&self.root).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if let Ok(name) = entry.file_name().into_string()
                && !["cur", "new", "tmp"].contains(&name.as_str())
                && entry.path().join("cur").is_dir()
            {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// The messages of a folder. One that goes away meanwhile is not there.
    fn found(&self, folder: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for part in ["new", "cur"] {
            let entries = fs::read_dir(self.root.join(folder).join(part));
            for entry in entries.into_iter().flatten().flatten() {
                let Ok(name) = entry.file_name().into_string() else { continue };
                let base = name.split(':').next().unwrap_or(&name).to_owned();
                if !name.starts_with('.') {
                    found.push(Found { base, path: entry.path(), is_read: part == "cur" });
                }
            }
        }
        found
    }

    /// What a person has moved since the last look.
    ///
    /// # Errors
    /// [`Error::Read`] if the Maildir is not there any more.
    pub fn look(&mut self) -> Result<Vec<Lesson>> {
        let mut lessons = Vec::new();
        // The junk folder first: what was moved through it is then known.
        let mut names = self.names()?;
        names.sort_by_key(|name| *name != self.junk);
        for folder in names {
            let found = self.found(&folder);
            let before = self.folders.remove(&folder).unwrap_or_default();
            let is_junk = folder == self.junk;
            let is_unsorted = matches!(use_of(folder.as_ref()), Some(Use::Unsorted | Use::Sent));
            let is_ignored = is_unsorted || self.ignored.contains(&folder);
            for message in found.iter().filter(|message| !before.contains(&message.base)) {
                if is_junk {
                    let raw = self.remember(&message.path);
                    if let Some(raw) = raw.filter(|_| message.is_read) {
                        lessons.push(Lesson { path: message.path.clone(), raw, label: "spam" });
                    }
                } else if message.is_read && !is_ignored && !self.junked.is_empty() {
                    let raw = read(&message.path);
                    if let Some(raw) = raw.filter(|raw| self.junked.contains(&digest(raw, 0))) {
                        lessons.push(Lesson { path: message.path.clone(), raw, label: HAM });
                    }
                }
            }
            let bases = found.into_iter().map(|message| message.base).collect();
            self.folders.insert(folder, bases);
        }
        Ok(lessons)
    }
}

/// A message in a folder.
#[derive(Debug)]
struct Found {
    base: String,
    path: PathBuf,
    is_read: bool,
}

/// A message, or none if it is gone or empty.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut raw = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAX_MESSAGE as u64).read_to_end(&mut raw).ok()?;
    (!is_empty(&raw)).then_some(raw)
}

/// Tells when something has changed in a Maildir.
#[derive(Debug)]
pub struct Watch {
    _watcher: notify::RecommendedWatcher,
    changed: Receiver<()>,
}

impl Watch {
    /// Watches a Maildir and all its folders, also those to come.
    ///
    /// # Errors
    /// [`Error::Read`] with what the system says.
    pub fn new(root: &Path) -> Result<Self> {
        let failed = |error: notify::Error| Error::Read {
            name: root.to_owned(),
            source: std::io::Error::other(error),
        };
        let (sender, changed) = channel();
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                // To open and to read is no change; whatever else there is, is looked at.
                if !event.is_ok_and(|event| event.kind.is_access()) {
                    sender.send(()).ok();
                }
            })
            .map_err(failed)?;
        watcher.watch(root, RecursiveMode::Recursive).map_err(failed)?;
        Ok(Self { _watcher: watcher, changed })
    }

    /// Returns when something has changed, or after this time.
    pub fn wait(&self, most: Duration) {
        if self.changed.recv_timeout(most).is_ok() {
            while self.changed.recv_timeout(TOGETHER).is_ok() {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maildir() -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for folder in ["", ".Junk", ".Trash", ".Friends"] {
            for part in ["cur", "new", "tmp"] {
                fs::create_dir_all(root.path().join(folder).join(part)).expect("a folder");
            }
        }
        root
    }

    fn lessons(moves: &mut Moves) -> Vec<(String, &'static str)> {
        let mut lessons: Vec<_> = moves
            .look()
            .expect("a look")
            .into_iter()
            .map(|lesson| (String::from_utf8(lesson.raw).expect("text"), lesson.label))
            .collect();
        lessons.sort();
        lessons
    }

    #[test]
    fn only_what_a_person_moves_teaches() {
        let root = maildir();
        let at = |path: &str| root.path().join(path);
        let write = |path: &str, text: &str| fs::write(at(path), text).expect("written");
        let rename = |from: &str, to: &str| fs::rename(at(from), at(to)).expect("moved");
        write("cur/1:2,S", "one");
        write(".Junk/cur/2:2,S", "two");
        let ignored = [".Trash".to_owned()];
        let mut moves = Moves::new(root.path(), ".Junk", &ignored).expect("a Maildir");
        assert_eq!(lessons(&mut moves), []);
        // Delivered, read, and flagged.
        write("new/3", "three");
        write(".Junk/new/4", "four");
        assert_eq!(lessons(&mut moves), []);
        rename(".Junk/new/4", ".Junk/cur/4:2,S");
        rename("new/3", "cur/3:2,");
        rename("cur/1:2,S", "cur/1:2,FS");
        assert_eq!(lessons(&mut moves), []);
        // Moved, under a new name or the old one.
        rename("cur/1:2,FS", ".Junk/cur/99:2,S");
        rename(".Junk/cur/4:2,S", ".Friends/cur/4:2,S");
        assert_eq!(lessons(&mut moves), [("four".into(), "ham"), ("one".into(), "spam")]);
        rename(".Junk/cur/99:2,S", "cur/1:2,S");
        assert_eq!(lessons(&mut moves), [("one".into(), "ham")]);
        // Thrown away.
        rename(".Junk/cur/2:2,S", ".Trash/cur/2:2,S");
        fs::remove_file(at("cur/3:2,")).expect("removed");
        assert_eq!(lessons(&mut moves), []);
        fs::remove_file(at(".Trash/cur/2:2,S")).expect("removed");
        assert_eq!(lessons(&mut moves), []);
        // Moved there and back between two looks, and into a folder that is new.
        fs::create_dir_all(at(".New/cur")).expect("a folder");
        rename(".Friends/cur/4:2,S", ".New/cur/4:2,S");
        assert_eq!(lessons(&mut moves), [("four".into(), "ham")]);
    }

    #[test]
    fn a_message_moved_from_junk_to_a_trash_of_any_name_teaches_nothing() {
        let root = maildir();
        fs::create_dir_all(root.path().join(".Corbeille/cur")).expect("a folder");
        fs::write(root.path().join(".Junk/cur/1:2,S"), "one").expect("written");
        let mut moves = Moves::new(root.path(), ".Junk", &[]).expect("a Maildir");
        let rename = |from: &str, to: &str| {
            fs::rename(root.path().join(from), root.path().join(to)).expect("moved");
        };
        rename(".Junk/cur/1:2,S", ".Corbeille/cur/1:2,S");
        assert_eq!(lessons(&mut moves), []);
        // A client that writes headers of its own and other line ends does not hide a move.
        fs::remove_file(root.path().join(".Corbeille/cur/1:2,S")).expect("removed");
        fs::write(root.path().join("cur/9:2,S"), "X-Mozilla-Status: 1\r\n\r\none\r\n")
            .expect("written");
        let found = lessons(&mut moves);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].1, "ham");
        // An empty file is no message.
        fs::write(root.path().join(".Junk/cur/8:2,S"), "").expect("written");
        assert_eq!(lessons(&mut moves), []);
    }

    #[test]
    fn what_is_no_maildir_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = Moves::new(folder.path(), ".Junk", &[]);
        assert!(matches!(refused, Err(Error::Read { .. })));
    }
}
