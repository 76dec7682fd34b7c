//! One self-describing file format for everything that Tamis keeps.
//!
//! ```text
//! offset  size
//!      0     8  signature        89 54 41 4D 49 53 0D 0A  ("\x89TAMIS\r\n")
//!      8     2  kind             which structure
//!     10     2  version          of that kind, from 1
//!     12     4  header length H  a multiple of 64, at most 65,536
//!     16     8  content length
//!     24     8  content checksum XXH3-64, seed 0
//!     32     2  hash             1 xxh3, 2 farmhash64, 3 murmur3
//!     34     1  which keys: 1 text, 2 integers, 4 lists, 8 unknown, added up
//!     35     5  zero
//!     40     8  seed
//!     48     8  items
//!     56        parameters of the kind, then zeros
//!  H - 8     8  header checksum  XXH3-64, seed 0, of bytes 0 .. H - 8
//!      H        content, in lines of 64 bytes
//! ```
//!
//! All integers are little-endian. Opening reads the header alone: it costs the
//! same for a kilobyte and a terabyte, and finds every damage to the header, every
//! truncation and every appended byte. [`File::verify`] reads the content too.
//! `docs/format.md` has a table per kind.

#[cfg(feature = "std")]
mod disk;
mod fields;
mod file;
mod kind;
pub(crate) mod stored;
mod write;

#[cfg(feature = "std")]
pub use disk::Bytes;
pub use file::{ALIGNMENT, File, Header, MAGIC, MAX_HEADER};
pub use kind::Kind;
pub use write::Write;

// For the crates of this project, not for others.
#[cfg(feature = "std")]
#[doc(hidden)]
pub use disk::{Failure, READ_UP_TO, replace};
#[doc(hidden)]
pub use fields::{Fields, Parameters};
