//! Digits and signs in place of letters: `v1agra`, `fr33`, `c@sh`, `0ffer`.
//!
//! Names and numbers also mix letters and digits (`mp3`, `win95`, `2nd`, `10am`), so the rules are
//! narrow: more letters than digits, only digits that stand for letters, and these
//!
//! 1. between letters (`v1agra`), or
//! 2. one of them first, before at least three letters (`0ffer`), or
//! 3. one of them doubled at the end (`fr33`).

/// Word lengths in bytes for which digits are replaced.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=24;

/// The plain spellings of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WithoutDigits {
    /// With `i` for `1`, `!` and `|`.
    pub plain: String,
    /// With `l` for them, if there are any.
    pub variant: Option<String>,
}

/// Whether a sign may stand for a letter.
pub(crate) const fn is_sign(byte: u8) -> bool {
    matches!(byte, b'@' | b'$' | b'!' | b'|')
}

/// The letter that a digit or sign stands for.
const fn letter(byte: u8) -> Option<u8> {
    match byte {
        b'0' => Some(b'o'),
        b'1' | b'!' | b'|' => Some(b'i'),
        b'3' => Some(b'e'),
        b'4' | b'@' => Some(b'a'),
        b'5' | b'$' => Some(b's'),
        b'7' => Some(b't'),
        _ => None,
    }
}

/// A word of ASCII in plain letters, if digits or signs stand for letters in it.
pub(crate) fn without_digits(word: &str) -> Option<WithoutDigits> {
    let bytes = word.as_bytes();
    if !LENGTHS.contains(&bytes.len()) || !word.is_ascii() {
        return None;
    }
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let others = bytes.len() - letters;
    let is_replaceable = |byte: &u8| byte.is_ascii_alphabetic() || letter(*byte).is_some();
    if others == 0 || letters < 2 || letters < others || !bytes.iter().all(is_replaceable) {
        return None;
    }
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    let first = bytes.iter().position(u8::is_ascii_alphabetic)?;
    let last = bytes.iter().rposition(u8::is_ascii_alphabetic)?;
    let inner = bytes[first..last].iter().any(|byte| !byte.is_ascii_alphabetic());
    let leading = first == 1 && bytes[1..].iter().take(3).all(|byte| is_letter(Some(byte)));
    let trailing = matches!(bytes[last + 1..], [a, b] if a == b && a != b'!');
    let allowed = match (first, bytes.len() - last - 1) {
        (0, 0) => inner,
        (_, 0) => leading || (first == 1 && inner),
        (0, tail) => trailing || (inner && tail == 1),
        _ => leading && trailing,
    };
    // Identifiers alternate between letters and digits; words have the digits here and there.
    let changes = bytes.windows(2).filter(|two| is_letter(two.first()) != is_letter(two.get(1)));
    if !allowed || (others > 2 && changes.count() > bytes.len() * 2 / 3) {
        return None;
    }
    let spelled = |one: char| -> String {
        let spell = |byte: &u8| match byte {
            b'1' | b'!' | b'|' => one,
            _ => char::from(letter(*byte).unwrap_or(*byte)),
        };
        bytes.iter().map(spell).collect()
    };
    let plain = spelled('i');
    let variant = Some(spelled('l')).filter(|variant| *variant != plain);
    Some(WithoutDigits { plain, variant })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_signs_become_letters() {
        for (word, expected) in [
            ("v1agra", "viagra"),
            ("V1AGRA", "ViAGRA"),
            ("v14gra", "viagra"),
            ("fr33", "free"),
            ("c@sh", "cash"),
            ("0ffer", "offer"),
            ("$ave", "save"),
            ("p0rn0", "porno"),
            ("c1al1s", "cialis"),
            ("m0n3y", "money"),
        ] {
            let spelled = without_digits(word).map(|found| found.plain);
            assert_eq!(spelled.as_deref(), Some(expected), "{word}");
        }
        let low = without_digits("1owest").and_then(|found| found.variant);
        assert_eq!(low.as_deref(), Some("lowest"));
    }

    #[test]
    fn names_and_numbers_stay() {
        for word in [
            "plain", "mp3", "win95", "2nd", "10am", "utf8", "x86", "base64", "2026", "area51",
            "agent007", "100mbit", "b2b", "i18n", "covid19", "a3f5e1", "free!!", "h264",
        ] {
            assert_eq!(without_digits(word), None, "{word}");
        }
    }
}
