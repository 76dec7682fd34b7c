//! Lines between parts.

use memchr::memchr;
use memchr::memmem::Finder;

/// A line between parts, or after the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Next,
    End,
}

impl Delimiter {
    /// The delimiter at the start of these lines.
    pub(super) fn of(lines: &[u8], boundary: &[u8]) -> Option<Self> {
        let rest = lines.strip_prefix(b"--")?.strip_prefix(boundary)?;
        if rest.starts_with(b"--") {
            return Some(Self::End);
        }
        let mut after = rest.iter().skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        matches!(after.next(), None | Some(b'\n')).then_some(Self::Next)
    }
}

/// A part without the line end before its boundary, which belongs to the boundary.
pub(super) fn without_line_end(part: &[u8]) -> &[u8] {
    let part = part.strip_suffix(b"\n").unwrap_or(part);
    part.strip_suffix(b"\r").unwrap_or(part)
}

/// Looks for the delimiters of a body.
pub(super) struct Delimiters<'a> {
    body: &'a [u8],
    boundary: &'a [u8],
    /// Finds a boundary with the dashes before it.
    finder: Finder<'static>,
    /// The start of the line that is next.
    at: usize,
}

impl<'a> Delimiters<'a> {
    pub(super) fn new(body: &'a [u8], boundary: &'a [u8]) -> Self {
        let finder = Finder::new(&[b"--", boundary].concat()).into_owned();
        Self { body, boundary, finder, at: 0 }
    }

    /// The start of the line after the last delimiter.
    pub(super) const fn at(&self) -> usize {
        self.at
    }
}

impl Iterator for Delimiters<'_> {
    type Item = (usize, Delimiter);

    /// The next delimiter and its offset.
    fn next(&mut self) -> Option<(usize, Delimiter)> {
        while let Some(found) = self.finder.find(&self.body[self.at..]) {
            let start = self.at + found;
            let is_start = found == 0 || self.body[start - 1] == b'\n';
            // Whatever it is, no other delimiter starts on this line.
            let end = memchr(b'\n', &self.body[start..]);
            self.at = end.map_or(self.body.len(), |end| start + end + 1);
            let delimiter = Delimiter::of(&self.body[start..], self.boundary);
            if let Some(delimiter) = delimiter.filter(|_| is_start) {
                return Some((start, delimiter));
            }
        }
        self.at = self.body.len();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Looks at each line.
    fn slow(body: &[u8], boundary: &[u8]) -> Vec<(usize, Delimiter)> {
        let mut found = Vec::new();
        let mut at = 0;
        for line in body.split_inclusive(|byte| *byte == b'\n') {
            found.extend(Delimiter::of(&body[at..], boundary).map(|delimiter| (at, delimiter)));
            at += line.len();
        }
        found
    }

    proptest! {
        #[test]
        fn delimiters_are_found_at_the_start_of_lines(
            body in "(--|-|a|b|\n|\r| ){0,30}", boundary in "[-ab]{1,3}"
        ) {
            let found: Vec<_> = Delimiters::new(body.as_bytes(), boundary.as_bytes()).collect();
            prop_assert_eq!(found, slow(body.as_bytes(), boundary.as_bytes()));
        }
    }
}
