//! An axis: its name, its range, and where its marks are.

use serde::Serialize;

/// An axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// What it shows, with the unit.
    pub name: String,
    /// Powers of ten at equal distances.
    pub logarithmic: bool,
    /// From where to where; what the data have if not given.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// An axis of equal steps.
    #[must_use]
    pub fn linear(name: impl Into<String>) -> Self {
        Self { name: name.into(), logarithmic: false, range: None }
    }

    /// An axis of equal factors; what is not above 0 is not shown.
    #[must_use]
    pub fn logarithmic(name: impl Into<String>) -> Self {
        Self { name: name.into(), logarithmic: true, range: None }
    }

    /// With this range.
    #[must_use]
    pub const fn from_to(mut self, from: f64, to: f64) -> Self {
        self.range = Some((from, to));
        self
    }
}

/// An axis with a range: where values are, and where marks.
pub(super) struct Scale {
    logarithmic: bool,
    from: f64,
    to: f64,
}

impl Scale {
    /// The scale for these values.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let logarithmic = axis.logarithmic;
        let place = |value: f64| if logarithmic { value.log10() } else { value };
        let (mut from, mut to) = match axis.range {
            Some((from, to)) => (place(from), place(to)),
            None => values
                .map(place)
                .filter(|value| value.is_finite())
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
                    (least.min(value), most.max(value))
                }),
        };
        if !(from.is_finite() && to.is_finite()) {
            (from, to) = (0.0, 1.0);
        }
        if axis.range.is_none() {
            // A scale that nearly reaches zero begins there.
            if !logarithmic && from >= 0.0 && from < 0.4 * to {
                from = 0.0;
            }
            let room = if to > from { 0.04 * (to - from) } else { 0.5 };
            if logarithmic || from != 0.0 {
                from -= room;
            }
            to += room;
        }
        Self { logarithmic, from, to }
    }

    /// Where a value is, 0 at the beginning and 1 at the end; nowhere outside.
    pub(super) fn part(&self, value: f64) -> Option<f64> {
        let value = if self.logarithmic { value.log10() } else { value };
        let part = (value - self.from) / (self.to - self.from);
        (-1e-9..=1.0 + 1e-9).contains(&part).then_some(part)
    }

    /// The same, with what is outside moved to the nearer end.
    pub(super) fn nearest_part(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.max(1e-300).log10() } else { value };
        ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// Values to mark, with what is written there.
    pub(super) fn marks(&self) -> Vec<(f64, String)> {
        if self.logarithmic { self.powers() } else { self.steps() }
    }

    fn steps(&self) -> Vec<(f64, String)> {
        let rough = (self.to - self.from) / 6.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * power)
            .find(|step| *step >= rough * 0.99)
            .unwrap_or(10.0 * power);
        let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let first = (self.from / step - 1e-9).ceil() as i64;
        let last = (self.to / step + 1e-9).floor() as i64;
        let largest = self.from.abs().max(self.to.abs());
        (first..=last)
            .map(|index| {
                let value = index as f64 * step;
                (value, written(value, decimals, largest))
            })
            .collect()
    }

    fn powers(&self) -> Vec<(f64, String)> {
        let (first, last) = (self.from.floor() as i32, self.to.ceil() as i32);
        let wide = self.to - self.from;
        let factors: &[u8] = if wide < 2.5 { &[1, 2, 5] } else { &[1] };
        let every = if wide > 9.0 { 2 } else { 1 };
        let mut marks = Vec::new();
        for power in first..=last {
            if power % every != 0 {
                continue;
            }
            for factor in factors {
                let value = f64::from(*factor) * 10f64.powi(power);
                if self.part(value).is_some() {
                    marks.push((value, short(value, *factor, power)));
                }
            }
        }
        marks
    }
}

/// A number at a mark of equal steps.
fn written(value: f64, decimals: usize, largest: f64) -> String {
    match largest {
        _ if value == 0.0 => "0".to_owned(),
        largest if largest >= 1e9 => format!("{:.1} G", value / 1e9),
        largest if largest >= 1e6 => format!("{:.1} M", value / 1e6),
        largest if largest >= 2e4 => format!("{:.0} k", value / 1e3),
        largest if largest < 0.01 => format!("{value:.1e}").replace(".0e", "e"),
        _ => format!("{value:.decimals$}"),
    }
}

/// A number at a mark of equal factors.
fn short(value: f64, factor: u8, power: i32) -> String {
    match power {
        -3..=3 => format!("{value:.*}", usize::try_from(-power).unwrap_or(0)),
        _ => format!("{factor}e{power}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_numbers_within_the_range() {
        let scale = Scale::new(&Axis::linear("x"), [0.0, 15.0].into_iter());
        let marks: Vec<String> = scale.marks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(marks, ["0", "5", "10", "15"]);
        let scale = Scale::new(&Axis::logarithmic("x"), [1e-6, 1.0].into_iter());
        let marks: Vec<String> = scale.marks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(marks, ["1e-6", "1e-5", "1e-4", "0.001", "0.01", "0.1", "1"]);
        assert_eq!(scale.part(0.0), None);
        let scale = Scale::new(&Axis::linear("x"), std::iter::empty());
        assert!(scale.part(0.5).is_some());
    }
}
