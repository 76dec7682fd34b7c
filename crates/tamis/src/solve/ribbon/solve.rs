//! Building a ribbon.

use super::{
    Layer, MAX_BITS, Ribbon, Values, WORD, next_hash, pattern, shard_of, start_within, twist,
};
use crate::prelude::*;
use crate::solve::{HashedKey, HashedKeys, Watch, parallel};

/// Equations of a shard, at least.
const SHARD: usize = 1 << 16;

/// No more equations than this go into the last layer.
const LAST: usize = 4096;

/// A key and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    hash: u64,
    value: u32,
    /// How many equations it has: one, or one for each bit of an uneven value, the highest first.
    equations: u32,
}

/// How many equations entries have.
fn equations(entries: &[Entry]) -> usize {
    entries.iter().map(|entry| entry.equations as usize).sum()
}

/// Solves for keys, which are in order, with values of up to so many bits, each with its length; words are appended.
pub(crate) fn solve_uneven(
    keys: &HashedKeys,
    value: impl Fn(HashedKey) -> (u64, u32) + Sync,
    values: Values,
    words: &mut Vec<u64>,
    watch: Watch<'_>,
) -> Ribbon {
    let entry = |key: HashedKey| {
        let (value, equations) = value(key);
        Some(Entry { hash: key.hash, value: value as u32, equations })
    };
    solve_entries(keys, entry, (values, values.shape().load), words, watch)
}

/// Solves for those keys, which are in order, that `value` gives a value to; words are appended.
pub(crate) fn solve(
    keys: &HashedKeys,
    value: impl Fn(HashedKey) -> Option<u32> + Sync,
    bits: u32,
    words: &mut Vec<u64>,
    watch: Watch<'_>,
) -> Ribbon {
    let entry = |key: HashedKey| Some(Entry { hash: key.hash, value: value(key)?, equations: 1 });
    let values = Values::even(bits);
    solve_entries(keys, entry, (values, values.shape().load), words, watch)
}

fn solve_entries(
    keys: &HashedKeys,
    entry: impl Fn(HashedKey) -> Option<Entry> + Sync,
    (values, load): (Values, f64),
    words: &mut Vec<u64>,
    watch: Watch<'_>,
) -> Ribbon {
    let count = keys.sum(|key| entry(key).map_or(0, |entry| entry.equations as usize));
    let shard = |shard: usize, shard_bits: u32| -> Vec<Entry> {
        let entries: Vec<Entry> = keys.shard(shard, shard_bits).filter_map(&entry).collect();
        watch(entries.len() as u64);
        entries
    };
    let mut more = Vec::new();
    let ribbon = Building { values, load, offset: words.len() }.all(count, &shard, &mut more);
    words.extend(more.into_iter().map(u64::to_le));
    ribbon
}

/// What is built.
struct Building {
    values: Values,
    /// Slots for each equation.
    load: f64,
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
        let (first, mut bumped) = self.layer(count, shard, words);
        let mut later = Vec::new();
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
            let (layer, more) = self.layer(equations(&bumped), &shard, words);
            later.push(layer);
            bumped = more;
        }
        Ribbon { values: self.values, first, later }
    }

    /// One layer of so many equations, and what is bumped from it.
    fn layer(
        &self,
        count: usize,
        shard: &(dyn Fn(usize, u32) -> Vec<Entry> + Sync),
        words: &mut Vec<u64>,
    ) -> (Layer, Vec<Entry>) {
        if count <= LAST {
            let (layer, solution) = self.last(&shard(0, 0), self.offset + words.len());
            words.extend(solution);
            return (layer, Vec::new());
        }
        let shape = self.values.shape();
        let shard_bits = (count / SHARD).max(1).ilog2();
        // The last slots of a shard are reached by fewer equations.
        let each = count as f64 / f64::from(1u32 << shard_bits);
        let slots = each * self.load + shape.width as f64 / 2.0;
        let least = self.values.reach().div_ceil(shape.bucket);
        let buckets = ((slots / shape.bucket as f64).round() as usize).max(least);
        let shard_words = buckets * shape.bucket_words();
        let mut layer = self.empty(shard_bits, shard_words, self.offset + words.len());
        let systems = parallel::map(1 << shard_bits, |number| {
            System::solve(&shard(number, shard_bits), self.values, &layer, number)
        });
        let mut codes = Vec::new();
        let mut bumped = Vec::new();
        for system in systems {
            words.extend(system.solution);
            codes.extend(system.codes);
            bumped.extend(system.bumped);
        }
        layer.thresholds = self.offset + words.len();
        let joined =
            |codes: &[u8]| codes.iter().rev().fold(0, |word, &code| word << 2 | u64::from(code));
        words.extend(codes.chunks(WORD / 2).map(joined));
        (layer, bumped)
    }

    /// With room to spare, so that nothing is bumped: other patterns are tried until all equations fit.
    fn last(&self, entries: &[Entry], offset: usize) -> (Layer, Vec<u64>) {
        let mut words = (equations(entries) + 16).max(self.values.reach()).div_ceil(WORD);
        for attempt in 0u32.. {
            let twist = twist(attempt);
            let mut layer = Layer { attempt, twist, last: true, ..self.empty(0, words, offset) };
            let mut band = Band::new(self.values, &layer);
            let mut taken = Vec::new();
            if entries.iter().rev().all(|entry| band.insert(entry, &mut taken)) {
                let solution = band.solution(self.values, &layer, 0);
                layer.thresholds += solution.len();
                return (layer, solution);
            }
            if attempt % 8 == 7 {
                words += 1;
            }
        }
        unreachable!("with more and more room the equations fit")
    }

    /// A layer without thresholds.
    const fn empty(&self, shard_bits: u32, shard_words: usize, solution: usize) -> Layer {
        let starts = self.values.starts(shard_words);
        let (attempt, twist, last, thresholds) = (0, 0, false, solution);
        Layer { shard_bits, shard_words, starts, attempt, twist, last, solution, thresholds }
    }
}

/// The equations of a shard while they are eliminated.
struct Band {
    width: usize,
    uneven: bool,
    shard_bits: u32,
    starts: usize,
    twist: u64,
    patterns: Vec<u128>,
    values: Vec<u32>,
}

impl Band {
    fn new(values: Values, layer: &Layer) -> Self {
        let slots = layer.shard_words * WORD;
        Self {
            width: values.shape().width,
            uneven: values.are_uneven(),
            shard_bits: layer.shard_bits,
            starts: layer.starts,
            twist: layer.twist,
            patterns: vec![0; slots],
            values: vec![0; slots],
        }
    }

    fn start(&self, entry: &Entry) -> usize {
        start_within(entry.hash, self.shard_bits, self.starts)
    }

    fn pattern(&self, entry: &Entry) -> u128 {
        pattern(entry.hash ^ self.twist) & (u128::MAX >> (u128::BITS as usize - self.width))
    }

    /// Adds the equations of an entry; the slots that they take are noted. False if one contradicts the others.
    fn insert(&mut self, entry: &Entry, taken: &mut Vec<u32>) -> bool {
        let (start, pattern) = (self.start(entry), self.pattern(entry));
        if !self.uneven {
            return self.add(start, pattern, entry.value, taken);
        }
        (0..entry.equations).all(|bit| {
            let value = entry.value >> (entry.equations - 1 - bit) & 1;
            self.add(start + bit as usize * WORD, pattern, value, taken)
        })
    }

    /// Adds an equation from a slot on.
    fn add(
        &mut self,
        mut slot: usize,
        mut pattern: u128,
        mut value: u32,
        taken: &mut Vec<u32>,
    ) -> bool {
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

    /// From the last slot to the first: each equation gives its own. The shard is that with this number.
    fn solution(&self, values: Values, layer: &Layer, number: usize) -> Vec<u64> {
        let first = number * layer.shard_words;
        let before = layer.row(values, first);
        let mut solution = vec![0u64; layer.row(values, first + layer.shard_words) - before];
        // The slots behind, the next one lowest, for each bit of a value.
        let mut behind = [0u128; MAX_BITS as usize + 1];
        for slot in (0..self.patterns.len()).rev() {
            let (pattern, value) = (self.patterns[slot] >> 1, self.values[slot]);
            let free = self.patterns[slot] == 0;
            let word = first + slot / WORD;
            let row = layer.row(values, word)..layer.row(values, word + 1);
            for (plane, place) in (row.start - before..row.end - before).enumerate() {
                let sum = (pattern & behind[plane]).count_ones() ^ value >> plane;
                let bit = if free { 0 } else { u64::from(sum & 1) };
                solution[place] |= bit << (slot % WORD);
                behind[plane] = behind[plane] << 1 | u128::from(bit);
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
    fn solve(entries: &[Entry], values: Values, layer: &Layer, number: usize) -> Self {
        let shape = values.shape();
        let mut band = Band::new(values, layer);
        let mut system = Self::default();
        let mut rest = entries;
        let mut taken = Vec::new();
        for bucket in (0..layer.shard_words * WORD).step_by(shape.bucket) {
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
        system.solution = band.solution(values, layer, number);
        system
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Functions, KeyHash};
    use crate::simd::machine::{self, Machine, Plain, Work};

    struct Get<'a>(&'a Ribbon, &'a [u64], u64);

    impl Work for Get<'_> {
        type Output = u32;

        fn run(self, machine: impl Machine) -> u32 {
            self.0.get(self.1, self.2, machine)
        }
    }

    /// The example of the module's documentation, by the elimination and substitution used here.
    #[test]
    fn the_example_is_right() {
        let values = Values::even(1);
        let layer = Layer {
            shard_bits: 0,
            shard_words: 1,
            starts: 1,
            attempt: 0,
            twist: 0,
            last: true,
            solution: 0,
            thresholds: 1,
        };
        let mut band = Band::new(values, &layer);
        let mut taken = Vec::new();
        // The first slot is the lowest bit.
        for (start, pattern, value) in [(0, 0b1011, 1), (0, 0b1101, 0), (2, 0b0111, 1)] {
            assert!(band.add(start, pattern, value, &mut taken));
        }
        assert_eq!(taken, [0, 1, 2]);
        assert_eq!(band.patterns[..4], [0b1011, 0b11, 0b111, 0]);
        assert_eq!(band.values[..3], [1, 1, 1]);
        assert!(!band.add(0, 0b1011, 0, &mut taken), "garlic contradicts leek");
        assert_eq!(band.solution(values, &layer, 0), [0b00_0101]);
    }

    /// Value of a key: other bits of the same hash.
    fn value(hash: u64, bits: u32) -> u32 {
        (Functions::new(hash).nth(5).unwrap_or(0) >> (64 - bits)) as u32
    }

    #[test]
    fn uneven_values_take_hardly_more_than_their_bits() {
        for (count, most) in
            [(0, f64::INFINITY), (10, f64::INFINITY), (3_000, f64::INFINITY), (400_000, 1.012)]
        {
            let mut keys = HashedKeys::new();
            (0..count).for_each(|key| keys.push(KeyHash::new(3).integer(key), 0));
            keys.sort();
            // Two bits or three.
            let value = |hash: u64| {
                let length = 2 + u32::from(hash % 5 < 2);
                (u64::from(value(hash, 3) >> (3 - length)), length)
            };
            let mut words = vec![0; 72];
            let values = Values::uneven(3);
            let ribbon = solve_uneven(&keys, |key| value(key.hash), values, &mut words, &|_| ());
            let bits: u32 = keys.iter().map(|key| value(key.hash).1).sum();
            let room = (words.len() - 72) as f64 * 64.0 / f64::from(bits);
            assert!(room <= most, "{count} keys take {room} of their bits");
            for key in keys.iter() {
                let (expected, length) = value(key.hash);
                let got = machine::run(Get(&ribbon, &words, key.hash));
                // The first bit is the lowest.
                let bits = got.reverse_bits() >> (32 - length);
                assert_eq!(u64::from(bits), expected, "of {count}");
                assert_eq!(ribbon.get(&words, key.hash, Plain) & 7, got & 7);
            }
        }
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
            let lines = crate::memory::line::of_words(&words).unwrap();
            for key in keys.iter().filter(|key| key.category == 1) {
                let expected = value(key.hash, bits);
                assert_eq!(machine::run(Get(&ribbon, &words, key.hash)), expected, "of {count}");
                assert_eq!(ribbon.get(&words, key.hash, Plain), expected, "of {count}");
                let start = ribbon.begin(key.hash);
                ribbon.fetch(&lines, start);
                assert_eq!(ribbon.get_begun(&words, key.hash, start, Plain), expected);
            }
        }
    }
}
