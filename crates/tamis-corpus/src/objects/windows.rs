//! An object at any offset: windows on it, each wandering through a region.
//!
//! A region is what is read from its start to its end, such as the chunk of a column. Regions are
//! read side by side, so each has a window of its own, which asks for the next bytes of its
//! region before they are needed. What lies in no known region is fetched as it is needed.

use super::object::{Fetch, Object};
use bytes::{Buf, Bytes, BytesMut};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many bytes are fetched at once.
const WINDOW: u64 = 2 << 20;

/// The end of a file, where Parquet and Arrow keep what is in it.
const TAIL: u64 = 64 << 10;

/// How many windows are kept: those of the columns that are read side by side.
const WINDOWS: usize = 8;

/// Windows on an object.
#[derive(Debug, Clone)]
pub(crate) struct Windows(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    object: Object,
    /// What is read from its start to its end, in order.
    regions: OnceLock<Vec<Range<u64>>>,
    /// The one that was used last comes last.
    windows: Mutex<Vec<Window>>,
}

#[derive(Debug)]
struct Window {
    region: Range<u64>,
    start: u64,
    bytes: Bytes,
    next: Option<Fetch>,
}

impl Window {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl Windows {
    pub(super) fn new(object: Object) -> Self {
        let (regions, windows) = (OnceLock::new(), Mutex::default());
        Self(Arc::new(Inner { object, regions, windows }))
    }

    /// A reader at the start.
    pub(crate) fn reader(self) -> WindowsReader {
        WindowsReader { windows: self, position: 0, here: Bytes::new() }
    }

    /// How many bytes the object has.
    pub(crate) fn size(&self) -> u64 {
        self.0.object.size()
    }

    /// Says which regions are read from start to end; those that are known already stay.
    pub(crate) fn know(&self, mut regions: Vec<Range<u64>>) {
        regions.sort_unstable_by_key(|region| region.start);
        self.0.regions.set(regions).ok();
    }

    /// The region of an offset, and whether it is a known one.
    fn region(&self, start: u64) -> (Range<u64>, bool) {
        let size = self.size();
        let known = self.0.regions.get().and_then(|regions| {
            let place = regions.partition_point(|region| region.start <= start);
            let region = regions.get(place.checked_sub(1)?)?;
            (start < region.end && region.end <= size).then(|| region.clone())
        });
        match known {
            Some(region) => (region, true),
            None if start >= size.saturating_sub(TAIL) => (size.saturating_sub(TAIL)..size, false),
            None => (start..size, false),
        }
    }

    /// These bytes, which lie in the object.
    fn bytes(&self, wanted: Range<u64>) -> io::Result<Bytes> {
        if wanted.end > self.size() || wanted.start > wanted.end {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut windows = self.0.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let found = windows.iter().position(|window| {
            (window.start..window.end()).contains(&wanted.start)
                || (window.next.is_some() && window.end() == wanted.start)
        });
        let mut window = match found {
            Some(place) => windows.remove(place),
            None => {
                let (region, is_known) = self.region(wanted.start);
                // The tail is fetched whole.
                let start = if is_known { wanted.start } else { region.start };
                Window { region, start, bytes: Bytes::new(), next: None }
            }
        };
        if window.end() < wanted.end {
            self.extend(&mut window, &wanted)?;
        }
        let offset = (wanted.start - window.start) as usize;
        let bytes = window.bytes.slice(offset..offset + (wanted.end - wanted.start) as usize);
        windows.push(window);
        if windows.len() > WINDOWS {
            windows.remove(0);
        }
        Ok(bytes)
    }

    /// The first of these bytes, at least one: as many as there are without waiting.
    fn some(&self, wanted: Range<u64>) -> io::Result<Bytes> {
        let windows = self.0.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let found = windows.iter().find(|it| (it.start..it.end()).contains(&wanted.start));
        let end = match found {
            Some(window) => window.end().min(wanted.end),
            None => self.region(wanted.start).0.end.min(wanted.end),
        };
        drop(windows);
        self.bytes(wanted.start..end)
    }

    /// Moves a window on, so that it holds what is wanted.
    fn extend(&self, window: &mut Window, wanted: &Range<u64>) -> io::Result<()> {
        let object = &self.0.object;
        let start = wanted.start.min(window.end()).max(window.start);
        let left = window.bytes.slice((start - window.start) as usize..);
        let mut end = window.end();
        let mut parts = vec![left];
        while end < wanted.end {
            let fetch = match window.next.take() {
                Some(fetch) => fetch,
                None => object.fetch(end..self.end_of(end, wanted.end, &window.region)),
            };
            let bytes = object.finish(fetch)?;
            end += bytes.len() as u64;
            parts.push(bytes);
        }
        let is_known = self.region(window.region.start).1;
        if is_known && end < window.region.end {
            let next = self.end_of(end, end, &window.region);
            window.next = Some(object.fetch(end..next));
        }
        parts.retain(|part| !part.is_empty());
        window.start = start;
        window.bytes = match parts.len() {
            1 => parts.remove(0),
            _ => {
                let mut joined = BytesMut::with_capacity((end - start) as usize);
                parts.iter().for_each(|part| joined.extend_from_slice(part));
                joined.freeze()
            }
        };
        Ok(())
    }

    /// Where a fetch ends.
    fn end_of(&self, start: u64, wanted: u64, region: &Range<u64>) -> u64 {
        (start + WINDOW).min(region.end).max(wanted)
    }
}

/// Reads an object from any offset.
#[derive(Debug)]
pub(crate) struct WindowsReader {
    windows: Windows,
    position: u64,
    /// What was fetched at the position.
    here: Bytes,
}

impl WindowsReader {
    pub(crate) fn windows(&self) -> Windows {
        self.windows.clone()
    }
}

/// What is taken from a window at once.
const STEP: u64 = 64 << 10;

impl Read for WindowsReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.here.is_empty() {
            let start = self.position;
            let end = self.windows.size().min(start + STEP);
            if start >= end || buffer.is_empty() {
                return Ok(0);
            }
            self.here = self.windows.some(start..end)?;
        }
        let size = buffer.len().min(self.here.len());
        self.here.copy_to_slice(&mut buffer[..size]);
        self.position += size as u64;
        Ok(size)
    }
}

impl Seek for WindowsReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(by) => self.windows.size().checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        self.here = Bytes::new();
        Ok(self.position)
    }
}

impl parquet::file::reader::Length for Windows {
    fn len(&self) -> u64 {
        self.size()
    }
}

impl parquet::file::reader::ChunkReader for Windows {
    type T = WindowsReader;

    fn get_read(&self, start: u64) -> parquet::errors::Result<WindowsReader> {
        Ok(WindowsReader { windows: self.clone(), position: start, here: Bytes::new() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let end = start.checked_add(length as u64).ok_or(io::ErrorKind::UnexpectedEof);
        Ok(self.bytes(start..end.map_err(io::Error::from)?)?)
    }
}
