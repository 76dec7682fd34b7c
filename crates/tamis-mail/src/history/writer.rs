//! The process that writes.

use super::entry::{Correction, Entry, Subjects};
use super::segment::{DAY, Segment, day_of, list};
use super::{Page, Wanted, search};
use crate::identity;
use crate::store::private;
use crate::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The smallest and the largest size at which a segment ends.
const SEGMENT: std::ops::RangeInclusive<u64> = 16 << 10..=4 << 20;

/// Parts of the whole room: so much at most is lost when the oldest segment goes.
const PARTS: u64 = 16;

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How long entries are kept.
    pub days: u64,
    /// Maximum size of all files.
    pub bytes: u64,
    /// What is written of subjects.
    pub subjects: Subjects,
}

/// A history that is written.
#[derive(Debug)]
pub struct History {
    folder: PathBuf,
    settings: Settings,
    seed: u64,
    writer: Mutex<Writer>,
    /// Locked as long as this lives.
    _lock: File,
}

#[derive(Debug)]
struct Writer {
    segments: Vec<Segment>,
    /// The last segment, open for appending.
    file: Option<File>,
    /// Its size: where the last whole line ends.
    size: u64,
    /// Whether there is a part of a line after that.
    torn: bool,
    /// The size of all earlier segments.
    earlier: u64,
    next: u64,
}

impl History {
    /// Opens a history for writing; creates it unless it is there.
    ///
    /// # Errors
    /// [`Error::HistoryInUse`] if another process writes it, or what the system says.
    pub fn open(folder: &Path, settings: Settings, now: u64) -> Result<Self> {
        private::create_folder(folder)?;
        let name = folder.join("lock");
        let lock = private::open_or_create(&name)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::HistoryInUse { name: folder.to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(Error::Read { name, source }),
        }
        let seed = seed_in(folder)?.map_or_else(|| new_seed(folder), Ok)?;
        let segments = list(folder)?;
        let mut writer = Writer { segments, file: None, size: 0, torn: false, earlier: 0, next: 1 };
        writer.resume()?;
        let writer = Mutex::new(writer);
        let history = Self { folder: folder.to_owned(), settings, seed, writer, _lock: lock };
        history.expire(now)?;
        Ok(history)
    }

    /// The number of the next verdict.
    #[must_use]
    pub fn next_id(&self) -> u64 {
        self.lock().next
    }

    /// The seed of the hashes of messages and subjects.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Appends a verdict, whose number must be larger than those of all earlier ones.
    ///
    /// # Errors
    /// What the system says. The next call tries again.
    pub fn append(&self, entry: &Entry) -> Result<()> {
        let line = entry.with_subject(self.settings.subjects, self.seed);
        let mut writer = self.lock();
        self.write(&mut writer, &line, entry.time, entry.id)
    }

    /// Appends a correction: the message was taught a label, or forgotten.
    ///
    /// # Errors
    /// What the system says.
    pub fn correct(
        &self,
        user: Option<&str>,
        message: &str,
        taught: Option<&str>,
        time: u64,
    ) -> Result<()> {
        let owned = |text: &str| text.to_owned();
        let (taught, user, message) = (taught.map(owned), user.map(owned), owned(message));
        let mut writer = self.lock();
        let id = writer.next;
        self.write(&mut writer, &Correction { taught, id, time, user, message }, time, id)
    }

    /// The newest entries that fulfil a filter: see [`search()`].
    ///
    /// # Errors
    /// What the system says.
    pub fn search(&self, filter: &Wanted, before: Option<u64>, most: usize) -> Result<Page> {
        search(&self.folder, filter, before, most)
    }

    /// Removes what is older than the days that are kept.
    ///
    /// # Errors
    /// What the system says.
    pub fn expire(&self, now: u64) -> Result<()> {
        self.lock().expire(&self.settings, now)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(
        &self,
        writer: &mut Writer,
        line: &impl serde::Serialize,
        time: u64,
        id: u64,
    ) -> Result<()> {
        let mut bytes = Vec::with_capacity(1024);
        serde_json::to_writer(&mut bytes, line).map_err(|error| self.failed(error.into()))?;
        bytes.push(b'\n');
        let is_full = writer.size + bytes.len() as u64 > self.segment_size();
        let fits = writer.segments.last().is_some_and(|last| {
            // The names of two segments differ by the number of their first line.
            id <= last.first || last.day == day_of(time) && !is_full
        });
        if !fits {
            writer.expire(&self.settings, time)?;
            writer.make_room(self.settings.bytes, self.segment_size())?;
            writer.start(Segment::new(&self.folder, id, day_of(time)))?;
        }
        writer.append(&bytes).map_err(|source| self.failed(source))?;
        writer.next = writer.next.max(id + 1);
        Ok(())
    }

    fn segment_size(&self) -> u64 {
        (self.settings.bytes / PARTS).clamp(*SEGMENT.start(), *SEGMENT.end())
    }

    fn failed(&self, source: io::Error) -> Error {
        tamis_corpus::Error::Write { name: self.folder.clone(), source }.into()
    }
}

impl Writer {
    /// Continues the last segment.
    fn resume(&mut self) -> Result<()> {
        for segment in &self.segments {
            let failed = |source| Error::Read { name: segment.path.clone(), source };
            self.earlier += fs::symlink_metadata(&segment.path).map_err(failed)?.len();
        }
        let Some(last) = self.segments.last() else { return Ok(()) };
        let failed = |source| Error::Read { name: last.path.clone(), source };
        let file = private::open_to_append(&last.path)?;
        let found = file.metadata().map_err(failed)?.len();
        self.earlier -= found;
        let (id, end) = super::search::end_of(&last.path)?;
        self.next = id.map_or(last.first, |id| id + 1);
        // What is behind the last whole line was being written when something ended the process.
        (self.size, self.torn) = (end, end < found);
        self.file = Some(file);
        Ok(())
    }

    /// Removes what is older than the days that are kept.
    fn expire(&mut self, settings: &Settings, now: u64) -> Result<()> {
        let oldest = day_of(now.saturating_sub(settings.days.saturating_mul(DAY)));
        let old = self.segments.iter().take_while(|segment| segment.day < oldest).count();
        self.remove(old)?;
        self.make_room(settings.bytes, 0)
    }

    fn start(&mut self, segment: Segment) -> Result<()> {
        let file = private::open_or_create(&segment.path)?;
        self.earlier += self.size;
        (self.file, self.size, self.torn) = (Some(file), 0, false);
        self.segments.push(segment);
        Ok(())
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::NotFound.into()) };
        if self.torn {
            file.set_len(self.size)?;
        }
        self.torn = true;
        file.write_all(line)?;
        (self.size, self.torn) = (self.size + line.len() as u64, false);
        Ok(())
    }

    /// Removes the oldest segments.
    fn remove(&mut self, count: usize) -> Result<()> {
        for _ in 0..count.min(self.segments.len()) {
            let segment = self.segments.remove(0);
            if self.segments.is_empty() {
                (self.file, self.size) = (None, 0);
            } else {
                let size = fs::symlink_metadata(&segment.path).map_or(0, |found| found.len());
                self.earlier = self.earlier.saturating_sub(size);
            }
            if let Err(source) = fs::remove_file(&segment.path)
                && source.kind() != io::ErrorKind::NotFound
            {
                return Err(tamis_corpus::Error::Write { name: segment.path, source }.into());
            }
        }
        Ok(())
    }

    /// Removes the oldest segments until there is room for `more` bytes.
    fn make_room(&mut self, most: u64, more: u64) -> Result<()> {
        while self.segments.len() > 1 && self.earlier + self.size + more > most {
            self.remove(1)?;
        }
        Ok(())
    }
}

/// Which message it is: its [identity](crate::identity) under the seed of a history.
#[must_use]
pub fn message_id(raw: &[u8], seed: u64) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(32);
    for byte in identity::of(raw, seed) {
        write!(text, "{byte:02x}").unwrap_or_default();
    }
    text
}

/// The seed of a history; none if it has none yet.
pub(super) fn seed_in(folder: &Path) -> Result<Option<u64>> {
    let name = folder.join("seed");
    let mut text = String::new();
    match private::open(&name) {
        Ok(file) => file
            .take(64)
            .read_to_string(&mut text)
            .map_err(|source| Error::Read { name: name.clone(), source })?,
        Err(Error::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let seed = u64::from_str_radix(text.trim(), 16);
    seed.map(Some).map_err(|_| Error::Damaged { name, at: 0, what: "it is no seed" })
}

fn new_seed(folder: &Path) -> Result<u64> {
    let (name, seed) = (folder.join("seed"), crate::store::random_seed());
    private::write(&name, |out| {
        let written = writeln!(out, "{seed:016x}");
        written.map_err(|source| tamis_corpus::Error::Write { name: name.clone(), source }.into())
    })?;
    Ok(seed)
}
