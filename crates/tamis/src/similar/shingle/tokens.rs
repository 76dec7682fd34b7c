//! What a word is.

use super::words;
use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;
use unicode_segmentation::UnicodeSegmentation;

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Tokens {
    /// What stands between white space, with its punctuation ([`words()`]): `"end.` and `end` are two
    /// words.
    #[default]
    Whitespace,
    /// The words of Unicode Standard Annex 29. What has neither a letter nor a digit is none, so that
    /// punctuation counts for nothing.
    Unicode,
}

impl Tokens {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Whitespace, Self::Unicode];

    /// Its number in files.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Whitespace => 0,
            Self::Unicode => 1,
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|tokens| tokens.code() == code)
    }

    /// Calls `visit` with each word of a text.
    #[inline]
    pub fn for_each(self, text: &str, mut visit: impl FnMut(&[u8])) {
        match self {
            Self::Whitespace => words(text, visit),
            Self::Unicode => text.unicode_words().for_each(|word| visit(word.as_bytes())),
        }
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whitespace => "whitespace",
            Self::Unicode => "unicode",
        })
    }
}

impl FromStr for Tokens {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|tokens| tokens.to_string() == name).ok_or_else(|| {
            Error::Parameter {
                what: "the tokens",
                expected: "whitespace or unicode",
                got: name.to_owned(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(tokens: Tokens, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        tokens.for_each(text, |word| found.push(String::from_utf8_lossy(word).into_owned()));
        found
    }

    #[test]
    fn punctuation_belongs_to_words_between_white_space_only() {
        let text = "\"Stop!\" -- he can't pay 3.50, said Zoë.";
        let plain = ["\"Stop!\"", "--", "he", "can't", "pay", "3.50,", "said", "Zoë."];
        assert_eq!(words_of(Tokens::Whitespace, text), plain);
        let unicode = ["Stop", "he", "can't", "pay", "3.50", "said", "Zoë"];
        assert_eq!(words_of(Tokens::Unicode, text), unicode);
        assert!(words_of(Tokens::Unicode, "... -- !").is_empty());
    }

    #[test]
    fn a_chinese_character_is_a_word_in_both() {
        for tokens in Tokens::ALL {
            assert_eq!(words_of(tokens, "山上有庙"), ["山", "上", "有", "庙"], "{tokens}");
        }
    }

    #[test]
    fn names_and_codes_are_read_back() {
        for tokens in Tokens::ALL {
            assert_eq!(tokens.to_string().parse::<Tokens>().unwrap(), tokens);
            assert_eq!(Tokens::from_code(tokens.code()), Some(tokens));
        }
        assert!("letters".parse::<Tokens>().is_err());
        assert_eq!(Tokens::from_code(2), None);
    }
}
