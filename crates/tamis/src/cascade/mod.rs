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
//! trainer.insert(root, b"carrot");
//! trainer.insert(leaf, b"leek");
//! let cascade = trainer.build(16)?;
//! assert_eq!(cascade.classify(b"leek"), Answer::Category(leaf));
//! assert_eq!(cascade.classify(b"a stranger"), Answer::NotCovered);
//! # Ok::<(), tamis::Error>(())
//! ```

pub mod classic;

mod code;
mod exact;
mod ribbon;
mod serialization;
mod solve;
mod train;

pub use exact::{Answer, Cascade};
pub use train::{Conflict, MAX_CATEGORIES, MAX_REJECT, Trainer};
