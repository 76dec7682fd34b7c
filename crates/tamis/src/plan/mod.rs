//! Sizes, errors and times before anything is built.

mod filter;

pub use filter::{FilterPlan, Variant};
