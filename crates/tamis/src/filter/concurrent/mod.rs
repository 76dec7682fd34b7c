//! A blocked Bloom filter that many threads fill through shared references.
//!
//! The bits of a key share one line, and a line belongs to one of some hundred stripes. An insertion
//! takes its stripe with one atomic exchange, sets its bits with plain stores and lets go, so
//! no bit is lost and no key pays for eight locked instructions. Stripe and line are fetched at the same time, to be written to. Questions never wait: they read the
//! words as they are.
//!
//! A question that starts after an insertion has returned, on the same thread or on one that
//! was told of it, finds the key.
//!
//! ```
//! use tamis::filter::ConcurrentBloomFilter;
//!
//! let seen = ConcurrentBloomFilter::with_false_positive_rate(20_000, 0.01)?;
//! std::thread::scope(|scope| {
//!     let seen = &seen;
//!     scope.spawn(move || (0..10_000u64).filter(|key| seen.insert(key)).count());
//!     scope.spawn(move || (10_000..20_000u64).filter(|key| seen.insert(key)).count());
//! });
//! assert!((0..20_000u64).all(|key| seen.contains(&key)));
//! let frozen = seen.into_filter();
//! assert_eq!(frozen.len(), 20_000);
//! # Ok::<(), tamis::Error>(())
//! ```

mod stripe;

use super::bloom::{BitLayout, Blocked, BlockedBloomFilter};
use super::methods::{describe, question_methods};
use super::{Design, Filter, joined_keys};
use crate::hash::{Key, KeyHash, KeyKinds};
use crate::memory::prefetch::{Ahead, pipeline};
use crate::memory::{SharedLine, Storage, WORDS, line};
use crate::{Error, Result};
use core::fmt;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use stripe::{MOST_ITEMS, Stripe};

/// Stripes of lines that are locked together, for each thread that can run at once: so many that two hardly
/// ever meet, and so few that they stay near. With two threads 128 stripes in all took 1.1 of the time of 512, in batches 1.3; 256 as long, in batches 1.1.
const STRIPES_PER_THREAD: usize = 256;

/// A blocked Bloom filter for many threads. [`Self::into_filter`] makes a plain one of it, bit
/// for bit the same as if one thread had inserted everything.
///
/// ```
/// use tamis::filter::ConcurrentBloomFilter;
///
/// let seen = ConcurrentBloomFilter::with_false_positive_rate(1_000, 0.01)?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| seen.insert("leek"));
///     scope.spawn(|| seen.insert("turnip"));
/// });
/// assert!(seen.contains("leek") && seen.contains("turnip"));
/// # Ok::<(), tamis::Error>(())
/// ```
pub struct ConcurrentBloomFilter {
    layout: Blocked,
    hash: KeyHash,
    design: Design,
    keys: AtomicU8,
    lines: Vec<SharedLine>,
    /// A power of two of them.
    stripes: Vec<Stripe>,
}

impl ConcurrentBloomFilter {
    /// Sized as [`BlockedBloomFilter::with_false_positive_rate`].
    ///
    /// # Errors
    /// As there.
    pub fn with_false_positive_rate(items: u64, rate: f64) -> Result<Self> {
        Ok(BlockedBloomFilter::with_false_positive_rate(items, rate)?.into())
    }

    /// Sized as [`BlockedBloomFilter::with_bits`].
    ///
    /// # Errors
    /// As there.
    pub fn with_bits(bits: u64, hashes: u32) -> Result<Self> {
        Ok(BlockedBloomFilter::with_bits(bits, hashes)?.into())
    }

    /// Inserts a key; whether it was new. Of several threads that insert the same key at once,
    /// one is told so.
    #[inline(always)]
    pub fn insert<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.record_keys(key.kinds());
        self.insert_hash(key.hash_with(&self.hash))
    }

    /// Inserts a key with this hash; whether it was new.
    // Inlined: what a call puts on the stack has to be written before the stripe is taken, which takes half as long again.
    #[inline(always)]
    pub fn insert_hash(&self, hash: u64) -> bool {
        let index = self.layout.line_of(hash);
        let line = &self.lines[index];
        // Another thread may have had the line last: let it come while the stripe comes.
        let line_bits = self.layout.line_bits();
        line_bits.fetch_to_write(line);
        let mut is_new = true;
        self.stripe(index).hold(|items| {
            // Dropped by the compiler where nobody asks.
            is_new = !line_bits.are_in(line.held(), hash);
            line_bits.set(line, hash);
            items + 1
        });
        is_new
    }

    /// Says what hashes were made of that are inserted: recorded in the file, for
    /// [`Self::check_keys`].
    #[inline(always)]
    pub fn record_keys(&self, kinds: KeyKinds) {
        // Nearly always it is known, and then nobody has to wait for the line.
        if !self.key_kinds().have(kinds) {
            self.keys.fetch_or(kinds.code(), Relaxed);
        }
    }

    /// The stripe of a line.
    #[inline(always)]
    fn stripe(&self, line: usize) -> &Stripe {
        &self.stripes[line & (self.stripes.len() - 1)]
    }

    /// Counts items that were inserted elsewhere: in two stripes, as none of them counts up to the end.
    fn add_items(&self, items: u64) {
        for (stripe, part) in self.stripes.iter().zip([items / 2, items.div_ceil(2)]) {
            stripe.hold(|items| items.saturating_add(part).min(MOST_ITEMS).max(items));
        }
    }

    /// Inserts many keys.
    pub fn insert_many<K: Key>(&self, keys: &[K]) {
        self.record_keys(KeyKinds::of(keys));
        self.insert_each(keys, |key| key.hash_with(&self.hash));
    }

    /// Other cores may have any line and any stripe: they are always fetched ahead.
    #[inline(always)]
    fn insert_each<K>(&self, keys: &[K], hash: impl Fn(&K) -> u64) {
        let fetch = |hash, filter: &&Self| {
            let (index, line_bits) = (filter.layout.line_of(hash), filter.layout.line_bits());
            line_bits.fetch_to_write(filter.stripe(index));
            line_bits.fetch_to_write(&filter.lines[index]);
        };
        let insert = |hash, filter: &mut &Self| {
            filter.insert_hash(hash);
        };
        pipeline(Ahead::always(2), keys.iter(), &mut &*self, hash, fetch, insert);
    }

    /// Inserts keys with these hashes.
    pub fn insert_many_hashes(&self, hashes: &[u64]) {
        self.insert_each(hashes, |hash| *hash);
    }

    /// Everything that either filter has.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if hash, seed, size or functions differ; nothing is changed then.
    pub fn union<S: Storage>(&self, other: &BlockedBloomFilter<S>) -> Result<()> {
        self.must_match(other)?;
        self.record_keys(joined_keys(self, other).0);
        for (index, line) in other.lines().iter().enumerate() {
            self.stripe(index).hold(|items| {
                let shared = &self.lines[index];
                for word in 0..WORDS {
                    shared.set_word(word, shared.word(word) | line.word(word));
                }
                items
            });
        }
        self.add_items(other.len());
        Ok(())
    }

    /// What both filters have.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if hash, seed, size or functions differ.
    pub fn intersection<S: Storage>(self, other: &BlockedBloomFilter<S>) -> Result<Self> {
        let mut filter = self.into_filter();
        filter.intersection(other)?;
        Ok(filter.into())
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self.keys.get_mut() = 0;
        for line in &mut self.lines {
            line.clear();
        }
        for stripe in &self.stripes {
            stripe.hold(|_| 0);
        }
    }

    /// The plain filter with the bits of this moment, while other threads go on inserting. It has
    /// every key whose insertion had returned before the call; others are in or not.
    ///
    /// ```
    /// use tamis::filter::ConcurrentBloomFilter;
    ///
    /// let seen = ConcurrentBloomFilter::with_false_positive_rate(1_000, 0.01)?;
    /// assert!(seen.insert("leek"));
    /// let snapshot = seen.snapshot()?;
    /// assert!(!seen.insert("leek") && snapshot.contains("leek"));
    /// # Ok::<(), tamis::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Memory`] if there is none.
    pub fn snapshot(&self) -> Result<BlockedBloomFilter> {
        let (keys, items) = (self.key_kinds(), self.len());
        let mut lines = line::zeroed(self.lines.len())?;
        for (line, shared) in lines.iter_mut().zip(&self.lines) {
            *line = shared.load();
        }
        let (layout, hash, design) = (self.layout, self.hash, self.design);
        Ok(BlockedBloomFilter::assemble(layout, hash, design, keys, items, lines))
    }

    /// Saves a [snapshot](Self::snapshot) in a file, which appears whole or not at all.
    ///
    /// # Errors
    /// [`Error::Memory`] or [`Error::File`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.snapshot()?.save(path)
    }

    /// Opens the file of a blocked Bloom filter.
    ///
    /// # Errors
    /// As [`BlockedBloomFilter::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(BlockedBloomFilter::open(path)?.into())
    }

    /// How many bits it has.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.layout.bits()
    }

    /// How many functions of a key it uses.
    #[must_use]
    pub fn hashes(&self) -> u32 {
        self.layout.hashes()
    }

    /// The plain filter with these bits.
    #[must_use]
    pub fn into_filter(self) -> BlockedBloomFilter {
        let (keys, items) = (self.key_kinds(), self.len());
        let lines = self.lines.into_iter().map(|line| line.load()).collect();
        BlockedBloomFilter::assemble(self.layout, self.hash, self.design, keys, items, lines)
    }

    fn must_match<S: Storage>(&self, other: &BlockedBloomFilter<S>) -> Result<()> {
        self.hash.must_equal(other.hash())?;
        if self.layout == other.layout() {
            return Ok(());
        }
        let size =
            |layout: Blocked| format!("{} bits, {} functions", layout.bits(), layout.hashes());
        Err(Error::mismatch("the size", size(self.layout), size(other.layout())))
    }
}

impl Clone for ConcurrentBloomFilter {
    fn clone(&self) -> Self {
        let lines = self.lines.iter().map(SharedLine::load).collect();
        let (layout, hash, design) = (self.layout, self.hash, self.design);
        let (keys, items) = (self.key_kinds(), self.len());
        BlockedBloomFilter::assemble(layout, hash, design, keys, items, lines).into()
    }
}

/// Equal bits, layout, hash and seed, as of [`BlockedBloomFilter`].
impl PartialEq for ConcurrentBloomFilter {
    fn eq(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.lines.iter(), other.lines.iter());
        self.layout == other.layout
            && self.hash == other.hash
            && self.design == other.design
            && ours.map(SharedLine::load).eq(theirs.map(SharedLine::load))
    }
}

impl fmt::Debug for ConcurrentBloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe(self, self.bits(), self.hashes()).fmt("ConcurrentBloomFilter", f)
    }
}

/// Many threads may extend one filter.
impl<K: Key> Extend<K> for &ConcurrentBloomFilter {
    fn extend<T: IntoIterator<Item = K>>(&mut self, keys: T) {
        for key in keys {
            self.insert(&key);
        }
    }
}

impl From<BlockedBloomFilter> for ConcurrentBloomFilter {
    fn from(filter: BlockedBloomFilter) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let count = (STRIPES_PER_THREAD * threads).next_power_of_two();
        let stripes: Vec<Stripe> = (0..count).map(|_| Stripe::default()).collect();
        let items = filter.len();
        let filter = Self {
            layout: filter.layout(),
            hash: *filter.hash(),
            design: filter.design(),
            keys: AtomicU8::new(filter.key_kinds().code()),
            lines: filter.into_lines().into_iter().map(|line| SharedLine::new(&line)).collect(),
            stripes,
        };
        filter.add_items(items);
        filter
    }
}

question_methods!(impl [] ConcurrentBloomFilter);

impl Filter for ConcurrentBloomFilter {
    fn hash(&self) -> &KeyHash {
        &self.hash
    }

    #[inline(always)]
    fn key_kinds(&self) -> KeyKinds {
        KeyKinds::from_bits(self.keys.load(Relaxed))
    }

    #[inline]
    fn contains_hash(&self, hash: u64) -> bool {
        self.layout.line_bits().are_in(&self.lines[self.layout.line_of(hash)], hash)
    }

    fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
        for (&hash, found) in hashes.iter().zip(found) {
            *found = self.contains_hash(hash);
        }
    }

    fn indexes_hash(&self, hash: u64) -> Vec<u64> {
        self.layout.indexes(hash)
    }

    fn len(&self) -> u64 {
        self.stripes.iter().fold(0, |sum: u64, stripe| sum.saturating_add(stripe.items()))
    }

    fn fill(&self) -> f64 {
        let ones: u64 = self.lines.iter().map(|line| u64::from(line.load().count_ones())).sum();
        ones as f64 / self.layout.bits() as f64
    }

    fn estimated_items(&self) -> f64 {
        self.layout.estimated_items(self.fill())
    }

    fn current_false_positive_rate(&self) -> f64 {
        let rates = self.lines.iter().map(|line| self.layout.rate_of(&[line.load()]));
        rates.sum::<f64>() / self.lines.len() as f64
    }
}
