//! The numbers of a ribbon that no formula gives. Those of wide ones were chosen by measuring; those of narrow ones are scaled from them, and
//! only their size was measured (1.003 of the bits of the values).
//!
//! Wide ribbons waste least, narrow ones are asked faster: for values of many bits, of which each slot more has to be summed.

use super::WORD;

/// Values of so many bits are kept in narrow ribbons.
const MANY: u32 = 4;

/// How equations are laid out.
#[derive(Debug, PartialEq)]
pub(super) struct Shape {
    /// Slots that an equation reaches over.
    pub width: usize,
    /// Slots of a bucket.
    pub bucket: usize,
    /// From which slot of a bucket on its keys stay, for each of the four thresholds.
    pub thresholds: [usize; 4],
    /// Slots for each key that comes: too few for all of them, so that hardly one stays empty.
    pub load: f64,
}

/// Sizes are the same within a thousandth for loads of 0.93 to 0.98; below that keys are bumped twice, above it slots stay
/// empty.
pub(super) static WIDE: Shape =
    Shape { width: 128, bucket: 512, thresholds: [0, 48, 120, 512], load: 0.965 };

pub(super) static NARROW: Shape =
    Shape { width: 64, bucket: 128, thresholds: [0, 16, 44, 128], load: 0.94 };

impl Shape {
    /// The shape for values of so many bits.
    #[inline(always)]
    pub const fn of(bits: u32) -> &'static Self {
        if is_narrow(bits) { &NARROW } else { &WIDE }
    }

    /// Words of slots in a bucket.
    pub const fn bucket_words(&self) -> usize {
        self.bucket / WORD
    }
}

/// Whether values of so many bits are kept in a narrow ribbon.
#[inline(always)]
pub(super) const fn is_narrow(bits: u32) -> bool {
    bits >= MANY
}
