//! From bytes to text: UTF-8, UTF-16 behind a byte-order mark, and Latin-1 for the rest.
//!
//! Latin-1 (ISO 8859-1, not windows-1252) maps every byte to the character of the same number:
//! it reads any bytes, and different bytes stay different texts.

use std::borrow::Cow;
use std::io::{self, Read};

/// How bytes become text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// UTF-8, UTF-16 behind a byte-order mark, and Latin-1 for what is neither.
    #[default]
    Detect,
    /// Latin-1, whatever it looks like.
    Latin1,
}

/// The mark at the start of some UTF-8 files.
pub(crate) const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Whether bytes that start like this are UTF-16, and if so, whether it is big-endian.
pub(crate) fn utf16_mark(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0xFE, 0xFF, ..] => Some(true),
        [0xFF, 0xFE, ..] => Some(false),
        _ => None,
    }
}

/// The text of a whole file, and whether Latin-1 was the fallback.
pub(crate) fn decode_file(bytes: &[u8], encoding: Encoding) -> (Cow<'_, str>, bool) {
    if encoding != Encoding::Detect {
        return decode(bytes, encoding);
    }
    let Some(big_endian) = utf16_mark(bytes) else {
        return decode(bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes), encoding);
    };
    let mut text = String::with_capacity(bytes.len());
    utf16_into(&bytes[2..], big_endian, &mut text);
    if bytes.len() % 2 == 1 {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    (Cow::Owned(text), false)
}

/// The text of a record, and whether Latin-1 was the fallback.
#[inline]
pub(crate) fn decode(bytes: &[u8], encoding: Encoding) -> (Cow<'_, str>, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) if encoding == Encoding::Detect || bytes.is_ascii() => {
            (Cow::Borrowed(text), false)
        }
        _ => (Cow::Owned(latin1(bytes)), encoding == Encoding::Detect),
    }
}

fn latin1(mut bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    while !bytes.is_empty() {
        let plain = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(bytes.len());
        let (ascii, rest) = bytes.split_at(plain);
        text.extend(std::str::from_utf8(ascii));
        let high = rest.iter().position(u8::is_ascii).unwrap_or(rest.len());
        text.extend(rest[..high].iter().map(|&byte| char::from(byte)));
        bytes = &rest[high..];
    }
    text
}

fn utf16_into(bytes: &[u8], big_endian: bool, text: &mut String) {
    let unit = |pair: &[u8; 2]| {
        if big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) }
    };
    let units = bytes.as_chunks().0.iter().map(unit);
    text.extend(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
}

/// UTF-16 as a stream of UTF-8.
#[derive(Debug)]
pub(crate) struct Utf16<R> {
    source: R,
    big_endian: bool,
    raw: Vec<u8>,
    text: String,
    given: usize,
}

impl<R: Read> Utf16<R> {
    pub(crate) const fn new(source: R, big_endian: bool) -> Self {
        Self { source, big_endian, raw: Vec::new(), text: String::new(), given: 0 }
    }

    /// Makes more text, unless the source has ended.
    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.given = 0;
        let kept = self.raw.len();
        self.raw.resize(kept + (1 << 14), 0);
        let read = self.source.read(&mut self.raw[kept..]);
        self.raw.truncate(kept + *read.as_ref().unwrap_or(&0));
        if read? == 0 {
            // Half a character at the end of the file.
            if kept > 0 {
                self.text.push(char::REPLACEMENT_CHARACTER);
                self.raw.clear();
            }
            return Ok(());
        }
        let mut whole = self.raw.len() & !1;
        if let Some(pair) = self.raw[..whole].last_chunk::<2>() {
            let high = pair[usize::from(!self.big_endian)];
            // The first half of a pair waits for the second.
            if (0xD8..0xDC).contains(&high) {
                whole -= 2;
            }
        }
        utf16_into(&self.raw[..whole], self.big_endian, &mut self.text);
        self.raw.drain(..whole);
        Ok(())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() {
            let waiting = self.raw.len();
            self.refill()?;
            if self.text.is_empty() && self.raw.len() == waiting {
                return Ok(0);
            }
        }
        let rest = &self.text.as_bytes()[self.given..];
        let size = rest.len().min(buffer.len());
        buffer[..size].copy_from_slice(&rest[..size]);
        self.given += size;
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Pieces;

    fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
        let bytes = |unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn a_file_is_utf8_utf16_or_latin1() {
        let decode = |bytes: &[u8], encoding| {
            let (text, fallback) = decode_file(bytes, encoding);
            (text.into_owned(), fallback)
        };
        let detect = |bytes: &[u8]| decode(bytes, Encoding::Detect);
        assert_eq!(detect("água 🌊".as_bytes()), ("água 🌊".into(), false));
        assert_eq!(detect(b"\xEF\xBB\xBFa"), ("a".into(), false));
        assert_eq!(detect(b"caf\xE9 \x80!"), ("café \u{80}!".into(), true));
        assert_eq!(detect(b""), (String::new(), false));
        let little = [&b"\xFF\xFE"[..], &utf16("água 🌊", false)].concat();
        assert_eq!(detect(&little), ("água 🌊".into(), false));
        let big = [&b"\xFE\xFF"[..], &utf16("água 🌊", true)].concat();
        assert_eq!(detect(&big), ("água 🌊".into(), false));
        assert_eq!(detect(b"\xFF\xFEa\0b"), ("a\u{FFFD}".into(), false));
        assert_eq!(decode("é".as_bytes(), Encoding::Latin1), ("Ã©".into(), false));
        assert_eq!(decode(b"\xFF\xFEa", Encoding::Latin1), ("ÿþa".into(), false));
    }

    #[test]
    fn utf16_is_the_same_text_however_it_arrives() {
        let text = "one 🌊\nágua\r\n🌊";
        for big_endian in [true, false] {
            let mut bytes = utf16(text, big_endian);
            for pieces in 1..bytes.len() {
                let mut read = String::new();
                Utf16::new(Pieces(&bytes, pieces), big_endian).read_to_string(&mut read).unwrap();
                assert_eq!(read, text, "pieces of {pieces}");
            }
            bytes.pop();
            let mut read = String::new();
            Utf16::new(&bytes[..], big_endian).read_to_string(&mut read).unwrap();
            assert_eq!(read, "one 🌊\nágua\r\n\u{FFFD}");
        }
    }
}
