//! What is it like? Sets, their similarity, and finding the similar ones among millions.
//!
//! A document becomes a *set* of shingles ([`shingle`]), the similarity of two sets is that of Jaccard
//! ([`jaccard`]), a *signature* estimates it in a few bytes ([`signature`]), and *bands* of signatures
//! find the pairs worth comparing ([`lsh`]); an [`index`] keeps them for later questions.
//!
//! ```text
//! J(A, B) = |A and B| / |A or B|            in 0 ..= 1
//! P(component i of both signatures is equal) = J
//! P(candidates) = 1 - (1 - J^r)^b           with b bands of r rows
//! ```
//!
//! ```
//! use tamis::similar::{Shingler, Shingles, jaccard};
//!
//! let shingler = Shingler::new(Shingles::Characters(2));
//! let (left, right) = (shingler.set("bcd"), shingler.set("cda"));
//! assert_eq!(jaccard::distance(&left, &right), 2.0 / 3.0);
//! ```

pub mod index;
pub mod jaccard;
pub mod lsh;
pub mod matrix;
pub mod shingle;
pub mod signature;

mod set;

pub use set::Set;

// For the crates of this project, not for others.
#[doc(hidden)]
pub use set::arrange;
pub use shingle::{Shingler, Shingles};
pub use signature::{Method, Signature, Signer};
