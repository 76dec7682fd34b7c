//! CSS lengths and font sizes.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    None,
    /// A multiple of the font size.
    Relative,
    Percent,
    Absolute,
}

/// A number with its unit; absolute ones in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Length {
    pub number: f32,
    pub unit: Unit,
}

impl Length {
    /// In pixels; a font is assumed to have 16 of them, the whole of something 1000.
    pub(super) fn pixels(self) -> f32 {
        match self.unit {
            Unit::None | Unit::Absolute => self.number,
            Unit::Relative => self.number * 16.0,
            Unit::Percent => self.number * 10.0,
        }
    }

    /// A percentage or a plain number as a fraction.
    pub(super) fn fraction(self) -> f32 {
        if self.unit == Unit::Percent { self.number / 100.0 } else { self.number }
    }
}

pub(super) fn length(value: &str) -> Option<Length> {
    let value = value.trim();
    let is_number = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+');
    let end = value.bytes().position(|byte| !is_number(byte)).unwrap_or(value.len());
    let number: f32 = value[..end].parse().ok()?;
    let (factor, unit) = match value[end..].trim() {
        "" => (1.0, Unit::None),
        "px" => (1.0, Unit::Absolute),
        "pt" => (4.0 / 3.0, Unit::Absolute),
        "pc" => (16.0, Unit::Absolute),
        "in" => (96.0, Unit::Absolute),
        "cm" => (37.8, Unit::Absolute),
        "mm" => (3.78, Unit::Absolute),
        "vw" | "vh" | "vmin" | "vmax" => (8.0, Unit::Absolute),
        "rem" => (16.0, Unit::Absolute),
        "em" => (1.0, Unit::Relative),
        "ex" | "ch" => (0.5, Unit::Relative),
        "%" => (1.0, Unit::Percent),
        _ => return None,
    };
    Some(Length { number: number * factor, unit })
}

/// A font size as [`Property::FontSize`] has it.
pub(super) fn font_size(value: &str) -> Option<f32> {
    match value {
        "xx-small" | "x-small" | "small" | "medium" | "large" | "x-large" | "xx-large" => {
            return Some(13.0);
        }
        "smaller" => return Some(-0.83),
        "larger" => return Some(-1.2),
        _ => {}
    }
    let size = length(value)?;
    Some(match size.unit {
        Unit::Relative => -size.number.max(0.0),
        Unit::Percent => -(size.number / 100.0).max(0.0),
        Unit::None | Unit::Absolute => size.number.max(0.0),
    })
}

/// 0 if lines have no height, 1 otherwise.
pub(super) fn line_height(value: &str) -> f32 {
    let has_none = length(value).is_some_and(|height| height.pixels() <= 0.01);
    f32::from(u8::from(!has_none))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        for (value, pixels) in [
            ("12px", 12.0),
            ("-9999px", -9999.0),
            ("9pt", 12.0),
            ("2em", 32.0),
            ("10%", 100.0),
            ("0", 0.0),
            (".5in", 48.0),
        ] {
            let found = length(value).map(Length::pixels);
            assert!(found.is_some_and(|found| (found - pixels).abs() < 1e-3), "{value}: {found:?}");
        }
        for value in ["", "auto", "px", "1.2.3px", "5 apples"] {
            assert!(length(value).is_none(), "{value}");
        }
    }
}
