//! Character n-grams of the visible text: what words become when they are spelled to evade a filter.

use tamis::hash::mixed;

/// Bytes of an n-gram.
pub const LENGTH: usize = 5;

/// The most bytes of text that are read.
pub const MOST: usize = 3000;

/// Calls `visit` with the hash of each n-gram of a folded text.
pub fn for_each(text: &[u8], salt: u64, mut visit: impl FnMut(u64)) {
    let text = &text[..text.len().min(MOST)];
    let mut window = 0u64;
    for (place, &byte) in text.iter().enumerate() {
        window = (window << 8 | u64::from(byte)) & 0xFF_FFFF_FFFF;
        if place + 1 >= LENGTH {
            visit(mixed(window, salt));
        }
    }
}
