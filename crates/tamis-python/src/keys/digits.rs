//! The decimal digits of a number, which are its key: eight at a time, without a loop.

use tamis::hash::KeyHash;

/// A number that can be a key.
pub trait Number: Copy {
    /// Whether it is below zero, and its distance from zero.
    fn parts(self) -> (bool, u64);
}

macro_rules! numbers_as_keys {
    ($($signed:ty),*; $($unsigned:ty),*) => {
        $(impl Number for $signed {
            #[inline(always)]
            fn parts(self) -> (bool, u64) {
                (self < 0, i64::from(self).unsigned_abs())
            }
        })*
        $(impl Number for $unsigned {
            #[inline(always)]
            fn parts(self) -> (bool, u64) {
                (false, u64::from(self))
            }
        })*
    };
}
numbers_as_keys!(i8, i16, i32, i64; u8, u16, u32, u64);

/// The digits of a number, and its sign: 20 and one at most.
#[derive(Clone, Copy)]
struct Digits {
    room: [u8; Self::ROOM],
    start: usize,
}

const EIGHT: u64 = 100_000_000;

impl Digits {
    const ROOM: usize = 24;
    const NONE: Self = Self { room: [0; Self::ROOM], start: Self::ROOM };

    /// Writes a number over whatever is there.
    #[inline(always)]
    fn set(&mut self, number: impl Number) {
        let (is_negative, magnitude) = number.parts();
        let zeros = if magnitude < EIGHT {
            16 + self.write(2, magnitude)
        } else {
            self.write(2, magnitude % EIGHT);
            let rest = magnitude / EIGHT;
            if rest < EIGHT {
                8 + self.write(1, rest)
            } else {
                self.write(1, rest % EIGHT);
                self.write(0, rest / EIGHT)
            }
        };
        // Zero has a digit, too.
        self.start = zeros.min(Self::ROOM - 1);
        if is_negative {
            self.start -= 1;
            self.room[self.start] = b'-';
        }
    }

    /// Writes the eight digits of a number below 10^8 and tells how many zeros they start with.
    ///
    /// Its halves are divided side by side in one word, then the halves of these, with the first digit in the lowest byte: 10486 / 2^20
    /// and 103 / 2^10 are 1/100 and 1/10 as nearly as four and two digits need.
    #[inline(always)]
    fn write(&mut self, part: usize, number: u64) -> usize {
        // Half the width is divided in less time.
        let number = number as u32;
        let fours = u64::from(number / 10_000) | u64::from(number % 10_000) << 32;
        let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
        let twos = hundreds | (fours - hundreds * 100) << 16;
        let tens = ((twos * 103) >> 10) & 0x000F_000F_000F_000F;
        let ones = tens | (twos - tens * 10) << 8;
        let text = ones | 0x3030_3030_3030_3030;
        self.room[part * 8..part * 8 + 8].copy_from_slice(&text.to_le_bytes());
        ones.trailing_zeros() as usize / 8
    }

    #[inline(always)]
    fn text(&self) -> &[u8] {
        &self.room[self.start..]
    }
}

/// The hash of a number's digits.
#[inline]
pub fn hash_of_number(number: impl Number, hash: &KeyHash) -> u64 {
    let mut digits = Digits::NONE;
    digits.set(number);
    hash.bytes(digits.text())
}

/// So many numbers are written before they are hashed. What was written a moment ago is slow to read in other pieces than it was
/// written in, because it has not yet arrived in the cache.
const WRITTEN: usize = 64;

/// The hashes of the digits of many numbers.
pub fn hash_numbers(numbers: &[impl Number], hash: &KeyHash, hashes: &mut [u64]) {
    let mut room = [Digits::NONE; WRITTEN];
    for (numbers, hashes) in numbers.chunks(WRITTEN).zip(hashes.chunks_mut(WRITTEN)) {
        for (digits, &number) in room.iter_mut().zip(numbers) {
            digits.set(number);
        }
        for (slot, digits) in hashes.iter_mut().zip(&room) {
            *slot = hash.bytes(digits.text());
        }
    }
}
