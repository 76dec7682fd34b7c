//! Fingerprints as sums of slots at two places: under static filters.

#[cfg(feature = "train")]
pub(crate) mod system;

pub(crate) mod shape;
pub(crate) mod windows;
