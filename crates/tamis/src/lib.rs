//! Tamis: a fine sieve for collections too large to keep.
//!
//! The library answers questions about sets in a few bits per item and says how
//! sure it is. It opens no file but those whose path it is given: everything also works with
//! bytes that come in and go out. It starts no thread but for what is built at once from all its keys
//! ([`cascade::Trainer`], [`filter::StaticFilter`]), which uses all cores and ends
//! before it returns; that is behind the feature `train`, which is on by default.
//!
//! | question | module |
//! |---|---|
//! | Have I seen this? How often? | [`filter`] |
//! | What is it like? | [`similar`] |
//! | Which class is it in? | [`cascade`] |
//! | Is this a word, and what was meant? | [`spell`] |
//! | How large, how wrong, before anything is built? | [`plan`] |
//! | Which functions of a key are used? | [`hash`] |
//! | What do the bytes of a file mean? | [`codec`] |
//!
//! # Features
//!
//! | feature | what for | on by default |
//! |---|---|---|
//! | `std` | files by their paths, shared filters, paths as keys; without it `alloc` is enough | yes |
//! | `train` | building static filters and cascades | yes |
//! | `cascade` | [`cascade`] | yes |
//! | `similar` | [`similar`], with two crates for Unicode | yes |
//! | `spell` | [`spell`], with the same crates | yes |
//! | `serde` | filters as fields of structures that serde reads and writes | no |
//!
//! ```
//! use tamis::filter::BlockedBloomFilter;
//!
//! let mut seen = BlockedBloomFilter::with_false_positive_rate(1_000, 0.01)?;
//! seen.insert("anne@example.org");
//! assert!(seen.contains("anne@example.org"));
//! # Ok::<(), tamis::Error>(())
//! ```

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(not(all(feature = "std", feature = "cascade", feature = "train")), allow(dead_code))]

#[macro_use]
extern crate alloc;

#[cfg(feature = "cascade")]
pub mod cascade;
pub mod codec;
pub mod filter;
pub mod hash;
#[cfg(feature = "std")]
pub mod plan;
#[cfg(feature = "similar")]
pub mod similar;
#[cfg(feature = "spell")]
pub mod spell;

mod error;
#[cfg(not(feature = "std"))]
mod math;
mod memory;
mod prelude;
mod simd;
mod solve;

pub use error::Error;

/// The result of everything here that can be refused.
pub type Result<T, E = Error> = core::result::Result<T, E>;
