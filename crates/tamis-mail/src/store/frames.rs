//! How records stand in a journal: each with its length and two checksums.
//!
//! ```text
//! 4  length        of the record; in version 3, bit 31 marks the first record of a write
//! 4  check         the low half of XXH3-64, seeded with the offset, of the four bytes before
//!    record
//! 8  checksum      XXH3-64, seeded with the offset, of the record
//! ```
//!
//! A write starts only after the write before it was brought to disk. Where a record is not sound and
//! no later write starts, a write was interrupted, and nobody was told that it is safe: it is *torn*.
//! Where a later write starts, the file was damaged afterwards.

use std::io::Read;
use tamis::hash::KeyHash;

/// Bytes around a record: its length, the check of that, and its checksum.
pub(super) const AROUND: u64 = 16;

/// The longest record: a message has at most as many features as [`crate::features::MOST`], of five bytes.
pub(super) const LONGEST: u32 = 64 << 20;

/// Marks the first record of a write.
const STARTS: u32 = 1 << 31;

/// The version in which the first record of a write is marked.
const MARKED: u16 = 3;

/// What stands at a place of a journal.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A sound record, and whether a write starts with it.
    Record(Vec<u8>, bool),
    /// The end of the file, perhaps within a record.
    End,
    /// Something else.
    Broken(&'static str),
}

/// Appends the frame of a record at this offset; `starts` marks the first record of a write.
pub(super) fn append(out: &mut Vec<u8>, offset: u64, record: &[u8], starts: bool) {
    let length = record.len() as u32 | if starts { STARTS } else { 0 };
    let length = length.to_le_bytes();
    out.extend_from_slice(&length);
    out.extend_from_slice(&check(offset, length));
    out.extend_from_slice(record);
    out.extend_from_slice(&KeyHash::new(offset).bytes(record).to_le_bytes());
}

fn check(offset: u64, length: [u8; 4]) -> [u8; 4] {
    (KeyHash::new(offset).bytes(&length) as u32).to_le_bytes()
}

/// The length of the record that starts with these bytes, and whether a write starts with it.
pub(super) fn head(head: [u8; 8], offset: u64, version: u16) -> Option<(usize, bool)> {
    let bytes = [head[0], head[1], head[2], head[3]];
    let length = u32::from_le_bytes(bytes);
    let (length, starts) = match version {
        MARKED.. => (length & !STARTS, length & STARTS != 0),
        _ => (length, true),
    };
    let is_sound = length <= LONGEST && head[4..] == check(offset, bytes);
    is_sound.then_some((length as usize, starts))
}

/// Reads the next record.
pub(super) fn next(input: &mut impl Read, offset: u64, version: u16) -> Next {
    let mut start = [0; 8];
    match fill(input, &mut start) {
        Some(true) => {}
        Some(false) => return Next::End,
        None => return Next::Broken("it cannot be read"),
    }
    // A file system may leave zeros where it did not come to write.
    if start == [0; 8] && version < MARKED {
        return Next::End;
    }
    let Some((length, starts)) = head(start, offset, version) else {
        return Next::Broken("the length of a record is not what was written");
    };
    let mut record = vec![0; length + 8];
    match fill(input, &mut record) {
        Some(true) => {}
        Some(false) => return Next::End,
        None => return Next::Broken("it cannot be read"),
    }
    let checksum = record.split_off(length);
    match KeyHash::new(offset).bytes(&record).to_le_bytes() == *checksum {
        true => Next::Record(record, starts),
        false => Next::Broken("a record is not what was written"),
    }
}

/// Fills a buffer; false at the end of the file, none if it cannot be read.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> Option<bool> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => return Some(false),
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(true)
}
