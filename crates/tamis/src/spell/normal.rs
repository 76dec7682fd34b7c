//! One spelling for characters that look the same.
//!
//! Word lists hold composed letters (Unicode normal form NFC), the straight apostrophe and
//! the plain hyphen. Text holds what editors made of them.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

/// A word as word lists spell it: composed letters, `'` for every apostrophe, `-` for every
/// hyphen, `ij` for the ligature, and nothing that is not seen.
pub(super) fn normal(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let mut plain = String::with_capacity(word.len());
    for character in word.chars() {
        match character {
            // Soft hyphen, joiners and non-joiners, word joiner.
            '\u{AD}' | '\u{200C}' | '\u{200D}' | '\u{2060}' => {}
            '\u{2018}' | '\u{2019}' | '\u{2BC}' | '\u{FF07}' => plain.push('\''),
            '\u{2010}' | '\u{2011}' => plain.push('-'),
            '\u{133}' => plain.push_str("ij"),
            '\u{132}' => plain.push_str("IJ"),
            _ => plain.push(character),
        }
    }
    if unicode_normalization::is_nfc(&plain) {
        Cow::Owned(plain)
    } else {
        Cow::Owned(plain.nfc().collect())
    }
}

/// A letter without its marks: `e` of `ê`, `c` of `ç`.
pub(super) fn base(letter: char) -> char {
    let mut first = None;
    decompose_canonical(letter, |part| {
        first.get_or_insert(part);
    });
    first.unwrap_or(letter)
}

/// Whether this joins parts of a word.
pub(super) const fn is_joiner(character: char) -> bool {
    matches!(character, '\'' | '-')
}

/// Whether text has an apostrophe here, straight or not.
pub(super) const fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2018}' | '\u{2019}' | '\u{2BC}' | '\u{FF07}')
}

/// Whether text has a hyphen here, breaking or not.
pub(super) const fn is_hyphen(character: char) -> bool {
    matches!(character, '-' | '\u{2010}' | '\u{2011}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_composed() {
        assert_eq!(normal("voce\u{302}"), "você");
        assert_eq!(normal("c\u{327}a\u{303}o"), "ção");
        assert_eq!(normal("você"), "você");
    }

    #[test]
    fn what_looks_the_same_is_the_same() {
        assert_eq!(normal("don\u{2019}t"), "don't");
        assert_eq!(normal("zee\u{2011}egel"), "zee-egel");
        assert_eq!(normal("\u{133}s"), "ijs");
        assert_eq!(normal("\u{132}sland"), "IJsland");
        assert_eq!(normal("pala\u{AD}vra"), "palavra");
    }

    #[test]
    fn a_letter_loses_its_marks() {
        let bare: String = "àçéîõüñx'-".chars().map(base).collect();
        assert_eq!(bare, "aceiounx'-");
    }
}
