//! Whether text is seen: what an element inherits, and what hides it.
//!
//! Some declarations hide an element with everything in it (`display`, `opacity`, position, clip,
//! zero size); others are inherited and may be undone by an element inside (`visibility`, font
//! size, colours). A form of hiding has a name, which is that of the declaration.

use super::colour::{BLACK, Colour, Paint, TRANSPARENT, WHITE, same};
use super::css::{Property, Style};

/// Distance in pixels, negative, from which on something is off the screen.
pub(super) const FAR: f32 = -400.0;

/// Largest font size in pixels that no one can read.
const UNREADABLE: f32 = 2.0;

/// What holds for the text of an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    /// The form that hides everything inside.
    hidden: Option<&'static str>,
    invisible: bool,
    /// Font size in pixels.
    font: f32,
    flat_lines: bool,
    indented_away: bool,
    /// The colour of text and its opacity, if known.
    colour: Option<(Colour, f32)>,
    /// The colour behind the text, if known.
    background: Option<Colour>,
}

impl Default for State {
    /// Black on white.
    fn default() -> Self {
        Self {
            hidden: None,
            invisible: false,
            font: 16.0,
            flat_lines: false,
            indented_away: false,
            colour: Some((BLACK, 1.0)),
            background: Some(WHITE),
        }
    }
}

impl State {
    /// Forgets the colour of text.
    pub(super) const fn forget_colour(&mut self) {
        self.colour = None;
    }

    /// Hides everything inside.
    pub(super) const fn hide(&mut self, form: &'static str) {
        self.hidden = Some(form);
    }

    /// Whether an element hides everything inside.
    pub(super) const fn is_hidden(&self) -> bool {
        self.hidden.is_some()
    }

    /// The state inside an element with this style.
    pub(super) fn inside(mut self, style: &Style, is_link: bool) -> Self {
        if style.is_empty() {
            return self;
        }
        if self.hidden.is_none() {
            self.hidden = hides_all(style, is_link);
        }
        if let Some(visibility) = style.number(Property::Visibility) {
            self.invisible = visibility == 1.0;
        }
        if let Some(size) = style.number(Property::FontSize) {
            self.font =
                if size < 0.0 || size.is_sign_negative() { self.font * -size } else { size };
        }
        if let Some(height) = style.number(Property::LineHeight) {
            self.flat_lines = height == 0.0;
        }
        if let Some(indent) = style.number(Property::TextIndent) {
            self.indented_away = indent <= FAR;
        }
        match style.background() {
            None => {}
            Some(paint) => self.background = paint.over(self.background),
        }
        match style.colour() {
            None => {}
            Some(Paint::Colour(colour, opacity)) => self.colour = Some((colour, opacity)),
            Some(Paint::Unknown) => self.colour = None,
        }
        self
    }

    /// The form that hides text here, if it is hidden.
    pub(super) fn form(&self) -> Option<&'static str> {
        if self.hidden.is_some() {
            return self.hidden;
        }
        if self.invisible {
            return Some("visibility");
        }
        if self.font <= UNREADABLE {
            return Some("font-size");
        }
        if self.flat_lines {
            return Some("line-height");
        }
        if self.indented_away {
            return Some("text-indent");
        }
        let (colour, opacity) = self.colour?;
        if opacity <= TRANSPARENT {
            return Some("colour");
        }
        let shown = Paint::Colour(colour, opacity).over(self.background)?;
        same(shown, self.background?).then_some("colour")
    }
}

/// The form by which a style hides an element with everything in it.
fn hides_all(style: &Style, is_link: bool) -> Option<&'static str> {
    let number = |property| style.number(property);
    let is = |property, value: f32| number(property) == Some(value);
    let at_most = |property, most: f32| number(property).is_some_and(|number| number <= most);
    if is(Property::Display, 1.0) {
        return Some("display");
    }
    if at_most(Property::Opacity, TRANSPARENT) {
        return Some("opacity");
    }
    let sides = [Property::Left, Property::Top, Property::Right, Property::Bottom];
    if number(Property::Position).is_some() && sides.into_iter().any(|side| at_most(side, FAR)) {
        return Some("position");
    }
    if at_most(Property::MarginLeft, FAR) || at_most(Property::MarginTop, FAR) {
        return Some("margin");
    }
    if is(Property::Clip, 1.0) || is(Property::ClipPath, 1.0) {
        return Some("clip");
    }
    if is(Property::Transform, 1.0) {
        return Some("transform");
    }
    let sizes = [Property::Width, Property::Height, Property::MaxWidth, Property::MaxHeight];
    if is(Property::Overflow, 1.0) && sizes.into_iter().any(|size| at_most(size, 1.0)) {
        return Some("size");
    }
    // Buttons hide a link from one mail program, which shows a drawn one in its place.
    (is(Property::MsoHide, 1.0) && !is_link).then_some("mso-hide")
}
