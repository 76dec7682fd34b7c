//! The classic signature: the minimum of each of `k` functions.

use crate::hash::Functions;

/// Component `i` is the least value of function `i` over all items. The functions are those of the
/// hash family over a mixed item, finished so that their order does not follow from each other.
pub(super) fn sign(items: &[u64], salt: u64, components: &mut [u64]) {
    for &item in items {
        for (component, function) in components.iter_mut().zip(Functions::new(finish(item ^ salt)))
        {
            *component = (*component).min(finish(function));
        }
    }
}

/// The finaliser of MurmurHash3 in its 64-bit form (Stafford's variant 13).
#[inline(always)]
fn finish(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}
