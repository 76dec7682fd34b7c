//! Style sheets in `<style>`: which rules apply to an element.
//!
//! Selectors are lists of tags, classes and ids (`td`, `.x`, `#y`, `td.x.z`, `body .x`). Rules in
//! media queries apply only if they are for every screen. Whether other rules could set a colour or
//! background is remembered, because then colours cannot be compared.
//!
//! Bounds: [`MAX_RULES`] rules, and [`MAX_MATCHED`] rules looked at in a page.

use super::css::{self, Style};
use super::tag::find_end_tag;
use std::collections::HashMap;

/// Maximum number of selectors that are kept.
const MAX_RULES: usize = 4096;

/// Maximum number of rules compared with the elements of a page.
const MAX_MATCHED: usize = 1 << 22;

/// Maximum number of classes of an element or a selector.
const MAX_CLASSES: usize = 32;

/// The rules of a page.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// Rules by the last part of their selector: `tag`, `.class` or `#id`.
    rules: HashMap<String, Vec<Rule>>,
    count: usize,
    matched: usize,
    /// Whether a rule that is not understood sets a colour.
    pub unknown_colour: bool,
    /// Whether a rule that is not understood sets a background.
    pub unknown_background: bool,
}

/// A selector without its key, and what it declares.
#[derive(Debug)]
struct Rule {
    specificity: (usize, usize),
    selector: Selector,
    style: Style,
}

#[derive(Debug, Default, PartialEq)]
struct Selector {
    tag: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
}

impl Sheet {
    /// The rules of all style sheets in a page. Those in comments are for other readers.
    pub(super) fn of_page(source: &str) -> Self {
        let mut sheet = Self::default();
        let bytes = source.as_bytes();
        let mut at = 0;
        while let Some(next) = memchr::memchr(b'<', &bytes[at..]) {
            at += next;
            if bytes[at..].starts_with(b"<!--") {
                at += super::comment_length(&source[at..]);
            } else if starts_with(&bytes[at..], b"<style") {
                let open = source[at..].find('>').map_or(bytes.len(), |end| at + end + 1);
                let end = open + find_end_tag(&source[open..], "style");
                sheet.add(&source[open..end]);
                at = end;
            } else if starts_with(&bytes[at..], b"<link") {
                sheet.unknown_colour = true;
                sheet.unknown_background = true;
                at += 1;
            } else {
                at += 1;
            }
        }
        sheet
    }

    /// Whether it says anything.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Adds the rules of one style sheet.
    fn add(&mut self, source: &str) {
        let plain = css::plain(source);
        let mut rest: &str = &plain;
        while let Some(open) = rest.find(['{', ';', '}']) {
            let prelude = rest[..open].trim();
            let prelude = prelude.trim_start_matches("<!--").trim_start_matches("-->").trim();
            let kind = rest.as_bytes()[open];
            rest = &rest[open + 1..];
            if kind != b'{' {
                if prelude.starts_with("@import") {
                    self.unknown_colour = true;
                    self.unknown_background = true;
                }
                continue;
            }
            if let Some(query) = prelude.strip_prefix("@media") {
                let query = query.trim();
                if !matches!(query, "" | "all" | "screen" | "only screen") {
                    rest = after_block(rest);
                }
                // Otherwise its rules follow, and its end is skipped.
                continue;
            }
            if prelude.starts_with('@') {
                rest = after_block(rest);
                continue;
            }
            let end = rest.find('}').unwrap_or(rest.len());
            self.rule(prelude, &rest[..end]);
            rest = rest.get(end + 1..).unwrap_or_default();
        }
    }

    fn rule(&mut self, selectors: &str, declarations: &str) {
        let style = Style::parse(declarations);
        if style.is_empty() {
            return;
        }
        for selector in selectors.split(',') {
            let parsed = Selector::parse(selector);
            let Some((key, selector)) = parsed.filter(|_| self.count < MAX_RULES) else {
                self.unknown_colour |= style.colour().is_some();
                self.unknown_background |= style.background().is_some();
                continue;
            };
            self.count += 1;
            let rules = self.rules.entry(key).or_default();
            let specificity = (
                usize::from(selector.id.is_some()),
                2 * selector.classes.len() + usize::from(selector.tag.is_some()),
            );
            match rules.iter_mut().find(|rule| rule.selector == selector) {
                Some(rule) => rule.style.merge(&style),
                None => rules.push(Rule { specificity, selector, style: style.clone() }),
            }
        }
    }

    /// The declarations for an element, least specific first.
    pub(super) fn style(&mut self, tag: &str, id: &str, classes: &str) -> Style {
        let mut style = Style::default();
        if self.matched >= MAX_MATCHED {
            return style;
        }
        let id = id.trim().to_ascii_lowercase();
        let classes = classes.to_ascii_lowercase();
        let classes: Vec<&str> = classes.split_ascii_whitespace().take(MAX_CLASSES).collect();
        let mut found: Vec<&Rule> = Vec::new();
        let mut look = |key: &str, matched: &mut usize| {
            for rule in self.rules.get(key).into_iter().flatten() {
                *matched += 1;
                if rule.selector.matches(tag, &id, &classes) {
                    found.push(rule);
                }
            }
        };
        look("*", &mut self.matched);
        look(tag, &mut self.matched);
        for class in &classes {
            look(&format!(".{class}"), &mut self.matched);
        }
        if !id.is_empty() {
            look(&format!("#{id}"), &mut self.matched);
        }
        found.sort_by_key(|rule| rule.specificity);
        for rule in found {
            style.merge(&rule.style);
        }
        style
    }
}

impl Selector {
    /// A selector in lower case with the key under which it is found; none if it is not understood.
    fn parse(text: &str) -> Option<(String, Self)> {
        let mut parts = text.split_ascii_whitespace().rev();
        let last = parts.next()?;
        // Every element is inside these.
        if !parts.all(|part| matches!(part, "body" | "html" | "*")) {
            return None;
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '*');
        let mut selector = Self::default();
        let mut rest = last;
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        if end > 0 {
            selector.tag = Some(rest[..end].to_owned()).filter(|tag| tag != "*");
            rest = &rest[end..];
        }
        while let Some(kind) = rest.chars().next() {
            let name = rest[kind.len_utf8()..].split(|c| !is_name(c)).next()?;
            match kind {
                '.' if !name.is_empty() && selector.classes.len() < MAX_CLASSES => {
                    selector.classes.push(name.to_owned());
                }
                '#' if !name.is_empty() => selector.id = Some(name.to_owned()),
                _ => return None,
            }
            rest = &rest[1 + name.len()..];
        }
        let key = match &selector {
            Self { id: Some(id), .. } => format!("#{id}"),
            Self { classes, .. } if !classes.is_empty() => format!(".{}", classes[0]),
            Self { tag: Some(tag), .. } => tag.clone(),
            Self { .. } => "*".to_owned(),
        };
        Some((key, selector))
    }

    fn matches(&self, tag: &str, id: &str, classes: &[&str]) -> bool {
        self.tag.as_ref().is_none_or(|wanted| wanted == tag)
            && self.id.as_ref().is_none_or(|wanted| wanted == id)
            && self.classes.iter().all(|class| classes.contains(&class.as_str()))
    }
}

/// What follows a block whose opening brace is already read.
fn after_block(source: &str) -> &str {
    let mut depth = 1usize;
    for (at, byte) in source.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &source[at + 1..];
        }
    }
    ""
}

fn starts_with(bytes: &[u8], name: &[u8]) -> bool {
    bytes.len() > name.len()
        && bytes[..name.len()].eq_ignore_ascii_case(name)
        && !bytes[name.len()].is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::super::css::Property;
    use super::*;

    fn is_hidden(sheet: &str, tag: &str, id: &str, classes: &str) -> bool {
        let mut sheet = Sheet::of_page(&format!("<p><STYLE type='text/css'>{sheet}</style>"));
        sheet.style(tag, id, classes).number(Property::Display) == Some(1.0)
    }

    #[test]
    fn rules_apply_to_tags_classes_and_ids() {
        for selector in
            [".x", "p.x", "#y", "p", "p#y.x", "h1, .x", "*", "body .x", ".z.x", "P.X", ".a,.x,.b"]
        {
            let sheet = format!("<!-- a{{color:red}} {selector} {{ display: none }} -->");
            assert!(is_hidden(&sheet, "p", "y", "z x"), "{selector}");
        }
        for selector in [".xx", "div.x", "#z", "td p", ".x:hover", "p > .x", "[class=x]", "x"] {
            let sheet = format!("{selector}{{display:none}}");
            assert!(!is_hidden(&sheet, "p", "y", "z x"), "{selector}");
        }
    }

    #[test]
    fn more_specific_and_later_rules_win() {
        assert!(!is_hidden(".x{display:none} .x{display:block}", "p", "", "x"));
        assert!(is_hidden(".x{display:none} p{display:block}", "p", "", "x"));
        assert!(is_hidden("p{display:none!important} .x{display:block}", "p", "", "x"));
        assert!(!is_hidden("p{display:none} #y{display:block}", "p", "y", ""));
    }

    #[test]
    fn rules_for_other_readers_do_not_apply() {
        assert!(!is_hidden("@media print{.x{display:none}}", "p", "", "x"));
        assert!(!is_hidden("@media (max-width:9px){.x{display:none} .y{}}", "p", "", "x"));
        assert!(is_hidden("@media print{.x{}} .x{display:none}", "p", "", "x"));
        assert!(is_hidden("@media all {.x{display:none}}", "p", "", "x"));
        assert!(is_hidden("@font-face{src:url(x)} @charset 'x'; .x{display:none}", "p", "", "x"));
        let page = "<!--[if mso]><style>.x{display:none}</style><![endif]-->";
        assert!(Sheet::of_page(page).is_empty());
    }

    #[test]
    fn colours_of_rules_that_are_not_understood_are_remembered() {
        let sheet = Sheet::of_page("<style>td p{color:red} a:hover{background:red}</style>");
        assert!(sheet.unknown_colour && sheet.unknown_background);
        let sheet = Sheet::of_page("<style>td p{margin:0} .x{color:red}</style>");
        assert!(!sheet.unknown_colour && !sheet.unknown_background);
    }
}
