//! Which filter for so many keys and such a rate, or so much memory.

use crate::filter::{
    BitLayout, Blocked, Classic, CounterWidth, CountingFilter, Design, LINE_BITS, Layout, MAX_BITS,
};
use crate::{Error, Result};

/// A layout with bits or with counters in their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// Anywhere, or in one cache line.
    pub layout: Layout,
    /// Counters instead of bits.
    pub counting: Option<CounterWidth>,
}

/// What a filter would be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FilterPlan {
    /// Which layout.
    pub variant: Variant,
    /// For how many keys.
    pub items: u64,
    /// How many bits, all counters together.
    pub bits: u64,
    /// How many functions of a key.
    pub hashes: u32,
    /// The false-positive rate with all keys in.
    pub expected_rate: f64,
}

impl FilterPlan {
    /// The filter for so many keys at this rate.
    ///
    /// # Errors
    /// [`Error::Rate`] or [`Error::Bits`].
    pub fn for_rate(variant: Variant, items: u64, rate: f64) -> Result<Self> {
        match (variant.layout, variant.counting) {
            (Layout::Classic, None) => {
                Ok(Self::of_layout(variant, items, Classic::for_rate(items, rate)?))
            }
            (Layout::Blocked, None) => {
                Ok(Self::of_layout(variant, items, Blocked::for_rate(items, rate)?))
            }
            (layout, Some(width)) => {
                let sized = CountingFilter::sized(layout, width, items, rate)?;
                let (bits, hashes, expected_rate) = sized;
                Ok(Self { variant, items, bits, hashes, expected_rate })
            }
        }
    }

    /// The filter with the least rate for so many keys in this much memory.
    ///
    /// # Errors
    /// [`Error::Bits`] for no memory, or more than [`MAX_BITS`].
    pub fn for_memory(variant: Variant, items: u64, bytes: u64) -> Result<Self> {
        let got = bytes.saturating_mul(8);
        if got == 0 || got > MAX_BITS {
            return Err(Error::Bits { got, most: MAX_BITS });
        }
        // The rate falls with memory: look for the least one that fits.
        let (mut low, mut high) = (1e-9f64.ln(), 0.999_999f64.ln());
        let fits = |log_rate: f64| {
            Self::for_rate(variant, items, log_rate.exp()).ok().filter(|plan| plan.bits <= got)
        };
        let mut best = None;
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if let Some(plan) = fits(middle) {
                best = Some(plan);
                high = middle;
            } else {
                low = middle;
            }
        }
        best.ok_or(Error::Parameter {
            what: "the memory",
            expected: "enough for a rate under 1 with so many items",
            got: format!("{bytes} bytes for {items} items"),
        })
    }

    /// Bits for each key.
    #[must_use]
    pub fn bits_per_item(&self) -> f64 {
        self.bits as f64 / self.items.max(1) as f64
    }

    /// Bytes of the filter's content.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bits.div_ceil(LINE_BITS) * (LINE_BITS / 8)
    }

    /// What the filter would say that it was made for.
    #[must_use]
    pub const fn design(&self) -> Design {
        Design { items: self.items, rate: self.expected_rate }
    }

    fn of_layout<L: BitLayout>(variant: Variant, items: u64, layout: L) -> Self {
        Self {
            variant,
            items,
            bits: layout.bits(),
            hashes: layout.hashes(),
            expected_rate: layout.expected_rate(items),
        }
    }
}
