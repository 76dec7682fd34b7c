//! Text from bytes that may not be UTF-8, without losing a position.

use std::borrow::Cow;

/// What Windows-1252 has where Latin-1 has control characters; `\0` where it has nothing.
const WINDOWS: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘',
    '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// Text made from bytes: UTF-8 where they are, Windows-1252 (Latin-1 with typographic quotes)
/// byte by byte where they are not. Every byte that is not UTF-8 becomes one character, so
/// nothing is refused and columns stay what an editor shows.
#[derive(Debug, Clone)]
pub struct Decoded<'a> {
    text: Cow<'a, str>,
    /// For each byte that took more room in the text: where its character ends in the text,
    /// and how many bytes the text is ahead from there on.
    ahead: Vec<(usize, usize)>,
}

impl<'a> Decoded<'a> {
    /// The text of these bytes.
    ///
    /// # Complexity
    /// Linear; nothing is copied when the bytes are UTF-8.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Self { text: Cow::Borrowed(text), ahead: Vec::new() };
        }
        let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
        let mut ahead = Vec::new();
        let mut lead = 0;
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for &byte in chunk.invalid() {
                let character = windows_1252(byte);
                text.push(character);
                lead += character.len_utf8() - 1;
                ahead.push((text.len(), lead));
            }
        }
        Self { text: Cow::Owned(text), ahead }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a position in the text is in the bytes.
    #[must_use]
    pub fn offset(&self, position: usize) -> usize {
        let before = self.ahead.partition_point(|&(end, _)| end <= position);
        position - before.checked_sub(1).map_or(0, |last| self.ahead[last].1)
    }
}

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9F => match WINDOWS[usize::from(byte - 0x80)] {
            '\0' => char::REPLACEMENT_CHARACTER,
            character => character,
        },
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_8_is_taken_as_it_is() {
        let decoded = Decoded::new("ação".as_bytes());
        assert_eq!(decoded.text(), "ação");
        assert_eq!(decoded.offset(4), 4);
    }

    #[test]
    fn other_bytes_are_one_character_each() {
        let bytes = b"a\xE7\xE3o don\x92t \xC3\xA9 \x81.";
        let decoded = Decoded::new(bytes);
        assert_eq!(decoded.text(), "ação don’t é \u{FFFD}.");
        for (position, character) in decoded.text().char_indices() {
            if character.is_ascii() {
                let offset = decoded.offset(position);
                assert_eq!(char::from(bytes[offset]), character, "at {position}");
            }
        }
        assert_eq!(decoded.offset(decoded.text().len()), bytes.len());
    }
}
