//! Locks for files that several processes change.
//!
//! A process that reads a file, changes it and replaces it holds the file's lock from before it
//! reads until after it has replaced it. Two such processes therefore run one after the other,
//! and the second one works on what the first one wrote.
//!
//! The lock is `flock` on an empty file `.NAME.lock` in the same folder. The system releases it
//! when the process ends, however it ends. A lock file that a killed process left behind blocks
//! nobody. Readers need no lock: files are replaced whole.

use crate::files::folder_of;
use crate::{Error, Result};
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often [`Lock::within`] tries again.
const PAUSE: Duration = Duration::from_millis(10);

/// The right to change a file, until it is dropped.
///
/// One process, or one thread of it, has the lock of a file at a time. A thread that locks the same
/// file twice waits for itself.
#[derive(Debug)]
#[must_use = "the lock is released when it is dropped"]
pub struct Lock {
    /// The lock file; none for what is not a regular file.
    file: Option<File>,
    /// Its name, if it is removed in the end.
    name: Option<PathBuf>,
}

impl Lock {
    /// Locks a file, which need not exist yet. Waits until no other process has it; `waiting` is
    /// called once before that, if it has to wait.
    ///
    /// Standard output (`-`), pipes and devices are never locked: they are not replaced.
    ///
    /// # Errors
    /// [`Error::Write`] with the name of the lock file, if the folder cannot be written to or its
    /// file system has no locks.
    pub fn of(path: &Path, waiting: impl FnOnce()) -> Result<Self> {
        let mut waiting = Some(waiting);
        Self::acquire(path, |file| match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                if let Some(waiting) = waiting.take() {
                    waiting();
                }
                file.lock()?;
                Ok(true)
            }
            Err(TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(true),
        })
        .map(|lock| lock.unwrap_or(Self { file: None, name: None }))
    }

    /// As [`Self::of`], but gives up after `limit`.
    ///
    /// # Errors
    /// As [`Self::of`], and [`Error::Busy`] when the time is over.
    pub fn within(path: &Path, limit: Duration) -> Result<Self> {
        let end = Instant::now() + limit;
        let lock = Self::acquire(path, |file| {
            loop {
                match file.try_lock() {
                    Ok(()) => return Ok(true),
                    Err(TryLockError::Error(error)) => return Err(error),
                    Err(TryLockError::WouldBlock) if Instant::now() >= end => return Ok(false),
                    Err(TryLockError::WouldBlock) => sleep(PAUSE),
                }
            }
        });
        lock?.ok_or_else(|| Error::Busy { name: path.to_owned() })
    }

    /// Locks a lock file that is already open, as a folder's lock that always stays. Waits until
    /// no other process has it.
    ///
    /// # Errors
    /// [`Error::Write`] with `path`.
    pub fn open(file: File, path: &Path) -> Result<Self> {
        let failed = |source| Error::Write { name: path.to_owned(), source };
        file.lock().map_err(failed)?;
        Ok(Self { file: Some(file), name: None })
    }

    /// Calls `lock` with the lock file of `path` until it has locked the one that is there.
    fn acquire(
        path: &Path,
        mut lock: impl FnMut(&File) -> io::Result<bool>,
    ) -> Result<Option<Self>> {
        // Every name of a file has the same lock.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let is_replaced = fs::metadata(&target).map_or(true, |metadata| metadata.is_file());
        if path == Path::new("-") || !is_replaced {
            return Ok(Some(Self { file: None, name: None }));
        }
        let name = lock_of(&target);
        let failed = |source| Error::Write { name: name.clone(), source };
        loop {
            let file = open(&name).map_err(failed)?;
            if !lock(&file).map_err(failed)? {
                return Ok(None);
            }
            // The previous holder may have removed the file while this process waited, and
            // another one may have locked a new file of the same name.
            if is_at(&file, &name) {
                return Ok(Some(Self { file: Some(file), name: Some(name) }));
            }
        }
    }
}

impl Drop for Lock {
    /// Removes the lock file while it is still locked, so that a waiting process notices.
    fn drop(&mut self) {
        if let (true, Some(name)) = (cfg!(unix), &self.name) {
            fs::remove_file(name).ok();
        }
        self.file.take();
    }
}

/// The lock file of a file.
fn lock_of(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".lock");
    folder_of(target).join(name)
}

fn open(name: &Path) -> io::Result<File> {
    match File::options().read(true).write(true).create(true).truncate(false).open(name) {
        // Another user's lock file can be locked by anyone who can read it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            File::open(name).map_err(|_| error)
        }
        opened => opened,
    }
}

/// Whether a file is the one with this name.
#[cfg(unix)]
fn is_at(file: &File, name: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::metadata(name)) {
        (Ok(ours), Ok(there)) => identity(ours) == identity(there),
        _ => false,
    }
}

/// Lock files are not removed here, so the name always means the same file.
#[cfg(not(unix))]
const fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write_atomically;
    use std::sync::atomic::{AtomicBool, Ordering};

    const THREADS: usize = 4;
    const ROUNDS: usize = 250;

    fn append(path: &Path, byte: u8) {
        let _lock = Lock::of(path, || ()).unwrap();
        let mut bytes = fs::read(path).unwrap();
        bytes.push(byte);
        write_atomically(path, |out| -> Result<()> {
            out.write_all(&bytes).unwrap();
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn a_thousand_changes_of_four_writers_are_all_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, b"").unwrap();
        std::thread::scope(|scope| {
            for writer in 0..THREADS {
                let path = &path;
                scope.spawn(move || (0..ROUNDS).for_each(|_| append(path, writer as u8)));
            }
        });
        let bytes = fs::read(&path).unwrap();
        for writer in 0..THREADS {
            let count = bytes.iter().filter(|&&byte| byte == writer as u8).count();
            assert_eq!(count, ROUNDS, "changes of writer {writer}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no lock file stays");
    }

    #[test]
    fn a_lock_file_that_is_left_blocks_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(lock_of(&path), b"").unwrap();
        let waited = AtomicBool::new(false);
        let lock = Lock::of(&path, || waited.store(true, Ordering::Relaxed)).unwrap();
        assert!(!waited.into_inner());
        let busy = Lock::within(&path, Duration::ZERO);
        assert!(matches!(busy, Err(Error::Busy { .. })), "{busy:?}");
        drop(lock);
        drop(Lock::within(&path, Duration::ZERO).unwrap());
    }

    #[test]
    #[cfg(unix)]
    fn a_link_and_its_file_have_one_lock() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("f"), folder.path().join("l"));
        fs::write(&path, b"").unwrap();
        std::os::unix::fs::symlink("f", &link).unwrap();
        let _lock = Lock::of(&link, || ()).unwrap();
        assert!(matches!(Lock::within(&path, Duration::ZERO), Err(Error::Busy { .. })));
    }

    #[test]
    fn what_is_not_replaced_is_not_locked() {
        let _first = Lock::of(Path::new("-"), || ()).unwrap();
        let _second = Lock::of(Path::new("-"), || ()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("none").join("f");
        assert!(matches!(Lock::of(&missing, || ()), Err(Error::Write { .. })));
    }
}
