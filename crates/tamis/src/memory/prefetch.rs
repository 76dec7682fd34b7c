//! Asking for a cache line before it is needed.
//!
//! A batch first asks for the lines of the keys ahead and then looks at those that
//! have arrived, so that the memory's latency is paid once per batch and not once
//! per key. On machines without a stable prefetch instruction this does nothing.

#![allow(unsafe_code)]

use super::Line;
#[cfg(target_arch = "x86_64")]
use crate::filter::bloom::avx2::Avx2;

/// How many keys ahead of the current one a batch asks for lines.
pub(crate) const AHEAD: usize = 24;

/// Filters of up to this many lines, 512 KiB, stay in the second-level cache; there asking costs
/// more than it saves: 1.1 of the time.
pub(crate) const CACHED: usize = 8192;

/// Starts to bring `line` into the first-level cache.
#[inline(always)]
pub(crate) fn prefetch(line: &Line) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing into the program and cannot fault; the
        // address is that of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Starts to bring what is at `place` into the first-level cache, to be written to.
///
/// As assembly: for a build that has to run on every x86-64 the compiler makes a prefetch for reading of `_MM_HINT_ET0`, after which a
/// line that another core has must be asked for once more. Some of the first x86-64 do not know it; all with AVX2 do.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn prefetch_to_write<T>(_: Avx2, place: &T) {
    // SAFETY: as above, and the processor has the instruction.
    unsafe {
        std::arch::asm!(
            "prefetchw [{}]",
            in(reg) std::ptr::from_ref(place),
            options(nostack, preserves_flags, readonly),
        );
    }
}

/// The most keys that are asked for before the first of them is looked at.
const MOST_ASKED: usize = 64;

/// Asks for each key, which gives its hash, and visits it so many keys later; `count` is a power of two.
#[inline(always)]
pub(crate) fn for_each_asked<K, T>(
    count: usize,
    keys: &[K],
    mut state: T,
    ask: impl Fn(&K, &T) -> u64,
    mut visit: impl FnMut(u64, &mut T),
) {
    assert!(count.is_power_of_two() && count <= MOST_ASKED);
    let (first, later) = keys.split_at(count.min(keys.len()));
    let mut ring = [0; MOST_ASKED];
    for (slot, key) in ring.iter_mut().zip(first) {
        *slot = ask(key, &state);
    }
    for (place, key) in later.iter().enumerate() {
        let next = ask(key, &state);
        visit(std::mem::replace(&mut ring[place % count], next), &mut state);
    }
    for place in later.len()..keys.len() {
        visit(ring[place % count], &mut state);
    }
}
