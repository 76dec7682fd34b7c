//! What do the layouts of a filter cost and give?

use crate::chance::Chance;
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, significant};
use crate::plot::{Axis, Chart, Mark, Panel, Series};
use crate::row;
use crate::statistics::{ALARM, count_tails, rate_interval};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;
use tamis::filter::{
    BlockedBloomFilter, BloomFilter, Filter, GrowingFilter, StaticFilter, StaticFilterBuilder,
};
use tamis::hash::KeyHash;

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layouts {
    /// How many keys are inserted.
    pub keys: usize,
    /// For which rates filters are made.
    pub rates: Vec<f64>,
    /// How many strangers they are asked for.
    pub strangers: usize,
    /// The growing filter begins with room for so many keys.
    pub growing_from: u64,
}

impl Default for Layouts {
    fn default() -> Self {
        Self {
            keys: 1_000_000,
            rates: vec![0.1, 0.03, 0.01, 0.003, 0.001, 0.0001],
            strangers: 4_000_000,
            growing_from: 1000,
        }
    }
}

impl Experiment for Layouts {
    const ABOUT: About = About {
        name: "layouts",
        title: "Filter layouts",
        question: "What rate, how many bits and how much time per key have classic, blocked, growing and static filters?",
        theory: &[
            "For a rate of p no filter can do with less than log2(1 / p) bits per key. The classic layout takes 1.44 times as many, the blocked one a few percent \
             more again but touches a single cache line, the growing one needs no size beforehand and pays three bits for it and half a bit more for each time it doubles, and the static one, built once from all \
             keys, takes 1.00 to 1.03 times the least.",
            "The measured rate may not be above the one that was asked for: the verdict fails if Chernoff's bound says that chance does so once in a million \
             runs, after a tolerance of two parts in a hundred for the fill of a filter, which varies by less than one. Bits are compared with what each layout promises. \
             Times depend on the machine and are no part of any verdict.",
        ],
        data: None,
        timed: true,
    };

    fn quick() -> Self {
        let rates = vec![0.1, 0.01];
        Self { keys: 20_000, rates, strangers: 50_000, ..Self::default() }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        anyhow::ensure!(self.keys > 0 && self.strangers > 0, "one key at least");
        let mut chance = Chance::new(seed, 9);
        let keys = chance.numbers(self.keys);
        let strangers = chance.numbers(self.strangers);
        let hash = KeyHash::new(seed);
        let items = self.keys as u64;
        let mut measured = Vec::new();
        for &rate in &self.rates {
            let trial = Trial { keys: &keys, strangers: &strangers, rate };
            measured.push(trial.run("classic", |keys| {
                let mut filter =
                    BloomFilter::with_false_positive_rate(items, rate)?.with_hash(hash);
                filter.insert_many(keys);
                let bits = filter.bits();
                Ok((filter, bits))
            })?);
            measured.push(trial.run("blocked", |keys| {
                let mut filter =
                    BlockedBloomFilter::with_false_positive_rate(items, rate)?.with_hash(hash);
                filter.insert_many(keys);
                let bits = filter.bits();
                Ok((filter, bits))
            })?);
            measured.push(trial.run("growing", |keys| {
                let filter: GrowingFilter =
                    GrowingFilter::with_false_positive_rate(self.growing_from, rate)?;
                let mut filter = filter.with_hash(hash);
                filter.insert_many(keys);
                let bits = filter.bits();
                Ok((filter, bits))
            })?);
            measured.push(trial.run("static", |keys| {
                let mut builder = StaticFilterBuilder::new(rate)?.with_hash(hash);
                keys.iter().for_each(|key| builder.insert(key));
                let filter = builder.build()?;
                let bits = filter.bits();
                Ok((filter, bits))
            })?);
        }
        Ok(self.outcome(&measured))
    }
}

struct Trial<'a> {
    keys: &'a [u64],
    strangers: &'a [u64],
    rate: f64,
}

struct Measured {
    layout: &'static str,
    rate: f64,
    bits_per_key: f64,
    denied: usize,
    found: u64,
    asked: u64,
    build: f64,
    ask: f64,
}

impl Trial<'_> {
    fn run<F: Filter>(
        &self,
        layout: &'static str,
        build: impl FnOnce(&[u64]) -> Result<(F, u64)>,
    ) -> Result<Measured> {
        let nanoseconds =
            |start: Instant, count: usize| start.elapsed().as_secs_f64() * 1e9 / count as f64;
        let start = Instant::now();
        let (filter, bits) = build(self.keys)?;
        let build = nanoseconds(start, self.keys.len());
        let start = Instant::now();
        let answers = filter.contains_many(self.strangers);
        let ask = nanoseconds(start, self.strangers.len());
        Ok(Measured {
            layout,
            rate: self.rate,
            bits_per_key: bits as f64 / self.keys.len() as f64,
            denied: filter.contains_many(self.keys).iter().filter(|found| !**found).count(),
            found: answers.iter().filter(|found| **found).count() as u64,
            asked: self.strangers.len() as u64,
            build,
            ask,
        })
    }
}

const LAYOUTS: [&str; 4] = ["classic", "blocked", "growing", "static"];

impl Layouts {
    fn outcome(&self, measured: &[Measured]) -> Outcome {
        let mut table = Table::new(
            "layouts",
            "Rates and bits",
            &["layout", "asked for", "measured", "from", "to", "bits per key", "of the least"],
        );
        let mut times = Table::new(
            "times",
            "Time per key on one thread, the static filter on all cores",
            &["layout", "rate", "insert, ns", "ask a stranger, ns"],
        );
        for row in measured {
            let (low, high) = rate_interval(row.found, row.asked, ALARM);
            let part = row.found as f64 / row.asked as f64;
            let least = -row.rate.log2();
            let bits = row.bits_per_key;
            table.push(row![row.layout, row.rate, part, low, high, bits, bits / least]);
            times.push(row![row.layout, row.rate, row.build, row.ask]);
        }
        let of = |layout: &'static str| measured.iter().filter(move |row| row.layout == layout);
        let series = |value: fn(&Measured) -> f64| {
            LAYOUTS.into_iter().enumerate().map(move |(colour, layout)| {
                Series::new(
                    layout,
                    Mark::Line,
                    colour,
                    of(layout).map(|row| (row.rate, value(row))),
                )
            })
        };
        let least = of("classic").map(|row| (row.rate, -row.rate.log2()));
        let least = Series::new("least possible", Mark::Dashed, 6, least);
        let equal = of("classic").map(|row| (row.rate, 1.0));
        let equal = Series::new("as asked for", Mark::Dashed, 6, equal);
        let rate = || Axis::logarithmic("rate that was asked for");
        let chart = Chart::new(vec![
            Panel::new(
                "Bits",
                rate(),
                Axis::linear("bits per key"),
                series(|row| row.bits_per_key).chain([least]).collect(),
            ),
            Panel::new(
                "Measured rate",
                rate(),
                Axis::linear("measured / asked for").from_to(0.0, 1.6),
                series(|row| row.found as f64 / row.asked as f64 / row.rate)
                    .chain([equal])
                    .collect(),
            ),
        ]);
        let times_chart = Chart::new(vec![
            Panel::new(
                "Time to insert",
                rate(),
                Axis::linear("ns per key"),
                series(|row| row.build).collect(),
            ),
            Panel::new(
                "Time to ask for a stranger",
                rate(),
                Axis::linear("ns per key"),
                series(|row| row.ask).collect(),
            ),
        ]);
        Outcome {
            findings: Findings { tables: vec![table], chart },
            verdicts: LAYOUTS
                .into_iter()
                .flat_map(|layout| self.verdicts(layout, measured))
                .collect(),
            timings: Some(Findings { tables: vec![times], chart: times_chart }),
        }
    }

    fn verdicts(&self, layout: &'static str, measured: &[Measured]) -> Vec<Verdict> {
        let own: Vec<&Measured> = measured.iter().filter(|row| row.layout == layout).collect();
        let denied: usize = own.iter().map(|row| row.denied).sum();
        let alarm = ALARM / measured.len() as f64;
        let kept = |row: &&&Measured| {
            let most = row.rate * 1.02;
            row.found as f64 <= most * row.asked as f64
                || count_tails(row.found, row.asked, most) >= alarm
        };
        let kept = own.iter().filter(kept).count();
        let ratio = |row: &&Measured| row.found as f64 / row.asked as f64 / row.rate;
        let worst = own.iter().map(ratio).fold(0.0, f64::max);
        // Bits over the promise of the layout, at the rate where that is largest.
        let over = |row: &&Measured| row.bits_per_key / self.promised(layout, row.rate);
        let most = own.iter().map(over).fold(0.0, f64::max);
        vec![
            Verdict::new(format!(
                "{layout}: all keys are found, others no more often than asked for"
            ))
            .expected("0 denied, at most 1 times the rate")
            .measured(format!("{denied} denied, {} times at most", significant(worst)))
            .tolerance("0.02 and Chernoff's bound, one false alarm in a million runs")
            .holds(denied == 0 && kept == own.len()),
            Verdict::new(format!("{layout}: bits per key are as promised"))
                .expected("at most 1 times the promise")
                .measured(format!("{} times at most", significant(most)))
                .tolerance("0.01, and some hundred bits for small filters")
                .holds(most <= 1.01 + 2000.0 / self.keys as f64),
        ]
    }

    /// Bits per key that a layout promises.
    fn promised(&self, layout: &str, rate: f64) -> f64 {
        use tamis::filter::Layout;
        use tamis::plan::{FilterPlan, Variant};
        let items = self.keys as u64;
        let classic = -rate.ln() / std::f64::consts::LN_2.powi(2);
        match layout {
            "classic" => classic,
            "blocked" => {
                let variant = Variant { layout: Layout::Blocked, counting: None };
                FilterPlan::for_rate(variant, items, rate)
                    .map_or(f64::NAN, |plan| plan.bits_per_item())
            }
            "static" => StaticFilter::expected_bits(items, rate)
                .map_or(f64::NAN, |bits| bits / items as f64),
            // Layers as the manual of the filter says, until they have room for all keys.
            _ => {
                let variant = Variant { layout: Layout::Blocked, counting: None };
                let (mut bits, mut room) = (0, 0);
                let mut layer = (self.growing_from, 0.2 * rate);
                while room < items {
                    bits +=
                        FilterPlan::for_rate(variant, layer.0, layer.1).map_or(0, |plan| plan.bits);
                    room += layer.0;
                    layer = (2 * layer.0, 0.8 * layer.1);
                }
                bits as f64 / items as f64
            }
        }
    }
}
