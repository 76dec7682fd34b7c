//! Cutting a stream into rows, whose bytes stay together.

use super::super::Reading;
use crate::blocks::BLOCK;
use crate::stream::Stream;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use std::io::{self, Read};

/// The most fields of a record; one with more is too long.
const MAX_FIELDS: usize = 1 << 16;

/// The fields of a row.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Fields<'a> {
    pub(super) const fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, place: usize) -> Option<&'a [u8]> {
        let end = *self.ends.get(place)?;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        Some(&self.bytes[start..end])
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).filter_map(|place| self.get(place))
    }
}

/// What the scanner found. The bytes one after the other are the file.
pub(super) enum Scanned<'a> {
    Record {
        raw: &'a [u8],
        fields: Fields<'a>,
    },
    /// The start of a record that is too long.
    Long(&'a [u8]),
    /// More of it, or what follows the last record.
    More(&'a [u8]),
    End,
}

/// Cuts a stream into records.
pub(super) struct Scanner<'s> {
    stream: &'s mut Stream,
    parser: Reader,
    longest: usize,
    buffer: Vec<u8>,
    /// Where the current record starts in the buffer, how far it is parsed, and how far there
    /// are bytes.
    start: usize,
    parsed: usize,
    filled: usize,
    fields: Vec<u8>,
    ends: Vec<usize>,
    is_long: bool,
    has_ended: bool,
}

impl<'s> Scanner<'s> {
    pub(super) fn new(stream: &'s mut Stream, delimiter: u8, reading: &Reading) -> Self {
        Self {
            stream,
            parser: ReaderBuilder::new().delimiter(delimiter).quoting(reading.quotes).build(),
            longest: reading.longest.0,
            buffer: vec![0; BLOCK],
            start: 0,
            parsed: 0,
            filled: 0,
            fields: vec![0; BLOCK],
            ends: vec![0; 64],
            is_long: false,
            has_ended: false,
        }
    }

    /// The line of what comes next.
    pub(super) fn line(&self) -> u64 {
        self.parser.line()
    }

    pub(super) fn next(&mut self) -> io::Result<Scanned<'_>> {
        let (mut wrote, mut ended) = (0, 0);
        loop {
            if self.parsed == self.filled && !self.has_ended {
                let parsed = self.parsed - self.start;
                if self.is_long || parsed > self.longest.saturating_add(2) {
                    // In parts from here on: hand out what there is and go on behind it.
                    if parsed > 0 {
                        return Ok(self.hand_out_part());
                    }
                }
                self.refill()?;
            }
            let (result, read, text, ends) = self.parser.read_record(
                &self.buffer[self.parsed..self.filled],
                &mut self.fields[wrote..],
                &mut self.ends[ended..],
            );
            self.parsed += read;
            wrote += text;
            ended += ends;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.is_long => wrote = 0,
                ReadRecordResult::OutputFull => {
                    let size = self.grown(self.fields.len());
                    self.fields.resize(size, 0);
                }
                ReadRecordResult::OutputEndsFull if self.is_long => ended = 0,
                ReadRecordResult::OutputEndsFull if self.ends.len() >= MAX_FIELDS => {
                    return Ok(self.hand_out_part());
                }
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => {
                    self.take_line_feed()?;
                    let raw = self.start..self.parsed;
                    self.start = self.parsed;
                    if self.is_long {
                        self.is_long = false;
                        return Ok(Scanned::More(&self.buffer[raw]));
                    }
                    if raw.len() > self.longest.saturating_add(2) {
                        return Ok(Scanned::Long(&self.buffer[raw]));
                    }
                    let fields = Fields { bytes: &self.fields[..wrote], ends: &self.ends[..ended] };
                    return Ok(Scanned::Record { raw: &self.buffer[raw], fields });
                }
                ReadRecordResult::End => {
                    let rest = self.start..self.parsed;
                    self.start = self.parsed;
                    return Ok(if rest.is_empty() {
                        Scanned::End
                    } else {
                        Scanned::More(&self.buffer[rest])
                    });
                }
            }
        }
    }

    /// The next size of a buffer: doubled as long as a record may need that much.
    fn grown(&self, size: usize) -> usize {
        (2 * size).min(self.longest.saturating_add(3)).max(size + 1)
    }

    fn hand_out_part(&mut self) -> Scanned<'_> {
        let raw = &self.buffer[self.start..self.parsed];
        self.start = self.parsed;
        let is_first = !std::mem::replace(&mut self.is_long, true);
        if is_first { Scanned::Long(raw) } else { Scanned::More(raw) }
    }

    /// The parser ends a record at CR and takes a following LF for the start of the next one.
    fn take_line_feed(&mut self) -> io::Result<()> {
        if self.buffer[..self.parsed].last() != Some(&b'\r') {
            return Ok(());
        }
        if self.parsed == self.filled && !self.has_ended {
            self.refill()?;
        }
        if self.buffer[self.parsed..self.filled].first() == Some(&b'\n') {
            self.parsed += 1;
            self.parser.set_line(self.parser.line() + 1);
        }
        Ok(())
    }

    /// Reads more behind what is there, which moves to the front.
    fn refill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.parsed -= self.start;
        self.filled -= self.start;
        self.start = 0;
        if self.filled == self.buffer.len() {
            let size = self.grown(self.filled);
            self.buffer.resize(size, 0);
        }
        loop {
            match self.stream.read(&mut self.buffer[self.filled..]) {
                Ok(read) => {
                    self.filled += read;
                    self.has_ended = read == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Limit;
    use super::*;
    use crate::text::Encoding;

    /// Gives at most `size` bytes at a time.
    struct Pieces(Vec<u8>, usize);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let size = self.1.min(buffer.len()).min(self.0.len());
            buffer[..size].copy_from_slice(&self.0[..size]);
            self.0.drain(..size);
            Ok(size)
        }
    }

    /// The rows as their line, bytes and fields; what is no row has no fields.
    fn rows(content: &[u8], pieces: usize, longest: usize) -> Vec<(u64, Vec<u8>, Vec<Vec<u8>>)> {
        let (encoding, longest) = (Encoding::Detect, Limit(longest));
        let reading = Reading { encoding, longest, quotes: true, header: true, split: false };
        let mut stream = Stream::new(Box::new(Pieces(content.to_vec(), pieces)), 0).unwrap();
        let mut scanner = Scanner::new(&mut stream, b',', &reading);
        let mut rows = Vec::new();
        loop {
            let line = scanner.line();
            match scanner.next().unwrap() {
                Scanned::Record { raw, fields } => {
                    rows.push((line, raw.to_vec(), fields.all().map(<[u8]>::to_vec).collect()));
                }
                Scanned::Long(raw) | Scanned::More(raw) => {
                    rows.push((line, raw.to_vec(), Vec::new()));
                }
                Scanned::End => return rows,
            }
        }
    }

    #[test]
    fn rows_are_the_same_however_they_arrive() {
        let content = b"a,b\r\n\"x\r\n\"\"y\"\"\",z\r\n\nlast\r\"q\"\r\n1,2\n\"open,\n";
        let fields = |fields: &[&str]| fields.iter().map(|f| f.as_bytes().to_vec()).collect();
        let expected: Vec<(u64, Vec<u8>, Vec<Vec<u8>>)> = vec![
            (1, b"a,b\r\n".to_vec(), fields(&["a", "b"])),
            (2, b"\"x\r\n\"\"y\"\"\",z\r\n".to_vec(), fields(&["x\r\n\"y\"", "z"])),
            (4, b"\nlast\r".to_vec(), fields(&["last"])),
            (5, b"\"q\"\r\n".to_vec(), fields(&["q"])),
            (6, b"1,2\n".to_vec(), fields(&["1", "2"])),
            (7, b"\"open,\n".to_vec(), fields(&["open,\n"])),
        ];
        for pieces in 1..=content.len() {
            assert_eq!(rows(content, pieces, 100), expected, "pieces of {pieces}");
        }
    }

    #[test]
    fn rows_with_too_many_fields_are_too_long() {
        let many = vec![b','; MAX_FIELDS];
        let content = [b"a\n", &many[..], b"\nb\n"].concat();
        let found = rows(&content, usize::MAX, 1 << 20);
        assert!(found.iter().flat_map(|(_, raw, _)| raw).eq(&content));
        assert_eq!(found.iter().filter(|(_, _, fields)| !fields.is_empty()).count(), 2);
        let just_right = [b"a\n", &many[1..], b"\nb\n"].concat();
        assert_eq!(rows(&just_right, usize::MAX, 1 << 20)[1].2.len(), MAX_FIELDS);
    }
}
