//! Style sheets in `<style>`: which rules apply to an element.
//!
//! Rules in media queries apply only if they are for every screen. Rules with selectors that may
//! match make the colours of an element unknown, and have no other effect. Style sheets elsewhere
//! are never loaded by mail programs.
//!
//! Bounds: [`MAX_RULES`] rules, and [`MAX_MATCHED`] comparisons in a page.

use super::css::{self, Style};
use super::selector::{Identity, Selector};
use super::tag::find_end_tag;
use std::collections::HashMap;

/// Maximum number of selectors that are kept.
const MAX_RULES: usize = 4096;

/// Maximum number of comparisons of rules with elements.
const MAX_MATCHED: usize = 1 << 22;

/// The rules of a page.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// Rules by the last part of their selector: `tag`, `.class` or `#id`.
    rules: HashMap<String, Vec<Rule>>,
    count: usize,
    matched: usize,
    /// Whether a rule depends on the elements around another one.
    pub looks_around: bool,
}

/// A selector and what it declares.
#[derive(Debug)]
struct Rule {
    specificity: (usize, usize),
    selector: Selector,
    style: Style,
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
        for selector in selectors.split(',').filter_map(Selector::parse) {
            let mut style = style.clone();
            if selector.is_uncertain {
                style = style.with_unknown_paints();
            }
            if style.is_empty() || self.count >= MAX_RULES {
                continue;
            }
            self.count += 1;
            self.looks_around |= selector.looks_around();
            let rules = self.rules.entry(selector.key()).or_default();
            match rules.iter_mut().find(|rule| rule.selector == selector) {
                Some(rule) => rule.style.merge(&style),
                None => {
                    let specificity = selector.specificity();
                    rules.push(Rule { specificity, selector, style });
                }
            }
        }
    }

    /// The declarations for an element inside others, innermost first; least specific ones first.
    pub(super) fn style<'i>(
        &mut self,
        element: &Identity,
        around: impl Iterator<Item = &'i Identity> + Clone,
    ) -> Style {
        let mut style = Style::default();
        if self.matched >= MAX_MATCHED {
            return style;
        }
        let depth = if self.looks_around { around.clone().count() } else { 0 };
        let mut found: Vec<&Rule> = Vec::new();
        let mut look = |key: &str, matched: &mut usize| {
            for rule in self.rules.get(key).into_iter().flatten() {
                *matched += 1 + if rule.selector.looks_around() { depth } else { 0 };
                if rule.selector.matches(element, around.clone()) {
                    found.push(rule);
                }
            }
        };
        look("*", &mut self.matched);
        look(&element.tag, &mut self.matched);
        for class in &element.classes {
            look(&format!(".{class}"), &mut self.matched);
        }
        if !element.id.is_empty() {
            look(&format!("#{}", element.id), &mut self.matched);
        }
        found.sort_by_key(|rule| rule.specificity);
        for rule in found {
            style.merge(&rule.style);
        }
        style
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
    use super::super::colour::Paint;
    use super::super::css::Property;
    use super::*;

    fn is_hidden(sheet: &str, tag: &str, id: &str, classes: &str) -> bool {
        let mut sheet = Sheet::of_page(&format!("<p><STYLE type='text/css'>{sheet}</style>"));
        let element = Identity::new(tag, id, classes);
        sheet.style(&element, std::iter::empty()).number(Property::Display) == Some(1.0)
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
    fn rules_that_may_match_make_colours_unknown() {
        let style = |sheet: &str| {
            let mut sheet = Sheet::of_page(&format!("<style>{sheet}</style>"));
            sheet.style(&Identity::new("p", "", ""), std::iter::empty())
        };
        let uncertain = style("p[x]{color:red;display:none}");
        assert_eq!(uncertain.colour(), Some(Paint::Unknown));
        assert!(!uncertain.has(Property::Display) && uncertain.background().is_none());
        assert!(style("td p{color:red}").is_empty() && style("p:hover{color:red}").is_empty());
    }
}
