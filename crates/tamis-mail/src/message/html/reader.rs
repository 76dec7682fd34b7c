//! Walks over the tags of a page: open elements, their state, links and images.

use super::colour::{self, Paint};
use super::css::{Property, Style};
use super::hiding::State;
use super::names::{self, BLOCK, TABLE, VOID, id};
use super::selector::Identity;
use super::sheet::Sheet;
use super::tag::{Attributes, Tag};
use super::{LinkFact, MAX_LINKS, MAX_NOTES, Page, RAW, entity, link};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Elements whose content is for other readers.
const UNREAD: [&str; 2] = ["noscript", "template"];

/// Maximum number of elements that are open at the same time; those inside the last one share its
/// state.
const MAX_OPEN: usize = 512;

/// Collects what is found in a page.
pub(super) struct Reader {
    page: Page,
    links: BTreeSet<String>,
    notes: BTreeSet<String>,
    /// Tags that are noted.
    noted: Vec<u32>,
    sheet: Sheet,
    /// What holds outside all elements.
    outside: State,
    /// Open elements, outermost first.
    open: Vec<Open>,
    /// Elements that are open but not kept.
    deeper: usize,
    /// The link that is open: where its text starts, and its fact.
    anchor: Option<(usize, usize)>,
}

/// An open element.
struct Open {
    name: u32,
    is_block: bool,
    state: State,
    /// What style sheets look at, if they look at elements around others.
    identity: Option<Box<Identity>>,
}

impl Reader {
    pub(super) fn new(mut sheet: Sheet) -> Self {
        let mut outside = State::default();
        // Pages without these tags have the elements all the same.
        for name in ["html", "body"] {
            let style = sheet.style(&Identity::new(name, "", ""), std::iter::empty());
            outside = page_state(outside, &style);
        }
        Self {
            page: Page::default(),
            links: BTreeSet::new(),
            notes: BTreeSet::new(),
            noted: Vec::new(),
            sheet,
            outside,
            open: Vec::new(),
            deeper: 0,
            anchor: None,
        }
    }

    pub(super) fn finish(mut self) -> Page {
        self.end_anchor();
        self.page.links = self.links.into_iter().collect();
        self.page.notes = self.notes.into_iter().collect();
        self.page
    }

    fn state(&self) -> State {
        self.open.last().map_or(self.outside, |open| open.state)
    }

    pub(super) fn text(&mut self, source: &str) {
        if source.is_empty() {
            return;
        }
        if let Some(form) = self.state().form() {
            let length = source.trim_ascii().len();
            if length > 0 {
                self.page.hidden_bytes += length;
                self.page.hidden_forms.insert(form);
                self.note("hidden_text");
            }
            return;
        }
        entity::push_text(&mut self.page.text, source);
    }

    fn note(&mut self, note: &str) {
        if !self.notes.contains(note) && self.notes.len() < MAX_NOTES {
            self.notes.insert(note.to_owned());
        }
    }

    pub(super) fn comment(&mut self) {
        self.page.comments += 1;
        self.note("comment");
    }

    pub(super) fn tag(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_ref();
        if name.is_empty() {
            return;
        }
        let key = id(name);
        if !tag.ends && !self.noted.contains(&key) && self.noted.len() < MAX_NOTES {
            self.noted.push(key);
            self.note(name);
        }
        let is_block = if tag.ends { self.end(name, key) } else { self.start(tag, key) };
        if is_block && !self.state().is_hidden() {
            self.page.text.push(' ');
        }
    }

    /// Opens an element; whether it separates words.
    fn start(&mut self, tag: &Tag<'_>, key: u32) -> bool {
        let name = tag.name.as_ref();
        self.end_before(key);
        let attributes = tag.attributes();
        let (style, identity) = self.style(name, &attributes);
        let is_link = name == "a";
        let outer = self.state();
        let mut state = match name {
            "body" | "html" => page_state(outer, &style),
            _ => outer.inside(&style, is_link),
        };
        if is_link && style.colour().is_none() {
            state.forget_colour();
        }
        let display = style.number(Property::Display);
        if attributes.is_hidden && display.is_none() {
            state.hide("attribute");
        }
        if UNREAD.contains(&name) {
            state.hide("unread");
        }
        let is_tiny_image = name == "img" && self.image(&attributes, &state);
        if !outer.is_hidden() {
            self.links(name, &attributes);
        }
        let is_block = BLOCK.contains(&key) && display != Some(2.0) && !is_tiny_image;
        if VOID.contains(&key) || RAW.contains(&name) {
            return is_block;
        }
        if self.open.len() < MAX_OPEN {
            self.open.push(Open { name: key, is_block, state, identity });
        } else {
            self.deeper += 1;
        }
        is_block
    }

    /// Closes an element; whether it separates words.
    fn end(&mut self, name: &str, key: u32) -> bool {
        if name == "a" {
            self.end_anchor();
        }
        if self.deeper > 0 {
            self.deeper -= 1;
            return BLOCK.contains(&key);
        }
        // Text after the end of a page is shown like the rest.
        if matches!(name, "body" | "html") {
            return true;
        }
        let is_table = TABLE.contains(&key);
        for at in (0..self.open.len()).rev() {
            let open = &self.open[at];
            if open.name == key {
                let is_block = open.is_block;
                self.open.truncate(at);
                return is_block;
            }
            // Only parts of tables end those around them.
            if !is_table && TABLE.contains(&open.name) {
                break;
            }
        }
        BLOCK.contains(&key)
    }

    /// The declared style of an element: attributes, then style sheets, then its own.
    fn style(&mut self, name: &str, attributes: &Attributes<'_>) -> (Style, Option<Box<Identity>>) {
        let mut style = Style::default();
        let mut identity = None;
        let parse = |value: &Option<Cow<'_, str>>| {
            colour::parse(&value.as_deref()?.trim().to_ascii_lowercase())
        };
        if let Some(paint) = parse(&attributes.colour) {
            style.set_colour(paint);
        }
        if let Some(paint) = parse(&attributes.background_colour) {
            style.set_background(paint);
        }
        if attributes.has_background_image {
            style.set_background(Paint::Unknown);
        }
        if !self.sheet.is_empty() {
            let id = attributes.id.as_deref().unwrap_or_default();
            let classes = attributes.class.as_deref().unwrap_or_default();
            let element = Identity::new(name, id, classes);
            let around = self.open.iter().rev().filter_map(|open| open.identity.as_deref());
            style.merge(&self.sheet.style(&element, around));
            identity = self.sheet.looks_around.then(|| Box::new(element));
        }
        if let Some(own) = &attributes.style {
            style.merge(&Style::parse(own));
        }
        (style, identity)
    }

    /// Counts an image; whether it is not seen.
    fn image(&mut self, attributes: &Attributes<'_>, state: &State) -> bool {
        self.page.images += 1;
        let own = attributes.style.as_deref().map(Style::parse).unwrap_or_default();
        let side = |value: &Option<Cow<'_, str>>, property: Property| {
            let value = value.as_deref().map(str::trim).map(|value| {
                let number = value.strip_suffix("px").unwrap_or(value);
                number.trim().parse().unwrap_or(f32::INFINITY)
            });
            own.number(property).or(value)
        };
        let sides =
            [side(&attributes.width, Property::Width), side(&attributes.height, Property::Height)];
        let mut sides = sides.into_iter().flatten().peekable();
        let is_tiny = sides.peek().is_some() && sides.all(|side| side <= 1.0);
        let is_unseen = is_tiny || state.is_hidden();
        if is_unseen {
            self.page.tracking_pixels += 1;
            self.note("tracking_pixel");
        }
        is_tiny
    }

    /// Takes the links of an element.
    fn links(&mut self, name: &str, attributes: &Attributes<'_>) {
        self.page.forms += usize::from(name == "form");
        if name == "a" {
            self.end_anchor();
        }
        for (address, is_target) in
            [(&attributes.href, true), (&attributes.src, false), (&attributes.action, true)]
        {
            let Some((scheme, host)) = address.as_deref().and_then(link::target) else { continue };
            if is_target
                && matches!(name, "a" | "area" | "form")
                && self.page.targets.len() < MAX_LINKS
            {
                if name == "a" {
                    self.anchor = Some((self.page.text.len(), self.page.targets.len()));
                }
                let host = host.clone();
                self.page.targets.push(LinkFact { host, shown_host: None, scheme });
            }
            if self.links.len() < MAX_LINKS {
                self.links.insert(host);
            }
        }
    }

    /// Ends the text of the open link.
    fn end_anchor(&mut self) {
        let Some((start, target)) = self.anchor.take() else { return };
        let shown = self.page.text.get(start..).and_then(link::shown_host);
        if let Some(target) = self.page.targets.get_mut(target) {
            target.shown_host = shown;
        }
    }

    /// Ends the elements that an element of this name implicitly ends.
    fn end_before(&mut self, name: u32) {
        let Some((ended, scope)) = names::ended_by(name) else { return };
        let inside = self.open.iter().rposition(|open| scope.contains(&open.name));
        let inside = inside.map_or(0, |at| at + 1);
        let first = self.open[inside..].iter().position(|open| ended.contains(&open.name));
        if let Some(first) = first {
            self.open.truncate(inside + first);
            self.deeper = 0;
        }
    }
}

/// The state inside the whole page. Its colour of text is not compared with backgrounds: a mistake
/// would hide everything. Neither does anything else hide a whole page.
fn page_state(outer: State, style: &Style) -> State {
    let mut state = outer;
    if let Some(paint) = style.background() {
        let mut only = Style::default();
        only.set_background(paint);
        state = state.inside(&only, false);
    }
    if style.colour().is_some() {
        state.forget_colour();
    }
    state
}
