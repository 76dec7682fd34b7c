//! Shapes: what a text looks like when its letters and digits are left out.
//!
//! A run of lower-case letters is `a`, of upper-case letters `A`, of digits `0`; a run of two is written twice, of three
//! to five three times, and so on by length class. Everything else stays as it is.

/// A shape ends when it has this many bytes or one more.
pub const LONGEST: usize = 48;

/// The shape of a text.
pub fn shape(text: &[u8]) -> Vec<u8> {
    let mut shape = Vec::with_capacity(LONGEST + 1);
    push_shape(text, LONGEST, &mut shape);
    shape
}

/// The first bytes of the shape of a text.
pub fn start_of_shape(text: &[u8], bytes: usize) -> Vec<u8> {
    let mut shape = Vec::with_capacity(bytes + 1);
    push_shape(text, bytes.min(LONGEST), &mut shape);
    shape.truncate(bytes);
    shape
}

/// Appends the shape of a text until it has `enough` bytes or one more.
pub fn push_shape(text: &[u8], enough: usize, shape: &mut Vec<u8>) {
    let end = shape.len() + enough;
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let class = CLASSES[usize::from(first)];
        if class == 0 {
            shape.push(first);
            rest = &rest[1..];
        } else {
            let is_other = |byte: &u8| CLASSES[usize::from(*byte)] != class;
            let length = rest.iter().position(is_other).unwrap_or(rest.len());
            shape.push(class);
            shape.push(length_class(length));
            rest = &rest[length..];
        }
        if shape.len() >= end {
            break;
        }
    }
}

/// A text in lower case whose digits are all 0.
pub fn without_digits(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    push_without_digits(text, &mut plain);
    plain
}

/// Appends a text in lower case whose digits are all 0.
pub fn push_without_digits(text: &[u8], plain: &mut Vec<u8>) {
    let digit = |byte: &u8| if byte.is_ascii_digit() { b'0' } else { byte.to_ascii_lowercase() };
    plain.extend(text.iter().map(digit));
}

/// A length by class: 1, 2, 3 to 5, 6 to 9, 10 to 15, 16 to 25, more.
pub const fn length_class(length: usize) -> u8 {
    match length {
        0 => b'0',
        1 => b'1',
        2 => b'2',
        3..=5 => b'3',
        6..=9 => b'6',
        10..=15 => b'a',
        16..=25 => b'g',
        _ => b'z',
    }
}

/// A number by its number of bits.
pub fn magnitude(number: u64) -> [u8; 1] {
    [b'a' + (64 - number.leading_zeros()) as u8]
}

const fn class_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => b'a',
        b'A'..=b'Z' => b'A',
        b'0'..=b'9' => b'0',
        0x80.. => b'x',
        _ => 0,
    }
}

/// The class of each byte.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < classes.len() {
        classes[byte] = class_of(byte as u8);
        byte += 1;
    }
    classes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_written_by_class_and_length() {
        assert_eq!(shape(b"ab-Cde 1234567\xC3\xA9!"), b"a2-A1a2 06x2!");
        assert_eq!(shape(b""), b"");
        assert_eq!(shape(&b"a-".repeat(50)).len(), LONGEST);
    }

    #[test]
    fn the_start_of_a_shape_is_that_of_the_whole() {
        let text = b"Re: [list] a1B2 --- =?utf-8?Q?caf=C3=A9?= and more of it, 100 % Sure";
        let whole = shape(text);
        for bytes in 0..=whole.len() + 2 {
            assert_eq!(start_of_shape(text, bytes), whole[..bytes.min(whole.len())], "{bytes}");
        }
    }
}
