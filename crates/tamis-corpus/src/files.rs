//! Mapping files, and writing them whole or not at all.

#![allow(unsafe_code)]

use crate::objects::is_address;
pub use crate::stream::{open_unpacked, write_packed, write_packed_privately};
use crate::{Error, Result};
use memmap2::{MmapMut, MmapOptions};
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
pub use tamis::codec::{Bytes, READ_UP_TO};
use tamis::codec::{Failure, replace};

/// What a file is called in a sentence: its path, or `standard input`.
pub(crate) fn name_of(path: &Path) -> PathBuf {
    if path == Path::new("-") { "standard input".into() } else { path.to_owned() }
}

/// Reads a file of up to [`READ_UP_TO`] bytes into memory and maps a larger one; `-` reads
/// standard input.
///
/// Files are to be *replaced, never overwritten*. Tamis itself replaces them
/// ([`write_atomically`]), and a map goes on seeing the old one. If another program overwrites a mapped
/// file, lookups read the new bytes and their answers are wrong. If it *truncates* one, the system
/// ends any process that reads behind the new end (`SIGBUS`). Nothing can happen to a file that
/// was read.
///
/// # Errors
/// [`Error::Read`] with the file's name.
pub fn map(path: &Path) -> Result<Bytes> {
    let failed = |source| Error::Read { name: path.to_owned(), source };
    if path == Path::new("-") {
        return Bytes::read(&mut io::stdin().lock()).map_err(failed);
    }
    Bytes::open(path).map_err(failed)
}

/// A private copy of a file's bytes, read as they are needed; changes stay in memory. It starts at a
/// multiple of 64.
#[derive(Debug)]
pub struct PrivateCopy(MmapMut);

impl PrivateCopy {
    /// Maps a file.
    ///
    /// # Errors
    /// [`Error::Read`] with the file's name.
    pub fn of(file: &File, path: &Path) -> Result<Self> {
        // SAFETY: as in `map`; what is changed here never reaches the file.
        let mapped = unsafe { MmapOptions::new().map_copy(file) };
        mapped.map(Self).map_err(|source| Error::Read { name: path.to_owned(), source })
    }
}

impl Deref for PrivateCopy {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for PrivateCopy {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// Writes a file so that it appears whole or not at all, whatever happens meanwhile: into a
/// temporary file beside it, to disk, and then in its place. `-` and what is no regular
/// file (a pipe, `/dev/null`) are written to directly.
///
/// # Errors
/// [`Error::Write`] with the file's name, or what `content` says; the old file is untouched
/// then.
pub fn write_atomically<E: From<Error>>(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    write(path, false, content)
}

/// As [`write_atomically`], but only the owner can read the new file (mode 0600), whatever the
/// umask and the permissions of an old file.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_privately<E: From<Error>>(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    write(path, true, content)
}

fn write<E: From<Error>>(
    path: &Path,
    is_private: bool,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    let failed = |source| E::from(Error::Write { name: path.to_owned(), source });
    if path == Path::new("-") {
        let mut out = BufWriter::new(io::stdout());
        content(&mut out)?;
        return out.flush().map_err(failed);
    }
    replace(path, is_private, content).map_err(|failure| match failure {
        Failure::Io(source) => failed(source),
        Failure::Content(error) => error,
    })
}

/// Writes a folder so that it appears whole or not at all: into a temporary one beside it,
/// which is then renamed. A process that is killed leaves nothing under the new name; what is on
/// disk after a power failure is up to the system.
///
/// # Errors
/// [`Error::Occupied`] if there is something in it already, [`Error::Write`] with its name, or
/// what `content` says.
pub fn write_folder_atomically<E: From<Error>>(
    path: &Path,
    content: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let failed = |source| E::from(Error::Write { name: path.to_owned(), source });
    let exists = path.exists();
    if exists && fs::read_dir(path).map_err(failed)?.next().is_some() {
        return Err(Error::Occupied { name: path.to_owned() }.into());
    }
    let temporary = tempfile::Builder::new()
        .prefix(".tamis-")
        .suffix(".tmp")
        .permissions(folder_permissions())
        .tempdir_in(folder_of(path))
        .map_err(failed)?;
    content(temporary.path())?;
    if exists {
        fs::remove_dir(path).map_err(failed)?;
    }
    fs::rename(temporary.path(), path).map_err(failed)?;
    // It has another name now, and stays.
    let _renamed = temporary.keep();
    Ok(())
}

/// Refuses an output that cannot be written, before any work is done for it. Nothing is changed.
///
/// # Errors
/// [`Error::Write`] with the file's name.
pub fn check_writable(path: &Path) -> Result<()> {
    let failed = |source| Error::Write { name: path.to_owned(), source };
    if path == Path::new("-") {
        return Ok(());
    }
    check_local(path)?;
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        Ok(metadata) if metadata.is_dir() => {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        // A pipe or a device is written to directly.
        Ok(metadata) if !metadata.is_file() => return Ok(()),
        _ => {}
    }
    let mut probe = tempfile::Builder::new();
    probe.prefix(".tamis-").suffix(".tmp");
    probe.tempfile_in(folder_of(&target)).map(drop).map_err(failed)
}

/// Refuses a new folder that cannot be written, before any work is done for it.
///
/// # Errors
/// [`Error::Occupied`] if there is something in it, [`Error::Write`] with its name.
pub fn check_new_folder(path: &Path) -> Result<()> {
    let failed = |source| Error::Write { name: path.to_owned(), source };
    check_local(path)?;
    if path.exists() && fs::read_dir(path).map_err(failed)?.next().is_some() {
        return Err(Error::Occupied { name: path.to_owned() });
    }
    let mut probe = tempfile::Builder::new();
    probe.prefix(".tamis-").suffix(".tmp");
    probe.tempdir_in(folder_of(path)).map(drop).map_err(failed)
}

/// Refuses an address, which would become a folder called `s3:`.
fn check_local(path: &Path) -> Result<()> {
    if !is_address(path) {
        return Ok(());
    }
    let sentence = "results cannot be written to object stores; name a local file or folder";
    let source = io::Error::new(io::ErrorKind::Unsupported, sentence);
    Err(Error::Write { name: path.to_owned(), source })
}

/// The folder that a path is in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(unix)]
fn folder_permissions() -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    Permissions::from_mode(0o777)
}

#[cfg(not(unix))]
fn folder_permissions() -> Permissions {
    fs::metadata(".").map(|metadata| metadata.permissions()).expect("the current folder exists")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) -> Result<()> {
        super::write_atomically(path, |out| {
            out.write_all(text.as_bytes())
                .map_err(|source| Error::Write { name: path.to_owned(), source })
        })
    }

    #[test]
    fn a_file_is_replaced_whole_and_a_failure_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        write(&path, "old").unwrap();
        let failed: Result<()> = write_atomically(&path, |out| {
            out.write_all(b"new").unwrap();
            Err(Error::Write { name: "f".into(), source: io::Error::other("interrupted") })
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
        write(&path, "new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_a_link_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("f"), folder.path().join("l"));
        write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    #[cfg(unix)]
    fn a_private_file_is_the_owner_s_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let write = |text: &'static str| {
            write_privately(&path, |out| -> Result<()> {
                out.write_all(text.as_bytes()).unwrap();
                Ok(())
            })
        };
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        write("new").unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        write("newer").unwrap();
        assert_eq!((mode(), fs::read(&path).unwrap().as_slice()), (0o600, b"newer".as_slice()));
    }

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("new");
        let failed: Result<()> = write_folder_atomically(&path, |folder| {
            fs::write(folder.join("f"), "half").unwrap();
            Err(Error::Write { name: "f".into(), source: io::Error::other("interrupted") })
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0, "nothing is left behind");
        let fill = |text: &'static str| {
            write_folder_atomically(&path, |folder| -> Result<()> {
                fs::write(folder.join("f"), text).unwrap();
                Ok(())
            })
        };
        fs::create_dir(&path).unwrap();
        fill("whole").unwrap();
        assert_eq!(fs::read_to_string(path.join("f")).unwrap(), "whole");
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
        assert!(matches!(fill("again"), Err(Error::Occupied { .. })));
        assert_eq!(fs::read_to_string(path.join("f")).unwrap(), "whole");
    }

    #[test]
    fn a_small_file_that_is_truncated_later_is_still_there_and_a_large_one_is_mapped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, vec![7; READ_UP_TO as usize]).unwrap();
        let bytes = map(&path).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
        assert_eq!(bytes.as_ref().len() as u64, READ_UP_TO);
        assert!(bytes.as_ref().iter().all(|&byte| byte == 7));
        fs::write(&path, vec![7; READ_UP_TO as usize + 1]).unwrap();
        let mapped = map(&path).unwrap();
        assert!(mapped.are_mapped() && !bytes.are_mapped());
        assert_eq!(mapped.as_ref().as_ptr().align_offset(64), 0);
    }

    #[test]
    fn bytes_of_a_file_start_at_a_multiple_of_64() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        write(&path, "some bytes").unwrap();
        assert_eq!(map(&path).unwrap().as_ref(), b"some bytes");
        let read = Bytes::read(&mut &b"some bytes"[..]).unwrap();
        assert_eq!(read.as_ref(), b"some bytes");
        assert_eq!(read.as_ref().as_ptr().align_offset(64), 0);
        assert!(map(folder.path()).is_err(), "a folder cannot be mapped");
    }
}
