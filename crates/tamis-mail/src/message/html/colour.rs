//! Colours, as far as mail names them.

/// Red, green and blue.
pub(super) type Colour = [u8; 3];

pub(super) const WHITE: Colour = [255; 3];

/// No eye tells colours apart that differ by no more than this.
const NEAR: u8 = 8;

/// Whether two colours look the same.
pub(super) fn same(left: Colour, right: Colour) -> bool {
    left.iter().zip(right).all(|(a, b)| a.abs_diff(b) <= NEAR)
}

/// `#fff`, `#ffffff`, `ffffff`, `rgb(255, 255, 255)`, or one of the sixteen names of HTML 4; what follows it is not
/// looked at. None for a gradient or a picture.
pub(super) fn parse(text: &str) -> Option<Colour> {
    let text = text.trim();
    let function = |name: &str| {
        let start = text.get(..name.len())?;
        start.eq_ignore_ascii_case(name).then(|| &text[name.len()..])
    };
    if let Some(rest) = function("rgb(").or_else(|| function("rgba(")) {
        let mut parts = rest.split([',', ' ', ')', '/']).filter(|part| !part.is_empty());
        let mut part = || parts.next()?.parse().ok();
        let colour = [part()?, part()?, part()?];
        // Nothing is seen of what is transparent; what is half so cannot be told.
        return parts.next().is_none_or(|opacity| opacity == "1").then_some(colour);
    }
    let word = text.split_ascii_whitespace().next()?;
    // A picture above the colour.
    if text.contains('(') {
        return None;
    }
    if let Some((_, colour)) = NAMES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)) {
        return Some(*colour);
    }
    let digits = word.strip_prefix('#').unwrap_or(word);
    let number = u32::from_str_radix(digits, 16).ok()?;
    let [_, red, green, blue] = number.to_be_bytes();
    match digits.len() {
        6 => Some([red, green, blue]),
        3 => Some([green & 15, blue >> 4, blue & 15].map(|digit| digit * 17)),
        _ => None,
    }
}

const NAMES: [(&str, Colour); 16] = [
    ("white", WHITE),
    ("black", [0; 3]),
    ("silver", [192; 3]),
    ("gray", [128; 3]),
    ("maroon", [128, 0, 0]),
    ("red", [255, 0, 0]),
    ("purple", [128, 0, 128]),
    ("fuchsia", [255, 0, 255]),
    ("green", [0, 128, 0]),
    ("lime", [0, 255, 0]),
    ("olive", [128, 128, 0]),
    ("yellow", [255, 255, 0]),
    ("navy", [0, 0, 128]),
    ("blue", [0, 0, 255]),
    ("teal", [0, 128, 128]),
    ("aqua", [0, 255, 255]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_every_notation() {
        for text in ["#123", "#112233", "112233", "rgb(17,34,51)", "RGBA(17 34 51 / 1)", " #123 "] {
            assert_eq!(parse(text), Some([0x11, 0x22, 0x33]), "{text}");
        }
        assert_eq!(parse("White"), Some(WHITE));
        for text in ["", "#", "transparent", "url(x)", "#fff url(x)", "rgba(0,0,0,0)", "#12", "é"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        assert!(same(WHITE, [250; 3]) && !same(WHITE, [255, 255, 240]));
    }
}
