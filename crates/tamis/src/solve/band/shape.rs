//! How a static filter is laid out.
//!
//! Slots stand in *blocks* of sixteen, and a slot has one bit for each *plane*: a block is a word of sixteen bits for each plane,
//! little-endian. A key has an equation: a pattern chooses among the slots of the block where it *starts*, a second pattern among those of another
//! block, at most the *span* behind; in every plane the sum of all chosen slots is a bit of its fingerprint. Keys that start in the last part of all blocks
//! have one plane more. The two parts are systems of their own, each with as many blocks behind its last start as the span has.

use crate::memory::MAX_BITS;
use crate::memory::line::LINE_BYTES;
use crate::prelude::*;
#[cfg(target_arch = "x86_64")]
use crate::simd::sums;
use crate::{Error, Result};
#[cfg(feature = "train")]
use core::ops::Range;

/// Slots of a block.
pub(crate) const SLOTS: usize = 16;

/// The bits of the longest span, in blocks. A longer one would need fewer spare slots and more time: elimination is quadratic in it.
pub(crate) const MOST_SPAN_BITS: u32 = 6;

/// The most planes: there are 32 bits in a fingerprint, and keys with the same equation are beyond telling apart.
pub(crate) const MOST_PLANES: u32 = 30;

/// Bytes that are read at once, at most: those of sixteen planes.
pub(crate) const WINDOW: usize = 32;

/// How many planes a filter has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Planes {
    /// In the part that has fewer.
    pub least: u32,
    /// Of `2^32` starts so many are in the part that has one plane more.
    pub longer: u32,
}

impl Planes {
    /// Those in which all sums agree by chance at this rate: `(1 - s) 2^-b + s 2^-(b + 1) = p` for a part `s` with one plane more.
    pub fn for_rate(rate: f64) -> Result<Self> {
        let smallest = 0.5f64.powi(MOST_PLANES as i32);
        if !(rate > smallest && rate < 1.0) {
            return Err(Error::Rate { got: rate, least: smallest });
        }
        let least = (-rate.log2()).floor();
        let part = 2.0 * (1.0 - rate * least.exp2());
        // Saturates.
        Ok(Self { least: least as u32, longer: (part * 2f64.powi(32)).round() as u32 })
    }

    pub fn rate(self) -> f64 {
        let part = f64::from(self.longer) / 2f64.powi(32);
        0.5f64.powi(self.least as i32) * (1.0 - part / 2.0)
    }

    /// Planes of a key, on average.
    pub fn mean(self) -> f64 {
        f64::from(self.least) + f64::from(self.longer) / 2f64.powi(32)
    }
}

/// A part of a filter. Its size is a power of two, so that the place of one is found by a shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(32))]
struct Part {
    /// The bytes of a block.
    stride: usize,
    /// What has to be added to the place of a block as if all blocks before it were of this part; wraps.
    origin: usize,
    /// A bit for each plane.
    mask: u32,
}

/// The layout of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub planes: Planes,
    /// The blocks where keys can start.
    pub starts: u64,
    /// One less than the span, which is a power of two.
    steps: u64,
    /// The first start with one plane more.
    longer_from: u64,
    parts: [Part; 2],
    /// What the bytes of all blocks fill, and a window behind them.
    lines: usize,
    /// For at most eight planes, and for at most sixteen: the same if no key has more and the processor has AVX, otherwise more than there ever are.
    lines_for_vectors: [usize; 2],
}

/// The equation of a key, without its place in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Equation {
    pub start: u64,
    /// How far behind the first block the second is.
    pub step: u64,
    pub patterns: Patterns,
}

/// The chosen slots of both blocks, those of the first in the higher half. It is the fingerprint as well, a bit for each plane, the lowest first: where an equation follows
/// from others, its patterns are the sums of theirs slot by slot, but each half for itself is not.
pub(crate) type Patterns = u32;

/// The pattern of each block.
pub(crate) const fn each(patterns: Patterns) -> [u16; 2] {
    [(patterns >> SLOTS) as u16, patterns as u16]
}

/// Where the equation of a key is in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The first bytes of both blocks.
    pub blocks: [usize; 2],
    pub patterns: Patterns,
    /// A bit for each plane.
    pub planes: u32,
}

impl Shape {
    /// With so many starts.
    ///
    /// # Errors
    /// [`Error::Bits`] past [`MAX_BITS`].
    pub fn new(planes: Planes, starts: u64, span_bits: u32) -> Result<Self> {
        let too_many = || Error::Bits { got: u64::MAX, most: MAX_BITS };
        if starts > MAX_BITS {
            return Err(too_many());
        }
        let longer = (u128::from(starts) * u128::from(planes.longer)).div_ceil(1 << 32) as u64;
        let longer_from = starts - longer;
        let span = 1 << span_bits;
        let blocks = |starts: u64| if starts == 0 { 0 } else { starts + span };
        let stride = |planes: u32| u64::from(planes) * (SLOTS as u64 / 8);
        let [short, long] = [planes.least, planes.least + 1].map(stride);
        let second = blocks(longer_from) * short;
        let bytes = second + blocks(longer) * long + WINDOW as u64;
        if bytes > MAX_BITS / 8 {
            return Err(too_many());
        }
        let bytes = usize::try_from(bytes).map_err(|_| too_many())?;
        let origin = (second as usize).wrapping_sub((longer_from * long) as usize);
        let part = |planes: u32, stride: u64, origin: usize| Part {
            stride: stride as usize,
            origin,
            mask: (1 << planes) - 1,
        };
        let parts = [part(planes.least, short, 0), part(planes.least + 1, long, origin)];
        let lines = bytes.div_ceil(LINE_BYTES);
        #[cfg(target_arch = "x86_64")]
        let has_vectors = sums::is_there();
        #[cfg(not(target_arch = "x86_64"))]
        let has_vectors = false;
        let lines_for_vectors =
            [8, 16].map(|most| if has_vectors && planes.least < most { lines } else { usize::MAX });
        Ok(Self { planes, starts, steps: span - 1, longer_from, parts, lines, lines_for_vectors })
    }

    /// How many lines it has.
    #[inline(always)]
    pub const fn lines(&self) -> usize {
        self.lines
    }

    /// To compare them with what is there answers three questions at once.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub const fn lines_for_vectors(&self) -> [usize; 2] {
        self.lines_for_vectors
    }

    /// How many blocks behind its first one the second block of a key can be.
    pub const fn span(&self) -> u64 {
        self.steps + 1
    }

    /// The starts of its parts, which may be none.
    #[cfg(feature = "train")]
    pub const fn parts(&self) -> [Range<u64>; 2] {
        [0..self.longer_from, self.longer_from..self.starts]
    }

    /// The planes of a part, and where its first block is in memory.
    #[cfg(feature = "train")]
    pub const fn part(&self, part: usize) -> (u32, usize) {
        let Part { stride, origin, mask } = self.parts[part];
        (mask.count_ones(), (self.parts()[part].start as usize * stride).wrapping_add(origin))
    }

    /// Where a key starts.
    #[inline(always)]
    pub const fn start(&self, hash: u64) -> u64 {
        ((hash as u128 * self.starts as u128) >> 64) as u64
    }

    /// The equation of a key. Starts are in the order of hashes; everything else comes from what the start leaves of the hash.
    #[inline(always)]
    pub const fn equation(&self, hash: u64) -> Equation {
        // The two halves of a product.
        let (start, rest) = (self.start(hash), hash.wrapping_mul(self.starts));
        let step = 1 + (rest >> (64 - MOST_SPAN_BITS) & self.steps);
        let patterns = (rest >> (32 - MOST_SPAN_BITS)) as Patterns;
        Equation { start, step, patterns }
    }

    /// The place of a key. Behind the first byte of each block there are those of the block and a window.
    #[inline(always)]
    pub const fn place(&self, hash: u64) -> Place {
        let Equation { start, step, patterns } = self.equation(hash);
        let part = &self.parts[(start >= self.longer_from) as usize];
        let first = (start as usize).wrapping_mul(part.stride).wrapping_add(part.origin);
        let second = first.wrapping_add(step as usize * part.stride);
        Place { blocks: [first, second], patterns, planes: part.mask }
    }

    /// The slots that a key chooses, as places among all bits of all planes if there were but one.
    pub fn slots(&self, hash: u64) -> Vec<u64> {
        let Equation { start, step, patterns } = self.equation(hash);
        // The blocks behind the last start of the first part are before the second.
        let before =
            if start >= self.longer_from && self.longer_from > 0 { self.span() } else { 0 };
        let blocks = [start + before, start + before + step];
        let chosen = |(block, pattern): (u64, u16)| {
            let slots = (0..SLOTS as u64).filter(move |slot| pattern >> slot & 1 == 1);
            slots.map(move |slot| block * SLOTS as u64 + slot)
        };
        blocks.into_iter().zip(each(patterns)).flat_map(chosen).collect()
    }
}
