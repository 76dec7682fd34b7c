//! Files on disk: read into memory or mapped, and replaced as a whole.

#![allow(unsafe_code)]

use crate::memory::Line;
use memmap2::Mmap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Files of up to this many bytes are read into memory, in about a millisecond: 4 MiB.
pub const READ_UP_TO: u64 = 4 << 20;

/// The bytes of a file: a copy in memory of a small one, a map of a large one. They start at a
/// multiple of 64 in either case.
///
/// Files are to be *replaced, never overwritten*. Everything here replaces them, and a map goes
/// on seeing the old one. If another program overwrites a mapped file, lookups read the new bytes
/// and their answers are wrong. If it *truncates* one, the system ends any process that reads
/// past the new end (`SIGBUS`). Nothing can happen to a file that was read.
#[derive(Debug)]
pub struct Bytes(Place);

#[derive(Debug)]
enum Place {
    Mapped(Mmap),
    /// A copy, and how many of its bytes are used.
    Read(Vec<Line>, usize),
}

impl AsRef<[u8]> for Bytes {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            Place::Mapped(map) => map,
            Place::Read(lines, length) => &bytemuck::cast_slice(lines)[..*length],
        }
    }
}

impl Bytes {
    /// Reads a file of up to [`READ_UP_TO`] bytes and maps a larger one.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if !metadata.is_file() || metadata.len() <= READ_UP_TO {
            return Self::read(&mut file);
        }
        // SAFETY: a map of a file that someone else shortens or changes shows other bytes, or ends
        // the process on access. Every use checks lengths against the map, so that wrong bytes give
        // wrong answers at worst; files are replaced, not changed, by everything in this project.
        let map = unsafe { Mmap::map(&file) }?;
        Ok(Self(Place::Mapped(map)))
    }

    /// Everything that comes out of a source.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(source: &mut dyn Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes)?;
        let mut lines: Vec<Line> =
            vec![bytemuck::Zeroable::zeroed(); bytes.len().div_ceil(size_of::<Line>())];
        bytemuck::cast_slice_mut(&mut lines)[..bytes.len()].copy_from_slice(&bytes);
        Ok(Self(Place::Read(lines, bytes.len())))
    }

    /// Whether the bytes are in the file still, and not in memory.
    #[must_use]
    pub const fn are_mapped(&self) -> bool {
        matches!(self.0, Place::Mapped(_))
    }
}

/// Why a file was not replaced.
#[derive(Debug)]
pub enum Failure<E> {
    /// The system has refused something.
    Io(io::Error),
    /// What the content has said.
    Content(E),
}

/// Writes a file so that it appears whole or not at all, whatever happens meanwhile: into a
/// temporary file in the same folder, to disk, and then in its place. What is no regular file (a
/// pipe, `/dev/null`) is written to directly. A file that replaces another gets its permissions;
/// a private one can be read by its owner alone, whatever the umask.
///
/// # Errors
/// [`Failure`]; the old file is untouched then.
pub fn replace<E>(
    path: &Path,
    is_private: bool,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), Failure<E>> {
    // Through a link, the file that it names is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        let file = File::options().write(true).open(&target).map_err(Failure::Io)?;
        return filled(BufWriter::new(file), content);
    }
    let folder = match target.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let permissions = existing.map(|metadata| metadata.permissions()).filter(|_| !is_private);
    let temporary = Temporary::new(&folder, is_private, permissions).map_err(Failure::Io)?;
    filled(BufWriter::with_capacity(1 << 16, &temporary.file), content)?;
    temporary.file.sync_all().map_err(Failure::Io)?;
    temporary.persist(&target).map_err(Failure::Io)?;
    // The new name is on disk, too, once the folder is. Some systems cannot do that.
    if let Ok(folder) = File::open(&folder) {
        folder.sync_all().ok();
    }
    Ok(())
}

fn filled<E>(
    mut out: BufWriter<impl Write + Send>,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), Failure<E>> {
    content(&mut out).map_err(Failure::Content)?;
    out.flush().map_err(Failure::Io)
}

/// A file under a name of its own, which is removed unless it gets another.
struct Temporary {
    file: File,
    path: Option<PathBuf>,
}

impl Temporary {
    fn new(folder: &Path, is_private: bool, permissions: Option<Permissions>) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        set_mode(&mut options, is_private, permissions.as_ref());
        // Names are random: two processes that meet once do not meet again.
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..64 {
            let mut name = OsString::from(".tamis-");
            name.push(format!("{:016x}", RandomState::new().hash_one(std::process::id())));
            name.push(".tmp");
            let path = folder.join(name);
            match options.open(&path) {
                Ok(file) => {
                    let temporary = Self { file, path: Some(path) };
                    if is_private {
                        make_private(&temporary.file)?;
                    }
                    return Ok(temporary);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    fn persist(mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, target)?;
        }
        self.path = None;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            fs::remove_file(path).ok();
        }
    }
}

/// The mode of a new file, from which the user's mask takes what it takes from any.
#[cfg(unix)]
fn set_mode(options: &mut OpenOptions, is_private: bool, permissions: Option<&Permissions>) {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let mode = match permissions {
        _ if is_private => 0o600,
        Some(permissions) => permissions.mode() & 0o7777,
        None => 0o666,
    };
    options.mode(mode);
}

#[cfg(not(unix))]
fn set_mode(_: &mut OpenOptions, _: bool, _: Option<&Permissions>) {}

/// Lets only the owner read and write a file. The umask may have taken even that away.
#[cfg(unix)]
fn make_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}
