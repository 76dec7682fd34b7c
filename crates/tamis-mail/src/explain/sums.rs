//! Adds up the weights of features by the name that a person reads.
//!
//! A message has thousands of features, and a verdict names a few of them: names are kept in one
//! text and compared by their hash first, so that a feature costs no allocation.

use super::Part;
use crate::message::Section;
use crate::stages::Stage;
use std::cmp::Ordering;
use std::ops::Range;
use tamis::hash::KeyHash;

/// Maximum number of parts of a stage; features of further ones are ignored.
const MOST: usize = 50_000;

/// Shares of the places of a stage, each of which counts once.
pub(super) struct Shares<'a> {
    /// Ascending.
    places: &'a [u32],
    weights: Vec<f64>,
    /// The number of places before each bucket; a bucket is chosen by the high bits of a place.
    buckets: Vec<u32>,
    shift: u32,
}

impl<'a> Shares<'a> {
    /// The weights of places with so many bits, in the same order.
    pub(super) fn new(places: &'a [u32], weights: Vec<f64>, bits: u32) -> Self {
        let shift = bits.saturating_sub(places.len().max(1).ilog2());
        let bucket = |place: u32| (place >> shift) as usize;
        let mut buckets = Vec::with_capacity(places.last().map_or(0, |last| bucket(*last) + 1));
        for (number, place) in (0..).zip(places) {
            while buckets.len() <= bucket(*place) {
                buckets.push(number);
            }
        }
        Self { places, weights, buckets, shift }
    }

    /// Takes the weight of a place; 0 the next time, and for other places.
    pub(super) fn take(&mut self, place: u32) -> f64 {
        let first = self.buckets.get((place >> self.shift) as usize);
        let first = first.map_or(self.places.len(), |first| *first as usize);
        let after = self.places[first..].iter().take_while(|own| **own < place).count();
        match self.places.get(first + after) {
            Some(own) if *own == place => std::mem::take(&mut self.weights[first + after]),
            _ => 0.0,
        }
    }
}

/// Weights by section and name.
pub(super) struct Sums<'h> {
    hash: &'h KeyHash,
    /// All names, one after the other.
    names: String,
    sums: Vec<Sum>,
    /// Numbers of sums plus one by the hash of their name, 0 for none; at most half of it is used.
    table: Vec<u32>,
}

struct Sum {
    section: Option<Section>,
    name: Range<usize>,
    hash: u64,
    weight: f64,
}

impl<'h> Sums<'h> {
    pub(super) fn new(hash: &'h KeyHash) -> Self {
        Self { hash, names: String::new(), sums: Vec::new(), table: vec![0; 1 << 10] }
    }

    /// Whether there is no room for another feature.
    pub(super) const fn is_full(&self) -> bool {
        self.sums.len() >= MOST
    }

    /// Adds a weight to a sum.
    pub(super) fn add(&mut self, number: usize, weight: f64) {
        self.sums[number].weight += weight;
    }

    /// The number of the sum with the name that `write` appends; none for a name without a letter
    /// or digit.
    pub(super) fn find(
        &mut self,
        section: Option<Section>,
        write: impl FnOnce(&mut String),
    ) -> Option<usize> {
        let start = self.names.len();
        write(&mut self.names);
        let name = &self.names[start..];
        if !name.contains(char::is_alphanumeric) {
            self.names.truncate(start);
            return None;
        }
        let hash = self.hash.bytes(name.as_bytes());
        let mut slot = hash as usize % self.table.len();
        while let Some(number) = (self.table[slot] as usize).checked_sub(1) {
            let sum = &self.sums[number];
            if sum.hash == hash && sum.section == section && self.names[sum.name.clone()] == *name {
                self.names.truncate(start);
                return Some(number);
            }
            slot = (slot + 1) % self.table.len();
        }
        self.sums.push(Sum { section, name: start..self.names.len(), hash, weight: 0.0 });
        self.table[slot] = self.sums.len() as u32;
        if 2 * self.sums.len() > self.table.len() {
            self.grow();
        }
        Some(self.sums.len() - 1)
    }

    fn grow(&mut self) {
        let mut table = vec![0; 2 * self.table.len()];
        for (number, sum) in (1..).zip(&self.sums) {
            let mut slot = sum.hash as usize % table.len();
            while table[slot] != 0 {
                slot = (slot + 1) % table.len();
            }
            table[slot] = number;
        }
        self.table = table;
    }

    fn part(&self, sum: &Sum, stage: Stage) -> Part {
        let text = self.names[sum.name.clone()].to_owned();
        Part { stage, section: sum.section, text, weight: sum.weight }
    }

    /// All parts, by section and name.
    pub(super) fn parts(&self, stage: Stage) -> Vec<Part> {
        let mut parts: Vec<Part> = self.sums.iter().map(|sum| self.part(sum, stage)).collect();
        parts.sort_by(|a, b| a.section.cmp(&b.section).then_with(|| a.text.cmp(&b.text)));
        parts
    }

    /// The parts with the largest weights in a direction, at most `most`; largest first, then by
    /// name.
    pub(super) fn weightiest(&self, stage: Stage, towards: f64, most: usize) -> Vec<Part> {
        let order = |a: &Sum, b: &Sum| -> Ordering {
            let by_name = || self.names[a.name.clone()].cmp(&self.names[b.name.clone()]);
            let by_weight = (b.weight * towards).total_cmp(&(a.weight * towards));
            by_weight.then_with(by_name).then_with(|| a.section.cmp(&b.section))
        };
        let mut best: Vec<&Sum> = Vec::with_capacity(most + 1);
        for sum in self.sums.iter().filter(|sum| sum.weight * towards > 0.0) {
            let at = best.partition_point(|other| order(other, sum).is_lt());
            if at < most {
                best.insert(at, sum);
                best.truncate(most);
            }
        }
        best.into_iter().map(|sum| self.part(sum, stage)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_its_weight_once() {
        let places = [0, 3, 64, 65, 1000, 1023];
        let mut shares = Shares::new(&places, (1..).map(f64::from).take(6).collect(), 10);
        for (place, weight) in [(3, 2.0), (3, 0.0), (1023, 6.0), (2, 0.0), (0, 1.0), (65, 4.0)] {
            assert_eq!(shares.take(place), weight, "{place}");
        }
        assert_eq!(Shares::new(&[], Vec::new(), 10).take(5), 0.0);
    }

    #[test]
    fn weights_of_the_same_name_are_added() {
        let hash = KeyHash::default();
        let mut sums = Sums::new(&hash);
        for round in 0..2 {
            for word in 0..2000 {
                let number = sums.find(None, |name| *name += &format!("word{word}"));
                assert_eq!(number, Some(word));
                sums.add(word, if word == 7 { 5.0 } else { f64::from(round) });
            }
        }
        assert_eq!(sums.find(None, |name| *name += "?!"), None);
        let parts = sums.parts(Stage::Words);
        assert_eq!(parts.len(), 2000);
        let best = sums.weightiest(Stage::Words, 1.0, 3);
        let named: Vec<(&str, f64)> = best.iter().map(|p| (p.text.as_str(), p.weight)).collect();
        assert_eq!(named, [("word7", 10.0), ("word0", 1.0), ("word1", 1.0)]);
        assert!(sums.weightiest(Stage::Words, -1.0, 3).is_empty());
    }
}
