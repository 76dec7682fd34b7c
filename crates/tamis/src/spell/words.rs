//! The words of a text.
//!
//! Words are those of Unicode text segmentation (UAX #29), which keeps apostrophes inside of
//! a word (*don't*, *l'eau*, *zo'n*) and marks with their letters. Words joined by a hyphen
//! are one word here. What is no word of a language is left out: code (see [`super::prose`]),
//! numbers and what is written with digits, single letters, Roman numerals in capitals,
//! abbreviations with full stops inside (*e.g.*), and names of hosts and files.

use super::normal::{is_apostrophe, is_hyphen};
use super::prose::Prose;
use std::collections::VecDeque;
use unicode_segmentation::UnicodeSegmentation;

/// A word where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'t> {
    /// Where it starts in the text, in bytes.
    pub(super) offset: usize,
    /// As it stands there.
    pub(super) text: &'t str,
}

/// The words of a text, in order.
pub(super) struct Words<'t> {
    prose: Prose<'t>,
    pending: VecDeque<Word<'t>>,
}

impl<'t> Words<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { prose: Prose::new(text), pending: VecDeque::new() }
    }

    /// Takes the words out of a piece of prose.
    fn read(&mut self, offset: usize, piece: &'t str) {
        let mut joined: Option<(usize, usize)> = None;
        for (start, word) in piece.unicode_word_indices() {
            let end = start + word.len();
            joined = match joined {
                Some((first, last)) if is_one_hyphen(&piece[last..start]) => Some((first, end)),
                _ => {
                    self.push(offset, piece, joined);
                    Some((start, end))
                }
            };
        }
        self.push(offset, piece, joined);
    }

    /// A stretch of a piece becomes one word, or several if full stops or colons lack a space.
    fn push(&mut self, offset: usize, piece: &'t str, range: Option<(usize, usize)>) {
        let Some((start, end)) = range else { return };
        let text = &piece[start..end];
        if is_symbol(text, &piece[end..]) || hangs_on_number(&piece[..start]) {
            return;
        }
        let offset = offset + start;
        if !text.contains(['.', ':']) {
            self.pending.extend(is_word(text).then_some(Word { offset, text }));
        } else if text.contains(':') || is_end_and_start(text) {
            let mut at = offset;
            for part in text.split(['.', ':']) {
                self.pending.extend(is_word(part).then_some(Word { offset: at, text: part }));
                at += part.len() + 1;
            }
        }
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(word) = self.pending.pop_front() {
                return Some(word);
            }
            let (offset, piece) = self.prose.next()?;
            // Most pieces are plain letters with a full stop at most.
            let plain = piece.trim_end_matches(['.', ':']);
            if plain.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                if is_word(plain) {
                    return Some(Word { offset, text: plain });
                }
            } else {
                self.read(offset, piece);
            }
        }
    }
}

fn is_one_hyphen(gap: &str) -> bool {
    let mut characters = gap.chars();
    characters.next().is_some_and(is_hyphen) && characters.next().is_none()
}

/// Whether a full stop inside is the end of a sentence that lacks its space, *fim.Depois*,
/// rather than part of a name or an abbreviation: *example.org*, *U.S.A*.
fn is_end_and_start(text: &str) -> bool {
    let mut parts = text.split('.');
    let mut ends_small = parts.next().is_some_and(ends_like_word);
    parts.all(|part| {
        let joined = ends_small && part.starts_with(char::is_uppercase);
        ends_small = ends_like_word(part);
        joined && ends_small
    })
}

fn ends_like_word(part: &str) -> bool {
    part.chars().nth(1).is_some() && part.ends_with(char::is_lowercase)
}

/// Whether this is a word to look up.
fn is_word(text: &str) -> bool {
    let mut letters = 0;
    let mut digits = false;
    let mut parts = false;
    for character in text.chars() {
        parts |= is_hyphen(character);
        digits |= is_digit(character) || character == '_';
        letters += u32::from(character.is_alphabetic());
    }
    // Of a word in parts, those with digits are passed over when it is looked up.
    letters > 1 && (!digits || parts) && !is_roman_numeral(text)
}

/// Whether a small number hangs on these letters: *CO₂*, *km²*. On a longer word it is the mark
/// of a footnote.
fn is_symbol(text: &str, following: &str) -> bool {
    following.starts_with(char::is_numeric) && text.chars().nth(3).is_none()
}

/// Whether an apostrophe joins what comes next to a number: *06'ers*, *A4'tje*.
fn hangs_on_number(before: &str) -> bool {
    before.strip_suffix(is_apostrophe).is_some_and(|before| before.ends_with(is_digit))
}

/// Digits of all kinds, and the letters of ordinals: *nº*, *1ª*, *m²*.
pub(super) fn is_digit(character: char) -> bool {
    character.is_numeric() || matches!(character, 'º' | 'ª')
}

/// Whether these capitals are a number: *XIX*, *MCMLXXXIV*.
fn is_roman_numeral(text: &str) -> bool {
    // Every digit of the number has one form, from the thousands to the ones.
    const DIGITS: [(&str, &str, &str); 4] =
        [("M", "", ""), ("C", "D", "M"), ("X", "L", "C"), ("I", "V", "X")];
    if !text.bytes().all(|byte| b"IVXLCDM".contains(&byte)) {
        return false;
    }
    let mut rest = text;
    for (one, five, ten) in DIGITS {
        let pair = |second: &str| rest.strip_prefix(one).and_then(|rest| rest.strip_prefix(second));
        let special = if five.is_empty() { None } else { pair(ten).or_else(|| pair(five)) };
        rest = special.unwrap_or_else(|| {
            let mut rest = rest;
            if !five.is_empty() {
                rest = rest.strip_prefix(five).unwrap_or(rest);
            }
            for _ in 0..3 {
                rest = rest.strip_prefix(one).unwrap_or(rest);
            }
            rest
        });
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        Words::new(text)
            .map(|word| {
                assert_eq!(&text[word.offset..word.offset + word.text.len()], word.text);
                word.text
            })
            .collect()
    }

    #[test]
    fn english() {
        assert_eq!(
            words("\"Don't\", she said -- it’s the dogs' well-known 'trick'."),
            ["Don't", "she", "said", "it’s", "the", "dogs", "well-known", "trick"]
        );
    }

    #[test]
    fn portuguese() {
        assert_eq!(
            words("—Dir-se-ia, «à saída», que o guarda-chuva d'água é do século XIX…"),
            ["Dir-se-ia", "saída", "que", "guarda-chuva", "d'água", "do", "século"]
        );
    }

    #[test]
    fn dutch() {
        assert_eq!(
            words("'s Avonds at zo'n zee-egel in- en uitheemse foto's, ĳs."),
            ["Avonds", "at", "zo'n", "zee-egel", "in", "en", "uitheemse", "foto's", "ĳs"]
        );
    }

    #[test]
    fn marks_stay_with_their_letters() {
        assert_eq!(words("voce\u{302} pala\u{AD}vra"), ["voce\u{302}", "pala\u{AD}vra"]);
    }

    #[test]
    fn numbers_and_symbols_are_no_words() {
        assert!(
            words("1.000,50 12:30 x86 2nd 3º nº m² CO₂ km² B 10/12 06'ers A4’tje 1990–2000 20% R$")
                .is_empty()
        );
        assert_eq!(words("06-nummer, palavra²"), ["06-nummer", "palavra"]);
    }

    #[test]
    fn full_stops_inside_tell_names_from_sentences() {
        assert!(words("example.org README.md e.g. U.S.A. p.ex.").is_empty());
        assert_eq!(words("o fim.Depois nada"), ["fim", "Depois", "nada"]);
        assert_eq!(words("nota:texto"), ["nota", "texto"]);
    }

    #[test]
    fn roman_numerals_are_numbers_and_other_capitals_are_not() {
        for number in ["II", "IV", "XIX", "MCMLXXXIV", "MMXXVI", "CD"] {
            assert!(is_roman_numeral(number), "{number}");
        }
        for word in ["IIII", "VX", "MILD", "CIVIC", "IC", "mix"] {
            assert!(!is_roman_numeral(word), "{word}");
        }
    }
}
