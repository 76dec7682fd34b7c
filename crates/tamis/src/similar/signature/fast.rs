//! Fast similarity sketching.

use crate::hash::MULTIPLIER;

/// Bits of a component that keep the value; the upper ones keep the round.
const VALUE_BITS: u32 = 50;

/// Fills all components, which are empty, from at least one item.
///
/// In round `i` an item `x` has the function value `(x + salt) M^(i+1)`, of which the high bits choose a
/// bin and the rest is the value. From round `k` on, bin `i - k` takes all items, so that after
/// `2 k` rounds no bin is empty.
pub(super) fn sign(items: &[u64], salt: u64, components: &mut [u64]) {
    let bins = components.len();
    let mut empty = bins;
    let mut multiplier = MULTIPLIER;
    for round in 0..2 * bins {
        let tag = (round as u64) << VALUE_BITS;
        if round < bins {
            for &item in items {
                let function = mixed(item, salt).wrapping_mul(multiplier);
                let product = u128::from(function) * bins as u128;
                let bin = (product >> 64) as usize;
                let value = tag | (product as u64) >> (64 - VALUE_BITS);
                let old = components[bin];
                empty -= usize::from(old == super::EMPTY);
                components[bin] = old.min(value);
            }
        } else {
            let bin = round - bins;
            if components[bin] == super::EMPTY {
                let function = |&item: &u64| mixed(item, salt).wrapping_mul(multiplier);
                let least = items.iter().map(function).min().unwrap_or(0);
                components[bin] = tag | least >> (64 - VALUE_BITS);
                empty -= 1;
            }
        }
        if empty == 0 {
            return;
        }
        multiplier = multiplier.wrapping_mul(MULTIPLIER);
    }
}

/// When a component was reached, in rounds.
pub(super) fn time(component: u64) -> f64 {
    component as f64 / (1u64 << VALUE_BITS) as f64
}

/// Items are hashes of shingles and as such sums; a fold makes the functions of them unrelated to
/// how they were put together.
#[inline(always)]
fn mixed(item: u64, salt: u64) -> u64 {
    let product = u128::from(item ^ salt) * u128::from(0x9E37_79B9_7F4A_7C15u64);
    (product >> 64) as u64 ^ product as u64
}
