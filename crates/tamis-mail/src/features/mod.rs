//! Features of the word model: tokens and pairs of adjacent tokens.
//!
//! 1. A token is a word, a punctuation character (a run of the same one is one token), or a character
//!    or window of characters in scripts without spaces. Its first [`LONGEST`] bytes count. Letters
//!    are compared in lower case.
//! 2. A feature is a token or a pair of adjacent tokens of one [`Section`]; no pair crosses sections.
//!    A word that starts with a capital is also a feature as written, and a word of the subject is
//!    also one of the body. [`Section::Alternative`] has no pairs.
//! 3. Words in disguise, such as `v1agra` or `V I A G R A`, also have the features of their plain
//!    spelling, the same ones that ordinary text has. ASCII prose has no others than by rule 2.
//! 4. The length of the body, in powers of four, is a feature, so a message without words has one.
//! 5. A message has each feature once.
//!
//! The version of these rules is part of a store ([`VERSION`]): features of different versions are
//! not comparable.

mod respell;
mod tokens;

use crate::message::{Message, Section};
use respell::{Respelled, Search};
use std::borrow::Cow;
use tamis::hash::{KeyHash, mixed};
use tamis::similar::Set;
use tokens::Tokens;

/// Version of the rules. 2: text is normalised, scripts without spaces are split, punctuation
/// outside ASCII ends words, and words in disguise are also spelled plainly.
pub const VERSION: u16 = 2;

/// Number of bytes of a token that count.
pub const LONGEST: usize = 40;

/// Maximum number of features of a message; the rest of the text is ignored.
pub const MOST: usize = 1 << 18;

/// The distinct features of a message, as hashes in ascending order.
#[must_use]
pub fn features(message: &Message<'_>, hash: &KeyHash) -> Vec<u64> {
    // More than most texts have: one token in four bytes, and a pair for each.
    let bytes: usize = message.sections().map(|(_, text)| text.len()).sum();
    let mut features = Vec::with_capacity(bytes.min(MOST) / 2);
    for_each(message, hash, |feature, _| features.push(feature));
    Set::from_hashes(features).into_hashes()
}

/// What a feature was made of, for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Its section.
    pub section: Section,
    /// The text that the tokens are parts of.
    pub text: &'a str,
    /// The first token of a pair.
    pub before: Option<&'a [u8]>,
    /// The token, or the second of a pair.
    pub token: &'a [u8],
}

/// Calls `visit` with each feature in the order of the text, repetitions included. Features of plain
/// spellings come after those of the section as written.
pub fn for_each(message: &Message<'_>, hash: &KeyHash, mut visit: impl FnMut(u64, Origin<'_>)) {
    let mut count = 0;
    let mut in_body = 0;
    let in_a_body = salt(hash, Section::Body as u64);
    for (section, text) in message.sections() {
        let salts = Salts { section, text, own: salt(hash, section as u64), body: in_a_body };
        let mut last: Option<(u64, &[u8])> = None;
        let mut search = Search::new(text);
        let lower = text.to_ascii_lowercase();
        let mut tokens = Tokens::new(text);
        while let Some(place) = tokens.next() {
            if count >= MOST {
                return;
            }
            let is_odd = tokens.is_odd();
            search.look(&place, is_odd);
            let (token, lower) = (&text[place.clone()], &lower[place]);
            let own = if is_odd {
                hash.bytes(capped(lowercase(lower).as_bytes()))
            } else {
                hash.bytes(capped(lower.as_bytes()))
            };
            let token = token.as_bytes();
            salts.word(hash, token, own, &mut visit);
            if let Some(last) = last {
                salts.pair(last, (own, token), &mut visit);
            }
            // What no reader sees may be anything, and pairs of it would outnumber the rest.
            last = Some((own, token)).filter(|_| section != Section::Alternative);
            count += 2;
            in_body += usize::from(section == Section::Body);
        }
        if let Some(respelled) = search.finish() {
            count += plain(&respelled, hash, &salts, MOST - count.min(MOST), &mut visit);
        }
    }
    let length = LENGTHS[((in_body + 1usize).ilog2() as usize / 2).min(LENGTHS.len() - 1)];
    let of_length = mixed(hash.bytes(length), salt(hash, 0));
    visit(of_length, Origin { section: Section::Body, text: "", before: None, token: length });
}

/// Visits the features that plain spellings add, at most `most`; how many these are.
fn plain(
    respelled: &Respelled,
    hash: &KeyHash,
    salts: &Salts<'_>,
    most: usize,
    visit: &mut impl FnMut(u64, Origin<'_>),
) -> usize {
    let own = |token: &str| hash.bytes(capped(lowercase(&token.to_ascii_lowercase()).as_bytes()));
    let mut count = 0;
    let mut places = respelled.places.iter().peekable();
    for window in respelled.windows() {
        let mut last: Option<(&str, bool)> = None;
        let text = &respelled.text[window.clone()];
        let salts = &Salts { text, ..*salts };
        for place in Tokens::new(text) {
            if count >= most {
                return count;
            }
            let token = &text[place.clone()];
            let place = window.start + place.start..window.start + place.end;
            while places.next_if(|plain| plain.end <= place.start).is_some() {}
            let is_plain = places.peek().is_some_and(|plain| plain.start < place.end);
            if is_plain {
                salts.word(hash, token.as_bytes(), own(token), visit);
                count += 1;
            }
            if let Some((before, was_plain)) = last
                && (is_plain || was_plain)
                && salts.section != Section::Alternative
            {
                let before = (own(before), before.as_bytes());
                salts.pair(before, (own(token), token.as_bytes()), visit);
                count += 1;
            }
            last = Some((token, is_plain));
        }
    }
    for variant in respelled.variants.iter().take(most - count) {
        let salts = Salts { text: variant, ..*salts };
        salts.word(hash, variant.as_bytes(), own(variant), visit);
        count += 1;
    }
    count
}

/// What makes features of one section different from those of others.
#[derive(Clone, Copy)]
struct Salts<'a> {
    section: Section,
    text: &'a str,
    own: u64,
    body: u64,
}

impl Salts<'_> {
    /// Visits the features of a token with this hash of its lower case.
    #[inline]
    fn word(
        &self,
        hash: &KeyHash,
        token: &[u8],
        own: u64,
        visit: &mut impl FnMut(u64, Origin<'_>),
    ) {
        let origin = Origin { section: self.section, text: self.text, before: None, token };
        if self.section == Section::Subject {
            visit(mixed(own, self.body), origin);
        }
        if token.len() > 1 && token[0].is_ascii_uppercase() {
            visit(mixed(hash.bytes(capped(token)), self.own), origin);
        }
        visit(mixed(own, self.own), origin);
    }

    /// Visits the feature of a pair, each with the hash of its lower case.
    #[inline]
    fn pair(
        &self,
        (before, of_token): (u64, &[u8]),
        (own, token): (u64, &[u8]),
        visit: &mut impl FnMut(u64, Origin<'_>),
    ) {
        let pair = mixed(own, mixed(before, !self.own));
        let before = Some(of_token);
        visit(pair, Origin { section: self.section, text: self.text, before, token });
    }
}

/// A token in lower case, of which ASCII letters already are.
fn lowercase(token: &str) -> Cow<'_, str> {
    if token.is_ascii() { Cow::Borrowed(token) } else { Cow::Owned(token.to_lowercase()) }
}

/// Names of the lengths of a body, by powers of four.
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

/// Makes the same token different features in different sections: the hash of the section's number in
/// eight bytes. Number 0 belongs to no section.
fn salt(hash: &KeyHash, section: u64) -> u64 {
    hash.bytes(&section.to_le_bytes())
}

/// The part of a token that counts.
fn capped(token: &[u8]) -> &[u8] {
    &token[..token.len().min(LONGEST)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All features of a text as a person would write them, sorted.
    fn listed(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each(&Message::of_text(text.to_owned()), &KeyHash::default(), |_, origin| {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            let before = origin.before.map(|before| text(before) + "+").unwrap_or_default();
            found.push(before + &text(origin.token));
        });
        found.sort();
        found
    }

    #[test]
    fn ascii_prose_has_words_pairs_capitals_and_a_length() {
        let mut expected = vec![
            "Hi",
            "Hi",
            "Hi+Anne",
            "Anne",
            "Anne",
            "Anne+,",
            ",",
            ",+meet",
            "meet",
            "meet+at",
            "at",
            "at+10am",
            "10am",
            "10am+(",
            "(",
            "(+mp3",
            "mp3",
            "mp3+,",
            ",",
            ",+$",
            "$",
            "$+50",
            "50",
            "50+)",
            ")",
            ")+!",
            "!",
            "(under 15 words)",
        ];
        expected.sort_unstable();
        // The fourteen tokens are listed once each, capitals twice.
        assert_eq!(listed("Hi Anne, meet at 10am (mp3, $50)!!"), expected);
        let old = "See anne@example.org or http://x.example/a1b2 on 2nd Dec. U.S. B2B $5 a|b wow!x";
        assert_eq!(Tokens::new(old).count() * 2 - 1 + 6 + 1, listed(old).len());
    }

    #[test]
    fn what_is_known_about_a_word_holds_for_its_disguises() {
        let hash = KeyHash::default();
        let of = |text: &str| {
            let mut found = Vec::new();
            for_each(&Message::of_text(text.to_owned()), &hash, |feature, origin| {
                found.extend((!origin.token.starts_with(b"(")).then_some(feature));
            });
            found
        };
        let plain = of("buy viagra today my friend of old");
        for disguise in [
            "v1agra",
            "v.i.a.g.r.a",
            "V I A G R A",
            "vіagrа",
            "ｖｉａｇｒａ",
            "v\u{200b}iagra",
            "vi@gra",
            "𝓋𝒾𝒶𝑔𝓇𝒶",
            "ᴠɪᴀɢʀᴀ",
            "v-i-a-g-r-a",
            "VІAGRА",
        ] {
            let disguised = of(&format!("buy {disguise} today my friend of old"));
            let missing = plain.iter().filter(|f| !disguised.contains(f));
            assert_eq!(missing.count(), 0, "{disguise}");
        }
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
