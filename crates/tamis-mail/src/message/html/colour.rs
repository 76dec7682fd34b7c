//! CSS and HTML colours.

/// Red, green and blue.
pub(super) type Colour = [u8; 3];

pub(super) const WHITE: Colour = [255; 3];
pub(super) const BLACK: Colour = [0; 3];

/// Largest difference per channel between colours that look the same.
const NEAR: u8 = 16;

/// Greatest opacity that counts as transparent.
pub(super) const TRANSPARENT: f32 = 0.06;

/// What something is painted with.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) enum Paint {
    /// An image, a gradient, or a colour that is not understood.
    #[default]
    Unknown,
    /// A colour with its opacity.
    Colour(Colour, f32),
}

impl Paint {
    /// The colour on top of another one, where both are known.
    pub(super) fn over(self, below: Option<Colour>) -> Option<Colour> {
        match (self, below) {
            (Self::Colour(colour, opacity), _) if opacity >= 1.0 => Some(colour),
            (Self::Colour(_, opacity), below) if opacity <= 0.0 => below,
            (Self::Colour(colour, opacity), Some(below)) => {
                let mut mixed = colour;
                for (channel, below) in mixed.iter_mut().zip(below) {
                    let sum = f32::from(*channel) * opacity + f32::from(below) * (1.0 - opacity);
                    *channel = sum.round() as u8;
                }
                Some(mixed)
            }
            _ => None,
        }
    }
}

/// Whether two colours look the same.
pub(super) fn same(left: Colour, right: Colour) -> bool {
    left.iter().zip(right).all(|(a, b)| a.abs_diff(b) <= NEAR)
}

/// `#fff`, `#ffff`, `#ffffff`, `#ffffffff`, `ffffff`, `rgb()`, `rgba()`, `hsl()`, `hsla()`,
/// `transparent`, or a name; in lower case. The rest of the text is ignored, except that an image
/// or gradient makes the result unknown. None for keywords that name no colour.
pub(super) fn parse(text: &str) -> Option<Paint> {
    let text = text.trim();
    if matches!(text, "" | "inherit" | "initial" | "unset" | "revert" | "none") {
        return None;
    }
    if text.contains("url(") || text.contains("gradient(") || text.contains("image") {
        return Some(Paint::Unknown);
    }
    for name in ["rgb(", "rgba(", "hsl(", "hsla("] {
        if let Some(at) = text.find(name) {
            let inner = text[at + name.len()..].split(')').next().unwrap_or_default();
            return Some(function(inner, name.starts_with('h')).unwrap_or_default());
        }
    }
    text.split_ascii_whitespace().find_map(word).or_else(|| {
        // Positions and repetitions of a background that has neither image nor colour.
        let is_position = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
                || matches!(word, "no-repeat" | "repeat" | "left" | "top" | "center" | "scroll")
        };
        (!text.split_ascii_whitespace().all(is_position)).then_some(Paint::Unknown)
    })
}

/// The components of `rgb()` or `hsl()`.
fn function(inner: &str, is_hsl: bool) -> Option<Paint> {
    let mut parts = inner
        .split(|c: char| c == ',' || c == '/' || c.is_ascii_whitespace())
        .filter(|part| !part.is_empty());
    let number = |part: &str, percent: f32| -> Option<f32> {
        match part.strip_suffix('%') {
            Some(number) => Some(number.parse::<f32>().ok()? * percent / 100.0),
            None => part.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok(),
        }
    };
    let whole = if is_hsl { 1.0 } else { 255.0 };
    let first = number(parts.next()?, 255.0)?;
    let (second, third) = (number(parts.next()?, whole)?, number(parts.next()?, whole)?);
    let opacity = parts.next().map_or(Some(1.0), |part| number(part, 1.0))?.clamp(0.0, 1.0);
    let colour = if is_hsl {
        from_hsl(first, second, third)
    } else {
        [first, second, third].map(|channel| channel.clamp(0.0, 255.0) as u8)
    };
    Some(Paint::Colour(colour, opacity))
}

fn from_hsl(hue: f32, saturation: f32, lightness: f32) -> Colour {
    let amplitude = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|offset| {
        let k = (offset + hue / 30.0).rem_euclid(12.0);
        let channel = lightness - amplitude * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        (255.0 * channel).round().clamp(0.0, 255.0) as u8
    })
}

fn word(word: &str) -> Option<Paint> {
    if word == "transparent" {
        return Some(Paint::Colour(BLACK, 0.0));
    }
    if let Some((_, colour)) = NAMES.iter().find(|(name, _)| word == *name) {
        let [_, red, green, blue] = colour.to_be_bytes();
        return Some(Paint::Colour([red, green, blue], 1.0));
    }
    let digits = word.strip_prefix('#');
    let number = u32::from_str_radix(digits.unwrap_or(word), 16).ok()?;
    let [first, second, third, fourth] = number.to_be_bytes();
    let doubled = |digit: u8| (digit & 15) * 17;
    let short = |opacity: f32, digits: u32| {
        let digit = |at: u32| doubled((digits >> (4 * at)) as u8);
        Paint::Colour([digit(2), digit(1), digit(0)], opacity)
    };
    match (digits.is_some(), digits.unwrap_or(word).len()) {
        (_, 6) => Some(Paint::Colour([second, third, fourth], 1.0)),
        (_, 3) => Some(short(1.0, number)),
        (true, 4) => Some(short(f32::from(number as u8 & 15) / 15.0, number >> 4)),
        (true, 8) => Some(Paint::Colour([first, second, third], f32::from(fourth) / 255.0)),
        _ => None,
    }
}

/// The names of HTML 4, pale colours, and some that mail often uses.
const NAMES: [(&str, u32); 58] = [
    ("white", 0xFF_FFFF),
    ("black", 0),
    ("silver", 0xC0_C0C0),
    ("gray", 0x80_8080),
    ("grey", 0x80_8080),
    ("maroon", 0x80_0000),
    ("red", 0xFF_0000),
    ("purple", 0x80_0080),
    ("fuchsia", 0xFF_00FF),
    ("magenta", 0xFF_00FF),
    ("green", 0x00_8000),
    ("lime", 0x00_FF00),
    ("olive", 0x80_8000),
    ("yellow", 0xFF_FF00),
    ("navy", 0x00_0080),
    ("blue", 0x00_00FF),
    ("teal", 0x00_8080),
    ("aqua", 0x00_FFFF),
    ("cyan", 0x00_FFFF),
    ("orange", 0xFF_A500),
    ("gold", 0xFF_D700),
    ("pink", 0xFF_C0CB),
    ("brown", 0xA5_2A2A),
    ("crimson", 0xDC_143C),
    ("tomato", 0xFF_6347),
    ("indigo", 0x4B_0082),
    ("violet", 0xEE_82EE),
    ("darkblue", 0x00_008B),
    ("darkred", 0x8B_0000),
    ("darkgreen", 0x00_6400),
    ("darkgray", 0xA9_A9A9),
    ("darkgrey", 0xA9_A9A9),
    ("dimgray", 0x69_6969),
    ("dimgrey", 0x69_6969),
    ("lightgray", 0xD3_D3D3),
    ("lightgrey", 0xD3_D3D3),
    ("lightblue", 0xAD_D8E6),
    ("lightgreen", 0x90_EE90),
    ("steelblue", 0x46_82B4),
    ("gainsboro", 0xDC_DCDC),
    ("whitesmoke", 0xF5_F5F5),
    ("snow", 0xFF_FAFA),
    ("ivory", 0xFF_FFF0),
    ("floralwhite", 0xFF_FAF0),
    ("ghostwhite", 0xF8_F8FF),
    ("azure", 0xF0_FFFF),
    ("mintcream", 0xF5_FFFA),
    ("aliceblue", 0xF0_F8FF),
    ("honeydew", 0xF0_FFF0),
    ("seashell", 0xFF_F5EE),
    ("beige", 0xF5_F5DC),
    ("linen", 0xFA_F0E6),
    ("oldlace", 0xFD_F5E6),
    ("lavender", 0xE6_E6FA),
    ("lavenderblush", 0xFF_F0F5),
    ("lightyellow", 0xFF_FFE0),
    ("cornsilk", 0xFF_F8DC),
    ("antiquewhite", 0xFA_EBD7),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_every_notation() {
        for text in [
            "#123",
            "#112233",
            "112233",
            "rgb(17,34,51)",
            "rgba(17 34 51 / 1)",
            " #123 ",
            "#123f",
            "#112233ff",
            "hsl(210, 50%, 13.4%)",
            "no-repeat #123",
        ] {
            assert_eq!(parse(text), Some(Paint::Colour([0x11, 0x22, 0x33], 1.0)), "{text}");
        }
        for text in ["transparent", "rgba(0,0,0,0)", "#0000", "#00000000", "rgb(0 0 0 / 0%)"] {
            assert_eq!(parse(text), Some(Paint::Colour(BLACK, 0.0)), "{text}");
        }
        for text in ["url(x)", "#fff url(x)", "#12", "é", "linear-gradient(red,blue)", "var(--x)"]
        {
            assert_eq!(parse(text), Some(Paint::Unknown), "{text}");
        }
        for text in ["", "inherit", "none", "0 0"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert!(same(WHITE, [240; 3]) && !same(WHITE, [255, 255, 230]));
    }

    #[test]
    fn transparent_paint_shows_what_is_below() {
        assert_eq!(Paint::Colour(BLACK, 0.0).over(Some(WHITE)), Some(WHITE));
        assert_eq!(Paint::Colour(BLACK, 0.5).over(Some(WHITE)), Some([128; 3]));
        assert_eq!(Paint::Colour(BLACK, 0.5).over(None), None);
        assert_eq!(Paint::Unknown.over(Some(WHITE)), None);
    }
}
