//! A panel: a title, two axes, and series or a heat map.

use super::axis::{Axis, Scale};
use super::heat::Heat;
use super::{Drawing, FONT, PALETTE};
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::Serialize;

/// Width and height of a panel: narrow enough to be read on a phone.
pub(super) const SIZE: (u32, u32) = (500, 400);

pub(super) const GREY: RGBColor = RGBColor(80, 80, 80);
const GRID: RGBColor = RGBColor(228, 228, 228);

/// Room left of, right of and above the plot.
const LEFT: i32 = 76;
const RIGHT: i32 = 18;
const TOP: i32 = 74;
/// Room below: marks, the name of the axis, and one line of the legend.
const BOTTOM: i32 = 58;
const LEGEND_LINE: i32 = 24;

/// How a series is drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Mark {
    /// A line through the points.
    Line,
    /// A broken line through the points.
    Dashed,
    /// Dots.
    Points,
    /// Columns that stand on the axis; so wide, in units of the axis.
    Bars(f64),
    /// The area between the points and these values.
    Band(Vec<f64>),
}

/// Points with a name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// What the legend says; nothing if empty.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Which colour of [`PALETTE`].
    pub colour: usize,
    /// Where it is.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// These points.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        mark: Mark,
        colour: usize,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Self { name: name.into(), mark, colour, points: points.into_iter().collect() }
    }
}

/// What is between the axes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Content {
    /// Series, the first one at the back.
    Series(Vec<Series>),
    /// A heat map; the axes give their names alone.
    Heat(Heat),
}

/// A panel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Panel {
    /// What is seen.
    pub title: String,
    /// The axis below.
    pub x: Axis,
    /// The axis at the left; its name stands above it.
    pub y: Axis,
    /// What is between them.
    pub content: Content,
}

impl Panel {
    /// A panel of series.
    #[must_use]
    pub fn new(title: impl Into<String>, x: Axis, y: Axis, series: Vec<Series>) -> Self {
        Self { title: title.into(), x, y, content: Content::Series(series) }
    }

    /// A panel of a heat map.
    #[must_use]
    pub fn heat(title: impl Into<String>, x: &str, y: &str, heat: Heat) -> Self {
        let (x, y) = (Axis::linear(x), Axis::linear(y));
        Self { title: title.into(), x, y, content: Content::Heat(heat) }
    }
}

/// The place of a plot on its surface.
pub(super) struct Frame<'a, B: DrawingBackend> {
    pub(super) area: &'a DrawingArea<B, Shift>,
    left: i32,
    top: i32,
    width: i32,
    height: i32,
}

impl<B: DrawingBackend> Frame<'_, B> {
    /// The pixel of a point, both from 0 to 1, upwards.
    pub(super) fn place(&self, x: f64, y: f64) -> (i32, i32) {
        let along = |part: f64, length: i32| (part * f64::from(length)).round() as i32;
        (self.left + along(x, self.width), self.top + self.height - along(y, self.height))
    }

    pub(super) fn text(&self, size: u32, pos: Pos) -> TextStyle<'static> {
        TextStyle::from((FONT, size).into_font()).pos(pos)
    }
}

impl Drawing for Panel {
    fn size(&self) -> (u32, u32) {
        SIZE
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<()>
    where
        B::ErrorType: 'static,
    {
        let failed = |error: DrawingAreaErrorKind<B::ErrorType>| anyhow!("{error}");
        let (width, height) = area.dim_in_pixel();
        let (width, height) = (width as i32, height as i32);
        let style = |size: u32, colour: &'static RGBColor, h: HPos, v: VPos| {
            TextStyle::from((FONT, size).into_font()).color(colour).pos(Pos::new(h, v))
        };
        let long = |text: &str, size: u32| {
            let style = style(size, &BLACK, HPos::Left, VPos::Top);
            area.estimate_text_size(text, &style).map_or(0, |(width, _)| width as i32)
        };
        let heading = (14..=20).rev().find(|size| long(&self.title, *size) < width - 32);
        let heading = style(heading.unwrap_or(13), &BLACK, HPos::Left, VPos::Top);
        area.draw(&Text::new(self.title.clone(), (16, 14), heading)).map_err(failed)?;
        let above = style(16, &GREY, HPos::Left, VPos::Top);
        area.draw(&Text::new(self.y.name.clone(), (16, 44), above)).map_err(failed)?;

        // The legend: names one after the other, in as many lines as they need.
        let mut entries = Vec::new();
        let (mut x, mut line) = (LEFT, 0);
        if let Content::Series(series) = &self.content {
            for series in series.iter().filter(|series| !series.name.is_empty()) {
                let room = 34 + long(&series.name, 16) + 18;
                if x > LEFT && x + room > width - 8 {
                    (x, line) = (LEFT, line + 1);
                }
                entries.push((series, x, line));
                x += room;
            }
        }
        let lines = if entries.is_empty() { 0 } else { line + 1 };
        let legend = height - 8 - lines * LEGEND_LINE;
        let frame = Frame {
            area,
            left: LEFT,
            top: TOP,
            width: width - LEFT - RIGHT,
            height: legend - BOTTOM - TOP,
        };
        for (series, x, line) in entries {
            let middle = legend + line * LEGEND_LINE + LEGEND_LINE / 2;
            key(&frame, series, x, middle)?;
            let name = style(16, &BLACK, HPos::Left, VPos::Center);
            area.draw(&Text::new(series.name.clone(), (x + 34, middle), name)).map_err(failed)?;
        }
        let middle = LEFT + frame.width / 2;
        let below = style(16, &GREY, HPos::Center, VPos::Bottom);
        area.draw(&Text::new(self.x.name.clone(), (middle, legend - 6), below)).map_err(failed)?;
        match &self.content {
            Content::Heat(heat) => heat.draw(&frame),
            Content::Series(series) => self.draw_series(&frame, series),
        }
    }
}

impl Panel {
    fn draw_series<B: DrawingBackend>(&self, frame: &Frame<'_, B>, series: &[Series]) -> Result<()>
    where
        B::ErrorType: 'static,
    {
        let failed = |error: DrawingAreaErrorKind<B::ErrorType>| anyhow!("{error}");
        let points = || series.iter().flat_map(|series| &series.points);
        let lower = series.iter().filter_map(|series| match &series.mark {
            Mark::Band(lower) => Some(lower),
            _ => None,
        });
        let half = series.iter().map(|series| match series.mark {
            Mark::Bars(width) => width / 2.0,
            _ => 0.0,
        });
        let half = half.fold(0.0, f64::max);
        let across = points().flat_map(|(x, _)| [x - half, x + half]);
        let x = Scale::new(&self.x, across);
        let y = Scale::new(&self.y, points().map(|(_, y)| *y).chain(lower.flatten().copied()));

        for (value, name) in x.marks() {
            let Some(part) = x.part(value) else { continue };
            let (from, to) = (frame.place(part, 0.0), frame.place(part, 1.0));
            frame.area.draw(&PathElement::new([from, to], GRID)).map_err(failed)?;
            let style = frame.text(15, Pos::new(HPos::Center, VPos::Top)).color(&GREY);
            frame.area.draw(&Text::new(name, (from.0, from.1 + 6), style)).map_err(failed)?;
        }
        for (value, name) in y.marks() {
            let Some(part) = y.part(value) else { continue };
            let (from, to) = (frame.place(0.0, part), frame.place(1.0, part));
            frame.area.draw(&PathElement::new([from, to], GRID)).map_err(failed)?;
            let style = frame.text(15, Pos::new(HPos::Right, VPos::Center)).color(&GREY);
            frame.area.draw(&Text::new(name, (from.0 - 8, from.1), style)).map_err(failed)?;
        }
        for series in series {
            draw_one(frame, &x, &y, series)?;
        }
        let corners = [frame.place(0.0, 1.0), frame.place(0.0, 0.0), frame.place(1.0, 0.0)];
        frame.area.draw(&PathElement::new(corners, GREY)).map_err(failed)
    }
}

fn draw_one<B: DrawingBackend>(
    frame: &Frame<'_, B>,
    x: &Scale,
    y: &Scale,
    series: &Series,
) -> Result<()>
where
    B::ErrorType: 'static,
{
    let failed = |error: DrawingAreaErrorKind<B::ErrorType>| anyhow!("{error}");
    let colour = PALETTE[series.colour % PALETTE.len()];
    let place = |(px, py): &(f64, f64)| Some(frame.place(x.part(*px)?, y.part(*py)?));
    let clamped = |px: f64, py: f64| frame.place(x.nearest_part(px), y.nearest_part(py));
    match &series.mark {
        Mark::Line => {
            // A line is broken where a point is outside.
            let places: Vec<_> = series.points.iter().map(place).collect();
            for run in places.split(Option::is_none).filter(|run| run.len() > 1) {
                let run: Vec<(i32, i32)> = run.iter().flatten().copied().collect();
                let line = PathElement::new(run, colour.stroke_width(2));
                frame.area.draw(&line).map_err(failed)?;
            }
        }
        Mark::Dashed => {
            let places: Vec<_> = series.points.iter().filter_map(place).collect();
            for dash in dashes(&places) {
                frame.area.draw(&PathElement::new(dash, colour.stroke_width(2))).map_err(failed)?;
            }
        }
        Mark::Points => {
            for place in series.points.iter().filter_map(place) {
                frame.area.draw(&Circle::new(place, 4, colour.filled())).map_err(failed)?;
            }
        }
        Mark::Bars(width) => {
            for (px, py) in &series.points {
                let corners = [clamped(px - width / 2.0, 0.0), clamped(px + width / 2.0, *py)];
                let bar = Rectangle::new(corners, colour.mix(0.75).filled());
                frame.area.draw(&bar).map_err(failed)?;
            }
        }
        Mark::Band(lower) => {
            let above = series.points.iter().map(|(px, py)| clamped(*px, *py));
            let below = series.points.iter().zip(lower).rev();
            let below = below.map(|((px, _), low)| clamped(*px, *low));
            let outline: Vec<(i32, i32)> = above.chain(below).collect();
            frame.area.draw(&Polygon::new(outline, colour.mix(0.18))).map_err(failed)?;
        }
    }
    Ok(())
}

/// The sign of a series in the legend.
fn key<B: DrawingBackend>(frame: &Frame<'_, B>, series: &Series, x: i32, y: i32) -> Result<()>
where
    B::ErrorType: 'static,
{
    let failed = |error: DrawingAreaErrorKind<B::ErrorType>| anyhow!("{error}");
    let colour = PALETTE[series.colour % PALETTE.len()];
    let line = vec![(x, y), (x + 26, y)];
    match &series.mark {
        Mark::Line => frame.area.draw(&PathElement::new(line, colour.stroke_width(2))),
        Mark::Dashed => dashes(&line)
            .into_iter()
            .try_for_each(|dash| frame.area.draw(&PathElement::new(dash, colour.stroke_width(2)))),
        Mark::Points => frame.area.draw(&Circle::new((x + 13, y), 4, colour.filled())),
        Mark::Bars(_) | Mark::Band(_) => {
            let part = if matches!(series.mark, Mark::Band(_)) { 0.18 } else { 0.75 };
            let corners = [(x + 2, y - 7), (x + 24, y + 7)];
            frame.area.draw(&Rectangle::new(corners, colour.mix(part).filled()))
        }
    }
    .map_err(failed)
}

/// Eight pixels drawn, five left out, along a path.
fn dashes(path: &[(i32, i32)]) -> Vec<Vec<(i32, i32)>> {
    const DRAWN: f64 = 8.0;
    const PERIOD: f64 = 13.0;
    let mut dashes = Vec::new();
    let mut dash: Vec<(i32, i32)> = Vec::new();
    let mut along = 0.0;
    for ends in path.windows(2) {
        let [from, to] = [ends[0], ends[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let steps = length.ceil() as usize;
        for step in 0..steps {
            let part = step as f64 / steps as f64;
            let place = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            if along % PERIOD < DRAWN {
                dash.push((place.0.round() as i32, place.1.round() as i32));
            } else if !dash.is_empty() {
                dashes.push(ends_of(&std::mem::take(&mut dash)));
            }
            along += length / steps as f64;
        }
    }
    if dash.len() > 1 {
        dashes.push(ends_of(&dash));
    }
    dashes
}

/// First, middle and last point: a dash is nearly straight.
fn ends_of(dash: &[(i32, i32)]) -> Vec<(i32, i32)> {
    vec![dash[0], dash[dash.len() / 2], dash[dash.len() - 1]]
}
