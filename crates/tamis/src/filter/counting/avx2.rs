//! Counters of one line, all words at once.

#![allow(unsafe_code)]

use crate::filter::block::{self, Rounds};
use crate::filter::bloom::avx2::{Avx2, VISITED, load, places};
use crate::memory::Line;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256, _mm256_cmpeq_epi64,
    _mm256_or_si256, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_sllv_epi64,
    _mm256_srlv_epi64, _mm256_store_si256, _mm256_testz_si256,
};

impl Avx2 {
    /// Adds one to the counters of a key; those at their maximum stay.
    #[inline(always)]
    pub(super) fn increment<const BITS: i64>(self, line: &mut Line, hash: u64, hashes: u32) {
        // SAFETY: `self` exists only where AVX2 was detected.
        unsafe { increment::<BITS>(line, hash, hashes) }
    }

    /// Whether no counter of a key is zero.
    #[inline(always)]
    pub(super) fn has<const BITS: i64>(self, line: &Line, hash: u64, hashes: u32) -> bool {
        // SAFETY: `self` exists only where AVX2 was detected.
        unsafe { has::<BITS>(line, hash, hashes) }
    }
}

/// Where the counters of a key start in each word.
#[target_feature(enable = "avx2")]
#[inline]
fn shifts<const BITS: i64>(hash: u64) -> [__m256i; 2] {
    let [low, high] = places(hash, 0);
    let whole = _mm256_set1_epi64x(64 - BITS);
    [_mm256_and_si256(low, whole), _mm256_and_si256(high, whole)]
}

/// All ones in the words that the key visits.
#[target_feature(enable = "avx2")]
#[inline]
fn visited(hash: u64, hashes: u32) -> [__m256i; 2] {
    let rounds = Rounds::of(hashes);
    if rounds.full == 1 {
        return [_mm256_set1_epi64x(-1); 2];
    }
    load(&VISITED[rounds.partial as usize][block::start(hash, 0)])
}

#[target_feature(enable = "avx2")]
fn increment<const BITS: i64>(line: &mut Line, hash: u64, hashes: u32) {
    let (one, max) = (_mm256_set1_epi64x(1), _mm256_set1_epi64x((1 << BITS) - 1));
    let (shifts, visited, old) = (shifts::<BITS>(hash), visited(hash, hashes), load(line));
    let first = std::ptr::from_mut(line).cast::<__m256i>();
    for half in 0..2 {
        let counter = _mm256_sllv_epi64(max, shifts[half]);
        let full = _mm256_cmpeq_epi64(_mm256_and_si256(old[half], counter), counter);
        let step = _mm256_and_si256(_mm256_sllv_epi64(one, shifts[half]), visited[half]);
        let new = _mm256_add_epi64(old[half], _mm256_andnot_si256(full, step));
        // SAFETY: a line is two aligned vectors, and it is borrowed mutably.
        unsafe { _mm256_store_si256(first.add(half), new) };
    }
}

#[target_feature(enable = "avx2")]
fn has<const BITS: i64>(line: &Line, hash: u64, hashes: u32) -> bool {
    let max = _mm256_set1_epi64x((1 << BITS) - 1);
    let (shifts, visited, line) = (shifts::<BITS>(hash), visited(hash, hashes), load(line));
    let zero: [__m256i; 2] = [0, 1].map(
        #[inline(always)]
        |half: usize| {
            let counter = _mm256_and_si256(_mm256_srlv_epi64(line[half], shifts[half]), max);
            let zero = _mm256_cmpeq_epi64(counter, _mm256_setzero_si256());
            _mm256_and_si256(zero, visited[half])
        },
    );
    let any = _mm256_or_si256(zero[0], zero[1]);
    _mm256_testz_si256(any, any) == 1
}
