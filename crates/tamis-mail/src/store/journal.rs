//! The journal: everything that was learned and taken back, in order, only ever appended to.
//!
//! ```text
//! offset  size
//!      0     8  signature     89 54 41 4D 49 4A 0D 0A  ("\x89TAMIJ\r\n")
//!      8     2  version       3
//!     10     2  features      the version of the rules that made the places
//!     12     4  bits          of the tables
//!     16     8  seed check    see [`super::seed`]; in version 2 the seed itself
//!     24     8  generation    the number of the journal; rebuilding makes a new one
//!     32    24  zero
//!     56     8  checksum      XXH3-64 of bytes 0 .. 56
//!           records, see [`super::frames`]
//! ```
//!
//! An incomplete or torn write at the end was never reported as safe and is skipped. Any other
//! difference from what was written is damage and an error.

use super::frames::{self, AROUND, Next};
use super::record::{Learn, Record};
use super::{disk, private, seed};
use crate::{Error, Result};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::io::{BufReader, Read};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use tamis::hash::KeyHash;

const MAGIC: [u8; 8] = *b"\x89TAMIJ\r\n";

/// The version that is written, and the oldest one that [`Journal::open`] reads.
const VERSION: u16 = 3;
const OLDEST: u16 = 2;
const HEADER: usize = 64;

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
    version: u16,
    identity: Identity,
    /// Where what was written ends.
    written: u64,
    /// Whether all of that is known to be on disk.
    is_synced: bool,
    /// Whether a write has failed: what is in the file is then unknown.
    has_failed: bool,
    /// Records that are not written yet.
    pending: Vec<u8>,
}

/// The name of a journal in its store.
pub(crate) fn name_of(generation: u64) -> String {
    format!("journal-{generation}.log")
}

impl Journal {
    /// A new one; the seed file is there.
    pub fn create(folder: &Path, identity: Identity) -> Result<Self> {
        let path = folder.join(name_of(identity.generation));
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&identity.features.to_le_bytes());
        bytes.extend_from_slice(&identity.bits.to_le_bytes());
        bytes.extend_from_slice(&seed::check(identity.seed).to_le_bytes());
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

    /// Opens one of this version or the one before.
    pub fn open(folder: &Path, generation: u64) -> Result<Self> {
        Self::open_versions(folder, generation, OLDEST..=VERSION)
    }

    /// Opens one of these versions.
    pub fn open_versions(
        folder: &Path,
        generation: u64,
        versions: RangeInclusive<u16>,
    ) -> Result<Self> {
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
        let version = number(8, 2) as u16;
        if !versions.contains(&version) || number(24, 8) != generation {
            return Err(damaged("its version or number is another one"));
        }
        let seed = match version {
            VERSION.. => seed::read(folder)?,
            _ => number(16, 8),
        };
        if version >= VERSION && number(16, 8) != seed::check(seed) {
            return Err(damaged("the seed file is that of another store"));
        }
        let (features, bits) = (number(10, 2) as u16, number(12, 4) as u32);
        let identity = Identity { features, bits, seed, generation };
        let (is_synced, has_failed, pending) = (false, false, Vec::new());
        Ok(Self { path, file, version, identity, written, is_synced, has_failed, pending })
    }

    /// Whether records can be added.
    pub const fn is_current(&self) -> bool {
        self.version == VERSION
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
        let (offset, starts) = (self.end(), self.pending.is_empty());
        frames::append(&mut self.pending, offset, record.write().as_bytes(), starts);
        offset
    }

    /// How many bytes wait to be written.
    pub const fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Says that all of the file up to here is on disk, because tables were written after it.
    pub fn synced_to(&mut self, offset: u64) {
        self.is_synced |= offset == self.written;
    }

    /// Brings everything to disk: what was pushed before, and what another process has written, is safe
    /// from then on. After an error nothing more can be written: what was pending is lost.
    pub fn commit(&mut self) -> Result<()> {
        let written = self.try_commit();
        if written.is_err() && !self.has_failed {
            self.has_failed = true;
            // As far as the system lets us, what was not reported as safe is not there.
            disk::set_len(&self.file, self.written).ok();
        }
        let failed = |source| tamis_corpus::Error::Write { name: self.path.clone(), source };
        Ok(written.map_err(failed)?)
    }

    fn try_commit(&mut self) -> io::Result<()> {
        if self.has_failed {
            return Err(io::Error::other("an earlier write failed; open the store again"));
        }
        if !self.is_synced {
            // A process that was ended may have written this and not brought it to disk.
            disk::sync(&self.file)?;
            self.is_synced = true;
        }
        if !self.pending.is_empty() {
            disk::append(&mut self.file, &self.pending)?;
            disk::sync(&self.file)?;
            self.written += self.pending.len() as u64;
            self.pending.clear();
        }
        Ok(())
    }

    /// Cuts off a write that was interrupted; how many bytes is returned.
    pub fn cut(&mut self, end: u64) -> Result<u64> {
        let beyond = self.written.saturating_sub(end);
        if beyond > 0 {
            let failed = |source| tamis_corpus::Error::Write { name: self.path.clone(), source };
            disk::set_len(&self.file, end).map_err(failed)?;
            self.written = end;
            self.is_synced = true;
        }
        Ok(beyond)
    }

    /// The record at a place that was told before.
    pub fn read(&self, offset: u64) -> Result<Record> {
        Record::read(&self.read_bytes(offset)?).ok_or_else(|| self.unknown(offset))
    }

    /// The message that was learned by the record at a place that was told before.
    pub fn lesson(&self, offset: u64) -> Result<Learn> {
        let name = || self.path.clone();
        let what = "no message was learned there";
        let learn = self.read(offset)?.into_learn();
        learn.ok_or_else(|| Error::Damaged { name: name(), at: offset, what })
    }

    fn unknown(&self, at: u64) -> Error {
        let what = "a record says nothing that is known";
        Error::Damaged { name: self.path.clone(), at, what }
    }

    /// The bytes of the record at a place that was told before.
    pub fn read_bytes(&self, offset: u64) -> Result<Vec<u8>> {
        let damaged = |what| Error::Damaged { name: self.path.clone(), at: offset, what };
        // The journal of a reader has grown since it was opened.
        let found = if offset >= self.written && !self.pending.is_empty() {
            let start = ((offset - self.written) as usize).min(self.pending.len());
            frames::next(&mut &self.pending[start..], offset, self.version)
        } else {
            frames::next(&mut self.from(offset, 8 << 10), offset, self.version)
        };
        match found {
            Next::Record(record, _) => Ok(record),
            Next::End => Err(damaged("the record is cut off")),
            Next::Broken(what) => Err(damaged(what)),
        }
    }

    fn from(&self, offset: u64, buffer: usize) -> BufReader<From<'_>> {
        BufReader::with_capacity(buffer, From { file: &self.file, offset })
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
        let mut input = self.from(offset, 1 << 16);
        while offset < range.end {
            match frames::next(&mut input, offset, self.version) {
                Next::Record(record, _) => {
                    visit(offset, &record).ok_or_else(|| self.unknown(offset))?;
                    offset += record.len() as u64 + AROUND;
                }
                Next::Broken(what) if !self.is_torn(offset) => {
                    return Err(Error::Damaged { name: self.path.clone(), at: offset, what });
                }
                Next::Broken(_) | Next::End => break,
            }
        }
        Ok(offset)
    }

    /// Whether what is not sound at this place belongs to a write that was interrupted.
    fn is_torn(&self, offset: u64) -> bool {
        self.version > OLDEST && self.sound_after(offset + 1, true).is_none()
    }

    /// Refuses an end of the file that is neither whole nor just being written.
    pub fn check_end(&self, offset: u64) -> Result<()> {
        match frames::next(&mut self.from(offset, 8 << 10), offset, self.version) {
            Next::Broken(what) => Err(Error::Damaged { name: self.path.clone(), at: offset, what }),
            _ => Ok(()),
        }
    }

    /// The next place from this one on with a sound record; only records with which a write starts, if
    /// `starts`.
    pub fn sound_after(&self, offset: u64, starts: bool) -> Option<u64> {
        let mut input = self.from(offset, 1 << 16);
        let mut head = [0; 8];
        input.read_exact(&mut head).ok()?;
        let mut place = offset;
        loop {
            if let Some((_, is_start)) = frames::head(head, place, self.version)
                && (is_start || !starts)
                && self.read_bytes(place).is_ok()
            {
                return Some(place);
            }
            head.rotate_left(1);
            input.read_exact(&mut head[7..]).ok()?;
            place += 1;
        }
    }
}

/// The number of a journal by the name of its file.
pub(crate) fn generation_of(name: &OsStr) -> Option<u64> {
    let number = name.to_str()?.strip_prefix("journal-")?.strip_suffix(".log")?;
    number.parse().ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: Identity = Identity { features: 1, bits: 20, seed: 7, generation: 1 };

    fn create(folder: &Path) -> Journal {
        seed::write(folder, IDENTITY.seed).unwrap();
        Journal::create(folder, IDENTITY).unwrap()
    }

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
        let mut journal = create(folder.path());
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
            let mut journal = Journal::open(folder.path(), 1).unwrap();
            let there = offsets.iter().filter(|offset| **offset + 33 <= end as u64).count();
            assert_eq!(records(&journal).unwrap(), written[..there], "cut at {end}");
            let sound = Journal::start() + 33 * there as u64;
            assert_eq!(journal.cut(sound).unwrap(), end as u64 - sound);
            assert_eq!(std::fs::metadata(&path).unwrap().len(), sound);
        }
    }

    /// Two writes of three records each: damage in the first one is an error, and the second one is
    /// skipped from the first record on that is not sound.
    #[test]
    fn every_changed_byte_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = create(folder.path());
        let mut ends = vec![HEADER];
        for digest in 0..6 {
            journal.push(&Record::Forget([digest; 16]));
            ends.push(journal.end() as usize);
            if digest % 3 == 2 {
                journal.commit().unwrap();
            }
        }
        let path = journal.path().to_owned();
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            std::fs::write(&path, &bytes).unwrap();
            let journal = Journal::open(folder.path(), 1);
            let found = journal.as_ref().map_err(|_| ()).and_then(|j| records(j).map_err(drop));
            if at < ends[3] {
                assert!(found.is_err(), "changed at {at}");
                continue;
            }
            let sound = ends.iter().filter(|end| **end <= at).count() - 1;
            assert_eq!(found.unwrap().len(), sound, "changed at {at}");
            assert!(journal.unwrap().check_end(ends[sound] as u64).is_err(), "changed at {at}");
        }
    }

    #[test]
    fn sound_records_are_found_behind_others() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = create(folder.path());
        let mut offsets = Vec::new();
        for digest in 0..4 {
            offsets.push(journal.push(&Record::Forget([digest; 16])));
            if digest == 1 {
                journal.commit().unwrap();
            }
        }
        journal.commit().unwrap();
        assert_eq!(journal.sound_after(offsets[0], false), Some(offsets[0]));
        assert_eq!(journal.sound_after(offsets[0] + 1, false), Some(offsets[1]));
        assert_eq!(journal.sound_after(offsets[0] + 1, true), Some(offsets[2]));
        assert_eq!(journal.sound_after(offsets[2] + 1, true), None);
        assert_eq!(journal.sound_after(offsets[2] + 1, false), Some(offsets[3]));
    }

    #[test]
    fn a_journal_without_its_seed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        drop(create(folder.path()));
        seed::write(folder.path(), 8).unwrap();
        let other = Journal::open(folder.path(), 1).unwrap_err().to_string();
        assert!(other.contains("another store"), "{other}");
        std::fs::remove_file(folder.path().join(seed::NAME)).unwrap();
        let missing = Journal::open(folder.path(), 1).unwrap_err().to_string();
        assert!(missing.contains("the seed is missing"), "{missing}");
    }
}
