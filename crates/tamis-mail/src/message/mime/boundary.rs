//! Lines between parts.

/// A line between parts, or after the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Next,
    End,
}

impl Delimiter {
    /// The delimiter at the start of these lines.
    pub(super) fn of(lines: &[u8], boundary: &[u8]) -> Option<Self> {
        let rest = lines.strip_prefix(b"--")?.strip_prefix(boundary)?;
        if rest.starts_with(b"--") {
            return Some(Self::End);
        }
        let mut after = rest.iter().skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        matches!(after.next(), None | Some(b'\n')).then_some(Self::Next)
    }
}

/// A part without the line end before its boundary, which belongs to the boundary.
pub(super) fn without_line_end(part: &[u8]) -> &[u8] {
    let part = part.strip_suffix(b"\n").unwrap_or(part);
    part.strip_suffix(b"\r").unwrap_or(part)
}
