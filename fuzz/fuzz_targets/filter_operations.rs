//! Two filters of one shape and a sequence of operations on them, against a plain map of what
//! they must know: nothing that is in may be denied.

#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;
use tamis::codec::Kind;
use tamis::filter::Layout;
use tamis::filter::{
    AnyFilter, BlockedBloomFilter, BloomFilter, ConcurrentBloomFilter, CounterWidth,
    CountingFilter, Filter, GrowingFilter, Removal, RotatingFilter, Stored,
};
use tamis::hash::{Algorithm, KeyHash};
use tamis::{Error, Result};

const MOST_OPERATIONS: usize = 64;

#[derive(Debug, Arbitrary)]
struct Case {
    shape: Shape,
    size: Size,
    algorithm: u8,
    seed: u8,
    operations: Vec<Operation>,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum Shape {
    Classic,
    Blocked,
    Counting { blocked: bool, eight: bool },
    GrowingClassic,
    GrowingBlocked,
    Rotating { generations: u8 },
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum Size {
    For { items: u8, rate: u8 },
    Bits { bits: u16, hashes: u8 },
}

#[derive(Debug, Clone, Copy, Arbitrary)]
struct Operation {
    /// To which of the two filters.
    right: bool,
    action: Action,
}

/// Keys are small numbers, so that they meet.
#[derive(Debug, Clone, Copy, Arbitrary)]
enum Action {
    Insert(u8),
    InsertMany {
        first: u8,
        count: u8,
    },
    Remove(u8),
    Rotate,
    Union,
    Intersection,
    Clear,
    /// Becomes what the other one is.
    Copy,
    /// Through a file and back, and through the filter for many threads.
    Elsewhere,
}

/// A filter with what it must know: keys by how often (counting) or how long ago (rotating).
#[derive(Clone)]
struct Side {
    filter: AnyFilter,
    keys: BTreeMap<u16, u32>,
    /// Insertions less removals, as long as that is known exactly.
    len: Option<u64>,
    /// Whether bits may be left of keys that are no longer in.
    remains: bool,
}

fn make(shape: Shape, size: Size, hash: KeyHash) -> Result<AnyFilter> {
    use Size::{Bits, For};
    let rate = |index: u8| [0.99, 0.5, 0.1, 0.01, 0.001, 2e-5][index as usize % 6];
    Ok(match (shape, size) {
        (Shape::Classic, For { items, rate: r }) => AnyFilter::Classic(
            BloomFilter::with_false_positive_rate(items.into(), rate(r))?.with_hash(hash),
        ),
        (Shape::Classic, Bits { bits, hashes }) => {
            AnyFilter::Classic(BloomFilter::with_bits(bits.into(), hashes.into())?.with_hash(hash))
        }
        (Shape::Blocked, For { items, rate: r }) => AnyFilter::Blocked(
            BlockedBloomFilter::with_false_positive_rate(items.into(), rate(r))?.with_hash(hash),
        ),
        (Shape::Blocked, Bits { bits, hashes }) => AnyFilter::Blocked(
            BlockedBloomFilter::with_bits(bits.into(), hashes.into())?.with_hash(hash),
        ),
        (Shape::Counting { blocked, eight }, size) => {
            let layout = if blocked { Layout::Blocked } else { Layout::Classic };
            let width = if eight { CounterWidth::Eight } else { CounterWidth::Four };
            let filter = match size {
                For { items, rate: r } => {
                    CountingFilter::placed(layout, width, items.into(), rate(r))?
                }
                Bits { bits, hashes } => {
                    CountingFilter::with_bits(layout, width, bits.into(), hashes.into())?
                }
            };
            AnyFilter::Counting(filter.with_hash(hash))
        }
        (Shape::GrowingClassic, For { items, rate: r }) => AnyFilter::GrowingClassic(
            GrowingFilter::placed(items.into(), rate(r))?.with_hash(hash),
        ),
        (Shape::GrowingClassic, Bits { bits, hashes }) => AnyFilter::GrowingClassic(
            GrowingFilter::placed_in_bits(bits.into(), hashes.into())?.with_hash(hash),
        ),
        (Shape::GrowingBlocked, For { items, rate: r }) => AnyFilter::GrowingBlocked(
            GrowingFilter::placed(items.into(), rate(r))?.with_hash(hash),
        ),
        (Shape::GrowingBlocked, Bits { bits, hashes }) => AnyFilter::GrowingBlocked(
            GrowingFilter::placed_in_bits(bits.into(), hashes.into())?.with_hash(hash),
        ),
        (Shape::Rotating { generations }, For { items, rate: r }) => AnyFilter::Rotating(
            RotatingFilter::with_false_positive_rate(generations.into(), items.into(), rate(r))?
                .with_hash(hash),
        ),
        (Shape::Rotating { generations }, Bits { bits, hashes }) => AnyFilter::Rotating(
            RotatingFilter::with_bits(generations.into(), bits.into(), hashes.into())?
                .with_hash(hash),
        ),
    })
}

impl Side {
    fn apply(&mut self, action: Action, other: &Self) {
        match action {
            Action::Insert(key) => self.insert(&[key.into()]),
            Action::InsertMany { first, count } => {
                let first = u16::from(first);
                self.insert(&(first..first + u16::from(count)).collect::<Vec<u16>>());
            }
            Action::Remove(key) => self.remove(key.into()),
            Action::Rotate => self.rotate(),
            Action::Union => self.union(other),
            Action::Intersection => self.intersection(other),
            Action::Clear => self.clear(),
            Action::Copy => self.clone_from(other),
            Action::Elsewhere => self.elsewhere(),
        }
    }

    fn insert(&mut self, keys: &[u16]) {
        let hashes: Vec<u64> = keys.iter().map(|&key| self.hash_of(key)).collect();
        let growing = self.filter.kind() == Kind::Growing;
        let mut twin = self.filter.clone();
        let Ok(insert) = self.filter.as_insert() else { unreachable!("all of them take keys") };
        match hashes[..] {
            [hash] => insert.insert_hash(hash),
            _ => insert.insert_many_hashes(&hashes),
        }
        let Ok(insert) = twin.as_insert() else { unreachable!("as before") };
        if growing {
            hashes.iter().for_each(|&hash| insert.insert_hash(hash));
        } else {
            hashes.iter().rev().for_each(|&hash| insert.insert_hash(hash));
        }
        assert_eq!(self.filter, twin, "at once, and one by one in whatever order is promised");
        for &key in keys {
            let value = self.keys.entry(key).or_insert(0);
            *value = if self.filter.kind() == Kind::Counting { *value + 1 } else { 0 };
        }
        self.len = self.len.map(|len| len + keys.len() as u64);
        self.stopped();
    }

    /// So many insertions may have brought a counter to its end, from where it never comes back.
    fn stopped(&mut self) {
        let counting = self.filter.kind() == Kind::Counting;
        self.remains |= counting && self.len.is_none_or(|len| len >= 15);
    }

    fn remove(&mut self, key: u16) {
        let AnyFilter::Counting(filter) = &mut self.filter else { return };
        let count = filter.count(&key);
        let Some(known) = self.keys.get_mut(&key) else {
            // What is found by chance must not be removed.
            if count == 0 {
                let before = filter.clone();
                assert_eq!(filter.remove(&key), Removal::Absent);
                assert_eq!(*filter, before, "nothing was removed");
            }
            return;
        };
        let removal = filter.remove(&key);
        *known -= 1;
        if *known == 0 {
            self.keys.remove(&key);
        }
        match removal {
            Removal::Removed => {
                assert_eq!(filter.count(&key), count - 1);
                self.len = self.len.map(|len| len - 1);
            }
            Removal::Saturated => {
                assert_eq!(count, filter.max_count());
                assert_eq!(filter.count(&key), count);
                self.remains = true;
            }
            Removal::Absent => panic!("key {key} was in"),
        }
    }

    fn rotate(&mut self) {
        let AnyFilter::Rotating(filter) = &mut self.filter else { return };
        filter.rotate();
        let generations = filter.generations();
        self.keys.values_mut().for_each(|age| *age += 1);
        self.keys.retain(|_, age| *age < generations);
        self.len = None;
    }

    fn union(&mut self, other: &Self) {
        let before = self.filter.clone();
        match self.filter.union(&other.filter) {
            Ok(()) => {}
            Err(Error::Unsupported { .. }) if self.filter.kind() == Kind::Growing => {
                assert_eq!(self.filter, before, "nothing is changed then");
                return;
            }
            Err(error) => panic!("both are of one shape: {error}"),
        }
        for (&key, &value) in &other.keys {
            let kind = self.filter.kind();
            let known = self.keys.entry(key);
            let both = |ours: &mut u32| match kind {
                Kind::Counting => *ours += value,
                _ => *ours = value.min(*ours),
            };
            known.and_modify(both).or_insert(value);
        }
        self.len = self.len.zip(other.len).map(|(ours, theirs)| ours + theirs);
        self.remains |= other.remains;
        self.stopped();
    }

    fn intersection(&mut self, other: &Self) {
        let before = self.filter.clone();
        match self.filter.intersection(&other.filter) {
            Ok(()) => {}
            Err(Error::Unsupported { .. }) if self.filter.kind() == Kind::Growing => {
                assert_eq!(self.filter, before, "nothing is changed then");
                return;
            }
            Err(error) => panic!("both are of one shape: {error}"),
        }
        let counting = self.filter.kind() == Kind::Counting;
        self.keys.retain(|key, ours| {
            let theirs = other.keys.get(key);
            if let Some(&theirs) = theirs {
                *ours = if counting { theirs.min(*ours) } else { theirs.max(*ours) };
            }
            theirs.is_some()
        });
        self.len = None;
        self.remains = true;
    }

    fn clear(&mut self) {
        let Ok(insert) = self.filter.as_insert() else { unreachable!("all of them take keys") };
        insert.clear();
        self.keys.clear();
        self.len = Some(0);
        self.remains = false;
    }

    fn elsewhere(&mut self) {
        let mut bytes = Vec::new();
        self.filter.write(&mut bytes).expect("writing to memory");
        let read = match &self.filter {
            AnyFilter::Classic(_) => BloomFilter::from_bytes(&bytes).map(AnyFilter::Classic),
            AnyFilter::Blocked(_) => BlockedBloomFilter::from_bytes(&bytes)
                .map(|filter| ConcurrentBloomFilter::from(filter).into_filter())
                .map(AnyFilter::Blocked),
            AnyFilter::Counting(_) => CountingFilter::from_bytes(&bytes).map(AnyFilter::Counting),
            AnyFilter::GrowingClassic(_) => {
                GrowingFilter::from_bytes(&bytes).map(AnyFilter::GrowingClassic)
            }
            AnyFilter::GrowingBlocked(_) => {
                GrowingFilter::from_bytes(&bytes).map(AnyFilter::GrowingBlocked)
            }
            _ => RotatingFilter::from_bytes(&bytes).map(AnyFilter::Rotating),
        };
        let read = read.expect("what was written is read");
        assert_eq!(read, self.filter, "written and read");
        self.filter = read;
    }

    fn hash_of(&self, key: u16) -> u64 {
        self.filter.hash().integer(key.into())
    }

    fn check(&self) {
        let keys: Vec<u16> = (0..512).step_by(3).chain(self.keys.keys().copied()).collect();
        let found = self.filter.contains_many(&keys);
        for (key, found) in keys.iter().zip(found) {
            assert_eq!(self.filter.contains(key), found, "one by one and at once");
        }
        for (key, &value) in &self.keys {
            assert!(self.filter.contains(key), "{key} was lost");
            match &self.filter {
                AnyFilter::Counting(filter) => {
                    let count = filter.count(key);
                    assert!(count >= value.min(filter.max_count()), "{key}: {count} < {value}");
                }
                AnyFilter::Rotating(filter) => {
                    let age = filter.age(key);
                    assert!(age.is_some_and(|age| age <= value), "{key}: {age:?}, not {value}");
                }
                _ => {}
            }
        }
        let (fill, rate) = (self.filter.fill(), self.filter.current_false_positive_rate());
        assert!((0.0..=1.0).contains(&fill), "fill: {fill}");
        assert!((-1e-9..=1.0 + 1e-9).contains(&rate), "rate: {rate}");
        assert!(self.filter.estimated_items() >= 0.0);
        if self.keys.is_empty() {
            assert!(self.remains || fill == 0.0, "empty, and {fill} of it is taken");
        } else {
            assert!(fill > 0.0 && rate > 0.0);
            assert!(!self.filter.is_empty(), "{} keys are in", self.keys.len());
        }
        if let Some(len) = self.len {
            assert_eq!(self.filter.len(), len);
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let Ok(case) = Case::arbitrary_take_rest(Unstructured::new(input)) else { return };
    let algorithm = Algorithm::ALL[case.algorithm as usize % Algorithm::ALL.len()];
    let hash = KeyHash::with_algorithm(algorithm, case.seed.into());
    let Ok(filter) = make(case.shape, case.size, hash) else { return };
    let empty = Side { filter, keys: BTreeMap::new(), len: Some(0), remains: false };
    let mut sides = [empty.clone(), empty];
    sides[0].check();
    for &Operation { right, action } in case.operations.iter().take(MOST_OPERATIONS) {
        let [left_side, right_side] = &mut sides;
        let (side, other) =
            if right { (right_side, &*left_side) } else { (left_side, &*right_side) };
        side.apply(action, other);
        side.check();
    }
    sides.iter_mut().for_each(Side::elsewhere);
});
