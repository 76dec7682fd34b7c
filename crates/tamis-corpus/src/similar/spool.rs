//! Records in parts: in memory while they are few, in files when they are many.

use crate::{Error, Result};
use bytemuck::Pod;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Records that are read at once.
const PIECE: usize = 1 << 16;

/// Records of one type, appended to numbered parts and read back a part at a time.
#[derive(Debug)]
pub struct Spool<T> {
    folder: PathBuf,
    name: &'static str,
    parts: Vec<Vec<T>>,
    /// How many records may be in memory before they go to files.
    limit: usize,
    held: usize,
    spilled: bool,
}

impl<T: Pod> Spool<T> {
    /// An empty spool of so many parts; up to `memory` bytes stay in memory.
    #[must_use]
    pub fn new(folder: &Path, name: &'static str, parts: usize, memory: u64) -> Self {
        let limit = (memory / size_of::<T>() as u64).max(1) as usize;
        let parts = (0..parts).map(|_| Vec::new()).collect();
        Self { folder: folder.to_owned(), name, parts, limit, held: 0, spilled: false }
    }

    /// A spool whose parts are in files already.
    #[must_use]
    pub fn reopened(folder: &Path, name: &'static str, parts: usize) -> Self {
        let mut spool = Self::new(folder, name, parts, 0);
        spool.spilled = true;
        spool
    }

    /// How many parts there are.
    #[must_use]
    pub const fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Appends a record to a part.
    ///
    /// # Errors
    /// [`Error::Write`] when records go to files.
    #[inline]
    pub fn push(&mut self, part: usize, record: T) -> Result<()> {
        self.parts[part].push(record);
        self.held += 1;
        if self.held >= self.limit { self.spill() } else { Ok(()) }
    }

    /// Brings everything that is in memory into files.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn spill(&mut self) -> Result<()> {
        for part in 0..self.parts.len() {
            let records = &mut self.parts[part];
            if records.is_empty() {
                continue;
            }
            let path = path(&self.folder, self.name, part);
            append(&path, bytemuck::cast_slice(records))
                .map_err(|source| Error::Write { name: path, source })?;
            // The room is kept for the next records, unless it is much.
            records.clear();
            records.shrink_to(1 << 14);
        }
        self.held = 0;
        self.spilled = true;
        Ok(())
    }

    /// The records of a part, in the order in which they were appended.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn read(&self, part: usize) -> Result<Vec<T>> {
        let mut records = Vec::new();
        if self.spilled {
            let path = path(&self.folder, self.name, part);
            records = read_records(&path)?;
        }
        records.extend_from_slice(&self.parts[part]);
        Ok(records)
    }

    /// Calls `visit` with the records of a part, in the order in which they were appended. A part that is in a file is read
    /// piece by piece.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn visit(&self, part: usize, mut visit: impl FnMut(T)) -> Result<()> {
        if self.spilled {
            let path = path(&self.folder, self.name, part);
            let failed = |source| Error::Read { name: path.clone(), source };
            let mut piece = vec![T::zeroed(); PIECE.min(self.len(part) as usize)];
            let mut left = self.len(part) as usize - self.parts[part].len();
            let mut file = (left > 0).then(|| File::open(&path)).transpose().map_err(failed)?;
            while let (Some(file), 1..) = (&mut file, left) {
                let piece = &mut piece[..left.min(PIECE)];
                file.read_exact(bytemuck::cast_slice_mut(piece)).map_err(failed)?;
                piece.iter().copied().for_each(&mut visit);
                left -= piece.len();
            }
        }
        self.parts[part].iter().copied().for_each(visit);
        Ok(())
    }

    /// Forgets all records, and removes what this or an earlier run has left of them in files.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn remove(&mut self) -> Result<()> {
        for part in 0..self.parts.len() {
            self.parts[part] = Vec::new();
            let path = path(&self.folder, self.name, part);
            match fs::remove_file(&path) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::Write { name: path, source });
                }
                _ => {}
            }
        }
        (self.held, self.spilled) = (0, false);
        Ok(())
    }

    /// How many records a part has.
    #[must_use]
    pub fn len(&self, part: usize) -> u64 {
        let path = path(&self.folder, self.name, part);
        let filed = if self.spilled { fs::metadata(&path).map_or(0, |data| data.len()) } else { 0 };
        filed / size_of::<T>() as u64 + self.parts[part].len() as u64
    }
}

fn path(folder: &Path, name: &str, part: usize) -> PathBuf {
    folder.join(format!("{name}-{part:04}.part"))
}

fn append(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).open(path)?.write_all(bytes)
}

/// All records of a file; a file that is not there has none.
pub(super) fn read_records<T: Pod>(path: &Path) -> Result<Vec<T>> {
    let failed = |source| Error::Read { name: path.to_owned(), source };
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let size = file.metadata().map_err(failed)?.len() as usize;
    let mut records = vec![T::zeroed(); size / size_of::<T>()];
    std::io::Read::read_exact(&mut file, bytemuck::cast_slice_mut(&mut records)).map_err(failed)?;
    Ok(records)
}

/// Writes records as a file, whole or not at all.
pub(super) fn write_records<T: Pod>(path: &Path, records: &[T]) -> Result<()> {
    crate::files::write_atomically(path, |out| {
        out.write_all(bytemuck::cast_slice(records))
            .map_err(|source| Error::Write { name: path.to_owned(), source })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_the_same_from_memory_and_from_files() {
        let folder = tempfile::tempdir().unwrap();
        for memory in [0, 100, 1 << 20] {
            let name = if memory == 0 {
                "a"
            } else if memory == 100 {
                "b"
            } else {
                "c"
            };
            let mut spool = Spool::new(folder.path(), name, 3, memory);
            for i in 0..1000u64 {
                spool.push((i % 3) as usize, i).unwrap();
            }
            for part in 0..3 {
                let expected: Vec<u64> = (0..1000).filter(|i| i % 3 == part).collect();
                assert_eq!(spool.read(part as usize).unwrap(), expected);
                assert_eq!(spool.len(part as usize), expected.len() as u64);
                let mut visited = Vec::new();
                spool.visit(part as usize, |record| visited.push(record)).unwrap();
                assert_eq!(visited, expected);
            }
        }
    }
}
