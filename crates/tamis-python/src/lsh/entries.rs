//! What an index of signatures takes: signatures, texts, and what other classes have in `hashvalues`.

use crate::errors::{Class, error, type_name};
use crate::keys::lone_surrogate;
use crate::minhash::{MinHash, signer};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use tamis::similar::Shingler;
use tamis::similar::lsh::Bands;

/// What must be the same for two signatures to be compared, beside their length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    pub seed: u64,
    /// Numbers in a component: one, or two of weighted sets.
    pub width: usize,
}

impl Kind {
    pub fn must_equal(self, other: Self) -> PyResult<()> {
        let (what, ours, theirs) = if self.width == other.width {
            ("seed", self.seed, other.seed)
        } else {
            ("number of values in a component", self.width as u64, other.width as u64)
        };
        if ours == theirs {
            return Ok(());
        }
        let sentence = format!(
            "these two do not match: the {what} is {ours} here and {theirs} there; build both with the same options"
        );
        Err(error(Class::Mismatch, sentence))
    }
}

/// A signature on its way into an index, or asked for there.
pub struct Member {
    pub kind: Kind,
    /// How many components.
    pub length: usize,
    /// The components; none of what is like nothing.
    components: Vec<u64>,
    /// The hashes of the shingles of a text.
    pub set: Option<Vec<u64>>,
}

impl Member {
    /// A signature, a text, or an object with `hashvalues`.
    pub fn of(
        object: &Bound<'_, PyAny>,
        shingler: &Shingler,
        num_perm: usize,
        seed: u64,
    ) -> PyResult<Self> {
        if let Ok(minhash) = object.cast::<MinHash>() {
            let signature = minhash.get().signature();
            let signer = signature.signer();
            let (length, seed) = (signer.components(), signer.hash().seed());
            let is_empty = signature.is_empty();
            let components = if is_empty { Vec::new() } else { signature.components().to_vec() };
            return Ok(Self { kind: Kind { seed, width: 1 }, length, components, set: None });
        }
        if let Ok(text) = object.cast::<PyString>() {
            let text = text.to_str().map_err(|_| lone_surrogate("this text"))?;
            let signer = signer(num_perm, seed)?;
            return Ok(object.py().detach(|| {
                let set = shingler.set(text).into_hashes();
                let mut components = Vec::new();
                if !set.is_empty() {
                    components.resize(num_perm, 0);
                    signer.sign_into(&set, &mut components);
                }
                let kind = Kind { seed, width: 1 };
                Self { kind, length: num_perm, components, set: Some(set) }
            }));
        }
        Self::of_values(object)
    }

    /// Of other classes: rows of integers, and a seed.
    fn of_values(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Some(values) = object.getattr_opt("hashvalues")? else {
            let got = type_name(object);
            let sentence =
                format!("an index takes a MinHash, a WeightedMinHash or a text, got {got}");
            return Err(error(Class::WrongType, sentence));
        };
        let numpy = object.py().import("numpy")?;
        let values = numpy.call_method1("ascontiguousarray", (values, "int64"))?;
        let length = values.len()?;
        let bytes = values.call_method0("tobytes")?.cast_into::<PyBytes>()?;
        let (words, _) = bytes.as_bytes().as_chunks();
        let components: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let width = components.len() / length.max(1);
        let seed = object.getattr("seed")?.extract()?;
        Ok(Self { kind: Kind { seed, width }, length, components, set: None })
    }

    /// The hashes of its bands; what is empty is like nothing.
    pub fn bands(&self, bands: Bands) -> Vec<u64> {
        let rows = bands.rows * self.kind.width;
        Bands { bands: bands.bands, rows }.hashes(&self.components).collect()
    }
}
