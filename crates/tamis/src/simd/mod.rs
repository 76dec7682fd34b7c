//! Code that is compiled for several processors.

pub(crate) mod machine;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sums;
