//! What is written into a message about its verdict, and what others have written there before.
//!
//! ```text
//! X-Tamis-Verdict: spam
//! X-Tamis-Score: 0.9984
//! X-Tamis-Reason: words: "free", "offer", "click here"
//! ```
//!
//! [`Marks`] may add the headers that rules for other filters expect. Incoming headers with the names of
//! added headers were written by somebody else and are removed.

mod marks;

pub use marks::{Marks, POINTS_OF_SPAM};

use std::fmt::Write;

/// The start of the names of all headers that are ours.
pub const PREFIX: &str = "X-Tamis-";

/// The most bytes of a reason.
const MAX_REASON: usize = 400;

/// What is said about a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Remarks {
    /// A label, `ham` or `unsure`.
    pub verdict: String,
    /// The probability of the label that the evidence is about.
    pub probability: f64,
    /// The main reason.
    pub reason: String,
    /// Whether the verdict is `spam`.
    pub is_spam: bool,
    /// The score in points, such that spam begins at [`POINTS_OF_SPAM`].
    pub points: f64,
    /// The stages that give a reason.
    pub stages: Vec<&'static str>,
}

/// A text as the value of a header: on one line, and in ASCII.
#[must_use]
pub fn value(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(MAX_REASON)];
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.is_ascii() {
        return text;
    }
    // RFC 2047, words of at most 75 characters.
    let mut encoded = String::new();
    let mut word = String::new();
    for c in text.chars() {
        let mut quoted = String::new();
        for &byte in c.encode_utf8(&mut [0; 4]).as_bytes() {
            match byte {
                b' ' => quoted.push('_'),
                b'=' | b'?' | b'_' => write!(quoted, "={byte:02X}").unwrap_or_default(),
                0x21..0x7F => quoted.push(char::from(byte)),
                _ => write!(quoted, "={byte:02X}").unwrap_or_default(),
            }
        }
        if word.len() + quoted.len() > 63 {
            write!(encoded, "=?UTF-8?Q?{word}?= ").unwrap_or_default();
            word.clear();
        }
        word.push_str(&quoted);
    }
    write!(encoded, "=?UTF-8?Q?{word}?=").unwrap_or_default();
    encoded
}

/// A message with headers on top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked<'a> {
    /// The headers, with the empty line after them.
    pub head: Vec<u8>,
    /// The body, as it was.
    pub body: &'a [u8],
}

impl Marked<'_> {
    /// The message as one piece.
    #[must_use]
    pub fn concat(mut self) -> Vec<u8> {
        self.head.extend_from_slice(self.body);
        self.head
    }
}

/// A message with these headers on top, and without any that claimed to be ours.
#[must_use]
pub fn marked(raw: &[u8], headers: &[(&str, String)]) -> Vec<u8> {
    mark(raw, headers, &Marks::default(), None).concat()
}

/// As [`marked`], with a tag before the subject.
fn mark<'a>(
    raw: &'a [u8],
    headers: &[(&str, String)],
    marks: &Marks,
    tag: Option<&str>,
) -> Marked<'a> {
    let mut head = Vec::with_capacity(1024);
    let mut rest = raw;
    // The line before a message in an mbox file is none of its headers.
    if rest.starts_with(b"From ") {
        let end = line_end(rest);
        head.extend_from_slice(&rest[..end]);
        end_line(&mut head, b"\n");
        rest = &rest[end..];
    }
    let subject = tag.map_or(Subject::Missing, |_| find_subject(rest));
    let mut tag = tag.filter(|_| subject != Subject::Text);
    let line = &rest[..line_end(rest)];
    let end: &[u8] = if line.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
    let mut push = |name: &str, value: &str| {
        for part in [name.as_bytes(), b": ", value.as_bytes(), end] {
            head.extend_from_slice(part);
        }
    };
    headers.iter().for_each(|(name, value)| push(name, value));
    if let Some(tag) = tag.filter(|_| subject == Subject::Missing) {
        push("Subject", tag);
    }
    let mut dropping = false;
    let mut any = false;
    loop {
        let line = &rest[..line_end(rest)];
        let continued = any && matches!(line.first(), Some(b' ' | b'\t'));
        let Some(name) = name_of(line).filter(|_| !continued) else {
            if continued {
                if !dropping {
                    head.extend_from_slice(line);
                }
                rest = &rest[line.len()..];
                continue;
            }
            if matches!(line, b"\n" | b"\r\n") {
                head.extend_from_slice(line);
                return Marked { head, body: &rest[line.len()..] };
            }
            // Headers that nothing separates from the text, or that end in the middle of a line.
            end_line(&mut head, end);
            head.extend_from_slice(end);
            return Marked { head, body: rest };
        };
        any = true;
        dropping = marks.replace(name);
        if !dropping {
            let is_subject = name.eq_ignore_ascii_case(b"subject");
            match tag.filter(|_| is_subject) {
                Some(text) => {
                    tag = None;
                    marks::push_subject(&mut head, line, text);
                }
                None => head.extend_from_slice(line),
            }
        }
        rest = &rest[line.len()..];
    }
}

/// What a message has for a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Missing,
    Header,
    /// What looks like a subject may be text: the message may have the plain form.
    Text,
}

fn find_subject(raw: &[u8]) -> Subject {
    let mut rest = raw;
    let mut found = Subject::Missing;
    let mut any = false;
    while !rest.is_empty() {
        let line = &rest[..line_end(rest)];
        let continued = any && matches!(line.first(), Some(b' ' | b'\t'));
        match name_of(line).filter(|_| !continued) {
            Some(b"FROM") => return Subject::Text,
            Some(name) if name.eq_ignore_ascii_case(b"subject") => found = Subject::Header,
            None if !continued => break,
            _ => {}
        }
        any = true;
        rest = &rest[line.len()..];
    }
    found
}

/// Ends a line that has no end.
fn end_line(bytes: &mut Vec<u8>, end: &[u8]) {
    if !bytes.ends_with(b"\n") {
        bytes.extend_from_slice(end);
    }
}

/// Length of the first line, its line end included.
pub(crate) fn line_end(bytes: &[u8]) -> usize {
    memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1)
}

/// The name of a header, if the line is one.
pub(crate) fn name_of(line: &[u8]) -> Option<&[u8]> {
    let colon = memchr::memchr(b':', line)?;
    let name = line[..colon].trim_ascii_end();
    (!name.is_empty() && name.iter().all(u8::is_ascii_graphic)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_one(raw: &str) -> String {
        let headers = [("X-Tamis-Verdict", "ham".to_owned())];
        String::from_utf8(marked(raw.as_bytes(), &headers)).expect("text")
    }

    #[test]
    fn headers_come_first_and_forged_ones_go() {
        let raw = "Subject: x\r\nx-tamis-verdict: ham\r\n\tforged: twice\r\nX-TAMIS-Else : y\r\nTo: z\r\n more\r\n\r\nX-Tamis-Verdict: text\r\n";
        assert_eq!(
            with_one(raw),
            "X-Tamis-Verdict: ham\r\nSubject: x\r\nTo: z\r\n more\r\n\r\nX-Tamis-Verdict: text\r\n"
        );
    }

    #[test]
    fn the_line_of_an_mbox_stays_first() {
        assert_eq!(
            with_one("From a Mon\nSubject: x\n\ntext"),
            "From a Mon\nX-Tamis-Verdict: ham\nSubject: x\n\ntext"
        );
    }

    #[test]
    fn text_without_headers_stays_text() {
        assert_eq!(with_one(""), "X-Tamis-Verdict: ham\n\n");
        assert_eq!(with_one("just text\n"), "X-Tamis-Verdict: ham\n\njust text\n");
        assert_eq!(with_one("\nbody"), "X-Tamis-Verdict: ham\n\nbody");
        assert_eq!(with_one("A: b"), "X-Tamis-Verdict: ham\nA: b\n\n");
        assert_eq!(with_one("From x"), "From x\nX-Tamis-Verdict: ham\n\n");
        assert_eq!(with_one(" x: y\n"), "X-Tamis-Verdict: ham\n\n x: y\n");
    }

    #[test]
    fn marked_once_is_marked_for_ever() {
        for raw in
            ["", "A: b", "A: b\n", "A: b\r\n", "From x", "From x\nA: b", "text", "A: b\n\n", "\n\n"]
        {
            let once = with_one(raw);
            assert_eq!(with_one(&once), once, "{raw:?}");
        }
    }

    #[test]
    fn a_value_is_one_line_of_ascii() {
        assert_eq!(value("a\r\nB: c"), "a  B: c");
        assert_eq!(value("café?"), "=?UTF-8?Q?caf=C3=A9=3F?=");
        let long = value(&"é".repeat(300));
        assert!(long.is_ascii() && long.split(' ').all(|word| word.len() <= 75), "{long}");
    }
}
