//! How a message was made rather than what it says: its headers, dates, names, parts and links.

use super::Visit;
use super::head::Head;
use super::shape::{LONGEST, length_class, magnitude, push_shape, shape, start_of_shape};
use super::shape::{push_without_digits, without_digits};
use crate::message::{Message, Section};

/// Calls `visit` with each fact.
pub fn for_each(head: &Head<'_>, message: &Message<'_>, visit: &mut Visit<'_>) {
    if head.is_empty() {
        return;
    }
    order(head, visit);
    mailer(head, visit);
    identifier(head, visit);
    date(head, visit);
    people(head, message, visit);
    content(head, visit);
    subject(head, visit);
    body(head, message, visit);
}

/// A date as seconds since 1970.
pub fn seconds(date: &[u8]) -> Option<i64> {
    let date = mail_parser::DateTime::parse_rfc822(std::str::from_utf8(date).ok()?)?;
    date.is_valid().then(|| date.to_timestamp())
}

/// Which headers there are, in which order, and how their names are written.
fn order(head: &Head<'_>, visit: &mut Visit<'_>) {
    let mut before: &[u8] = b"";
    let mut sequence = Vec::new();
    let mut scratch = Vec::new();
    for field in head.fields() {
        if &*field.name == before {
            continue;
        }
        visit("header", field.written);
        joined(&mut scratch, [before, b" ", &field.name]);
        visit("headers in this order", &scratch);
        before = &field.name;
        sequence.push(field.name.first().copied().unwrap_or_default());
        if field.name.starts_with(b"x-") {
            let value = &field.value[..field.value.len().min(40)];
            joined(&mut scratch, [&field.name, b":", b""]);
            let start = scratch.len();
            push_shape(value, LONGEST, &mut scratch);
            visit("header form", &scratch);
            scratch.truncate(start);
            push_without_digits(value, &mut scratch);
            visit("header value", &scratch);
        }
    }
    visit("header sequence", &sequence);
    visit("headers", &magnitude(head.fields().len() as u64));
}

/// Replaces the content of `text` by these parts.
fn joined(text: &mut Vec<u8>, parts: [&[u8]; 3]) {
    text.clear();
    parts.iter().for_each(|part| text.extend_from_slice(part));
}

/// The program that made it, and the form of what it made.
fn mailer(head: &Head<'_>, visit: &mut Visit<'_>) {
    let mailer = head.get(b"x-mailer").or_else(|| head.get(b"user-agent"));
    let mailer = mailer.map_or(b"(none)".to_vec(), without_digits);
    let name: Vec<u8> = mailer.iter().copied().take(60).collect();
    visit("mail program", &name);
    let first = name.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let kind = head.get(b"content-type").unwrap_or_default();
    let boundary = attribute(kind, b"boundary").map(shape).unwrap_or_default();
    visit("boundary", &boundary);
    visit("boundary of a mail program", &[first, b" ", &boundary].concat());
    let id = head.get(b"message-id").map(shape).unwrap_or_default();
    visit("message id of a mail program", &[first, b" ", &id].concat());
    let short = kind.split(|byte| *byte == b';').next().unwrap_or_default();
    visit(
        "content type of a mail program",
        &[first, b" ", &short.to_ascii_lowercase()[..]].concat(),
    );
}

/// The message identifier.
fn identifier(head: &Head<'_>, visit: &mut Visit<'_>) {
    let Some(id) = head.get(b"message-id") else {
        return visit("message id", b"(none)");
    };
    visit("message id", &shape(id));
    let host = after_at(id);
    if host.is_empty() {
        visit("message id", b"(no host)");
    }
    visit("message id host", &host);
    let from = head.get(b"from").map(after_at).unwrap_or_default();
    visit("message id host is the sender's", &[same_domain(&host, &from)]);
    let by = head.get(b"received").map(|value| super::received::Received::parse(value).by);
    visit("message id host is the receiver's", &[same_domain(&host, by.unwrap_or_default())]);
}

/// The date: its form, its zone, its weekday, and how late it arrived.
fn date(head: &Head<'_>, visit: &mut Visit<'_>) {
    let Some(date) = head.get(b"date") else {
        return visit("date", b"(none)");
    };
    visit("date", &shape(date));
    let mut words = date.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    if let Some(zone) = words.find(|word| matches!(word.first(), Some(b'+' | b'-'))) {
        visit("time zone", zone);
    }
    let text = std::str::from_utf8(date).unwrap_or_default();
    let Some(parsed) =
        mail_parser::DateTime::parse_rfc822(text).filter(mail_parser::DateTime::is_valid)
    else {
        return visit("date", b"(cannot be read)");
    };
    const DAYS: [&[u8]; 7] = [b"sun", b"mon", b"tue", b"wed", b"thu", b"fri", b"sat"];
    let day = date.get(..3).unwrap_or_default().to_ascii_lowercase();
    if let Some(claimed) = DAYS.iter().position(|name| **name == *day) {
        let wrong = claimed != usize::from(parsed.day_of_week());
        visit("weekday", if wrong { b"wrong" } else { b"right" });
    }
    let arrival = head.get(b"received").map(super::received::Received::parse);
    if let Some(arrival) = arrival.and_then(|received| seconds(received.date)) {
        let lag = arrival - parsed.to_timestamp();
        let sign = if lag < 0 { b'-' } else { b'+' };
        visit("time from date to arrival", &[sign, magnitude(lag.unsigned_abs() / 30)[0]]);
    }
}

/// Names and addresses: their forms, and whether they fit each other.
fn people(head: &Head<'_>, message: &Message<'_>, visit: &mut Visit<'_>) {
    let from = head.get(b"from").unwrap_or_default();
    let name = name_of(message);
    visit("form of the sender's name", &shape(name.as_bytes()));
    visit("form of the sender field", &shape(from));
    let address = message.sender().unwrap_or_default();
    let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    visit("form of the sender's address", &shape(local.as_bytes()));
    visit(
        "top-level domain of the sender",
        domain.rsplit('.').next().unwrap_or_default().as_bytes(),
    );
    visit("sender's domain", domain.as_bytes());
    if let Some(shown) = domain_in_name(message) {
        let same = same_domain(shown.as_bytes(), domain.as_bytes());
        visit("the sender's name carries an address", &[same]);
    }
    for (field, kind) in [
        (&b"return-path"[..], "return path is the sender's"),
        (b"reply-to", "reply address is the sender's"),
        (b"sender", "sender field is the sender's"),
    ] {
        let value = head.get(field);
        let same = value.map_or(b'-', |value| same_domain(&after_at(value), domain.as_bytes()));
        visit(kind, &[same]);
    }
    let recipients = |name: &[u8]| {
        head.get(name).map_or(0, |value| value.iter().filter(|byte| **byte == b'@').count())
    };
    let (to, cc) = (recipients(b"to"), recipients(b"cc"));
    visit("recipients", &[length_class(to), length_class(cc)]);
    let value = head.get(b"to").unwrap_or_default();
    visit("form of the recipient field", &start_of_shape(value, 16));
    let words = value.split(|byte| *byte == b'<').next().unwrap_or_default().trim_ascii();
    let own = after_at(value);
    visit(
        "recipient",
        &[
            if head.get(b"to").is_none() {
                b'-'
            } else if words.is_empty() {
                b'a'
            } else if value.contains(&b'<') {
                b'n'
            } else {
                b'b'
            },
            same_domain(&own, domain.as_bytes()),
        ],
    );
    let local = value.split(|byte| *byte == b'@').next().unwrap_or_default();
    let local =
        local.rsplit(|byte| b"<\" ".contains(byte)).next().unwrap_or_default().to_ascii_lowercase();
    let greeted = !local.is_empty()
        && local.len() > 2
        && memchr::memmem::find(name.to_lowercase().as_bytes(), &local).is_some();
    visit("the sender's name is the recipient's", &[b'0' + u8::from(greeted)]);
    for results in head.all(b"authentication-results").take(1) {
        for clause in results.split(|byte| *byte == b';').skip(1) {
            let word =
                clause.trim_ascii().split(u8::is_ascii_whitespace).next().unwrap_or_default();
            visit("authentication", &word.to_ascii_lowercase());
        }
    }
}

/// Types, character sets, parts.
fn content(head: &Head<'_>, visit: &mut Visit<'_>) {
    for name in [
        &b"content-type"[..],
        b"content-transfer-encoding",
        b"mime-version",
        b"content-disposition",
    ] {
        let Some(value) = head.get(name) else {
            visit("content", &[name, b" (none)"].concat());
            continue;
        };
        let lower = value.to_ascii_lowercase();
        let kind = lower.split(|byte| *byte == b';').next().unwrap_or_default();
        visit("content", &[name, b" ", kind].concat());
        visit("form of content", &[name, b" ", &shape(value)].concat());
        if let Some(charset) = attribute(value, b"charset") {
            visit("character set", &charset.to_ascii_lowercase());
        }
    }
    for name in [
        &b"references"[..],
        b"in-reply-to",
        b"precedence",
        b"list-id",
        b"list-unsubscribe",
        b"x-priority",
        b"importance",
    ] {
        let value = head.get(name);
        let form = value.map(|value| start_of_shape(value, 8));
        visit(
            "has",
            &[name, if value.is_some() { b" yes " } else { b" no" }, &form.unwrap_or_default()]
                .concat(),
        );
    }
}

/// The form of the subject.
fn subject(head: &Head<'_>, visit: &mut Visit<'_>) {
    let Some(subject) = head.get(b"subject") else {
        return visit("subject", b"(none)");
    };
    visit("form of the subject", &start_of_shape(subject, 24));
    visit("length of the subject", &[length_class(subject.len() / 4)]);
    let letters = subject.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let capitals = subject.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    visit("capitals in the subject", &[b'0' + (10 * capitals / letters.max(1)) as u8]);
    for mark in [&b"!"[..], b"?", b"$", b"%", b"=?", b"[", b":", b"  "] {
        if memchr::memmem::find(subject, mark).is_some() {
            visit("mark in the subject", mark);
        }
    }
    let lower = subject.to_ascii_lowercase();
    if lower.starts_with(b"re:") || lower.starts_with(b"re[") {
        let answered = head.get(b"references").or_else(|| head.get(b"in-reply-to")).is_some();
        visit("answers", &[b'0' + u8::from(answered)]);
    }
    if let Some(encoded) = subject.strip_prefix(b"=?") {
        visit(
            "encoding of the subject",
            &encoded
                .iter()
                .map(u8::to_ascii_lowercase)
                .take_while(|byte| *byte != b'?')
                .collect::<Vec<_>>(),
        );
    }
}

/// The form of the text, its parts and its links.
fn body(head: &Head<'_>, message: &Message<'_>, visit: &mut Visit<'_>) {
    let (mut bytes, mut lines, mut wide, mut digits, mut capitals, mut letters) =
        (0, 0, 0, 0, 0, 0);
    let (mut quoted, mut longest, mut empty, mut exclamations) = (0, 0, 0, 0);
    let mut links = 0;
    let sender = message
        .sender()
        .and_then(|address| address.rsplit_once('@'))
        .map_or("", |(_, domain)| domain);
    let mut list = Vec::new();
    for (section, text) in message.sections() {
        match section {
            Section::Body => {
                let text = text.as_bytes();
                let text = &text[..text.len().min(20_000)];
                bytes += text.len();
                let mut start = 0;
                for end in memchr::memchr_iter(b'\n', text).chain([text.len()]) {
                    lines += 1;
                    let line = text[start..end].trim_ascii();
                    start = end + 1;
                    longest = longest.max(line.len());
                    empty += usize::from(line.is_empty());
                    quoted += usize::from(line.starts_with(b">"));
                }
                wide += count(text, |byte| byte >= 0x80);
                digits += count(text, |byte| byte.is_ascii_digit());
                capitals += count(text, |byte| byte.is_ascii_uppercase());
                letters += count(text, |byte| byte.is_ascii_alphabetic());
                exclamations += count(text, |byte| byte == b'!');
            }
            Section::Link => {
                links += 1;
                if links <= 20 {
                    let host = text.as_bytes();
                    visit(
                        "top-level domain of a link",
                        text.rsplit('.').next().unwrap_or_default().as_bytes(),
                    );
                    visit("form of a link", &shape(host));
                    visit("link to the sender's domain", &[same_domain(host, sender.as_bytes())]);
                }
            }
            Section::Part => {
                let text = text.to_ascii_lowercase();
                let name = if text.contains('.') {
                    [b"*.", text.rsplit('.').next().unwrap_or_default().as_bytes()].concat()
                } else {
                    text.into_bytes()
                };
                visit("part", &name);
                if list.len() < 200 {
                    list.extend_from_slice(&name);
                    list.push(b' ');
                }
            }
            Section::Html => {
                for note in text.split(' ') {
                    visit("tag", note.as_bytes());
                }
            }
            _ => {}
        }
    }
    visit("parts", &list);
    visit("links", &[length_class(links)]);
    visit("length of the text", &magnitude(bytes as u64));
    visit("lines", &magnitude(lines as u64));
    visit("longest line", &magnitude(longest as u64));
    let tenths = |part: usize, of: usize| b'0' + (10 * part / of.max(1)).min(10) as u8;
    visit("letters beyond ASCII", &[tenths(wide, bytes)]);
    visit("digits", &[b'0' + (40 * digits / bytes.max(1)).min(10) as u8]);
    visit("capitals", &[tenths(capitals, letters)]);
    visit("quoted lines", &[tenths(quoted, lines)]);
    visit("empty lines", &[tenths(empty, lines)]);
    visit("exclamation marks", &[length_class(exclamations)]);
    let answer = head.get(b"in-reply-to").is_some();
    visit("answer with quotes", &[b'0' + u8::from(answer), b'0' + u8::from(quoted > 0)]);
}

/// Counts bytes of a kind.
#[inline]
fn count(text: &[u8], is: impl Fn(u8) -> bool) -> usize {
    // Sums of bytes that cannot overflow take vector instructions.
    let of = |chunk: &[u8]| chunk.iter().map(|byte| u8::from(is(*byte))).sum::<u8>();
    text.chunks(255).map(|chunk| usize::from(of(chunk))).sum()
}

/// The value of a parameter, without quotes.
fn attribute<'a>(value: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    for part in value.split(|byte| *byte == b';').skip(1) {
        let at = memchr::memchr(b'=', part)?;
        if part[..at].trim_ascii().eq_ignore_ascii_case(name) {
            let value = part[at + 1..].trim_ascii();
            return Some(
                value
                    .strip_prefix(b"\"")
                    .map_or(value, |inner| inner.strip_suffix(b"\"").unwrap_or(inner)),
            );
        }
    }
    None
}

/// What stands behind the last `@`, in lower case.
fn after_at(text: &[u8]) -> Vec<u8> {
    let Some(at) = memchr::memrchr(b'@', text) else { return Vec::new() };
    let host = text[at + 1..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(byte));
    host.map(u8::to_ascii_lowercase).collect()
}

/// How two host names relate to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// One of them is missing.
    Unknown,
    /// They are the same.
    Same,
    /// They belong to the same registered domain.
    Related,
    /// They belong to different domains.
    Other,
}

/// How two host names relate to each other.
pub fn relation(left: &[u8], right: &[u8]) -> Relation {
    if left.is_empty() || right.is_empty() {
        return Relation::Unknown;
    }
    if left.eq_ignore_ascii_case(right) {
        return Relation::Same;
    }
    fn registered(name: &[u8]) -> &[u8] {
        let mut dots = name.iter().enumerate().rev().filter(|(_, byte)| **byte == b'.');
        let second = dots.nth(1).map_or(0, |(at, _)| at + 1);
        let third = dots.next().map_or(0, |(at, _)| at + 1);
        // A second-level label of at most three letters is usually a suffix: `co.uk`, `com.br`.
        let label = name[second..].split(|byte| *byte == b'.').next().unwrap_or_default();
        if label.len() <= 3 && second > 0 { &name[third..] } else { &name[second..] }
    }
    if registered(left).eq_ignore_ascii_case(registered(right)) {
        Relation::Related
    } else {
        Relation::Other
    }
}

/// The relation of two host names as a value.
fn same_domain(left: &[u8], right: &[u8]) -> u8 {
    match relation(left, right) {
        Relation::Unknown => b'-',
        Relation::Same => b'=',
        Relation::Related => b'~',
        Relation::Other => b'!',
    }
}

/// The name of the sender as it is shown, without the address.
fn name_of<'m>(message: &'m Message<'_>) -> &'m str {
    let mut parts = message.sections().filter(|(section, _)| *section == Section::From);
    match (parts.next(), parts.next()) {
        (Some((_, name)), Some(_)) => name,
        _ => "",
    }
}

/// The domain of an address that the name of the sender carries.
pub fn domain_in_name(message: &Message<'_>) -> Option<String> {
    let (_, rest) = name_of(message).rsplit_once('@')?;
    let domain = rest.chars().take_while(|c| c.is_alphanumeric() || ".-".contains(*c));
    let domain: String = domain.collect::<String>().to_lowercase();
    domain.contains('.').then_some(domain)
}
