//! The blocked layout: all bits of a key in one cache line.
//!
//! [`super::super::block`] has the placement and its mathematics. On x86-64 with AVX2 the
//! whole line is tested by two instructions of 256 bits; [`Portable`] does the same word by
//! word and is the oracle of the fast path.

use super::Line;
#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
use super::checked;
use super::layout::{Layout, sealed::Sealed};
use crate::Result;
use crate::filter::block::{self, Model};
use crate::filter::concurrent::stripe::Stripe;
use crate::filter::{Design, LINE_BITS, WORDS};
use crate::hash::reduce;
use crate::memory::SharedLine;
#[cfg(target_arch = "x86_64")]
use crate::memory::prefetch::prefetch_to_write;
use crate::memory::prefetch::{AHEAD, CACHED, prefetch};

/// The bits of a key in one line of 512.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocked {
    lines: u64,
    hashes: u32,
    kernel: Kernel,
}

/// How a line is tested and changed: chosen once per filter, because the choice costs as much
/// as the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kernel {
    /// One full round, by vectors.
    #[cfg(target_arch = "x86_64")]
    Eight(Avx2),
    /// Any number of functions, by vectors.
    #[cfg(target_arch = "x86_64")]
    Rounds(Avx2),
    /// Word by word.
    Portable,
}

impl Kernel {
    fn of(hashes: u32) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::detect() {
            return if hashes == WORDS as u32 { Self::Eight(avx2) } else { Self::Rounds(avx2) };
        }
        let _ = hashes;
        Self::Portable
    }
}

/// Below this the spread of keys over lines costs more than it saves; the classic layout goes on.
const LEAST_RATE: f64 = 1e-7;

impl Sealed for Blocked {}

impl Blocked {
    const fn model(&self) -> Model {
        Model::new(64, self.hashes)
    }

    /// Which line belongs to a key.
    #[inline(always)]
    pub(crate) fn line_of(&self, hash: u64) -> usize {
        reduce(hash, self.lines) as usize
    }

    #[inline(never)]
    fn masks_one_by_one(&self, hash: u64) -> [u64; WORDS] {
        let mut masks = [0u64; WORDS];
        block::for_each_slot(hash, self.hashes, |word, slot| masks[word] |= 1 << slot);
        masks
    }

    /// Whether a line has all bits of a key.
    #[inline(always)]
    pub(crate) fn line_has(&self, line: &Line, hash: u64) -> bool {
        #[cfg(target_arch = "x86_64")]
        if let Kernel::Eight(avx2) = self.kernel {
            return avx2.line_has_eight(line, hash);
        }
        self.line_has_in_rounds(line, hash)
    }

    #[inline(never)]
    fn line_has_in_rounds(&self, line: &Line, hash: u64) -> bool {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Eight(avx2) | Kernel::Rounds(avx2) => avx2.line_has(line, hash, self.hashes),
            Kernel::Portable => Portable.line_has(*self, line, hash),
        }
    }

    /// Sets the bits of a key in a line.
    #[inline(always)]
    pub(crate) fn line_insert(&self, line: &mut Line, hash: u64) {
        #[cfg(target_arch = "x86_64")]
        if let Kernel::Eight(avx2) = self.kernel {
            return avx2.line_insert_eight(line, hash);
        }
        self.line_insert_in_rounds(line, hash);
    }

    #[inline(never)]
    fn line_insert_in_rounds(&self, line: &mut Line, hash: u64) {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Eight(avx2) | Kernel::Rounds(avx2) => avx2.line_insert(line, hash, self.hashes),
            Kernel::Portable => Portable.line_insert(*self, line, hash),
        }
    }
}

impl Blocked {
    /// Whether a line that others may be changing has all bits of a key.
    #[inline(always)]
    pub(crate) fn shared_line_has(&self, line: &SharedLine, hash: u64) -> bool {
        #[cfg(target_arch = "x86_64")]
        if let Kernel::Eight(avx2) = self.kernel {
            return avx2.shared_line_has_eight(line, hash);
        }
        self.shared_line_has_in_rounds(line, hash)
    }

    #[inline(never)]
    fn shared_line_has_in_rounds(&self, line: &SharedLine, hash: u64) -> bool {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Eight(avx2) | Kernel::Rounds(avx2) => {
                avx2.shared_line_has(line, hash, self.hashes)
            }
            Kernel::Portable => Portable.line_has(*self, &line.load(), hash),
        }
    }

    /// Starts to bring something into the nearest cache, to be written to, where that is possible.
    #[inline(always)]
    pub(crate) fn ask_to_write<T>(&self, place: &T) {
        #[cfg(target_arch = "x86_64")]
        if let Kernel::Eight(avx2) | Kernel::Rounds(avx2) = self.kernel {
            prefetch_to_write(avx2, place);
        }
        let _ = place;
    }

    /// Sets the bits of a key in a line of a stripe, and counts it there.
    #[inline(always)]
    pub(crate) fn shared_line_insert(&self, line: &SharedLine, hash: u64, stripe: &Stripe) {
        #[cfg(target_arch = "x86_64")]
        if let Kernel::Eight(avx2) = self.kernel
            && avx2.shared_line_insert_eight(line, hash, stripe)
        {
            return;
        }
        self.shared_line_insert_in_rounds(line, hash, stripe);
    }

    #[inline(never)]
    fn shared_line_insert_in_rounds(&self, line: &SharedLine, hash: u64, stripe: &Stripe) {
        stripe.hold(|items| {
            match self.kernel {
                #[cfg(target_arch = "x86_64")]
                Kernel::Eight(avx2) | Kernel::Rounds(avx2) => {
                    avx2.shared_line_insert(line, hash, self.hashes);
                }
                Kernel::Portable => line.set(self.masks_one_by_one(hash)),
            }
            items + 1
        });
    }
}

/// The plain twin of the vector code.
pub(super) struct Portable;

impl Portable {
    #[inline]
    pub(super) fn line_has(&self, layout: Blocked, line: &Line, hash: u64) -> bool {
        let masks = layout.masks_one_by_one(hash);
        (0..WORDS).fold(0, |missing, word| missing | (masks[word] & !line.word(word))) == 0
    }

    #[inline]
    pub(super) fn line_insert(&self, layout: Blocked, line: &mut Line, hash: u64) {
        for (word, mask) in layout.masks_one_by_one(hash).into_iter().enumerate() {
            line.set_word(word, line.word(word) | mask);
        }
    }
}

impl Layout for Blocked {
    const NAME: &'static str = "blocked";
    const CODE: u8 = 2;
    const MAX_HASHES: u32 = 32;
    const ASKED: usize = 64;

    fn for_rate(items: u64, rate: f64) -> Result<Self> {
        Design::check_rate(rate, LEAST_RATE)?;
        let (hashes, lines) = Model::best(64, Self::MAX_HASHES, items, rate)?;
        Ok(Self { lines, hashes, kernel: Kernel::of(hashes) })
    }

    fn for_bits(bits: u64, hashes: u32) -> Result<Self> {
        Design::check_hashes(hashes, Self::MAX_HASHES)?;
        let lines = Design::check_bits(bits as f64)?.div_ceil(LINE_BITS);
        Ok(Self { lines, hashes, kernel: Kernel::of(hashes) })
    }

    fn bits(&self) -> u64 {
        self.lines * LINE_BITS
    }

    fn hashes(&self) -> u32 {
        self.hashes
    }

    fn expected_rate(&self, items: u64) -> f64 {
        self.model().rate(items as f64 / self.lines as f64)
    }

    fn estimated_items(&self, fill: f64) -> f64 {
        let most = 1.0 - 0.5 / self.bits() as f64;
        self.model().estimated_load(fill.min(most)) * self.lines as f64
    }

    fn rate_of(&self, lines: &[Line]) -> f64 {
        self.model().rate_of_lines(lines, u64::count_ones)
    }

    fn indexes(&self, hash: u64) -> Vec<u64> {
        let first = self.line_of(hash) as u64 * LINE_BITS;
        let mut indexes = Vec::with_capacity(self.hashes as usize);
        block::for_each_slot(hash, self.hashes, |word, slot| {
            indexes.push(first + word as u64 * 64 + slot);
        });
        indexes
    }

    #[inline(always)]
    fn contains(&self, lines: &[Line], hash: u64) -> bool {
        self.line_has(checked::line(self, lines, hash), hash)
    }

    #[inline(always)]
    fn insert(&self, lines: &mut [Line], hash: u64) {
        self.line_insert(checked::line_mut(self, lines, hash), hash);
    }

    fn is_inlined(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return matches!(self.kernel, Kernel::Eight(_));
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }

    #[inline(always)]
    fn ask(&self, lines: &[Line], hash: u64) {
        prefetch(checked::line(self, lines, hash));
    }

    fn contains_many(&self, lines: &[Line], hashes: &[u64], found: &mut [bool]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = super::avx2::Avx2::detect() {
            return avx2.contains_many(*self, lines, hashes, found);
        }
        for_each_ahead(*self, hashes, lines, |i, hash, lines| {
            found[i] = Portable.line_has(*self, checked::line(self, lines, hash), hash);
        });
    }

    fn insert_many(&self, lines: &mut [Line], hashes: &[u64]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = super::avx2::Avx2::detect() {
            return avx2.insert_many(*self, lines, hashes);
        }
        for_each_ahead(*self, hashes, lines, |_, hash, lines| {
            Portable.line_insert(*self, checked::line_mut(self, lines, hash), hash);
        });
    }
}

/// Visits each hash after its line was asked for [`AHEAD`] visits before, unless the lines are in
/// the cache anyway.
#[inline(always)]
pub(super) fn for_each_ahead<T: AsRef<[Line]>>(
    layout: Blocked,
    hashes: &[u64],
    mut lines: T,
    mut visit: impl FnMut(usize, u64, &mut T),
) {
    if lines.as_ref().len() <= CACHED {
        for (i, &hash) in hashes.iter().enumerate() {
            visit(i, hash, &mut lines);
        }
        return;
    }
    let (first, later) = hashes.split_at(AHEAD.min(hashes.len()));
    for &hash in first {
        prefetch(checked::line(&layout, lines.as_ref(), hash));
    }
    for (i, &hash) in hashes.iter().enumerate() {
        if let Some(&later) = later.get(i) {
            prefetch(checked::line(&layout, lines.as_ref(), later));
        }
        visit(i, hash, &mut lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::KeyHash;
    use bytemuck::Zeroable;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_vector_path_and_its_plain_twin_set_and_find_the_same_bits() {
        let Some(avx2) = crate::filter::bloom::avx2::Avx2::detect() else {
            return;
        };
        let hash = KeyHash::new(5);
        for hashes in 1..=Blocked::MAX_HASHES {
            let layout = Blocked { lines: 1, hashes, kernel: Kernel::of(hashes) };
            let (mut plain, mut fast) = (Line::zeroed(), Line::zeroed());
            for key in 0..40u64 {
                let (inside, outside) = (hash.integer(key), hash.integer(key + 1000));
                Portable.line_insert(layout, &mut plain, inside);
                avx2.line_insert(&mut fast, inside, hashes);
                assert_eq!(plain, fast, "k = {hashes}");
                assert!(avx2.line_has(&fast, inside, hashes));
                assert_eq!(
                    Portable.line_has(layout, &plain, outside),
                    avx2.line_has(&fast, outside, hashes)
                );
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn vectors_in_the_loop_of_the_caller_set_and_find_the_same_bits() {
        let Some(avx2) = crate::filter::bloom::avx2::Avx2::detect() else {
            return;
        };
        let layout = Blocked { lines: 1, hashes: 8, kernel: Kernel::of(8) };
        let hash = KeyHash::new(6);
        let (mut plain, mut fast) = (Line::zeroed(), Line::zeroed());
        for key in 0..60u64 {
            let inside = hash.integer(key);
            Portable.line_insert(layout, &mut plain, inside);
            avx2.line_insert_eight(&mut fast, inside);
            assert_eq!(plain, fast);
            for outside in (0..200).map(|key| hash.integer(key)) {
                let expected = Portable.line_has(layout, &plain, outside);
                assert_eq!(avx2.line_has_eight(&fast, outside), expected);
            }
        }
    }

    #[test]
    fn indexes_are_the_bits_that_insert_sets() {
        let layout = Blocked::for_bits(5_000, 13).unwrap();
        let mut lines = vec![Line::zeroed(); layout.lines()];
        let hash = KeyHash::new(1).bytes(b"carrot");
        layout.insert(&mut lines, hash);
        let mut expected = layout.indexes(hash);
        expected.sort_unstable();
        expected.dedup();
        let set: Vec<u64> = (0..layout.bits())
            .filter(|bit| {
                let line = &lines[(bit / LINE_BITS) as usize];
                line.word((bit % LINE_BITS / 64) as usize) >> (bit % 64) & 1 == 1
            })
            .collect();
        assert_eq!(set, expected);
    }
}
