//! A lock for a stripe of lines, held for a few nanoseconds.

use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// Guards the lines of one stripe and counts what was inserted into them.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Stripe {
    held: AtomicBool,
    items: AtomicU64,
}

/// Lets go when dropped, also while a panic passes through.
struct Hold<'a>(&'a AtomicBool);

impl Drop for Hold<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.store(false, Release);
    }
}

impl Stripe {
    /// Runs `work` alone among the holders of this stripe; it is given the number of items and
    /// returns the new one.
    #[inline(always)]
    pub(super) fn hold(&self, work: impl FnOnce(u64) -> u64) {
        let mut tries = 0u32;
        while self.held.swap(true, Acquire) {
            while self.held.load(Relaxed) {
                // The holder works for nanoseconds; if it does not let go, it was
                // interrupted, and its processor may be ours.
                tries += 1;
                if tries.is_multiple_of(64) {
                    std::thread::yield_now();
                } else {
                    std::hint::spin_loop();
                }
            }
        }
        let hold = Hold(&self.held);
        self.items.store(work(self.items.load(Relaxed)), Relaxed);
        drop(hold);
    }

    pub(super) fn items(&self) -> u64 {
        self.items.load(Relaxed)
    }
}
