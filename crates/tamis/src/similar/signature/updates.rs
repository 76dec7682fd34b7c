//! Signatures that take their items little by little, and what they tell of the size of the set.
//!
//! The signature of a union is the least of both component by component, so items may come in any order and in any
//! number of portions. How many there were is no longer known, but estimated: the components of a set of `n` items behave
//! like waiting times of rate `n / k` each, of which the most likely rate is their number over their sum. Its relative error
//! is about `1 / sqrt(k)`.

use super::{EMPTY, Method, Signature, Signer, fast};
use crate::{Error, Result};

impl Signature {
    /// The signature of no item, to be added to.
    #[must_use]
    pub fn empty(signer: Signer) -> Self {
        Self { signer, components: vec![EMPTY; signer.components], size: None }
    }

    /// A signature from its components, as [`Signer::sign_into`] has made them.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there are as many as the signer makes.
    pub fn from_components(signer: Signer, components: Vec<u64>) -> Result<Self> {
        if components.len() == signer.components {
            return Ok(Self { signer, components, size: None });
        }
        Err(Error::Parameter {
            what: "the number of components",
            expected: "that of the signer",
            got: components.len().to_string(),
        })
    }

    /// Adds hashed items, in any order; repetitions change nothing.
    pub fn insert_hashes(&mut self, items: &[u64]) {
        let mut components = vec![EMPTY; self.components.len()];
        self.signer.sign_into(items, &mut components);
        for (ours, theirs) in self.components.iter_mut().zip(components) {
            *ours = (*ours).min(theirs);
        }
        self.size = None;
    }

    /// Whether it has no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.components.iter().all(|&component| component == EMPTY)
    }

    /// How many items the set has: exactly if that is known, else estimated.
    #[must_use]
    pub fn estimated_items(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        if let Some(size) = self.size {
            return size as f64;
        }
        let components = self.components.iter().copied();
        let count = self.components.len() as f64;
        match self.signer.method {
            Method::Fast => {
                // A bin waits for one item in k of each round, at most k rounds long.
                let rounds = self.components.len();
                let seen = components.clone().filter(|&c| fast::time(c) < rounds as f64).count();
                let waited: f64 = components.map(|c| fast::time(c).min(count)).sum();
                count * seen as f64 / waited
            }
            Method::Classic => {
                let waited: f64 = components.map(|c| c as f64 / 2f64.powi(64)).sum();
                count / waited - 1.0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::KeyHash;

    fn items(from: u64, to: u64) -> Vec<u64> {
        (from..to).map(|item| KeyHash::default().integer(item)).collect()
    }

    #[test]
    fn portions_give_the_signature_of_the_whole() {
        for method in [Method::Fast, Method::Classic] {
            let signer = Signer::with_method(method, 128).unwrap().with_hash(KeyHash::new(1));
            for size in [1, 7, 300] {
                let mut portions = Signature::empty(signer);
                assert!(portions.is_empty());
                for item in items(0, size) {
                    portions.insert_hashes(&[item]);
                }
                portions.insert_hashes(&items(0, size / 2));
                assert_eq!(portions, signer.sign(&items(0, size)), "{method:?} {size}");
            }
        }
        let signer = Signer::new(16).unwrap();
        assert!(Signature::from_components(signer, vec![0; 15]).is_err());
    }

    /// Five standard errors of 1/sqrt(1024).
    #[test]
    fn sizes_are_estimated_within_their_error() {
        for method in [Method::Fast, Method::Classic] {
            for size in [1, 3, 30, 300, 3_000, 100_000] {
                let mut signature = Signature::empty(Signer::with_method(method, 1024).unwrap());
                signature.insert_hashes(&items(0, size));
                let ratio = signature.estimated_items() / size as f64;
                assert!((ratio - 1.0).abs() < 5.0 / 32.0, "{method:?}: {ratio} of {size}");
            }
            assert_eq!(Signature::empty(Signer::new(16).unwrap()).estimated_items(), 0.0);
        }
    }
}
