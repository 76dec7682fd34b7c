//! Fetching cache lines before they are needed: one pipeline, and one policy for when to use it.
//!
//! A lookup in a structure that is larger than the caches waits for memory, tens of nanoseconds,
//! and is a few nanoseconds of work. [`pipeline`] starts the fetches of the keys ahead and then
//! works on those whose lines have arrived, so that many waits overlap. While a structure is in
//! some cache, a processor that works on several keys at once waits as little without it.

#![allow(unsafe_code)]

use super::Line;

/// Structures of up to this many lines, 4 MiB, are in some cache.
const CACHED: usize = 1 << 16;

/// The most keys between fetch and use: as many lines as there is room for in the nearest cache.
const MOST_AHEAD: usize = 64;

/// How many keys ahead lines are fetched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ahead {
    /// A power of two, at most [`MOST_AHEAD`]; 0 if nothing needs to be fetched.
    keys: usize,
}

impl Ahead {
    /// The policy: none in a structure of so few lines that it is in some cache, otherwise as many
    /// keys as have room for all their lines in the nearest cache.
    #[inline(always)]
    pub(crate) const fn of(lines: usize, lines_per_key: u32) -> Self {
        if lines <= CACHED {
            return Self { keys: 0 };
        }
        Self::always(lines_per_key)
    }

    /// The same for lines that other cores may have, whatever their number.
    #[inline(always)]
    pub(crate) const fn always(lines_per_key: u32) -> Self {
        let keys = match lines_per_key {
            0 | 1 => MOST_AHEAD,
            2..=3 => MOST_AHEAD / 2,
            _ => MOST_AHEAD / 4,
        };
        Self { keys }
    }

    /// Whether anything is fetched.
    #[inline(always)]
    pub(crate) const fn is_needed(self) -> bool {
        self.keys > 0
    }
}

/// Works on keys in their order: `start` gives what the work on a key needs, `fetch` starts to fetch
/// its lines, and `visit` does the work, some keys later.
#[inline(always)]
pub(crate) fn pipeline<K, P: Copy + Default, T>(
    ahead: Ahead,
    mut keys: impl Iterator<Item = K>,
    state: &mut T,
    mut start: impl FnMut(K) -> P,
    fetch: impl Fn(P, &T),
    mut visit: impl FnMut(P, &mut T),
) {
    if ahead.keys == 0 {
        for key in keys {
            visit(start(key), state);
        }
        return;
    }
    let (mut ring, last) = ([P::default(); MOST_AHEAD], ahead.keys - 1);
    let mut count = 0;
    while count <= last {
        let Some(key) = keys.next() else { break };
        let place = start(key);
        fetch(place, state);
        ring[count % MOST_AHEAD] = place;
        count += 1;
    }
    let mut oldest = 0;
    for key in keys {
        let next = start(key);
        fetch(next, state);
        let slot = &mut ring[oldest & last & (MOST_AHEAD - 1)];
        visit(core::mem::replace(slot, next), state);
        oldest += 1;
    }
    for place in oldest..oldest + count {
        visit(ring[place & last & (MOST_AHEAD - 1)], state);
    }
}

/// Starts to bring `line` into the first-level cache.
#[inline(always)]
pub(crate) fn prefetch(line: &Line) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing into the program and cannot fault; the
        // address is that of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(line).cast()) };
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        core::arch::asm!(
            "prfm pldl1keep, [{}]",
            in(reg) core::ptr::from_ref(line),
            options(nostack, preserves_flags, readonly),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = line;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn every_key_is_fetched_first_and_visited_once_in_order() {
        for ahead in [Ahead::of(0, 1), Ahead::always(1), Ahead::always(2), Ahead::always(9)] {
            for count in [0usize, 1, 15, 16, 17, 63, 64, 65, 200] {
                let (fetched, mut visited) = (Cell::new(0), Vec::new());
                pipeline(
                    ahead,
                    0..count,
                    &mut visited,
                    |key| key,
                    |key, visited: &Vec<usize>| {
                        assert_eq!(key, fetched.replace(key + 1));
                        assert!(key - visited.len() <= ahead.keys);
                    },
                    |key, visited| {
                        assert!(!ahead.is_needed() || key < fetched.get());
                        visited.push(key);
                    },
                );
                assert!(visited.into_iter().eq(0..count), "{count} keys, {ahead:?}");
            }
        }
    }
}
