//! Spelling with a dictionary that is a filter.
//!
//! A filter of a word list answers "is this a word?" in a few bits per word, and that is all
//! a speller needs: words that are not in are *unknown*, and what was meant is probably one
//! *edit* away (a letter substituted, inserted or deleted, or two swapped), so all strings at
//! one edit are asked for too; and the few in which one sound is written in another way
//! (*caxorro*, *cachorro*), or a space is missing. Ten letters have about a thousand, so that
//!
//! ```text
//! wrong suggestions per unknown word = candidates x false-positive rate
//! ```
//!
//! A rate of one in a million (classic layout: 29 bits per word) gives one in a thousand
//! unknown words a suggestion that is no word; a rate of 1 % gives each of them ten. See
//! [`Speller::expected_false_suggestions`]; [`Speller::confirmed_by`] removes all of them.
//!
//! ```
//! use tamis::filter::BloomFilter;
//! use tamis::spell::Speller;
//!
//! let mut words = BloomFilter::with_false_positive_rate(10, 1e-6)?;
//! words.insert_many(&["você", "também", "viu", "o", "guarda", "chuva"]);
//! let speller = Speller::new(&words);
//!
//! let unknown: Vec<_> = speller.unknown("Voce viu\no guarda-chuva?").collect();
//! assert_eq!(unknown.len(), 1);
//! assert_eq!((unknown[0].line, unknown[0].column, unknown[0].word), (1, 1, "Voce"));
//! assert_eq!(speller.suggest("Voce")[0].word, "Você");
//! # Ok::<(), tamis::Error>(())
//! ```
//!
//! # What is a word, and known
//!
//! Words are those of Unicode text segmentation (UAX #29), joined by hyphens. Web and mail
//! addresses, paths, code, numbers, single letters and Roman numerals are passed over. A word is
//! known
//!
//! - as it stands, after composing its letters (NFC) and with any kind of apostrophe or hyphen;
//! - with a capital or all in capitals, if the list has it in small letters; what the list has
//!   with a capital needs one, and Dutch *ijs* becomes *IJs*;
//! - with hyphens, if all parts are known or are a Portuguese verb with its pronoun
//!   (*guarda-chuva*, *dir-se-ia*); with an elision, if the rest is (*d'água*);
//! - as part of an entry of several words, if the others stand beside it (*ad fundum*).
//!
//! The order of suggestions is that of [`Class`]. Word lists are expected in UTF-8 with composed
//! letters, as Debian has them.

mod case;
mod clitics;
mod decode;
mod edits;
mod known;
mod normal;
mod prose;
mod rank;
mod sounds;
mod suggest;
mod words;

pub use decode::Decoded;
pub use rank::{Class, Suggestion};
pub use suggest::{ALPHABET, MAX_LETTERS};

use crate::filter::Filter;
use words::Words;

/// A word that the dictionary does not know, where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misspelling<'t> {
    /// Where it starts in the text, in bytes from 0.
    pub offset: usize,
    /// Its line, from 1.
    pub line: u64,
    /// Its first character in its line, from 1, counted in Unicode scalar values: a tab is
    /// one, and so is a combining mark.
    pub column: u64,
    /// The word as it stands there.
    pub word: &'t str,
}

/// Something to ask about a word.
type Question<'a, Answer> = Box<dyn Fn(&str) -> Answer + 'a>;

/// A spelling checker over a filter of words.
pub struct Speller<'a, F: ?Sized> {
    dictionary: &'a F,
    alphabet: Vec<char>,
    confirm: Option<Question<'a, bool>>,
    counts: Option<Question<'a, u32>>,
}

impl<'a, F: Filter + ?Sized> Speller<'a, F> {
    /// With the words of this filter and the letters of [`ALPHABET`].
    #[must_use]
    pub fn new(dictionary: &'a F) -> Self {
        Self { dictionary, alphabet: ALPHABET.chars().collect(), confirm: None, counts: None }
            .with_letters("")
    }

    /// With more letters to make suggestions from. The letters of a word itself always count.
    #[must_use]
    pub fn with_letters(mut self, letters: &str) -> Self {
        self.alphabet.extend(normal::normal(letters).chars().flat_map(char::to_lowercase));
        self.alphabet.sort_unstable();
        self.alphabet.dedup();
        self
    }

    /// Asks `is_word` about everything that the filter finds, so that nothing false remains.
    #[must_use]
    pub fn confirmed_by(mut self, is_word: impl Fn(&str) -> bool + 'a) -> Self {
        self.confirm = Some(Box::new(is_word));
        self
    }

    /// Prefers words that `count` says are frequent, among suggestions of one class.
    #[must_use]
    pub fn counted_by(mut self, count: impl Fn(&str) -> u32 + 'a) -> Self {
        self.counts = Some(Box::new(count));
        self
    }

    /// Whether a word is known, whole or in parts, in these or other capitals.
    #[must_use]
    pub fn knows(&self, word: &str) -> bool {
        self.accepts(&normal::normal(word))
    }

    /// The words of a text that are not known, in order.
    ///
    /// # Complexity
    /// Linear in the text; memory for the words of one stretch without white space.
    pub fn unknown<'t>(&self, text: &'t str) -> impl Iterator<Item = Misspelling<'t>> {
        let mut position = Position { offset: 0, line: 1, column: 1 };
        Words::new(text).filter(|&word| !self.accepts_in(text, word)).map(move |word| {
            position.advance(text, word.offset);
            let Position { offset, line, column } = position;
            Misspelling { offset, line, column, word: word.text }
        })
    }
}

/// A place in a text.
#[derive(Clone, Copy)]
struct Position {
    offset: usize,
    line: u64,
    column: u64,
}

impl Position {
    /// Goes on to `offset`.
    fn advance(&mut self, text: &str, offset: usize) {
        let passed = &text[self.offset..offset];
        self.line += passed.bytes().filter(|&byte| byte == b'\n').count() as u64;
        match passed.rfind('\n') {
            Some(end) => self.column = 1 + passed[end + 1..].chars().count() as u64,
            None => self.column += passed.chars().count() as u64,
        }
        self.offset = offset;
    }
}

#[cfg(test)]
mod tests;
