//! A line that several threads see.

use super::{Line, WORDS};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A [`Line`] behind a shared reference. Every word is read and written whole; words are
/// not ordered among each other.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct SharedLine(pub(crate) [AtomicU64; WORDS]);

impl SharedLine {
    pub(crate) fn new(line: &Line) -> Self {
        Self(std::array::from_fn(|word| AtomicU64::new(line.word(word))))
    }

    pub(crate) fn load(&self) -> Line {
        let mut line: Line = bytemuck::Zeroable::zeroed();
        for index in 0..WORDS {
            line.set_word(index, self.word(index));
        }
        line
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
