//! Names of features as a person reads them. Features with the same name are one part of an explanation; an empty name
//! leaves a feature out.

use crate::features::Origin;
use crate::message::Section;
use std::ops::Range;

/// Appends the name of a word or a pair of words.
///
/// Words of a link or an address are named by the whole of it: the pieces `www`, `com` or `http` say nothing. Other
/// words are in lower case, without the punctuation next to them.
pub(super) fn write_words(origin: &Origin<'_>, name: &mut String) {
    match origin.section {
        Section::Link => {
            *name += "link to ";
            *name += &origin.text.to_lowercase();
            return;
        }
        Section::Body | Section::Subject => {
            let words = [origin.before, Some(origin.token)].into_iter().flatten();
            if let Some(whole) = words.filter_map(|token| address_around(origin.text, token)).next()
            {
                *name += &whole;
                return;
            }
        }
        _ => {}
    }
    let start = name.len();
    for token in [origin.before, Some(origin.token)].into_iter().flatten() {
        let text = String::from_utf8_lossy(token);
        if !text.contains(char::is_alphanumeric) {
            continue;
        }
        if name.len() > start {
            name.push(' ');
        }
        if text.is_ascii() {
            name.extend(text.chars().map(|c| c.to_ascii_lowercase()));
        } else {
            *name += &text.to_lowercase();
        }
    }
    if is_too_short(&name[start..]) {
        name.truncate(start);
    }
}

/// Whether a name tells a reader nothing: one or two ASCII letters or digits.
fn is_too_short(name: &str) -> bool {
    name.len() < 3 && name.is_ascii()
}

/// The host or mail address around a token of a text, if it is part of one.
fn address_around(text: &str, token: &[u8]) -> Option<String> {
    // The token is a part of the text: where, is told by its address.
    let at = (token.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let text = text.as_bytes();
    if at + token.len() > text.len() {
        return None;
    }
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"<>\"()[]".contains(byte);
    let start = text[..at].iter().rposition(is_end).map_or(0, |end| end + 1);
    let end = text[at..].iter().position(is_end).map_or(text.len(), |end| at + end);
    address(&text[start..end])
}

/// The host of a link, or a mail address.
fn address(word: &[u8]) -> Option<String> {
    let word = std::str::from_utf8(word).ok()?;
    let host = match word.split_once("://") {
        Some((_, rest)) => rest,
        None if word.to_ascii_lowercase().starts_with("www.") || word.contains('@') => word,
        None => return None,
    };
    let host = host.split(['/', '?', '#', ':', ',', ';', '\'']).next().unwrap_or_default();
    let host = host.trim_matches(|c: char| !c.is_alphanumeric());
    host.contains('.').then(|| host.to_lowercase())
}

/// The word around a place in a folded text.
pub(super) fn word_at(text: &[u8], at: usize) -> Range<usize> {
    let is_space = |byte: &u8| *byte == b' ';
    let start = text[..at].iter().rposition(is_space).map_or(0, |space| space + 1);
    let end = text[at..].iter().position(is_space).map_or(text.len(), |space| at + space);
    start..end
}

/// Appends a word of a folded text without the punctuation around it; of a link its host.
pub(super) fn write_word(word: &[u8], name: &mut String) {
    if let Some(host) = address(word) {
        *name += &host;
        return;
    }
    let word = String::from_utf8_lossy(word);
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    if !is_too_short(word) {
        *name += word;
    }
}

/// The line around a place, with its end.
pub(super) fn line_at(text: &[u8], at: usize) -> Range<usize> {
    let is_end = |byte: &u8| *byte == b'\n';
    let start = text[..at].iter().rposition(is_end).map_or(0, |end| end + 1);
    let end = text[at..].iter().position(is_end).map_or(text.len(), |end| at + end + 1);
    start..end
}

/// Appends the name of the header field in a line.
pub(super) fn write_field(line: &[u8], name: &mut String) {
    let field = line.split(|byte| *byte == b':').next().unwrap_or_default();
    *name += &String::from_utf8_lossy(field);
}

/// The name of a fact: its kind, with the value where a person can read it.
pub(super) fn fact(kind: &str, value: &[u8]) -> String {
    if kind.ends_with("network") {
        let numbers: Vec<String> = value.iter().map(ToString::to_string).collect();
        return format!("{kind} {}", numbers.join("."));
    }
    let text = String::from_utf8_lossy(value);
    if let Some(earlier) = ["", "earlier "].into_iter().find(|earlier| {
        kind.strip_prefix(*earlier).is_some_and(|kind| kind.starts_with("received word"))
    }) {
        return longest_word(&text)
            .map(|word| format!("{earlier}Received: {word}"))
            .unwrap_or_default();
    }
    if let Some(field) = field_of(kind) {
        return match &*text {
            "(none)" => format!("no {field} field"),
            text => longest_word(text).map(|word| format!("{field}: {word}")).unwrap_or_default(),
        };
    }
    if let Some(name) = relation(kind, value) {
        return name.to_owned();
    }
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    match kind {
        // The value is the fact, if anybody can read it.
        "transport" | "earlier transport" if letters >= 3 => text.into_owned(),
        "transport" | "earlier transport" => String::new(),
        "content" => text.into_owned(),
        "has" => match text.split_once(' ') {
            Some((field, "no")) => format!("no {field} field"),
            Some((field, _)) => format!("{field} field"),
            None => String::new(),
        },
        "the sender's name is the recipient's" if value != b"1" => String::new(),
        "answers" if value == b"0" => "Re: without a message that it answers".to_owned(),
        "answers" => "Re: to an earlier message".to_owned(),
        "answer with quotes" => "quotes of an earlier message".to_owned(),
        "time zone" => format!("time zone {text}"),
        "headers in this order" => format!("order of header fields: {}", text.trim()),
        "headers" | "links" | "lines" | "recipients" | "exclamation marks" | "quoted lines"
        | "empty lines" => format!("number of {kind}"),
        "digits" | "capitals" | "letters beyond ASCII" => format!("share of {kind}"),
        _ if letters < 3 || is_form(kind) => kind.to_owned(),
        _ => format!("{kind} {text}"),
    }
}

/// Whether the values of a kind are forms that nobody reads.
fn is_form(kind: &str) -> bool {
    ["form", "boundary", "header sequence", "header form", "message id", "date"]
        .iter()
        .any(|start| kind.starts_with(start))
}

/// The header field that a kind of the stage `addresses` comes from.
fn field_of(kind: &str) -> Option<&'static str> {
    let field = kind.split(", ").next().unwrap_or_default();
    Some(match field {
        "to" => "To",
        "cc" => "Cc",
        "delivered to" => "Delivered-To",
        "original to" => "X-Original-To",
        "return path" => "Return-Path",
        "sender field" => "Sender",
        "errors to" => "Errors-To",
        "list" => "List-Id",
        "list post" => "List-Post",
        "unsubscribe" => "List-Unsubscribe",
        "list help" => "List-Help",
        "mailing list" => "Mailing-List",
        "resent from" => "Resent-From",
        _ => return None,
    })
}

/// The longest word or address of a value, if it has at least three letters or digits.
fn longest_word(text: &str) -> Option<&str> {
    let words = text.split_whitespace();
    words
        .max_by_key(|word| word.len())
        .filter(|word| word.chars().filter(|c| c.is_alphanumeric()).count() >= 3)
}

/// How the domain of a field relates to that of the sender.
fn relation(kind: &str, value: &[u8]) -> Option<&'static str> {
    let same = matches!(value, b"=" | b"~");
    let other = value == b"!";
    Some(match kind {
        "link to the sender's domain" if same => "link to the sender's domain",
        "link to the sender's domain" if other => "link to another domain than the sender's",
        "return path is the sender's" if same => "return path at the sender's domain",
        "return path is the sender's" if other => "return path at another domain",
        "reply address is the sender's" if same => "reply address at the sender's domain",
        "reply address is the sender's" if other => "reply address at another domain",
        "sender field is the sender's" if same => "Sender field at the sender's domain",
        "sender field is the sender's" if other => "Sender field at another domain",
        "message id host is the sender's" if same => "Message-ID at the sender's domain",
        "message id host is the sender's" if other => "Message-ID at another domain",
        "message id host is the receiver's" if same => "Message-ID by the receiving server",
        "the sender's name carries an address" if other => {
            "sender's name with an address of another domain"
        }
        "link to the sender's domain"
        | "return path is the sender's"
        | "reply address is the sender's"
        | "sender field is the sender's"
        | "message id host is the sender's"
        | "message id host is the receiver's" => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(section: Section, text: &str, token: &str) -> String {
        let at = text.find(token).unwrap();
        let token = &text.as_bytes()[at..at + token.len()];
        let mut name = String::new();
        write_words(&Origin { section, text, before: None, token }, &mut name);
        name
    }

    #[test]
    fn pieces_of_links_and_addresses_are_named_by_the_whole() {
        let text = "See https://www.Shop.example/a?b=1 or write to anne@mail.example, please";
        for piece in ["https", "www", "Shop", "example", "b"] {
            assert_eq!(named(Section::Body, text, piece), "www.shop.example", "{piece}");
        }
        assert_eq!(named(Section::Body, text, "anne"), "anne@mail.example");
        assert_eq!(named(Section::Body, text, "please"), "please");
        assert_eq!(named(Section::Body, text, "or"), "", "too short");
        assert_eq!(named(Section::Link, "shop.example", "example"), "link to shop.example");
        assert_eq!(named(Section::Body, "发票", "发"), "发", "a character may be a word");
    }

    #[test]
    fn facts_read_as_phrases() {
        for (kind, value, expected) in [
            ("received word", "esmtp", "Received: esmtp"),
            ("earlier received words", "with esmtp", "earlier Received: esmtp"),
            ("cc", "(none)", "no Cc field"),
            ("to, words", "anne anne", "To: anne"),
            ("time zone", "+0200", "time zone +0200"),
            ("link to the sender's domain", "!", "link to another domain than the sender's"),
            ("link to the sender's domain", "-", ""),
            ("transport", "encrypted", "encrypted"),
            ("has", "list-id yes a", "list-id field"),
            ("links", "c", "number of links"),
            ("form of a link", "aaa.aaa", "form of a link"),
        ] {
            assert_eq!(fact(kind, value.as_bytes()), expected, "{kind} {value}");
        }
        assert_eq!(fact("sending network", &[10, 1]), "sending network 10.1");
    }
}
