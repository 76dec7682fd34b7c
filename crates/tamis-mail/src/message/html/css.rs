//! CSS declarations, as far as they decide whether text is seen.
//!
//! A [`Style`] holds one number per [`Property`], and two paints. Styles are merged by the cascade:
//! later declarations win, except over `!important` ones. Comments and escapes are resolved before
//! anything is compared (`dis/**/play`, `d\69splay`), and everything is in lower case.

use super::colour::{self, Paint};
use super::length::{Length, Unit, font_size, length, line_height};
use super::shape::{is_empty_path, is_empty_rectangle, moves_away};
use std::borrow::Cow;

/// What is understood of CSS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Property {
    /// 1 for `none`, 2 for inline, 0 otherwise.
    Display,
    /// 1 for `hidden` and `collapse`.
    Visibility,
    Opacity,
    /// In pixels; negative for a multiple of the size around it.
    FontSize,
    /// 0 if lines have no height, 1 otherwise.
    LineHeight,
    /// 1 if the element is out of the flow.
    Position,
    /// `left` and the following ones are in pixels, infinite for keywords.
    Left,
    Top,
    Right,
    Bottom,
    TextIndent,
    MarginLeft,
    MarginTop,
    /// 1 if nothing is left.
    Clip,
    ClipPath,
    Transform,
    /// 1 if what does not fit is cut off.
    Overflow,
    Width,
    Height,
    MaxWidth,
    MaxHeight,
    /// 1 for `all`.
    MsoHide,
    Colour,
    Background,
}

const COUNT: usize = Property::Background as usize + 1;

/// Declared properties.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Style {
    set: u32,
    important: u32,
    numbers: [f32; COUNT],
    paints: [Paint; 2],
}

impl Style {
    /// Reads declarations such as `color: red; display: none !important`.
    pub(super) fn parse(source: &str) -> Self {
        let mut style = Self::default();
        let source = plain(source);
        for declaration in declarations(&source) {
            let Some((name, value)) = declaration.split_once(':') else { continue };
            let (value, important) = match value.split_once('!') {
                Some((value, rest)) => (value, rest.trim() == "important"),
                None => (value, false),
            };
            style.declare(name.trim(), value.trim(), important);
        }
        style
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.set == 0
    }

    /// The number of a property, if it is declared.
    pub(super) fn number(&self, property: Property) -> Option<f32> {
        self.has(property).then(|| self.numbers[property as usize])
    }

    pub(super) const fn has(&self, property: Property) -> bool {
        self.set & (1 << property as u32) != 0
    }

    pub(super) fn colour(&self) -> Option<Paint> {
        self.has(Property::Colour).then_some(self.paints[0])
    }

    pub(super) fn background(&self) -> Option<Paint> {
        self.has(Property::Background).then_some(self.paints[1])
    }

    /// Adds declarations that come later in the cascade.
    pub(super) fn merge(&mut self, later: &Self) {
        let taken = later.set & !(self.important & !later.important);
        for property in 0..COUNT {
            if taken & (1 << property) != 0 {
                self.numbers[property] = later.numbers[property];
            }
        }
        for (at, property) in [Property::Colour, Property::Background].into_iter().enumerate() {
            if taken & (1 << property as u32) != 0 {
                self.paints[at] = later.paints[at];
            }
        }
        self.set |= taken;
        self.important |= later.important;
    }

    /// Unknown paints in place of declared ones, and nothing else.
    pub(super) fn with_unknown_paints(&self) -> Self {
        let paints = (1 << Property::Colour as u32) | (1 << Property::Background as u32);
        Self { set: self.set & paints, ..Self::default() }
    }

    pub(super) fn set_colour(&mut self, paint: Paint) {
        self.paint(Property::Colour, Some(paint), false);
    }

    pub(super) fn set_background(&mut self, paint: Paint) {
        self.paint(Property::Background, Some(paint), false);
    }

    fn put(&mut self, property: Property, number: f32, important: bool) {
        let bit = 1 << property as u32;
        if self.important & bit != 0 && !important {
            return;
        }
        self.set |= bit;
        self.important |= if important { bit } else { 0 };
        self.numbers[property as usize] = number;
    }

    fn paint(&mut self, property: Property, paint: Option<Paint>, important: bool) {
        let Some(paint) = paint else { return };
        let bit = 1 << property as u32;
        if self.important & bit == 0 || important {
            self.put(property, 0.0, important);
            self.paints[usize::from(property == Property::Background)] = paint;
        }
    }

    fn declare(&mut self, name: &str, value: &str, important: bool) {
        let flag = |yes: bool| f32::from(u8::from(yes));
        let mut put = |property, number| self.put(property, number, important);
        let pixels = |value: &str| length(value).map(Length::pixels);
        let mut length_of = |property: Property| {
            // A keyword such as auto is no small length.
            put(property, pixels(value).unwrap_or(f32::INFINITY));
        };
        match name {
            "display" => {
                let is_inline = matches!(value, "inline" | "inline-block" | "contents");
                put(Property::Display, if is_inline { 2.0 } else { flag(value == "none") });
            }
            "visibility" => put(Property::Visibility, flag(matches!(value, "hidden" | "collapse"))),
            "content-visibility" if value == "hidden" => put(Property::Visibility, 1.0),
            "opacity" | "-moz-opacity" | "-khtml-opacity" => {
                if let Some(number) = length(value) {
                    put(Property::Opacity, number.fraction());
                }
            }
            "filter" => {
                let value = value.replace(' ', "");
                if ["opacity(0)", "opacity(0%)", "opacity=0)"].iter().any(|w| value.contains(w)) {
                    put(Property::Opacity, 0.0);
                }
            }
            "font-size" => {
                if let Some(size) = font_size(value) {
                    put(Property::FontSize, size);
                }
            }
            "line-height" => {
                put(Property::LineHeight, line_height(value));
            }
            "font" => {
                let is_size = |word: &&str| {
                    let size = word.split('/').next().unwrap_or_default();
                    length(size).is_some_and(|size| size.unit != Unit::None || size.number == 0.0)
                };
                if let Some(word) = value.split_ascii_whitespace().find(is_size) {
                    let (size, line) = word.split_once('/').unwrap_or((word, "normal"));
                    if let Some(size) = font_size(size) {
                        put(Property::FontSize, size);
                    }
                    put(Property::LineHeight, line_height(line));
                }
            }
            "position" => put(Property::Position, flag(matches!(value, "absolute" | "fixed"))),
            "left" => length_of(Property::Left),
            "top" => length_of(Property::Top),
            "right" => length_of(Property::Right),
            "bottom" => length_of(Property::Bottom),
            "text-indent" => length_of(Property::TextIndent),
            "margin-left" => length_of(Property::MarginLeft),
            "margin-top" => length_of(Property::MarginTop),
            "margin" => {
                let sides: Vec<f32> =
                    value.split_ascii_whitespace().map(|v| pixels(v).unwrap_or(0.0)).collect();
                let top = sides.first().copied().unwrap_or(0.0);
                put(Property::MarginTop, top);
                put(Property::MarginLeft, sides.get(3).or(sides.get(1)).copied().unwrap_or(top));
            }
            "clip" => put(Property::Clip, flag(is_empty_rectangle(value))),
            "clip-path" | "-webkit-clip-path" => {
                put(Property::ClipPath, flag(is_empty_path(value)));
            }
            "transform" | "-webkit-transform" => put(Property::Transform, flag(moves_away(value))),
            "overflow" | "overflow-x" | "overflow-y" => {
                let hides = value.split_ascii_whitespace().any(|v| matches!(v, "hidden" | "clip"));
                put(Property::Overflow, flag(hides));
            }
            "width" => length_of(Property::Width),
            "height" => length_of(Property::Height),
            "max-width" => length_of(Property::MaxWidth),
            "max-height" => length_of(Property::MaxHeight),
            "mso-hide" => put(Property::MsoHide, flag(value == "all")),
            "color" => self.paint(Property::Colour, colour::parse(value), important),
            "background" | "background-color" | "background-image" => {
                self.paint(Property::Background, colour::parse(value), important);
            }
            _ => {}
        }
    }
}

/// CSS without comments and escapes, in lower case.
pub(super) fn plain(source: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| !matches!(byte, b'\\' | b'/' | b'A'..=b'Z');
    if source.bytes().all(is_plain) {
        return Cow::Borrowed(source);
    }
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find(['\\', '/']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if let Some(escape) = rest.strip_prefix('\\') {
            let digits = escape.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
            let code = u32::from_str_radix(&escape[..digits], 16).ok().and_then(char::from_u32);
            text.extend(code);
            rest = &escape[digits..];
            if digits > 0 {
                rest = rest.strip_prefix([' ', '\n', '\t']).unwrap_or(rest);
            }
        } else {
            text.push('/');
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    text.make_ascii_lowercase();
    Cow::Owned(text)
}

/// Splits at semicolons outside parentheses and quotes.
fn declarations(source: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quote) = (0usize, None);
    source.split(move |c: char| {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ';') => return depth == 0,
            _ => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_escapes_are_resolved() {
        assert_eq!(plain("DIS/* x */PLAY:none"), "display:none");
        assert_eq!(plain(r"d\69splay: n\00006F ne"), "display: none");
        assert_eq!(plain("a/b/* never ends"), "a/b");
        assert!(matches!(plain("color: red"), Cow::Borrowed(_)));
    }

    #[test]
    fn later_declarations_win_except_over_important_ones() {
        let mut style = Style::parse("display:none; opacity: 0 !important");
        style.merge(&Style::parse("display:block;opacity:1"));
        assert_eq!(style.number(Property::Display), Some(0.0));
        assert_eq!(style.number(Property::Opacity), Some(0.0));
        style.merge(&Style::parse("opacity:.5!important"));
        assert_eq!(style.number(Property::Opacity), Some(0.5));
        let url = Style::parse("background:url(data:a;b;display:none);color:#fff");
        assert!(!url.has(Property::Display) && url.colour().is_some());
    }

    #[test]
    fn sizes_are_read_in_every_unit() {
        for (source, expected) in [
            ("font-size:12px", 12.0),
            ("font-size:0", 0.0),
            ("font-size:.01em", -0.01),
            ("font-size:1%", -0.01),
            ("font:0/0 a", 0.0),
            ("font:bold 400 9pt/1.2 serif", 12.0),
            ("font-size:small", 13.0),
        ] {
            let size = Style::parse(source).number(Property::FontSize);
            assert!(size.is_some_and(|size| (size - expected).abs() < 1e-6), "{source}: {size:?}");
        }
    }
}
