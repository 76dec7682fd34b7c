//! What a layout must know: where the bits of a key are, and what that costs.

use super::Line;
use crate::prelude::*;
use crate::{Error, Result};
use core::fmt::Debug;

/// Where the bits or counters of a key are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Anywhere: least memory.
    Classic,
    /// In one cache line: most speed.
    Blocked,
}

impl Layout {
    /// Its name on the command line, in JSON and in Python.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Blocked => "blocked",
        }
    }

    /// Its number in files.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Classic => 1,
            Self::Blocked => 2,
        }
    }

    pub(crate) fn from_code(code: u8) -> Result<Self> {
        let mut all = [Self::Classic, Self::Blocked].into_iter();
        all.find(|layout| layout.code() == code)
            .ok_or_else(|| Error::malformed("the layout", "1 or 2", code))
    }
}

/// A [`Layout`] as a type: [`super::Classic`] and [`super::Blocked`] are the two.
pub trait BitLayout: Copy + Debug + PartialEq + Send + Sync + sealed::Sealed {
    /// Which one it is.
    const LAYOUT: Layout;
    /// Its number in files.
    #[doc(hidden)]
    const CODE: u8 = Self::LAYOUT.code();
    /// The most functions that it takes.
    #[doc(hidden)]
    const MAX_HASHES: u32;

    /// The layout for this many keys at this rate.
    ///
    /// # Errors
    /// [`crate::Error::Rate`] or [`crate::Error::Bits`].
    #[doc(hidden)]
    fn for_rate(items: u64, rate: f64) -> Result<Self>;

    /// The layout with this many bits and functions.
    ///
    /// # Errors
    /// [`crate::Error::Hashes`] or [`crate::Error::Bits`].
    #[doc(hidden)]
    fn for_bits(bits: u64, hashes: u32) -> Result<Self>;

    /// How many bits.
    #[doc(hidden)]
    fn bits(&self) -> u64;

    /// How many functions.
    #[doc(hidden)]
    fn hashes(&self) -> u32;

    /// How many lines hold the bits.
    #[doc(hidden)]
    fn lines(&self) -> usize {
        self.bits().div_ceil(crate::memory::LINE_BITS) as usize
    }

    /// The false-positive rate with `items` different keys in.
    #[doc(hidden)]
    fn expected_rate(&self, items: u64) -> f64;

    /// How many keys fill half of the bits, at least one: a few bits are half full before that.
    #[doc(hidden)]
    fn half_full(&self) -> u64 {
        (self.estimated_items(0.5) as u64).max(1)
    }

    /// How many different keys set this part of the bits.
    #[doc(hidden)]
    fn estimated_items(&self, fill: f64) -> f64;

    /// The rate that follows from the bits as they are.
    #[doc(hidden)]
    fn rate_of(&self, lines: &[Line]) -> f64;

    /// The positions of a key, in the order of the functions.
    #[doc(hidden)]
    fn indexes(&self, hash: u64) -> Vec<u64>;

    /// Whether all bits of a key are set.
    #[doc(hidden)]
    fn contains(&self, lines: &[Line], hash: u64) -> bool;

    /// Sets the bits of a key; whether one was not set. Nothing is spent on that if nobody asks.
    #[doc(hidden)]
    fn insert(&self, lines: &mut [Line], hash: u64) -> bool;

    /// In how many lines the bits of a key are.
    #[doc(hidden)]
    fn lines_per_key(&self) -> u32;

    /// Prefetches the lines of a key.
    #[doc(hidden)]
    fn fetch(&self, lines: &[Line], hash: u64);
}

pub(super) mod sealed {
    /// Layouts are part of the file format; there are no others.
    pub trait Sealed {}
}
