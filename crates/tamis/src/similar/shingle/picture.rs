//! Pictures as sets: scaled down, colours quantised, overlapping blocks of pixels as shingles.
//!
//! 1. The picture is scaled to 32 by 32 pixels, each the mean of the area it stands for: size and shape do not
//!    matter.
//! 2. Each pixel becomes one of 16 colours: a quarter of the picture by brightness, the darkest to the
//!    brightest, and grey, reddish, greenish or bluish. Quarters do not move when all of the picture gets
//!    brighter.
//! 3. Each block of two by two pixels, with where it is to within four pixels, is a shingle: what is cropped at
//!    the edges moves the rest by less than that.

use super::super::Set;
use crate::hash::KeyHash;
use crate::memory::chunks;
use crate::{Error, Result};

/// The side of a picture that is scaled down.
const SIDE: usize = 32;

/// The side of a place.
const PLACE: usize = 4;

/// How far a channel must be from the others, of 255, to give a colour its name.
const COLOURED: f32 = 20.0;

/// Pixels in rows from the top, three bytes each: red, green, blue.
#[derive(Debug, Clone, Copy)]
pub struct Picture<'a> {
    width: usize,
    height: usize,
    pixels: &'a [u8],
}

impl<'a> Picture<'a> {
    /// A picture of these pixels.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there are as many as width and height say, and at least one.
    pub fn new(width: usize, height: usize, pixels: &'a [u8]) -> Result<Self> {
        let size = width.checked_mul(height).and_then(|size| size.checked_mul(3));
        if size == Some(pixels.len()) && !pixels.is_empty() {
            return Ok(Self { width, height, pixels });
        }
        Err(Error::Parameter {
            what: "the pixels",
            expected: "three bytes for each of width times height",
            got: format!("{} bytes for {width} times {height}", pixels.len()),
        })
    }

    /// The mean colour of the area that each pixel of the small picture stands for.
    fn scaled(&self) -> Vec<[f32; 3]> {
        let mut small = Vec::with_capacity(SIDE * SIDE);
        for y in 0..SIDE {
            let rows = area(y, self.height);
            for x in 0..SIDE {
                let columns = area(x, self.width);
                let mut sum = [0u64; 3];
                for row in rows.clone() {
                    let start = 3 * (row * self.width + columns.start);
                    let pixels = &self.pixels[start..start + 3 * columns.len()];
                    for pixel in chunks::<u8, 3>(pixels).0 {
                        for (sum, &channel) in sum.iter_mut().zip(pixel) {
                            *sum += u64::from(channel);
                        }
                    }
                }
                let count = (rows.len() * columns.len()) as f32;
                small.push(sum.map(|sum| sum as f32 / count));
            }
        }
        small
    }
}

/// The pixels, of so many, that pixel `index` of [`SIDE`] stands for; at least one.
fn area(index: usize, size: usize) -> std::ops::Range<usize> {
    let start = index * size / SIDE;
    start..((index + 1) * size / SIDE).max(start + 1)
}

/// The set of a picture's blocks.
pub(super) fn set(picture: &Picture<'_>, hash: &KeyHash) -> Set {
    let small = picture.scaled();
    let brightness = |pixel: &[f32; 3]| 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
    let mut order: Vec<f32> = small.iter().map(brightness).collect();
    order.sort_unstable_by(f32::total_cmp);
    let cuts = [1, 2, 3].map(|quarter| order[quarter * order.len() / 4]);
    let colours: Vec<u8> = small
        .iter()
        .map(|pixel| {
            let bright = cuts.iter().filter(|cut| brightness(pixel) >= **cut).count();
            (bright * 4 + tint(pixel)) as u8
        })
        .collect();
    let mut hashes = Vec::with_capacity(SIDE * SIDE);
    for y in 0..SIDE - 1 {
        for x in 0..SIDE - 1 {
            let at = |x: usize, y: usize| colours[y * SIDE + x];
            let block = [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)];
            let place = [(x / PLACE) as u8, (y / PLACE) as u8];
            let shingle = [block[0], block[1], block[2], block[3], place[0], place[1]];
            hashes.push(hash.bytes(&shingle));
        }
    }
    Set::from_hashes(hashes)
}

/// 0 for grey, else the channel that stands out.
fn tint(pixel: &[f32; 3]) -> usize {
    let least = pixel.iter().copied().fold(f32::INFINITY, f32::min);
    let (channel, most) = (0..3)
        .map(|channel| (channel, pixel[channel]))
        .fold((0, f32::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
    if most - least < COLOURED { 0 } else { channel + 1 }
}
