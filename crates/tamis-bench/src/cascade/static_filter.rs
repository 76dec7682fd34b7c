//! Filters that are made once from all keys: size, measured rate and time, on 64-bit integers.
//!
//! A filter of rate `p` needs `log2(1 / p)` bits for each key at least.

use crate::keys::integers;
use crate::timing::{SLICE, Times, Track, timed};
use anyhow::{anyhow, ensure};
use serde::Serialize;
use std::time::Instant;
use tamis::filter::StaticFilterBuilder;
use xorf::{BinaryFuse8, BinaryFuse16, BinaryFuse32, Filter as Xorf};

/// What this project's filter is called.
pub(crate) const OURS: &str = "tamis static";

/// One filter.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct StaticRow {
    pub(crate) contender: &'static str,
    pub(crate) keys: usize,
    /// The rate that was asked for, or follows from the fingerprints.
    pub(crate) requested: f64,
    pub(crate) measured: f64,
    pub(crate) bits_per_key: f64,
    /// Nanoseconds to build it, for each key.
    pub(crate) build: f64,
    /// Nanoseconds for a key that is in.
    pub(crate) positive: Times,
    /// Nanoseconds for a key that is not.
    pub(crate) negative: Times,
}

impl StaticRow {
    /// Bits over the least number of bits.
    pub(crate) fn ratio(&self) -> f64 {
        self.bits_per_key / -self.requested.log2()
    }
}

/// The keys of all filters.
struct Load {
    present: Vec<u64>,
    absent: Vec<u64>,
    /// Timed questions of each kind.
    questions: usize,
    rounds: usize,
}

/// All filters of so many keys.
///
/// # Errors
/// Keys that are refused, or a filter that denies one of its keys.
pub(crate) fn measure(keys: usize, rounds: usize) -> anyhow::Result<Vec<StaticRow>> {
    let count = keys as u64;
    // Of twenty million others 2,000 are found at 0.01 %, with a standard deviation of 45.
    let absent = integers(count..count + 20 * count.min(1_000_000));
    let load = Load { present: integers(0..count), absent, questions: keys.min(1 << 20), rounds };
    let mut rows = ours(&load)?;
    rows.extend(xorf(&load)?);
    Ok(rows)
}

/// This project's filter at 1 % and 0.01 %.
fn ours(load: &Load) -> anyhow::Result<Vec<StaticRow>> {
    let rows = [0.01, 0.0001].map(|rate| {
        race(
            load,
            (OURS, rate),
            || {
                let mut builder = StaticFilterBuilder::new(rate)?;
                load.present.iter().for_each(|key| builder.insert(key));
                Ok(builder.build()?)
            },
            |filter| filter.bits() as usize,
            |filter, key| filter.contains(&key),
        )
    });
    rows.into_iter().collect()
}

fn xorf(load: &Load) -> anyhow::Result<Vec<StaticRow>> {
    let refused = |error: &'static str| anyhow!("xorf: {error}");
    let keys = &load.present[..];
    let rate = |bits: i32| 0.5f64.powi(bits);
    Ok(vec![
        race(
            load,
            ("xorf fuse 8", rate(8)),
            || BinaryFuse8::try_from(keys).map_err(refused),
            |filter| 8 * filter.len(),
            |filter, key| filter.contains(&key),
        )?,
        race(
            load,
            ("xorf fuse 16", rate(16)),
            || BinaryFuse16::try_from(keys).map_err(refused),
            |filter| 16 * filter.len(),
            |filter, key| filter.contains(&key),
        )?,
        race(
            load,
            ("xorf fuse 32", rate(32)),
            || BinaryFuse32::try_from(keys).map_err(refused),
            |filter| 32 * Xorf::<u64>::len(filter),
            |filter, key| Xorf::contains(filter, &key),
        )?,
    ])
}

/// Builds a filter, asks it, and says how large it is in bits.
fn race<F>(
    load: &Load,
    (contender, requested): (&'static str, f64),
    build: impl Fn() -> anyhow::Result<F>,
    bits: impl Fn(&F) -> usize,
    contains: impl Fn(&F, u64) -> bool,
) -> anyhow::Result<StaticRow> {
    let start = Instant::now();
    let filter = build()?;
    let keys = load.present.len();
    let build = start.elapsed().as_nanos() as f64 / keys as f64;
    let count = |keys: &[u64]| keys.iter().filter(|key| contains(&filter, **key)).count();
    ensure!(count(&load.present) == keys, "{contender} denies a key that it was given");
    let (mut positive, mut negative) = (Track::default(), Track::default());
    for _ in 0..=load.rounds {
        for (track, keys) in [(&mut positive, &load.present), (&mut negative, &load.absent)] {
            let keys = &keys[..load.questions];
            let slices: Vec<_> = keys.chunks(SLICE).map(|keys| timed(|| count(keys))).collect();
            track.record(keys.len(), &slices);
        }
    }
    Ok(StaticRow {
        contender,
        keys,
        requested,
        measured: count(&load.absent) as f64 / load.absent.len() as f64,
        bits_per_key: bits(&filter) as f64 / keys as f64,
        build,
        positive: positive.times(),
        negative: negative.times(),
    })
}
