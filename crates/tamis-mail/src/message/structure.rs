//! Facts about how a message is built, as opposed to what it says.
//!
//! Stages that do not read words use these facts: which parts there are, where links lead and what
//! their text claims, how much text is hidden and by which means. Every list is bounded by
//! [`MAX_FACTS`]; the counters are not.

use std::collections::BTreeSet;

/// Maximum number of part facts and of link facts of a message.
pub const MAX_FACTS: usize = 1000;

/// Maximum length of a string in a fact, in bytes.
const MAX_STRING: usize = 256;

/// How a message is built.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Structure {
    /// Parts in the order of the message, multiparts included.
    pub parts: Vec<PartFact>,
    /// Links of HTML and plain text in the order of the message.
    pub links: Vec<LinkFact>,
    /// Bytes of HTML text that a reader does not see.
    pub hidden_bytes: usize,
    /// The means by which text is hidden, such as `display`, `colour` or `clip`.
    pub hidden_forms: BTreeSet<&'static str>,
    /// Bytes of text that a reader sees.
    pub visible_bytes: usize,
    /// Images in HTML.
    pub images: usize,
    /// Forms in HTML.
    pub forms: usize,
    /// Images of at most one pixel.
    pub tracking_pixels: usize,
    /// Comments in HTML.
    pub comments: usize,
    /// Jaccard similarity of the words of the plain text and its HTML alternative, from 0 to 1; the
    /// lowest one if there are several pairs.
    pub alternative: Option<f64>,
    /// Invisible characters removed from the text.
    pub zero_width: usize,
    /// Words with letters that look like other letters.
    pub confusables: usize,
}

/// A part of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartFact {
    /// Type and subtype in lower case: `text/plain`.
    pub kind: String,
    /// The declared charset in lower case.
    pub charset: Option<String>,
    /// The declared transfer encoding in lower case, without comments and quotes.
    pub encoding: Option<String>,
    /// The extension of its file name in lower case, without the dot.
    pub extension: Option<String>,
    /// Encoded size of its body.
    pub bytes: usize,
    /// Whether it is an attachment: it has a file name or says so.
    pub attachment: bool,
}

/// A link to a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkFact {
    /// The host it leads to, in lower case.
    pub host: String,
    /// The host that its visible text names, in lower case.
    pub shown_host: Option<String>,
    /// The scheme in lower case: `https`.
    pub scheme: String,
}

impl LinkFact {
    /// Whether its text names a host of another site than it leads to.
    #[must_use]
    pub fn misleads(&self) -> bool {
        self.shown_host.as_deref().is_some_and(|shown| site(shown) != site(&self.host))
    }
}

/// The registrable part of a host, guessed: two labels, or three below a short second level such as
/// `co.uk`. An address in digits is its own site.
fn site(host: &str) -> &str {
    let host = host.trim_end_matches('.');
    if host.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':')) {
        return host;
    }
    let mut dots = host.rmatch_indices('.').map(|(at, _)| at);
    let (Some(last), Some(second)) = (dots.next(), dots.next()) else { return host };
    let is_country = host.len() - last == 3 && last - second <= 4;
    match (is_country, dots.next()) {
        (true, Some(third)) => &host[third + 1..],
        (true, None) => host,
        (false, _) => &host[second + 1..],
    }
}

impl Structure {
    /// Adds a part, unless there are too many.
    pub(super) fn push_part(&mut self, mut part: PartFact) {
        if self.parts.len() < MAX_FACTS {
            let strings = [&mut part.charset, &mut part.encoding, &mut part.extension];
            for text in strings.into_iter().flatten().chain([&mut part.kind]) {
                text.truncate(text.floor_char_boundary(MAX_STRING));
            }
            self.parts.push(part);
        }
    }

    /// Adds a link, unless there are too many.
    pub(super) fn push_link(&mut self, link: LinkFact) {
        if self.links.len() < MAX_FACTS {
            self.links.push(link);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_misleads_if_its_text_names_another_site() {
        for (host, shown, misleads) in [
            ("bank.example", Some("bank.example"), false),
            ("www.bank.example", Some("bank.example"), false),
            ("login.bank.co.uk", Some("www.bank.co.uk"), false),
            ("bank.example.evil.test", Some("bank.example"), true),
            ("evil.co.uk", Some("bank.co.uk"), true),
            ("192.0.2.1", Some("198.51.2.1"), true),
            ("bank.example", None, false),
        ] {
            let shown_host = shown.map(str::to_owned);
            let link = LinkFact { host: host.to_owned(), shown_host, ..LinkFact::default() };
            assert_eq!(link.misleads(), misleads, "{host} {shown:?}");
        }
    }

    #[test]
    fn facts_are_bounded() {
        let mut structure = Structure::default();
        for _ in 0..2 * MAX_FACTS {
            structure.push_part(PartFact { kind: "é".repeat(1000), ..PartFact::default() });
            structure.push_link(LinkFact::default());
        }
        assert_eq!((structure.parts.len(), structure.links.len()), (MAX_FACTS, MAX_FACTS));
        assert!(structure.parts[0].kind.len() <= MAX_STRING);
    }
}
