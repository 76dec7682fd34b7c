//! What a filter was asked to be: kept in its file, shown by `tamis filter info`.

use crate::codec::{Fields, Parameters};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::memory::MAX_BITS;
use crate::{Error, Result};

/// The number of keys that a filter was sized for, and its rate with that many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    /// How many keys it was made for.
    pub items: u64,
    /// The false-positive rate with that many keys.
    pub rate: f64,
}

impl Design {
    /// Refuses rates outside of `(least, 1)`.
    pub(crate) fn check_rate(rate: f64, least: f64) -> Result<()> {
        if rate > least && rate < 1.0 { Ok(()) } else { Err(Error::Rate { got: rate, least }) }
    }

    /// Refuses a number of functions outside of `1..=most`.
    pub(crate) fn check_hashes(hashes: u32, most: u32) -> Result<()> {
        if (1..=most).contains(&hashes) {
            Ok(())
        } else {
            Err(Error::Hashes { got: u64::from(hashes), most })
        }
    }

    /// Refuses sizes of nothing or past [`MAX_BITS`]; `bits` may be any number.
    pub(crate) fn check_bits(bits: f64) -> Result<u64> {
        let bits = bits.ceil();
        if bits >= 1.0 && bits <= MAX_BITS as f64 {
            Ok(bits as u64)
        } else {
            Err(Error::Bits { got: bits as u64, most: MAX_BITS })
        }
    }

    pub(crate) fn write(self, parameters: Parameters) -> Parameters {
        parameters.u64(self.items).f64(self.rate)
    }

    pub(crate) fn read(fields: &mut Fields<'_>) -> Result<Self> {
        let design = Self { items: fields.u64()?, rate: fields.f64()? };
        // A filter made by size can be so small that its rate is 1.
        if design.rate > 0.0 && design.rate <= 1.0 {
            Ok(design)
        } else {
            Err(Error::malformed("the rate", "above 0 and at most 1", design.rate))
        }
    }
}
