//! What `std` brings into every module and `alloc` does not.

pub(crate) use alloc::borrow::ToOwned;
pub(crate) use alloc::string::{String, ToString};
pub(crate) use alloc::vec::Vec;

#[cfg(not(feature = "std"))]
pub(crate) use crate::math::Float;
