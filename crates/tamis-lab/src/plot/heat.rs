//! A heat map: a coloured cell for each row and column.

use super::panel::{Frame, GREY};
use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::Serialize;

/// A matrix as colours, dark for much.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Heat {
    /// The values, by row.
    pub rows: Vec<Vec<f64>>,
    /// Names of the columns; of some of them if many are empty.
    pub columns: Vec<String>,
    /// Names of the rows.
    pub names: Vec<String>,
    /// The values of the lightest and of the darkest colour.
    pub range: (f64, f64),
    /// What is written into a cell: so many decimals.
    pub decimals: Option<usize>,
    /// A cell to be seen, by row and column.
    pub marked: Option<(usize, usize)>,
}

impl Heat {
    pub(super) fn draw<B: DrawingBackend>(&self, frame: &Frame<'_, B>) -> Result<()>
    where
        B::ErrorType: 'static,
    {
        let failed = |error: DrawingAreaErrorKind<B::ErrorType>| anyhow!("{error}");
        let count = self.rows.first().map_or(1, Vec::len).max(1) as f64;
        let rows = self.rows.len().max(1) as f64;
        let at = |row: f64, column: f64| frame.place(column / count, 1.0 - row / rows);
        for (r, row) in self.rows.iter().enumerate() {
            for (c, value) in row.iter().enumerate() {
                let (r, c) = (r as f64, c as f64);
                let corners = [at(r, c), at(r + 1.0, c + 1.0)];
                let dark = (value - self.range.0) / (self.range.1 - self.range.0);
                let dark = dark.clamp(0.0, 1.0);
                frame.area.draw(&Rectangle::new(corners, colour(dark).filled())).map_err(failed)?;
                if let Some(decimals) = self.decimals {
                    let ink = if dark > 0.55 { WHITE } else { BLACK };
                    let style = frame.text(14, Pos::new(HPos::Center, VPos::Center)).color(&ink);
                    let place = at(r + 0.5, c + 0.5);
                    let text = Text::new(format!("{value:.decimals$}"), place, style);
                    frame.area.draw(&text).map_err(failed)?;
                }
            }
        }
        if let Some((r, c)) = self.marked {
            let corners = [at(r as f64, c as f64), at(r as f64 + 1.0, c as f64 + 1.0)];
            let line = super::PALETTE[1].stroke_width(4);
            frame.area.draw(&Rectangle::new(corners, line)).map_err(failed)?;
        }
        let below = frame.text(15, Pos::new(HPos::Center, VPos::Top)).color(&GREY);
        for (c, name) in self.columns.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let (x, y) = at(rows, c as f64 + 0.5);
            frame.area.draw(&Text::new(name.clone(), (x, y + 6), below.clone())).map_err(failed)?;
        }
        let left = frame.text(15, Pos::new(HPos::Right, VPos::Center)).color(&GREY);
        for (r, name) in self.names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let (x, y) = at(r as f64 + 0.5, 0.0);
            frame.area.draw(&Text::new(name.clone(), (x - 8, y), left.clone())).map_err(failed)?;
        }
        Ok(())
    }
}

/// From nearly white over blue to nearly black: one colour that only darkens.
fn colour(dark: f64) -> RGBColor {
    let stops = [(247.0, 251.0, 255.0), (107.0, 174.0, 214.0), (8.0, 48.0, 107.0)];
    let (from, to, part) = match dark {
        dark if dark < 0.5 => (stops[0], stops[1], dark * 2.0),
        dark => (stops[1], stops[2], dark * 2.0 - 1.0),
    };
    let mix = |a: f64, b: f64| (a + (b - a) * part).round() as u8;
    RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}
