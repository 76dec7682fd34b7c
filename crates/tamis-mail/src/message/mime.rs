//! RFC 5322 with MIME: headers, parts in parts, and their text.

use super::{LinkFact, PartFact, authentication, decode, fields, html, normal_address, start_of};
use super::{MAX_DEPTH, MAX_HEADERS, MAX_PARTS, MAX_RAW, MAX_TEXT, Message, Section};
use mail_parser::parsers::MessageStream;
use mail_parser::{ContentType, Header, HeaderName, HeaderValue, MessageParser};
use std::io::BufRead;
use std::sync::LazyLock;

/// What is looked at in headers.
static PARSER: LazyLock<MessageParser> = LazyLock::new(|| {
    MessageParser::new()
        .header_address(HeaderName::From)
        .header_address(HeaderName::ReplyTo)
        .header_text(HeaderName::Subject)
        .header_raw(HeaderName::AuthenticationResults)
        .header_content_type(HeaderName::ContentType)
        .header_content_type(HeaderName::ContentDisposition)
        .header_text(HeaderName::ContentTransferEncoding)
        .default_header_ignore()
});

/// The message, if there is a header.
pub(super) fn read(raw: &[u8]) -> Option<Message<'_>> {
    if !has_header(raw) {
        return None;
    }
    let part = Part::parse(raw);
    let end = fields::end_of_headers(raw).unwrap_or(raw.len() - part.body.len());
    let mut message = Message { headers: &raw[..end.min(MAX_HEADERS)], ..Message::default() };
    if let Some(HeaderValue::Text(results)) = part.header(&HeaderName::AuthenticationResults) {
        message.contradicted = authentication::contradicts(results);
    }
    for (section, name) in
        [(Section::From, HeaderName::From), (Section::ReplyTo, HeaderName::ReplyTo)]
    {
        let Some(HeaderValue::Address(addresses)) = part.header(&name) else { continue };
        let Some(first) = addresses.first() else { continue };
        if section == Section::From {
            message.sender = first.address.as_deref().and_then(normal_address);
        }
        message.push(section, first.name.clone().unwrap_or_default());
        message.push(section, first.address.clone().unwrap_or_default());
    }
    if let Some(HeaderValue::Text(subject)) = part.header(&HeaderName::Subject) {
        message.push(Section::Subject, subject.clone());
    }
    let mut walk = Walk { message, parts: 0, budget: MAX_SEARCHED };
    walk.part(&part, 0, false);
    Some(walk.message)
}

/// Whether a line before the first empty one is a header: a name without white space, and a colon.
fn has_header(raw: &[u8]) -> bool {
    let start = &raw[..raw.len().min(MAX_HEADERS)];
    let lines = start.split(|byte| *byte == b'\n').skip_while(|line| line.trim_ascii().is_empty());
    lines.take_while(|line| !line.trim_ascii().is_empty()).any(|line| {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let name = name.trim_ascii_end();
        name.len() < line.len() && !name.is_empty() && name.iter().all(u8::is_ascii_graphic)
    })
}

/// Headers and a body.
struct Part<'a> {
    headers: Vec<Header<'a>>,
    body: &'a [u8],
}

impl<'a> Part<'a> {
    fn parse(raw: &'a [u8]) -> Self {
        let mut stream = MessageStream::new(&raw[..raw.len().min(MAX_HEADERS)]);
        let mut headers = Vec::new();
        stream.parse_headers(&PARSER, &mut headers);
        let body = raw.get(stream.offset()..).unwrap_or_default();
        Self { headers, body }
    }

    /// The first header of this name that has a value.
    fn header(&self, name: &HeaderName<'_>) -> Option<&HeaderValue<'a>> {
        let mut named = self.headers.iter().filter(|header| header.name == *name);
        named.find(|header| !header.value.is_empty()).map(|header| &header.value)
    }

    fn content_type(&self, name: &HeaderName<'_>) -> Option<&ContentType<'a>> {
        match self.header(name)? {
            HeaderValue::ContentType(kind) => Some(kind),
            _ => None,
        }
    }

    fn encoding(&self) -> Option<&str> {
        match self.header(&HeaderName::ContentTransferEncoding)? {
            HeaderValue::Text(encoding) => Some(encoding),
            _ => None,
        }
    }
}

/// How many bytes are searched for boundaries in all, those of parts in parts again for each of them.
const MAX_SEARCHED: usize = 4 * MAX_RAW;

struct Walk<'a> {
    message: Message<'a>,
    parts: usize,
    /// What is left of the bytes to be searched.
    budget: usize,
}

impl<'a> Walk<'a> {
    /// Takes what is in a part. In a digest, a part that does not say what it is is a message.
    fn part(&mut self, part: &Part<'a>, depth: usize, in_digest: bool) {
        self.parts += 1;
        let kind = part.content_type(&HeaderName::ContentType);
        let disposition = part.content_type(&HeaderName::ContentDisposition);
        let (main, sub) = match kind {
            Some(kind) => (kind.ctype(), kind.subtype().unwrap_or_default()),
            None if in_digest => ("message", "rfc822"),
            None => ("text", "plain"),
        };
        if kind.is_some() {
            self.message.push(Section::Part, format!("{main}_{sub}"));
        }
        let name = disposition.and_then(|disposition| disposition.attribute("filename"));
        let name = name.or_else(|| kind?.attribute("name"));
        if let Some(name) = name {
            self.message.push(Section::Part, name.to_owned());
        }
        self.message.structure.push_part(PartFact {
            kind: format!("{main}/{sub}").to_ascii_lowercase(),
            charset: kind.and_then(|kind| kind.attribute("charset")).map(str::to_ascii_lowercase),
            encoding: part.encoding().map(|name| name.trim().to_ascii_lowercase()),
            extension: name.and_then(|name| Some(name.rsplit_once('.')?.1.to_ascii_lowercase())),
            bytes: part.body.len(),
            attachment: name.is_some() || disposition.is_some_and(|d| d.ctype() == "attachment"),
        });
        let is = |name: &str, wanted: &str| name.eq_ignore_ascii_case(wanted);
        if is(main, "multipart") {
            let boundary = kind.and_then(|kind| kind.attribute("boundary")).unwrap_or_default();
            if depth < MAX_DEPTH && self.multipart(part, boundary, depth, is(sub, "digest")) {
                return;
            }
        } else if is(main, "message") && (is(sub, "rfc822") || is(sub, "global")) {
            if depth < MAX_DEPTH {
                return self.part(&Part::parse(part.body), depth + 1, false);
            }
        } else if !is(main, "text") {
            return;
        }
        let charset = kind.and_then(|kind| kind.attribute("charset"));
        self.text(part, charset, is(sub, "html"));
    }

    /// The parts between boundaries; whether there is any.
    fn multipart(&mut self, part: &Part<'a>, boundary: &str, depth: usize, digest: bool) -> bool {
        if boundary.is_empty() || self.budget < part.body.len() {
            return false;
        }
        self.budget -= part.body.len();
        let mut start = None;
        let mut rest = part.body;
        loop {
            let at = part.body.len() - rest.len();
            let delimiter = Delimiter::of(rest, boundary.as_bytes());
            if delimiter.is_some() || rest.is_empty() {
                if let Some(start) = start {
                    if self.parts >= MAX_PARTS {
                        return true;
                    }
                    let inner = Part::parse(without_line_end(&part.body[start..at]));
                    self.part(&inner, depth + 1, digest);
                }
                if delimiter == Some(Delimiter::End) || rest.is_empty() {
                    return start.is_some();
                }
            }
            // Reading from memory does not fail.
            rest.skip_until(b'\n').unwrap_or_default();
            if delimiter.is_some() {
                start = Some(part.body.len() - rest.len());
            }
        }
    }

    fn text(&mut self, part: &Part<'a>, charset: Option<&str>, is_html: bool) {
        if self.message.size >= MAX_TEXT {
            return;
        }
        // Encoded, it may be longer than what it says.
        let body = start_of(part.body, 2 * MAX_TEXT);
        let text = decode::charset(decode::transfer(body, part.encoding()), charset);
        if is_html {
            self.html(&text);
            return;
        }
        for link in html::links_in_text(&text).take(html::MAX_LINKS) {
            let host = link.to_ascii_lowercase();
            self.message.structure.push_link(LinkFact { host, ..LinkFact::default() });
            self.message.push(Section::Link, link.to_owned());
        }
        self.message.push(Section::Body, text);
    }

    fn html(&mut self, source: &str) {
        let page = html::read(source);
        let structure = &mut self.message.structure;
        structure.hidden_bytes += page.hidden_bytes;
        structure.hidden_forms.extend(page.hidden_forms);
        structure.images += page.images;
        structure.forms += page.forms;
        structure.tracking_pixels += page.tracking_pixels;
        structure.comments += page.comments;
        for target in page.targets {
            structure.push_link(target);
        }
        for link in page.links {
            self.message.push(Section::Link, link);
        }
        self.message.push(Section::Html, page.notes.join(" "));
        self.message.push(Section::Body, page.text);
    }
}

/// A line between parts, or behind the last one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    Next,
    End,
}

impl Delimiter {
    /// The delimiter that these lines start with.
    fn of(lines: &[u8], boundary: &[u8]) -> Option<Self> {
        let rest = lines.strip_prefix(b"--")?.strip_prefix(boundary)?;
        if rest.starts_with(b"--") {
            return Some(Self::End);
        }
        let mut after = rest.iter().skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        matches!(after.next(), None | Some(b'\n')).then_some(Self::Next)
    }
}

/// The line end before a boundary belongs to the boundary.
fn without_line_end(part: &[u8]) -> &[u8] {
    let part = part.strip_suffix(b"\n").unwrap_or(part);
    part.strip_suffix(b"\r").unwrap_or(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(raw: &str) -> Vec<String> {
        let message = Message::parse(raw.as_bytes());
        let bodies = message.sections().filter(|(section, _)| *section == Section::Body);
        bodies.map(|(_, text)| text.to_owned()).collect()
    }

    #[test]
    fn parts_stand_between_boundaries() {
        let head = "Subject: x\nContent-Type: multipart/mixed; boundary=\"b\"\n\n";
        assert_eq!(
            bodies(&format!("{head}no\n--b\n\none\n--b \t\n\ntwo\n--b--\nno")),
            ["one", "two"]
        );
        assert_eq!(
            bodies(&format!("{head}--b\n\n--b2\n--b\nA: b\n\nthe end")),
            ["--b2", "the end"]
        );
        assert_eq!(bodies(&format!("{head}no boundary")), ["no boundary"]);
        let nested =
            "Content-Type: multipart/alternative; boundary=i\n\n--i\n\nin\n--b\n\nout\n--b--";
        assert_eq!(bodies(&format!("{head}--b\n{nested}")), ["in", "out"]);
    }

    #[test]
    fn a_message_in_a_message_is_read() {
        let head = "A: x\nContent-Type: multipart/digest; boundary=b\n\n";
        let raw =
            format!("{head}--b\n\nSubject: in\n\ntext\n--b\nContent-Type: text/plain\n\nmore");
        assert_eq!(bodies(&raw), ["text", "more"]);
        assert_eq!(bodies("Content-Type: message/rfc822\n\nSubject: y\n\ntext"), ["text"]);
    }

    #[test]
    fn text_without_a_header_is_text() {
        for text in ["no header at all", "two words: x\n\nb: c", "", "\n\n", ": x"] {
            assert_eq!(bodies(text).concat(), text);
        }
        assert_eq!(bodies("From x Mon\nA:b\n\ntext"), ["text"]);
        assert!(bodies("A:b").is_empty());
    }
}
