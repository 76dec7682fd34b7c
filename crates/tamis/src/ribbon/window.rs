//! The sum of the slots that a pattern chooses.

use super::WORD;

/// The value at a first slot, of words in which the bits of a value stand side by side.
#[inline(always)]
pub(super) fn value(solution: &[u64], bits: usize, start: usize, pattern: u128) -> u32 {
    match bits {
        1 => planes::<1>(solution, 0, bits, start, pattern),
        2 => planes::<2>(solution, 0, bits, start, pattern),
        3 => planes::<3>(solution, 0, bits, start, pattern),
        _ => many(solution, bits, start, pattern),
    }
}

#[inline]
fn many(solution: &[u64], bits: usize, start: usize, pattern: u128) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(vectors) = avx2::Avx2::detect()
        && let Some(value) = vectors.value(solution, bits, start, pattern)
    {
        return value;
    }
    let one = |plane| planes::<1>(solution, plane, bits, start, pattern) << plane;
    (0..bits).fold(0, |value, plane| value | one(plane))
}

/// Some bits of the value, from `first` on.
#[inline(always)]
fn planes<const COUNT: usize>(
    solution: &[u64],
    first: usize,
    bits: usize,
    start: usize,
    pattern: u128,
) -> u32 {
    let (word, shift) = (start / WORD, start % WORD);
    let (low, high) = (pattern as u64, (pattern >> WORD) as u64);
    let rows = &solution[word * bits + first..];
    // Behind the last slot there may be nothing; nothing of it is used then, for the shift is 0.
    let at = |index: usize| u64::from_le(rows.get(index).copied().unwrap_or(0));
    let joined = |low: u64, high: u64| low >> shift | high << 1 << (WORD - 1 - shift);
    let mut value = 0;
    for plane in 0..COUNT {
        let [a, b, c] = [at(plane), at(plane + bits), at(plane + 2 * bits)];
        let sum = (joined(a, b) & low) ^ (joined(b, c) & high);
        value |= (sum.count_ones() & 1) << plane;
    }
    value
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! Four bits of a value at once: 0.4 of the time for 7 bits, 0.3 for 14.

    #![allow(unsafe_code)]

    use super::WORD;
    pub(super) use crate::filter::bloom::avx2::Avx2;
    use std::arch::x86_64::{
        __m256i, _mm_cvtsi64_si128, _mm256_and_si256, _mm256_castsi256_pd, _mm256_loadu_si256,
        _mm256_movemask_pd, _mm256_or_si256, _mm256_set1_epi64x, _mm256_sll_epi64,
        _mm256_slli_epi64, _mm256_srl_epi64, _mm256_srli_epi64, _mm256_xor_si256,
    };

    impl Avx2 {
        /// The value, unless it is so near to the end that a vector would reach over it.
        #[inline(always)]
        pub(in crate::ribbon) fn value(
            self,
            solution: &[u64],
            bits: usize,
            start: usize,
            pattern: u128,
        ) -> Option<u32> {
            let rows = solution.get(start / WORD * bits..)?.get(..3 * bits + 3)?;
            // SAFETY: `self` exists only where AVX2 was detected.
            Some(unsafe { value(rows, bits, start % WORD, pattern) })
        }
    }

    /// Of three rows, and three words more.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn value(rows: &[u64], bits: usize, shift: usize, pattern: u128) -> u32 {
        let low = _mm256_set1_epi64x(pattern as i64);
        let high = _mm256_set1_epi64x((pattern >> WORD) as i64);
        let right = _mm_cvtsi64_si128(shift as i64);
        // A shift by all 64 bits leaves nothing.
        let left = _mm_cvtsi64_si128((WORD - shift) as i64);
        let joined = |low: __m256i, high: __m256i| {
            _mm256_or_si256(_mm256_srl_epi64(low, right), _mm256_sll_epi64(high, left))
        };
        let mut value = 0;
        for plane in (0..bits).step_by(4) {
            let [a, b, c] = [0, bits, 2 * bits].map(|row| {
                let four: &[u64] = &rows[row + plane..][..4];
                // SAFETY: four words are there.
                unsafe { _mm256_loadu_si256(four.as_ptr().cast()) }
            });
            let mut sum = _mm256_xor_si256(
                _mm256_and_si256(joined(a, b), low),
                _mm256_and_si256(joined(b, c), high),
            );
            sum = _mm256_xor_si256(sum, _mm256_srli_epi64::<32>(sum));
            sum = _mm256_xor_si256(sum, _mm256_srli_epi64::<16>(sum));
            sum = _mm256_xor_si256(sum, _mm256_srli_epi64::<8>(sum));
            sum = _mm256_xor_si256(sum, _mm256_srli_epi64::<4>(sum));
            sum = _mm256_xor_si256(sum, _mm256_srli_epi64::<2>(sum));
            sum = _mm256_xor_si256(sum, _mm256_srli_epi64::<1>(sum));
            let signs = _mm256_castsi256_pd(_mm256_slli_epi64::<63>(sum));
            value |= (_mm256_movemask_pd(signs) as u32) << plane;
        }
        value & (u32::MAX >> (32 - bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Functions, mixed};

    /// Slot by slot.
    fn plainly(solution: &[u64], bits: usize, start: usize, pattern: u128) -> u32 {
        let bit = |slot: usize, plane: usize| {
            u64::from_le(solution[slot / WORD * bits + plane]) >> (slot % WORD) & 1
        };
        let chosen = |slot: &usize| pattern >> slot & 1 == 1;
        (0..bits).fold(0, |value, plane| {
            let sum: u64 = (0..128).filter(chosen).map(|slot| bit(start + slot, plane)).sum();
            value | ((sum & 1) as u32) << plane
        })
    }

    #[test]
    fn every_way_gives_the_sum_of_the_slots() {
        for bits in 1..=32 {
            let solution: Vec<u64> = Functions::new(7).take(8 * bits).collect();
            for start in 0..=(8 * WORD - 128) {
                let number = mixed(start as u64, bits as u64);
                let pattern = u128::from(number) << 64 | u128::from(mixed(number, 1));
                let expected = plainly(&solution, bits, start, pattern);
                assert_eq!(value(&solution, bits, start, pattern), expected, "{bits} at {start}");
                let one = |plane| planes::<1>(&solution, plane, bits, start, pattern) << plane;
                assert_eq!((0..bits).map(one).sum::<u32>(), expected, "{bits} at {start}");
            }
        }
    }
}
