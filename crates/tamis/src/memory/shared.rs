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
        for (index, word) in self.0.iter().enumerate() {
            line.set_word(index, word.load(Relaxed));
        }
        line
    }

    /// To be called by one thread at a time.
    #[inline(always)]
    pub(crate) fn set(&self, masks: [u64; WORDS]) {
        for (word, mask) in self.0.iter().zip(masks) {
            word.store(word.load(Relaxed) | mask, Relaxed);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0 = Default::default();
    }
}
