//! The numbers of a ribbon that no formula gives. Those of wide ones were chosen by measuring; those of narrow ones are scaled from them, and
//! only their size was measured (1.003 of the bits of the values).
//!
//! Wide ribbons waste least, narrow ones are asked faster: for values of many bits, of which each slot more has to be summed.

use super::WORD;

/// Even values of so many bits are kept in narrow ribbons.
pub(super) const MANY: u32 = 4;

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

/// For uneven values, whose bits are a word apart each. All at one place would vary so much in number from place to place that the same
/// buckets waste twice as much.
///
/// With 0.95 slots for each equation one key in 19 is bumped, with 0.97 one in 31, for a thousandth more room: each is a branch that a processor
/// guesses wrong, and a second place to look at.
pub(super) static UNEVEN: Shape =
    Shape { width: 128, bucket: 512, thresholds: [0, 48, 120, 512], load: 0.97 };

impl Shape {
    /// Words of slots in a bucket.
    pub const fn bucket_words(&self) -> usize {
        self.bucket / WORD
    }
}

/// How long the values of a structure are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lengths {
    /// All as long: a slot has as many bits, and a key one equation.
    Even,
    /// Some are shorter than the longest: a slot has one bit, and a key an equation for each of its own.
    Uneven,
}

/// What the values of a structure are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Values {
    /// Bits of a value; of the longest if they are uneven.
    pub bits: u32,
    pub lengths: Lengths,
}

impl Values {
    /// Values of so many bits each.
    pub const fn even(bits: u32) -> Self {
        Self { bits, lengths: Lengths::Even }
    }

    /// Values of up to so many bits.
    pub const fn uneven(bits: u32) -> Self {
        Self { bits, lengths: Lengths::Uneven }
    }

    pub const fn are_uneven(self) -> bool {
        matches!(self.lengths, Lengths::Uneven)
    }

    /// Slots that the equations of a key reach over.
    #[inline(always)]
    pub(super) const fn reach(self) -> usize {
        let width = self.shape().width;
        if self.are_uneven() { width + WORD * (self.bits as usize - 1) } else { width }
    }

    /// At how many of the slots of a shard keys may start: all their slots are among those from there on.
    pub(super) const fn starts(self, shard_words: usize) -> usize {
        shard_words * WORD - self.reach() + 1
    }

    /// The shape of their ribbon.
    #[inline(always)]
    pub(super) const fn shape(self) -> &'static Shape {
        match self.lengths {
            Lengths::Uneven => &UNEVEN,
            Lengths::Even if self.bits >= MANY => &NARROW,
            Lengths::Even => &WIDE,
        }
    }
}
