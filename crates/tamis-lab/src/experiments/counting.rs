//! How well do small counters count, and what does removal leave behind?

use super::filters::Theory;
use crate::chance::{Chance, Zipf};
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, grouped};
use crate::plot::{Axis, Chart, Mark, Panel, Series};
use crate::row;
use crate::statistics::{ALARM, count_tails_within};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tamis::filter::Layout;
use tamis::filter::{CounterWidth, CountingFilter, Removal};
use tamis::hash::KeyHash;

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Counting {
    /// How many different keys there are.
    pub keys: usize,
    /// How many insertions, of keys that are chosen by Zipf's law.
    pub insertions: usize,
    /// The exponent of that law.
    pub exponent: f64,
    /// The false positives that the filters are made for.
    pub rate: f64,
}

impl Default for Counting {
    fn default() -> Self {
        Self { keys: 100_000, insertions: 2_000_000, exponent: 1.0, rate: 0.01 }
    }
}

impl Experiment for Counting {
    const ABOUT: About = About {
        name: "counting",
        title: "Counting under Zipf's law",
        question: "How often is a key said to be in, against how often it is, and what remains when all is taken back?",
        theory: &[
            "The count of a key is the least of its k counters. Each of them has at least the true count, so the least one is too large only if every counter of the \
             key is shared with another key: with the probability of a false positive. Counters of 4 bits stop at 15, those of 8 bits at 255; one that has stopped \
             no longer knows its value and never goes down again.",
            "By Zipf's law few keys make up most of the insertions, and these stop their counters. So taking everything back leaves exactly the counters that had \
             stopped: their number is computed from the positions of all keys and must be met exactly. The number of counts that are too large is judged by Chernoff's \
             bound around the rates that the fill allows, with one half of the rate added: counters are shared by keys, which makes the counts of keys \
             dependent on each other.",
        ],
        data: None,
        timed: false,
    };

    fn quick() -> Self {
        Self { keys: 5_000, insertions: 50_000, ..Self::default() }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        anyhow::ensure!(self.keys > 0 && self.insertions > 0, "one key at least");
        let mut chance = Chance::new(seed, 7);
        let keys = chance.numbers(self.keys);
        let law = Zipf::new(self.keys, self.exponent);
        let mut counts = vec![0u64; self.keys];
        for _ in 0..self.insertions {
            counts[law.draw(&mut chance)] += 1;
        }
        let stream: Vec<(u64, u64)> =
            keys.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect();
        let mut table = Table::new(
            "counts",
            "True and estimated counts",
            &["counter bits", "true count", "keys", "mean estimate", "largest", "too large"],
        );
        let mut removal = Table::new(
            "removal",
            "What taking everything back leaves",
            &[
                "counter bits",
                "insertions",
                "taken back",
                "refused, stopped",
                "counters in use before",
                "after",
                "keys still found",
            ],
        );
        let mut verdicts = Vec::new();
        let mut panels = Vec::new();
        for (colour, width) in [CounterWidth::Four, CounterWidth::Eight].into_iter().enumerate() {
            let filter =
                CountingFilter::placed(Layout::Classic, width, self.keys as u64, self.rate)?
                    .with_hash(KeyHash::new(seed));
            let mut trial = Trial { filter, stream: &stream };
            verdicts.extend(trial.count(&mut table));
            panels.push(trial.panel(&table, colour));
            verdicts.push(trial.take_back(&mut removal, Chance::new(seed, 8)));
        }
        let findings = Findings { tables: vec![table, removal], chart: Chart::new(panels) };
        Ok(Outcome { findings, verdicts, timings: None })
    }
}

/// A filter and what goes into it: keys with their counts.
struct Trial<'a> {
    filter: CountingFilter,
    stream: &'a [(u64, u64)],
}

impl Trial<'_> {
    fn bits(&self) -> u32 {
        self.filter.width().bits()
    }

    /// Inserts everything and asks for every count.
    fn count(&mut self, table: &mut Table) -> Vec<Verdict> {
        for (key, count) in self.stream {
            for _ in 0..*count {
                self.filter.insert(key);
            }
        }
        let stop = u64::from(self.filter.max_count());
        let mut rows: Vec<(u64, u64)> = self
            .stream
            .iter()
            .map(|(key, count)| (*count, u64::from(self.filter.count(key))))
            .collect();
        rows.sort_unstable();
        let mut too_small = 0;
        let mut too_large = 0;
        let mut below_stop = 0;
        for group in rows.chunk_by(|a, b| a.0 == b.0) {
            let truth = group[0].0;
            let estimates = || group.iter().map(|(_, estimate)| *estimate);
            let larger = estimates().filter(|estimate| *estimate > truth).count();
            let mean = estimates().sum::<u64>() as f64 / group.len() as f64;
            let largest = estimates().max().unwrap_or(0);
            table.push(row![self.bits(), truth, group.len(), mean, largest, larger]);
            too_small += estimates().filter(|estimate| *estimate < truth.min(stop)).count();
            if truth < stop {
                too_large += larger as u64;
                below_stop += group.len() as u64;
            }
        }
        let bits = self.bits();
        let slots = self.filter.bits() / u64::from(bits);
        let others = self.stream.len() as u64 - 1;
        let theory = Theory::new(slots, self.filter.hashes(), others);
        let (low, high) = theory.rates(ALARM / 2.0);
        let range = (low / 1.5, (high * 1.5).min(1.0));
        let explained = count_tails_within(too_large, below_stop, range) >= ALARM / 2.0;
        let stopped = self.stream.iter().filter(|(_, count)| *count >= stop).count();
        vec![
            Verdict::new(format!("counters of {bits} bits never count too little"))
                .expected(format!(
                    "0 keys below their count, or below {stop} for {stopped} keys that reach it"
                ))
                .measured(format!("{too_small} of {}", grouped(rows.len() as u64)))
                .tolerance("none")
                .holds(too_small == 0),
            Verdict::new(format!(
                "counters of {bits} bits count too much as often as strangers are found"
            ))
            .expected(format!("a part of {:.5}", theory.rate()))
            .measured(format!(
                "{:.5} of {} keys",
                too_large as f64 / below_stop.max(1) as f64,
                grouped(below_stop)
            ))
            .tolerance("half of it and Chernoff's bound, one false alarm in a million runs")
            .holds(explained),
        ]
    }

    fn panel(&self, table: &Table, colour: usize) -> Panel {
        use crate::outcome::Cell;
        let number = |cell: &Cell| match cell {
            Cell::Count(count) => *count as f64,
            Cell::Number(number) => *number,
            Cell::Text(_) => 0.0,
        };
        let own = || table.rows.iter().filter(|row| number(&row[0]) == f64::from(self.bits()));
        let most = own().map(|row| number(&row[1])).fold(1.0, f64::max);
        let stop = f64::from(self.filter.max_count());
        Panel::new(
            format!("Counters of {} bits", self.bits()),
            Axis::logarithmic("true count").from_to(0.8, most * 1.3),
            Axis::logarithmic("estimated count").from_to(0.8, most * 1.3),
            vec![
                Series::new("equal", Mark::Line, 6, [(1.0, 1.0), (most, most)]),
                Series::new("end of the counter", Mark::Dashed, 3, [(1.0, stop), (most, stop)]),
                Series::new(
                    "mean",
                    Mark::Points,
                    colour,
                    own().map(|row| (number(&row[1]), number(&row[3]))),
                ),
            ],
        )
    }

    /// Takes everything back in a random order.
    fn take_back(&mut self, table: &mut Table, mut chance: Chance) -> Verdict {
        let bits = self.bits();
        let stop = u64::from(self.filter.max_count());
        let slots = (self.filter.bits() / u64::from(bits)) as usize;
        // What every counter would say if it did not stop.
        let mut truth = vec![0u64; slots];
        for (key, count) in self.stream {
            self.filter.indexes(key).iter().for_each(|place| truth[*place as usize] += count);
        }
        let stopped = truth.iter().filter(|count| **count >= stop).count();
        let mut order: Vec<u32> = Vec::new();
        for (index, (_, count)) in (0..).zip(self.stream) {
            order.extend(std::iter::repeat_n(index, *count as usize));
        }
        chance.shuffle(&mut order);
        let before = self.filter.fill();
        let (mut removed, mut refused, mut absent) = (0u64, 0u64, 0u64);
        for index in &order {
            match self.filter.remove(&self.stream[*index as usize].0) {
                Removal::Removed => removed += 1,
                Removal::Saturated => refused += 1,
                Removal::Absent => absent += 1,
            }
        }
        let left = (self.filter.fill() * slots as f64).round() as usize;
        let found = self.stream.iter().filter(|(key, _)| self.filter.contains(key)).count();
        let used = (before * slots as f64).round() as u64;
        table.push(row![bits, order.len(), removed, refused, used, left, found]);
        Verdict::new(format!(
            "taking all back from counters of {bits} bits leaves those that had stopped"
        ))
        .expected(format!(
            "{} counters left, no key denied while it is in",
            grouped(stopped as u64)
        ))
        .measured(format!("{} left, {absent} denied", grouped(left as u64)))
        .tolerance("none")
        .holds(left == stopped && absent == 0)
    }
}
