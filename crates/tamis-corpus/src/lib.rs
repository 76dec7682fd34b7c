//! Where users' files are opened: keys line by line, filters mapped, results written whole or
//! not at all.
//!
//! - [`keys`]: lines or NUL-separated strings of files and streams, in blocks.
//! - [`similar`]: from documents to verified similar pairs and clusters.
//! - [`files`]: mapping a file and replacing one atomically.

pub mod files;
pub mod keys;
pub mod similar;

mod error;

pub use error::Error;

/// The result of everything here that can be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;
