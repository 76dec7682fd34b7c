//! HTML as what one sees of it.
//!
//! Not a browser: tags that stand inside of words vanish, others become white space. Scripts, styles, comments and
//! what is hidden are left out and noted. What is noted are the names of tags, and `hidden_text`, `tracking_pixel` and
//! `comment`, each once.
//!
//! Hidden is an element with the attribute `hidden`, one whose own style says so (`display`, `visibility`,
//! `opacity`, `font-size`, `max-height`), and text that has the colour of what is behind it. Colours are those that
//! the nearest element around it names; the background is white otherwise, unless the page has a style sheet, which
//! could name another.

mod colour;
mod tag;

use colour::{Colour, same};
use std::collections::BTreeSet;
use tag::Tag;

/// What was found in a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// What one reads.
    pub text: String,
    /// The hosts of its links, each once.
    pub links: Vec<String>,
    /// Names of tags, `hidden_text`, `tracking_pixel`, `comment`: each once.
    pub notes: Vec<String>,
}

/// Tags that do not end a word.
const INLINE: [&str; 20] = [
    "a", "abbr", "b", "big", "bdo", "code", "em", "font", "i", "ins", "kbd", "mark", "q", "s",
    "small", "span", "strong", "sub", "sup", "u",
];

/// Elements whose content is not for reading.
const UNREAD: [&str; 5] = ["script", "style", "title", "noscript", "template"];

/// Elements that have no end.
const VOID: [&str; 9] = ["area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"];

/// Elements that end where the next one begins.
const ENDED_BY_NEXT: [&str; 2] = ["p", "li"];

/// No more elements with colours in each other are kept.
const MAX_OPEN: usize = 64;

/// The most links of a page or a text.
pub const MAX_LINKS: usize = 1000;

/// The most notes of a page.
pub const MAX_NOTES: usize = 1000;

/// Reads a page.
#[must_use]
pub fn read(source: &str) -> Page {
    let mut reader = Reader::default();
    // Whoever writes tags that never end makes us look for ends in vain: not more than this.
    let mut patience = source.len().saturating_mul(4).saturating_add(1 << 16);
    let mut rest = source;
    while let Some(start) = rest.find('<') {
        reader.text(&rest[..start]);
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            reader.note("comment");
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let Some(tag) = Tag::parse(rest, &mut patience) else {
            // A lonely `<` is text.
            reader.text("<");
            rest = &rest[1..];
            continue;
        };
        rest = &rest[tag.length..];
        reader.tag(&tag);
    }
    reader.text(rest);
    Page {
        text: reader.text,
        links: reader.links.into_iter().collect(),
        notes: reader.notes.into_iter().collect(),
    }
}

#[derive(Default)]
struct Reader {
    text: String,
    links: BTreeSet<String>,
    notes: BTreeSet<String>,
    /// The element that hides what is read now, and how many of its name are open.
    hidden: Option<(String, usize)>,
    /// Open elements that name colours, and those of the same name inside of them.
    open: Vec<Open>,
    /// Whether there is a style sheet.
    styled: bool,
}

/// An open element with the colours that hold in it; none is one that cannot be told.
struct Open {
    name: String,
    colour: Option<Colour>,
    background: Option<Colour>,
}

impl Reader {
    fn text(&mut self, source: &str) {
        if self.hidden.is_some() {
            return;
        }
        if self.is_camouflaged() {
            if !source.trim_ascii().is_empty() {
                self.note("hidden_text");
            }
            return;
        }
        push_text(&mut self.text, source);
    }

    fn note(&mut self, note: &str) {
        if !self.notes.contains(note) && self.notes.len() < MAX_NOTES {
            self.notes.insert(note.to_owned());
        }
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_ref();
        if !tag.ends && !name.is_empty() {
            self.note(name);
        }
        if let Some((hiding, depth)) = &mut self.hidden
            && (hiding != name || tag.ends || !ENDED_BY_NEXT.contains(&name))
        {
            if hiding == name {
                *depth = if tag.ends { *depth - 1 } else { *depth + 1 };
            }
            if *depth == 0 {
                self.hidden = None;
            }
            return;
        }
        self.hidden = None;
        if tag.ends {
            if let Some(at) = self.open.iter().rposition(|open| open.name == name) {
                self.open.truncate(at);
            }
        } else {
            self.start(tag);
        }
        if !INLINE.contains(&name) && self.hidden.is_none() {
            self.text.push(' ');
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_ref();
        let is_void = VOID.contains(&name);
        let looks = tag.looks();
        for link in looks.links.into_iter().flatten().filter_map(host) {
            if self.links.len() < MAX_LINKS {
                self.links.insert(link.to_lowercase());
            }
        }
        if name == "img" && looks.is_tiny == Some(true) {
            self.note("tracking_pixel");
        }
        self.styled |= matches!(name, "style" | "link");
        if is_void {
            return;
        }
        if UNREAD.contains(&name) {
            self.hidden = Some((name.to_owned(), 1));
            return;
        }
        if looks.is_hidden {
            self.note("hidden_text");
            self.hidden = Some((name.to_owned(), 1));
            return;
        }
        self.end_before(name);
        // A table is kept in any case: its cells do not end those that it stands in.
        let is_kept = looks.colour.is_some()
            || looks.background.is_some()
            || name == "table"
            || self.open.iter().any(|open| open.name == name);
        if is_kept && self.open.len() < MAX_OPEN {
            let (colour, background) = self.colours();
            self.open.push(Open {
                name: name.to_owned(),
                colour: looks.colour.unwrap_or(colour),
                background: looks.background.unwrap_or(background),
            });
        }
    }

    /// The colour of text and the one behind it, as far as they can be told.
    fn colours(&self) -> (Option<Colour>, Option<Colour>) {
        match self.open.last() {
            Some(open) => (open.colour, open.background),
            None => (None, (!self.styled).then_some(colour::WHITE)),
        }
    }

    fn is_camouflaged(&self) -> bool {
        matches!(self.colours(), (Some(colour), Some(background)) if same(colour, background))
    }

    /// Ends what ends where an element of this name begins: the cell, row or paragraph before it in the same table.
    fn end_before(&mut self, name: &str) {
        let ended: &[&str] = match name {
            "td" | "th" => &["td", "th"],
            "tr" => &["td", "th", "tr"],
            "p" => &["p"],
            "li" => &["li"],
            _ => return,
        };
        let table = self.open.iter().rposition(|open| open.name == "table");
        let inside = table.map_or(0, |table| table + 1);
        let first = self.open[inside..].iter().position(|open| ended.contains(&open.name.as_str()));
        if let Some(first) = first {
            self.open.truncate(inside + first);
        }
    }
}

/// The hosts of what looks like a link in plain text, in order.
pub fn links_in_text(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("://").filter_map(|(at, _)| {
        let scheme = &text[..at];
        (scheme.ends_with("http") || scheme.ends_with("https")).then(|| host(&text[at - 4..]))?
    })
}

/// The host of a link.
fn host(link: &str) -> Option<&str> {
    let (_, rest) = link.split_once("://")?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '@' | ':')));
    let authority = &rest[..end.unwrap_or(rest.len())];
    let host = authority.rsplit('@').next()?.split(':').next()?;
    (!host.is_empty() && host.len() < 256).then_some(host)
}

/// Appends text with its character references replaced.
fn push_text(text: &mut String, source: &str) {
    let mut rest = source;
    while let Some(start) = rest.find('&') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| Some((end, character(&rest[1..end])?))) {
            Some((end, character)) => {
                text.push(character);
                rest = &rest[end + 1..];
            }
            None => {
                text.push('&');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
}

/// The character of a reference such as `amp` or `#233`.
fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(number);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "euro" => '€',
        "copy" => '©',
        "reg" => '®',
        "pound" => '£',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        "rsquo" => '’',
        "lsquo" => '‘',
        "ldquo" => '“',
        "rdquo" => '”',
        _ => return latin(name),
    })
}

/// A letter with a mark: `eacute`, `ccedil`, `Otilde`.
fn latin(name: &str) -> Option<char> {
    let (letter, mark) = (name.chars().next()?, name.get(1..)?);
    let table = match mark {
        "acute" => "aáeéiíoóuúyýAÁEÉIÍOÓUÚYÝ",
        "grave" => "aàeèiìoòuùAÀEÈIÌOÒUÙ",
        "circ" => "aâeêiîoôuûAÂEÊIÎOÔUÛ",
        "tilde" => "aãnñoõAÃNÑOÕ",
        "uml" => "aäeëiïoöuüyÿAÄEËIÏOÖUÜ",
        "cedil" => "cçCÇ",
        "ring" => "aåAÅ",
        "slash" => "oøOØ",
        _ => return None,
    };
    let letters: Vec<char> = table.chars().collect();
    letters.chunks(2).find(|pair| pair[0] == letter).map(|pair| pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reads_what_is_shown() {
        let page = read(
            "<html><head><title>no</title><style>p{}</style></head><body><p>Via<b>gra</b> &amp; caf&eacute;\
            <!-- secret --><br>next<span style='display: none'>hidden <span>deep</span></span>&#33;\
            <a href=\"https://user@Shop.Example:80/x\">here</a><img src=http://t.example/p.gif width=1></body>",
        );
        let words: Vec<&str> = page.text.split_whitespace().collect();
        assert_eq!(words, ["Viagra", "&", "café", "next!here"]);
        assert_eq!(page.links, ["shop.example", "t.example"]);
        for note in ["comment", "hidden_text", "tracking_pixel", "a"] {
            assert!(page.notes.iter().any(|n| n == note), "{note}: {:?}", page.notes);
        }
    }

    #[test]
    fn damage_is_read_as_far_as_it_goes() {
        assert_eq!(read("a < b and 2 > 1").text, "a < b and 2 > 1");
        assert_eq!(read("cut <a href='x").text, "cut <a href='x");
        assert_eq!(read("<!-- never ends").text, "");
        assert_eq!(read("&bogus; &#xD800; &").text, "&bogus; &#xD800; &");
        assert_eq!(read("<p style=\"a>b\">text").text.trim(), "text");
    }

    #[test]
    fn links_in_plain_text() {
        let text = "see http://a.example/x, https://b.example and ftp://c.example";
        assert_eq!(links_in_text(text).collect::<Vec<_>>(), ["a.example", "b.example"]);
    }

    fn words(source: &str) -> String {
        read(source).text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_hidden_is_noted_and_not_read() {
        for hiding in [
            "<div hidden>no</div>",
            "<div hidden=hidden>no</div>",
            "<div style='DISPLAY : NONE !important'>no<div>no</div>no</div>",
            "<p style=visibility:hidden>no<p>",
            "<span style=\"color:red;font-size:0px\">no</span>",
            "<span style='font-size: 0'>no</span>",
            "<i style=opacity:0.0>no</i>",
            "<div style='max-height:0;overflow:hidden'>no</div>",
            "<font color=white>no</font>",
            "<font color='#FFFFFE'>no</font>",
            "<font color=white><font size=1>no</font>no</font>",
            "<font color=white>no<b>no</b><td>no</td></font>",
            "<span style='color:#123; background-color: rgb(17, 34, 51)'>no</span>",
            "<table bgcolor=#000000><td><font color=black>no</font></td></table>",
            "<div style='background:#00f url()'></div><div style='background:#ff0'><b style='color:yellow'>no</b></div>",
        ] {
            let page = read(&format!("yes {hiding} yes"));
            let words: Vec<&str> = page.text.split_whitespace().collect();
            assert_eq!(words, ["yes", "yes"], "{hiding}");
            assert!(page.notes.iter().any(|note| note == "hidden_text"), "{hiding}");
        }
    }

    #[test]
    fn what_is_shown_is_read() {
        for shown in [
            "<span style='font-size:0.9em'>text</span>",
            "<span style='font-size:10px; opacity:0.5'>text</span>",
            "<td bgcolor=black><font color=white>text</font></td>",
            "<div style='background:url(x.png)'><font color=white>text</font></div>",
            "<style>td{background:#000}</style><font color=#fff>text</font>",
            "<div class=hidden data-hidden=1 title='hidden display:none'>text</div>",
            "<font color=#eeeeee>text</font>",
            "<font color=ffffff><a><font color=#000000>text</font></a> </font>",
            "<font color=white><b style='color:rebeccapurple'>text</b></font>",
            "<p style='color:white'><p>text",
            "<table><td bgcolor=black><font color=white>text</font><td><font color=black></font></table>",
            "<td bgcolor=black><table><tr><td><font color=white>text</font></td></table></td>",
            "<table><tr bgcolor=black><td><font color=white>text</font><tr><td><font color=black>",
        ] {
            assert_eq!(words(shown), "text", "{shown}");
            assert!(!read(shown).notes.iter().any(|note| note == "hidden_text"), "{shown}");
        }
    }

    #[test]
    fn pictures_that_no_one_sees_are_noted() {
        for (picture, tiny) in [
            ("<img width=1 height=1 src=http://t.example/>", true),
            ("<IMG HEIGHT='0px'>", true),
            ("<img style='width: 1px; height:1px'>", true),
            ("<img width=100 height=10>", false),
            ("<img width=1%>", false),
            ("<img width=1 height=10>", false),
            ("<img height=20 style='width:1px'>", false),
            ("<img alt=''>", false),
            ("<td width=1>", false),
        ] {
            let noted = read(picture).notes.iter().any(|note| note == "tracking_pixel");
            assert_eq!(noted, tiny, "{picture}");
        }
    }

    #[test]
    fn a_picture_inside_of_a_tag_is_no_text() {
        let source = format!("a<img src=\"data:image/png;base64,{}\">b", "x".repeat(300_000));
        assert_eq!(read(&source).text, "a b");
    }
}
