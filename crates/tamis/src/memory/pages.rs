//! Large arrays on large pages.
//!
//! A filter is read at random places. Where a page has 4 KiB, nearly each read of an array of more than a
//! few megabytes first has to look up where its page is. Linux gives pages of 2 MiB to those who ask.

#![allow(unsafe_code)]

use core::mem::MaybeUninit;

/// Smaller arrays have too few large pages, or none, to be worth a call.
#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
const LEAST_BYTES: usize = 4 << 20;

/// Asks for large pages for memory that was not touched yet. Whether they are given does not matter
/// to anything but the time.
#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
pub(super) fn ask_for_large<T>(memory: &mut [MaybeUninit<T>]) {
    const PAGE: usize = 4096;
    let bytes = size_of_val(memory);
    if bytes < LEAST_BYTES {
        return;
    }
    let start: *mut u8 = memory.as_mut_ptr().cast();
    let skipped = start.align_offset(PAGE);
    // SAFETY: the range is inside of `memory`, which is ours alone, and starts at a page. The
    // advice changes no byte of it.
    unsafe {
        libc::madvise(
            start.add(skipped).cast(),
            (bytes - skipped) / PAGE * PAGE,
            libc::MADV_HUGEPAGE,
        );
    }
}

#[cfg(not(all(feature = "std", target_os = "linux", not(miri))))]
pub(super) fn ask_for_large<T>(_memory: &mut [MaybeUninit<T>]) {}
