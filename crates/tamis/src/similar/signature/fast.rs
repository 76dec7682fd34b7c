//! Fast similarity sketching.

use crate::hash::MULTIPLIER;

/// Bits of a component that keep the value; the upper ones keep the round.
const VALUE_BITS: u32 = 50;

/// Empty bins are few when at most one in so many is empty.
const FEW: usize = 8;

/// As many items are mixed once for all rounds; sets that have more are mostly done in one.
const MIXED: usize = 512;

/// Fills all components, which are empty, from at least one item.
///
/// In round `i` an item `x` has the function value `(x + salt) M^(i+1)`, of which the high bits choose a
/// bin and the rest is the value. From round `k` on, bin `i - k` takes all items, so that after
/// `2 k` rounds no bin is empty.
pub(super) fn sign(items: &[u64], salt: u64, components: &mut [u64]) {
    let mut room = [0; MIXED];
    match room.get_mut(..items.len()) {
        Some(room) => {
            for (place, &item) in room.iter_mut().zip(items) {
                *place = mixed(item, salt);
            }
            sign_mixed(room, |mixed| mixed, components);
        }
        None => sign_mixed(items, |item| mixed(item, salt), components),
    }
}

fn sign_mixed(items: &[u64], mixed: impl Fn(u64) -> u64, components: &mut [u64]) {
    let bins = components.len();
    let mut empty = bins;
    let mut multiplier = MULTIPLIER;
    for round in 0..2 * bins {
        let tag = (round as u64) << VALUE_BITS;
        let functions = items.iter().map(|&item| mixed(item).wrapping_mul(multiplier));
        if round >= bins {
            let bin = round - bins;
            if components[bin] == super::EMPTY {
                components[bin] = tag | functions.min().unwrap_or(0) >> (64 - VALUE_BITS);
                empty -= 1;
            }
        } else if empty * FEW < bins {
            // Hardly any item still changes a bin, which can be foreseen.
            for (bin, value) in functions.map(|function| thrown(function, bins)) {
                let old = components[bin];
                if old > tag {
                    empty -= usize::from(old == super::EMPTY);
                    components[bin] = old.min(tag | value);
                }
            }
        } else {
            for (bin, value) in functions.map(|function| thrown(function, bins)) {
                let old = components[bin];
                empty -= usize::from(old == super::EMPTY);
                components[bin] = old.min(tag | value);
            }
        }
        if empty == 0 {
            return;
        }
        multiplier = multiplier.wrapping_mul(MULTIPLIER);
    }
}

/// The bin that an item falls into, and its value there.
#[inline(always)]
fn thrown(function: u64, bins: usize) -> (usize, u64) {
    let product = u128::from(function) * bins as u128;
    ((product >> 64) as usize, product as u64 >> (64 - VALUE_BITS))
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
