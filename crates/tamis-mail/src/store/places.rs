//! Ascending places as bytes: differences in a Golomb-Rice code.
//!
//! ```text
//! count varint, and unless it is 0: k u8, then for each place its difference d to the one before
//! (the first one to -1, so that d >= 1): d - 1 as (d - 1) >> k ones, a zero, and the low k bits,
//! most significant bit first; the last byte is filled with zeros
//! ```
//!
//! `k` is the logarithm of the mean difference: a place takes about `log2(mean difference) + 1.5` bits.

use tamis::codec::{Fields, Parameters};

/// The most bits of a difference that are written as they are.
const MAX_LOW: u8 = 31;

/// Maximum number of ones that are written at once, so that a place fits into the 56 free bits of a
/// [`Writer`].
const MAX_ONES: u64 = 24;

/// Appends places, which are ascending and distinct.
pub(super) fn write(mut out: Parameters, places: &[u32]) -> Parameters {
    out = out.varint(places.len() as u64);
    let Some(last) = places.last() else { return out };
    let mean = (u64::from(*last) + 1) / places.len() as u64;
    let low = (mean.max(1).ilog2() as u8).min(MAX_LOW);
    // Two bits more than `low` for most places.
    let room = places.len() * (usize::from(low) + 3) / 8;
    let mut bits = Writer { bytes: Vec::with_capacity(room), ..Writer::default() };
    let mut before: i64 = -1;
    for &place in places {
        let difference = (i64::from(place) - before - 1).max(0) as u64;
        let mut ones = difference >> low;
        while ones > MAX_ONES {
            bits.push((1 << MAX_ONES) - 1, MAX_ONES as u8);
            ones -= MAX_ONES;
        }
        // Ones, a zero, and the low bits, at once.
        let head = ((1 << ones) - 1) << 1;
        bits.push(head << low | difference & ((1 << low) - 1), ones as u8 + 1 + low);
        before = i64::from(place);
    }
    out.u8(low).bytes(&bits.finish())
}

/// Reads places; none for what cannot have been written.
pub(super) fn read(input: &mut Fields<'_>) -> Option<Vec<u32>> {
    let count = input.varint().ok()?;
    if count == 0 {
        return Some(Vec::new());
    }
    let low = input.u8().ok().filter(|low| *low <= MAX_LOW)?;
    // The list grows with what is there: nothing is allocated on a record's word.
    let mut places = Vec::new();
    let mut bits = Reader { input, byte: 0, left: 0 };
    let mut before: i64 = -1;
    for _ in 0..count {
        let mut difference: u64 = 0;
        while bits.bit()? == 1 {
            difference += 1;
        }
        for _ in 0..low {
            difference = difference << 1 | u64::from(bits.bit()?);
        }
        let place = before.checked_add(1)?.checked_add(i64::try_from(difference).ok()?)?;
        places.push(u32::try_from(place).ok()?);
        before = place;
    }
    // What fills the last byte is zero.
    let fill = u16::from(bits.byte) & ((1 << bits.left) - 1);
    (fill == 0).then_some(places)
}

/// Writes bits, the most significant one first.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    /// The low `count` bits are not written yet.
    waiting: u64,
    /// At most 7 between calls.
    count: u8,
}

impl Writer {
    /// Appends at most 56 bits.
    #[inline]
    fn push(&mut self, bits: u64, count: u8) {
        self.waiting = self.waiting << count | bits;
        self.count += count;
        let whole = usize::from(self.count / 8);
        if whole > 0 {
            let aligned = self.waiting << (64 - self.count);
            self.bytes.extend_from_slice(&aligned.to_be_bytes()[..whole]);
            self.count %= 8;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            let fill = 8 - self.count;
            self.push(0, fill);
        }
        self.bytes
    }
}

struct Reader<'r, 'a> {
    input: &'r mut Fields<'a>,
    byte: u8,
    left: u8,
}

impl Reader<'_, '_> {
    fn bit(&mut self) -> Option<u8> {
        if self.left == 0 {
            self.byte = self.input.u8().ok()?;
            self.left = 8;
        }
        self.left -= 1;
        Some(self.byte >> self.left & 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn encoded(places: &[u32]) -> Vec<u8> {
        write(Parameters::new(), places).as_bytes().to_vec()
    }

    proptest! {
        #[test]
        fn places_are_read_as_they_were_written(places in prop::collection::btree_set(any::<u32>(), 0..200)) {
            let places: Vec<u32> = places.into_iter().collect();
            let bytes = encoded(&places);
            let mut input = Fields::new(&bytes);
            prop_assert_eq!(read(&mut input), Some(places));
            prop_assert!(input.finish().is_ok());
        }

        #[test]
        fn whatever_is_read_ends(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            drop(read(&mut Fields::new(&bytes)));
        }
    }

    /// 400 places of 2^20 at random need log2(2^20/400) + 1.44 bits each at the least.
    #[test]
    fn a_place_takes_little_more_than_it_must() {
        let mut functions = tamis::hash::Functions::new(12_345);
        let places: BTreeSet<u32> =
            (0..400).map(|_| (functions.next().unwrap_or(0) >> 44) as u32).collect();
        let places: Vec<u32> = places.into_iter().collect();
        let bits = 8.0 * encoded(&places).len() as f64 / places.len() as f64;
        let least = (f64::from(1 << 20) / places.len() as f64).log2() + 1.44;
        assert!(bits < 1.05 * least, "{bits} bits for {least}");
    }

    #[test]
    fn what_fills_the_last_byte_is_zero() {
        // A count, k = 2, then 0 11 for the place 3 and five bits of fill.
        assert_eq!(encoded(&[3]), [1, 2, 0b0110_0000]);
        for bit in 0..5 {
            let bytes = [1, 2, 0b0110_0000 | 1 << bit];
            assert_eq!(read(&mut Fields::new(&bytes)), None, "bit {bit}");
        }
    }
}
