//! Which class is it in? Maps from keys to a few categories that store no key and make no error on what they were trained with.
//!
//! - [`Trainer`] and [`Cascade`]: near the entropy of the categories' sizes.
//! - [`classic`]: the Bloom cascade and its `.bfc` files.
//!
//! ```
//! use tamis::cascade::{Answer, Trainer};
//! use tamis::hash::KeyHash;
//!
//! let mut trainer = Trainer::new(KeyHash::default());
//! let (root, leaf) = (trainer.category("root")?, trainer.category("leaf")?);
//! trainer.insert(root, "carrot");
//! trainer.insert(leaf, "leek");
//! let cascade = trainer.build(16)?;
//! assert_eq!(cascade.classify("leek"), Answer::Category(leaf));
//! assert_eq!(cascade.classify("a stranger"), Answer::NotCovered);
//! # Ok::<(), tamis::Error>(())
//! ```

pub mod classic;

mod code;
mod exact;
#[cfg(feature = "train")]
mod names;
mod serialization;
mod short;
pub(crate) mod steps;
#[cfg(feature = "train")]
mod train;

pub use exact::{Answer, Cascade};
#[cfg(feature = "train")]
pub use train::{Conflict, MAX_REJECT, Trainer};

/// The most categories.
pub const MAX_CATEGORIES: usize = 1 << 16;

/// The least number of bits that tell the categories of all keys, for so many keys of each: `sum c log2(n / c)`.
#[must_use]
pub fn entropy_bits(counts: &[u64]) -> f64 {
    let total: f64 = counts.iter().map(|count| *count as f64).sum();
    let bits = |count: &u64| match *count {
        0 => 0.0,
        count => count as f64 * (total / count as f64).log2(),
    };
    counts.iter().map(bits).sum()
}
