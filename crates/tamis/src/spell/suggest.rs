//! What was perhaps meant: every known word at one edit or with one sound written in another
//! way, and two words without their space.

use super::Speller;
use super::case::{self, Case};
use super::edits::edits;
use super::normal::{is_joiner, normal};
use super::rank::{Change, Class, Suggestion, class};
use super::sounds::respelled;
use crate::filter::Filter;
use std::borrow::Cow;
use std::collections::HashSet;

/// The letters that suggestions are made from: all of English, Portuguese and Dutch,
/// apostrophe and hyphen.
pub const ALPHABET: &str = "abcdefghijklmnopqrstuvwxyzàáâãäåçèéêëíîïñóôõöúûü'-";

/// The longest word, in letters, that suggestions are made for.
pub const MAX_LETTERS: usize = 64;

/// The letters that are words, for taking two words apart.
const WORDS_OF_ONE_LETTER: &str = "aàeéoóuIAÀEÉOÓU";

impl<F: Filter + ?Sized> Speller<'_, F> {
    /// What `word` was perhaps meant to be, likely words first: all known words at one edit,
    /// and some more (see [`Class`]). None for longer words than [`MAX_LETTERS`].
    ///
    /// # Complexity
    /// One question to the filter per candidate, twice or three times as many for a word with
    /// capitals.
    #[must_use]
    pub fn suggest(&self, word: &str) -> Vec<Suggestion> {
        let word = normal(word);
        if word.chars().count() > MAX_LETTERS {
            return Vec::new();
        }
        let mut found = Vec::new();
        let lower = word.to_lowercase();
        let case = Case::of(&word);
        self.other_capitals(&word, &lower, &mut found);
        match case {
            Case::Lower => self.edited(&word, case, &[Case::Lower], &mut found),
            Case::Title => self.edited(&lower, case, &[Case::Lower, case], &mut found),
            Case::Upper => {
                self.edited(&lower, case, &[Case::Lower, Case::Title, case], &mut found);
            }
            Case::Mixed => {
                self.edited(&word, case, &[case], &mut found);
                self.edited(&lower, case, &[Case::Lower], &mut found);
            }
        }
        self.apart(&word, &mut found);
        found.sort_by(|a, b| a.rank().cmp(&b.rank()));
        let mut seen = HashSet::new();
        found.retain(|suggestion| seen.insert(suggestion.word.clone()));
        found
    }

    /// How many suggestions that are no words to expect for an unknown word in small letters
    /// of this length: the number of candidates times the filter's false-positive rate.
    #[must_use]
    pub fn expected_false_suggestions(&self, letters: usize) -> f64 {
        if self.confirm.is_some() {
            return 0.0;
        }
        let candidates = (2 * letters + 1) * self.alphabet.len() + 2 * letters;
        candidates as f64 * self.dictionary.current_false_positive_rate()
    }

    /// *Lisboa* for *lisboa*, *hello* for `HEllo`.
    fn other_capitals(&self, word: &str, lower: &str, found: &mut Vec<Suggestion>) {
        let forms = [
            (Class::Capitals, lower.to_owned()),
            (Class::Capitals, case::title(lower)),
            (Class::Capitals, case::title_of_parts(lower)),
            (Class::Acronym, lower.to_uppercase()),
        ];
        for (class, form) in forms {
            // Any known word may be written in capitals, but only an acronym must be.
            let known = if class == Class::Acronym { self.has(&form) } else { self.accepts(&form) };
            if known && form != word {
                let change = Change { keeps_first: true, at: 0, loses_mark: false };
                let count = self.count(&form);
                found.push(Suggestion { word: form, class, count, change });
            }
        }
    }

    /// The edits of `word` that are known with capitals as in one of `looked_up`, shown with
    /// capitals as in `shown`.
    fn edited(&self, word: &str, shown: Case, looked_up: &[Case], found: &mut Vec<Suggestion>) {
        let letters: Vec<char> = word.chars().collect();
        let mut alphabet = self.alphabet.clone();
        alphabet.extend(&letters);
        alphabet.sort_unstable();
        alphabet.dedup();
        let in_parts = letters.iter().copied().any(is_joiner);
        let mut add = |candidate: &str, in_parts, class, change| {
            let known = looked_up.iter().find_map(|case| {
                let form = match case {
                    Case::Lower | Case::Mixed => Cow::Borrowed(candidate),
                    _ => Cow::Owned(case.apply(candidate)),
                };
                (self.has(&form) || in_parts && self.accepts(&form)).then_some(form)
            });
            if let Some(form) = known {
                let (word, count) = (shown.apply(candidate), self.count(&form));
                found.push(Suggestion { word, class, count, change });
            }
        };
        let mut candidate = String::new();
        for edit in edits(&letters, &alphabet) {
            edit.apply(&letters, &mut candidate);
            // A hyphen anywhere would make known parts of anything.
            let in_parts = in_parts && !edit.letter().is_some_and(is_joiner);
            add(&candidate, in_parts, class(&letters, edit), Change::of(&letters, edit));
        }
        for (offset, candidate) in respelled(word) {
            let at = word[..offset].chars().count();
            let change = Change { keeps_first: at > 0, at, loses_mark: false };
            add(&candidate, in_parts, Class::Respelling, change);
        }
    }

    /// How often the dictionary has counted this, if it counts.
    fn count(&self, word: &str) -> u32 {
        self.counts.as_ref().map_or(0, |count| count(word))
    }

    /// The word as two that are known.
    fn apart(&self, word: &str, found: &mut Vec<Suggestion>) {
        let letters = word.chars().count();
        let known = |part: &str| {
            let mut letters = part.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) => {
                    WORDS_OF_ONE_LETTER.contains(letter) && self.has_cased(part)
                }
                _ => {
                    !part.starts_with(is_joiner)
                        && !part.ends_with(is_joiner)
                        && self.has_cased(part)
                }
            }
        };
        for (at, (middle, _)) in word.char_indices().enumerate().skip(1) {
            let (start, end) = word.split_at(middle);
            if known(start) && known(end) {
                // The more even, the better.
                let at = at.min(letters - at);
                found.push(Suggestion {
                    word: format!("{start} {end}"),
                    class: Class::Space,
                    count: 0,
                    change: Change { keeps_first: true, at, loses_mark: false },
                });
            }
        }
    }
}
