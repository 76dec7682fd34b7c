//! Signatures with fewer bits for each component.
//!
//! Two components that differ agree in `b` bits by chance with probability `c = 2^-b`, so that the part
//! `p` of equal ones has mean `J + (1 - J) c`. The estimate is corrected by that:
//!
//! ```text
//! J = (p - c) / (1 - c)
//! ```
//!
//! Reference: P. Li, A. C. König, *b-bit minwise hashing*, 2010.

use super::{Signature, Signer};
use crate::{Error, Result};

/// How many bits of a component are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ComponentBits {
    /// One bit: 16 bytes for 128 components.
    One,
    /// Eight bits.
    Eight,
    /// Sixteen bits.
    Sixteen,
    /// Thirty-two bits.
    ThirtyTwo,
    /// All of them.
    SixtyFour,
}

impl ComponentBits {
    /// The choice of this many bits, if there is one.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Self> {
        match bits {
            1 => Some(Self::One),
            8 => Some(Self::Eight),
            16 => Some(Self::Sixteen),
            32 => Some(Self::ThirtyTwo),
            64 => Some(Self::SixtyFour),
            _ => None,
        }
    }

    /// Bits of a component.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Eight => 8,
            Self::Sixteen => 16,
            Self::ThirtyTwo => 32,
            Self::SixtyFour => 64,
        }
    }

    /// The probability that different components agree by chance.
    fn chance(self) -> f64 {
        0.5f64.powi(self.bits() as i32)
    }
}

/// A signature with so many bits for each component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    signer: Signer,
    bits: ComponentBits,
    bytes: Vec<u8>,
}

impl Packed {
    /// Keeps so many bits of each component of a signature.
    #[must_use]
    pub fn new(signature: &Signature, bits: ComponentBits) -> Self {
        // The high bits of a component are not evenly spread; those of a multiple are.
        let kept =
            |component: &u64| component.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits.bits());
        let components = signature.components().iter();
        let bytes = match bits {
            ComponentBits::SixtyFour => components.flat_map(|c| c.to_le_bytes()).collect(),
            ComponentBits::ThirtyTwo => {
                components.flat_map(|c| (kept(c) as u32).to_le_bytes()).collect()
            }
            ComponentBits::Sixteen => {
                components.flat_map(|c| (kept(c) as u16).to_le_bytes()).collect()
            }
            ComponentBits::Eight => components.map(|c| kept(c) as u8).collect(),
            ComponentBits::One => signature
                .components()
                .chunks(8)
                .map(|eight| {
                    eight.iter().enumerate().fold(0, |byte, (i, c)| byte | (kept(c) as u8) << i)
                })
                .collect(),
        };
        Self { signer: *signature.signer(), bits, bytes }
    }

    /// The bytes that are kept.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The estimated similarity, corrected for chance; between 0 and 1.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if method, components, seed or bits differ.
    pub fn similarity(&self, other: &Self) -> Result<f64> {
        self.signer.must_equal(&other.signer)?;
        if self.bits != other.bits {
            return Err(Error::mismatch("the bits kept", self.bits.bits(), other.bits.bits()));
        }
        let pairs = self.bytes.iter().zip(&other.bytes);
        let components = self.signer.components();
        let equal = if self.bits == ComponentBits::One {
            components as u32 - pairs.map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
        } else {
            let size = self.bits.bits() as usize / 8;
            let components = self.bytes.chunks(size).zip(other.bytes.chunks(size));
            components.map(|(a, b)| u32::from(a == b)).sum()
        };
        let chance = self.bits.chance();
        let part = f64::from(equal) / components as f64;
        Ok(((part - chance) / (1.0 - chance)).clamp(0.0, 1.0))
    }
}
