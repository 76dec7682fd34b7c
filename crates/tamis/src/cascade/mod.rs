//! Which class is it in? Maps from keys to a few categories that store no key and make no error on what they were trained with.
//!
//! - [`Trainer`] and [`Cascade`]: near the entropy of the categories' sizes.
//! - [`classic`]: the Bloom cascade and its `.bfc` files.
//!
//! # Example
//!
//! Eight keys: four of category `leaf`, two of `root`, two of `fruit`. The categories get a prefix
//! code, shorter for the more common ones, as Huffman's: `leaf` is `0`, `root` is `10`, `fruit` is
//! `11`. Each step of the code is a structure that knows one bit of each key it was built from
//! (a ribbon, which stores no keys):
//!
//! ```text
//! step 1, the first bit of all keys          step 2, the second bit of those that have one
//! +------+------+-------+-------+            +--------+--------+------+------+
//! | leek | kale | cress | chard | 0          | carrot | turnip | plum | pear |
//! +--------+--------+------+------+          |   0    |   0    |  1   |  1   |
//! | carrot | turnip | plum | pear | 1        +--------+--------+------+------+
//! +--------+--------+------+------+
//! ```
//!
//! Plum: step 1 says 1, step 2 says 1, so the code is `11`, `fruit`. Leek: step 1 says 0, which is
//! all of the code of `leaf`; step 2 is not asked. That is 8 bits and 4 bits, and no code can do
//! with less: the entropy of the categories is `4 log2(8/4) + 2 log2(8/2) + 2 log2(8/2) = 12` bits.
//!
//! ```
//! use tamis::cascade::entropy_bits;
//! use tamis::plan::CascadePlan;
//!
//! assert_eq!(entropy_bits(&[4, 2, 2]), 12.0);
//! assert_eq!(CascadePlan::new(&[4, 2, 2], 0)?.code_lengths, [1, 2, 2]);
//! # Ok::<(), tamis::Error>(())
//! ```
//!
//! Pineapple was not trained, but every structure gives it some bit, so it gets some category.
//! Where that matters, a structure of fingerprints is asked first and rejects it but for one key in
//! `2^bits`. And where one category has most of the keys, say 1,000 of `leaf` and 10 of `root`, a
//! code of one bit would cost 1,010 bits; a structure of fingerprints of the 10, of 6 bits each,
//! costs 60 and settles all of `leaf` but one in `2^6`: 16 keys are left for the code.
//!
//! # Layout
//!
//! The structures stand in the file in the order in which they are asked, each as
//! `solve::ribbon` draws it:
//!
//! ```text
//! +--------+-------------+-----------------+-----------------+--------+--------+-----
//! | header | description | fingerprints of | fingerprints    | step 1 | step 2 | ...
//! |        |             | all keys        | per common class|        |        |
//! +--------+-------------+-----------------+-----------------+--------+--------+-----
//!                          if unknown keys   if one class is
//!                          are rejected      very common
//! ```
//!
//! # Use
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

#[cfg(not(feature = "std"))]
use crate::math::Float as _;

pub mod classic;

mod code;
mod exact;
#[cfg(feature = "train")]
mod names;
mod serialization;
#[cfg(feature = "train")]
mod settle;
mod short;
pub(crate) mod steps;
#[cfg(feature = "train")]
mod train;

pub use exact::{Answer, Cascade};
#[cfg(feature = "train")]
pub use settle::{Example, MAX_SEEDS, OnConflict, TrainError, Visit};
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
