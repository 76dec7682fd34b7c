//! Text to tokens.
//!
//! 1. A word is a run of letters, digits, combining marks and `_`.
//! 2. A run of the same punctuation character is one token, of one such character.
//! 3. Scripts without spaces: a Han or kana character is a token. Thai, Lao, Khmer and Myanmar text
//!    becomes overlapping windows of three clusters (a character with its marks).

use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// Clusters in a window of a script without spaces.
const WINDOW: usize = 3;

/// The places of the tokens of a text.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// Whether the last token is a word with digits or characters outside ASCII.
    odd: bool,
}

impl<'a> Tokens<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0, odd: false }
    }

    /// Whether the last token is a word with digits or characters outside ASCII.
    pub(super) const fn is_odd(&self) -> bool {
        self.odd
    }
}

/// What a character is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    Word,
    /// An ASCII digit, which is part of a word.
    Digit,
    Punctuation,
    /// A token of its own.
    Single,
    /// Part of a cluster in a script without spaces.
    Cluster,
    /// The first byte of a character outside ASCII.
    Wide,
}

impl Kind {
    const fn of(byte: u8) -> Self {
        if byte.is_ascii_digit() {
            Self::Digit
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            Self::Word
        } else if byte.is_ascii_punctuation() {
            Self::Punctuation
        } else if byte >= 0x80 {
            Self::Wide
        } else {
            Self::Nothing
        }
    }

    fn of_wide(character: char) -> Self {
        match character {
            '\u{80}'..='\u{9F}' => Self::Nothing,
            '\u{E00}'..='\u{EFF}'
            | '\u{1000}'..='\u{109F}'
            | '\u{1780}'..='\u{17FF}'
            | '\u{A9E0}'..='\u{A9FF}'
            | '\u{AA60}'..='\u{AA7F}' => Self::Cluster,
            '\u{3005}'..='\u{3007}'
            | '\u{3041}'..='\u{30FA}'
            | '\u{30FC}'..='\u{30FF}'
            | '\u{31F0}'..='\u{31FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{3FFFF}' => Self::Single,
            '\u{FFFD}' => Self::Word,
            _ if character.is_alphanumeric() || is_combining_mark(character) => Self::Word,
            _ if character.is_whitespace() => Self::Nothing,
            _ => Self::Punctuation,
        }
    }
}

/// The kind of each byte.
static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Nothing; 256];
    let mut byte = 0;
    while byte < kinds.len() {
        kinds[byte] = Kind::of(byte as u8);
        byte += 1;
    }
    kinds
};

impl Tokens<'_> {
    /// The kind and length of the character at an offset before the end.
    fn kind(&self, at: usize) -> (Kind, usize) {
        match KINDS[usize::from(self.text.as_bytes()[at])] {
            Kind::Wide => self.text[at..]
                .chars()
                .next()
                .map_or((Kind::Nothing, 1), |c| (Kind::of_wide(c), c.len_utf8())),
            kind => (kind, 1),
        }
    }

    /// The rest of a word from an offset on: its end.
    #[inline]
    fn end_of_word(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start;
        while let Some(byte) = bytes.get(at) {
            match KINDS[usize::from(*byte)] {
                Kind::Word => at += 1,
                Kind::Digit => {
                    self.odd = true;
                    at += 1;
                }
                Kind::Wide => match self.kind(at) {
                    (Kind::Word, length) => {
                        self.odd = true;
                        at += length;
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        at
    }

    /// The token that starts with a character outside ASCII, if one does.
    fn wide(&mut self, start: usize) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let (kind, length) = self.kind(start);
        self.at = start + length;
        match kind {
            Kind::Word => {
                self.odd = true;
                self.at = self.end_of_word(self.at);
                Some(start..self.at)
            }
            Kind::Punctuation => {
                let first = &bytes[start..start + length];
                while bytes[self.at..].starts_with(first) {
                    self.at += length;
                }
                Some(start..start + length)
            }
            Kind::Single => Some(start..self.at),
            Kind::Cluster => Some(self.window(start)),
            Kind::Nothing | Kind::Digit | Kind::Wide => None,
        }
    }

    /// The end of the cluster that starts at an offset.
    fn end_of_cluster(&self, start: usize) -> usize {
        let mut characters = self.text[start..].char_indices().skip(1);
        let next = characters.find(|(_, character)| !is_combining_mark(*character));
        next.map_or(self.text.len(), |(at, _)| start + at)
    }

    /// A window of clusters; the next one starts one cluster later, unless this is the last.
    fn window(&mut self, start: usize) -> Range<usize> {
        let is_cluster =
            |at: usize| at < self.text.len() && matches!(self.kind(at), (Kind::Cluster, _));
        let second = self.end_of_cluster(start);
        let mut end = second;
        for _ in 1..WINDOW {
            if !is_cluster(end) {
                break;
            }
            end = self.end_of_cluster(end);
        }
        self.at = if is_cluster(end) { second } else { end };
        start..end
    }
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        self.odd = false;
        loop {
            let first = *bytes.get(start)?;
            match KINDS[usize::from(first)] {
                Kind::Word | Kind::Digit => {
                    self.at = self.end_of_word(start);
                    return Some(start..self.at);
                }
                Kind::Punctuation => {
                    let rest = &bytes[start..];
                    let length = rest.iter().position(|byte| *byte != first);
                    self.at = start + length.unwrap_or(rest.len());
                    return Some(start..start + 1);
                }
                Kind::Wide => match self.wide(start) {
                    Some(token) => return Some(token),
                    None => start = self.at,
                },
                _ => start += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        Tokens::new(text).map(|place| &text[place]).collect()
    }

    #[test]
    fn tokens_are_words_and_single_punctuation() {
        assert_eq!(tokens("Buy NOW!!! 50% off"), ["Buy", "NOW", "!", "50", "%", "off"]);
        assert_eq!(tokens("snake_case à-la"), ["snake_case", "à", "-", "la"]);
        assert_eq!(tokens("$$..$"), ["$", ".", "$"]);
        assert!(tokens(" \t\r\n\0\u{1b}").is_empty());
    }

    #[test]
    fn punctuation_outside_ascii_ends_words() {
        assert_eq!(tokens("“Free” – 50 €€€ 🎁🎁"), ["“", "Free", "”", "–", "50", "€", "🎁"]);
        assert_eq!(tokens("naïve cafe\u{301} привет"), ["naïve", "cafe\u{301}", "привет"]);
    }

    #[test]
    fn scripts_without_spaces_are_split() {
        assert_eq!(tokens("免费发票。OK中"), ["免", "费", "发", "票", "。", "OK", "中"]);
        assert_eq!(tokens("カメラは"), ["カ", "メ", "ラ", "は"]);
        assert_eq!(tokens("กขคง จ"), ["กขค", "ขคง", "จ"]);
        assert_eq!(tokens("น้ำดื่ม"), ["น้ำดื่", "ำดื่ม"]);
        assert_eq!(tokens("안녕하세요 여러분"), ["안녕하세요", "여러분"]);
    }

    #[test]
    fn every_text_is_cut_between_characters() {
        for text in ["é", "ก", "กา\u{301}", "\u{85}x", "中\u{fffd}a", "👍🏽"] {
            for place in Tokens::new(text) {
                assert!(text.get(place.clone()).is_some_and(|token| !token.is_empty()), "{text}");
            }
        }
    }
}
