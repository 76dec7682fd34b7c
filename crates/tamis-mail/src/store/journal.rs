//! The journal: everything that was learned and taken back, in order, only ever appended to.
//!
//! ```text
//! offset  size
//!      0     8  signature     89 54 41 4D 49 4A 0D 0A  ("\x89TAMIJ\r\n")
//!      8     2  version       2
//!     10     2  features      the version of the rules that made the places
//!     12     4  bits          of the tables
//!     16     8  seed
//!     24     8  generation    the number of the journal; rebuilding makes a new one
//!     32    24  zero
//!     56     8  checksum      XXH3-64 of bytes 0 .. 56
//!
//!            4  length        of a record
//!            4  check         the low half of XXH3-64, seeded with the offset, of the length
//!               record
//!            8  checksum      XXH3-64, seeded with the offset, of the record
//! ```
//!
//! An incomplete record at the end was being written when its process ended. It was never reported as
//! safe and is skipped. Any other difference from what was written is damage and an error.

use super::private;
use super::record::Record;
use crate::{Error, Result};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use tamis::hash::KeyHash;

const MAGIC: [u8; 8] = *b"\x89TAMIJ\r\n";
const VERSION: u16 = 2;
const HEADER: usize = 64;

/// Bytes around a record: its length, the check of that, and its checksum.
const AROUND: u64 = 16;

/// The longest record: a message has at most as many features as [`crate::features::MOST`], of five bytes.
const LONGEST: u32 = 64 << 20;

/// What all records of a journal have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    pub features: u16,
    pub bits: u32,
    pub seed: u64,
    pub generation: u64,
}

/// A journal that is open.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    identity: Identity,
    /// Where what was written ends.
    written: u64,
    /// Records that are not written yet.
    pending: Vec<u8>,
}

/// The name of a journal in its store.
pub(crate) fn name_of(generation: u64) -> String {
    format!("journal-{generation}.log")
}

impl Journal {
    /// A new one.
    pub fn create(folder: &Path, identity: Identity) -> Result<Self> {
        let path = folder.join(name_of(identity.generation));
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&identity.features.to_le_bytes());
        bytes.extend_from_slice(&identity.bits.to_le_bytes());
        bytes.extend_from_slice(&identity.seed.to_le_bytes());
        bytes.extend_from_slice(&identity.generation.to_le_bytes());
        bytes.resize(HEADER - 8, 0);
        bytes.extend_from_slice(&KeyHash::default().bytes(&bytes).to_le_bytes());
        private::write(&path, |out| {
            out.write_all(&bytes).map_err(|source| {
                Error::from(tamis_corpus::Error::Write { name: path.clone(), source })
            })
        })?;
        Self::open(folder, identity.generation)
    }

    /// Opens one.
    pub fn open(folder: &Path, generation: u64) -> Result<Self> {
        Self::open_version(folder, generation, VERSION)
    }

    /// Opens one of this version.
    pub fn open_version(folder: &Path, generation: u64, version: u16) -> Result<Self> {
        let path = folder.join(name_of(generation));
        let failed = |source| Error::Read { name: path.clone(), source };
        // A reader may have no right to write.
        let mut file = private::open_to_append(&path).or_else(|_| private::open(&path))?;
        let written = file.metadata().map_err(failed)?.len();
        let damaged = |what| Error::Damaged { name: path.clone(), at: 0, what };
        let mut header = [0; HEADER];
        file.read_exact(&mut header).map_err(|_| damaged("the header is cut off"))?;
        let number = |at: usize, size: usize| {
            header[at..at + size].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
        };
        if header[..8] != MAGIC {
            return Err(damaged("it is no journal"));
        }
        if KeyHash::default().bytes(&header[..HEADER - 8]) != number(HEADER - 8, 8) {
            return Err(damaged("the header is not what was written"));
        }
        if number(8, 2) != u64::from(version) || number(24, 8) != generation {
            return Err(damaged("its version or number is another one"));
        }
        let identity = Identity {
            features: number(10, 2) as u16,
            bits: number(12, 4) as u32,
            seed: number(16, 8),
            generation,
        };
        Ok(Self { path, file, identity, written, pending: Vec::new() })
    }

    pub const fn identity(&self) -> Identity {
        self.identity
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the next record will be.
    pub const fn end(&self) -> u64 {
        self.written + self.pending.len() as u64
    }

    /// Where records begin.
    pub const fn start() -> u64 {
        HEADER as u64
    }

    /// Appends a record, to be written by [`Self::commit`]; where it is is returned.
    pub fn push(&mut self, record: &Record) -> u64 {
        let offset = self.end();
        let start = self.pending.len();
        self.pending.extend_from_slice(&[0; 8]);
        self.pending.extend_from_slice(record.write().as_bytes());
        let length = ((self.pending.len() - start - 8) as u32).to_le_bytes();
        self.pending[start..start + 4].copy_from_slice(&length);
        self.pending[start + 4..start + 8].copy_from_slice(&check(offset, length));
        let checksum = KeyHash::new(offset).bytes(&self.pending[start + 8..]);
        self.pending.extend_from_slice(&checksum.to_le_bytes());
        offset
    }

    /// How many bytes wait to be written.
    pub const fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Writes what is pending, to disk: what was pushed before is safe from then on.
    pub fn commit(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let failed = |path: &Path| {
            let name = path.to_owned();
            move |source| tamis_corpus::Error::Write { name, source }
        };
        self.file.write_all(&self.pending).map_err(failed(&self.path))?;
        self.file.sync_data().map_err(failed(&self.path))?;
        self.written += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Cuts off a record that was being written when something ended the process.
    pub fn cut(&mut self, end: u64) -> Result<()> {
        let failed = |source| tamis_corpus::Error::Write { name: self.path.clone(), source };
        if end < self.written {
            self.file.set_len(end).map_err(failed)?;
            self.file.sync_data().map_err(failed)?;
            self.written = end;
        }
        Ok(())
    }

    /// The record at a place that was told before.
    pub fn read(&self, offset: u64) -> Result<Record> {
        Record::read(&self.read_bytes(offset)?).ok_or_else(|| self.unknown(offset))
    }

    fn unknown(&self, at: u64) -> Error {
        let what = "a record says nothing that is known";
        Error::Damaged { name: self.path.clone(), at, what }
    }

    /// The bytes of the record at a place that was told before.
    pub fn read_bytes(&self, offset: u64) -> Result<Vec<u8>> {
        let damaged = |what| Error::Damaged { name: self.path.clone(), at: offset, what };
        let found = if offset >= self.written {
            let start = ((offset - self.written) as usize).min(self.pending.len());
            next(&mut &self.pending[start..], offset)
        } else {
            next(&mut BufReader::with_capacity(8 << 10, From { file: &self.file, offset }), offset)
        };
        match found.map_err(damaged)? {
            Some(record) => Ok(record),
            None => Err(damaged("the record is cut off")),
        }
    }

    /// Calls `visit` with each written record that starts in a range, and its offset; where the last
    /// whole one ends is returned. A range that ends at a known end is one moment of the journal,
    /// whatever is appended meanwhile.
    pub fn for_each(
        &self,
        range: Range<u64>,
        mut visit: impl FnMut(u64, Record) -> Result<()>,
    ) -> Result<u64> {
        let mut failed = None;
        let end = self.for_each_bytes(range, |offset, bytes| {
            let visited = match Record::read(bytes) {
                Some(record) => visit(offset, record),
                None => Err(self.unknown(offset)),
            };
            visited.map_err(|error| failed = Some(error)).ok()
        });
        failed.map_or(end, Err)
    }

    /// As [`Self::for_each`], with the bytes of each record; it ends with an error where `visit` says
    /// none.
    pub fn for_each_bytes(
        &self,
        range: Range<u64>,
        mut visit: impl FnMut(u64, &[u8]) -> Option<()>,
    ) -> Result<u64> {
        let mut offset = range.start;
        let mut input = BufReader::with_capacity(1 << 16, From { file: &self.file, offset });
        while offset < range.end {
            let damaged = |what| Error::Damaged { name: self.path.clone(), at: offset, what };
            let Some(record) = next(&mut input, offset).map_err(damaged)? else { break };
            visit(offset, &record).ok_or_else(|| self.unknown(offset))?;
            offset += record.len() as u64 + AROUND;
        }
        Ok(offset)
    }
}

/// Whether a file in a store is a journal, by its name.
pub(crate) fn is_name(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("journal-")
}

/// A file from a place on; others may read it elsewhere meanwhile.
struct From<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for From<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        #[cfg(unix)]
        let count = std::os::unix::fs::FileExt::read_at(self.file, buffer, self.offset)?;
        #[cfg(windows)]
        let count = std::os::windows::fs::FileExt::seek_read(self.file, buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

fn check(offset: u64, length: [u8; 4]) -> [u8; 4] {
    (KeyHash::new(offset).bytes(&length) as u32).to_le_bytes()
}

/// The bytes of the next record; none at the end, or where writing was interrupted.
fn next(input: &mut impl Read, offset: u64) -> Result<Option<Vec<u8>>, &'static str> {
    let mut fill = |buffer: &mut [u8]| -> Result<bool, &'static str> {
        let mut filled = 0;
        while filled < buffer.len() {
            match input.read(&mut buffer[filled..]) {
                Ok(0) => return Ok(false),
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Err("it cannot be read"),
            }
        }
        Ok(true)
    };
    let mut head = [0; 8];
    if !fill(&mut head)? {
        return Ok(None);
    }
    let length = [head[0], head[1], head[2], head[3]];
    // A file system may leave zeros where it did not come to write.
    if head == [0; 8] {
        return Ok(None);
    }
    if head[4..] != check(offset, length) || u32::from_le_bytes(length) > LONGEST {
        return Err("the length of a record is not what was written");
    }
    let length = u32::from_le_bytes(length) as usize;
    let mut record = vec![0; length + 8];
    if !fill(&mut record)? {
        return Ok(None);
    }
    let checksum = record.split_off(length);
    if KeyHash::new(offset).bytes(&record).to_le_bytes() != *checksum {
        return Err("a record is not what was written");
    }
    Ok(Some(record))
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: Identity = Identity { features: 1, bits: 20, seed: 7, generation: 1 };

    fn records(journal: &Journal) -> Result<Vec<Record>> {
        let mut found = Vec::new();
        journal.for_each(Journal::start()..u64::MAX, |_, record| {
            found.push(record);
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn what_was_committed_is_there_and_what_was_cut_off_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(folder.path(), IDENTITY).unwrap();
        let written: Vec<Record> = (0..3).map(|digest| Record::Forget([digest; 16])).collect();
        let offsets: Vec<u64> = written.iter().map(|record| journal.push(record)).collect();
        assert_eq!(journal.read(offsets[1]).unwrap(), written[1], "before it is written");
        journal.commit().unwrap();
        assert_eq!(journal.read(offsets[2]).unwrap(), written[2]);
        assert_eq!(records(&journal).unwrap(), written);
        let path = journal.path().to_owned();
        let whole = std::fs::read(&path).unwrap();
        for end in HEADER..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let journal = Journal::open(folder.path(), 1).unwrap();
            let there = offsets.iter().filter(|offset| **offset + 33 <= end as u64).count();
            assert_eq!(records(&journal).unwrap(), written[..there], "cut at {end}");
        }
    }

    #[test]
    fn every_changed_byte_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(folder.path(), IDENTITY).unwrap();
        for digest in 0..3 {
            journal.push(&Record::Forget([digest; 16]));
        }
        journal.commit().unwrap();
        let path = journal.path().to_owned();
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            std::fs::write(&path, &bytes).unwrap();
            let found = Journal::open(folder.path(), 1).and_then(|journal| records(&journal));
            assert!(matches!(found, Err(Error::Damaged { .. })), "changed at {at}");
        }
    }
}
