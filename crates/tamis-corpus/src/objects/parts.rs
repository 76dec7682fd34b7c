//! An object from its start, in parts: one that is read, and one that is on its way.

use super::object::{Fetch, Object};
use bytes::{Buf, Bytes};
use std::io::{self, Read};

/// The sizes of the first parts; whoever only looks at an object reads no more than the first.
const FIRST: [u64; 2] = [64 << 10, 1 << 20];

/// The size of all others.
const PART: u64 = 4 << 20;

/// Reads an object.
#[derive(Debug)]
pub(super) struct Parts {
    object: Object,
    /// What is left of the part that is read.
    here: Bytes,
    next: Option<Fetch>,
    /// Where the next part ends that nobody has asked for.
    asked: u64,
    /// How many parts were asked for.
    count: usize,
}

impl Parts {
    pub(super) const fn new(object: Object) -> Self {
        Self { object, here: Bytes::new(), next: None, asked: 0, count: 0 }
    }

    fn ask(&mut self) -> Option<Fetch> {
        let start = self.asked;
        if start >= self.object.size() {
            return None;
        }
        let part = FIRST.get(self.count).copied().unwrap_or(PART);
        self.asked = self.object.size().min(start + part);
        self.count += 1;
        Some(self.object.fetch(start..self.asked))
    }
}

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.here.is_empty() && !buffer.is_empty() {
            let Some(fetch) = self.next.take().or_else(|| self.ask()) else { return Ok(0) };
            if self.count > 1 {
                self.next = self.ask();
            }
            self.here = self.object.finish(fetch)?;
        }
        let size = buffer.len().min(self.here.len());
        self.here.copy_to_slice(&mut buffer[..size]);
        Ok(size)
    }
}
