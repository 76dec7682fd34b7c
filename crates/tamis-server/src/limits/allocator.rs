//! The memory of large messages goes back to the system when they are answered.
//!
//! The allocator of glibc moves its threshold for blocks of their own up to 32 MiB as such blocks are
//! freed. Later ones then come from heaps, where what is small and lives on keeps what is large and gone:
//! 200 messages of 33 MB took 250 to 280 MB within a limit of 128 MB, and 123 MB with a fixed threshold.

/// Blocks of at least this many bytes are mapped on their own, always.
const THRESHOLD: i32 = 256 << 10;

/// Fixes the threshold of the allocator.
#[allow(unsafe_code)]
pub(crate) fn map_large_blocks() {
    // SAFETY: `mallopt` sets a parameter of the allocator; it takes no pointer and may be called at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, THRESHOLD);
    }
}
