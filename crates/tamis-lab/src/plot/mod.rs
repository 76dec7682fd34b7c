//! Plots: one drawing, written as SVG and as PNG, with a font that is part of the program.
//!
//! [`Drawing`] is anything that can be drawn; [`Chart`] is one that is only described: panels with axes and series, or
//! heat maps. The background is white, so that a plot looks the same on a dark page. The same drawing gives the same bytes.

mod axis;
mod chart;
mod heat;
mod panel;

pub use axis::Axis;
pub use chart::Chart;
pub use heat::Heat;
pub use panel::{Content, Mark, Panel, Series};

use anyhow::{Context as _, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use std::io::Cursor;
use std::path::Path;
use std::sync::OnceLock;

/// Colours that keep apart in print and for most kinds of colour blindness (Okabe and Ito).
pub const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
];

/// The name of the font in drawings.
pub const FONT: &str = "sans-serif";

/// Something that can be drawn on any surface.
pub trait Drawing {
    /// Width and height in pixels.
    fn size(&self) -> (u32, u32);

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
pub fn save<D: Drawing>(drawing: &D, folder: &Path, name: &str) -> anyhow::Result<()> {
    let write = |extension: &str, bytes: &[u8]| {
        let path = folder.join(format!("{name}.{extension}"));
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    write("svg", svg(drawing)?.as_bytes())?;
    write("png", &png(drawing)?)
}

/// A drawing as SVG.
///
/// # Errors
/// What cannot be drawn.
pub fn svg<D: Drawing>(drawing: &D) -> anyhow::Result<String> {
    let mut text = String::new();
    render(drawing, &SVGBackend::with_string(&mut text, drawing.size()).into_drawing_area())?;
    Ok(text)
}

/// A drawing as PNG.
///
/// # Errors
/// What cannot be drawn.
pub fn png<D: Drawing>(drawing: &D) -> anyhow::Result<Vec<u8>> {
    let (width, height) = drawing.size();
    let mut pixels = vec![0; width as usize * height as usize * 3];
    let surface = BitMapBackend::with_buffer(&mut pixels, (width, height));
    render(drawing, &surface.into_drawing_area())?;
    let picture = image::RgbImage::from_raw(width, height, pixels).context("a picture")?;
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png)?;
    Ok(bytes.into_inner())
}

fn render<D: Drawing, B: DrawingBackend>(
    drawing: &D,
    area: &DrawingArea<B, Shift>,
) -> anyhow::Result<()>
where
    B::ErrorType: 'static,
{
    static FONT_IS_KNOWN: OnceLock<bool> = OnceLock::new();
    let known = FONT_IS_KNOWN.get_or_init(|| {
        register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT).is_ok()
    });
    if !known {
        return Err(anyhow!("the font of the plots is damaged"));
    }
    let failed = |error: DrawingAreaErrorKind<B::ErrorType>| anyhow!("{error}");
    area.fill(&WHITE).map_err(failed)?;
    drawing.draw(area)?;
    area.present().map_err(failed)
}
