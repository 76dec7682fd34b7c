//! Structures as files: what every kind does in the same way.

#[cfg(feature = "std")]
use super::disk::{self, Bytes, Failure};
use super::{File, Kind};
use crate::codec::Write;
use crate::memory::{Line, Mapped, Storage, line};
use crate::prelude::*;
use crate::{Error, Result};
use alloc::sync::Arc;
#[cfg(feature = "std")]
use std::path::Path;

/// A structure that can be written to a file and read back, into memory of its own or in place.
///
/// What is used most is a method of each type, too: `save`, `open` and `open_mapped` by a path,
/// `write`, `to_bytes`, `from_bytes` and `in_place` by bytes.
pub trait Stored: Sized {
    /// Where its lines are.
    type Storage: Storage;

    /// What the file says it is.
    const KIND: Kind;

    /// Writes the filter as a file.
    ///
    /// # Errors
    /// [`Error::Io`] from `out`.
    fn write(&self, out: &mut dyn Write) -> Result<()>;

    /// Reads the parameters of a sound header of the right kind and takes the lines.
    #[doc(hidden)]
    fn parse(file: &File<'_>, lines: &mut Lines<'_, Self::Storage>) -> Result<Self>;

    /// Checks what the checksum cannot: that bits which nobody uses are not set.
    #[doc(hidden)]
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Reads a filter from a file's bytes into memory of its own, checksum included.
    ///
    /// # Errors
    /// Whatever [`File::open`] and [`File::verify`] refuse; [`Error::WrongKind`] for another
    /// kind of file; [`Error::Memory`].
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Stored<Storage = Vec<Line>>,
    {
        let file = File::open(bytes)?;
        file.verify()?;
        let filter = parse_with(&file, &|start, end| line::copied(&bytes[start..end]))?;
        Self::check(&filter)?;
        Ok(filter)
    }

    /// Uses a file's bytes in place, reading nothing but the header.
    ///
    /// # Errors
    /// Whatever [`File::open`] refuses; [`Error::WrongKind`] for another kind of file;
    /// [`Error::Unaligned`] if the bytes do not start at a multiple of 64 (those of a mapped
    /// file always do).
    fn in_place<D: AsRef<[u8]>>(bytes: D) -> Result<Self>
    where
        Self: Stored<Storage = Mapped<D>>,
    {
        open_shared(&Arc::new(bytes))
    }
}

/// Writes a file by a path, whole or not at all.
#[cfg(feature = "std")]
pub(crate) fn save(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    disk::replace(path, false, |out| write(out)).map_err(|failure| match failure {
        Failure::Io(source) => Error::File { what: "write", name: path.to_owned(), source },
        Failure::Content(error) => error,
    })
}

/// The bytes of a file by a path.
#[cfg(feature = "std")]
pub(crate) fn bytes_at(path: &Path) -> Result<Bytes> {
    Bytes::open(path).map_err(|source| Error::File { what: "read", name: path.to_owned(), source })
}

pub(crate) fn open_shared<D: AsRef<[u8]>, F: Stored<Storage = Mapped<D>>>(
    bytes: &Arc<D>,
) -> Result<F> {
    let file = File::open((**bytes).as_ref())?;
    parse_with(&file, &|start, end| Mapped::new(bytes, start, end))
}

fn parse_with<F: Stored>(
    file: &File<'_>,
    place: &dyn Fn(usize, usize) -> Result<F::Storage>,
) -> Result<F> {
    if file.kind() != F::KIND {
        let got = file.kind().described().to_owned();
        return Err(Error::WrongKind { expected: F::KIND.described(), got });
    }
    let start = file.content_start();
    let mut lines = Lines { place, start, end: start + file.content().len() };
    let filter = F::parse(file, &mut lines)?;
    if lines.start == lines.end {
        return Ok(filter);
    }
    let extra = lines.end - lines.start;
    Err(Error::malformed(
        "the content",
        "no more than the parameters say",
        format!("{extra} bytes longer"),
    ))
}

/// The lines of a file, taken part by part.
#[doc(hidden)]
pub struct Lines<'a, S> {
    place: &'a dyn Fn(usize, usize) -> Result<S>,
    start: usize,
    end: usize,
}

impl<S> Lines<'_, S> {
    /// The next `count` lines.
    pub(crate) fn take(&mut self, count: u64) -> Result<S> {
        let there = (self.end - self.start) as u64;
        let size = count.saturating_mul(line::LINE_BYTES as u64);
        if size > there {
            return Err(Error::malformed("the content's length", size, there));
        }
        let end = self.start + size as usize;
        let lines = (self.place)(self.start, end)?;
        self.start = end;
        Ok(lines)
    }
}
