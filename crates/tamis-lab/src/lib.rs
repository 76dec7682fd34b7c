//! The lab: experiments on the library's own code that state what is expected, measure, draw, and say whether it holds.
//!
//! - [`experiments`]: one file each; [`ENTRIES`] lists them.
//! - [`experiment`]: what an experiment is, and how it is run.
//! - [`outcome`]: tables, charts and verdicts.
//! - [`statistics`]: what chance alone may do, so that a verdict does not depend on the seed.
//! - [`chance`]: random numbers and strings, the same for a seed everywhere.
//! - [`plot`]: charts as SVG and PNG.
//! - [`files`] and [`report`]: what is written.
//!
//! The same seed gives the same bytes of JSON and SVG. Measured times are never the same twice; they
//! stand apart, in [`outcome::Outcome::timings`] and in files of their own.
//!
//! ```
//! use tamis_lab::experiment::{Request, Size};
//!
//! let entry = tamis_lab::find("best-functions").expect("an experiment");
//! let record = entry.run(&Request { size: Size::Quick, ..Request::default() })?;
//! assert!(record.outcome.holds());
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod chance;
pub mod experiment;
pub mod experiments;
pub mod files;
pub mod outcome;
pub mod plot;
pub mod report;
pub mod statistics;

pub use experiments::ENTRIES;

/// The experiment of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static experiment::Entry> {
    ENTRIES.iter().find(|entry| entry.about.name == name)
}
