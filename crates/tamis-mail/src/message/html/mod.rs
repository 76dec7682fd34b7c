//! HTML as a reader sees it.
//!
//! Not a browser: tags inside words vanish, those of blocks become white space. Scripts, style
//! sheets, comments and hidden text are left out of the text, and are counted.
//!
//! What hides text is decided by `hiding` from the attributes of an element, its own style and the
//! style sheets of the page (`sheet`). When in doubt, text is visible: colours are compared only
//! where both are known.
//!
//! Time is linear in the source: the depth of open elements is bounded, and searches
//! for the end of a tag have a common budget.

mod colour;
mod css;
mod entity;
mod hiding;
mod length;
mod link;
mod names;
mod reader;
mod selector;
mod shape;
mod sheet;
mod tag;
#[cfg(test)]
mod tests;

pub use link::{MAX_LINKS, links_in_text};

use super::LinkFact;
use reader::Reader;
use sheet::Sheet;
use std::collections::BTreeSet;
use tag::Tag;

/// What was found in a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The visible text.
    pub text: String,
    /// The hosts of its links, images and forms, each once.
    pub links: Vec<String>,
    /// Links and forms in order, with the host that the text of a link names.
    pub targets: Vec<LinkFact>,
    /// Names of tags, `hidden_text`, `tracking_pixel`, `comment`: each once.
    pub notes: Vec<String>,
    /// Bytes of text that are not seen.
    pub hidden_bytes: usize,
    /// The means by which text is hidden.
    pub hidden_forms: BTreeSet<&'static str>,
    /// Number of images.
    pub images: usize,
    /// Number of forms.
    pub forms: usize,
    /// Number of images that are not seen.
    pub tracking_pixels: usize,
    /// Number of comments.
    pub comments: usize,
}

/// Elements whose content is no text at all.
const RAW: [&str; 3] = ["script", "style", "title"];

/// Maximum number of notes of a page.
pub const MAX_NOTES: usize = 1000;

/// Reads a page.
#[must_use]
pub fn read(source: &str) -> Page {
    let mut reader = Reader::new(Sheet::of_page(source));
    // Bounds the search for the end of tags that never end.
    let mut patience = source.len().saturating_mul(4).saturating_add(1 << 16);
    let mut rest = source;
    while let Some(start) = memchr::memchr(b'<', rest.as_bytes()) {
        reader.text(&rest[..start]);
        rest = &rest[start..];
        if rest.starts_with("<!--") {
            reader.comment();
            rest = &rest[comment_length(rest)..];
            continue;
        }
        let Some(tag) = Tag::parse(rest, &mut patience) else {
            // A single `<` is text.
            reader.text("<");
            rest = &rest[1..];
            continue;
        };
        rest = &rest[tag.length..];
        reader.tag(&tag);
        if !tag.ends && RAW.contains(&tag.name.as_ref()) {
            rest = &rest[tag::find_end_tag(rest, &tag.name)..];
        }
    }
    reader.text(rest);
    reader.finish()
}

/// The length of the comment at the start of a text, or of the text if it does not end.
fn comment_length(source: &str) -> usize {
    let inner = &source[4..];
    // `<!-->` and `<!--->` are whole comments.
    for short in [">", "->"] {
        if inner.starts_with(short) {
            return 4 + short.len();
        }
    }
    let mut at = 0;
    while let Some(next) = inner[at..].find("--") {
        let end = at + next + 2;
        for last in [">", "!>"] {
            if inner[end..].starts_with(last) {
                return 4 + end + last.len();
            }
        }
        at = end - 1;
    }
    source.len()
}
