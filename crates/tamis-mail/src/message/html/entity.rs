//! Character references: `&amp;`, `&#233;`, `&eacute;`.

use std::borrow::Cow;

/// A text with its character references replaced.
pub(super) fn decoded(source: &str) -> Cow<'_, str> {
    if !source.contains('&') {
        return Cow::Borrowed(source);
    }
    let mut text = String::with_capacity(source.len());
    push_text(&mut text, source);
    Cow::Owned(text)
}

/// Appends text with its character references replaced. Numeric ones need no semicolon.
pub(super) fn push_text(text: &mut String, source: &str) {
    let mut rest = source;
    while let Some(start) = memchr::memchr(b'&', rest.as_bytes()) {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        match reference(&rest[1..]) {
            Some((character, length)) => {
                text.push(character);
                rest = &rest[1 + length..];
            }
            None => {
                text.push('&');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
}

/// The reference at the start of a text after its `&`, and how many bytes it has.
fn reference(source: &str) -> Option<(char, usize)> {
    let bytes = source.as_bytes();
    if bytes.first() == Some(&b'#') {
        let is_hex = matches!(bytes.get(1), Some(b'x' | b'X'));
        let (first, radix) = if is_hex { (2, 16) } else { (1, 10) };
        let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
        // Leading zeros are common in disguises.
        let length = bytes[first.min(bytes.len())..].iter().take(24).take_while(is_digit).count();
        let digits = source.get(first..first + length)?.trim_start_matches('0');
        let character = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
        let end = first + length;
        return Some((character, end + usize::from(bytes.get(end) == Some(&b';'))));
    }
    let end = bytes.iter().take(12).position(|byte| *byte == b';')?;
    Some((named(source.get(..end)?)?, end + 1))
}

/// The character of a name such as `amp`.
fn named(name: &str) -> Option<char> {
    Some(match name {
        "amp" | "AMP" => '&',
        "lt" | "LT" => '<',
        "gt" | "GT" => '>',
        "quot" | "QUOT" => '"',
        "apos" => '\'',
        "nbsp" | "ensp" | "emsp" | "thinsp" | "Tab" | "NewLine" => ' ',
        "shy" => '\u{AD}',
        "zwnj" => '\u{200C}',
        "zwj" => '\u{200D}',
        "lrm" => '\u{200E}',
        "rlm" => '\u{200F}',
        "ZeroWidthSpace" => '\u{200B}',
        "NoBreak" => '\u{2060}',
        "colon" => ':',
        "semi" => ';',
        "commat" => '@',
        "period" => '.',
        "sol" => '/',
        "num" => '#',
        "dollar" => '$',
        "percnt" => '%',
        "excl" => '!',
        "lpar" => '(',
        "rpar" => ')',
        "euro" => '€',
        "copy" => '©',
        "reg" => '®',
        "trade" => '™',
        "pound" => '£',
        "yen" => '¥',
        "cent" => '¢',
        "sect" => '§',
        "deg" => '°',
        "middot" => '·',
        "bull" => '•',
        "laquo" => '«',
        "raquo" => '»',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        "rsquo" => '’',
        "lsquo" => '‘',
        "ldquo" => '“',
        "rdquo" => '”',
        "szlig" => 'ß',
        "aelig" => 'æ',
        "AElig" => 'Æ',
        _ => return latin(name),
    })
}

/// A letter with a mark: `eacute`, `ccedil`, `Otilde`.
fn latin(name: &str) -> Option<char> {
    let (letter, mark) = (name.chars().next()?, name.get(1..)?);
    let table = match mark {
        "acute" => "aáeéiíoóuúyýAÁEÉIÍOÓUÚYÝ",
        "grave" => "aàeèiìoòuùAÀEÈIÌOÒUÙ",
        "circ" => "aâeêiîoôuûAÂEÊIÎOÔUÛ",
        "tilde" => "aãnñoõAÃNÑOÕ",
        "uml" => "aäeëiïoöuüyÿAÄEËIÏOÖUÜ",
        "cedil" => "cçCÇ",
        "ring" => "aåAÅ",
        "slash" => "oøOØ",
        _ => return None,
    };
    let letters: Vec<char> = table.chars().collect();
    letters.chunks(2).find(|pair| pair[0] == letter).map(|pair| pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_characters() {
        for (source, expected) in [
            ("caf&eacute; &amp; &#33;&#x41;&#0000066;", "café & !AB"),
            ("&#86iagra &#x56", "Viagra V"),
            ("display&colon;none", "display:none"),
            ("vi&shy;a&zwnj;gra", "vi\u{ad}a\u{200c}gra"),
            ("&bogus; &#xD800; & &# &;", "&bogus; &#xD800; & &# &;"),
        ] {
            assert_eq!(decoded(source), expected);
        }
    }
}
