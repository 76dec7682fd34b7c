//! Files of a store belong to their owner alone.
//!
//! Hashes of messages tell something about them to anyone who knows the seed, so folders have mode
//! 0700 and files 0600, whatever the umask. What is not a regular file is refused in place of a
//! store file: a symbolic link could lead a server to write elsewhere, and a pipe would block it.
//!
//! On other systems than Unix permissions are those of the folder.

use super::{LOCK, disk, journal, seed, tables};
use crate::{Error, Result};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use tamis_corpus::files::write_privately;

/// Creates the folder of a store, and the folders above it, unless they are there.
pub(crate) fn create_folder(folder: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let created = builder.create(folder);
    Ok(created.map_err(|source| tamis_corpus::Error::Write { name: folder.to_owned(), source })?)
}

/// Opens a store file for reading.
pub(crate) fn open(path: &Path) -> Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// Opens a store file for reading and appending.
pub(crate) fn open_to_append(path: &Path) -> Result<File> {
    open_with(path, OpenOptions::new().read(true).append(true))
}

/// Opens a store file for appending; creates it unless it is there.
pub(crate) fn open_or_create(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = open_with(path, &mut options)?;
    restrict(&file, 0o600);
    Ok(file)
}

/// Replaces a store file as a whole.
pub(crate) fn write(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
) -> Result<()> {
    // Written through a link, something outside of the store would be replaced.
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(Error::NotRegular { name: path.to_owned() });
    }
    let failed = |source| Error::from(tamis_corpus::Error::Write { name: path.to_owned(), source });
    disk::before_change().map_err(failed)?;
    write_privately(path, |out| {
        content(out)?;
        disk::before_change().map_err(failed)
    })
}

/// Takes the access of others away from an existing store. Only its owner can do that; for anybody
/// else nothing changes.
pub(crate) fn restrict_store(folder: &Path) {
    if let Ok(opened) = File::open(folder) {
        restrict(&opened, 0o700);
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = [tables::NAME, seed::NAME, LOCK].iter().any(|ours| name == *ours)
            || journal::is_name(&name);
        if is_ours && let Ok(file) = open(&entry.path()) {
            restrict(&file, 0o600);
        }
    }
}

/// Sets the mode of a file or folder that others have access to, or its owner has not.
#[cfg(unix)]
fn restrict(file: &File, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let other = file.metadata().is_ok_and(|found| found.permissions().mode() & 0o777 != mode);
    if other {
        file.set_permissions(fs::Permissions::from_mode(mode)).ok();
    }
}

#[cfg(not(unix))]
const fn restrict(_: &File, _: u32) {}

fn open_with(path: &Path, options: &mut OpenOptions) -> Result<File> {
    let not_regular = || Error::NotRegular { name: path.to_owned() };
    let failed = |source| Error::Read { name: path.to_owned(), source };
    // Neither follows a link nor waits for the other end of a pipe.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path).map_err(|source| match is_link(&source) {
        true => not_regular(),
        false => failed(source),
    })?;
    match file.metadata().map_err(failed)?.is_file() {
        true => Ok(file),
        false => Err(not_regular()),
    }
}

/// Whether opening failed because the path is a link.
fn is_link(error: &io::Error) -> bool {
    #[cfg(unix)]
    let is_link = matches!(error.raw_os_error(), Some(libc::ELOOP | libc::EMLINK));
    #[cfg(not(unix))]
    let is_link = error.kind() == io::ErrorKind::FilesystemLoop;
    is_link
}
