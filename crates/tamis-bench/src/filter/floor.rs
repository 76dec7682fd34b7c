//! The floor: a key is hashed, one word in one cache line is touched, and nothing else.
//!
//! No filter with one memory access per key can be faster. The second version works in batches
//! of 32 keys and asks for their lines before it touches the first.

#![allow(unsafe_code)]

use super::contender::{BenchKey, Contender};
use tamis::hash::{KeyHash, reduce};

/// Keys in a batch.
const BATCH: usize = 32;

/// Known to the compiler, as nothing but the memory is to be measured.
const HASH: KeyHash = KeyHash::new(0);

/// Cache lines of which one word each is used.
pub(crate) struct Floor {
    lines: Vec<FloorLine>,
    batches: bool,
}

#[derive(Clone, Default)]
#[repr(align(64))]
struct FloorLine([u64; 8]);

impl Floor {
    /// As large as a filter of so many bits.
    pub(crate) fn new(bits: u64, batches: bool) -> Self {
        let lines = vec![FloorLine::default(); bits.div_ceil(512) as usize];
        Self { lines, batches }
    }

    #[inline(always)]
    fn line_of(&self, hash: u64) -> usize {
        reduce(hash, self.lines.len() as u64) as usize
    }

    #[inline(always)]
    fn set(&mut self, hash: u64) {
        let line = self.line_of(hash);
        self.lines[line].0[(hash & 7) as usize] |= 1 << (hash >> 3 & 63);
    }

    #[inline(always)]
    fn get(&self, hash: u64) -> usize {
        let line = &self.lines[self.line_of(hash)];
        (line.0[(hash & 7) as usize] >> (hash >> 3 & 63)) as usize & 1
    }

    /// The hashes of a batch, whose lines are on their way.
    #[inline(always)]
    fn ask<K: BenchKey>(&self, keys: &[K; BATCH], hashes: &mut [u64; BATCH]) {
        for (hash, key) in hashes.iter_mut().zip(keys) {
            *hash = key.hash_with(&HASH);
            prefetch(&self.lines[self.line_of(*hash)]);
        }
    }
}

impl<K: BenchKey> Contender<K> for Floor {
    fn clear(&mut self) {
        self.lines.fill(FloorLine::default());
    }

    fn insert(&mut self, keys: &[K]) {
        let batches = if self.batches { keys.as_chunks().0 } else { &[] };
        let mut hashes = [0; BATCH];
        for batch in batches {
            self.ask(batch, &mut hashes);
            for &hash in &hashes {
                self.set(hash);
            }
        }
        for key in &keys[batches.len() * BATCH..] {
            self.set(key.hash_with(&HASH));
        }
    }

    fn count(&self, keys: &[K]) -> usize {
        let batches = if self.batches { keys.as_chunks().0 } else { &[] };
        let (mut hashes, mut found) = ([0; BATCH], 0);
        for batch in batches {
            self.ask(batch, &mut hashes);
            for &hash in &hashes {
                found += self.get(hash);
            }
        }
        for key in &keys[batches.len() * BATCH..] {
            found += self.get(key.hash_with(&HASH));
        }
        found
    }

    fn bits(&self) -> u64 {
        self.lines.len() as u64 * 512
    }
}

#[inline(always)]
fn prefetch(line: &FloorLine) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing into the program and cannot fault; the address is
        // that of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}
