//! Our filters, key by key and in batches.

use super::contender::{BenchKey, Contender, Entry, KeyByKey};
use super::floor::Floor;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};
use tamis::filter::{
    Blocked, BlockedBloomFilter, BloomFilter, ConcurrentBloomFilter, CounterWidth, CountingFilter,
    Filter, GrowingFilter, Insert, RotatingFilter,
};

/// Keys that a caller of the batch versions hands over at a time.
const CALL: usize = 8192;

/// The classic and the blocked layout, each key by key and in batches, and the two floors, which
/// are as large as the blocked one.
///
/// # Errors
/// A filter that does not fit in memory.
pub(crate) fn plain<'a, K: BenchKey + 'a>(
    items: usize,
    rate: f64,
) -> anyhow::Result<Vec<Entry<'a, K>>> {
    let classic = BloomFilter::with_false_positive_rate(items as u64, rate)?;
    let blocked = BlockedBloomFilter::with_false_positive_rate(items as u64, rate)?;
    let (classic_bits, blocked_bits) = (classic.bits(), blocked.bits());
    Ok(vec![
        Entry::new("floor", Floor::new(blocked_bits, false)),
        Entry::new("floor in batches", Floor::new(blocked_bits, true)),
        single("classic", classic.to_owned()?, classic_bits),
        Entry::new("classic many", Many(classic, BloomFilter::bits)),
        single("blocked", blocked.to_owned()?, blocked_bits),
        Entry::new("blocked many", Many(blocked, BlockedBloomFilter::bits)),
    ])
}

/// The counting filter with counters of four bits; those of eight are information.
///
/// # Errors
/// A filter that does not fit in memory.
pub(crate) fn counting<'a, K: BenchKey + 'a>(
    items: usize,
    rate: f64,
    width: CounterWidth,
) -> anyhow::Result<Vec<Entry<'a, K>>> {
    let filter = CountingFilter::with_false_positive_rate(width, items as u64, rate)?;
    let bits = filter.bits();
    let [one, many] = match width {
        CounterWidth::Four => ["counting 4", "counting 4 many"],
        CounterWidth::Eight => ["counting 8", "counting 8 many"],
    };
    Ok(vec![
        single(one, filter.to_owned()?, bits),
        Entry::new(many, Many(filter, CountingFilter::bits)),
    ])
}

/// The concurrent filter with one and two threads.
///
/// # Errors
/// A filter that does not fit in memory.
pub(crate) fn concurrent<'a, K: BenchKey + 'a>(
    items: usize,
    rate: f64,
) -> anyhow::Result<Vec<Entry<'a, K>>> {
    let mut entries = Vec::new();
    for (name, threads, batches) in [
        ("concurrent 1 thread", 1, false),
        ("concurrent 2 threads", 2, false),
        ("concurrent 1 thread many", 1, true),
        ("concurrent 2 threads many", 2, true),
    ] {
        let filter = ConcurrentBloomFilter::with_false_positive_rate(items as u64, rate)?;
        let bits = BlockedBloomFilter::with_false_positive_rate(items as u64, rate)?.bits();
        entries.push(Entry::new(name, Concurrent { filter, bits, threads, batches }));
    }
    Ok(entries)
}

/// Those that no bar names: one that grows to its size from a hundredth, and one of four
/// generations, of which the newest is filled.
///
/// # Errors
/// A filter that does not fit in memory.
pub(crate) fn others<'a, K: BenchKey + 'a>(
    items: usize,
    rate: f64,
) -> anyhow::Result<Vec<Entry<'a, K>>> {
    let first = (items as u64 / 100).max(1);
    let growing = GrowingFilter::<Blocked>::placed(first, rate)?;
    let rotating = RotatingFilter::with_false_positive_rate(4, items as u64, rate)?;
    let rotating_bits = rotating.bits();
    Ok(vec![
        Entry::new("growing many", Many(growing, GrowingFilter::bits)),
        single("rotating of 4", rotating.to_owned()?, rotating_bits),
        Entry::new("rotating of 4 many", Many(rotating, RotatingFilter::bits)),
    ])
}

/// A filter of ours, key by key.
fn single<'a, K: BenchKey + 'a, F: Insert + 'a>(
    name: &'static str,
    filter: F,
    bits: u64,
) -> Entry<'a, K> {
    let contender = KeyByKey::<K, _, _, _, _>::new(
        filter,
        bits,
        |filter: &mut F| filter.clear(),
        |filter: &mut F, key| {
            filter.insert(key);
        },
        |filter: &F, key| filter.contains(key),
    );
    Entry::new(name, contender)
}

fn count_many<K: BenchKey>(filter: &impl Filter, keys: &[K]) -> usize {
    let count = |keys| filter.contains_many(keys).iter().filter(|&&found| found).count();
    keys.chunks(CALL).map(count).sum()
}

/// A filter of ours in batches, and how to tell its size, which of some is known only after the insertions.
struct Many<F>(F, fn(&F) -> u64);

impl<K: BenchKey, F: Insert> Contender<K> for Many<F> {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn insert(&mut self, keys: &[K]) {
        for keys in keys.chunks(CALL) {
            self.0.insert_many(keys);
        }
    }

    fn count(&self, keys: &[K]) -> usize {
        count_many(&self.0, keys)
    }

    fn bits(&self) -> u64 {
        (self.1)(&self.0)
    }
}

/// A shared filter that each of the threads fills with its part of the keys.
struct Concurrent {
    filter: ConcurrentBloomFilter,
    bits: u64,
    threads: usize,
    batches: bool,
}

impl Concurrent {
    fn insert_part<K: BenchKey>(&self, keys: &[K]) {
        if self.batches {
            for keys in keys.chunks(CALL) {
                self.filter.insert_many(keys);
            }
        } else {
            for key in keys {
                self.filter.insert(key);
            }
        }
    }
}

impl<K: BenchKey> Contender<K> for Concurrent {
    fn clear(&mut self) {
        self.filter.clear();
    }

    fn insert(&mut self, keys: &[K]) {
        self.insert_time(keys);
    }

    fn count(&self, keys: &[K]) -> usize {
        if self.batches {
            return count_many(&self.filter, keys);
        }
        keys.iter().filter(|key| self.filter.contains(*key)).count()
    }

    fn bits(&self) -> u64 {
        self.bits
    }

    /// From the moment when all threads run to the moment when the last has finished: starting
    /// a thread takes longer than inserting ten thousand keys and is not what is measured.
    fn insert_time(&mut self, keys: &[K]) -> Duration {
        let (this, ready) = (&*self, AtomicUsize::new(0));
        let part = keys.len().div_ceil(self.threads).max(1);
        let parts = keys.chunks(part);
        let waiting = parts.len();
        let spans: Vec<(Instant, Instant)> = std::thread::scope(|scope| {
            let ready = &ready;
            let work = |keys| {
                move || {
                    ready.fetch_add(1, SeqCst);
                    while ready.load(SeqCst) < waiting {
                        std::hint::spin_loop();
                    }
                    let start = Instant::now();
                    this.insert_part(keys);
                    (start, Instant::now())
                }
            };
            let threads: Vec<_> = parts.map(|keys| scope.spawn(work(keys))).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        let start = spans.iter().map(|span| span.0).min();
        let end = spans.iter().map(|span| span.1).max();
        start.zip(end).map_or(Duration::MAX, |(start, end)| end.duration_since(start))
    }
}
