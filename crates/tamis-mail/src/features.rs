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
use tamis::hash::{KeyHash, mixed};

/// The version of the rules.
pub const VERSION: u16 = 1;

/// How many bytes of a token count.
pub const LONGEST: usize = 40;

/// The most features of a message; what comes behind them is not looked at.
pub const MOST: usize = 1 << 18;

/// The distinct features of a message, as hashes in ascending order.
#[must_use]
pub fn features(message: &Message<'_>, hash: &KeyHash) -> Vec<u64> {
    let mut features = Vec::new();
    for_each(message, hash, |feature, _| features.push(feature));
    features.sort_unstable();
    features.dedup();
    features
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
    let in_a_body = hash.integer(Section::Body as u64);
    for (section, text) in message.sections() {
        let salt = hash.integer(section as u64);
        let mut last: Option<(u64, &[u8])> = None;
        let mut lower = Vec::with_capacity(LONGEST);
        for token in Tokens::new(text.as_bytes()) {
            if count >= MOST {
                return;
            }
            lower.clear();
            lower.extend(capped(token).iter().map(u8::to_ascii_lowercase));
            let own = hash.bytes(&lower);
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
    let of_length = mixed(hash.bytes(length), hash.integer(0));
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

/// As much of a token as counts.
fn capped(token: &[u8]) -> &[u8] {
    &token[..token.len().min(LONGEST)]
}

/// The tokens of a text.
struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    const fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start =
            self.rest.iter().position(|byte| is_word(*byte) || byte.is_ascii_punctuation())?;
        let rest = &self.rest[start..];
        let first = rest[0];
        let in_token = |byte: &u8| if is_word(first) { is_word(*byte) } else { *byte == first };
        let end = rest.iter().position(|byte| !in_token(byte)).unwrap_or(rest.len());
        self.rest = &rest[end..];
        // A run of the same punctuation is one of it.
        Some(if is_word(first) { &rest[..end] } else { &rest[..1] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        Tokens::new(text.as_bytes()).map(|token| std::str::from_utf8(token).unwrap()).collect()
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
