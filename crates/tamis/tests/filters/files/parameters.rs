//! Parameters that would make a reader allocate too much, divide by zero or look outside.
//!
//! Each case is a sound file with one number changed and the checksum made to fit. It must be
//! refused by its fields, before anything is allocated: [`Error::Memory`] would be too late.

use super::{Sample, in_place, open, refusal, samples, verify};
use crate::support::{bytes_of, check_numbers, header_length, rewrite};
use tamis::Error;
use tamis::codec::Kind;
use tamis::filter::{BloomFilter, Classic, Filter, GrowingFilter};
use tamis::hash::KeyHash;

/// Parameters start here.
const P: usize = 56;

fn refused(sample: &Sample, offset: usize, value: &[u8]) {
    let file = rewrite(&sample.file, offset, value);
    let what = format!("{}: {value:02x?} at {offset}", sample.name);
    for result in [open(&file), verify(&file), (sample.load)(&file)] {
        let (error, sentence) = refusal(result, &what);
        let early = matches!(
            error,
            Error::Malformed { .. }
                | Error::Bits { .. }
                | Error::Hashes { .. }
                | Error::Parameter { .. }
                | Error::WrongKind { .. }
                | Error::Truncated { .. }
        );
        assert!(early, "{what}: {sentence}");
    }
}

fn named(prefix: &str) -> Vec<Sample> {
    let some: Vec<_> = samples().into_iter().filter(|s| s.name.starts_with(prefix)).collect();
    assert!(!some.is_empty(), "no sample {prefix}");
    some
}

const HASHES: [u32; 6] = [0, 65, 1_000, 1 << 16, 1 << 31, u32::MAX];

/// None, one more than there is room for, a terabyte, and numbers that overflow on the way.
fn sizes(bits: u64) -> [u64; 10] {
    let (most, past) = (tamis::filter::MAX_BITS, tamis::filter::MAX_BITS + 1);
    [0, bits + 512, bits + 5_120, 1 << 40, most, past, 1 << 60, 1 << 63, u64::MAX - 511, u64::MAX]
}

const RATES: [f64; 7] = [0.0, -0.0, -1.0, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn u64_at(file: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(file[offset..offset + 8].try_into().expect("eight bytes"))
}

/// Functions, bits and rate where three kinds have them.
fn common(sample: &Sample, hashes: usize, bits: usize, rate: usize) {
    for value in HASHES {
        refused(sample, hashes, &value.to_le_bytes());
    }
    for value in sizes(u64_at(&sample.file, bits)) {
        refused(sample, bits, &value.to_le_bytes());
    }
    for value in RATES {
        refused(sample, rate, &value.to_le_bytes());
    }
}

fn zeros(sample: &Sample, range: std::ops::Range<usize>) {
    range.for_each(|offset| refused(sample, offset, &[1]));
}

#[test]
fn absurd_bloom_filters_are_refused() {
    for sample in named("classic").iter().chain(&named("blocked")) {
        common(sample, P + 4, P + 8, P + 24);
        zeros(sample, P + 1..P + 4);
        for layout in [0, 3, 255] {
            refused(sample, P, &[layout]);
        }
    }
}

#[test]
fn absurd_counting_filters_are_refused() {
    for sample in named("counting") {
        common(&sample, P + 4, P + 8, P + 24);
        zeros(&sample, P + 2..P + 4);
        for layout in [0, 3, 255] {
            refused(&sample, P, &[layout]);
        }
        for width in [0, 1, 2, 3, 5, 7, 16, 64, 255] {
            refused(&sample, P + 1, &[width]);
        }
    }
    // More functions than words in a line; and a counter that is cut in two.
    refused(&named("counting, blocked")[0], P + 4, &9u32.to_le_bytes());
    refused(&named("counting, classic")[0], P + 4, &33u32.to_le_bytes());
    refused(&named("counting, classic")[0], P + 8, &1_001u64.to_le_bytes());
}

#[test]
fn absurd_growing_filters_are_refused() {
    for sample in named("growing") {
        let layers = u32::from_le_bytes(sample.file[P + 4..P + 8].try_into().expect("four"));
        assert!(layers > 1, "the sample has grown");
        for count in [0, layers - 1, layers + 1, 41, 1_000, 1 << 31, u32::MAX] {
            refused(&sample, P + 4, &count.to_le_bytes());
        }
        zeros(&sample, P + 1..P + 4);
        for layout in [0, 3, 255] {
            refused(&sample, P, &[layout]);
        }
        for rate in RATES {
            refused(&sample, P + 16, &rate.to_le_bytes());
        }
        for layer in 0..layers as usize {
            let start = P + 24 + layer * 40;
            common(&sample, start + 8, start, start + 32);
            zeros(&sample, start + 12..start + 16);
        }
    }
}

#[test]
fn absurd_rotating_filters_are_refused() {
    let sample = &named("rotating")[0];
    common(sample, P + 8, P + 16, P + 32);
    zeros(sample, P + 12..P + 16);
    for generations in [0u32, 1, 3, 5, 1_024, 1_025, 1 << 31, u32::MAX] {
        refused(sample, P, &generations.to_le_bytes());
    }
    for current in [4u32, 5, 1 << 31, u32::MAX] {
        refused(sample, P + 4, &current.to_le_bytes());
    }
    for generation in 0..4 {
        refused(sample, P + 40 + generation * 8, &1_000u64.to_le_bytes());
        refused(sample, P + 40 + generation * 8, &u64::MAX.to_le_bytes());
    }
}

#[test]
fn absurd_signature_filters_are_refused() {
    let sample = &named("signatures")[0];
    common(sample, P + 8, P + 24, P + 40);
    zeros(sample, P + 12..P + 16);
    for window in [0u32, 1, 3, 4, 65, 1 << 31, u32::MAX] {
        refused(sample, P, &window.to_le_bytes());
    }
    for lengths in [0u32, 1, 2, 4, 64, 65, 1 << 31, u32::MAX] {
        refused(sample, P + 4, &lengths.to_le_bytes());
    }
    let window_bits = u64_at(&sample.file, P + 16);
    for bits in [0, 1, 256, 511, 513, window_bits / 2, window_bits * 2, 1 << 63, u64::MAX] {
        refused(sample, P + 16, &bits.to_le_bytes());
    }
    // The sample has the lengths 6, 12 and 16.
    for (index, length) in [(0, 0u16), (0, 3), (0, 5), (0, 13), (1, 6), (1, 16), (2, 4_097)] {
        refused(sample, P + 48 + index * 2, &length.to_le_bytes());
    }
}

/// The classic layout ends inside of a line; what stands behind its last bit counts in no
/// answer and must not be there.
#[test]
fn bits_behind_the_last_one_are_refused() {
    for sample in named("classic").iter().chain(&named("counting, classic")) {
        let header = header_length(&sample.file);
        let bits = usize::try_from(u64_at(&sample.file, P + 8)).expect("a small one");
        for bit in bits..(sample.file.len() - header) * 8 {
            let mut file = sample.file.clone();
            file[header + bit / 8] |= 1 << (bit % 8);
            let checksum = KeyHash::new(0).bytes(&file[header..]);
            let file = rewrite(&file, 24, &checksum.to_le_bytes());
            for result in [verify(&file), (sample.load)(&file)] {
                let (error, sentence) = refusal(result, "a bit too many");
                assert!(matches!(error, Error::Malformed { .. }), "{sentence}");
            }
        }
    }
}

/// Any bit of any parameter, the items included: an answer or a refusal, never a panic, also
/// when the filter is used and added to.
#[test]
fn no_bit_of_the_parameters_makes_a_reader_panic() {
    for sample in samples() {
        for bit in (P - 8) * 8..(header_length(&sample.file) - 8) * 8 {
            let (offset, mask) = (bit / 8, 1 << (bit % 8));
            let file = rewrite(&sample.file, offset, &[sample.file[offset] ^ mask]);
            let _ = (sample.load)(&file);
            let Ok(filter) = in_place(&file) else { continue };
            assert!(filter.contains_many(&[0u64, 1, 2, 999]).len() == 4);
            assert!(!filter.indexes("leek").is_empty());
            check_numbers(&filter);
            // What growing filters do with absurd numbers is in a test of its own.
            let mut copy = filter.to_owned().expect("it is small");
            if let (true, Ok(insert)) = (sample.kind != Kind::Growing, copy.as_insert()) {
                insert.insert_many_hashes(&[1, 2, 3]);
                assert!((1..4).all(|hash| insert.contains_hash(hash)));
            }
        }
    }
}

/// The size of the next layer follows from numbers in the file. A layer of 200 bits that says
/// it was made for 16 million keys must not make the next insertion allocate for 32 million.
#[test]
fn a_growing_filter_allocates_by_what_it_has_and_not_by_what_a_file_says() {
    let sample = &named("growing, classic")[0];
    let layers = u32::from_le_bytes(sample.file[P + 4..P + 8].try_into().expect("four"));
    let fields = (0..layers as usize).map(|layer| P + 24 + layer * 40 + 24).chain([P + 8]);
    for offset in fields {
        let file = rewrite(&sample.file, offset, &(1u64 << 24).to_le_bytes());
        let Ok(mut filter) = GrowingFilter::<Classic>::from_bytes(&file) else { continue };
        filter.insert_many(&(0..200u64).collect::<Vec<_>>());
        assert!((0..200u64).all(|key| filter.contains(&key)));
        let bits = filter.bits();
        assert!(bits < 100_000, "{} bytes became {bits} bits by a number at {offset}", file.len());
    }
}

#[test]
fn a_rate_of_one_and_designs_of_any_size_are_read() {
    let mut filter = BloomFilter::with_bits(100, 3).expect("sound");
    filter.insert("leek");
    for (offset, value) in [(P + 16, u64::MAX.to_le_bytes()), (P + 24, 1.0f64.to_le_bytes())] {
        let file = rewrite(&bytes_of(&filter), offset, &value);
        let read = BloomFilter::<Vec<_>>::from_bytes(&file).expect("it is a number");
        assert_eq!(bytes_of(&read), file);
    }
}
