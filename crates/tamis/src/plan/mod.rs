//! Sizes, errors and times before anything is built.

mod cascade;
mod filter;

pub use cascade::CascadePlan;
pub use filter::{FilterPlan, Variant};
