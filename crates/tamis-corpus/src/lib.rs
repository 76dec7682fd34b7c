//! Where users' files are opened: keys line by line, documents and sets of any format, filters
//! mapped, results written whole or not at all.
//!
//! - [`keys`]: lines or NUL-separated strings of files and streams, in blocks.
//! - [`categories`]: keys with their categories.
//! - [`similar`]: from documents to verified similar pairs and clusters.
//! - [`documents`]: texts of folders, lines, JSONL, CSV, TSV, Parquet and Arrow.
//! - [`sets`]: ready-made sets, a member per row.
//! - [`pictures`]: PNG and JPEG files of folders.
//! - [`rewrite`]: a corpus without some of its documents, in its own format.
//! - [`report`]: rows of two names and a similarity, as TSV, JSONL or Parquet.
//! - [`table`]: what reports and lists are written as.
//! - [`objects`]: objects of stores and files of web servers, in the place of paths.
//! - [`files`]: mapping a file and replacing one atomically.
//! - [`lock`]: one process at a time changes a file.

pub mod categories;
pub mod documents;
pub mod files;
pub mod keys;
pub mod lock;
pub mod objects;
pub mod pictures;
pub mod report;
pub mod rewrite;
pub mod sets;
pub mod similar;
pub mod table;

mod bad;
mod blocks;
mod content;
mod error;
mod inputs;
mod packing;
mod problem;
mod records;
mod stream;
mod text;

pub use error::Error;

/// The result of everything here that can be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;
