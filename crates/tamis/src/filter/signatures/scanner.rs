//! Searching a stream, piece by piece.

use super::SignatureFilter;
use super::window::{Bits, MAX_WINDOW, set};
use crate::memory::Storage;
use crate::prelude::*;
use core::fmt;

/// How many starts are tried before those that passed are looked at.
const STRETCH: usize = 1 << 13;

/// Words of the coarse array: 16 KiB.
const COARSE_WORDS: usize = 1 << 11;

/// A place where a signature probably stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit<'a> {
    /// Where it starts, from the beginning of the stream.
    pub offset: u64,
    /// What stands there, as long as the signature.
    pub bytes: &'a [u8],
}

/// Searches one stream that is given in pieces of any size.
///
/// ```
/// use tamis::filter::signatures::Scanner;
/// use tamis::filter::SignatureFilter;
/// use tamis::hash::KeyHash;
///
/// let filter = SignatureFilter::build(&["needle"], 0.001, KeyHash::default())?;
/// let mut scanner = Scanner::new(&filter);
/// let mut found = Vec::new();
/// scanner.push(b"a haystack with a nee", |hit| found.push(hit.offset));
/// scanner.push(b"dle in it", |hit| found.push(hit.offset));
/// scanner.finish(|hit| found.push(hit.offset));
/// assert_eq!(found, [18]);
/// # Ok::<(), tamis::Error>(())
/// ```
pub struct Scanner<'a, S> {
    filter: &'a SignatureFilter<S>,
    /// What was given and not searched yet, because a signature might go on.
    rest: Vec<u8>,
    /// Where in the stream `rest` starts.
    offset: u64,
    /// The window array with stretches of its bits joined into one, so small that it stays in
    /// the first-level cache: what it does not have, the window array does not have either.
    coarse: Vec<u64>,
    /// Starts that passed the coarse array, with the hash of their window.
    room: Vec<(u32, u64)>,
}

impl<S: Storage> fmt::Debug for Scanner<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { filter, offset, .. } = self;
        f.debug_struct("Scanner").field("filter", filter).field("offset", offset).finish()
    }
}

impl<'a, S: Storage> Scanner<'a, S> {
    /// At the start of a stream.
    #[must_use]
    pub fn new(filter: &'a SignatureFilter<S>) -> Self {
        let windows = filter.window_bits();
        let scale = 64 - windows.len().trailing_zeros();
        let mut coarse = vec![0; COARSE_WORDS.min((windows.len() / 64) as usize)];
        for place in windows.places() {
            set(&mut coarse, place << scale);
        }
        Self { filter, rest: Vec::new(), offset: 0, coarse, room: vec![(0, 0); STRETCH + 1] }
    }

    /// Searches the next piece of the stream; calls `found` in the order of the offsets, and
    /// of the lengths at each.
    pub fn push(&mut self, piece: &[u8], mut found: impl FnMut(Hit<'_>)) {
        let longest = self.filter.lengths.last().map_or(1, |&length| length as usize);
        if self.rest.is_empty() {
            let searched = piece.len().saturating_sub(longest - 1);
            self.search(piece, searched, &mut found);
            self.offset += searched as u64;
            self.rest.extend_from_slice(&piece[searched..]);
            return;
        }
        // The seam: the old rest with as much of the piece as its signatures can reach.
        let seam = piece.len().min(longest - 1);
        let mut bytes = core::mem::take(&mut self.rest);
        let old = bytes.len();
        bytes.extend_from_slice(&piece[..seam]);
        let searched = bytes.len().saturating_sub(longest - 1).min(old);
        self.search(&bytes, searched, &mut found);
        self.offset += searched as u64;
        if searched < old {
            bytes.drain(..searched);
            bytes.extend_from_slice(&piece[seam..]);
            self.rest = bytes;
            if self.rest.len() >= 2 * longest {
                let again = core::mem::take(&mut self.rest);
                self.push(&again, found);
            }
        } else {
            self.push(piece, found);
        }
    }

    /// Searches what is left at the end of the stream.
    pub fn finish(mut self, mut found: impl FnMut(Hit<'_>)) {
        let rest = core::mem::take(&mut self.rest);
        self.search(&rest, rest.len(), &mut found);
    }

    /// Looks for signatures that start in the first `starts` bytes.
    fn search(&mut self, bytes: &[u8], starts: usize, found: &mut impl FnMut(Hit<'_>)) {
        let (window, windows) = (&self.filter.window, self.filter.window_bits());
        let Some(last) = bytes.len().checked_sub(window.length()) else { return };
        let starts = starts.min(last + 1);
        // A start is tried by reading eight bytes; the last ones have fewer.
        let whole = starts.min((bytes.len() + 1).saturating_sub(MAX_WINDOW));
        for first in (0..whole).step_by(STRETCH) {
            let here = (whole - first).min(STRETCH);
            let count = self.try_windows(&bytes[first..][..here + MAX_WINDOW - 1]);
            for &(start, hash) in &self.room[..count] {
                if windows.get(hash) == 1 {
                    self.look(bytes, first + start as usize, found);
                }
            }
        }
        for start in whole..starts {
            if windows.get(window.of_slice(&bytes[start..])) == 1 {
                self.look(bytes, start, found);
            }
        }
    }

    /// Tries every window of eight bytes against the coarse array; returns how many starts are
    /// in the room.
    ///
    /// Each start is written down whether it passes or not, and the place for the next one moves
    /// only if it does: there is no branch to be mispredicted.
    fn try_windows(&mut self, bytes: &[u8]) -> usize {
        let coarse = Bits::new(&self.coarse);
        let window = self.filter.window.clone();
        let room = &mut self.room[..];
        let mut count = 0;
        for (start, bytes) in bytes.windows(MAX_WINDOW).enumerate() {
            let Some(bytes) = bytes.first_chunk() else { continue };
            let hash = window.of(*bytes);
            room[count] = (start as u32, hash);
            count += coarse.get(hash);
        }
        count
    }

    /// Asks for each length at a place that passed the window.
    #[cold]
    #[inline(never)]
    fn look(&self, bytes: &[u8], start: usize, found: &mut impl FnMut(Hit<'_>)) {
        for &length in &self.filter.lengths {
            let Some(bytes) = bytes.get(start..start + length as usize) else { break };
            if self.filter.contains(bytes) {
                found(Hit { offset: self.offset + start as u64, bytes });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::KeyHash;

    /// Where the signatures stand, by looking everywhere.
    fn naive(signatures: &[&[u8]], stream: &[u8]) -> Vec<(u64, Vec<u8>)> {
        let mut hits = Vec::new();
        for start in 0..stream.len() {
            let mut here: Vec<&[u8]> =
                signatures.iter().copied().filter(|s| stream[start..].starts_with(s)).collect();
            here.sort_by_key(|s| s.len());
            here.dedup();
            hits.extend(here.into_iter().map(|s| (start as u64, s.to_vec())));
        }
        hits
    }

    #[test]
    fn every_occurrence_is_found_whatever_the_pieces() {
        let signatures: [&[u8]; 5] = [b"abca", b"abcab", b"bcabcabc", b"\0\0\0\0", b"cabcab"];
        let filter = SignatureFilter::build(&signatures, 0.001, KeyHash::new(9)).unwrap();
        let mut stream = b"abcabcabcabcab".repeat(3);
        stream.extend_from_slice(&[0; 9]);
        stream.extend_from_slice(b"xabca");
        let expected = naive(&signatures, &stream);
        assert!(expected.len() > 20);
        for size in 1..=stream.len() {
            let mut scanner = Scanner::new(&filter);
            let mut hits = Vec::new();
            for piece in stream.chunks(size) {
                scanner.push(piece, |hit| hits.push((hit.offset, hit.bytes.to_vec())));
            }
            scanner.finish(|hit| hits.push((hit.offset, hit.bytes.to_vec())));
            // The filter may add what is no signature; the list decides.
            hits.retain(|(_, bytes)| signatures.contains(&&bytes[..]));
            assert_eq!(hits, expected, "pieces of {size}");
        }
    }

    /// The reach of the lanes, on streams around every length that changes it.
    #[test]
    fn signatures_at_every_place_of_a_long_stream_are_found() {
        let signature = *b"SIGNATUR";
        let filter = SignatureFilter::build(&[signature], 0.001, KeyHash::new(2)).unwrap();
        for length in [8, 9, 11, 12, 40, 4 * STRETCH, 4 * STRETCH + 7, 4 * STRETCH + 8, 5 * STRETCH]
        {
            let places = (0..40)
                .chain((length / 4).saturating_sub(2)..length / 4 + 20)
                .chain(length.saturating_sub(20)..length);
            for start in places.filter(|start| start + 8 <= length) {
                let mut stream = vec![b'.'; length];
                stream[start..start + 8].copy_from_slice(&signature);
                let mut hits = Vec::new();
                let mut scanner = Scanner::new(&filter);
                scanner.push(&stream, |hit| hits.push(hit.offset));
                scanner.finish(|hit| hits.push(hit.offset));
                assert_eq!(hits, [start as u64], "{length} bytes");
            }
        }
    }

    #[test]
    fn a_stream_shorter_than_every_signature_has_no_hit() {
        let filter = SignatureFilter::build(&["needle"], 0.01, KeyHash::default()).unwrap();
        let mut scanner = Scanner::new(&filter);
        scanner.push(b"need", |_| panic!("there is no needle"));
        scanner.finish(|_| panic!("there is no needle"));
    }
}
