//! Counters on x86-64 with AVX2: all words of a line at once.

#![allow(unsafe_code)]
#![allow(unused_unsafe, reason = "intrinsics are safe to call since Rust 1.87")]

use super::counters::CounterOperations;
use super::slots::{self, Rounds, visits};
use super::x86::{Avx2, SALTS};
use crate::memory::{Line, WORDS};
use core::arch::x86_64::{
    __m256i, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256, _mm256_cmpeq_epi64,
    _mm256_load_si256, _mm256_mullo_epi32, _mm256_or_si256, _mm256_set1_epi32, _mm256_set1_epi64x,
    _mm256_setzero_si256, _mm256_slli_epi64, _mm256_sllv_epi64, _mm256_srli_epi64,
    _mm256_srlv_epi64, _mm256_store_si256, _mm256_testz_si256,
};

/// A one in each word that a partial round visits, by its number of slots and its first word.
static VISITED: [[Line; WORDS]; WORDS] = {
    let mut table = [[Line([0; WORDS]); WORDS]; WORDS];
    let mut partial = 0;
    while partial < WORDS {
        let mut start = 0;
        while start < WORDS {
            let mut word = 0;
            while word < WORDS {
                table[partial][start].0[word] = visits(word, start, partial as u32) as u64;
                word += 1;
            }
            start += 1;
        }
        partial += 1;
    }
    table
};

impl CounterOperations for Avx2 {
    #[inline(always)]
    fn are_counted<const BITS: u32>(self, line: &Line, hash: u64, hashes: u32) -> bool {
        // SAFETY: `self` exists only where AVX2 was detected.
        unsafe { are_counted::<BITS>(line, hash, hashes) }
    }

    #[inline(always)]
    fn increment<const BITS: u32>(self, line: &mut Line, hash: u64, hashes: u32) {
        // SAFETY: `self` exists only where AVX2 was detected.
        unsafe { increment::<BITS>(line, hash, hashes) }
    }
}

/// The two halves of a line.
///
/// # Safety
/// The processor must have AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load(line: &Line) -> [__m256i; 2] {
    let first = core::ptr::from_ref(line).cast::<__m256i>();
    // SAFETY: a line is 64 bytes at a multiple of 64: two aligned vectors.
    unsafe { [_mm256_load_si256(first), _mm256_load_si256(first.add(1))] }
}

/// Where the counters of a key start in each word.
///
/// # Safety
/// The processor must have AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn shifts<const BITS: u32>(hash: u64) -> [__m256i; 2] {
    // SAFETY: 32 bytes at a multiple of 32.
    unsafe {
        let salts = _mm256_load_si256(SALTS.0[0].as_ptr().cast());
        let hashes = _mm256_set1_epi32(hash as u32 as i32);
        let products = _mm256_mullo_epi32(hashes, salts);
        let whole = _mm256_set1_epi64x(64 - i64::from(BITS));
        let low = _mm256_srli_epi64::<58>(products);
        let high = _mm256_srli_epi64::<58>(_mm256_slli_epi64::<32>(products));
        [_mm256_and_si256(low, whole), _mm256_and_si256(high, whole)]
    }
}

/// A one in each word that the key visits.
///
/// # Safety
/// The processor must have AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn ones(hash: u64, hashes: u32) -> [__m256i; 2] {
    let Rounds { full, partial } = Rounds::of(hashes);
    // SAFETY: the processor has AVX2.
    unsafe {
        if full == 1 {
            return [_mm256_set1_epi64x(1); 2];
        }
        load(&VISITED[partial as usize % WORDS][slots::start(hash, 0)])
    }
}

/// # Safety
/// The processor must have AVX2.
#[target_feature(enable = "avx2")]
unsafe fn increment<const BITS: u32>(line: &mut Line, hash: u64, hashes: u32) {
    // SAFETY: the processor has AVX2. A line is two aligned vectors, and it is borrowed mutably.
    unsafe {
        let max = _mm256_set1_epi64x((1 << BITS) - 1);
        let (shifts, ones, old) = (shifts::<BITS>(hash), ones(hash, hashes), load(line));
        let first = core::ptr::from_mut(line).cast::<__m256i>();
        for half in 0..2 {
            let counter = _mm256_sllv_epi64(max, shifts[half]);
            let full = _mm256_cmpeq_epi64(_mm256_and_si256(old[half], counter), counter);
            let step = _mm256_sllv_epi64(ones[half], shifts[half]);
            let new = _mm256_add_epi64(old[half], _mm256_andnot_si256(full, step));
            _mm256_store_si256(first.add(half), new);
        }
    }
}

/// # Safety
/// The processor must have AVX2.
#[target_feature(enable = "avx2")]
unsafe fn are_counted<const BITS: u32>(line: &Line, hash: u64, hashes: u32) -> bool {
    // SAFETY: the processor has AVX2.
    unsafe {
        let max = _mm256_set1_epi64x((1 << BITS) - 1);
        let (shifts, ones, line) = (shifts::<BITS>(hash), ones(hash, hashes), load(line));
        // A word that is visited and whose counter is zero keeps its one.
        let counter = |half: usize| {
            let counter = _mm256_and_si256(_mm256_srlv_epi64(line[half], shifts[half]), max);
            let zero = _mm256_cmpeq_epi64(counter, _mm256_setzero_si256());
            _mm256_and_si256(zero, ones[half])
        };
        let any = _mm256_or_si256(counter(0), counter(1));
        _mm256_testz_si256(any, any) == 1
    }
}
