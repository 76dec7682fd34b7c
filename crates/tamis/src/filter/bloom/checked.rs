//! An array that is known to be long enough for every position of a layout: one check stands for
//! the one at each position.
//!
//! Measured with the checks at each position, a question took 1.05 to 1.1 of the time.

#![allow(unsafe_code)]

use super::{BitLayout, Blocked, Classic, Line};

fn must_hold(layout: &impl BitLayout, lines: &[Line]) {
    assert!(layout.bits().div_ceil(crate::filter::LINE_BITS) <= lines.len() as u64);
}

/// A place in the array of a classic layout: less than its number of bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position(pub(super) u64);

/// The words of a classic layout.
pub(super) struct Words<W>(W);

impl<'a> Words<&'a [u64]> {
    #[inline(always)]
    pub(super) fn new(layout: &Classic, lines: &'a [Line]) -> Self {
        must_hold(layout, lines);
        Self(bytemuck::cast_slice(lines))
    }

    /// The bit at a position, in the lowest place of the result.
    #[inline(always)]
    pub(super) fn bit(&self, position: Position) -> u64 {
        debug_assert!(position.0 / 64 < self.0.len() as u64);
        // SAFETY: a position is less than the bits of the layout it was made for, and `new`
        // has checked that there are as many.
        let word = unsafe { *self.0.get_unchecked((position.0 / 64) as usize) };
        u64::from_le(word) >> (position.0 % 64)
    }
}

impl<'a> Words<&'a mut [u64]> {
    #[inline(always)]
    pub(super) fn new_mut(layout: &Classic, lines: &'a mut [Line]) -> Self {
        must_hold(layout, lines);
        Self(bytemuck::cast_slice_mut(lines))
    }

    /// Sets the bit at a position; what it was, in the lowest place of the result.
    #[inline(always)]
    pub(super) fn set(&mut self, position: Position) -> u64 {
        debug_assert!(position.0 / 64 < self.0.len() as u64);
        // SAFETY: as in `bit`.
        let word = unsafe { self.0.get_unchecked_mut((position.0 / 64) as usize) };
        let old = u64::from_le(*word) >> (position.0 % 64);
        *word |= (1u64 << (position.0 % 64)).to_le();
        old
    }
}

/// The line of a key in the blocked layout.
#[inline(always)]
pub(super) fn line<'a>(layout: &Blocked, lines: &'a [Line], hash: u64) -> &'a Line {
    must_hold(layout, lines);
    // SAFETY: `line_of` is less than the lines of the layout, and there are as many.
    unsafe { lines.get_unchecked(layout.line_of(hash)) }
}

/// As [`line`], to be changed.
#[inline(always)]
pub(super) fn line_mut<'a>(layout: &Blocked, lines: &'a mut [Line], hash: u64) -> &'a mut Line {
    must_hold(layout, lines);
    // SAFETY: as in `line`.
    unsafe { lines.get_unchecked_mut(layout.line_of(hash)) }
}
