//! The sets of all documents, by number: in memory while they fit, in a file when not.

use super::pieces::Pieces;
use super::spool::{read_records, write_records};
use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Sets one behind the other, with where each ends.
#[derive(Debug)]
pub struct SetStore {
    path: PathBuf,
    ends: Vec<u64>,
    /// Members that are not in the file.
    held: Pieces,
    /// How many members are in the file.
    filed: u64,
    limit: usize,
    file: Option<File>,
}

impl SetStore {
    /// No set yet; up to `memory` bytes stay in memory.
    #[must_use]
    pub fn new(folder: &Path, memory: u64) -> Self {
        Self {
            path: folder.join("sets.part"),
            ends: Vec::new(),
            held: Pieces::default(),
            filed: 0,
            limit: (memory / 8).max(1) as usize,
            file: None,
        }
    }

    /// The sets that a finished stage has left in the folder.
    pub(super) fn reopen(folder: &Path) -> Result<Self> {
        let mut store = Self::new(folder, 0);
        store.ends = read_records(&folder.join("set-ends.part"))?;
        store.filed = store.ends.last().copied().unwrap_or(0);
        store.open_file()?;
        Ok(store)
    }

    /// How many sets there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many members a set has.
    #[must_use]
    pub fn size(&self, index: usize) -> usize {
        (self.ends[index] - self.start(index)) as usize
    }

    fn start(&self, index: usize) -> u64 {
        index.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// Appends a set.
    ///
    /// # Errors
    /// [`Error::Write`] when sets go to a file.
    pub fn push(&mut self, members: &[u64]) -> Result<()> {
        let before = self.ends.last().copied().unwrap_or(0);
        self.ends.push(before + members.len() as u64);
        self.held.push(members).map_err(|source| self.failed()(source))?;
        if self.held.len() >= self.limit { self.spill() } else { Ok(()) }
    }

    fn failed(&self) -> impl Fn(std::io::Error) -> Error + use<> {
        let name = self.path.clone();
        move |source| Error::Write { name: name.clone(), source }
    }

    fn open_file(&mut self) -> Result<&mut File> {
        if self.file.is_none() {
            let opened = OpenOptions::new().create(true).append(true).read(true).open(&self.path);
            self.file = Some(opened.map_err(self.failed())?);
        }
        let failed = self.failed();
        self.file.as_mut().ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))
    }

    fn spill(&mut self) -> Result<()> {
        let mut held = std::mem::take(&mut self.held);
        let failed = self.failed();
        let file = self.open_file()?;
        held.all()
            .try_for_each(|piece| file.write_all(bytemuck::cast_slice(piece)))
            .map_err(failed)?;
        self.filed += held.len() as u64;
        held.clear();
        self.held = held;
        Ok(())
    }

    /// Brings everything into files, for a later run to go on from.
    pub(super) fn save(&mut self, folder: &Path) -> Result<()> {
        self.spill()?;
        let failed = self.failed();
        self.open_file()?.sync_all().map_err(failed)?;
        write_records(&folder.join("set-ends.part"), &self.ends)
    }

    /// The members of a set, in `room` if they are in the file.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn get<'a>(&'a self, index: usize, room: &'a mut Vec<u64>) -> Result<&'a [u64]> {
        let (start, end) = (self.start(index), self.ends[index]);
        if start >= self.filed {
            return Ok(self.held.get((start - self.filed) as usize, (end - start) as usize));
        }
        room.resize((end - start) as usize, 0);
        let file = self.file.as_ref().ok_or_else(|| Error::Read {
            name: self.path.clone(),
            source: std::io::ErrorKind::NotFound.into(),
        })?;
        read_at(file, bytemuck::cast_slice_mut(room), start * 8)
            .map_err(|source| Error::Read { name: self.path.clone(), source })?;
        Ok(room)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !buffer.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, buffer, offset)?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        buffer = &mut buffer[read..];
        offset += read as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_come_back_the_same_whatever_the_memory() {
        for memory in [0, 200, 1 << 20] {
            let folder = tempfile::tempdir().unwrap();
            let mut store = SetStore::new(folder.path(), memory);
            let set = |i: u64| (0..i % 7).map(|j| i * 10 + j).collect::<Vec<u64>>();
            for i in 0..100 {
                store.push(&set(i)).unwrap();
            }
            let check = |store: &SetStore| {
                for i in (0..100).rev() {
                    let mut room = Vec::new();
                    assert_eq!(store.get(i, &mut room).unwrap(), set(i as u64), "{memory}");
                    assert_eq!(store.size(i), set(i as u64).len());
                }
            };
            check(&store);
            store.save(folder.path()).unwrap();
            check(&store);
            check(&SetStore::reopen(folder.path()).unwrap());
        }
    }
}
