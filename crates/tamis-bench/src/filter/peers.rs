//! The other filters, each as its users would call it.

// A call reads as a call, for everyone who wants to check that it is fair.
#![allow(clippy::redundant_closure_for_method_calls)]

use super::contender::{BenchKey, Contender, Entry, KeyByKey};
use super::sizing::split_block_bits_per_key;
use anyhow::{Context as _, anyhow};
use fastbloom_rs::Membership as _;
use foldhash::fast::FixedState;
use std::hint::black_box;
use tamis::hash::KeyHash;

/// What a filter that takes hashes is given: the same as ours.
const HASH: KeyHash = KeyHash::new(0);

/// A split block filter that reaches the rate.
pub(crate) fn split_block(items: usize, rate: f64) -> sbbf_rs_safe::Filter {
    let bits = (split_block_bits_per_key(rate) * items as f64).ceil() as usize;
    // It takes whole bits per key: one bit for each of so many keys is any size.
    sbbf_rs_safe::Filter::new(1, bits.next_multiple_of(256))
}

/// The two peers of the bars.
pub(crate) fn named<'a, K: BenchKey + 'a>(items: usize, rate: f64) -> Vec<Entry<'a, K>> {
    let fast = fastbloom::BloomFilter::with_false_pos(rate)
        .hasher(FixedState::with_seed(1))
        .expected_items(items);
    let fast_bits = fast.num_bits() as u64;
    let split = split_block(items, rate);
    let split_bits = split.as_bytes().len() as u64 * 8;
    vec![
        Entry::new(
            "fastbloom foldhash",
            KeyByKey::<K, _, _, _, _>::new(
                fast,
                fast_bits,
                |filter| filter.clear(),
                |filter, key| {
                    filter.insert(key);
                },
                |filter, key| filter.contains(key),
            ),
        ),
        Entry::new(
            "sbbf-rs-safe",
            KeyByKey::<K, _, _, _, _>::new(
                split,
                split_bits,
                |filter| filter.reset(),
                |filter, key| {
                    filter.insert_hash(key.hash_with(&HASH));
                },
                |filter, key| filter.contains_hash(key.hash_with(&HASH)),
            ),
        ),
    ]
}

/// The peer of the counting filter.
pub(crate) fn counting<'a, K: BenchKey + 'a>(items: usize, rate: f64) -> Entry<'a, K> {
    let filter = fastbloom_rs::FilterBuilder::new(items as u64, rate).build_counting_bloom_filter();
    let bits = filter.get_u64_array().len() as u64 * 64;
    Entry::new(
        "fastbloom-rs counting",
        KeyByKey::<K, _, _, _, _>::new(
            filter,
            bits,
            |filter| filter.clear(),
            |filter, key| key.with_bytes(|bytes| filter.add(bytes)),
            |filter, key| key.with_bytes(|bytes| filter.contains(bytes)),
        ),
    )
}

/// Those that no bar names.
///
/// # Errors
/// A peer that refuses its parameters.
pub(crate) fn others<'a, K: BenchKey + 'a>(
    items: usize,
    rate: f64,
) -> anyhow::Result<Vec<Entry<'a, K>>> {
    let sip = fastbloom::BloomFilter::with_false_pos(rate).seed(&1).expected_items(items);
    let sip_bits = sip.num_bits() as u64;
    let atomic = fastbloom::AtomicBloomFilter::with_false_pos(rate)
        .hasher(FixedState::with_seed(1))
        .expected_items(items);
    let atomic_bits = atomic.num_bits() as u64;
    let bloom = bloomfilter::Bloom::<K>::new_for_fp_rate_with_seed(items, rate, &[7; 32])
        .map_err(|refusal| anyhow!(refusal))
        .context("bloomfilter refused its parameters")?;
    let bloom_bits = bloom.len();
    Ok(vec![
        Entry::new(
            "fastbloom default",
            KeyByKey::<K, _, _, _, _>::new(
                sip,
                sip_bits,
                |filter| filter.clear(),
                |filter, key| {
                    filter.insert(key);
                },
                |filter, key| filter.contains(key),
            ),
        ),
        Entry::new(
            "fastbloom atomic",
            KeyByKey::<K, _, _, _, _>::new(
                atomic,
                atomic_bits,
                |filter| filter.clear(),
                |filter, key| {
                    filter.insert(key);
                },
                |filter, key| filter.contains(key),
            ),
        ),
        Entry::new(
            "bloomfilter",
            KeyByKey::<K, _, _, _, _>::new(
                bloom,
                bloom_bits,
                |filter| filter.clear(),
                |filter, key| filter.set(key),
                |filter, key| filter.check(key),
            ),
        ),
        Entry::new("xorf fuse 8", Static::<xorf::BinaryFuse8>(None)),
        Entry::new("xorf fuse 16", Static::<xorf::BinaryFuse16>(None)),
    ])
}

/// A static filter: made from all keys at once, of a rate that its type fixes.
struct Static<F>(Option<F>);

trait Fuse: xorf::Filter<u64> {
    /// Bits of a fingerprint.
    const BITS: u64;

    fn build(keys: &[u64]) -> Result<Self, &'static str>
    where
        Self: Sized;
}

impl Fuse for xorf::BinaryFuse8 {
    const BITS: u64 = 8;

    fn build(keys: &[u64]) -> Result<Self, &'static str> {
        Self::try_from(keys)
    }
}

impl Fuse for xorf::BinaryFuse16 {
    const BITS: u64 = 16;

    fn build(keys: &[u64]) -> Result<Self, &'static str> {
        Self::try_from(keys)
    }
}

impl<K: BenchKey, F: Fuse> Contender<K> for Static<F> {
    fn clear(&mut self) {
        self.0 = None;
    }

    fn insert(&mut self, keys: &[K]) {
        let words: Vec<u64> = keys.iter().map(BenchKey::word).collect();
        self.0 = black_box(F::build(&words).ok());
    }

    fn count(&self, keys: &[K]) -> usize {
        let Some(filter) = &self.0 else { return 0 };
        keys.iter().filter(|key| filter.contains(&key.word())).count()
    }

    fn bits(&self) -> u64 {
        self.0.as_ref().map_or(0, |filter| filter.len() as u64 * F::BITS)
    }

    fn is_static(&self) -> bool {
        true
    }
}
