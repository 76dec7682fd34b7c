//! A lock for a stripe of lines, held for a few nanoseconds.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// What stands in a stripe that is held.
const HELD: u64 = u64::MAX;

/// The most items that are added at once: to count from there to [`HELD`], one by one, takes centuries.
pub(super) const MOST_ITEMS: u64 = 1 << 63;

/// Guards the lines of one stripe and counts what was inserted into them: one word for both.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Stripe(AtomicU64);

/// Lets go when dropped, also while a panic passes through.
struct Held<'a> {
    stripe: &'a Stripe,
    items: u64,
}

impl Drop for Held<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.stripe.0.store(self.items, Release);
    }
}

impl Stripe {
    /// Runs `work` alone among the holders of this stripe; it is given the number of items and
    /// returns the new one: the same, one more, or at most [`MOST_ITEMS`].
    #[inline(always)]
    pub(crate) fn hold(&self, work: impl FnOnce(u64) -> u64) {
        let mut items = self.0.swap(HELD, Acquire);
        if items == HELD {
            items = self.wait();
        }
        let mut hold = Held { stripe: self, items };
        hold.items = work(items);
    }

    /// Takes the stripe as soon as its holder lets go.
    #[cold]
    fn wait(&self) -> u64 {
        loop {
            self.items();
            let items = self.0.swap(HELD, Acquire);
            if items != HELD {
                return items;
            }
        }
    }

    /// The number of items, when nobody is about to change it.
    pub(super) fn items(&self) -> u64 {
        let mut tries = 0u32;
        loop {
            let items = self.0.load(Relaxed);
            if items != HELD {
                return items;
            }
            // The holder works for nanoseconds; if it does not let go, it was
            // interrupted, and its processor may be ours.
            tries += 1;
            if tries % 64 == 0 {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}
