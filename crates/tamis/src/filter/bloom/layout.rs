//! What a layout must know: where the bits of a key are, and what that costs.

use super::Line;
use crate::Result;
use std::fmt::Debug;

/// A way to place the bits of a key. [`super::Classic`] and [`super::Blocked`] are the two.
pub trait Layout: Copy + Debug + PartialEq + Send + Sync + sealed::Sealed {
    /// Its name on the command line, in JSON and in Python.
    const NAME: &'static str;
    /// Its number in files.
    const CODE: u8;
    /// The most functions that it takes.
    const MAX_HASHES: u32;
    /// The lines of so many keys are asked for at a time, if any: as many as there is room for in the nearest cache.
    const ASKED: usize;

    /// The layout for this many keys at this rate.
    ///
    /// # Errors
    /// [`crate::Error::Rate`] or [`crate::Error::Bits`].
    fn for_rate(items: u64, rate: f64) -> Result<Self>;

    /// The layout with this many bits and functions.
    ///
    /// # Errors
    /// [`crate::Error::Hashes`] or [`crate::Error::Bits`].
    fn for_bits(bits: u64, hashes: u32) -> Result<Self>;

    /// How many bits.
    fn bits(&self) -> u64;

    /// How many functions.
    fn hashes(&self) -> u32;

    /// How many lines hold the bits.
    fn lines(&self) -> usize {
        self.bits().div_ceil(crate::memory::LINE_BITS) as usize
    }

    /// The false-positive rate with `items` different keys in.
    fn expected_rate(&self, items: u64) -> f64;

    /// How many keys fill half of the bits, at least one: a few bits are half full before that.
    fn half_full(&self) -> u64 {
        (self.estimated_items(0.5) as u64).max(1)
    }

    /// How many different keys set this part of the bits.
    fn estimated_items(&self, fill: f64) -> f64;

    /// The rate that follows from the bits as they are.
    fn rate_of(&self, lines: &[Line]) -> f64;

    /// The positions of a key, in the order of the functions.
    fn indexes(&self, hash: u64) -> Vec<u64>;

    /// Whether all bits of a key are set.
    fn contains(&self, lines: &[Line], hash: u64) -> bool;

    /// Sets the bits of a key.
    fn insert(&self, lines: &mut [Line], hash: u64);

    /// Whether [`Self::contains`] and [`Self::insert`] are compiled into the loop of whoever calls them.
    fn is_inlined(&self) -> bool;

    /// Starts to bring the lines of a key into the nearest cache.
    fn ask(&self, lines: &[Line], hash: u64);

    /// [`Self::contains`] for many keys.
    fn contains_many(&self, lines: &[Line], hashes: &[u64], found: &mut [bool]);

    /// [`Self::insert`] for many keys.
    fn insert_many(&self, lines: &mut [Line], hashes: &[u64]);
}

pub(super) mod sealed {
    /// Layouts are part of the file format; there are no others.
    pub trait Sealed {}
}
