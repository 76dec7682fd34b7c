//! RFC 5322 with MIME: headers, parts inside parts, and their text.
//!
//! [`part`] reads one part, [`boundary`] separates parts, [`alternative`] compares a plain text with
//! its HTML alternative.
//!
//! A body is not hidden by empty parts (they do not count), by long headers, by a content type that
//! is none, or by an encoding that is not declared.

mod alternative;
mod boundary;
mod part;
#[cfg(test)]
mod tests;

use super::{LinkFact, MAX_DEPTH, MAX_HEADERS, MAX_PARTS, MAX_RAW, MAX_TEXT, Message, Section};
use super::{PartFact, authentication, decode, fields, html, normal_address, uuencode};
use alternative::Words;
use boundary::{Delimiter, Delimiters, without_line_end};
use mail_parser::{HeaderName, HeaderValue};
use part::Part;
use std::borrow::Cow;

/// The message, if there is a header.
pub(super) fn read(raw: &[u8]) -> Option<Message<'_>> {
    if !has_header(raw) {
        return None;
    }
    let part = Part::parse(raw);
    let end = fields::end_of_headers(raw).unwrap_or(raw.len() - part.body.len());
    let mut message = Message { headers: &raw[..end], ..Message::default() };
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
    let mut walk = Walk {
        message,
        parts: 0,
        notes: 0,
        empty: 0,
        budget: MAX_SEARCHED,
        bodies: Vec::new(),
        images: 0,
    };
    walk.part(&part, 0, false);
    Some(walk.message)
}

/// Whether a line before the first empty one is a header: a name without white space, then a colon.
fn has_header(raw: &[u8]) -> bool {
    let start = &raw[..raw.len().min(MAX_HEADERS)];
    let lines = start.split(|byte| *byte == b'\n').skip_while(|line| line.trim_ascii().is_empty());
    lines.take_while(|line| !line.trim_ascii().is_empty()).any(|line| {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let name = name.trim_ascii_end();
        name.len() < line.len() && !name.is_empty() && name.iter().all(u8::is_ascii_graphic)
    })
}

/// Maximum number of bytes searched for boundaries, counted again for parts inside parts.
const MAX_SEARCHED: usize = 4 * MAX_RAW;

/// Maximum number of empty parts that are noted.
const MAX_EMPTY: usize = 50;

struct Walk<'a> {
    message: Message<'a>,
    /// Parts with text so far.
    parts: usize,
    /// Parts noted so far.
    notes: usize,
    /// Empty parts so far.
    empty: usize,
    /// Bytes that may still be searched.
    budget: usize,
    /// The sections with text that was not compared yet, and whether it comes from HTML.
    bodies: Vec<(usize, bool)>,
    /// Images in HTML that was not compared yet.
    images: usize,
}

impl<'a> Walk<'a> {
    /// Takes the content of a part. In a digest, a part without a type is a message.
    fn part(&mut self, part: &Part<'a>, depth: usize, in_digest: bool) {
        if part.body.trim_ascii().is_empty() {
            self.empty += 1;
            if self.empty > MAX_EMPTY {
                return;
            }
        }
        let kind = part.content_type(&HeaderName::ContentType);
        let (main, sub) = match kind {
            Some(kind) => (kind.ctype(), kind.subtype().unwrap_or_default()),
            None if in_digest => ("message", "rfc822"),
            None => ("text", "plain"),
        };
        let is = |name: &str, wanted: &str| name.eq_ignore_ascii_case(wanted);
        let encoding = part.encoding();
        self.note(part, (main, sub), encoding.as_deref());
        if is(main, "multipart") {
            let boundary = kind.and_then(|kind| kind.attribute("boundary")).unwrap_or_default();
            let first = self.bodies.len();
            if depth < MAX_DEPTH && self.multipart(part, boundary, depth, is(sub, "digest")) {
                if is(sub, "alternative") {
                    self.compare(first);
                }
                return;
            }
        } else if is(main, "message") && (is(sub, "rfc822") || is(sub, "global")) {
            if depth < MAX_DEPTH {
                return self.part(&Part::parse(part.body), depth + 1, false);
            }
        } else if !(is(main, "text") || is(sub, "xhtml+xml") || sub.is_empty()) {
            // A type without a subtype is none, and the part is text.
            return;
        }
        let charset = kind.and_then(|kind| kind.attribute("charset"));
        let is_html = sub.to_ascii_lowercase().contains("html") || is(main, "html");
        self.text(part, encoding.as_deref(), charset, is_html);
    }

    /// Notes the type and name of a part.
    fn note(&mut self, part: &Part<'a>, (main, sub): (&str, &str), encoding: Option<&str>) {
        if self.notes >= MAX_PARTS {
            return;
        }
        self.notes += 1;
        let kind = part.content_type(&HeaderName::ContentType);
        let disposition = part.content_type(&HeaderName::ContentDisposition);
        if kind.is_some() {
            self.message.push(Section::Part, format!("{main}_{sub}"));
        }
        let name = disposition.and_then(|disposition| disposition.attribute("filename"));
        let name = name.or_else(|| kind?.attribute("name"));
        if let Some(name) = name {
            self.message.push(Section::Part, name.to_owned());
        }
        let is_attached =
            |d: &mail_parser::ContentType<'_>| d.ctype().eq_ignore_ascii_case("attachment");
        self.message.structure.push_part(PartFact {
            kind: format!("{main}/{sub}").to_ascii_lowercase(),
            charset: kind.and_then(|kind| kind.attribute("charset")).map(str::to_ascii_lowercase),
            encoding: encoding.map(str::to_owned),
            extension: name.and_then(extension),
            bytes: part.body.len(),
            attachment: name.is_some() || disposition.is_some_and(is_attached),
        });
    }

    /// Takes the parts between boundaries; whether there is any.
    fn multipart(&mut self, part: &Part<'a>, boundary: &str, depth: usize, digest: bool) -> bool {
        if boundary.is_empty() || self.budget < part.body.len() {
            return false;
        }
        self.budget -= part.body.len();
        let mut start: Option<usize> = None;
        let mut delimiters = Delimiters::new(part.body, boundary.as_bytes());
        loop {
            let next = delimiters.next();
            let end = next.map_or(part.body.len(), |(at, _)| at);
            if let Some(start) = start {
                if self.parts >= MAX_PARTS {
                    return true;
                }
                let inner = Part::parse(without_line_end(&part.body[start..end]));
                self.part(&inner, depth + 1, digest);
            }
            match next {
                Some((_, Delimiter::Next)) => start = Some(delimiters.at()),
                _ => return start.is_some(),
            }
        }
    }

    /// Takes the text of a part.
    fn text(
        &mut self,
        part: &Part<'a>,
        encoding: Option<&str>,
        charset: Option<&str>,
        is_html: bool,
    ) {
        if self.message.size >= MAX_TEXT {
            return;
        }
        let text = decode::charset(decode::transfer(part.body, encoding), charset);
        let before = self.bodies.len();
        if is_html {
            self.html(&text);
        } else {
            self.plain(text);
        }
        self.parts += usize::from(self.bodies.len() > before);
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
        self.images += page.images;
        for target in page.targets {
            structure.push_link(target);
        }
        for link in page.links {
            self.message.push(Section::Link, link);
        }
        if !page.text.trim().is_empty() || self.empty <= MAX_EMPTY {
            self.message.push(Section::Html, page.notes.join(" "));
        }
        self.body(page.text.into(), true);
    }

    /// Takes plain text, with the files in it, and what it says if it is base64.
    fn plain(&mut self, text: Cow<'a, str>) {
        let files = uuencode::files(&text);
        if files.is_empty() {
            let decoded = decode::undeclared_base64(&text);
            self.links(&text);
            self.body(text, false);
            if let Some(decoded) = decoded {
                self.unpacked(decoded.into(), "");
            }
            return;
        }
        let mut rest = String::with_capacity(text.len());
        let mut at = 0;
        let mut found = Vec::new();
        for file in files {
            rest.push_str(&text[at..file.place.start]);
            at = file.place.end;
            found.push((file.name.to_owned(), file.data));
        }
        rest.push_str(&text[at..]);
        self.links(&rest);
        self.body(rest.into(), false);
        for (name, data) in found {
            self.file(&name, data);
        }
    }

    /// Takes a file that is part of a text.
    fn file(&mut self, name: &str, data: Vec<u8>) {
        if self.notes < MAX_PARTS {
            self.notes += 1;
            self.message.push(Section::Part, name.to_owned());
            self.message.structure.push_part(PartFact {
                kind: "application/x-uuencode".to_owned(),
                extension: extension(name),
                bytes: data.len(),
                attachment: true,
                ..PartFact::default()
            });
        }
        if decode::is_text(&data) {
            self.unpacked(decode::charset(data.into(), None), name);
        }
    }

    /// Takes text that was encoded inside text.
    fn unpacked(&mut self, text: Cow<'a, str>, name: &str) {
        let is_page = text.trim_start().starts_with('<')
            || matches!(extension(name).as_deref(), Some("htm" | "html"));
        if is_page {
            self.html(&text);
        } else {
            self.links(&text);
            self.body(text, false);
        }
    }

    /// Takes the links of plain text.
    fn links(&mut self, text: &str) {
        for link in html::links_in_text(text).take(html::MAX_LINKS) {
            let (host, scheme) = (link.to_ascii_lowercase(), "http".to_owned());
            self.message.structure.push_link(LinkFact { host, scheme, shown_host: None });
            self.message.push(Section::Link, link.to_owned());
        }
    }

    /// Takes text that a reader sees. White space alone would only use up the bounds.
    fn body(&mut self, text: Cow<'a, str>, is_html: bool) {
        let is_blank = text.trim_ascii().is_empty();
        if is_blank {
            self.empty += 1;
            if self.empty > MAX_EMPTY {
                return;
            }
        }
        let before = self.message.sections.len();
        self.message.push(Section::Body, squeezed(text));
        if self.message.sections.len() > before && !is_blank {
            self.bodies.push((before, is_html));
        }
    }

    /// Compares the plain text with the HTML of an alternative. Plain text that says something else
    /// is not what a reader sees, and moves to a section of its own.
    fn compare(&mut self, first: usize) {
        let bodies: Vec<(usize, bool)> =
            self.bodies.drain(first.min(self.bodies.len())..).collect();
        let images = std::mem::take(&mut self.images);
        let sections = &self.message.sections;
        let words = |wanted: bool| {
            let chosen = bodies.iter().filter(|(_, is_html)| *is_html == wanted);
            Words::of(chosen.map(|(at, _)| sections[*at].1.as_ref()))
        };
        let (plain, page) = (words(false), words(true));
        let Some(similarity) = plain.similarity(&page) else { return };
        let alternative = &mut self.message.structure.alternative;
        *alternative = Some(alternative.map_or(similarity, |least: f64| least.min(similarity)));
        let is_seen = page.len() >= LEAST_SEEN || images > 0;
        if is_seen && plain.is_foreign_to(&page) {
            for (at, _) in bodies.iter().filter(|(_, is_html)| !is_html) {
                let (section, text) = &mut self.message.sections[*at];
                *section = Section::Alternative;
                let visible = &mut self.message.structure.visible_bytes;
                *visible = visible.saturating_sub(text.len());
            }
        }
    }
}

/// Fewest words of a page that a reader looks at instead of the plain text.
const LEAST_SEEN: usize = 5;

/// Longer texts have long runs of white space shortened, so that they cannot push the rest out.
const LONG: usize = MAX_TEXT / 4;

/// A text with runs of white space of at most eight characters, if it is long.
fn squeezed(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.len() <= LONG {
        return text;
    }
    let mut run = 0;
    let kept = |c: &char| {
        run = if c.is_whitespace() { run + 1 } else { 0 };
        run <= 8
    };
    Cow::Owned(text.chars().filter(kept).collect())
}

/// The extension of a file name in lower case.
fn extension(name: &str) -> Option<String> {
    let (_, extension) = name.trim_end_matches(['.', ' ']).rsplit_once('.')?;
    Some(extension.trim().to_lowercase())
}
