//! What the targets share: files whose checksums are made right, and bytes as a map has them.

use tamis::codec::MAGIC;
use tamis::filter::Line;
use tamis::hash::KeyHash;

/// The recorded length of the header, if the file has one that long.
#[must_use]
pub fn header_length(bytes: &[u8]) -> Option<usize> {
    if !bytes.starts_with(&MAGIC) {
        return None;
    }
    let length = u32::from_le_bytes(bytes.get(12..16)?.try_into().ok()?) as usize;
    (length >= 64 && length <= bytes.len()).then_some(length)
}

/// Makes the checksums right.
pub fn mend_checksums(bytes: &mut [u8]) {
    let Some(length) = header_length(bytes) else { return };
    let checksum = KeyHash::new(0);
    let content = checksum.bytes(&bytes[length..]);
    bytes[24..32].copy_from_slice(&content.to_le_bytes());
    let header = checksum.bytes(&bytes[..length - 8]);
    bytes[length - 8..length].copy_from_slice(&header.to_le_bytes());
}

/// Whole lines of content, and a header that says how many.
pub fn mend_length(bytes: &mut Vec<u8>) {
    let Some(length) = header_length(bytes) else { return };
    let size = (bytes.len() - length) / 64 * 64;
    bytes.truncate(length + size);
    bytes[16..24].copy_from_slice(&(size as u64).to_le_bytes());
    mend_checksums(bytes);
}

/// Bytes at a multiple of 64, as those of a mapped file are.
#[derive(Debug)]
pub struct Aligned {
    lines: Vec<Line>,
    length: usize,
}

impl Aligned {
    /// A copy of these bytes.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let mut lines: Vec<Line> =
            bytemuck::allocation::zeroed_vec(bytes.len().div_ceil(size_of::<Line>()));
        bytemuck::cast_slice_mut(&mut lines)[..bytes.len()].copy_from_slice(bytes);
        Self { lines, length: bytes.len() }
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[..self.length]
    }
}

/// Tries an input as it is, with its checksums mended, and with its length mended too; random bytes would never
/// pass the checksums. The last form is returned, if the input has a header at all.
pub fn as_is_and_mended(input: &[u8], attempt: impl Fn(&[u8])) -> Option<Vec<u8>> {
    let mut bytes = input.to_vec();
    attempt(&bytes);
    header_length(&bytes)?;
    mend_checksums(&mut bytes);
    attempt(&bytes);
    mend_length(&mut bytes);
    attempt(&bytes);
    Some(bytes)
}
