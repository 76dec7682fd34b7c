//! Raw mail to sections of text.
//!
//! Two forms are read: RFC 5322 with MIME, charsets and encodings, where HTML is read as a reader
//! sees it ([`html`]); and the plain form of the report, a first line `FROM: address` and then text.
//! Damaged messages are read as far as possible; attachments are never unpacked. All text is
//! normalised ([`normalize`]), and how a message is built is kept as facts ([`Structure`]).
//!
//! Everything is bounded, whatever is sent: the bytes that are read ([`MAX_RAW`]), the headers of a
//! part ([`MAX_HEADERS`]), parts with text ([`MAX_PARTS`]), nesting ([`MAX_DEPTH`]), and text
//! ([`MAX_TEXT`]). None of the bounds is reached by content that a reader does not see. Time is
//! linear in the bytes.

mod authentication;
mod decode;
mod fields;
pub mod html;
mod mime;
pub mod normalize;
mod structure;
mod uuencode;

pub(crate) use fields::is_standard;
pub use structure::{LinkFact, MAX_FACTS, PartFact, Structure};

use std::borrow::Cow;

/// Maximum number of bytes of a raw message that are read.
pub const MAX_RAW: usize = 16 << 20;

/// Maximum length of the headers of a part that are read as a whole, in bytes. Of longer ones only
/// the fields are parsed that the body needs.
pub const MAX_HEADERS: usize = 256 << 10;

/// Maximum number of header fields of one name that [`Message::header_fields`] returns.
pub const MAX_FIELDS: usize = 64;

/// Maximum number of header fields with names that no standard has, of all names together.
pub const MAX_OTHER_FIELDS: usize = 128;

/// Maximum length of the text of a message, in bytes.
pub const MAX_TEXT: usize = 4 << 20;

/// Maximum number of parts with text. Empty parts do not count.
pub const MAX_PARTS: usize = 1000;

/// Maximum depth of parts inside parts; deeper ones are text.
pub const MAX_DEPTH: usize = 30;

/// The place of a text in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Section {
    /// The visible text.
    Body = 1,
    /// The subject.
    Subject = 2,
    /// Name and address of the sender.
    From = 3,
    /// Name and address for replies.
    ReplyTo = 4,
    /// The host of a link.
    Link = 5,
    /// The type of a part, and the name of an attachment.
    Part = 6,
    /// Tags of the HTML, and whether it hides text.
    Html = 7,
    /// Plain text that says something else than the HTML it is an alternative to.
    Alternative = 8,
}

/// A message as the filter sees it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message<'a> {
    sender: Option<String>,
    contradicted: bool,
    sections: Vec<(Section, Cow<'a, str>)>,
    size: usize,
    structure: Structure,
    /// The raw header block of the whole message.
    headers: &'a [u8],
}

impl<'a> Message<'a> {
    /// A message with this body and nothing else.
    #[must_use]
    pub fn of_text(text: impl Into<Cow<'a, str>>) -> Self {
        let mut message = Self::default();
        message.push(Section::Body, text);
        message
    }

    /// Reads a message of either form.
    #[must_use]
    pub fn parse(raw: &'a [u8]) -> Self {
        let raw = &raw[..raw.len().min(MAX_RAW)];
        plain_form(raw).or_else(|| mime::read(raw)).unwrap_or_else(|| Self::of_text(text_of(raw)))
    }

    /// The address of the sender in lower case, if it has one.
    #[must_use]
    pub fn sender(&self) -> Option<&str> {
        self.sender.as_deref()
    }

    /// Whether the server that received it says that it is not from its sender: the topmost header
    /// `Authentication-Results` has `dmarc=fail`, or SPF failed and no signature of DKIM is good. Others may be forged.
    #[must_use]
    pub const fn contradicted(&self) -> bool {
        self.contradicted
    }

    /// Believes results of authentication only from these hosts, the topmost first: others may be forged. Without any
    /// host nothing changes.
    pub fn believe(&mut self, hosts: &[String]) {
        if hosts.is_empty() {
            return;
        }
        let mut results = self.header_fields().filter_map(|(name, value)| {
            let is_result = name.eq_ignore_ascii_case(b"authentication-results");
            let value = String::from_utf8_lossy(value);
            let host = is_result.then(|| authentication::host(&value))?;
            let is_believed = hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
            is_believed.then(|| authentication::contradicts(&value))
        });
        let first = results.next();
        drop(results);
        self.contradicted = first.unwrap_or(false);
    }

    /// All sections in the order of the message.
    pub fn sections(&self) -> impl Iterator<Item = (Section, &str)> {
        self.sections.iter().map(|(section, text)| (*section, text.as_ref()))
    }

    /// How the message is built: parts, links, hidden text.
    #[must_use]
    pub const fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The header fields of the whole message in order: name and raw value, folding kept.
    ///
    /// At most [`MAX_FIELDS`] of one name and [`MAX_OTHER_FIELDS`] with names that no standard has (none of headers longer
    /// than 64 kB), so that no padding hides the others. Empty for the plain form, for text without headers and after
    /// [`Message::body_only`].
    pub fn header_fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        fields::Bounded::new(self.headers).map(|field| (field.name, field.value))
    }

    /// The body: its parts in order, one per line.
    #[must_use]
    pub fn body(&self) -> String {
        let parts = self.sections().filter(|(section, _)| *section == Section::Body);
        parts.map(|(_, text)| text).collect::<Vec<_>>().join("\n")
    }

    /// The message reduced to its body. Its structure stays.
    #[must_use]
    pub fn body_only(mut self) -> Self {
        self.sender = None;
        self.contradicted = false;
        self.headers = &[];
        self.sections.retain(|(section, _)| *section == Section::Body);
        self
    }

    /// Appends a text, normalised and cut at the bounds.
    pub fn push(&mut self, section: Section, text: impl Into<Cow<'a, str>>) {
        let text = shortened(text.into(), MAX_TEXT.saturating_sub(self.size));
        let cleaned = normalize::cleaned(&text);
        self.structure.zero_width += cleaned.removed;
        let text = match cleaned.text {
            Cow::Owned(changed) => Cow::Owned(changed),
            Cow::Borrowed(_) => text,
        };
        let text = shortened(text, MAX_TEXT.saturating_sub(self.size));
        if matches!(section, Section::Body | Section::Subject | Section::From) {
            self.structure.confusables += confusables(&text);
        }
        self.size += text.len();
        if section == Section::Body {
            self.structure.visible_bytes += text.len();
        }
        if !text.is_empty() {
            self.sections.push((section, text));
        }
    }
}

/// At most `most` bytes of a text.
fn shortened(text: Cow<'_, str>, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text;
    }
    let end = text.floor_char_boundary(most);
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    }
}

/// Number of words with letters that look like others.
fn confusables(text: &str) -> usize {
    if text.is_ascii() {
        return 0;
    }
    let is_between = |c: char| matches!(c, '\u{2000}'..='\u{2BFF}' | '\u{3000}'..='\u{303F}');
    let deceives = |word: &&str| normalize::lookalike(word).is_some_and(|word| word.deceives);
    // Accents, below U+0240, are no disguise; their characters start with lower bytes.
    let is_foreign = |word: &&str| word.bytes().any(|byte| byte >= 0xC9);
    let mut count = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    // Runs of ASCII letters and others, of which few have a byte worth a closer look.
    while let Some(length) = bytes[at..].iter().position(|byte| *byte >= 0xC9) {
        let place = at + length;
        let is_end = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphabetic();
        let start = bytes[at..place].iter().rposition(is_end).map_or(at, |end| at + end + 1);
        let end = bytes[place..].iter().position(is_end).map_or(bytes.len(), |end| place + end);
        count += text[start..end].split(is_between).filter(is_foreign).filter(deceives).count();
        at = end;
    }
    count
}

/// At most `most` bytes, without cutting a character of UTF-8.
fn start_of(bytes: &[u8], most: usize) -> &[u8] {
    let is_inside = |end: usize| bytes.get(end).is_some_and(|byte| byte & 0xC0 == 0x80);
    let end = (most.saturating_sub(3)..=most).rev().find(|end| !is_inside(*end)).unwrap_or(most);
    &bytes[..end.min(bytes.len())]
}

/// Text without a declared encoding: UTF-8, or Latin-1.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = start_of(bytes, MAX_TEXT);
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// The report's form: `FROM: address` in capitals on the first line, then text and no header.
fn plain_form(raw: &[u8]) -> Option<Message<'_>> {
    let rest = raw.strip_prefix(b"FROM:")?;
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let mut message = Message::default();
    let sender = text_of(&rest[..end]);
    message.sender = normal_address(&sender);
    message.push(Section::From, sender);
    message.push(Section::Body, text_of(rest.get(end + 1..).unwrap_or_default()));
    Some(message)
}

/// An address in lower case without name and brackets; none without an `@`.
fn normal_address(text: &str) -> Option<String> {
    let inner =
        text.rsplit_once('<').map_or(text, |(_, rest)| rest.split('>').next().unwrap_or(rest));
    let address = inner.trim().to_lowercase();
    address.contains('@').then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(raw: &str) -> Vec<(Section, String)> {
        let message = Message::parse(raw.as_bytes());
        message.sections().map(|(section, text)| (section, text.to_owned())).collect()
    }

    #[test]
    fn the_plain_form_has_a_sender_and_text() {
        let message = Message::parse(b"FROM: Anne@Example.org \nSubject: hello\nhow are you?\n");
        assert_eq!(message.sender(), Some("anne@example.org"));
        assert_eq!(message.body(), "Subject: hello\nhow are you?\n");
        assert_eq!(Message::parse(b"FROM: caf\xE9@x\nna\xEFve").body(), "naïve");
    }

    #[test]
    fn mail_has_what_one_reads_of_it() {
        let raw = "From: \"A. Leek\" <Leek@Example.org>\r\nReply-To: other@example.net\r\n\
            Subject: =?utf-8?q?Caf=C3=A9?=\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\
            Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
            caf=E9 at https://shop.example.com/a?b\r\n--x\r\n\
            Content-Type: application/zip; name=\"invoice.zip\"\r\n\r\nPK\r\n--x--\r\n";
        let sections = sections(raw);
        let has = |section, text: &str| sections.contains(&(section, text.to_owned()));
        assert!(has(Section::From, "A. Leek") && has(Section::From, "Leek@Example.org"));
        assert!(has(Section::ReplyTo, "other@example.net"));
        assert!(has(Section::Subject, "Café"), "{sections:?}");
        assert!(has(Section::Link, "shop.example.com"));
        assert!(has(Section::Part, "invoice.zip") && has(Section::Part, "application_zip"));
        assert!(sections.iter().any(|(s, text)| *s == Section::Body && text.contains("café at")));
        assert_eq!(Message::parse(raw.as_bytes()).sender(), Some("leek@example.org"));
    }

    #[test]
    fn only_the_topmost_result_of_authentication_counts() {
        let contradicted = |raw: &str| Message::parse(raw.as_bytes()).contradicted();
        let (good, bad) = (
            "Authentication-Results: mx; spf=pass;\r\n dmarc=pass\r\n",
            "authentication-results: mx;\r\n\tdmarc=fail\r\n",
        );
        assert!(contradicted(&format!("{bad}{good}From: a@b\r\n\r\ntext")));
        assert!(!contradicted(&format!("{good}{bad}From: a@b\r\n\r\ntext")));
        assert!(!contradicted(&format!("From: a@b\r\n\r\n{bad}")));
        assert!(!contradicted(&format!("FROM: a@b\n{bad}")));
        assert!(!Message::parse(bad.as_bytes()).body_only().contradicted());
    }

    #[test]
    fn only_results_of_believed_hosts_count() {
        let results = |host: &str, result: &str| {
            format!("Authentication-Results: {host};\r\n dmarc={result}\r\n")
        };
        let contradicted = |raw: &str, hosts: &[&str]| {
            let raw = format!("{raw}From: a@b\r\n\r\ntext");
            let mut message = Message::parse(raw.as_bytes());
            message.believe(&hosts.iter().map(ToString::to_string).collect::<Vec<_>>());
            message.contradicted()
        };
        let forged = results("evil.example", "fail") + &results("MX.example.org", "pass");
        assert!(contradicted(&forged, &[]), "the topmost");
        assert!(!contradicted(&forged, &["mx.example.org"]));
        assert!(contradicted(&forged, &["other.example", "evil.example"]));
        assert!(!contradicted(&forged, &["other.example"]));
        let twice = results("mx.example.org", "fail") + &results("mx.example.org", "pass");
        assert!(contradicted(&twice, &["mx.example.org"]), "the topmost of that host");
    }

    #[test]
    fn header_fields_are_those_of_the_whole_message() {
        let names = |message: &Message<'_>| -> Vec<String> {
            let name = |(name, _): (&[u8], &[u8])| String::from_utf8_lossy(name).into_owned();
            message.header_fields().map(name).collect()
        };
        let raw = b"From x\nReceived: a\n b\nReceived: c\nSubject: x\n\nText: no\n";
        let message = Message::parse(raw);
        assert_eq!(names(&message), ["Received", "Received", "Subject"]);
        assert_eq!(message.header_fields().next(), Some((&b"Received"[..], &b" a\n b"[..])));
        assert!(names(&message.body_only()).is_empty());
        assert!(names(&Message::parse(b"FROM: a@b\nA: b\n\nc")).is_empty());
        let other = |count: usize| (0..count).map(|n| format!("A{n}: b\n")).collect::<String>();
        for (count, most) in [(1000, MAX_OTHER_FIELDS), (200_000, 0)] {
            let long = format!("{}{}To: me\n\ntext", "Received: b\n".repeat(200), other(count));
            let found = names(&Message::parse(long.as_bytes()));
            assert_eq!(found.len(), MAX_FIELDS + most + 1);
            assert_eq!(found.last().map(String::as_str), Some("To"), "padding hides nothing");
        }
    }

    #[test]
    fn no_character_is_cut() {
        for (most, expected) in [(0, 0), (1, 1), (2, 1), (3, 3), (4, 3), (5, 3), (6, 6), (9, 6)] {
            assert_eq!(start_of("aé€".as_bytes(), most).len(), expected, "{most}");
        }
        assert_eq!(start_of(&[0x80; 10], 5).len(), 5, "no UTF-8 at all");
        let raw = format!("Subject: x\n\na{}", "é".repeat(5 << 20));
        assert!(Message::parse(raw.as_bytes()).body().starts_with("aéé"));
    }

    #[test]
    fn whatever_comes_is_a_message_within_bounds() {
        for raw in [&b""[..], b"\0\0\0", b"\xFF\xFE\xFD", b"no header at all", b"FROM:"] {
            drop(Message::parse(raw));
        }
        let deep: String = (0..1000)
            .map(|level| {
                format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n")
            })
            .collect();
        drop(Message::parse(deep.as_bytes()));
        let line = vec![b'x'; 8 << 20];
        assert!(Message::parse(&line).body().len() <= MAX_TEXT);
    }
}
