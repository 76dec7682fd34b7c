//! Sizes, errors and times before anything is built.

#[cfg(feature = "cascade")]
mod cascade;
mod filter;

#[cfg(feature = "cascade")]
pub use cascade::CascadePlan;
pub use filter::{FilterPlan, Variant};
