//! Documents as sets of shingles: short runs of words, characters or bytes.
//!
//! | scheme | a shingle is |
//! |---|---|
//! | `words:3` | three words that follow each other |
//! | `chars:5` | five characters that follow each other |
//! | `bytes:8` | eight bytes that follow each other |
//! | `stopwords:en` | a common word of the language and the two words after it |
//! | `text` | the whole text: only the same text is similar |
//! | `picture` | a block of pixels of a picture that is scaled down ([`Picture`]) |
//!
//! What a word is, [`Tokens`] say: what stands between white space, with its punctuation, or the
//! words of Unicode Standard Annex 29, without.
//!
//! A document with fewer words, characters or bytes than a shingle has is one shingle of its own,
//! all that it has: it is like its copies and like nothing else. An empty one is the empty set.
//! (Of stop-word shingles a text may have none; that is the empty set, too.)
//!
//! In languages that do not put spaces between words (Chinese, Japanese, Thai) each character counts as a
//! word.

mod picture;
mod stopwords;
mod tokens;
mod words;

pub use picture::Picture;
pub use stopwords::Language;
pub use tokens::Tokens;
pub use words::{words, words_plain};

use super::Set;
use crate::hash::KeyHash;
use crate::{Error, Result};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use unicode_normalization::UnicodeNormalization;

/// The longest shingle.
pub const MAX_LENGTH: usize = 64;

/// What a shingle is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shingles {
    /// So many words that follow each other.
    Words(usize),
    /// So many characters that follow each other.
    Characters(usize),
    /// So many bytes that follow each other.
    Bytes(usize),
    /// A common word of a language and the two words after it.
    StopWords(Language),
    /// The whole text.
    Text,
    /// A block of pixels of a picture.
    Picture,
}

/// Ways to write the same characters as the same bytes, of Unicode Standard Annex 15.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Normalization {
    /// Composed: a letter with its accent is one character.
    Nfc,
    /// Composed, and compatibility characters (full-width letters, ligatures) are plain ones.
    Nfkc,
}

impl fmt::Display for Normalization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nfc => "nfc",
            Self::Nfkc => "nfkc",
        })
    }
}

impl Shingles {
    /// Its number in files, with its length or the number of its language.
    pub(crate) fn code(self) -> (u8, u8) {
        match self {
            Self::Words(length) => (1, length as u8),
            Self::Characters(length) => (2, length as u8),
            Self::Bytes(length) => (3, length as u8),
            Self::StopWords(language) => (4, language as u8),
            Self::Text => (5, 0),
            Self::Picture => (6, 0),
        }
    }

    pub(crate) fn from_code(scheme: u8, detail: u8) -> Option<Self> {
        let length = Some(usize::from(detail)).filter(|length| (1..=MAX_LENGTH).contains(length));
        match scheme {
            1 => length.map(Self::Words),
            2 => length.map(Self::Characters),
            3 => length.map(Self::Bytes),
            4 => Language::ALL.get(usize::from(detail)).copied().map(Self::StopWords),
            5 if detail == 0 => Some(Self::Text),
            6 if detail == 0 => Some(Self::Picture),
            _ => None,
        }
    }
}

impl fmt::Display for Shingles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(length) => write!(f, "words:{length}"),
            Self::Characters(length) => write!(f, "chars:{length}"),
            Self::Bytes(length) => write!(f, "bytes:{length}"),
            Self::StopWords(language) => write!(f, "stopwords:{}", language.code()),
            Self::Text => f.write_str("text"),
            Self::Picture => f.write_str("picture"),
        }
    }
}

impl FromStr for Shingles {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = || Error::Parameter {
            what: "the shingle",
            expected: "words:K, chars:K or bytes:K with K from 1 to 64, stopwords:en (pt, nl, es, fr, de), text or picture",
            got: text.to_owned(),
        };
        match text {
            "text" => return Ok(Self::Text),
            "picture" => return Ok(Self::Picture),
            _ => {}
        }
        let (scheme, detail) = text.split_once(':').ok_or_else(refused)?;
        let length = detail.parse().ok().filter(|length| (1..=MAX_LENGTH).contains(length));
        match (scheme, length) {
            ("words", Some(length)) => Ok(Self::Words(length)),
            ("chars", Some(length)) => Ok(Self::Characters(length)),
            ("bytes", Some(length)) => Ok(Self::Bytes(length)),
            ("stopwords", None) => {
                Language::from_code(detail).map(Self::StopWords).ok_or_else(refused)
            }
            _ => Err(refused()),
        }
    }
}

/// Turns documents into sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shingler {
    shingles: Shingles,
    tokens: Tokens,
    lowercase: bool,
    normalization: Option<Normalization>,
    hash: KeyHash,
    /// The hashes of the common words, ascending, if shingles begin with them.
    common: Vec<u64>,
}

impl Shingler {
    /// With this scheme, the default hash, and text as it is.
    #[must_use]
    pub fn new(shingles: Shingles) -> Self {
        let hash = KeyHash::default();
        let common = common_words(shingles, &hash);
        let tokens = Tokens::default();
        Self { shingles, tokens, lowercase: false, normalization: None, hash, common }
    }

    /// What a word is.
    #[must_use]
    pub const fn tokens_as(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// Whether upper-case letters count as lower-case ones.
    #[must_use]
    pub const fn lowercase(mut self, lowercase: bool) -> Self {
        self.lowercase = lowercase;
        self
    }

    /// In which form characters are compared; as they are, if in none.
    #[must_use]
    pub const fn normalize(mut self, form: Option<Normalization>) -> Self {
        self.normalization = form;
        self
    }

    /// With another scheme.
    #[must_use]
    pub fn with_shingles(mut self, shingles: Shingles) -> Self {
        self.shingles = shingles;
        self.common = common_words(shingles, &self.hash);
        self
    }

    /// With another hash or seed.
    #[must_use]
    pub fn with_hash(mut self, hash: KeyHash) -> Self {
        self.hash = hash;
        self.common = common_words(self.shingles, &hash);
        self
    }

    /// The scheme.
    #[must_use]
    pub const fn shingles(&self) -> Shingles {
        self.shingles
    }

    /// What a word is.
    #[must_use]
    pub const fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// Whether upper-case letters count as lower-case ones.
    #[must_use]
    pub const fn is_lowercase(&self) -> bool {
        self.lowercase
    }

    /// In which form characters are compared.
    #[must_use]
    pub const fn normalization(&self) -> Option<Normalization> {
        self.normalization
    }

    /// The hash of shingles.
    #[must_use]
    pub const fn hash(&self) -> &KeyHash {
        &self.hash
    }

    /// The set of a document's shingles.
    #[must_use]
    pub fn set(&self, text: &str) -> Set {
        let mut hashes = Vec::new();
        self.hashes(text, &mut hashes);
        Set::from_hashes(hashes)
    }

    /// The set of a picture's blocks, whatever the scheme for texts is.
    #[must_use]
    pub fn picture(&self, picture: &Picture<'_>) -> Set {
        picture::set(picture, &self.hash)
    }

    /// The hashes of a document's shingles in the order of the text, repetitions included, behind
    /// what `hashes` has already.
    pub fn hashes(&self, text: &str, hashes: &mut Vec<u64>) {
        let text = self.folded(text);
        match self.shingles {
            Shingles::Words(length) => self.words(&text, length, hashes),
            Shingles::Characters(length) => self.characters(&text, length, hashes),
            Shingles::Bytes(length) => self.runs(text.as_bytes(), length, hashes),
            Shingles::StopWords(_) => self.stop_words(&text, hashes),
            Shingles::Text | Shingles::Picture => self.whole(text.as_bytes(), hashes),
        }
    }

    /// The text in the form in which it is compared. ASCII is normal in every form.
    fn folded<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if text.is_ascii() {
            return if self.lowercase { text.to_ascii_lowercase().into() } else { text.into() };
        }
        let lower = |text: Cow<'a, str>| {
            if self.lowercase { Cow::Owned(text.to_lowercase()) } else { text }
        };
        match self.normalization {
            None => lower(text.into()),
            Some(Normalization::Nfc) => lower(text.nfc().collect::<String>().into()),
            Some(Normalization::Nfkc) => lower(text.nfkc().collect::<String>().into()),
        }
    }

    fn words(&self, text: &str, length: usize, hashes: &mut Vec<u64>) {
        let start = hashes.len();
        self.tokens.for_each(text, |word| hashes.push(self.hash.bytes(word)));
        join_runs(hashes, start, length);
    }

    fn characters(&self, text: &str, length: usize, hashes: &mut Vec<u64>) {
        if text.is_ascii() {
            return self.runs(text.as_bytes(), length, hashes);
        }
        let mut ends: Vec<usize> = text.char_indices().map(|(index, _)| index).collect();
        ends.push(text.len());
        if ends.len() <= length {
            return self.whole(text.as_bytes(), hashes);
        }
        let bytes = text.as_bytes();
        hashes.extend(ends.windows(length + 1).map(|e| self.hash.bytes(&bytes[e[0]..e[length]])));
    }

    fn runs(&self, bytes: &[u8], length: usize, hashes: &mut Vec<u64>) {
        if bytes.len() < length {
            return self.whole(bytes, hashes);
        }
        hashes.extend(bytes.windows(length).map(|run| self.hash.bytes(run)));
    }

    /// A document shorter than a shingle.
    fn whole(&self, bytes: &[u8], hashes: &mut Vec<u64>) {
        if !bytes.is_empty() {
            hashes.push(self.hash.bytes(bytes));
        }
    }

    fn stop_words(&self, text: &str, hashes: &mut Vec<u64>) {
        let mut all = Vec::new();
        self.tokens.for_each(text, |word| all.push(self.hash.bytes(word)));
        let runs = all.windows(3).filter(|run| self.common.binary_search(&run[0]).is_ok());
        hashes.extend(runs.map(joined));
    }
}

impl fmt::Display for Shingler {
    /// Everything that decides which documents are alike, in one line: `words:3, whitespace tokens`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.shingles)?;
        if matches!(self.shingles, Shingles::Words(_) | Shingles::StopWords(_)) {
            write!(f, ", {} tokens", self.tokens)?;
        }
        if self.lowercase {
            f.write_str(", lower case")?;
        }
        self.normalization.map_or(Ok(()), |form| write!(f, ", {form}"))
    }
}

fn common_words(shingles: Shingles, hash: &KeyHash) -> Vec<u64> {
    let Shingles::StopWords(language) = shingles else { return Vec::new() };
    let mut hashes: Vec<u64> =
        language.common_words().map(|word| hash.bytes(word.as_bytes())).collect();
    hashes.sort_unstable();
    hashes
}

/// Odd multipliers, one for each place in a shingle.
const fn place(index: usize) -> u64 {
    crate::hash::function(0x9E37_79B9_7F4A_7C15, index as u32) | 1
}

/// The hash of a run of words from theirs: different orders give different hashes.
#[inline(always)]
fn joined(words: &[u64]) -> u64 {
    let sum = words.iter().enumerate();
    sum.fold(0, |sum: u64, (index, word)| sum.wrapping_add(word.wrapping_mul(place(index))))
}

/// Replaces the hashes of words from `start` on by those of their runs of `length`. Fewer words
/// than that are one run of their own.
fn join_runs(hashes: &mut Vec<u64>, start: usize, length: usize) {
    let words = &mut hashes[start..];
    if words.is_empty() || length == 1 {
        return;
    }
    if words.len() < length {
        // Fewer places than a full run has: no full run is equal but by chance.
        let whole = joined(words) ^ words.len() as u64;
        hashes.truncate(start);
        hashes.push(whole);
        return;
    }
    let runs = words.len() - length + 1;
    match length {
        2 => join_fixed::<2>(words, runs),
        3 => join_fixed::<3>(words, runs),
        5 => join_fixed::<5>(words, runs),
        _ => {
            for index in 0..runs {
                words[index] = joined(&words[index..index + length]);
            }
        }
    }
    hashes.truncate(start + runs);
}

fn join_fixed<const LENGTH: usize>(words: &mut [u64], runs: usize) {
    let places: [u64; LENGTH] = std::array::from_fn(place);
    for index in 0..runs {
        let mut sum = 0u64;
        for (word, place) in words[index..index + LENGTH].iter().zip(places) {
            sum = sum.wrapping_add(word.wrapping_mul(place));
        }
        words[index] = sum;
    }
}
