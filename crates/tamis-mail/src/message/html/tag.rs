//! Tags and their attributes.

use super::entity;
use std::borrow::Cow;

/// Maximum length of a tag, in bytes; a longer one is text. Tags may contain images.
const LONGEST_TAG: usize = 4 << 20;

/// A tag with its attributes.
pub(super) struct Tag<'a> {
    /// In lower case.
    pub name: Cow<'a, str>,
    /// Whether it ends an element.
    pub ends: bool,
    /// Its length in bytes.
    pub length: usize,
    attributes: &'a str,
}

/// The attributes of a tag that matter here, with character references replaced.
#[derive(Default)]
pub(super) struct Attributes<'a> {
    pub href: Option<Cow<'a, str>>,
    pub src: Option<Cow<'a, str>>,
    pub action: Option<Cow<'a, str>>,
    pub style: Option<Cow<'a, str>>,
    pub class: Option<Cow<'a, str>>,
    pub id: Option<Cow<'a, str>>,
    pub width: Option<Cow<'a, str>>,
    pub height: Option<Cow<'a, str>>,
    pub colour: Option<Cow<'a, str>>,
    pub background_colour: Option<Cow<'a, str>>,
    pub has_background_image: bool,
    pub is_hidden: bool,
}

impl<'a> Tag<'a> {
    /// The tag at the start of this text. Bytes searched without success are taken from `patience`.
    pub(super) fn parse(text: &'a str, patience: &mut usize) -> Option<Self> {
        let inner = text.strip_prefix('<')?;
        let (ends, inner) = inner.strip_prefix('/').map_or((false, inner), |rest| (true, rest));
        let first = *inner.as_bytes().first()?;
        if !(first.is_ascii_alphabetic() || matches!(first, b'!' | b'?')) || *patience == 0 {
            return None;
        }
        let end = end_of_tag(&inner[..inner.floor_char_boundary(LONGEST_TAG)], patience)?;
        let body = &inner[..end];
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric();
        let name_end = body.bytes().position(|byte| !is_name(&byte)).unwrap_or(body.len());
        let name = &body[..name_end];
        let name = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(name.to_ascii_lowercase())
        } else {
            Cow::Borrowed(name)
        };
        let length = text.len() - inner.len() + end + 1;
        Some(Self { name, ends, attributes: &body[name_end..], length })
    }

    /// Its attributes; of several with one name the first counts, as in browsers.
    pub(super) fn attributes(&self) -> Attributes<'a> {
        let mut found = Attributes::default();
        for (name, value) in Pairs(self.attributes) {
            let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
            let place = match name.len() {
                2 if is("id") => &mut found.id,
                3 if is("src") => &mut found.src,
                4 if is("href") => &mut found.href,
                4 if is("text") && self.name == "body" => &mut found.colour,
                5 if is("style") => &mut found.style,
                5 if is("class") => &mut found.class,
                5 if is("width") => &mut found.width,
                5 if is("color") => &mut found.colour,
                6 if is("height") => &mut found.height,
                6 if is("action") => &mut found.action,
                7 if is("bgcolor") => &mut found.background_colour,
                6 if is("hidden") => {
                    found.is_hidden = true;
                    continue;
                }
                10 if is("background") => {
                    found.has_background_image = true;
                    continue;
                }
                _ => continue,
            };
            if place.is_none() {
                *place = Some(entity::decoded(value));
            }
        }
        found
    }
}

/// The offset of the end tag with this name, or the length of the text.
pub(super) fn find_end_tag(text: &str, name: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'<', &bytes[at..]) {
        at += next;
        let rest = &bytes[at + 1..];
        if rest.first() == Some(&b'/')
            && rest.get(1..=name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()))
        {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// Iterates over attributes with their values, which may be empty.
struct Pairs<'a>(&'a str);

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let is_space = |c: char| c.is_ascii_whitespace();
        let rest =
            self.0.trim_start_matches(|c| is_space(c) || matches!(c, '/' | '"' | '\'' | '='));
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c| is_space(c) || matches!(c, '/' | '=')).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        let Some(value) = rest.trim_start_matches(is_space).strip_prefix('=') else {
            self.0 = rest;
            return Some((name, ""));
        };
        let value = value.trim_start_matches(is_space);
        let (value, rest) = match value.as_bytes().first() {
            Some(quote @ (b'"' | b'\'')) => {
                let value = &value[1..];
                value.split_once(char::from(*quote)).unwrap_or((value, ""))
            }
            _ => value.split_at(value.find(is_space).unwrap_or(value.len())),
        };
        self.0 = rest;
        Some((name, value))
    }
}

/// The end of a tag: the first `>` outside quotes, or inside them if there is no other.
fn end_of_tag(inner: &str, patience: &mut usize) -> Option<usize> {
    let mut quote = None;
    let mut after_equals = false;
    for (at, byte) in inner.bytes().enumerate().take(*patience) {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte == b'>' => return Some(at),
            None if after_equals && matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None => {}
        }
        if !byte.is_ascii_whitespace() {
            after_equals = byte == b'=';
        }
    }
    *patience = patience.saturating_sub(inner.len());
    inner.find('>')
}
