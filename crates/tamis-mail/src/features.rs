//! What the model of words looks at: tokens and pairs of tokens that follow each other.
//!
//! 1. A token is a run of letters, digits, `_` and bytes outside of ASCII, of which the first
//!    [`LONGEST`] bytes count, or a punctuation character (a run of the same one is one token). Capitals are small letters.
//! 2. A feature is a token or a pair of neighbours, of one [`Section`]; no pair crosses sections. A word that starts with a
//!    capital is also a feature as it stands, and a word of the subject also one of the body.
//! 3. How long the body is, by powers of four, is a feature: a message without words is still known by that.
//! 4. A message has each feature once.
//!
//! The version of these rules is part of a store ([`VERSION`]): features of another version are other features.

use crate::message::{Message, Section};
use std::ops::Range;
use tamis::hash::{KeyHash, mixed};
use tamis::similar::Set;

/// The version of the rules.
pub const VERSION: u16 = 1;

/// How many bytes of a token count.
pub const LONGEST: usize = 40;

/// The most features of a message; what comes behind them is not looked at.
pub const MOST: usize = 1 << 18;

/// The distinct features of a message, as hashes in ascending order.
#[must_use]
pub fn features(message: &Message<'_>, hash: &KeyHash) -> Vec<u64> {
    // More than most texts have: one token in four bytes, and a pair for each.
    let bytes: usize = message.sections().map(|(_, text)| text.len()).sum();
    let mut features = Vec::with_capacity(bytes.min(MOST) / 2);
    for_each(message, hash, |feature, _| features.push(feature));
    Set::from_hashes(features).into_hashes()
}

/// What a feature was made of, for a person to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Where it stands.
    pub section: Section,
    /// The first token of a pair.
    pub before: Option<&'a [u8]>,
    /// The token, or the second of a pair.
    pub token: &'a [u8],
}

/// Calls `visit` with each feature in the order of the text, repetitions included.
pub fn for_each(message: &Message<'_>, hash: &KeyHash, mut visit: impl FnMut(u64, Origin<'_>)) {
    let mut count = 0;
    let mut in_body = 0;
    let in_a_body = salt(hash, Section::Body as u64);
    for (section, text) in message.sections() {
        let salt = salt(hash, section as u64);
        let mut last: Option<(u64, &[u8])> = None;
        let (text, lower) = (text.as_bytes(), text.to_ascii_lowercase());
        for place in Tokens::new(text) {
            if count >= MOST {
                return;
            }
            let (token, lower) = (&text[place.clone()], &lower.as_bytes()[place]);
            let own = hash.bytes(capped(lower));
            if section == Section::Subject {
                // What a subject says it also says as a text.
                visit(mixed(own, in_a_body), Origin { section, before: None, token });
            }
            if token.len() > 1 && token[0].is_ascii_uppercase() {
                visit(
                    mixed(hash.bytes(capped(token)), salt),
                    Origin { section, before: None, token },
                );
            }
            visit(mixed(own, salt), Origin { section, before: None, token });
            if let Some((before, of_token)) = last {
                let pair = mixed(own, mixed(before, !salt));
                visit(pair, Origin { section, before: Some(of_token), token });
            }
            last = Some((own, token));
            count += 2;
            in_body += usize::from(section == Section::Body);
        }
    }
    let length = LENGTHS[((in_body + 1).ilog2() as usize / 2).min(LENGTHS.len() - 1)];
    let of_length = mixed(hash.bytes(length), salt(hash, 0));
    visit(of_length, Origin { section: Section::Body, before: None, token: length });
}

/// How long a body is, by powers of four.
const LENGTHS: [&[u8]; 8] = [
    b"(no words)",
    b"(under 15 words)",
    b"(under 63 words)",
    b"(under 255 words)",
    b"(under 1023 words)",
    b"(under 4095 words)",
    b"(under 16383 words)",
    b"(many words)",
];

/// What makes the same token another feature in another section: the hash of its number, in eight bytes. Number 0 is that of no section.
fn salt(hash: &KeyHash, section: u64) -> u64 {
    hash.bytes(&section.to_le_bytes())
}

/// As much of a token as counts.
fn capped(token: &[u8]) -> &[u8] {
    &token[..token.len().min(LONGEST)]
}

/// Where the tokens of a text are.
struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    const fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }
}

/// What a byte is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    Word,
    Punctuation,
}

impl Kind {
    const fn of(byte: u8) -> Self {
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 {
            Self::Word
        } else if byte.is_ascii_punctuation() {
            Self::Punctuation
        } else {
            Self::Nothing
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

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let rest = &self.text[self.at..];
        let kind = |byte: u8| KINDS[usize::from(byte)];
        let skipped = rest.iter().position(|byte| kind(*byte) != Kind::Nothing)?;
        let start = self.at + skipped;
        let rest = &rest[skipped..];
        let first = rest[0];
        let is_word = kind(first) == Kind::Word;
        let end = if is_word {
            rest.iter().position(|byte| kind(*byte) != Kind::Word)
        } else {
            rest.iter().position(|byte| *byte != first)
        };
        let length = end.unwrap_or(rest.len());
        self.at = start + length;
        // A run of the same punctuation is one of it.
        Some(start..start + if is_word { length } else { 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        Tokens::new(text.as_bytes()).map(|place| &text[place]).collect()
    }

    #[test]
    fn tokens_are_words_and_single_punctuation() {
        assert_eq!(tokens("Buy NOW!!! 50% off"), ["Buy", "NOW", "!", "50", "%", "off"]);
        assert_eq!(tokens("snake_case à-la"), ["snake_case", "à", "-", "la"]);
        assert_eq!(tokens("$$..$"), ["$", ".", "$"]);
        assert!(tokens(" \t\r\n\0\u{1b}").is_empty());
    }

    #[test]
    fn features_are_distinct_and_know_their_section() {
        let hash = KeyHash::default();
        let body = |text: &str| {
            let message = Message::of_text(text.to_owned());
            features(&message, &hash)
        };
        // buy, now, (buy now), (now buy), the length; and Buy, NOW
        assert_eq!(body("buy now buy now").len(), 5);
        assert_eq!(body("Buy now buy NOW").len(), 7);
        assert_eq!(body("").len(), 1, "the length");
        assert_ne!(body(""), body(&"buy ".repeat(20)));
        let long = "x".repeat(LONGEST);
        assert_eq!(body(&long), body(&format!("{long}yz")), "what is longer is cut");
        let mut message = Message::of_text("buy".to_owned());
        message.push(Section::Subject, "buy".to_owned());
        let both = features(&message, &hash);
        assert_eq!(
            both.len(),
            3,
            "the length, and a word of the subject that is also one of the body"
        );
    }
}
