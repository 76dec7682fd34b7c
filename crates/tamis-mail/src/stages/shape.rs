//! Shapes: what a text looks like when its letters and digits are left out.
//!
//! A run of lower-case letters is `a`, of upper-case letters `A`, of digits `0`; a run of two is written twice, of three
//! to five three times, and so on by length class. Everything else stays as it is.

/// The longest shape.
const LONGEST: usize = 48;

/// The shape of a text.
pub fn shape(text: &[u8]) -> Vec<u8> {
    let mut shape = Vec::with_capacity(LONGEST);
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let class = class_of(first);
        let length = rest.iter().take_while(|byte| class_of(**byte) == class).count();
        if class == 0 {
            shape.push(first);
            rest = &rest[1..];
        } else {
            shape.push(class);
            shape.push(length_class(length));
            rest = &rest[length..];
        }
        if shape.len() >= LONGEST {
            break;
        }
    }
    shape
}

/// A text whose digits are all 0.
pub fn without_digits(text: &[u8]) -> Vec<u8> {
    text.iter().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte.to_ascii_lowercase() }).collect()
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
