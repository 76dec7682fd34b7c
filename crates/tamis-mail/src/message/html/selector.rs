//! Selectors of style sheets, and the elements they match.
//!
//! Understood are tags, classes and ids, joined (`td.x#y`) and inside each other (`table .x p`);
//! a child is taken for any element inside. Selectors with attributes, siblings or positions are
//! uncertain: they may match.

/// Maximum number of classes of an element or a selector.
const MAX_CLASSES: usize = 32;

/// Maximum number of elements in a selector.
const MAX_NESTED: usize = 8;

/// What selectors look at, in lower case.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Identity {
    pub tag: String,
    pub id: String,
    pub classes: Vec<String>,
}

impl Identity {
    pub(super) fn new(tag: &str, id: &str, classes: &str) -> Self {
        let classes = classes.split_ascii_whitespace().take(MAX_CLASSES);
        Self {
            tag: tag.to_owned(),
            id: id.trim().to_ascii_lowercase(),
            classes: classes.map(str::to_ascii_lowercase).collect(),
        }
    }
}

/// Which elements a rule is for.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Selector {
    last: Compound,
    /// The elements around it, outermost first.
    around: Vec<Compound>,
    /// Whether it merely may match.
    pub is_uncertain: bool,
}

/// A part of a selector for one element.
#[derive(Debug, Default, PartialEq)]
struct Compound {
    tag: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
}

impl Selector {
    /// A selector in lower case; none if it is not understood, or is for what is never seen at first.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut selector = Self::default();
        // Of siblings only the last one is looked at.
        let last = text.rfind(['+', '~']).filter(|_| !text.contains('[')).map_or(0, |at| at + 1);
        selector.is_uncertain = last > 0;
        let mut compounds = Vec::new();
        for word in text[last..].split(|c: char| c == '>' || c.is_ascii_whitespace()) {
            if word.is_empty() {
                continue;
            }
            let (compound, is_uncertain) = Compound::parse(word)?;
            selector.is_uncertain |= is_uncertain;
            compounds.push(compound);
        }
        selector.last = compounds.pop()?;
        // Every element is inside these.
        let everywhere = |compound: &Compound| {
            compound.id.is_none()
                && compound.classes.is_empty()
                && compound.tag.as_ref().is_none_or(|tag| tag == "body" || tag == "html")
        };
        compounds.retain(|compound| !everywhere(compound));
        selector.around = compounds;
        (selector.around.len() < MAX_NESTED).then_some(selector)
    }

    /// The name under which it is found: `#id`, `.class`, `tag` or `*`.
    pub(super) fn key(&self) -> String {
        match &self.last {
            Compound { id: Some(id), .. } => format!("#{id}"),
            Compound { classes, .. } if !classes.is_empty() => format!(".{}", classes[0]),
            Compound { tag: Some(tag), .. } => tag.clone(),
            Compound { .. } => "*".to_owned(),
        }
    }

    /// Whether it looks at the elements around another one.
    pub(super) const fn looks_around(&self) -> bool {
        !self.around.is_empty()
    }

    /// More specific selectors win over others.
    pub(super) fn specificity(&self) -> (usize, usize) {
        let all = || self.around.iter().chain([&self.last]);
        let tags = all().filter(|compound| compound.tag.is_some()).count();
        let classes: usize = all().map(|compound| compound.classes.len()).sum();
        (all().filter(|compound| compound.id.is_some()).count(), 256 * classes + tags)
    }

    /// Whether it matches an element inside others, innermost first.
    pub(super) fn matches<'i>(
        &self,
        element: &Identity,
        mut around: impl Iterator<Item = &'i Identity>,
    ) -> bool {
        self.last.matches(element)
            && self.around.iter().rev().all(|wanted| around.any(|outer| wanted.matches(outer)))
    }
}

impl Compound {
    /// One element, and whether it is uncertain; none for a state such as `:hover`.
    fn parse(text: &str) -> Option<(Self, bool)> {
        let end = text.find([':', '[']).unwrap_or(text.len());
        let (mut rest, state) = text.split_at(end);
        let is_uncertain = match state {
            "" | ":link" | ":visited" | ":any-link" => false,
            _ if state.starts_with('[') => true,
            _ if state.starts_with(":first-child")
                || state.starts_with(":last-child")
                || state.starts_with(":nth")
                || state.starts_with(":not")
                || state.starts_with(":only") =>
            {
                true
            }
            _ => return None,
        };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '*');
        let mut compound = Self::default();
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        if end > 0 {
            compound.tag = Some(rest[..end].to_owned()).filter(|tag| tag != "*");
            rest = &rest[end..];
        }
        while let Some(kind) = rest.chars().next() {
            let name = rest[kind.len_utf8()..].split(|c| !is_name(c)).next()?;
            match kind {
                '.' if !name.is_empty() && compound.classes.len() < MAX_CLASSES => {
                    compound.classes.push(name.to_owned());
                }
                '#' if !name.is_empty() => compound.id = Some(name.to_owned()),
                _ => return None,
            }
            rest = &rest[1 + name.len()..];
        }
        Some((compound, is_uncertain))
    }

    fn matches(&self, element: &Identity) -> bool {
        self.tag.as_ref().is_none_or(|tag| *tag == element.tag)
            && self.id.as_ref().is_none_or(|id| *id == element.id)
            && self.classes.iter().all(|class| element.classes.contains(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_match_an_element_inside_others() {
        let element = Identity::new("p", "Y", "z X");
        let outer = [Identity::new("td", "", "c"), Identity::new("table", "t", "")];
        let found = |text: &str| {
            let selector = Selector::parse(text)?;
            Some((selector.matches(&element, outer.iter()), selector.is_uncertain))
        };
        for text in ["p", ".x", "#y", "p.z.x#y", "*", "table p", "table>td > .x", "body #t .c .x"] {
            assert_eq!(found(text), Some((true, false)), "{text}");
        }
        for text in ["td", ".xx", "div p", "td table p", "p p"] {
            assert_eq!(found(text), Some((false, false)), "{text}");
        }
        for text in ["td[x=y] p", "a + p", "p:nth-child(2)", "td .x:first-child"] {
            assert_eq!(found(text), Some((true, true)), "{text}");
        }
        for text in ["", "p:hover", "p::before", "p$", "."] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
