//! One part: its headers, however they are written, and its body.
//!
//! Comments and quotes in `Content-Type` and `Content-Transfer-Encoding` are removed, as RFC 2045
//! wants it. Headers longer than [`MAX_HEADERS`] do not hide the body: the end of the headers is
//! found in any case, and of what is beyond the bound only the fields that decide how the body is
//! read are parsed.

use super::super::fields::Fields;
use super::super::{MAX_HEADERS, fields};
use mail_parser::parsers::MessageStream;
use mail_parser::{ContentType, Header, HeaderName, HeaderValue, MessageParser};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The fields that are parsed.
const NAMES: [HeaderName<'static>; 7] = [
    HeaderName::From,
    HeaderName::ReplyTo,
    HeaderName::Subject,
    HeaderName::AuthenticationResults,
    HeaderName::ContentType,
    HeaderName::ContentDisposition,
    HeaderName::ContentTransferEncoding,
];

/// Maximum number of fields of one name in long headers.
const MAX_FIELDS: usize = 4;

/// Maximum length of a field in long headers, in bytes.
const MAX_FIELD: usize = 64 << 10;

static PARSER: LazyLock<MessageParser> = LazyLock::new(|| {
    MessageParser::new()
        .header_address(HeaderName::From)
        .header_address(HeaderName::ReplyTo)
        .header_text(HeaderName::Subject)
        .header_raw(HeaderName::AuthenticationResults)
        .header_content_type(HeaderName::ContentType)
        .header_content_type(HeaderName::ContentDisposition)
        .header_raw(HeaderName::ContentTransferEncoding)
        .default_header_ignore()
});

/// Headers and a body.
pub(super) struct Part<'a> {
    headers: Vec<Header<'a>>,
    pub body: &'a [u8],
}

impl<'a> Part<'a> {
    pub(super) fn parse(raw: &'a [u8]) -> Self {
        let head = &raw[..raw.len().min(MAX_HEADERS)];
        let mut headers = Vec::new();
        let mut end = parse_into(&mut headers, head);
        if end >= head.len()
            && head.len() < raw.len()
            && let Some(at) = end_of_long_headers(raw)
        {
            headers.clear();
            parse_long(&mut headers, &raw[..at]);
            end = at;
        }
        Self { headers, body: raw.get(end..).unwrap_or_default() }
    }

    /// The first header of this name that has a value.
    pub(super) fn header(&self, name: &HeaderName<'_>) -> Option<&HeaderValue<'a>> {
        let mut named = self.headers.iter().filter(|header| header.name == *name);
        named.find(|header| !header.value.is_empty()).map(|header| &header.value)
    }

    pub(super) fn content_type(&self, name: &HeaderName<'_>) -> Option<&ContentType<'a>> {
        match self.header(name)? {
            HeaderValue::ContentType(kind) => Some(kind),
            _ => None,
        }
    }

    /// The transfer encoding in lower case, without comments and quotes.
    pub(super) fn encoding(&self) -> Option<String> {
        let HeaderValue::Text(raw) = self.header(&HeaderName::ContentTransferEncoding)? else {
            return None;
        };
        let plain = without_comments(raw);
        let is_part = |c: &char| !(c.is_whitespace() || c.is_control() || matches!(c, '"' | '\''));
        let plain: String = plain.chars().filter(is_part).collect();
        let name = plain.split(';').next().unwrap_or_default().to_ascii_lowercase();
        (!name.is_empty()).then_some(name)
    }
}

/// Parses headers and returns their length.
fn parse_into<'a>(headers: &mut Vec<Header<'a>>, source: &'a [u8]) -> usize {
    let first = headers.len();
    let mut stream = MessageStream::new(source);
    stream.parse_headers(&PARSER, headers);
    for header in &mut headers[first..] {
        if matches!(header.name, HeaderName::ContentType | HeaderName::ContentDisposition) {
            let range = header.offset_start as usize..header.offset_end as usize;
            if let Some(plain) = source.get(range).and_then(plain_type) {
                let mut stream = MessageStream::new(plain.as_bytes());
                header.value = stream.parse_content_type().into_owned();
            }
        }
    }
    stream.offset()
}

/// The fields that decide how a message is read, from headers of any length.
fn parse_long<'a>(headers: &mut Vec<Header<'a>>, source: &'a [u8]) {
    let mut counts = [0; NAMES.len()];
    for field in Fields::new(source) {
        let is = |name: &HeaderName<'_>| field.name.eq_ignore_ascii_case(name.as_str().as_bytes());
        if let Some(at) = NAMES.iter().position(is)
            && counts[at] < MAX_FIELDS
        {
            counts[at] += 1;
            parse_into(headers, &field.whole[..field.whole.len().min(MAX_FIELD)]);
        }
    }
}

/// The end of headers that are longer than [`MAX_HEADERS`].
fn end_of_long_headers(raw: &[u8]) -> Option<usize> {
    // The bound may be inside the empty line.
    let start = MAX_HEADERS - 3;
    let start = start + raw[start..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    fields::end_of_headers(&raw[start..]).map(|end| start + end)
}

/// A content type without comments, and without quotes around its name; none if it has neither.
fn plain_type(value: &[u8]) -> Option<String> {
    let name = value.split(|byte| *byte == b';').next().unwrap_or_default();
    if !value.contains(&b'(') && !name.contains(&b'"') {
        return None;
    }
    let text = String::from_utf8_lossy(value);
    let plain = without_comments(&text);
    // A quote that starts before the first parameter belongs to the name.
    let name_end = plain.find(';').unwrap_or(plain.len());
    let (name, parameters) = plain.split_at(name_end);
    let name: String = name.chars().filter(|c| *c != '"' && !c.is_whitespace()).collect();
    Some(format!("{name}{}\n", parameters.trim_end()))
}

/// A header value without the comments in parentheses, which may be nested.
fn without_comments(value: &str) -> Cow<'_, str> {
    if !value.contains('(') {
        return Cow::Borrowed(value);
    }
    let mut plain = String::with_capacity(value.len());
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for character in value.chars() {
        let keeps = depth == 0;
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' if depth == 0 => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted && depth > 0 => depth -= 1,
            _ => {}
        }
        if keeps && depth == 0 {
            plain.push(character);
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(headers: &str) -> Option<(String, String, Option<String>)> {
        let part = Part::parse(headers.as_bytes());
        let kind = part.content_type(&HeaderName::ContentType)?;
        let charset = kind.attribute("charset").map(str::to_owned);
        Some((kind.ctype().to_owned(), kind.subtype()?.to_owned(), charset))
    }

    #[test]
    fn comments_and_quotes_do_not_change_a_type() {
        for value in [
            "text/html; charset=utf-8",
            "TEXT/(c)HTML; charset=(x)utf-8",
            "(a(b))text(c)/html (d); charset=utf-8",
            "\"text/html\"; charset=\"utf-8\"",
            "text/\"html\";charset=utf-8 (comment; with semicolon)",
        ] {
            let expected = ("text".to_owned(), "html".to_owned(), Some("utf-8".to_owned()));
            assert_eq!(kind(&format!("Content-Type: {value}\n\nx")), Some(expected), "{value}");
        }
        let boundary = "Content-Type: multipart/mixed; boundary=\"a(b)c\"\n\n";
        let part = Part::parse(boundary.as_bytes());
        let kind = part.content_type(&HeaderName::ContentType);
        assert_eq!(kind.and_then(|kind| kind.attribute("boundary")), Some("a(b)c"));
    }

    #[test]
    fn comments_and_quotes_do_not_change_an_encoding() {
        for value in ["base64", "BASE64 (comment)", "\"base64\"", "(x) base64", "'base64' ; x=y"] {
            let raw = format!("Content-Transfer-Encoding: {value}\n\nx");
            let part = Part::parse(raw.as_bytes());
            assert_eq!(part.encoding().as_deref(), Some("base64"), "{value}");
        }
    }

    #[test]
    fn long_headers_hide_neither_body_nor_type() {
        for padding in ["X-Pad: abc\r\n", "X:\n", "X-Long: a\r\n bcd\r\n"] {
            for size in [MAX_HEADERS - 60, MAX_HEADERS - 1, MAX_HEADERS + 1, 3 * MAX_HEADERS] {
                let padding = padding.repeat(size / padding.len());
                let raw = format!("{padding}Content-Type: text/html; charset=x\r\n\r\nbody\n\nend");
                let part = Part::parse(raw.as_bytes());
                assert_eq!(part.body, b"body\n\nend", "{size}");
                assert_eq!(kind(&raw).map(|kind| kind.1).as_deref(), Some("html"), "{size}");
            }
        }
    }
}
