//! Character n-grams: what is left of words when they are spelled to evade a filter, and the habits of the programs
//! that write header fields.
//!
//! The *text* stage takes n-grams of five bytes from subject and visible text, folded; the *headers* stage n-grams
//! of four bytes from the header fields as they are written. Both read the first [`MOST`] bytes.

use super::Stage;
use super::head::Head;
use crate::message::{is_standard, normalize};
use tamis::hash::mixed;

/// The most bytes that are read.
pub const MOST: usize = 3000;

/// The most bytes of header fields with names that no standard has: padding hides nothing else.
const MOST_OTHER: usize = 1000;

/// Bytes of an n-gram of a stage.
#[must_use]
pub const fn length(stage: Stage) -> usize {
    match stage {
        Stage::Headers => 4,
        _ => 5,
    }
}

/// Calls `visit` with the feature of each n-gram of a text, from the first on.
pub fn for_each(text: &[u8], stage: Stage, salt: u64, mut visit: impl FnMut(u64)) {
    let length = length(stage);
    let mask = (1u64 << (8 * length)) - 1;
    let text = &text[..text.len().min(MOST)];
    let mut window = 0u64;
    for (place, &byte) in text.iter().enumerate() {
        window = (window << 8 | u64::from(byte)) & mask;
        if place + 1 >= length {
            visit(mixed(window, salt));
        }
    }
}

/// Appends a text in its folded form and a space, as far as there is room.
pub fn fold(part: &str, text: &mut Vec<u8>) {
    if text.len() >= MOST {
        return;
    }
    text.reserve(MOST + 4 - text.len());
    // More bytes are not looked at, even if invisible ones leave room.
    normalize::fold_into(&part[..part.floor_char_boundary(4 * MOST)], MOST, text);
    text.push(b' ');
    text.truncate(MOST);
}

/// The header fields as one text, each on a line.
#[must_use]
pub fn headers_of(head: &Head<'_>) -> Vec<u8> {
    let mut text = Vec::with_capacity(MOST);
    let mut others = 0;
    for field in head.fields() {
        if text.len() >= MOST {
            break;
        }
        if !is_standard(field.written) {
            others += field.written.len() + field.value.len();
            if others > MOST_OTHER {
                continue;
            }
        }
        text.extend_from_slice(field.written);
        text.push(b':');
        text.extend_from_slice(&field.value);
        text.push(b'\n');
    }
    text.truncate(MOST);
    text
}
