//! Sockets in the file system.
//!
//! A socket is created in a private folder next to its place, gets its mode and group there, and is then moved: at no
//! moment can anybody connect who may not.

use crate::config::SocketAccess;
use crate::{Error, Result};
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use tokio::net::{UnixListener, UnixStream};

/// Where groups are listed.
const GROUPS: &str = "/etc/group";

/// The file of a socket, removed in the end.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    /// Device and number: another process may have replaced it.
    file: Option<(u64, u64)>,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path) == self.file {
            fs::remove_file(&self.path).ok();
        }
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// Listens on a socket.
pub(super) async fn bind(
    path: &Path,
    access: &SocketAccess,
) -> io::Result<(UnixListener, SocketFile)> {
    refuse_other_files(path)?;
    if path.exists() && UnixStream::connect(path).await.is_ok() {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another process listens on it"));
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    let private = folder.join(format!(".t{}", std::process::id()));
    fs::remove_dir_all(&private).ok();
    DirBuilder::new().mode(0o700).create(&private)?;
    let bound = bind_in(&private, path, access);
    fs::remove_dir_all(&private).ok();
    let listener = bound?;
    Ok((listener, SocketFile { path: path.to_owned(), file: identity(path) }))
}

fn bind_in(private: &Path, path: &Path, access: &SocketAccess) -> io::Result<UnixListener> {
    let fresh = private.join("s");
    let listener = UnixListener::bind(&fresh)?;
    set_access(&fresh, access)?;
    fs::rename(&fresh, path)?;
    Ok(listener)
}

fn set_access(path: &Path, access: &SocketAccess) -> io::Result<()> {
    if let Some(group) = &access.group {
        chown(path, None, Some(group_number(group)?))?;
    }
    fs::set_permissions(path, Permissions::from_mode(access.mode))
}

/// Gives a socket other access.
///
/// # Errors
/// [`Error::Listen`] with the reason.
pub(crate) fn restrict(path: &Path, access: &SocketAccess) -> Result<()> {
    let failed = |source| Error::Listen { address: path.display().to_string(), source };
    set_access(path, access).map_err(failed)
}

/// Whether a socket can be created at this path, with this access.
///
/// # Errors
/// [`Error::Listen`] with the reason.
pub(crate) fn check(path: &Path, access: &SocketAccess) -> Result<()> {
    let failed = |source| Error::Listen { address: path.display().to_string(), source };
    refuse_other_files(path).map_err(failed)?;
    access.group.as_deref().map(group_number).transpose().map_err(failed)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    match fs::metadata(folder).map_err(failed)?.is_dir() {
        true => Ok(()),
        false => Err(failed(io::Error::from(io::ErrorKind::NotADirectory))),
    }
}

/// A socket that a process left is replaced; nothing else is.
fn refuse_other_files(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => {
            Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a file of that name"))
        }
        _ => Ok(()),
    }
}

/// The number of a group, given as a name or a number.
fn group_number(group: &str) -> io::Result<u32> {
    if let Ok(number) = group.parse() {
        return Ok(number);
    }
    let listed = fs::read_to_string(GROUPS)?;
    let number = listed.lines().find_map(|line| {
        let mut fields = line.split(':');
        let is_it = fields.next() == Some(group);
        is_it.then(|| fields.nth(1)?.parse().ok()).flatten()
    });
    let unknown =
        || io::Error::new(io::ErrorKind::NotFound, format!("there is no group {group:?}"));
    number.ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_has_the_mode_and_group_of_its_setting() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("socket");
        for mode in [0o600, 0o660, 0o666] {
            let access = SocketAccess { mode, group: None };
            let (_listener, _file) = bind(&path, &access).await.expect("bound");
            let found = fs::metadata(&path).expect("a socket");
            assert_eq!(found.permissions().mode() & 0o777, mode);
            let again = bind(&path, &access).await.expect_err("taken");
            assert_eq!(again.kind(), io::ErrorKind::AddrInUse);
            let names: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
            assert_eq!(names.len(), 1, "nothing else is left: {names:?}");
        }
        assert!(!path.exists(), "it is removed in the end");
        let unknown = SocketAccess { mode: 0o660, group: Some("no-such-group".into()) };
        assert_eq!(
            bind(&path, &unknown).await.expect_err("unknown").kind(),
            io::ErrorKind::NotFound
        );
        fs::write(&path, "a file").expect("written");
        let taken = bind(&path, &SocketAccess::default()).await.expect_err("a file");
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn groups_have_numbers() {
        assert_eq!(group_number("0").ok(), Some(0));
        assert_eq!(group_number("root").ok(), Some(0));
    }
}
