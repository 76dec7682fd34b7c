//! Known byte strings inside of streams, as intrusion detection looks for them.
//!
//! A set of *signatures* of a few lengths. A window of their first bytes, eight or the shortest
//! length, slides over the stream, one multiplication per byte. A bit array of the windows that
//! signatures begin with lets one place in 128 of a random stream through; there each length is
//! asked of a Bloom filter of the whole signatures.
//!
//! ```text
//! window hash = a * (first w bytes as a little-endian number) mod 2^64     a odd, from the seed
//! window bit  = the top log2(bits) bits of the window hash
//! ```
//!
//! What comes out is certain to contain every occurrence. What is no signature passes with at
//! most the filter's rate at one place in 128, and with the list at hand the caller confirms
//! exactly.
//!
//! Memory does not depend on the length of the stream: [`Scanner`] keeps the last bytes of
//! what it was given, as many as the longest signature has.

mod scanner;
mod serialization;
mod window;

pub use scanner::{Hit, Scanner};

use super::bloom::{Blocked, Bloom};
use super::methods::{question_methods, stored_methods};
use super::{Design, Filter};
use crate::hash::{KeyHash, KeyKinds};
use crate::memory::{Line, Storage, line};
use crate::prelude::*;
use crate::{Error, Result};
use window::{Bits, Window};

/// The longest signature.
pub const MAX_LENGTH: usize = 4096;

/// The shortest signature: shorter ones occur everywhere.
pub const MIN_LENGTH: usize = 4;

/// The most different lengths; each costs a look at the places that pass the window.
pub const MAX_LENGTHS: usize = 64;

/// Bits of the window array for each signature.
const WINDOW_BITS: u64 = 128;

/// A filter of byte strings, with which streams are searched.
///
/// ```
/// use tamis::filter::SignatureFilter;
/// use tamis::hash::KeyHash;
///
/// let list = SignatureFilter::build(&["needle"], 0.001, KeyHash::default())?;
/// assert!(list.contains("needle"));
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct SignatureFilter<S = Vec<Line>> {
    /// Lengths of the signatures, ascending.
    lengths: Vec<u16>,
    window: Window,
    windows: S,
    whole: Bloom<Blocked, S>,
}

impl SignatureFilter {
    /// A filter of these signatures. Repetitions count once.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a signature shorter than [`MIN_LENGTH`] or longer than
    /// [`MAX_LENGTH`], for none at all or for more than [`MAX_LENGTHS`] lengths;
    /// [`Error::Rate`].
    pub fn build<T: AsRef<[u8]>>(signatures: &[T], rate: f64, hash: KeyHash) -> Result<Self> {
        let mut signatures: Vec<&[u8]> = signatures.iter().map(AsRef::as_ref).collect();
        signatures.sort_unstable();
        signatures.dedup();
        let lengths = lengths_of(&signatures)?;
        let window = Window::new(lengths[0] as usize, &hash);
        let bits = (signatures.len() as u64 * WINDOW_BITS).next_power_of_two().max(1 << 15);
        let mut windows = line::zeroed((bits / super::LINE_BITS) as usize)?;
        for signature in &signatures {
            let hash = window.of_slice(signature);
            window::set(bytemuck::cast_slice_mut(&mut windows), hash);
        }
        let mut whole =
            Bloom::with_false_positive_rate(signatures.len() as u64, rate)?.with_hash(hash);
        whole.insert_many(&signatures);
        Ok(Self { lengths, window, windows, whole })
    }
}

impl<S: Storage> SignatureFilter<S> {
    /// The lengths of the signatures, ascending.
    #[must_use]
    pub fn lengths(&self) -> &[u16] {
        &self.lengths
    }

    /// What it was made for.
    #[must_use]
    pub const fn design(&self) -> Design {
        self.whole.design()
    }

    /// The windows that signatures begin with.
    fn window_bits(&self) -> Bits<'_> {
        Bits::of_lines(self.windows.lines())
    }

    /// How many bits both parts have.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.whole.bits() + self.windows.lines().len() as u64 * super::LINE_BITS
    }

    /// How many functions of a signature it uses.
    #[must_use]
    pub fn hashes(&self) -> u32 {
        self.whole.hashes()
    }

    /// A copy in memory of its own.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is none.
    pub fn to_owned(&self) -> Result<SignatureFilter> {
        Ok(SignatureFilter {
            lengths: self.lengths.clone(),
            window: self.window.clone(),
            windows: line::copied(line::bytes_of(self.windows.lines()))?,
            whole: self.whole.to_owned()?,
        })
    }
}

question_methods!(SignatureFilter);
stored_methods!(SignatureFilter);

impl<S: Storage> Filter for SignatureFilter<S> {
    fn hash(&self) -> &KeyHash {
        self.whole.hash()
    }

    fn key_kinds(&self) -> KeyKinds {
        self.whole.key_kinds()
    }

    fn contains_hash(&self, hash: u64) -> bool {
        self.whole.contains_hash(hash)
    }

    fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
        self.whole.contains_many_hashes(hashes, found);
    }

    fn indexes_hash(&self, hash: u64) -> Vec<u64> {
        self.whole.indexes_hash(hash)
    }

    fn len(&self) -> u64 {
        self.whole.len()
    }

    fn fill(&self) -> f64 {
        self.whole.fill()
    }

    fn estimated_items(&self) -> f64 {
        self.whole.estimated_items()
    }

    fn current_false_positive_rate(&self) -> f64 {
        self.whole.current_false_positive_rate()
    }
}

fn lengths_of(signatures: &[&[u8]]) -> Result<Vec<u16>> {
    let mut lengths: Vec<usize> = signatures.iter().map(|signature| signature.len()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    for &length in &lengths {
        if !(MIN_LENGTH..=MAX_LENGTH).contains(&length) {
            return Err(Error::Parameter {
                what: "the length of a signature",
                expected: "between 4 and 4096 bytes",
                got: length.to_string(),
            });
        }
    }
    if lengths.is_empty() || lengths.len() > MAX_LENGTHS {
        return Err(Error::Parameter {
            what: "the number of different lengths",
            expected: "between 1 and 64",
            got: lengths.len().to_string(),
        });
    }
    Ok(lengths.into_iter().map(|length| length as u16).collect())
}
