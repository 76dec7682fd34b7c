//! The findings as a picture: time over size, measured over requested rate, bits per key.

use super::Findings;
use super::bars::short;
use super::rates::Rate;
use super::speed::Speed;
use crate::timing::Times;
use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;
use tamis_lab::plot::{self, Drawing, FONT, PALETTE};

/// The contenders in the picture, with their place in the palette.
const SHOWN: [(&str, usize); 7] = [
    ("classic", 0),
    ("fastbloom foldhash", 4),
    ("blocked", 1),
    ("blocked many", 3),
    ("sbbf-rs-safe", 5),
    ("floor in batches", 6),
    ("counting 4", 2),
];

/// Writes `filter.svg` and `filter.png`.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn draw(findings: &Findings, folder: &Path) -> anyhow::Result<()> {
    plot::save(&Figure(findings), folder, "filter")
}

struct Figure<'a>(&'a Findings);

impl Drawing for Figure<'_> {
    fn size(&self) -> (u32, u32) {
        (1650, 1000)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        let (upper, lower) = area.split_vertically(560);
        let panels = upper.split_evenly((1, 3));
        let operations: [(&str, Operation); 3] = [
            ("insert", |row| row.insert),
            ("find a key that is in", |row| row.positive),
            ("find a key that is not", |row| row.negative),
        ];
        for (panel, (title, times)) in panels.iter().zip(operations) {
            self.times(panel, title, times).map_err(|error| anyhow!("{error}"))?;
        }
        let (left, right) = lower.split_horizontally(825);
        self.rates(&left).map_err(|error| anyhow!("{error}"))?;
        self.bits(&right).map_err(|error| anyhow!("{error}"))
    }
}

/// Which of a contender's times is drawn.
type Operation = fn(&Speed) -> Times;

type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

impl Figure<'_> {
    /// Nanoseconds per integer over the number of keys, both on logarithmic axes.
    fn times<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        title: &str,
        times: fn(&Speed) -> Times,
    ) -> Drawn<B> {
        let rows: Vec<&Speed> = self.0.speeds.iter().filter(|row| row.keys == "integers").collect();
        let sizes = rows.iter().map(|row| row.size as f64);
        let first = sizes.clone().fold(f64::INFINITY, f64::min).min(1e8);
        let last = sizes.fold(0.0, f64::max).max(first);
        let mut chart = ChartBuilder::on(area)
            .caption(format!("{title}: ns per 64-bit key"), (FONT, 24))
            .margin(14)
            .x_label_area_size(48)
            .y_label_area_size(52)
            .build_cartesian_2d((first * 0.8..last * 1.25).log_scale(), (1.0..400.0).log_scale())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .label_style((FONT, 18))
            .x_labels(5)
            .x_label_formatter(&|size| short(size.round() as usize))
            .x_desc("keys in the filter, at 1 %")
            .y_label_formatter(&|time| format!("{time}"))
            .draw()?;
        for (name, colour) in SHOWN {
            let points: Vec<(f64, f64)> = rows
                .iter()
                .filter(|row| row.contender == name)
                .map(|row| (row.size as f64, times(row).best))
                .collect();
            if points.is_empty() {
                continue;
            }
            let colour = PALETTE[colour];
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
                .label(name)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3))
                });
            chart.draw_series(points.iter().map(|&at| Circle::new(at, 4, colour.filled())))?;
        }
        label(&mut chart, SeriesLabelPosition::UpperLeft)
    }

    /// Measured over requested rates; the band is what is claimed.
    fn rates<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        let mut chart = ChartBuilder::on(area)
            .caption("measured / requested rate of false positives", (FONT, 24))
            .margin(14)
            .x_label_area_size(48)
            .y_label_area_size(52)
            .build_cartesian_2d((0.00005..0.2).log_scale(), 0.8..1.2)?;
        chart.draw_series([Rectangle::new(
            [(0.00005, 0.85), (0.2, 1.10)],
            PALETTE[2].mix(0.12).filled(),
        )])?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .label_style((FONT, 18))
            .x_label_formatter(&|rate: &f64| format!("{} %", (rate * 1e6).round() / 1e4))
            .x_desc("requested rate; one mark for each number and kind of keys")
            .draw()?;
        for (step, (name, colour)) in
            [("classic", 0), ("blocked", 1), ("sbbf-rs-safe", 5)].into_iter().enumerate()
        {
            let colour = PALETTE[colour];
            let aside = 1.0 + 0.12 * (step as f64 - 1.0);
            let of = |rate: &&Rate| rate.contender == name;
            let marks =
                self.0.rates.iter().filter(of).map(|rate| {
                    Circle::new((rate.requested * aside, rate.ratio), 4, colour.filled())
                });
            chart
                .draw_series(marks)?
                .label(name)
                .legend(move |(x, y)| Circle::new((x + 9, y), 5, colour.filled()));
        }
        label(&mut chart, SeriesLabelPosition::UpperRight)
    }

    /// Bits per key over the requested rate.
    fn bits<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        let mut chart = ChartBuilder::on(area)
            .caption("bits per key", (FONT, 24))
            .margin(14)
            .x_label_area_size(48)
            .y_label_area_size(52)
            .build_cartesian_2d((0.00005..0.2).log_scale(), 0.0..30.0)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .label_style((FONT, 18))
            .x_label_formatter(&|rate: &f64| format!("{} %", (rate * 1e6).round() / 1e4))
            .x_desc("requested rate")
            .draw()?;
        let size = self.0.rates.iter().map(|rate| rate.size).max();
        for (name, colour) in [("classic", 0), ("blocked", 1), ("sbbf-rs-safe", 5)] {
            let colour = PALETTE[colour];
            let of = |rate: &&Rate| {
                rate.contender == name && Some(rate.size) == size && rate.keys == "integers"
            };
            let rates = self.0.rates.iter().filter(of);
            let mut points: Vec<(f64, f64)> =
                rates.map(|rate| (rate.requested, rate.bits_per_key)).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
                .label(name)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3))
                });
            chart.draw_series(points.iter().map(|&at| Circle::new(at, 4, colour.filled())))?;
        }
        label(&mut chart, SeriesLabelPosition::UpperRight)
    }
}

/// Says which series is which.
fn label<'a, B: DrawingBackend + 'a, C: CoordTranslate>(
    chart: &mut ChartContext<'a, B, C>,
    position: SeriesLabelPosition,
) -> Drawn<B> {
    chart
        .configure_series_labels()
        .position(position)
        .background_style(WHITE.mix(0.85))
        .label_font((FONT, 18))
        .draw()
}
