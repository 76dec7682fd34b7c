//! Signatures: a set in a few bytes, from which its similarity to others can be estimated.
//!
//! A signature has `k` components, and each is equal in two signatures with probability `J`, the
//! similarity of the sets. The part of equal components therefore estimates `J`, for the classic
//! method with standard deviation `sqrt(J (1 - J) / k)`.
//!
//! | method | time for `n` items | standard deviation |
//! |---|---|---|
//! | [`Method::Classic`] | `n k` | `sqrt(J (1 - J) / k)` |
//! | [`Method::Fast`] | `n + k log k` | less, the more so the smaller the sets are against `k` |
//!
//! [`Method::Fast`] is *fast similarity sketching* (Dahlgaard, Knudsen, Thorup 2017): in each round every
//! item is thrown into one of `k` bins, and a bin keeps the least value of the first round
//! that reached it. Rounds end when no bin is empty, which large sets do in one. Items fall into
//! different bins mostly without repetition, which is why the estimate is more exact than that
//! of `k` independent functions.
//!
//! A signature also knows the size of its set, and with both sizes the components say more than whether they are equal
//! ([`estimate`]): with `u` and `v` the parts that the two sizes have of their sum,
//!
//! ```text
//! P(equal) = J     P(left is less) = u - J v     P(right is less) = v - J u
//! ```
//!
//! so that a small set whose components are rarely less than those of a large one is likely to lie inside of it. The
//! estimate is the `J` for which what was counted is most likely (after O. Ertl, *SetSketch*, 2021). For sets of equal size
//! it is the part of equal components; for very unequal ones its error is a third smaller.
//!
//! # Example
//!
//! Two sets with similarity 2/4, a signature of four components, values of two digits. The hash of
//! an item in a round chooses a bin and gives a value:
//!
//! ```text
//!            leek        carrot      onion       garlic
//! round 0    bin 2, 41   bin 0, 73   bin 2, 18   bin 0, 30
//! round 1    bin 1, 55   bin 3, 12   bin 0, 66   bin 3, 87
//! ```
//!
//! A bin keeps the least value of the first round that reaches it. The set {leek, carrot, onion}
//! fills bins 2 and 0 in round 0, and bins 1 and 3 in round 1; bin 2 keeps onion's 18, not leek's
//! 41. In round 1 onion finds bin 0 full, and leaves it. {leek, onion, garlic} likewise:
//!
//! ```text
//!                          bin 0     bin 1     bin 2     bin 3
//!                        +---------+---------+---------+---------+
//! {leek, carrot, onion}  | 0 . 73  | 1 . 55  | 0 . 18  | 1 . 12  |   round . value
//!                        +---------+---------+---------+---------+
//! {leek, onion, garlic}  | 0 . 30  | 1 . 55  | 0 . 18  | 1 . 87  |
//!                        +---------+---------+---------+---------+
//!                          differ    equal     equal     differ
//! ```
//!
//! Two of four components are equal: 2/4 is the estimate, here exactly right. A component is equal
//! when the item that won the bin in the union of both sets is in both, which has probability `J`.
//! In a component of 64 bits the round stands in the upper 14 and the value in the lower 50, so
//! that an earlier round is less than a later one, and the minimum is all that is computed.

mod classic;
mod fast;
mod packed;
mod serialization;
mod updates;

pub use packed::{ComponentBits, Packed};

use crate::hash::KeyHash;
use crate::{Error, Result};

/// The fewest components.
pub const MIN_COMPONENTS: usize = 16;

/// The most components.
pub const MAX_COMPONENTS: usize = 4096;

/// How signatures are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Method {
    /// Fast similarity sketching: the default.
    #[default]
    Fast,
    /// The minimum of each of `k` functions: the textbook's, for reference.
    Classic,
}

impl Method {
    /// Its name on the command line, in JSON and in Python.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Classic => "classic",
        }
    }

    /// Its number in files.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Fast => 1,
            Self::Classic => 2,
        }
    }

    pub(crate) fn from_code(code: u8) -> Result<Self> {
        match code {
            1 => Ok(Self::Fast),
            2 => Ok(Self::Classic),
            other => Err(Error::malformed("the method", "1 or 2", other)),
        }
    }
}

/// Makes signatures that can be compared with each other: method, number of components, and seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signer {
    method: Method,
    components: usize,
    hash: KeyHash,
}

/// The signature of a set. Two of them are equal if their components are; the size is known beside them.
#[derive(Debug, Clone)]
pub struct Signature {
    signer: Signer,
    components: Vec<u64>,
    /// How many members the set has, if that is known.
    size: Option<u64>,
}

impl PartialEq for Signature {
    fn eq(&self, other: &Self) -> bool {
        self.signer == other.signer && self.components == other.components
    }
}

impl Eq for Signature {}

/// The component of a set that has no member.
pub(crate) const EMPTY: u64 = u64::MAX;

impl Signer {
    /// Signatures of so many components by the default method.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there are 16 to 4096.
    pub fn new(components: usize) -> Result<Self> {
        Self::with_method(Method::Fast, components)
    }

    /// Signatures of so many components by this method.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there are 16 to 4096.
    pub fn with_method(method: Method, components: usize) -> Result<Self> {
        if (MIN_COMPONENTS..=MAX_COMPONENTS).contains(&components) {
            return Ok(Self { method, components, hash: KeyHash::default() });
        }
        Err(Error::Parameter {
            what: "the number of components",
            expected: "between 16 and 4096",
            got: components.to_string(),
        })
    }

    /// Signatures that estimate with this standard error at most: `k = ceil(1 / error^2)`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an error under 1/64 or not under 1/4.
    pub fn with_expected_error(error: f64) -> Result<Self> {
        let components = (1.0 / (error * error) - 1e-9).ceil();
        if error > 0.0 && components <= MAX_COMPONENTS as f64 {
            return Self::new((components as usize).max(MIN_COMPONENTS));
        }
        Err(Error::Parameter {
            what: "the expected error",
            expected: "at least 0.015625 (4096 components)",
            got: error.to_string(),
        })
    }

    /// With another seed. (The items are hashed already; the seed chooses the functions of them.)
    #[must_use]
    pub const fn with_hash(mut self, hash: KeyHash) -> Self {
        self.hash = hash;
        self
    }

    /// How many components.
    #[must_use]
    pub const fn components(&self) -> usize {
        self.components
    }

    /// The hash that chooses the functions.
    #[must_use]
    pub const fn hash(&self) -> &KeyHash {
        &self.hash
    }

    /// The method.
    #[must_use]
    pub const fn method(&self) -> Method {
        self.method
    }

    /// The signature of a set of hashed items, in any order; repetitions change nothing.
    #[must_use]
    pub fn sign(&self, items: &[u64]) -> Signature {
        let mut components = vec![EMPTY; self.components];
        self.sign_into(items, &mut components);
        let size = if items.is_sorted_by(|a, b| a < b) {
            items.len()
        } else {
            items.iter().collect::<std::collections::HashSet<_>>().len()
        };
        Signature { signer: *self, components, size: Some(size as u64) }
    }

    /// Writes the signature into `components`, which must be as many as the signer has.
    pub fn sign_into(&self, items: &[u64], components: &mut [u64]) {
        components.fill(EMPTY);
        if items.is_empty() {
            return;
        }
        // The seed moves the items to another place; the functions follow.
        let salt = self.hash.bytes(b"signature");
        match self.method {
            Method::Fast => fast::sign(items, salt, components),
            Method::Classic => classic::sign(items, salt, components),
        }
    }

    fn must_equal(&self, other: &Self) -> Result<()> {
        self.hash.must_equal(&other.hash)?;
        if self.method != other.method {
            return Err(Error::mismatch("the method", self.method.name(), other.method.name()));
        }
        if self.components != other.components {
            return Err(Error::mismatch(
                "the number of components",
                self.components,
                other.components,
            ));
        }
        Ok(())
    }
}

impl Signature {
    /// What made it.
    #[must_use]
    pub const fn signer(&self) -> &Signer {
        &self.signer
    }

    /// Its components.
    #[must_use]
    pub fn components(&self) -> &[u64] {
        &self.components
    }

    /// How many members the set has; not known after [`Self::merge`].
    #[must_use]
    pub const fn size(&self) -> Option<u64> {
        self.size
    }

    /// The estimated similarity of the two sets.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if method, components or seed differ.
    pub fn similarity(&self, other: &Self) -> Result<f64> {
        self.signer.must_equal(&other.signer)?;
        Ok(match self.size.zip(other.size) {
            Some(sizes) => estimate(&self.components, &other.components, sizes),
            None => {
                equal(&self.components, &other.components) as f64 / self.components.len() as f64
            }
        })
    }

    /// Turns this into the signature of the union of both sets.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if method, components or seed differ; nothing is changed then.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.signer.must_equal(&other.signer)?;
        for (ours, theirs) in self.components.iter_mut().zip(&other.components) {
            *ours = (*ours).min(*theirs);
        }
        self.size = None;
        Ok(())
    }
}

/// How many components are equal.
#[must_use]
pub fn equal(left: &[u64], right: &[u64]) -> usize {
    left.iter().zip(right).map(|(a, b)| usize::from(a == b)).sum()
}

/// The most likely similarity of two sets of these sizes with these components.
#[must_use]
pub fn estimate(left: &[u64], right: &[u64], (left_size, right_size): (u64, u64)) -> f64 {
    let equal = equal(left, right);
    if left_size == 0 || right_size == 0 || equal == 0 {
        return equal as f64 / left.len().max(1) as f64;
    }
    let less = left.iter().zip(right).map(|(a, b)| usize::from(a < b)).sum::<usize>();
    let more = left.len().min(right.len()) - equal - less;
    let (equal, less, more) = (equal as f64, less as f64, more as f64);
    let sum = left_size as f64 + right_size as f64;
    let (u, v) = (left_size as f64 / sum, right_size as f64 / sum);
    // The derivative of the logarithm of the likelihood falls from infinity.
    let slope = |j: f64| equal / j - less * v / (u - j * v) - more * u / (v - j * u);
    let (mut low, mut high) = (0.0, (u / v).min(v / u));
    if slope(high * (1.0 - 1e-12)) >= 0.0 {
        return high;
    }
    // 40 halvings leave less than a millionth of a millionth.
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
