//! Header fields of a message as they stand: name and raw value, folding kept.
//!
//! [`end_of_headers`] finds the empty line before the body and [`Fields`] iterates over what is
//! before it. Both are lenient: a line that is neither a field nor a continuation is skipped.

use super::{MAX_FIELDS, MAX_OTHER_FIELDS};
use memchr::{memchr, memchr_iter};

/// The offset of the body: after the first empty line. None if there is no empty line.
///
/// Empty lines before the first field do not count.
pub(super) fn end_of_headers(raw: &[u8]) -> Option<usize> {
    let start = raw.iter().position(|byte| !byte.is_ascii_whitespace())?;
    memchr_iter(b'\n', &raw[start..]).map(|at| start + at).find_map(|at| match &raw[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

/// Iterates over the fields of a header block.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

/// One header field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field<'a> {
    /// The name without the colon.
    pub name: &'a [u8],
    /// What follows the colon, without the line end of the last line.
    pub value: &'a [u8],
    /// The whole field with its line end.
    pub whole: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) const fn new(headers: &'a [u8]) -> Self {
        Self { rest: headers }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let length = field_length(self.rest);
            let (whole, rest) = self.rest.split_at(length);
            self.rest = rest;
            if let Some(colon) = memchr(b':', whole) {
                let name = whole[..colon].trim_ascii_end();
                if !name.is_empty() && name.iter().all(u8::is_ascii_graphic) {
                    let value = &whole[colon + 1..];
                    let value = value.strip_suffix(b"\n").unwrap_or(value);
                    let value = value.strip_suffix(b"\r").unwrap_or(value);
                    return Some(Field { name, value, whole });
                }
            }
        }
    }
}

/// The fields that mail is made of (RFC 5322, 2045, 2919, 3834, 6376, 8601), and what programs are called. In lower case.
const KNOWN: [&str; 43] = [
    "arc-authentication-results",
    "arc-message-signature",
    "arc-seal",
    "authentication-results",
    "auto-submitted",
    "bcc",
    "cc",
    "content-description",
    "content-disposition",
    "content-id",
    "content-language",
    "content-transfer-encoding",
    "content-type",
    "date",
    "delivered-to",
    "dkim-signature",
    "errors-to",
    "feedback-id",
    "from",
    "importance",
    "in-reply-to",
    "list-help",
    "list-id",
    "list-post",
    "list-subscribe",
    "list-unsubscribe",
    "message-id",
    "mime-version",
    "organization",
    "precedence",
    "received",
    "received-spf",
    "references",
    "reply-to",
    "return-path",
    "sender",
    "subject",
    "thread-index",
    "to",
    "user-agent",
    "x-mailer",
    "x-originating-ip",
    "x-priority",
];

/// Whether a standard has a field of this name, or every program writes it.
pub(crate) fn is_standard(name: &[u8]) -> bool {
    place(name).is_some()
}

fn place(name: &[u8]) -> Option<usize> {
    KNOWN.iter().position(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// The fields of a header block without what only pads it: at most [`MAX_FIELDS`] of a known name and
/// [`MAX_OTHER_FIELDS`] of all other names together.
#[derive(Debug, Clone)]
pub(super) struct Bounded<'a> {
    fields: Fields<'a>,
    known: [usize; KNOWN.len()],
    /// How many fields of other names are left.
    others: usize,
}

/// Headers longer than this are padded, and only standard fields of them are returned.
const PADDED: usize = 64 << 10;

impl<'a> Bounded<'a> {
    pub(super) const fn new(headers: &'a [u8]) -> Self {
        let others = if headers.len() > PADDED { 0 } else { MAX_OTHER_FIELDS };
        Self { fields: Fields::new(headers), known: [MAX_FIELDS; KNOWN.len()], others }
    }
}

impl<'a> Iterator for Bounded<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let field = self.fields.next()?;
            let left = match place(field.name) {
                Some(at) => &mut self.known[at],
                None => &mut self.others,
            };
            if *left > 0 {
                *left -= 1;
                return Some(field);
            }
        }
    }
}

/// The length of the first line and its continuations.
fn field_length(bytes: &[u8]) -> usize {
    memchr_iter(b'\n', bytes)
        .map(|at| at + 1)
        .find(|end| !matches!(bytes.get(*end), Some(b' ' | b'\t')))
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(headers: &str) -> Vec<(String, String)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Fields::new(headers.as_bytes()).map(|f| (text(f.name), text(f.value))).collect()
    }

    #[test]
    fn values_keep_their_folding() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            fields("From x Mon\r\nReceived: from a\r\n\tby b\r\nno field\nA :b: c\n\n x: y"),
            [pair("Received", " from a\r\n\tby b"), pair("A", "b: c")]
        );
        assert!(fields("").is_empty() && fields("\n: x\n").is_empty());
    }

    #[test]
    fn headers_end_at_the_first_empty_line() {
        assert_eq!(end_of_headers(b"A: b\n\nbody"), Some(6));
        assert_eq!(end_of_headers(b"\r\nA: b\r\n\r\nbody\n\n"), Some(10));
        assert_eq!(end_of_headers(b"A: b\n"), None);
        assert_eq!(end_of_headers(b"\n\n"), None);
    }
}
