//! Plots: one drawing, written as SVG and as PNG, with a font that is part of the program.

use anyhow::{Context as _, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use std::path::Path;

/// Colours that keep apart in print and for most kinds of colour blindness (Okabe and Ito).
pub(crate) const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
];

/// The name of the font in drawings.
pub(crate) const FONT: &str = "sans-serif";

/// Something that can be drawn on any surface.
pub(crate) trait Drawing {
    /// Width and height in pixels.
    const SIZE: (u32, u32);

    /// Draws.
    ///
    /// # Errors
    /// What the surface refuses.
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static;
}

/// Writes a drawing as `name.svg` and `name.png`.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn save<D: Drawing>(drawing: &D, folder: &Path, name: &str) -> anyhow::Result<()> {
    register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| anyhow!("the font of the plots is damaged"))?;
    let path = |extension: &str| folder.join(name).with_extension(extension);
    let (svg, png) = (path("svg"), path("png"));
    render(drawing, &SVGBackend::new(&svg, D::SIZE).into_drawing_area())
        .with_context(|| format!("cannot draw {}", svg.display()))?;
    render(drawing, &BitMapBackend::new(&png, D::SIZE).into_drawing_area())
        .with_context(|| format!("cannot draw {}", png.display()))
}

fn render<D: Drawing, B: DrawingBackend>(
    drawing: &D,
    area: &DrawingArea<B, Shift>,
) -> anyhow::Result<()>
where
    B::ErrorType: 'static,
{
    let failed = |error: DrawingAreaErrorKind<B::ErrorType>| anyhow!("{error}");
    area.fill(&WHITE).map_err(failed)?;
    drawing.draw(area)?;
    area.present().map_err(failed)
}
