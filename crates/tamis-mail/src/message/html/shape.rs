//! CSS shapes and transformations that leave nothing to see.

use super::hiding::FAR;
use super::length::length;

/// The numbers between the parentheses of a function.
fn arguments(value: &str) -> Vec<f32> {
    let inner = value.split_once('(').map_or("", |(_, inner)| inner);
    let inner = inner.split(')').next().unwrap_or_default();
    let parts = inner.split(|c: char| c == ',' || c.is_ascii_whitespace());
    parts.filter_map(length).map(|length| length.number).collect()
}

/// Whether a `rect()` has no area, or one pixel.
pub(super) fn is_empty_rectangle(value: &str) -> bool {
    value.starts_with("rect(")
        && matches!(arguments(value)[..], [top, right, bottom, left]
            if bottom - top <= 1.0 || right - left <= 1.0)
}

/// Whether a path has no area.
pub(super) fn is_empty_path(value: &str) -> bool {
    let numbers = arguments(value);
    if value.starts_with("inset(") {
        return value.contains('%') && numbers.first().is_some_and(|side| *side >= 49.0);
    }
    if value.starts_with("circle(") || value.starts_with("ellipse(") {
        return numbers.first().is_some_and(|radius| *radius <= 0.0);
    }
    value.starts_with("polygon(")
        && numbers.windows(2).all(|two| (two[0] - two[1]).abs() < 0.01)
        && !numbers.is_empty()
}

/// Whether a transformation leaves nothing on the screen.
pub(super) fn moves_away(value: &str) -> bool {
    let numbers = arguments(value);
    if value.starts_with("scale") {
        return numbers.first().is_some_and(|scale| scale.abs() < 0.05);
    }
    value.starts_with("translate") && numbers.iter().any(|number| *number <= FAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_shapes_leave_nothing() {
        assert!(is_empty_rectangle("rect(0,0,0,0)") && is_empty_rectangle("rect(1px 1px 1px 1px)"));
        assert!(!is_empty_rectangle("rect(0,100px,50px,0)") && !is_empty_rectangle("auto"));
        for path in ["inset(50%)", "inset(100% 0 0 0)", "circle(0)", "polygon(0 0,0 0,0 0)"] {
            assert!(is_empty_path(path), "{path}");
        }
        for path in
            ["inset(10px)", "circle(50%)", "polygon(0 0,100% 0,50% 50%)", "none", "polygon()"]
        {
            assert!(!is_empty_path(path), "{path}");
        }
        assert!(moves_away("translatex(-9999px)") && moves_away("scale(0)"));
        assert!(!moves_away("translate(-50%, -50%)") && !moves_away("rotate(0deg)"));
    }
}
