//! Laws: what holds whatever was done, checked against a twin that remembers everything.

mod algebra;
mod counting;
mod extremes;
mod growing;
mod items;
mod large;
mod mismatch;
mod rotating;
mod sequences;
mod subjects;

use crate::support::{Aligned, bytes_of};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Debug;
use tamis::filter::{Insert, Line, Removal, Stored};

/// Something that can happen to a filter. Keys are few, so that they meet again.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Insert(u16),
    InsertMany(Vec<u16>),
    InsertByThreads(Vec<u16>),
    /// Takes back one of the keys that are in, by its place among them.
    Remove(prop::sample::Index),
    /// With a filter of these keys, one list for each generation from the oldest.
    Union(Vec<Vec<u16>>),
    Intersection(Vec<Vec<u16>>),
    Rotate,
    Clear,
    /// Written, read back into memory, and written again.
    SaveAndLoad,
    /// Written, asked in place, and copied from there.
    SaveAndMap,
}

pub(crate) fn key() -> impl Strategy<Value = u16> {
    0..300u16
}

fn keys() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(key(), 0..60)
}

pub(crate) fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let other = || prop::collection::vec(keys(), 1..4);
    let operation = prop_oneof![
        6 => key().prop_map(Operation::Insert),
        6 => keys().prop_map(Operation::InsertMany),
        1 => keys().prop_map(Operation::InsertByThreads),
        6 => any::<prop::sample::Index>().prop_map(Operation::Remove),
        3 => other().prop_map(Operation::Union),
        1 => other().prop_map(Operation::Intersection),
        3 => Just(Operation::Rotate),
        1 => Just(Operation::Clear),
        2 => Just(Operation::SaveAndLoad),
        2 => Just(Operation::SaveAndMap),
    ];
    prop::collection::vec(operation, 1..40)
}

/// What the twin knows of a key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    /// How often it is in.
    pub(crate) count: u32,
    /// How many rotations ago it was inserted last.
    pub(crate) age: u32,
}

type Twin = BTreeMap<u16, Held>;

fn note(twin: &mut Twin, key: u16) {
    let held = twin.entry(key).or_insert(Held { count: 0, age: 0 });
    *held = Held { count: held.count + 1, age: 0 };
}

/// A kind of filter under test.
pub(crate) trait Subject:
    Insert + Stored<Storage = Vec<Line>> + Clone + PartialEq + Debug
{
    fn union(&mut self, other: &Self) -> tamis::Result<()>;
    fn intersection(&mut self, other: &Self) -> tamis::Result<()>;

    /// Opens a file in place, asks it for these keys, and copies it.
    fn asked_in_place(file: Aligned, keys: &[u16]) -> tamis::Result<(Vec<bool>, Self)>;

    /// The answer to a removal, where there are removals.
    fn take_back(&mut self, _: u16) -> Option<Removal> {
        None
    }

    /// Whether a generation was forgotten after this many rotations, where there are any.
    fn rotate(&mut self) -> Option<u32> {
        None
    }

    fn insert_by_threads(&mut self, keys: &[u16]) {
        self.insert_many(keys);
    }

    /// What else must hold for a key that is in.
    fn check_key(&self, _: u16, _: Held) {}
}

/// Does everything to the filter and to its twin, and compares after each step.
pub(crate) fn follow<S: Subject>(fresh: &S, operations: &[Operation]) {
    let (mut filter, mut twin) = (fresh.clone(), Twin::new());
    for operation in operations {
        step(fresh, &mut filter, &mut twin, operation);
        let keys: Vec<u16> = twin.keys().copied().collect();
        let all_at_once = filter.contains_many(&keys);
        for ((&key, &held), many) in twin.iter().zip(all_at_once) {
            assert!(filter.contains(&key), "{key} is denied after {operation:?}");
            assert!(many, "{key} is denied among many after {operation:?}");
            filter.check_key(key, held);
        }
        crate::support::check_numbers(&filter);
    }
}

fn step<S: Subject>(fresh: &S, filter: &mut S, twin: &mut Twin, operation: &Operation) {
    match operation {
        Operation::Insert(key) => {
            filter.insert(key);
            note(twin, *key);
        }
        Operation::InsertMany(keys) => {
            filter.insert_many(keys);
            keys.iter().for_each(|&key| note(twin, key));
        }
        Operation::InsertByThreads(keys) => {
            filter.insert_by_threads(keys);
            keys.iter().for_each(|&key| note(twin, key));
        }
        Operation::Remove(place) => remove(filter, twin, place),
        Operation::Union(generations) => {
            let (other, its_twin) = built(fresh, generations);
            // A growing filter refuses more than forty layers.
            if filter.union(&other).is_ok() {
                for (key, held) in its_twin {
                    let old = twin.get(&key).copied().unwrap_or(Held { count: 0, age: u32::MAX });
                    let (count, age) = (old.count + held.count, old.age.min(held.age));
                    twin.insert(key, Held { count, age });
                }
            }
        }
        Operation::Intersection(generations) => {
            let (other, its_twin) = built(fresh, generations);
            // A growing filter refuses once it has grown.
            if filter.intersection(&other).is_ok() {
                twin.retain(|key, held| {
                    let Some(theirs) = its_twin.get(key) else { return false };
                    held.count = held.count.min(theirs.count);
                    held.age = held.age.max(theirs.age);
                    true
                });
            }
        }
        Operation::Rotate => rotate(filter, twin),
        Operation::Clear => {
            filter.clear();
            twin.clear();
            assert!(filter.is_empty() && filter.fill() == 0.0);
        }
        Operation::SaveAndLoad => {
            let file = bytes_of(filter);
            let loaded = S::from_bytes(&file).expect("what was written can be read");
            assert_eq!(loaded, *filter);
            assert_eq!(bytes_of(&loaded), file, "written again it is another file");
            *filter = loaded;
        }
        Operation::SaveAndMap => {
            let asked: Vec<u16> = (0..400).collect();
            let file = Aligned::new(&bytes_of(filter));
            let (answers, copy) = S::asked_in_place(file, &asked).expect("it opens in place");
            assert_eq!(answers, filter.contains_many(&asked), "in place it answers otherwise");
            assert_eq!(copy, *filter);
            *filter = copy;
        }
    }
}

fn remove<S: Subject>(filter: &mut S, twin: &mut Twin, place: &prop::sample::Index) {
    if twin.is_empty() {
        return;
    }
    let key = *twin.keys().nth(place.index(twin.len())).expect("the place is among them");
    match filter.take_back(key) {
        Some(Removal::Removed) => {
            let count = twin[&key].count - 1;
            twin.entry(key).and_modify(|held| held.count = count);
            twin.retain(|_, held| held.count > 0);
        }
        Some(Removal::Absent) => panic!("{key} is in, its removal says absent"),
        Some(Removal::Saturated) | None => {}
    }
}

fn rotate<S: Subject>(filter: &mut S, twin: &mut Twin) {
    let Some(generations) = filter.rotate() else { return };
    twin.retain(|_, held| {
        held.age += 1;
        held.age < generations
    });
}

/// Another filter of the same shape with its twin.
fn built<S: Subject>(fresh: &S, generations: &[Vec<u16>]) -> (S, Twin) {
    let (mut filter, mut twin) = (fresh.clone(), Twin::new());
    for (index, keys) in generations.iter().enumerate() {
        if index > 0 {
            rotate(&mut filter, &mut twin);
        }
        filter.insert_many(keys);
        keys.iter().for_each(|&key| note(&mut twin, key));
    }
    (filter, twin)
}
