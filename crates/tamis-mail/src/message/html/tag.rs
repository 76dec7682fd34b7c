//! Tags, their attributes, and what these make of an element.

use super::colour::{self, Colour};
use std::borrow::Cow;

/// A longer tag is text. Pictures may stand inside of tags.
const LONGEST_TAG: usize = 4 << 20;

/// A tag with its attributes.
pub(super) struct Tag<'a> {
    /// In small letters.
    pub name: Cow<'a, str>,
    /// Whether it ends an element.
    pub ends: bool,
    /// How many bytes it has.
    pub length: usize,
    attributes: &'a str,
}

/// What the attributes of a tag say of its looks.
#[derive(Default)]
pub(super) struct Looks<'a> {
    pub links: [Option<&'a str>; 3],
    pub is_hidden: bool,
    /// Whether no side that it names is longer than a pixel.
    pub is_tiny: Option<bool>,
    /// A colour of text that it names; none inside for one that cannot be told.
    pub colour: Option<Option<Colour>>,
    /// A background, likewise.
    pub background: Option<Option<Colour>>,
}

impl<'a> Tag<'a> {
    /// The tag at the start of this text. What was looked at in vain is taken from `patience`.
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

    /// What its attributes say.
    pub(super) fn looks(&self) -> Looks<'a> {
        let mut looks = Looks::default();
        for (name, value) in Attributes(self.attributes) {
            let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
            if is("href") {
                looks.links[0] = Some(value);
            } else if is("src") {
                looks.links[1] = Some(value);
            } else if is("action") {
                looks.links[2] = Some(value);
            } else if is("style") {
                looks.style(value);
            } else if is("hidden") {
                looks.is_hidden = true;
            } else if is("width") || is("height") {
                looks.side(value);
            } else if is("color") {
                looks.colour = Some(colour::parse(value));
            } else if is("bgcolor") {
                looks.background = Some(colour::parse(value));
            } else if is("background") {
                looks.background = Some(None);
            }
        }
        // The colour of a whole page is not looked at: all of it would be hidden.
        if self.name == "body" {
            looks.colour = None;
        }
        looks
    }
}

impl Looks<'_> {
    /// Takes the length of a side.
    fn side(&mut self, value: &str) {
        self.is_tiny = Some(self.is_tiny != Some(false) && is_at_most(value, 1.0));
    }

    /// Takes what a style says.
    fn style(&mut self, style: &str) {
        for declaration in style.split(';') {
            let Some((name, value)) = declaration.split_once(':') else { continue };
            let name = name.trim();
            let value = value.split('!').next().unwrap_or_default().trim();
            let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
            self.is_hidden |= (is("display") && value.eq_ignore_ascii_case("none"))
                || (is("visibility") && value.eq_ignore_ascii_case("hidden"))
                || ((is("opacity") || is("font-size") || is("max-height"))
                    && is_at_most(value, 0.0));
            if is("color") {
                self.colour = Some(colour::parse(value));
            } else if is("background-color") || is("background") {
                self.background = Some(colour::parse(value));
            } else if is("background-image") {
                self.background = Some(None);
            } else if is("width") || is("height") {
                self.side(value);
            }
        }
    }
}

/// Whether a length in pixels, or without a unit, is at most this; zero is zero in every unit.
fn is_at_most(value: &str, most: f32) -> bool {
    let value = value.trim();
    let end = value.bytes().position(|byte| !(byte.is_ascii_digit() || byte == b'.'));
    let (number, unit) = value.split_at(end.unwrap_or(value.len()));
    let is_pixels = unit.is_empty() || unit.trim().eq_ignore_ascii_case("px");
    number.parse::<f32>().is_ok_and(|number| number == 0.0 || (is_pixels && number <= most))
}

/// The attributes of a tag with their values, which may be empty.
struct Attributes<'a>(&'a str);

impl<'a> Iterator for Attributes<'a> {
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

/// Where a tag ends: at the first `>` outside of quotes, or inside of them if there is no other.
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
