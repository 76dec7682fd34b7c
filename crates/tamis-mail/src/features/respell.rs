//! Words that hide from a filter, spelled plainly: `V I A G R A`, `v.i.a.g.r.a`, `v1agra`, `c@sh`,
//! and words with letters of other scripts.
//!
//! The result is the text with the plain spellings in place, and where they are. Features made of
//! these places and their neighbours are those of ordinary text, so what is known about a word holds
//! for its disguises, too.

use crate::message::normalize::{is_sign, lookalike, without_digits};
use std::ops::Range;

/// Fewest letters that are joined to a word.
const LEAST_JOINED: usize = 4;

/// Longest text between two letters that are joined, in bytes.
const LONGEST_GAP: usize = 3;

/// Longest word with signs, in bytes.
const LONGEST_CHUNK: usize = 24;

/// A text with plain spellings.
pub(super) struct Respelled {
    pub text: String,
    /// The places of the plain spellings, ascending.
    pub places: Vec<Range<usize>>,
    /// Second plain spellings of words that have two.
    pub variants: Vec<String>,
}

impl Respelled {
    /// The parts of the text with plain spellings and their neighbours, cut at white space.
    pub(super) fn windows(&self) -> Vec<Range<usize>> {
        let mut windows: Vec<Range<usize>> = Vec::new();
        let space = |c: char| c.is_whitespace();
        for place in &self.places {
            let done = windows.last().map_or(0, |window| window.end);
            if place.end < done {
                continue;
            }
            let after = &self.text[place.end..];
            let next = after.find(space).unwrap_or(after.len());
            let gap = after[next..].len() - after[next..].trim_start().len();
            let chunk = &after[next + gap..];
            let end = place.end + next + gap + chunk.find(space).unwrap_or(chunk.len());
            match windows.last_mut() {
                Some(window) if place.start <= window.end => window.end = end,
                _ => {
                    let before = &self.text[done..place.start];
                    // The word may be part of a longer run without white space.
                    let chunk = before.rfind(space).map_or(0, |at| at + 1);
                    let before = &before[..before.floor_char_boundary(chunk)];
                    let start = before.trim_end().rfind(space).unwrap_or(0);
                    windows.push(done + start..end);
                }
            }
        }
        windows
    }
}

fn is_single_letter(token: &str) -> bool {
    let mut characters = token.chars();
    let (first, second) = (characters.next(), characters.next());
    // Characters of scripts without spaces are always alone.
    second.is_none()
        && first.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '\u{C0}'..='\u{5FF}'))
}

/// Looks for words in disguise among the tokens of a text.
pub(super) struct Search<'a> {
    text: &'a str,
    /// The last word.
    last_word: Range<usize>,
    /// Tokens before this offset are part of a word with signs.
    done: usize,
    /// Places in the text with their plain spelling, ascending.
    edits: Vec<(Range<usize>, String)>,
    variants: Vec<String>,
    run: Option<Run>,
}

/// Single letters with the same gap between them.
struct Run {
    place: Range<usize>,
    gap: Option<Range<usize>>,
    joined: String,
    letters: usize,
}

impl<'a> Search<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, last_word: 0..0, done: 0, edits: Vec::new(), variants: Vec::new(), run: None }
    }

    /// Takes the next token; `is_odd` for a word with digits or characters outside ASCII.
    #[inline]
    pub(super) fn look(&mut self, place: &Range<usize>, is_odd: bool) {
        let token = &self.text.as_bytes()[place.clone()];
        let first = token[0];
        if first.is_ascii_punctuation() && first != b'_' {
            if is_sign(first) {
                self.sign(place);
            }
            return;
        }
        self.last_word = place.clone();
        if token.len() <= 2 {
            return self.short(place);
        }
        if self.run.is_some() {
            self.end_run();
        }
        if is_odd {
            self.odd(place);
        }
    }

    /// Takes a sign that may stand for a letter.
    fn sign(&mut self, place: &Range<usize>) {
        if place.start >= self.done
            && let Some(end) = self.signs(place)
        {
            self.done = end;
        }
    }

    /// Takes a word of one or two bytes.
    fn short(&mut self, place: &Range<usize>) {
        if place.start < self.done {
            return;
        }
        if is_single_letter(&self.text[place.clone()]) {
            self.letter(place.clone());
        } else {
            self.end_run();
        }
    }

    /// Takes a word with digits or characters outside ASCII.
    fn odd(&mut self, place: &Range<usize>) {
        if place.start < self.done {
            return;
        }
        let token = &self.text[place.clone()];
        if !token.is_ascii() {
            if let Some(found) = lookalike(token) {
                self.edits.push((place.clone(), found.plain));
            }
        } else if let Some(found) = without_digits(token) {
            self.variants.extend(found.variant);
            self.edits.push((place.clone(), found.plain));
        }
    }

    /// Takes a single letter.
    fn letter(&mut self, place: Range<usize>) {
        let letter = &self.text[place.clone()];
        if let Some(run) = &mut self.run {
            let gap = run.place.end..place.start;
            let fits = match &run.gap {
                Some(known) => self.text[known.clone()] == self.text[gap.clone()],
                None => (1..=LONGEST_GAP).contains(&gap.len()),
            };
            if fits {
                run.gap.get_or_insert(gap);
                run.place.end = place.end;
                run.joined.push_str(letter);
                run.letters += 1;
                return;
            }
        }
        self.end_run();
        self.run = Some(Run { place, gap: None, joined: letter.to_owned(), letters: 1 });
    }

    /// Joins the letters so far, if they are enough.
    fn end_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        let digits = run.joined.bytes().filter(u8::is_ascii_digit).count();
        if run.letters < LEAST_JOINED || 2 * digits > run.letters {
            return;
        }
        let plain = lookalike(&run.joined).map(|found| found.plain);
        let plain = plain.or_else(|| {
            let found = without_digits(&run.joined)?;
            self.variants.extend(found.variant);
            Some(found.plain)
        });
        self.edits.push((run.place, plain.unwrap_or(run.joined)));
    }

    /// Takes a word with signs for letters, of which the first is at `sign`. The end of the word, if
    /// it is one.
    fn signs(&mut self, sign: &Range<usize>) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let last_word = self.last_word.clone();
        let follows = last_word.end == sign.start && !last_word.is_empty();
        let start = if follows { last_word.start } else { sign.start };
        if !follows && bytes[sign.start] != b'$' {
            return None;
        }
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || is_sign(*byte);
        let rest = &bytes[sign.start..];
        let length = rest.iter().take(LONGEST_CHUNK).take_while(|byte| is_part(byte)).count();
        let mut end = sign.start + length;
        // A sign at the end is punctuation.
        while end > start && is_sign(bytes[end - 1]) {
            end -= 1;
        }
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        let is_address = matches!(before, Some(b'.' | b'-' | b'+' | b'/' | b':' | b'='))
            || (matches!(bytes.get(end), Some(b'.' | b'-'))
                && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric));
        if end <= sign.start || is_address || end - start > LONGEST_CHUNK {
            return None;
        }
        let found = without_digits(&self.text[start..end])?;
        self.run = None;
        if self.edits.last().is_some_and(|(place, _)| place.end > start) {
            self.edits.pop();
        }
        self.variants.extend(found.variant);
        self.edits.push((start..end, found.plain));
        Some(end)
    }

    /// The text with plain spellings, if there are any.
    pub(super) fn finish(mut self) -> Option<Respelled> {
        self.end_run();
        if self.edits.is_empty() {
            return None;
        }
        let mut text = String::with_capacity(self.text.len());
        let mut places = Vec::with_capacity(self.edits.len());
        let mut at = 0;
        for (place, plain) in self.edits {
            text.push_str(&self.text[at..place.start]);
            places.push(text.len()..text.len() + plain.len());
            text.push_str(&plain);
            at = place.end;
        }
        text.push_str(&self.text[at..]);
        Some(Respelled { text, places, variants: self.variants })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::Tokens;
    use super::*;

    fn respelled(text: &str) -> Option<Respelled> {
        let mut search = Search::new(text);
        let mut tokens = Tokens::new(text);
        while let Some(place) = tokens.next() {
            search.look(&place, tokens.is_odd());
        }
        search.finish()
    }

    fn plain(text: &str) -> String {
        respelled(text).map_or_else(String::new, |found| {
            for place in &found.places {
                assert!(found.text.get(place.clone()).is_some_and(|word| !word.is_empty()));
            }
            found.text
        })
    }

    #[test]
    fn disguised_words_are_spelled_plainly() {
        for (text, expected) in [
            ("buy V I A G R A now", "buy VIAGRA now"),
            ("v.i.a.g.r.a!", "viagra!"),
            ("it is F-R-E-E.", "it is FREE."),
            ("F R E E   V I A G R A", "FREE   VIAGRA"),
            ("V 1 A G R A", "ViAGRA"),
            ("v і a g r а", "viagra"),
            ("more v1agra, 0ffer!", "more viagra, offer!"),
            ("c@sh and $ave!!", "cash and save!!"),
            ("vіаgrа", "viagra"),
            ("v|agra", "viagra"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn ordinary_text_has_no_other_spelling() {
        for text in [
            "Hello Anne, the U.S. team met at 10am (see anne@example.org, $50, US$ 20).",
            "I. J. Smith, Ph.D., e.g. plan B or a b c",
            "https://user@host.example/a?b=c&d=1@2 mail.to+x@list.example-site.org",
            "Wow! 1 2 3 4 5 6 and 3.1.4.1.5",
            "免费发票 привет naïve",
        ] {
            assert!(respelled(text).is_none(), "{}", plain(text));
        }
    }
}
