//! Text as a reader sees it: without invisible characters and compatibility forms.
//!
//! Three steps of increasing strength:
//!
//! 1. [`cleaned`] is applied to all text of a message. It removes invisible characters, replaces
//!    every kind of space by a plain one, and folds compatibility forms such as full-width and
//!    mathematical letters (NFKC). Ordinary text stays byte-identical, and ASCII is not even copied.
//! 2. `lookalike` and `without_digits` spell one word in plain letters: `vіagra` with a
//!    Cyrillic і, `v1agra`, `c@sh`. The result is used in addition to the word as written.
//! 3. [`folded`] prepares text for character n-grams: lower case, look-alikes folded, single spaces.
//!
//! All of them take time linear in the text.

mod digits;
mod letters;
mod memo;

pub(crate) use digits::{is_sign, without_digits};
pub(crate) use letters::lookalike;

use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// Text without invisible characters and compatibility forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// Invisible characters removed, except those that scripts and emoji need.
    pub removed: usize,
}

/// Removes invisible characters and folds compatibility forms.
#[must_use]
pub fn cleaned(text: &str) -> Cleaned<'_> {
    if text.is_ascii() || !text.chars().any(changes) {
        return Cleaned { text: Cow::Borrowed(text), removed: 0 };
    }
    let mut clean = String::with_capacity(text.len());
    let mut removed = 0;
    // Runs of characters outside ASCII are normalised together with the ASCII letter before them,
    // which may take a combining mark.
    let mut run = String::new();
    let mut at = 0;
    for (place, character) in text.char_indices() {
        if character.is_ascii() {
            if !run.is_empty() {
                push_compatible(&mut clean, &run);
                run.clear();
            }
            continue;
        }
        if run.is_empty() {
            clean.push_str(&text[at..place]);
            run.extend(clean.pop());
        }
        if is_invisible(character) {
            let before = run.chars().next_back();
            removed += usize::from(before.is_some_and(|before| before < '\u{600}'));
        } else {
            run.push(substitute(character));
        }
        at = place + character.len_utf8();
    }
    push_compatible(&mut clean, &run);
    clean.push_str(&text[at..]);
    Cleaned { text: Cow::Owned(clean), removed }
}

/// Whether [`cleaned`] changes this character, alone or together with its neighbours.
fn changes(character: char) -> bool {
    match character {
        '\0'..='\u{9F}' => false,
        '\u{A0}' | '\u{AD}' => true,
        // Letters and signs that NFKC leaves alone, or that are ordinary text.
        '\u{A1}'..='\u{2FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => {
            is_latin_ligature(character)
        }
        _ => {
            is_invisible(character)
                || substitute(character) != character
                || (!is_kept(character)
                    && is_nfkc_quick(std::iter::once(character)) != IsNormalized::Yes)
        }
    }
}

/// Compatibility forms between the Latin letters: ĳ, ŀ, ŉ, ſ, ǆ.
const fn is_latin_ligature(character: char) -> bool {
    matches!(
        character,
        '\u{132}'..='\u{133}' | '\u{13F}'..='\u{140}' | '\u{149}' | '\u{17F}' | '\u{1C4}'..='\u{1CC}'
    )
}

/// Compatibility characters of ordinary text, which stay: typographic signs and Hangul letters.
const fn is_kept(character: char) -> bool {
    matches!(
        character,
        '\u{80}'..='\u{FF}' | '…' | '‥' | '™' | '℠' | '№' | '\u{2B0}'..='\u{2FF}' | '\u{3131}'..='\u{318E}'
    )
}

/// A plain character for those that NFKC does not fold: spaces and white letters on black.
fn substitute(character: char) -> char {
    let letter = |first: u32| {
        let offset = u8::try_from(u32::from(character) - first).unwrap_or_default();
        char::from(b'A' + offset)
    };
    match character {
        '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => {
            ' '
        }
        '\u{1F150}'..='\u{1F169}' => letter(0x1_F150),
        '\u{1F170}'..='\u{1F189}' => letter(0x1_F170),
        _ => character,
    }
}

/// Whether nothing is seen of this character: soft hyphens, zero-width and bidi controls, joiners,
/// variation selectors, fillers and tags.
#[must_use]
pub const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Appends a run in NFKC, except for the characters that stay.
fn push_compatible(clean: &mut String, run: &str) {
    for piece in run.split_inclusive(is_kept) {
        let kept = piece.chars().next_back().filter(|last| is_kept(*last));
        let length = piece.len() - kept.map_or(0, char::len_utf8);
        clean.extend(piece[..length].nfkc());
        clean.extend(kept);
    }
}

/// Text for character n-grams: lower case, look-alikes and accented letters folded to plain ones,
/// white space collapsed to single spaces.
#[must_use]
pub fn folded(text: &str) -> String {
    let mut folded = Vec::with_capacity(text.len());
    fold_into(text, usize::MAX, &mut folded);
    String::from_utf8(folded).unwrap_or_default()
}

/// Appends the form of a text by [`folded`] until there are `enough` bytes or a few more.
pub fn fold_into(text: &str, enough: usize, folded: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let mut in_space = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if folded.len() >= enough {
            return;
        }
        match byte {
            b' ' | b'\t'..=b'\r' => {
                if !in_space {
                    folded.push(b' ');
                }
                in_space = true;
                at += 1;
            }
            0x80.. => {
                let Some(character) = text[at..].chars().next() else { return };
                letters::push_folded(character, &mut in_space, folded);
                at += character.len_utf8();
            }
            _ => {
                folded.push(byte.to_ascii_lowercase());
                in_space = false;
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        cleaned(text).text.into_owned()
    }

    #[test]
    fn ordinary_text_is_borrowed() {
        for text in [
            "Plain ASCII: V I A G R A, v1agra!",
            "Für Ägypten, ça va? “Naïve” – 20 °C … ½ ™ €",
            "Привет, как дела? Ελληνικά",
            "你好，世界。こんにちは 안녕하세요",
            "",
        ] {
            // Full-width punctuation is folded; the rest of ordinary Chinese stays.
            let text = text.replace('，', "、");
            let cleaned = cleaned(&text);
            assert!(matches!(cleaned.text, Cow::Borrowed(same) if same == text), "{text}");
            assert_eq!(cleaned.removed, 0);
        }
    }

    #[test]
    fn invisible_characters_are_removed_and_counted() {
        let text = "\u{feff}via\u{200b}gra\u{ad} fr\u{2060}ee \u{202e}x\u{e0041}y\u{34f}z\u{fe0f}";
        let cleaned = cleaned(text);
        assert_eq!(cleaned.text, "viagra free xyz");
        assert_eq!(cleaned.removed, 7, "all but the byte order mark");
        assert_eq!(clean("👨\u{200d}👩"), "👨👩");
    }

    #[test]
    fn compatibility_forms_are_folded() {
        assert_eq!(clean("ＶＩＡＧＲＡ，１００％"), "VIAGRA,100%");
        assert_eq!(clean("𝓿𝓲𝓪𝓰𝓻𝓪 𝐅𝐑𝐄𝐄 ⓕⓡⓔⓔ ﬁne 🅵🆁🅴🅴"), "viagra FREE free fine FREE");
        assert_eq!(clean("a\u{a0}b\u{2009}c\u{3000}d"), "a b c d");
        assert_eq!(clean("cafe\u{301} Ｘ…™"), "café X…™");
        assert_eq!(clean("x￣y"), "x \u{304}y", "as NFKC has it");
    }

    #[test]
    fn folded_text_is_lower_case_with_single_spaces() {
        assert_eq!(folded("plain text, 100 %"), "plain text, 100 %");
        assert_eq!(folded("Buy  NOW\r\n\tViagra "), "buy now viagra ");
        assert_eq!(folded("BUY\u{a0} vі\u{200b}аgrа Été"), "buy viagra ete");
        assert_eq!(folded("ΑΒΓ 你好 안녕"), folded("αβγ 你好 안녕"));
    }

    proptest::proptest! {
        #[test]
        fn clean_text_stays_as_it_is(text in "\\PC{0,40}") {
            let once = clean(&text);
            proptest::prop_assert_eq!(clean(&once), once);
        }

        #[test]
        fn folded_text_stays_as_it_is(text in "\\PC{0,40}") {
            let once = folded(&text);
            proptest::prop_assert_eq!(folded(&once), once);
        }
    }

    #[test]
    fn folding_is_idempotent() {
        for text in ["Buy  NOW", "Привет ΑΒΓ", "ﬁne ＸＹ", "æ ß İ ſ", "\u{0345}\u{130}"]
        {
            let once = folded(text);
            assert_eq!(folded(&once), once, "{text}");
        }
    }
}
