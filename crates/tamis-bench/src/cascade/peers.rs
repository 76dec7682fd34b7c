//! Compressed functions of sux, and the Bloom cascades of Firefox, as their users would call them.

use super::contender::{Classes, Contender, counts};
use super::tree::{Plan, Tree, TwoWay};
use anyhow::anyhow;
use dsi_progress_logger::no_logging;
use mem_dbg::{MemSize as _, SizeFlags};
use rust_cascade::{Cascade, CascadeBuilder, HashAlgorithm};
use sux::bits::BitVecU;
use sux::func::CompVFunc;
use sux::traits::TryIntoUnaligned as _;

/// A compressed function, with unaligned reads, which its authors say are faster.
pub(crate) struct Sux(CompVFunc<str, BitVecU<Box<[usize]>>>);

impl Contender for Sux {
    fn train(classes: &Classes<'_>) -> anyhow::Result<Self> {
        let keys: Vec<&str> = classes.iter().flat_map(|keys| keys.iter().copied()).collect();
        let each = classes.iter().enumerate();
        let values: Vec<usize> =
            each.flat_map(|(category, keys)| std::iter::repeat_n(category, keys.len())).collect();
        let function = CompVFunc::<str>::try_par_new(&keys, &values, no_logging![])?;
        Ok(Self(function.try_into_unaligned()?))
    }

    fn bytes(&self) -> anyhow::Result<usize> {
        Ok(self.0.mem_size(SizeFlags::default()))
    }

    fn category(&self, key: &str) -> u32 {
        self.0.get(key) as u32
    }
}

/// Bloom cascades one after the other: they are smaller between unequal parts than in a tree of equal ones.
pub(crate) struct RustCascades(Tree<Box<Cascade>>);

impl Contender for RustCascades {
    fn train(classes: &Classes<'_>) -> anyhow::Result<Self> {
        Ok(Self(Tree::train(&Plan::chain(&counts(classes)), classes)?))
    }

    fn bytes(&self) -> anyhow::Result<usize> {
        self.0.bytes()
    }

    fn category(&self, key: &str) -> u32 {
        self.0.category(key)
    }
}

impl TwoWay for Box<Cascade> {
    type Question = Vec<u8>;

    fn train(members: &[&[&str]], others: &[&[&str]]) -> anyhow::Result<Self> {
        let count = |parts: &[&[&str]]| parts.iter().map(|keys| keys.len()).sum();
        let (hash, salt) = (HashAlgorithm::Sha256, vec![1; 16]);
        let mut builder = CascadeBuilder::new(hash, salt, count(members), count(others));
        let refused = |error| anyhow!("rust_cascade: {error}");
        for key in members.iter().copied().flatten() {
            builder.include(key.as_bytes().to_vec()).map_err(refused)?;
        }
        for key in others.iter().copied().flatten() {
            builder.exclude(key.as_bytes().to_vec()).map_err(refused)?;
        }
        builder.finalize().map_err(refused)
    }

    fn bytes(&self) -> anyhow::Result<usize> {
        let file = self.to_bytes().map_err(|error| anyhow!("rust_cascade: {error}"))?;
        Ok(file.len())
    }

    fn question(key: &str) -> Vec<u8> {
        key.as_bytes().to_vec()
    }

    fn is_member(&self, question: &Vec<u8>) -> bool {
        self.has(question.clone())
    }
}
