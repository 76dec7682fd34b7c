//! HTML as what one sees of it.
//!
//! Not a browser: tags that stand inside of words vanish, others become white space; scripts, styles, comments and
//! elements that are hidden by their style are left out and noted. What is noted are the names of tags and what was
//! hidden, each once.

use std::collections::BTreeSet;

/// What was found in a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// What one reads.
    pub text: String,
    /// The hosts of its links, each once.
    pub links: Vec<String>,
    /// Names of tags, `hidden`, `comment`, `pixel`, `script`: each once.
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

/// A longer tag is text.
const LONGEST_TAG: usize = 4096;

/// Reads a page.
#[must_use]
pub fn read(source: &str) -> Page {
    let mut page = Page::default();
    // Whoever writes tags that never end makes us look for ends in vain: not more than this.
    let mut patience = source.len().saturating_mul(8).saturating_add(LONGEST_TAG);
    let mut notes: BTreeSet<String> = BTreeSet::new();
    let mut links: BTreeSet<String> = BTreeSet::new();
    let mut hidden: Option<(String, usize)> = None;
    let mut rest = source;
    while let Some(start) = rest.find('<') {
        if hidden.is_none() {
            push_text(&mut page.text, &rest[..start]);
        }
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            notes.insert("comment".to_owned());
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let tag = if patience == 0 { None } else { Tag::parse(rest) };
        let Some(tag) = tag else {
            // A lonely `<` is text.
            patience = patience.saturating_sub(rest.len().min(LONGEST_TAG));
            if hidden.is_none() {
                page.text.push('<');
            }
            rest = &rest[1..];
            continue;
        };
        rest = &rest[tag.length..];
        if !tag.ends && !tag.name.is_empty() {
            notes.insert(tag.name.clone());
        }
        if let Some((name, depth)) = &mut hidden {
            if *name == tag.name {
                *depth = if tag.ends { *depth - 1 } else { *depth + 1 };
            }
            if *depth == 0 {
                hidden = None;
            }
            continue;
        }
        for attribute in ["href", "src", "action"] {
            links.extend(tag.attribute(attribute).and_then(host).map(str::to_lowercase));
        }
        let is_void = VOID.contains(&tag.name.as_str());
        if tag.is_pixel() {
            notes.insert("pixel".to_owned());
        }
        let is_unread = UNREAD.contains(&tag.name.as_str());
        if !tag.ends && !is_void && (is_unread || tag.is_hidden()) {
            if !is_unread {
                notes.insert("hidden".to_owned());
            }
            hidden = Some((tag.name.clone(), 1));
            continue;
        }
        if !INLINE.contains(&tag.name.as_str()) {
            page.text.push(' ');
        }
    }
    if hidden.is_none() {
        push_text(&mut page.text, rest);
    }
    page.links = links.into_iter().collect();
    page.notes = notes.into_iter().collect();
    page
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

/// A tag with its attributes.
struct Tag<'a> {
    name: String,
    ends: bool,
    attributes: &'a str,
    length: usize,
}

impl<'a> Tag<'a> {
    /// The tag at the start of this text.
    fn parse(text: &'a str) -> Option<Self> {
        let inner = text.strip_prefix('<')?;
        let (ends, inner) = inner.strip_prefix('/').map_or((false, inner), |rest| (true, rest));
        let first = inner.chars().next()?;
        if !(first.is_ascii_alphabetic() || matches!(first, '!' | '?')) {
            return None;
        }
        let end = end_of_tag(&inner[..inner.floor_char_boundary(LONGEST_TAG)])?;
        let body = &inner[..end];
        let name_end = body.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(body.len());
        let length = text.len() - inner.len() + end + 1;
        Some(Self {
            name: body[..name_end].to_ascii_lowercase(),
            ends,
            attributes: &body[name_end..],
            length,
        })
    }

    fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        loop {
            let at = find_ignoring_case(rest, name)?;
            let before = rest[..at].chars().next_back();
            let after = rest[at + name.len()..].trim_start();
            rest = &rest[at + name.len()..];
            let Some(value) = after.strip_prefix('=') else { continue };
            if before.is_some_and(|c| !c.is_whitespace() && c != '"' && c != '\'') {
                continue;
            }
            let value = value.trim_start();
            return Some(match value.chars().next()? {
                quote @ ('"' | '\'') => value[1..].split(quote).next().unwrap_or_default(),
                _ => value.split(char::is_whitespace).next().unwrap_or_default(),
            });
        }
    }

    fn is_hidden(&self) -> bool {
        let style =
            self.attribute("style").unwrap_or_default().to_ascii_lowercase().replace(' ', "");
        let hides =
            ["display:none", "visibility:hidden", "font-size:0", "opacity:0;", "max-height:0"];
        hides.iter().any(|hide| style.contains(hide))
    }

    fn is_pixel(&self) -> bool {
        let tiny =
            |name| matches!(self.attribute(name).map(str::trim), Some("0" | "1" | "1px" | "0px"));
        self.name == "img" && (tiny("width") || tiny("height"))
    }
}

/// Where a tag ends: at the first `>` outside of quotes, or inside of them if there is no other.
fn end_of_tag(inner: &str) -> Option<usize> {
    let mut quote = None;
    let mut after_equals = false;
    for (at, byte) in inner.bytes().enumerate() {
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
    inner.find('>')
}

fn find_ignoring_case(text: &str, name: &str) -> Option<usize> {
    text.as_bytes()
        .windows(name.len())
        .position(|window| window.eq_ignore_ascii_case(name.as_bytes()))
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
        for note in ["comment", "hidden", "pixel", "a"] {
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
}
