//! Which words the dictionary knows: as they stand, in other capitals, and in parts.

use super::case::{self, Case};
use super::clitics::is_verb_with_pronoun;
use super::normal::{is_apostrophe, is_hyphen, normal};
use super::words::{Word, is_digit};
use super::{MAX_LETTERS, Speller};
use crate::filter::Filter;
use crate::hash::Key;

/// The consonants that stand for a word before an apostrophe: *l'eau*, *d'água*.
const ELIDED: &str = "cdjlmnst";

/// The longest entry of several words that is looked for around a word.
const PHRASE: usize = 5;

impl<F: Filter + ?Sized> Speller<'_, F> {
    /// Whether the dictionary has exactly this.
    pub(super) fn has(&self, word: &str) -> bool {
        !word.is_empty()
            && self.dictionary.contains_hash(word.hash_with(self.dictionary.hash()))
            && self.confirm.as_ref().is_none_or(|confirm| confirm(word))
    }

    /// Whether the dictionary has this word, or another one that these capitals stand for.
    pub(super) fn has_cased(&self, word: &str) -> bool {
        if self.has(word) {
            return true;
        }
        match Case::of(word) {
            Case::Lower | Case::Mixed => false,
            Case::Title => self.has(&word.to_lowercase()),
            Case::Upper => {
                let lower = word.to_lowercase();
                self.has(&lower)
                    || self.has(&case::plain_title(&lower))
                    || lower.starts_with("ij") && self.has(&case::title(&lower))
                    || lower.contains(['\'', '-']) && self.has(&case::title_of_parts(&lower))
            }
        }
    }

    /// Whether a word in normal form is known, whole or in parts.
    pub(super) fn accepts(&self, word: &str) -> bool {
        self.has_cased(word)
            || word.contains('-') && self.accepts_parts(word)
            || self.accepts_elided(word)
    }

    /// *Guarda-chuva*: all parts are known; *dir-se-ia*: the verb is.
    fn accepts_parts(&self, word: &str) -> bool {
        let known = |part: &str| {
            part.chars().count() == 1
                || part.chars().any(is_digit)
                || self.has_cased(part)
                || self.accepts_elided(part)
        };
        if word.split('-').all(known) {
            return true;
        }
        let lower = word.to_lowercase();
        is_verb_with_pronoun(&lower.split('-').collect::<Vec<_>>(), |verb| self.has(verb))
    }

    /// *L'eau*: a consonant, and a word that is known.
    fn accepts_elided(&self, word: &str) -> bool {
        word.split_once('\'').is_some_and(|(start, rest)| {
            let mut letters = start.chars().flat_map(char::to_lowercase);
            let consonant = letters.next().is_some_and(|letter| ELIDED.contains(letter));
            consonant
                && letters.next().is_none()
                && rest.chars().nth(1).is_some()
                && (self.has_cased(rest) || rest.contains('-') && self.accepts_parts(rest))
        })
    }

    /// Whether a word is known where it stands in a text.
    pub(super) fn accepts_in(&self, text: &str, word: Word<'_>) -> bool {
        let plain = normal(word.text);
        if self.accepts(&plain) || is_name_of_code(&plain) {
            return true;
        }
        let before = &text[..word.offset];
        let after = &text[word.offset + word.text.len()..];
        // 's-Gravenhage, -cijferig, Agnes', zonne-, afb.
        before.ends_with(is_apostrophe) && self.has_cased(&format!("'{plain}"))
            || before.ends_with(is_hyphen) && self.has_cased(&format!("-{plain}"))
            || after.starts_with(is_apostrophe) && self.has_cased(&format!("{plain}'"))
            || after.starts_with(is_hyphen) && self.has_cased(&format!("{plain}-"))
            || after.starts_with('.') && self.has_cased(&format!("{plain}."))
            || self.accepts_whole(text, word)
            || self.accepts_phrase(before, &plain, after)
            || after.starts_with('.')
                && self.accepts_phrase(before, &format!("{plain}."), &after[1..])
    }

    /// Whether the dictionary has all that stands here without a space: *rock-'n-roll*, *kbit/s*.
    fn accepts_whole(&self, text: &str, word: Word<'_>) -> bool {
        let solid = |letter: &char| !letter.is_whitespace();
        let size = |letters: &mut dyn Iterator<Item = char>| {
            letters.take(MAX_LETTERS).take_while(solid).map(char::len_utf8).sum::<usize>()
        };
        let end = word.offset + word.text.len();
        let before = size(&mut text[..word.offset].chars().rev());
        let after = size(&mut text[end..].chars());
        let whole = text[word.offset - before..end + after]
            .trim_matches(|letter: char| !letter.is_alphanumeric());
        whole.len() > word.text.len() && self.has_cased(&normal(whole))
    }

    /// Whether the dictionary has an entry of several words that this one is part of:
    /// *ad fundum*.
    fn accepts_phrase(&self, before: &str, word: &str, after: &str) -> bool {
        let starts =
            nearest(before.strip_suffix(' ').into_iter().flat_map(|text| text.rsplit(' ')));
        let ends = nearest(after.strip_prefix(' ').into_iter().flat_map(|text| text.split(' ')));
        for first in 0..=starts.len() {
            let mut phrase: String =
                starts[..first].iter().rev().flat_map(|&word| [word, " "]).collect();
            phrase.push_str(word);
            if first > 0 && self.has_cased(&normal(&phrase)) {
                return true;
            }
            for next in &ends[..ends.len().min(PHRASE - 1 - first)] {
                let length = phrase.len();
                // What ends the sentence is part of no entry.
                let bare = next.trim_end_matches(|end: char| !end.is_alphanumeric());
                phrase.extend([" ", bare]);
                if self.has_cased(&normal(&phrase)) {
                    return true;
                }
                phrase.truncate(length);
                phrase.extend([" ", next]);
            }
        }
        false
    }
}

/// The next words on one side, as far as an entry may reach.
fn nearest<'t>(words: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let usual = |word: &&str| (1..=MAX_LETTERS).contains(&word.len());
    words.take(PHRASE - 1).take_while(usual).collect()
}

/// Whether a capital follows a small letter inside of a part: *camelCase*, *LaTeX*.
fn is_name_of_code(word: &str) -> bool {
    let mut small = false;
    word.chars().any(|letter| {
        let inside = small && letter.is_uppercase();
        small = letter.is_lowercase();
        inside
    })
}
