//! Building a ribbon.

use super::{
    HashedKey, HashedKeys, Layer, Ribbon, Shape, WORD, next_hash, pattern_at, shard_of,
    start_within,
};
use crate::parallel;

/// Keys of a shard, at least.
const SHARD: usize = 1 << 16;

/// No more keys than this go into the last layer.
const LAST: usize = 4096;

/// Is told of progress.
pub(crate) type Watch<'w> = &'w (dyn Fn(u64) + Sync);

/// A key and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    hash: u64,
    value: u32,
}

/// Solves for those keys, which are in order, that `value` gives a value to; words are appended.
pub(crate) fn solve(
    keys: &HashedKeys,
    value: impl Fn(HashedKey) -> Option<u32> + Sync,
    bits: u32,
    words: &mut Vec<u64>,
    watch: Watch<'_>,
) -> Ribbon {
    let count = keys.count(|key| value(key).is_some());
    let shard = |shard: usize, shard_bits: u32| -> Vec<Entry> {
        let entry = |key: HashedKey| Some(Entry { hash: key.hash, value: value(key)? });
        let entries: Vec<Entry> = keys.shard(shard, shard_bits).filter_map(entry).collect();
        watch(entries.len() as u64);
        entries
    };
    let mut more = Vec::new();
    let ribbon = Building { bits, offset: words.len() }.all(count, &shard, &mut more);
    words.extend(more.into_iter().map(u64::to_le));
    ribbon
}

/// What is built.
struct Building {
    bits: u32,
    /// The words before it.
    offset: usize,
}

impl Building {
    fn all(
        &self,
        count: usize,
        shard: &(dyn Fn(usize, u32) -> Vec<Entry> + Sync),
        words: &mut Vec<u64>,
    ) -> Ribbon {
        let mut layers = Vec::new();
        let (layer, mut bumped) = self.layer(count, shard, words);
        layers.push(layer);
        while !bumped.is_empty() {
            for entry in &mut bumped {
                entry.hash = next_hash(entry.hash);
            }
            bumped.sort_unstable_by_key(|entry| entry.hash);
            let shard = |shard: usize, shard_bits: u32| {
                let from = bumped.partition_point(|e| shard_of(e.hash, shard_bits) < shard);
                let to = bumped.partition_point(|e| shard_of(e.hash, shard_bits) <= shard);
                bumped[from..to].to_vec()
            };
            let (layer, more) = self.layer(bumped.len(), &shard, words);
            layers.push(layer);
            bumped = more;
        }
        Ribbon { bits: self.bits, layers }
    }

    /// One layer, and what is bumped from it.
    fn layer(
        &self,
        count: usize,
        shard: &(dyn Fn(usize, u32) -> Vec<Entry> + Sync),
        words: &mut Vec<u64>,
    ) -> (Layer, Vec<Entry>) {
        let solution = self.offset + words.len();
        if count <= LAST {
            let (attempt, system) = System::last(&shard(0, 0), self.bits);
            let starts = vec![0, (system.solution.len() / self.bits as usize) as u32];
            words.extend(system.solution);
            let thresholds = self.offset + words.len();
            let layer = Layer { shard_bits: 0, attempt, last: true, starts, solution, thresholds };
            return (layer, Vec::new());
        }
        let shard_bits = (count / SHARD).max(1).ilog2();
        let systems = parallel::map(1 << shard_bits, |number| {
            System::solve(&shard(number, shard_bits), shard_bits, self.bits)
        });
        let mut starts = vec![0u32];
        let mut codes = Vec::new();
        let mut bumped = Vec::new();
        for system in systems {
            starts.push(
                starts[starts.len() - 1]
                    + (system.codes.len() * Shape::of(self.bits).bucket_words()) as u32,
            );
            words.extend(system.solution);
            codes.extend(system.codes);
            bumped.extend(system.bumped);
        }
        let thresholds = self.offset + words.len();
        let joined =
            |codes: &[u8]| codes.iter().rev().fold(0, |word, &code| word << 2 | u64::from(code));
        words.extend(codes.chunks(WORD / 2).map(joined));
        let layer = Layer { shard_bits, attempt: 0, last: false, starts, solution, thresholds };
        (layer, bumped)
    }
}

/// The equations of a shard while they are eliminated.
struct Band {
    shape: &'static Shape,
    shard_bits: u32,
    attempt: u32,
    patterns: Vec<u128>,
    values: Vec<u32>,
}

impl Band {
    fn new(shape: &'static Shape, shard_bits: u32, attempt: u32, slots: usize) -> Self {
        Self { shape, shard_bits, attempt, patterns: vec![0; slots], values: vec![0; slots] }
    }

    fn start(&self, entry: &Entry) -> usize {
        start_within(self.shape, entry.hash, self.shard_bits, self.patterns.len())
    }

    fn pattern(&self, entry: &Entry) -> u128 {
        pattern_at(entry.hash, self.attempt)
            & (u128::MAX >> (u128::BITS as usize - self.shape.width))
    }

    /// Adds an equation; the slot that it takes is noted. False if it contradicts the others.
    fn insert(&mut self, entry: &Entry, taken: &mut Vec<u32>) -> bool {
        let mut slot = self.start(entry);
        let (mut pattern, mut value) = (self.pattern(entry), entry.value);
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
#[derive(Default)]
struct System {
    solution: Vec<u64>,
    /// The threshold of each bucket.
    codes: Vec<u8>,
    bumped: Vec<Entry>,
}

impl System {
    fn solve(entries: &[Entry], shard_bits: u32, bits: u32) -> Self {
        // The last slots of a shard are reached by fewer equations.
        let shape = Shape::of(bits);
        let slots = entries.len() as f64 * shape.load + shape.width as f64 / 2.0;
        let buckets = ((slots / shape.bucket as f64).round() as usize).max(1);
        let mut band = Band::new(shape, shard_bits, 0, buckets * shape.bucket);
        let mut system = Self::default();
        let mut rest = entries;
        let mut taken = Vec::new();
        for bucket in (0..buckets).map(|bucket| bucket * shape.bucket) {
            let end = rest.partition_point(|entry| band.start(entry) < bucket + shape.bucket);
            let (own, others) = rest.split_at(end);
            rest = others;
            // From the end of the bucket to its beginning, which what came before reaches into.
            let mut kept = own.len();
            let mut code = 3;
            for level in (0..3).rev() {
                let begin = bucket + shape.thresholds[level];
                let first = own[..kept].partition_point(|entry| band.start(entry) < begin);
                taken.clear();
                let fits = own[first..kept].iter().rev().all(|e| band.insert(e, &mut taken));
                if !fits {
                    band.take_back(&taken);
                    break;
                }
                kept = first;
                code = level;
            }
            system.codes.push(code as u8);
            system.bumped.extend_from_slice(&own[..kept]);
        }
        system.solution = band.solution(bits);
        system
    }

    /// With room to spare, so that nothing is bumped: other patterns are tried until all equations fit.
    fn last(entries: &[Entry], bits: u32) -> (u32, Self) {
        let shape = Shape::of(bits);
        let mut words = (entries.len() + 16).max(shape.width).div_ceil(WORD);
        for attempt in 0u32.. {
            let mut band = Band::new(shape, 0, attempt, words * WORD);
            let mut taken = Vec::new();
            if entries.iter().rev().all(|entry| band.insert(entry, &mut taken)) {
                return (attempt, Self { solution: band.solution(bits), ..Self::default() });
            }
            if attempt % 8 == 7 {
                words += 1;
            }
        }
        unreachable!("with more and more room the equations fit")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Functions, KeyHash};
    use crate::ribbon::machine::{self, Machine, Plain, Work};
    use crate::ribbon::pattern;

    struct Get<'a>(&'a Ribbon, &'a [u64], u64);

    impl Work for Get<'_> {
        type Output = u32;

        fn run(self, machine: impl Machine) -> u32 {
            self.0.get(self.1, self.2, machine)
        }
    }

    /// Value of a key: other bits of the same hash.
    fn value(hash: u64, bits: u32) -> u32 {
        (Functions::new(hash).nth(5).unwrap_or(0) >> (64 - bits)) as u32
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
            (60_000, 1, 1.012),
            (1_000_000, 1, 1.008),
            (300_000, 3, 1.008),
            (300_000, 7, 1.012),
            (300_000, 14, 1.012),
        ] {
            let mut keys = HashedKeys::new();
            (0..2 * count)
                .for_each(|key| keys.push(KeyHash::new(3).integer(key), (key % 2) as u16));
            keys.sort();
            let mut words = vec![0; 72];
            let chosen = |key: HashedKey| (key.category == 1).then(|| value(key.hash, bits));
            let ribbon = solve(&keys, chosen, bits, &mut words, &|_| ());
            let room = (words.len() - 72) as f64 * 64.0 / (count as f64 * f64::from(bits));
            assert!(room <= most, "{count} keys of {bits} bits take {room} of their bits");
            let lines = crate::filter::line::of_words(&words).unwrap();
            for key in keys.iter().filter(|key| key.category == 1) {
                let expected = value(key.hash, bits);
                assert_eq!(machine::run(Get(&ribbon, &words, key.hash)), expected, "of {count}");
                assert_eq!(ribbon.get(&words, key.hash, Plain), expected, "of {count}");
                let start = ribbon.begin(&lines, key.hash);
                assert_eq!(
                    ribbon.get_begun(&words, key.hash, (start, pattern(key.hash)), Plain),
                    expected
                );
            }
        }
    }
}
