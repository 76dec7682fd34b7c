//! The findings as pictures: bytes above the bound, and the functions of the classic cascade.

use super::Findings;
use super::bars::SIZES;
use super::contender::{CHAIN, CLUBCARD, COMP_VFUNC, OURS};
use super::grid::{self, Cell, MOST};
use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::path::Path;
use tamis_lab::plot::{self, Drawing, FONT, PALETTE};

/// The contenders in the picture, with their place in the palette.
const SHOWN: [(&str, usize); 7] = [
    (OURS, 0),
    (CLUBCARD, 1),
    (CHAIN, 5),
    (COMP_VFUNC, 2),
    ("rust_cascade", 3),
    ("classic 0", 4),
    ("classic 1", 6),
];

/// Writes `cascade` and `cascade-functions`, each as SVG and PNG.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn draw(findings: &Findings, folder: &Path) -> anyhow::Result<()> {
    if !findings.trials.is_empty() {
        plot::save(&Sizes(findings), folder, "cascade")?;
    }
    if !findings.grid.is_empty() {
        plot::save(&Functions(&findings.grid), folder, "cascade-functions")?;
    }
    Ok(())
}

type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Bytes above the bound, for each set and contender.
struct Sizes<'a>(&'a Findings);

impl Drawing for Sizes<'_> {
    fn size(&self) -> (u32, u32) {
        (1650, 800)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        self.marks(area).map_err(|error| anyhow!("{error}"))
    }
}

impl Sizes<'_> {
    fn marks<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        let sets: Vec<&str> = self.0.sets.iter().map(|set| set.name).collect();
        let place = |set: &str| sets.iter().position(|name| *name == set);
        // In the middle of its column, the contenders side by side.
        let at = |set: &str, step: f64| Some(place(set)? as f64 + 0.5 + step);
        let above = |ratio: f64| (100.0 * (ratio - 1.0)).max(0.1);
        let most = self.0.trials.iter().map(|row| above(row.ratio())).fold(10.0, f64::max);
        let width = sets.len() as f64;
        let mut chart = ChartBuilder::on(area)
            .caption("bytes above the entropy bound n H, in %", (FONT, 26))
            .margin(16)
            .margin_right(220)
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..width, (0.2..most * 1.6).log_scale())?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .light_line_style(TRANSPARENT)
            .label_style((FONT, 18))
            .y_label_formatter(&|percent| format!("{percent}"))
            .draw()?;
        let limits = SIZES.iter().filter_map(|(set, most)| {
            let line = [(at(set, -0.42)?, above(*most)), (at(set, 0.42)?, above(*most))];
            Some(PathElement::new(line, BLACK.stroke_width(1)))
        });
        chart.draw_series(limits)?;
        for (index, (name, colour)) in SHOWN.into_iter().enumerate() {
            let step = 0.11 * (index as f64 - 3.0);
            let colour = PALETTE[colour];
            let own = self.0.trials.iter().filter(|row| row.contender == name);
            let marks = own.filter_map(|row| {
                let centre = (at(&row.set, step)?, above(row.ratio()));
                Some(Circle::new(centre, 6, colour.filled()))
            });
            chart.draw_series(marks)?;
        }
        for edge in 1..sets.len() {
            let line = [(edge as f64, 0.2), (edge as f64, most * 1.6)];
            chart.draw_series([PathElement::new(line, BLACK.mix(0.12).stroke_width(1))])?;
        }
        legend(area, &chart.plotting_area().get_pixel_range())?;
        let style = (FONT, 20).into_font().into_text_style(area);
        let style = style.pos(Pos::new(HPos::Center, VPos::Top));
        for (column, set) in sets.iter().enumerate() {
            let (x, y) = chart.backend_coord(&(column as f64 + 0.5, 0.2));
            area.draw(&Text::new((*set).to_owned(), (x, y + 14), style.clone()))?;
        }
        Ok(())
    }
}

/// Who is who, to the right of the chart.
fn legend<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    (columns, rows): &(std::ops::Range<i32>, std::ops::Range<i32>),
) -> Drawn<B> {
    let style = (FONT, 18).into_font().into_text_style(area);
    let style = style.pos(Pos::new(HPos::Left, VPos::Center));
    let (x, top) = (columns.end + 24, rows.start + 20);
    for (row, (name, colour)) in SHOWN.into_iter().enumerate() {
        let y = top + 30 * row as i32;
        area.draw(&Circle::new((x, y), 6, PALETTE[colour].filled()))?;
        area.draw(&Text::new(name.to_owned(), (x + 16, y), style.clone()))?;
    }
    let y = top + 30 * SHOWN.len() as i32;
    area.draw(&PathElement::new([(x - 8, y), (x + 8, y)], BLACK.stroke_width(1)))?;
    area.draw(&Text::new("limit of ours".to_owned(), (x + 16, y), style))
}

/// A heat map: the darker, the larger the file.
struct Functions<'a>(&'a [Cell]);

impl Drawing for Functions<'_> {
    fn size(&self) -> (u32, u32) {
        (900, 800)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        self.cells(area).map_err(|error| anyhow!("{error}"))
    }
}

impl Functions<'_> {
    fn cells<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        const LEFT: i32 = 90;
        const TOP: i32 = 70;
        const WIDTH: i32 = 96;
        const HEIGHT: i32 = 80;
        let text = |size: i32, colour: &RGBColor| {
            let style = (FONT, size).into_font().color(colour).into_text_style(area);
            style.pos(Pos::new(HPos::Center, VPos::Center))
        };
        let title = "classic cascade, algorithm 1: bytes of the file by functions, set E";
        let middle = LEFT + WIDTH * i32::from(MOST) / 2;
        area.draw(&Text::new(title, (middle, 34), text(24, &BLACK)))?;
        let corner = |cell: &Cell| {
            let along = LEFT + WIDTH * i32::from(cell.second - 1);
            (along, TOP + HEIGHT * i32::from(cell.first - 1))
        };
        let bytes = |cell: &Cell| cell.bytes as f64;
        let low = self.0.iter().map(bytes).fold(f64::INFINITY, f64::min);
        let high = self.0.iter().map(bytes).fold(low, f64::max);
        for cell in self.0 {
            let (x, y) = corner(cell);
            // Most sizes are close to the least: the logarithm keeps them apart.
            let shade = ((bytes(cell) / low).ln() / (high / low).ln().max(1e-9)).sqrt();
            let mix = |light: u8, dark: u8| {
                (f64::from(light) + shade * (f64::from(dark) - f64::from(light))).round() as u8
            };
            let colour = RGBColor(mix(247, 8), mix(251, 48), mix(255, 107));
            let corners = [(x, y), (x + WIDTH, y + HEIGHT)];
            area.draw(&Rectangle::new(corners, colour.filled()))?;
            let ink = if shade > 0.5 { &WHITE } else { &BLACK };
            let centre = (x + WIDTH / 2, y + HEIGHT / 2);
            area.draw(&Text::new(cell.bytes.to_string(), centre, text(19, ink)))?;
        }
        if let Some(cell) = grid::least(self.0) {
            let (x, y) = corner(&cell);
            let corners = [(x + 2, y + 2), (x + WIDTH - 2, y + HEIGHT - 2)];
            area.draw(&Rectangle::new(corners, PALETTE[1].stroke_width(4)))?;
        }
        let bottom = TOP + HEIGHT * i32::from(MOST);
        for number in 1..=i32::from(MOST) {
            let along = (LEFT + WIDTH * (number - 1) + WIDTH / 2, bottom + 18);
            area.draw(&Text::new(number.to_string(), along, text(18, &BLACK)))?;
            let down = (LEFT - 18, TOP + HEIGHT * (number - 1) + HEIGHT / 2);
            area.draw(&Text::new(number.to_string(), down, text(18, &BLACK)))?;
        }
        let along = "functions of the second filter";
        area.draw(&Text::new(along, (middle, bottom + 52), text(20, &BLACK)))?;
        let upright = (FONT, 20).into_font().transform(FontTransform::Rotate270);
        let upright = upright.into_text_style(area).pos(Pos::new(HPos::Center, VPos::Center));
        let down = (34, TOP + HEIGHT * i32::from(MOST) / 2);
        area.draw(&Text::new("functions of the first filter", down, upright))
    }
}
