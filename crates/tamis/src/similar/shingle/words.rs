//! Words: what stands between white space, and each character of a script that has none between words.
//!
//! [`words`] looks at 64 bytes at a time: which of them are white space becomes one number of 64 bits,
//! whose changes are where words start and end. It is written so that the compiler makes
//! vector instructions of it. [`words_plain`] is its oracle.

use crate::memory::chunks;

/// Calls `visit` with each word, split at white space as Unicode defines it. A character of a script that is
/// written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) is a word of its own.
pub fn words(text: &str, visit: impl FnMut(&[u8])) {
    let bytes = text.as_bytes();
    if may_be_wide(bytes) {
        words_plain(text, visit);
    } else {
        ascii_words(bytes, visit);
    }
}

/// The plain twin of [`words`].
pub fn words_plain(text: &str, mut visit: impl FnMut(&[u8])) {
    for mut rest in text.split_whitespace() {
        while let Some((start, alone)) = rest.char_indices().find(|(_, c)| is_unspaced(*c)) {
            let end = start + alone.len_utf8();
            if start > 0 {
                visit(&rest.as_bytes()[..start]);
            }
            visit(&rest.as_bytes()[start..end]);
            rest = &rest[end..];
        }
        if !rest.is_empty() {
            visit(rest.as_bytes());
        }
    }
}

/// Whether a character belongs to a script that is written without spaces between words.
const fn is_unspaced(character: char) -> bool {
    matches!(
        character as u32,
        // Thai and Lao, Burmese, Khmer, kana, Chinese characters and their extensions.
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x31F0..=0x31FF
            | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF
    )
}

/// Whether there may be white space outside of ASCII (U+0085 and U+00A0, U+1680, U+2000 to U+205F, U+3000)
/// or characters of scripts without spaces: they start with one of these bytes.
fn may_be_wide(bytes: &[u8]) -> bool {
    // In chunks without an early end, which the compiler makes vectors of.
    let is_wide = |byte: &u8| matches!(byte, 0xC2 | 0xE0..=0xE9 | 0xEF | 0xF0);
    bytes.chunks(256).any(|chunk| chunk.iter().fold(false, |any, byte| any | is_wide(byte)))
}

#[inline(always)]
const fn is_space(byte: u8) -> bool {
    byte == b' ' || byte.wrapping_sub(9) < 5
}

fn ascii_words(bytes: &[u8], mut visit: impl FnMut(&[u8])) {
    let (blocks, rest) = chunks::<u8, 64>(bytes);
    // Where a word began that has not ended; whether white space comes before the block, as the text's beginning does.
    let (mut open, mut after_space) = (None, 1);
    let mut block = |spaces: u64, offset: usize| {
        let before = spaces << 1 | after_space;
        after_space = spaces >> 63;
        let (mut starts, mut ends) = (!spaces & before, spaces & !before);
        let place = |bits: u64| offset + bits.trailing_zeros() as usize;
        if let Some(start) = open {
            if ends == 0 {
                return;
            }
            visit(&bytes[start..place(ends)]);
            ends &= ends - 1;
            open = None;
        }
        // Now starts and ends take turns, and a start may be left over.
        while ends != 0 {
            visit(&bytes[place(starts)..place(ends)]);
            starts &= starts - 1;
            ends &= ends - 1;
        }
        if starts != 0 {
            open = Some(place(starts));
        }
    };
    for (index, bytes) in blocks.iter().enumerate() {
        block(space_mask(bytes), index * 64);
    }
    let mut last = [b' '; 64];
    last[..rest.len()].copy_from_slice(rest);
    // There are at most 63 bytes in it, so that no word stays open.
    block(space_mask(&last), blocks.len() * 64);
}

/// A bit for each byte that is white space.
#[inline(always)]
fn space_mask(block: &[u8; 64]) -> u64 {
    let flags = block.map(|byte| u8::from(is_space(byte)));
    let (eights, _) = chunks::<u8, 8>(&flags);
    let mut mask = 0;
    for (index, eight) in eights.iter().enumerate() {
        // Eight bytes of 0 or 1 become eight bits: byte i is moved to bit 56 + i.
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= bits << (8 * index);
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn collect(split: impl Fn(&str, &mut dyn FnMut(&[u8])), text: &str) -> Vec<String> {
        let mut found = Vec::new();
        split(text, &mut |word| found.push(String::from_utf8(word.to_vec()).unwrap()));
        found
    }

    fn same(text: &str) {
        let fast = collect(|text, visit| words(text, visit), text);
        let plain = collect(|text, visit| words_plain(text, visit), text);
        assert_eq!(fast, plain, "{text:?}");
    }

    #[test]
    fn words_end_where_unicode_says() {
        same("");
        same(" \t\n\u{b}\u{c}\r\u{1c}x");
        same("a\u{a0}b\u{85}c\u{2003}d\u{3000}e\u{1680}f\u{200b}g");
        for length in 0..200 {
            same(&"x".repeat(length));
            same(&" x".repeat(length));
            same(&"xy ".repeat(length));
        }
    }

    #[test]
    fn characters_of_scripts_without_spaces_are_words() {
        let found = collect(|text, visit| words(text, visit), "日本 abc語x ไทย 한국어 नमस्ते");
        assert_eq!(found, ["日", "本", "abc", "語", "x", "ไ", "ท", "ย", "한국어", "नमस्ते"]);
    }

    proptest! {
        #[test]
        fn the_fast_path_and_its_plain_twin_find_the_same_words(
            text in "[ \t\n\u{b}\u{85}\u{a0}\u{2028}\u{3000}a-cçé日]{0,300}"
        ) {
            same(&text);
        }
    }
}
