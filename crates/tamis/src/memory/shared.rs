//! A line that several threads see.

use super::{Line, WORDS};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A [`Line`] behind a shared reference. Every word is read and written whole; words are
/// not ordered among each other.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct SharedLine(pub(crate) [AtomicU64; WORDS]);

/// A [`SharedLine`] that one thread holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held<'a>(pub(crate) &'a SharedLine);

impl SharedLine {
    pub(crate) fn new(line: &Line) -> Self {
        Self(core::array::from_fn(|word| AtomicU64::new(line.word(word))))
    }

    pub(crate) fn load(&self) -> Line {
        let mut line: Line = bytemuck::Zeroable::zeroed();
        for index in 0..WORDS {
            line.set_word(index, self.word(index));
        }
        line
    }

    /// The line to one who holds it alone: no other thread writes to it meanwhile.
    #[inline(always)]
    pub(crate) const fn held(&self) -> Held<'_> {
        Held(self)
    }

    /// Word `index`, modulo eight.
    #[inline(always)]
    pub(crate) fn word(&self, index: usize) -> u64 {
        self.0[index % WORDS].load(Relaxed)
    }

    /// Changes word `index`, modulo eight; to be called by one thread at a time.
    #[inline(always)]
    pub(crate) fn set_word(&self, index: usize, value: u64) {
        self.0[index % WORDS].store(value, Relaxed);
    }

    pub(crate) fn clear(&mut self) {
        self.0 = Default::default();
    }
}
