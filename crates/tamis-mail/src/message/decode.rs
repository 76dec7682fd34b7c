//! Bytes of a part to text: transfer encodings and charsets, however damaged.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use std::borrow::Cow;

/// The body of a part without its transfer encoding. What does not belong there is passed over in base64 and kept in
/// quoted-printable, as mail programs do.
pub(super) fn transfer<'a>(body: &'a [u8], encoding: Option<&str>) -> Cow<'a, [u8]> {
    match encoding.map(str::trim) {
        Some(name) if name.eq_ignore_ascii_case("base64") => {
            Cow::Owned(base64_decode(body).unwrap_or_else(|| lenient_base64(body)))
        }
        Some(name) if name.eq_ignore_ascii_case("quoted-printable") => quoted_printable(body),
        _ => Cow::Borrowed(body),
    }
}

/// Bytes as text in their charset. One that is not known, or none, or one that they contradict, is UTF-8 or
/// Windows-1252.
pub(super) fn charset<'a>(bytes: Cow<'a, [u8]>, name: Option<&str>) -> Cow<'a, str> {
    let name = name.unwrap_or_default().trim();
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

/// The characters of base64 that there are, whatever stands between them.
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

/// Quoted-printable; an `=` that begins nothing stays.
fn quoted_printable(body: &[u8]) -> Cow<'_, [u8]> {
    if !body.contains(&b'=') {
        return Cow::Borrowed(body);
    }
    let mut decoded = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.iter().position(|byte| *byte == b'=') {
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
