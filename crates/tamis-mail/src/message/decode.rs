//! Bytes of a part to text: transfer encodings and charsets, however damaged or undeclared.

use super::uuencode;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use std::borrow::Cow;

/// The body of a part without its transfer encoding. Characters that do not belong there are skipped
/// in base64 and kept in quoted-printable, as mail programs do.
pub(super) fn transfer<'a>(body: &'a [u8], encoding: Option<&str>) -> Cow<'a, [u8]> {
    let name = encoding.unwrap_or_default().trim();
    if name.eq_ignore_ascii_case("base64") {
        return Cow::Owned(base64_decode(body).unwrap_or_else(|| lenient_base64(body)));
    }
    if name.eq_ignore_ascii_case("quoted-printable") {
        return quoted_printable(body);
    }
    let is_uuencode = ["x-uuencode", "uuencode", "x-uue", "uue"];
    if is_uuencode.iter().any(|wanted| name.eq_ignore_ascii_case(wanted)) {
        let text: String = body.iter().map(|byte| char::from(*byte)).collect();
        if let Some(file) = uuencode::files(&text).into_iter().next() {
            return Cow::Owned(file.data);
        }
    }
    Cow::Borrowed(body)
}

/// Bytes as text in their charset. UTF-16 is recognised whatever is declared. A charset that is not
/// known, none, or one that the bytes contradict, is UTF-8 or Windows-1252.
pub(super) fn charset<'a>(bytes: Cow<'a, [u8]>, name: Option<&str>) -> Cow<'a, str> {
    if let Some(text) = utf_16(&bytes) {
        return Cow::Owned(text);
    }
    let name = name.unwrap_or_default();
    let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
    let is = |prefix: &str| {
        name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    let is_unicode = name.is_empty() || is("utf-8") || is("us-ascii");
    let has_ascii = is("iso-8859-") || is("windows-125");
    if !(is_unicode || (has_ascii && bytes.is_ascii()))
        && let Some(decode) = charset_decoder(name.as_bytes())
    {
        return Cow::Owned(decode(&bytes));
    }
    let western = |bytes: &[u8]| match charset_decoder(b"windows-1252") {
        Some(decode) => Cow::Owned(decode(bytes)),
        None => String::from_utf8_lossy(bytes).into_owned().into(),
    };
    match bytes {
        Cow::Borrowed(bytes) => {
            str::from_utf8(bytes).map_or_else(|_| western(bytes), Cow::Borrowed)
        }
        Cow::Owned(bytes) => {
            String::from_utf8(bytes).map_or_else(|error| western(error.as_bytes()), Cow::Owned)
        }
    }
}

/// Fewest bytes by which UTF-16 is recognised.
const LEAST_WIDE: usize = 16;

/// The text of UTF-16, with a byte order mark or with the NULs of Latin text at every other place.
fn utf_16(bytes: &[u8]) -> Option<String> {
    let is_little = match bytes {
        [0xFF, 0xFE, ..] => true,
        [0xFE, 0xFF, ..] => false,
        _ => {
            let start = &bytes[..bytes.len().min(4096)];
            if start.len() < LEAST_WIDE || memchr::memchr(0, start).is_none() {
                return None;
            }
            let mut zeros = [0; 2];
            for (at, byte) in start.iter().enumerate() {
                zeros[at % 2] += usize::from(*byte == 0);
            }
            let half = start.len() / 2;
            let is_most = |zeros: usize| 10 * zeros >= 4 * half;
            let is_few = |zeros: usize| 20 * zeros <= half;
            match zeros {
                [even, odd] if is_few(even) && is_most(odd) => true,
                [even, odd] if is_most(even) && is_few(odd) => false,
                _ => return None,
            }
        }
    };
    let units = bytes.chunks_exact(2).map(|pair| {
        let pair = [pair[0], pair[1]];
        if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    });
    Some(
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect(),
    )
}

/// Fewest characters of base64 that are recognised.
const LEAST_BASE64: usize = 40;

/// The text behind a text that is nothing but base64.
pub(super) fn undeclared_base64(text: &str) -> Option<String> {
    let text = text.trim_ascii();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if text.len() < LEAST_BASE64 || !text.bytes().all(|b| is_part(b) || matches!(b, b'\r' | b'\n'))
    {
        return None;
    }
    let width = text.lines().next()?.trim_end().len();
    let mut lines = text.lines().map(|line| line.trim_end().len()).peekable();
    while let Some(length) = lines.next() {
        if length > width || length % 4 != 0 || (lines.peek().is_some() && length != width) {
            return None;
        }
    }
    let decoded = lenient_base64(text.as_bytes());
    if !is_text(&decoded) {
        return None;
    }
    String::from_utf8(decoded).ok().filter(|decoded| decoded.contains([' ', '<']))
}

/// Whether bytes are text: valid UTF-8 without control characters.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let is_control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0C');
    str::from_utf8(bytes).is_ok_and(|text| !text.contains(is_control))
}

/// Decodes base64 and skips all other characters.
fn lenient_base64(body: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(body.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in body {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => {
                (bits, count) = (0, 0);
                continue;
            }
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count) as u8);
        }
    }
    decoded
}

/// Decodes quoted-printable; an `=` without two digits stays.
fn quoted_printable(body: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'=', body).is_none() {
        return Cow::Borrowed(body);
    }
    let mut decoded = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = memchr::memchr(b'=', rest) {
        decoded.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let digit = |byte: u8| char::from(byte).to_digit(16);
        match rest {
            [b'\r', b'\n', after @ ..] | [b'\n', after @ ..] => rest = after,
            [high, low, after @ ..] => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    decoded.push((high << 4 | low) as u8);
                    rest = after;
                }
                _ => decoded.push(b'='),
            },
            _ => decoded.push(b'='),
        }
    }
    decoded.extend_from_slice(rest);
    Cow::Owned(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(body: &str, encoding: &str) -> String {
        String::from_utf8(transfer(body.as_bytes(), Some(encoding)).into_owned()).unwrap()
    }

    #[test]
    fn encodings_are_read_however_damaged() {
        assert_eq!(decoded("aGVsbG8=", "base64"), "hello");
        assert_eq!(decoded("aGV*sb!G8=\r\n=d29ybGQ", "Base64 "), "helloworld");
        assert_eq!(decoded("aGVsb\u{e9}G8", "base64"), "hello");
        assert_eq!(decoded("a=3Db =\r\nc=\n=zz=4", "quoted-printable"), "a=b c=zz=4");
        assert_eq!(decoded("as it=is", "8bit"), "as it=is");
    }

    #[test]
    fn utf_16_needs_no_declaration() {
        let wide = |text: &str, little: bool| -> Vec<u8> {
            let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            text.encode_utf16().flat_map(bytes).collect()
        };
        let text = "Buy the blue pills, 5 € each: привет";
        for name in [None, Some("us-ascii"), Some("utf-16"), Some("no-such")] {
            for little in [true, false] {
                assert_eq!(charset(wide(text, little).into(), name), text, "{name:?} {little}");
            }
        }
        assert_eq!(charset(Cow::Borrowed(b"\xFF\xFEa\0"), None), "\u{feff}a");
        assert_eq!(charset(Cow::Borrowed(b"c\0d"), None), "c\0d");
    }

    #[test]
    fn base64_is_recognised_by_what_it_says() {
        let encoded = "YnV5IHRoZSBibHVlIHBpbGxzIG5vdywgbXkgZGVh\r\nciBmcmllbmQ=\r\n";
        assert_eq!(
            undeclared_base64(encoded).as_deref(),
            Some("buy the blue pills now, my dear friend")
        );
        for text in [
            "short",
            "this is prose with words and spaces, not base64 at all",
            "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
            "0123456789abcdef0123456789abcdef0123456789abcdef",
        ] {
            assert_eq!(undeclared_base64(text), None, "{text}");
        }
    }

    #[test]
    fn charsets_that_are_not_known_are_guessed() {
        let text = |bytes: &[u8], name| charset(Cow::Owned(bytes.to_vec()), name).into_owned();
        assert_eq!(text(b"caf\xC3\xA9", None), "café");
        assert_eq!(text(b"caf\xE9", Some("iso-8859-1")), "café");
        assert_eq!(text(b"caf\xE9", Some("no-such-charset")), "café");
        assert_eq!(text(b"caf\xE9", Some("utf-8")), "café");
        assert_eq!(text(b"\x93C\x94", Some("us-ascii")), "“C”");
        assert_eq!(text(b"\xC4\xC1", Some("KOI8-R")), "да");
    }
}
