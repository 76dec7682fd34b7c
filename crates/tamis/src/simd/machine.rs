//! The same code for any processor, once more for those of the last ten years, and for the newest.
//!
//! A question to a ribbon is a few dozen instructions, most of them shifts and parities, which newer processors have better ones for.
//! [`run`] compiles whatever it is given for each, and asks the processor once.

#![allow(unsafe_code)]

/// Something that is done on either machine.
pub(crate) trait Work {
    type Output;

    /// Does it; to be inlined whole.
    fn run(self, machine: impl Machine) -> Self::Output;
}

/// What differs.
pub(crate) trait Machine: Copy {
    /// For each bit of a value the parity of the slots that a pattern chooses: `rows` has two words for each bit, the first
    /// ones first, and the slots start at a bit of the first. The second ones may be missing if that is bit 0.
    fn parities(self, rows: &[u64], bits: usize, shift: usize, pattern: u64) -> u32;

    /// The bits of an uneven value of at most [`FEW`], the first one lowest: of each the parity of the slots that a wide pattern chooses,
    /// which start at a bit of the first word for the first one, and a word behind those of the one before for the others. Bits
    /// that the value does not have are anything.
    fn few(self, rows: &[u64; FEW_ROWS], shift: usize, pattern: u128) -> u32;
}

/// So many bits of an uneven value are as fast as one.
pub(crate) const FEW: usize = 3;

/// The words in which their slots are.
pub(crate) const FEW_ROWS: usize = FEW + 2;

/// How many words a machine may look at for values of so many bits, where there are as many.
#[inline(always)]
pub(crate) const fn reach(bits: usize) -> usize {
    2 * bits + 8
}

/// Any processor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain;

impl Machine for Plain {
    #[inline(always)]
    fn parities(self, rows: &[u64], bits: usize, shift: usize, pattern: u64) -> u32 {
        (0..bits).fold(0, |value, bit| {
            let low = u64::from_le(rows[bit]);
            let high = u64::from_le(rows.get(bit + bits).copied().unwrap_or(0));
            let window = low >> shift | high << 1 << (63 - shift);
            value | ((window & pattern).count_ones() & 1) << bit
        })
    }

    #[inline(always)]
    fn few(self, rows: &[u64; FEW_ROWS], shift: usize, pattern: u128) -> u32 {
        uneven(rows, FEW, shift, pattern)
    }
}

/// The same for so many bits, of which each has two more words.
#[inline(always)]
pub(crate) fn uneven(rows: &[u64], bits: usize, shift: usize, pattern: u128) -> u32 {
    let rows = &rows[..bits + 2];
    let (low, high) = (pattern as u64, (pattern >> 64) as u64);
    let mut value = 0;
    // No iterator: one that is not inlined has no instruction for counting ones.
    for bit in 0..bits {
        let [a, b, c] = [rows[bit], rows[bit + 1], rows[bit + 2]].map(u64::from_le);
        let sum = (joined(a, b, shift) & low) ^ (joined(b, c, shift) & high);
        value |= (sum.count_ones() & 1) << bit;
    }
    value
}

/// The word that begins at a bit of the lower one.
#[inline(always)]
pub(crate) const fn joined(low: u64, high: u64, shift: usize) -> u64 {
    low >> shift | high << 1 << (63 - shift)
}

/// Does the work on the best machine there is.
#[inline(always)]
pub(crate) fn run<W: Work>(work: W) -> W::Output {
    #[cfg(all(target_arch = "x86_64", modern_intrinsics))]
    return x86::run(work);
    #[cfg(not(all(target_arch = "x86_64", modern_intrinsics)))]
    work.run(Plain)
}

#[cfg(all(target_arch = "x86_64", modern_intrinsics))]
#[allow(clippy::incompatible_msrv, reason = "older compilers do not see it")]
mod x86 {
    use super::{FEW_ROWS, Machine, Plain, Work, reach};
    use crate::simd::{Level, level};
    use core::arch::x86_64::{
        _mm_cvtsi64_si128, _mm256_and_si256, _mm256_blend_epi32, _mm256_castsi256_ps,
        _mm256_loadu_epi64, _mm256_loadu_si256, _mm256_movemask_ps, _mm256_or_si256,
        _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_popcnt_epi64,
        _mm256_set1_epi64x, _mm256_setr_epi32, _mm256_shrdv_epi64, _mm256_sll_epi64,
        _mm256_slli_epi32, _mm256_slli_epi64, _mm256_srl_epi64, _mm256_srli_epi64,
        _mm256_test_epi64_mask, _mm256_xor_si256, _mm512_and_si512, _mm512_loadu_epi64,
        _mm512_popcnt_epi64, _mm512_set1_epi64, _mm512_shrdv_epi64, _mm512_test_epi64_mask,
    };

    /// A processor with AVX2, BMI2 and POPCNT: proof that there is one.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Modern(());

    /// One that also has AVX-512 with VBMI2 and VPOPCNTDQ.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Newest(());

    #[inline(always)]
    pub(super) fn run<W: Work>(work: W) -> W::Output {
        // SAFETY: the level says what the processor has.
        match level() {
            Level::Wide => unsafe { on_newest(work) },
            Level::Vectors => unsafe { on_modern(work) },
            Level::Portable => on_any(work),
        }
    }

    #[inline(never)]
    fn on_any<W: Work>(work: W) -> W::Output {
        work.run(Plain)
    }

    #[target_feature(enable = "avx2,bmi2,popcnt")]
    pub(super) fn on_modern<W: Work>(work: W) -> W::Output {
        work.run(Modern(()))
    }

    #[target_feature(enable = "avx2,bmi2,popcnt,avx512f,avx512vl,avx512vbmi2,avx512vpopcntdq")]
    pub(super) fn on_newest<W: Work>(work: W) -> W::Output {
        work.run(Newest(()))
    }

    /// The parities of as many bits as there are, eight of them at once by `eight`.
    #[inline(always)]
    fn by_eights(
        rows: &[u64],
        bits: usize,
        shift: usize,
        pattern: u64,
        eight: impl Fn(*const u64) -> u32,
    ) -> u32 {
        // A vector may reach over the last row, but not over the end of all.
        if rows.len() < reach(bits) {
            return at_the_end(rows, bits, shift, pattern);
        }
        let mut value = eight(rows.as_ptr());
        if bits > 8 {
            for bit in (8..bits).step_by(8) {
                value |= eight(rows[bit..].as_ptr()) << bit;
            }
        }
        value & ((1u64 << bits) - 1) as u32
    }

    #[cold]
    #[inline(never)]
    fn at_the_end(rows: &[u64], bits: usize, shift: usize, pattern: u64) -> u32 {
        Plain.parities(rows, bits, shift, pattern)
    }

    impl Machine for Modern {
        #[inline(always)]
        fn parities(self, rows: &[u64], bits: usize, shift: usize, pattern: u64) -> u32 {
            // SAFETY: `self` exists only where there is such a processor; the words were counted.
            by_eights(rows, bits, shift, pattern, |rows| unsafe {
                eight(rows, bits, shift, pattern)
            })
        }

        #[inline(always)]
        fn few(self, rows: &[u64; FEW_ROWS], shift: usize, pattern: u128) -> u32 {
            Plain.few(rows, shift, pattern)
        }
    }

    impl Machine for Newest {
        #[inline(always)]
        fn parities(self, rows: &[u64], bits: usize, shift: usize, pattern: u64) -> u32 {
            // SAFETY: as above.
            by_eights(rows, bits, shift, pattern, |rows| unsafe {
                eight_at_once(rows, bits, shift, pattern)
            })
        }

        #[inline(always)]
        fn few(self, rows: &[u64; FEW_ROWS], shift: usize, pattern: u128) -> u32 {
            // SAFETY: `self` exists only where there is such a processor.
            unsafe { few_at_once(rows, shift, pattern) }
        }
    }

    /// The parities of the bits of an uneven value.
    #[target_feature(enable = "avx2,bmi2,popcnt,avx512f,avx512vl,avx512vbmi2,avx512vpopcntdq")]
    #[inline]
    fn few_at_once(rows: &[u64; FEW_ROWS], shift: usize, pattern: u128) -> u32 {
        // SAFETY: each reads four of five words.
        let (low, high) = unsafe {
            (
                _mm256_loadu_epi64(rows.as_ptr().cast()),
                _mm256_loadu_epi64(rows.as_ptr().add(1).cast()),
            )
        };
        let windows = _mm256_shrdv_epi64(low, high, _mm256_set1_epi64x(shift as i64));
        let next = _mm256_permute4x64_epi64::<0b00_11_10_01>(windows);
        let first = _mm256_and_si256(windows, _mm256_set1_epi64x(pattern as i64));
        let second = _mm256_and_si256(next, _mm256_set1_epi64x((pattern >> 64) as i64));
        let ones = _mm256_popcnt_epi64(_mm256_xor_si256(first, second));
        u32::from(_mm256_test_epi64_mask(ones, _mm256_set1_epi64x(1)))
    }

    /// The parities of the first eight bits, of which only those count that there are.
    ///
    /// # Safety
    /// There must be eight words, and eight behind the first `bits`.
    #[target_feature(enable = "avx2,bmi2,popcnt,avx512f,avx512vl,avx512vbmi2,avx512vpopcntdq")]
    #[inline]
    unsafe fn eight_at_once(rows: *const u64, bits: usize, shift: usize, pattern: u64) -> u32 {
        // SAFETY: as above.
        let (low, high) =
            unsafe { (_mm512_loadu_epi64(rows.cast()), _mm512_loadu_epi64(rows.add(bits).cast())) };
        let window = _mm512_shrdv_epi64(low, high, _mm512_set1_epi64(shift as i64));
        let chosen = _mm512_and_si512(window, _mm512_set1_epi64(pattern as i64));
        u32::from(_mm512_test_epi64_mask(_mm512_popcnt_epi64(chosen), _mm512_set1_epi64(1)))
    }

    /// The parities of the first eight bits, of which only those count that there are.
    ///
    /// # Safety
    /// There must be eight words, and eight behind the first `bits`; the processor must have AVX2.
    #[inline(always)]
    unsafe fn eight(rows: *const u64, bits: usize, shift: usize, pattern: u64) -> u32 {
        // SAFETY: as above.
        unsafe {
            let pattern = _mm256_set1_epi64x(pattern as i64);
            let right = _mm_cvtsi64_si128(shift as i64);
            // A shift by all 64 bits leaves nothing.
            let left = _mm_cvtsi64_si128(64 - shift as i64);
            let chosen = |at: usize| {
                let low = _mm256_loadu_si256(rows.add(at).cast());
                let high = _mm256_loadu_si256(rows.add(at + bits).cast());
                let low = _mm256_srl_epi64(low, right);
                _mm256_and_si256(_mm256_or_si256(low, _mm256_sll_epi64(high, left)), pattern)
            };
            let (first, second) = (chosen(0), chosen(4));
            // Each to half of its bits, then the halves of both side by side, and on to the highest bit.
            let first = _mm256_xor_si256(first, _mm256_srli_epi64::<32>(first));
            let second = _mm256_xor_si256(second, _mm256_slli_epi64::<32>(second));
            let mut sum = _mm256_blend_epi32::<0b1010_1010>(first, second);
            sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<16>(sum));
            sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<8>(sum));
            sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<4>(sum));
            sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<2>(sum));
            sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<1>(sum));
            let in_order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
            let signs = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(sum, in_order));
            _mm256_movemask_ps(signs) as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Functions, mixed};

    struct Parities<'r>(&'r [u64], usize, usize, u64);

    impl Work for Parities<'_> {
        type Output = u32;

        fn run(self, machine: impl Machine) -> u32 {
            machine.parities(self.0, self.1, self.2, self.3)
        }
    }

    struct FewBits<'r>(&'r [u64; FEW_ROWS], usize, u128);

    impl Work for FewBits<'_> {
        type Output = u32;

        fn run(self, machine: impl Machine) -> u32 {
            machine.few(self.0, self.1, self.2) & ((1 << FEW) - 1)
        }
    }

    #[test]
    fn every_machine_gives_the_bits_of_an_uneven_value() {
        let mut draws = Functions::new(11);
        for shift in (0..64).cycle().take(1000) {
            let rows: [u64; FEW_ROWS] = std::array::from_fn(|_| draws.next().unwrap_or(0));
            let pattern = u128::from(mixed(rows[0], 1)) << 64 | u128::from(mixed(rows[1], 2));
            let slot = |slot: usize| u64::from_le(rows[slot / 64]) >> (slot % 64) & 1;
            let parity = |bit: usize| {
                let chosen = (0..128).filter(|slot| pattern >> slot & 1 == 1);
                chosen.map(|at| slot(64 * bit + shift + at)).sum::<u64>() & 1
            };
            let expected = (0..FEW).map(|bit| (parity(bit) as u32) << bit).sum::<u32>();
            assert_eq!(FewBits(&rows, shift, pattern).run(Plain), expected);
            assert_eq!(run(FewBits(&rows, shift, pattern)), expected, "{shift}");
            #[cfg(all(target_arch = "x86_64", modern_intrinsics))]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
                // SAFETY: whoever has these has POPCNT as well.
                let got = unsafe { x86::on_modern(FewBits(&rows, shift, pattern)) };
                assert_eq!(got, expected, "{shift}");
            }
        }
    }

    #[test]
    fn every_machine_gives_the_parity_of_the_slots() {
        for bits in 0..=32 {
            for (spare, shift) in (0..64).map(|shift| (8 * (shift % 2), shift)) {
                let rows: Vec<u64> = Functions::new(7).take(2 * bits + spare).collect();
                let pattern = mixed(shift as u64, bits as u64);
                let slot = |bit: usize, slot: usize| {
                    u64::from_le(rows[slot / 64 * bits + bit]) >> (slot % 64) & 1
                };
                let parity = |bit: usize| {
                    let chosen = (0..64).filter(|slot| pattern >> slot & 1 == 1);
                    chosen.map(|at| slot(bit, shift + at)).sum::<u64>() & 1
                };
                let expected = (0..bits).map(|bit| (parity(bit) as u32) << bit).sum::<u32>();
                assert_eq!(Plain.parities(&rows, bits, shift, pattern), expected);
                assert_eq!(run(Parities(&rows, bits, shift, pattern)), expected, "{bits} {shift}");
                #[cfg(all(target_arch = "x86_64", modern_intrinsics))]
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
                    // SAFETY: whoever has these has POPCNT as well.
                    let got = unsafe { x86::on_modern(Parities(&rows, bits, shift, pattern)) };
                    assert_eq!(got, expected, "{bits} {shift}");
                }
            }
        }
    }
}
