//! The findings as a picture: speed, error, and what all pairs cost.

use super::Findings;
use super::accuracy::Sizes;
use super::contender::OURS;
use super::pairs::THRESHOLDS;
use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::path::Path;
use tamis_lab::plot::{self, Drawing, FONT, PALETTE};

/// Writes `similar.svg` and `similar.png`.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn draw(findings: &Findings, folder: &Path) -> anyhow::Result<()> {
    plot::save(&Figure(findings), folder, "similar")
}

struct Figure<'a>(&'a Findings);

/// A bar with its name, its length, what stands behind it, and its colour.
struct Row {
    name: String,
    value: f64,
    figure: String,
    colour: RGBColor,
}

impl Row {
    fn new(contender: &str, name: String, value: f64, figure: String) -> Self {
        let colour = if contender == OURS { PALETTE[0] } else { PALETTE[6] };
        Self { name, value, figure, colour }
    }
}

impl Drawing for Figure<'_> {
    fn size(&self) -> (u32, u32) {
        (1650, 1000)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        let (left, right) = area.split_horizontally(825);
        let (speeds, costs) = left.split_vertically(500);
        let (errors, memory) = right.split_vertically(500);
        let panels = [
            (speeds, "text to signature: MB/s on one thread", self.speeds()),
            (errors, "error / that of k independent functions", self.errors()),
            (costs, "all pairs: processor time in s (precision / recall)", self.costs()),
            (memory, "all pairs: largest memory in MB", self.memory()),
        ];
        for (panel, title, rows) in panels {
            lengths(&panel, title, &rows).map_err(|error| anyhow!("{error}"))?;
        }
        Ok(())
    }
}

impl Figure<'_> {
    fn speeds(&self) -> Vec<Row> {
        let row = |speed: &super::Speed| {
            let name = format!("{}, k = {}", speed.contender, speed.components);
            Row::new(&speed.contender, name, speed.best, format!("{:.0}", speed.best))
        };
        self.0.speeds.iter().map(row).collect()
    }

    fn errors(&self) -> Vec<Row> {
        let shown = self.0.accuracies.iter().filter(|row| {
            row.sizes == Sizes::All || (row.contender == OURS && row.components == 128)
        });
        let row = |accuracy: &super::Accuracy| {
            let sizes = match accuracy.sizes {
                Sizes::All => String::new(),
                other => format!(", {}", other.name()),
            };
            let name = format!("{}, k = {}{sizes}", accuracy.contender, accuracy.components);
            let figure = format!("{:.2}", accuracy.ratio);
            Row::new(accuracy.contender, name, accuracy.ratio, figure)
        };
        shown.map(row).collect()
    }

    fn costs(&self) -> Vec<Row> {
        self.searches(|search| {
            let (precision, recall) = match search.has_pairs {
                true => (search.precision, search.recall),
                false => (search.copies.precision, search.copies.recall),
            };
            Some((search.cpu, format!("{:.2} ({precision:.3} / {recall:.3})", search.cpu)))
        })
    }

    fn memory(&self) -> Vec<Row> {
        self.searches(|search| search.memory.map(|memory| (memory, format!("{memory:.0}"))))
    }

    fn searches(&self, figure: impl Fn(&super::Search) -> Option<(f64, String)>) -> Vec<Row> {
        let mut rows = Vec::new();
        for threshold in THRESHOLDS {
            for search in self.0.searches.iter().filter(|row| row.threshold == threshold) {
                if let Some((value, figure)) = figure(search) {
                    let name = format!("{} at {threshold}", search.contender);
                    rows.push(Row::new(search.contender, name, value, figure));
                }
            }
        }
        rows
    }
}

/// Horizontal bars, the first on top.
fn lengths<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    title: &str,
    rows: &[Row],
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    const NAMES: i32 = 320;
    let (width, height) = area.dim_in_pixel();
    let (width, height) = (width as i32, height as i32);
    let heading = (FONT, 24).into_font().into_text_style(area);
    area.draw(&Text::new(title.to_owned(), (24, 18), heading))?;
    let step = (height - 70) / rows.len().max(1) as i32;
    let longest = rows.iter().map(|row| row.value).fold(f64::MIN_POSITIVE, f64::max);
    // Behind the longest bar there is room for its figures.
    let room = f64::from(width - NAMES - 200);
    let style = (FONT, 18).into_font().into_text_style(area);
    for (index, row) in rows.iter().enumerate() {
        let middle = 60 + step * index as i32 + step / 2;
        let half = (step * 3 / 10).clamp(2, 14);
        let end = NAMES + (row.value / longest * room).round() as i32;
        let bar = [(NAMES, middle - half), (end.max(NAMES + 1), middle + half)];
        area.draw(&Rectangle::new(bar, row.colour.filled()))?;
        let name = style.pos(Pos::new(HPos::Right, VPos::Center));
        area.draw(&Text::new(row.name.clone(), (NAMES - 10, middle), name))?;
        let figure = style.pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(row.figure.clone(), (end + 8, middle), figure))?;
    }
    Ok(())
}
