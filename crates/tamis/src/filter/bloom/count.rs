//! The number of insertions, in one instruction each.

/// A number that stops at its end. What is added one by one is counted apart: that it
/// could come to its end need not be checked each time, which takes a tenth of an insertion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count {
    before: u64,
    one_by_one: u64,
}

impl Count {
    pub(super) const fn new(before: u64) -> Self {
        Self { before, one_by_one: 0 }
    }

    pub(super) const fn get(self) -> u64 {
        self.before.saturating_add(self.one_by_one)
    }

    #[inline(always)]
    pub(super) const fn add_one(&mut self) {
        // At a nanosecond each, 2^64 insertions take five centuries.
        self.one_by_one = self.one_by_one.wrapping_add(1);
    }

    #[inline(always)]
    pub(super) const fn add(&mut self, count: u64) {
        self.before = self.before.saturating_add(count);
    }
}
