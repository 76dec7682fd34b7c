//! Letters that look like ASCII letters, by the confusables of Unicode TR39.
//!
//! TR39 maps each character to a prototype; characters with the same prototype look alike. The
//! prototypes of ASCII are not all ASCII-preserving (`m` becomes `rn`, `I` becomes `l`), so only
//! characters outside ASCII are mapped here, and to the letter that a reader would type.

use super::memo::Memo;
use super::{is_invisible, substitute};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

/// A word in plain letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lookalike {
    /// The word in plain letters, capitals kept where they are ASCII.
    pub plain: String,
    /// Whether it cannot be the ordinary spelling of some language, as opposed to accents.
    pub deceives: bool,
}

/// A word in plain letters, if it is one written with look-alikes or piled-up accents.
///
/// 1. A word that mixes ASCII letters with look-alikes of another script.
/// 2. A word outside ASCII that looks entirely like ASCII, from four letters on if it is of one
///    script (Russian has short words of this kind).
/// 3. A word with combining marks that no alphabet has, or where at least two letters and every
///    third one carry an accent.
pub(crate) fn lookalike(word: &str) -> Option<Lookalike> {
    if word.is_ascii() || word.len() > 8 * crate::features::LONGEST {
        return None;
    }
    let mut plain = String::with_capacity(word.len());
    let (mut letters, mut ascii, mut foreign, mut similar) = (0usize, 0usize, 0usize, 0usize);
    let (mut accents, mut marks, mut other) = (0usize, 0usize, 0usize);
    let mixes = word.bytes().any(|byte| byte.is_ascii_alphabetic());
    for character in word.chars() {
        if character.is_ascii() {
            ascii += usize::from(character.is_ascii_alphabetic());
            letters += 1;
            plain.push(character);
            continue;
        }
        if matches!(character, '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{20D0}'..='\u{20FF}')
        {
            marks += 1;
            continue;
        }
        if is_unfolded(character) {
            return None;
        }
        letters += 1;
        if let Some(base) = accented(character) {
            accents += 1;
            plain.push(base);
            continue;
        }
        let is_foreign = !is_latin(character);
        foreign += usize::from(is_foreign);
        match plain_letter(character, mixes || !is_foreign) {
            Plain::Letter(letter) => {
                similar += 1;
                plain.push(if character.is_uppercase() {
                    letter.to_ascii_uppercase()
                } else {
                    letter
                });
            }
            Plain::Other(lower) => {
                other += 1;
                plain.push(lower);
            }
        }
    }
    let mixed = ascii > 0 && foreign > 0 && similar > 0;
    let whole = other == 0 && similar > 0 && (ascii > 0 || letters >= 4);
    let deceives = mixed || whole || (marks > 0 && ascii > 0);
    let decorated = accents >= 2 && 3 * accents >= letters && other == 0;
    (deceives || decorated).then_some(Lookalike { plain, deceives })
}

/// Appends a character for n-grams: see [`super::fold_into`]. `in_space` says whether the last one
/// was white space.
pub(super) fn push_folded(character: char, in_space: &mut bool, folded: &mut Vec<u8>) {
    let character = substitute(character);
    if is_invisible(character) || matches!(character, '\u{300}'..='\u{36F}') {
        return;
    }
    if character.is_whitespace() {
        if !*in_space {
            folded.push(b' ');
        }
        *in_space = true;
        return;
    }
    *in_space = false;
    folded.extend_from_slice(fold(character).encode_utf8(&mut [0; 4]).as_bytes());
}

/// A character in lower case and in plain letters.
fn fold(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    if is_unfolded(character) {
        return character;
    }
    static FOLDED: Memo = Memo::new();
    let folded = FOLDED.get(character, |character| settled(character) as u32);
    char::from_u32(folded).unwrap_or(character)
}

/// Folds until nothing changes, so that folding is idempotent. Capitals and small letters have the
/// same result.
fn settled(character: char) -> char {
    let step = |character: char| {
        if character.is_ascii() {
            return character.to_ascii_lowercase();
        }
        if let Some(base) = accented(character) {
            return base.to_ascii_lowercase();
        }
        let lower = single(character.to_lowercase()).unwrap_or(character);
        match plain_letter(lower, false) {
            Plain::Letter(letter) => letter,
            Plain::Other(lower) => {
                match single(lower.to_uppercase()).map(|c| plain_letter(c, false)) {
                    Some(Plain::Letter(letter)) => letter,
                    _ => lower,
                }
            }
        }
    };
    let mut folded = step(character);
    for _ in 0..3 {
        folded = step(folded);
    }
    folded
}

/// Scripts of which no letter is taken for an ASCII one: Han, kana, Hangul, South-East Asian.
const fn is_unfolded(character: char) -> bool {
    matches!(
        character,
        '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' |
        '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' |
        '\u{20000}'..='\u{3FFFF}'
    )
}

const fn is_latin(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{2FF}' | '\u{1D00}'..='\u{1DBF}' | '\u{1E00}'..='\u{1EFF}' | '\u{2C60}'..='\u{2C7F}' |
        '\u{A720}'..='\u{A7FF}' | '\u{AB30}'..='\u{AB6F}'
    )
}

/// The ASCII letter below an accent.
fn accented(character: char) -> Option<char> {
    static ACCENTED: Memo = Memo::new();
    let base = ACCENTED.get(character, |character| {
        let mut decomposed = std::iter::once(character).nfd();
        let base = decomposed.next().filter(char::is_ascii_alphabetic);
        let has_marks = decomposed.next().is_some_and(is_combining_mark);
        base.filter(|_| has_marks).map_or(0, u32::from)
    });
    char::from_u32(base).filter(|_| base != 0)
}

/// The only character, if there is one.
fn single(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

/// What a character outside ASCII looks like.
#[derive(Clone, Copy)]
enum Plain {
    /// An ASCII letter or digit in lower case.
    Letter(char),
    /// Nothing in ASCII; the character in lower case.
    Other(char),
}

/// The ASCII letter that a character looks like. With `small_capitals` also those that merely have
/// the shape of a capital, such as Cyrillic в.
fn plain_letter(character: char, small_capitals: bool) -> Plain {
    const IS_LETTER: u32 = 1 << 30;
    static PLAIN: [Memo; 2] = [Memo::new(), Memo::new()];
    let found = PLAIN[usize::from(small_capitals)].get(character, |character| {
        match look_up(character, small_capitals) {
            Plain::Letter(letter) => letter as u32 | IS_LETTER,
            Plain::Other(lower) => lower as u32,
        }
    });
    let letter = char::from_u32(found & !IS_LETTER).unwrap_or(character);
    if found & IS_LETTER != 0 { Plain::Letter(letter) } else { Plain::Other(letter) }
}

fn look_up(character: char, small_capitals: bool) -> Plain {
    let lower = single(character.to_lowercase()).unwrap_or(character);
    for candidate in [character, lower] {
        if let Some(letter) = prototype(candidate, small_capitals) {
            // Capital I has the prototype l.
            let is_capital_i = letter == 'l' && candidate.is_uppercase();
            return Plain::Letter(if is_capital_i { 'i' } else { letter });
        }
    }
    Plain::Other(lower)
}

/// The prototype of TR39 as one ASCII letter or digit in lower case.
fn prototype(character: char, small_capitals: bool) -> Option<char> {
    let mut buffer = [0; 4];
    let mut letters =
        skeleton(character.encode_utf8(&mut buffer)).filter(|c| !is_combining_mark(*c));
    let letter = match (letters.next()?, letters.next(), letters.next()) {
        (letter, None, _) => letter,
        ('r', Some('n'), None) => 'm',
        ('v', Some('v'), None) => 'w',
        _ => return None,
    };
    if letter.is_ascii_alphanumeric() {
        return Some(letter.to_ascii_lowercase());
    }
    let shape = if is_latin(character) { character } else { letter };
    let allowed = small_capitals || is_latin(character);
    let at = SMALL_CAPITALS.iter().position(|(small, _)| *small == shape || *small == letter)?;
    allowed.then_some(SMALL_CAPITALS[at].1)
}

/// Small letters with the shape of capitals, and a few Greek ones that TR39 keeps apart.
const SMALL_CAPITALS: [(char, char); 32] = [
    ('ᴀ', 'a'),
    ('ʙ', 'b'),
    ('ᴄ', 'c'),
    ('ᴅ', 'd'),
    ('ᴇ', 'e'),
    ('ꜰ', 'f'),
    ('ɢ', 'g'),
    ('ʜ', 'h'),
    ('ɪ', 'i'),
    ('ᴊ', 'j'),
    ('ᴋ', 'k'),
    ('ĸ', 'k'),
    ('к', 'k'),
    ('κ', 'k'),
    ('ʟ', 'l'),
    ('ᴍ', 'm'),
    ('м', 'm'),
    ('ɴ', 'n'),
    ('η', 'n'),
    ('и', 'n'),
    ('ᴏ', 'o'),
    ('ᴘ', 'p'),
    ('ʀ', 'r'),
    ('ꜱ', 's'),
    ('ᴛ', 't'),
    ('τ', 't'),
    ('ᴜ', 'u'),
    ('ᴠ', 'v'),
    ('ᴡ', 'w'),
    ('ω', 'w'),
    ('ʏ', 'y'),
    ('ᴢ', 'z'),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(word: &str) -> Option<String> {
        lookalike(word).map(|lookalike| lookalike.plain.to_lowercase())
    }

    #[test]
    fn words_with_lookalikes_are_spelled_plainly() {
        for word in ["vіagrа", "VІAGRА", "νiagra", "viаgra", "ᴠɪᴀɢʀᴀ", "víágrà", "v\u{336}iagra"]
        {
            assert_eq!(plain(word).as_deref(), Some("viagra"), "{word}");
        }
        assert_eq!(plain("саѕһ").as_deref(), Some("cash"), "all of it Cyrillic");
        assert_eq!(plain("Вuy").as_deref(), Some("buy"), "a Cyrillic capital");
        assert_eq!(plain("тimе").as_deref(), Some("time"), "the shape of a capital");
        assert!(lookalike("саѕһ").is_some_and(|word| word.deceives));
    }

    #[test]
    fn words_of_a_language_stay() {
        for word in ["viagra", "привет", "нет", "сор", "für", "naïve", "Ελλάδα", "你好", "안녕"]
        {
            assert_eq!(plain(word), None, "{word}");
        }
        assert!(lookalike("été").is_none_or(|word| !word.deceives));
    }
}
