//! What several parts need: bytes at an aligned address, filters as bytes, keys by number.

use tamis::codec::File;
use tamis::filter::{CounterWidth, Filter, Line, Stored};
use tamis::hash::KeyHash;

pub(crate) const WIDTHS: [CounterWidth; 2] = [CounterWidth::Four, CounterWidth::Eight];

/// Bytes that start at a multiple of 64, as those of a mapped file do.
#[derive(Debug, Clone)]
pub(crate) struct Aligned {
    lines: Vec<Line>,
    length: usize,
}

impl Aligned {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let line: Line = bytemuck::Zeroable::zeroed();
        let mut lines = vec![line; bytes.len().div_ceil(size_of::<Line>())];
        bytemuck::cast_slice_mut(&mut lines)[..bytes.len()].copy_from_slice(bytes);
        Self { lines, length: bytes.len() }
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[..self.length]
    }
}

impl AsMut<[u8]> for Aligned {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.length]
    }
}

/// The filter as a file.
pub(crate) fn bytes_of(filter: &impl Stored) -> Vec<u8> {
    let mut bytes = Vec::new();
    filter.write(&mut bytes).expect("a vector takes everything");
    bytes
}

/// The bits or counters alone, without what the header says of items and design.
pub(crate) fn content_of(filter: &impl Stored) -> Vec<u8> {
    File::open(&bytes_of(filter)).expect("we wrote it").content().to_vec()
}

/// The positions of the bits that are set in a filter's content.
pub(crate) fn set_bits(content: &[u8]) -> Vec<u64> {
    let bits = (0..content.len() as u64 * 8).filter(|bit| {
        let byte = content[usize::try_from(bit / 8).expect("it is in memory")];
        byte >> (bit % 8) & 1 == 1
    });
    bits.collect()
}

/// Writes a number into a header, little-endian, and makes the header's checksum fit again.
pub(crate) fn rewrite(file: &[u8], offset: usize, value: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    file[offset..offset + value.len()].copy_from_slice(value);
    seal(&mut file);
    file
}

/// Computes the header's checksum anew.
pub(crate) fn seal(file: &mut [u8]) {
    let length = header_length(file);
    let checksum = KeyHash::new(0).bytes(&file[..length - 8]);
    file[length - 8..length].copy_from_slice(&checksum.to_le_bytes());
}

/// What the file says of its header's length.
pub(crate) fn header_length(file: &[u8]) -> usize {
    u32::from_le_bytes(file[12..16].try_into().expect("four bytes")) as usize
}

/// Key number `index`, spread over all 64-bit integers: different numbers, different keys
/// (the finisher of splitmix64 is one to one).
pub(crate) fn spread(index: u64) -> u64 {
    let mut z = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Everything that a filter computes from its bits must be a number that makes sense.
pub(crate) fn check_numbers(filter: &impl Filter) {
    let (fill, rate) = (filter.fill(), filter.current_false_positive_rate());
    assert!((0.0..=1.0).contains(&fill), "fill {fill}");
    assert!((0.0..=1.0 + 1e-9).contains(&rate), "rate {rate}");
    let items = filter.estimated_items();
    assert!(items.is_finite() && items >= 0.0, "estimated items {items}");
}
