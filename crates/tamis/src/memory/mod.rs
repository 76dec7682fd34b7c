//! Where bits are: cache lines, owned, mapped or shared between threads, and how they are fetched.
//!
//! Nothing here knows what the bits mean. Everything above reads and writes whole [`Line`]s.

pub(crate) mod line;
mod mapped;
mod pages;
pub(crate) mod prefetch;
mod shared;

pub use line::{LINE_BITS, Line, WORDS};
pub(crate) use line::{LINE_BYTES, chunks};
pub use mapped::{Mapped, Storage};
pub(crate) use shared::{Held, SharedLine};

/// The largest structure: 512 GiB.
pub const MAX_BITS: u64 = 1 << 42;
