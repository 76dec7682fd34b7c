//! Building a ribbon.

use super::ribbon::{BUCKET, Layer, Ribbon, THRESHOLDS, WIDTH, WORD, layer_seed, next_hash};
use std::thread;

/// Slots for each key.
const LOAD: f64 = 0.965;

/// Keys of a shard, at least.
const SHARD: usize = 1 << 16;

/// No more keys than this go into the last layer.
const LAST: usize = 4096;

/// A key and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub hash: u64,
    pub value: u32,
}

/// Solves for keys in ascending order of their hashes, each once; words are appended. The seed makes structures of the same
/// keys differ.
pub(super) fn solve(entries: &[Entry], bits: u32, seed: u64, words: &mut Vec<u64>) -> Ribbon {
    let mut ribbon = Ribbon { bits, layers: Vec::new() };
    let mut bumped = layer(entries, bits, seed, &mut ribbon, words);
    while !bumped.is_empty() {
        for entry in &mut bumped {
            entry.hash = next_hash(entry.hash);
        }
        bumped.sort_unstable_by_key(|entry| entry.hash);
        let seed = layer_seed(seed, ribbon.layers.len());
        bumped = layer(&bumped, bits, seed, &mut ribbon, words);
    }
    ribbon
}

/// One layer; what is bumped from it is returned.
fn layer(
    entries: &[Entry],
    bits: u32,
    seed: u64,
    ribbon: &mut Ribbon,
    words: &mut Vec<u64>,
) -> Vec<Entry> {
    let offset = words.len();
    if entries.len() <= LAST {
        let (layer, solution) = last_layer(entries, bits, seed, offset);
        words.extend(solution);
        ribbon.layers.push(layer);
        return Vec::new();
    }
    let shard_bits = (entries.len() / SHARD).max(1).ilog2();
    let shards = split(entries, shard_bits);
    let mut starts = vec![0u32];
    for shard in &shards {
        // The last slots of a shard are reached by fewer equations.
        let slots = shard.len() as f64 * LOAD + WIDTH as f64 / 2.0;
        let buckets = ((slots / BUCKET as f64).round() as u32).max(1);
        starts.push(starts[starts.len() - 1] + buckets * (BUCKET / WORD) as u32);
    }
    let layer = Layer { shard_bits, seed, attempt: 0, last: false, starts, offset };
    let systems = solve_shards(&layer, &shards, bits);
    let mut thresholds = vec![0u64; layer.threshold_words()];
    let mut bumped = Vec::new();
    let mut bucket = 0;
    for system in systems {
        words.extend(system.solution);
        for code in system.thresholds {
            thresholds[bucket / 32] |= u64::from(code) << (2 * (bucket % 32));
            bucket += 1;
        }
        bumped.extend(system.bumped);
    }
    words.extend(thresholds);
    ribbon.layers.push(layer);
    bumped
}

fn split(entries: &[Entry], shard_bits: u32) -> Vec<&[Entry]> {
    let mut rest = entries;
    let shard_of = |entry: &Entry| ((u128::from(entry.hash)) << shard_bits >> 64) as usize;
    (0..1usize << shard_bits)
        .map(|shard| {
            let (own, others) = rest.split_at(rest.partition_point(|e| shard_of(e) <= shard));
            rest = others;
            own
        })
        .collect()
}

/// All shards, on all cores; the result does not depend on how many there are.
fn solve_shards(layer: &Layer, shards: &[&[Entry]], bits: u32) -> Vec<System> {
    let threads = thread::available_parallelism().map_or(1, Into::into).min(shards.len());
    let each = shards.len().div_ceil(threads.max(1));
    thread::scope(|scope| {
        let workers: Vec<_> = shards
            .chunks(each)
            .enumerate()
            .map(|(group, shards)| {
                scope.spawn(move || -> Vec<System> {
                    let solve = |(index, entries): (usize, &&[Entry])| {
                        System::solve(layer, group * each + index, entries, bits)
                    };
                    shards.iter().enumerate().map(solve).collect()
                })
            })
            .collect();
        let joined = workers.into_iter().flat_map(|worker| match worker.join() {
            Ok(systems) => systems,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}

/// The equations of a shard while they are eliminated.
struct Band {
    /// The slots of the shard start here.
    from: usize,
    patterns: Vec<u128>,
    values: Vec<u32>,
}

impl Band {
    fn new(from: usize, slots: usize) -> Self {
        Self { from, patterns: vec![0; slots], values: vec![0; slots] }
    }

    /// Adds an equation; the slot that it takes is noted. False if it contradicts the others.
    fn insert(&mut self, layer: &Layer, entry: Entry, taken: &mut Vec<u32>) -> bool {
        let mut slot = layer.start(entry.hash) - self.from;
        let (mut pattern, mut value) = (layer.pattern(entry.hash), entry.value);
        loop {
            let own = self.patterns[slot];
            if own == 0 {
                self.patterns[slot] = pattern;
                self.values[slot] = value;
                taken.push(slot as u32);
                return true;
            }
            pattern ^= own;
            value ^= self.values[slot];
            if pattern == 0 {
                return value == 0;
            }
            let zeros = pattern.trailing_zeros();
            pattern >>= zeros;
            slot += zeros as usize;
        }
    }

    fn take_back(&mut self, taken: &[u32]) {
        for &slot in taken {
            self.patterns[slot as usize] = 0;
        }
    }

    /// From the last slot to the first: each equation gives its own.
    fn solution(&self, bits: u32) -> Vec<u64> {
        let bits = bits as usize;
        let mut solution = vec![0u64; self.patterns.len() / WORD * bits];
        // The slots behind, the next one lowest, for each bit of a value.
        let mut behind = vec![0u128; bits];
        for slot in (0..self.patterns.len()).rev() {
            let (pattern, value) = (self.patterns[slot] >> 1, self.values[slot]);
            let free = self.patterns[slot] == 0;
            for (plane, behind) in behind.iter_mut().enumerate() {
                let sum = (pattern & *behind).count_ones() ^ value >> plane;
                let bit = if free { 0 } else { u64::from(sum & 1) };
                solution[slot / WORD * bits + plane] |= bit << (slot % WORD);
                *behind = *behind << 1 | u128::from(bit);
            }
        }
        solution
    }
}

/// A shard that is solved.
struct System {
    solution: Vec<u64>,
    thresholds: Vec<u8>,
    bumped: Vec<Entry>,
}

impl System {
    fn solve(layer: &Layer, shard: usize, entries: &[Entry], bits: u32) -> Self {
        let from = layer.starts[shard] as usize * WORD;
        let slots = layer.starts[shard + 1] as usize * WORD - from;
        let mut band = Band::new(from, slots);
        let mut thresholds = Vec::with_capacity(slots / BUCKET);
        let mut bumped = Vec::new();
        let mut rest = entries;
        let mut taken = Vec::new();
        for bucket in 0..slots / BUCKET {
            let end = from + (bucket + 1) * BUCKET;
            let (own, others) = rest.split_at(rest.partition_point(|e| layer.start(e.hash) < end));
            rest = others;
            // From the end of the bucket to its beginning, which what came before reaches into.
            let mut kept = own.len();
            let mut code = 3;
            for level in (0..3).rev() {
                let begin = from + bucket * BUCKET + THRESHOLDS[level];
                let first = own[..kept].partition_point(|e| layer.start(e.hash) < begin);
                taken.clear();
                let fits =
                    own[first..kept].iter().rev().all(|e| band.insert(layer, *e, &mut taken));
                if !fits {
                    band.take_back(&taken);
                    break;
                }
                kept = first;
                code = level;
            }
            thresholds.push(code as u8);
            bumped.extend_from_slice(&own[..kept]);
        }
        Self { solution: band.solution(bits), thresholds, bumped }
    }
}

/// A layer with room to spare, from which nothing is bumped: other seeds are tried until all equations fit.
fn last_layer(entries: &[Entry], bits: u32, seed: u64, offset: usize) -> (Layer, Vec<u64>) {
    let mut words = (entries.len() + 16).max(WIDTH).div_ceil(WORD);
    for attempt in 0u32.. {
        let seed = seed.wrapping_add(u64::from(attempt));
        let starts = vec![0, words as u32];
        let layer = Layer { shard_bits: 0, seed, attempt, last: true, starts, offset };
        let mut band = Band::new(0, words * WORD);
        let mut taken = Vec::new();
        if entries.iter().rev().all(|entry| band.insert(&layer, *entry, &mut taken)) {
            return (layer, band.solution(bits));
        }
        if attempt % 8 == 7 {
            words += 1;
        }
    }
    unreachable!("with more and more room the equations fit")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Functions, KeyHash};

    fn entries(count: usize, bits: u32) -> Vec<Entry> {
        let hash = KeyHash::new(3);
        let mut entries: Vec<Entry> = (0..count as u64)
            .map(|key| {
                let hash = hash.integer(key);
                let value = Functions::new(hash).nth(5).unwrap_or(0) >> (64 - bits);
                Entry { hash, value: value as u32 }
            })
            .collect();
        entries.sort_unstable_by_key(|entry| entry.hash);
        entries
    }

    #[test]
    fn every_key_has_its_value_in_hardly_more_room() {
        for (count, bits, most) in [
            (0, 1, f64::INFINITY),
            (1, 1, f64::INFINITY),
            (100, 7, f64::INFINITY),
            (700, 1, f64::INFINITY),
            (4_000, 2, f64::INFINITY),
            (5_000, 3, f64::INFINITY),
            (60_000, 1, 1.02),
            (1_000_000, 1, 1.008),
            (300_000, 4, 1.008),
        ] {
            let entries = entries(count, bits);
            let mut words = Vec::new();
            let ribbon = solve(&entries, bits, 9, &mut words);
            for entry in &entries {
                assert_eq!(ribbon.get(&words, entry.hash), entry.value, "of {count}");
            }
            let room = words.len() as f64 * 64.0 / (count as f64 * f64::from(bits));
            assert!(room <= most, "{count} keys of {bits} bits take {room} of their bits");
        }
    }
}
