//! Which numbers of functions make a classic cascade smallest, and how far is it from the least possible?

use crate::chance::Chance;
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, grouped, significant};
use crate::plot::{Axis, Chart, Heat, Mark, Panel, Series};
use crate::row;
use crate::statistics::{ALARM, deviations};
use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tamis::cascade::classic::{Functions, Training};
use tamis::cascade::{Answer, Trainer};
use tamis::filter::Stored;
use tamis::hash::KeyHash;
use tamis::plan::CascadePlan;

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CascadeSizes {
    /// How many categories.
    pub categories: usize,
    /// How many keys of each.
    pub keys: usize,
    /// Both filters of a category have from one to so many functions.
    pub most_functions: u8,
}

impl Default for CascadeSizes {
    fn default() -> Self {
        Self { categories: 5, keys: 12_000, most_functions: 8 }
    }
}

impl Experiment for CascadeSizes {
    const ABOUT: About = About {
        name: "cascade",
        title: "Cascade",
        question: "For which k1 and k2 is a classic cascade smallest, does it pay to change them per round, and how far is it from the entropy?",
        theory: &[
            "A filter of m keys with k functions has m k / ln 2 bits and lets one stranger in 2^k pass. In each round each category has a filter of its own keys with k1 functions and \
             one of the others that pass it with k2; one in 2^k2 of its keys is left for the next round. Adding that up gives the size for any k1 and k2, or for numbers that change from \
             round to round. The report found k1 = 3 and k2 = 4 best on its data; computed for five equal categories, k1 = 2 and k2 = 3 \
             are two percent smaller, and the valley is flat.",
            "What passes a filter is binomial, so a size differs from the computed one by less than z / sqrt(keys of a category), z = 4.9 standard deviations, and by at most 16 bytes for each filter that the \
             file spends on lengths and seeds. No cascade can be smaller than the entropy of the categories; the Tamis engine comes within 1.05 of it for \
             five equal ones: 1.034 for codes of whole bits, 1.01 for the structure, and 200 bytes of header.",
        ],
        data: None,
        timed: false,
    };

    fn quick() -> Self {
        Self { keys: 1500, most_functions: 5, ..Self::default() }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        anyhow::ensure!(self.categories > 1 && self.keys > 0, "two categories at least");
        anyhow::ensure!(self.most_functions > 0, "one function at least");
        let keys = Chance::new(seed, 12).strings(self.categories * self.keys);
        let mut training = Training::new();
        for category in 0..self.categories {
            training.category(format!("category{category}"))?;
        }
        for (index, key) in keys.iter().enumerate() {
            training.insert((index % self.categories) as u32, key);
        }
        let plan = CascadePlan::new(&training.counts(), 0)?;
        let trial = Trial { keys: &keys, training: &training, plan: &plan, seed };

        let numbers = 1..=self.most_functions;
        let grid: Vec<Functions> = numbers
            .clone()
            .flat_map(|first| numbers.clone().map(move |second| Functions::One(first, second)))
            .collect();
        let mut sizes = grid
            .par_iter()
            .map(|functions| trial.build(&format!("{functions:?}"), &[*functions]))
            .collect::<Result<Vec<_>>>()?;
        let schedules = schedules()
            .par_iter()
            .map(|(name, rounds)| trial.build(name, rounds))
            .collect::<Result<Vec<_>>>()?;
        let (tamis, tamis_wrong) = trial.tamis()?;
        let mut outcome = self.outcome(&plan, &sizes, &schedules, tamis);
        sizes.extend(schedules);
        outcome.verdicts.extend(self.verdicts(&plan, &sizes, tamis, tamis_wrong));
        Ok(outcome)
    }
}

struct Trial<'a> {
    keys: &'a [Vec<u8>],
    training: &'a Training<'a>,
    plan: &'a CascadePlan,
    seed: u64,
}

/// A cascade that was built.
struct Sized {
    name: String,
    functions: Functions,
    bytes: u64,
    computed: u64,
    rounds: usize,
    /// Keys with a wrong category.
    wrong: usize,
}

impl Trial<'_> {
    fn build(&self, name: &str, rounds: &[Functions]) -> Result<Sized> {
        let cascade = self.training.build_by_round(rounds, self.seed)?;
        let mut bytes = Vec::new();
        cascade.write(&mut bytes)?;
        let categories = self.plan.counts.len();
        let is_wrong = |(index, key): &(usize, &Vec<u8>)| {
            cascade.classify(key) != self.training.name((index % categories) as u32)
        };
        Ok(Sized {
            name: name.to_owned(),
            functions: rounds[0],
            bytes: bytes.len() as u64,
            computed: self.plan.classic_bytes_by_round(rounds),
            rounds: cascade.rounds(),
            wrong: self.keys.iter().enumerate().filter(is_wrong).count(),
        })
    }

    /// Bytes of the Tamis engine, and keys with a wrong category.
    fn tamis(&self) -> Result<(u64, usize)> {
        let categories = self.plan.counts.len();
        let mut trainer = Trainer::new(KeyHash::new(self.seed));
        for category in 0..categories {
            trainer.category(self.training.name(category as u32))?;
        }
        for (index, key) in self.keys.iter().enumerate() {
            trainer.insert((index % categories) as u32, key);
        }
        let cascade = trainer.build(0)?;
        let is_wrong = |(index, key): &(usize, &Vec<u8>)| {
            cascade.classify(*key) != Answer::Unknowable((index % categories) as u32)
        };
        let wrong = self.keys.iter().enumerate().filter(is_wrong).count();
        let mut bytes = Vec::new();
        cascade.write(&mut bytes)?;
        Ok((bytes.len() as u64, wrong))
    }
}

/// Numbers of functions that change from round to round, beside those that do not.
fn schedules() -> Vec<(&'static str, Vec<Functions>)> {
    let one = |pairs: &[(u8, u8)]| pairs.iter().map(|(a, b)| Functions::One(*a, *b)).collect();
    let zero = |counts: &[u8]| counts.iter().map(|count| Functions::Zero(*count)).collect();
    vec![
        ("algorithm 1: 3,4 always", one(&[(3, 4)])),
        ("algorithm 1: 3,4 then 2,3", one(&[(3, 4), (2, 3)])),
        ("algorithm 1: 3,4 then 4,5", one(&[(3, 4), (4, 5)])),
        ("algorithm 1: 2,3 then 3,4", one(&[(2, 3), (3, 4)])),
        ("algorithm 1: 4,5 then 3,4", one(&[(4, 5), (3, 4)])),
        ("algorithm 1: 3,4 4,5 5,6 6,7", one(&[(3, 4), (4, 5), (5, 6), (6, 7)])),
        ("algorithm 0: 1 always", zero(&[1])),
        ("algorithm 0: 1 then 2", zero(&[1, 2])),
        ("algorithm 0: 2 then 1", zero(&[2, 1])),
    ]
}

impl CascadeSizes {
    fn outcome(
        &self,
        plan: &CascadePlan,
        sizes: &[Sized],
        schedules: &[Sized],
        tamis: u64,
    ) -> Outcome {
        let entropy = plan.entropy_bits() / 8.0;
        let mut table = Table::new(
            "sizes",
            "Classic cascades of algorithm 1",
            &["k1", "k2", "bytes", "computed", "of the entropy", "rounds"],
        );
        for size in sizes {
            if let Functions::One(first, second) = size.functions {
                let of = size.bytes as f64 / entropy;
                table.push(row![first, second, size.bytes, size.computed, of, size.rounds]);
            }
        }
        let mut rounds = Table::new(
            "rounds",
            "Functions changed per round, and the Tamis engine",
            &["cascade", "bytes", "computed", "of the entropy", "rounds"],
        );
        for size in schedules {
            let of = size.bytes as f64 / entropy;
            rounds.push(row![size.name.as_str(), size.bytes, size.computed, of, size.rounds]);
        }
        let computed = plan.bytes();
        rounds.push(row!["tamis", tamis, computed, tamis as f64 / entropy, 1usize]);
        let least = entropy.ceil() as u64;
        rounds.push(row!["entropy", least, least, 1.0, 0usize]);

        let most = usize::from(self.most_functions);
        let ratio = |size: &Sized| size.bytes as f64 / entropy;
        let values: Vec<Vec<f64>> =
            sizes.chunks(most).map(|row| row.iter().map(ratio).collect()).collect();
        let best = (0..sizes.len()).min_by_key(|index| sizes[*index].bytes).unwrap_or(0);
        let labels: Vec<String> = (1..=most).map(|number| number.to_string()).collect();
        let heat = Heat {
            rows: values,
            columns: labels.clone(),
            names: labels,
            range: (2.0, 6.0),
            decimals: Some(2),
            marked: Some((best / most, best % most)),
        };
        let bars = |values: Vec<f64>| (1u32..).zip(values).map(|(x, y)| (f64::from(x), y));
        let all: Vec<f64> = schedules.iter().map(ratio).chain([tamis as f64 / entropy]).collect();
        let count = all.len() as f64;
        let chart = Chart::new(vec![
            Panel::heat("Bytes / entropy of algorithm 1", "k2", "k1", heat),
            Panel::new(
                "Functions changed per round, in the order of the table",
                Axis::linear("row of the table; the last one is Tamis").from_to(0.4, count + 0.6),
                Axis::linear("bytes / entropy").from_to(0.0, 5.0),
                vec![
                    Series::new("cascades", Mark::Bars(0.7), 0, bars(all)),
                    Series::new("entropy", Mark::Dashed, 6, [(0.4, 1.0), (count + 0.6, 1.0)]),
                ],
            ),
        ]);
        let findings = Findings { tables: vec![table, rounds], chart };
        Outcome { findings, verdicts: Vec::new(), timings: None }
    }

    fn verdicts(
        &self,
        plan: &CascadePlan,
        sizes: &[Sized],
        tamis: u64,
        tamis_wrong: usize,
    ) -> Vec<Verdict> {
        let wrong: usize = sizes.iter().map(|size| size.wrong).sum::<usize>() + tamis_wrong;
        let part = deviations(ALARM) / (self.keys as f64).sqrt();
        let file = |size: &Sized| 16.0 * (2 * self.categories * size.rounds) as f64 + 100.0;
        let off = |size: &Sized| (size.bytes as f64 - size.computed as f64).abs();
        let within = |size: &&Sized| off(size) <= part * size.computed as f64 + file(size);
        let right = sizes.iter().filter(within).count();
        let furthest =
            sizes.iter().map(|size| off(size) / size.computed as f64).fold(0.0, f64::max);

        let of_one = || sizes.iter().filter(|size| matches!(size.functions, Functions::One(..)));
        let grid = || of_one().filter(|size| size.name.starts_with("One"));
        let found = grid().min_by_key(|size| size.bytes);
        let expected = grid().min_by_key(|size| size.computed);
        let (Some(found), Some(expected)) = (found, expected) else { return Vec::new() };
        // Both sizes of a comparison vary; all keys together decide.
        let alike = deviations(ALARM) * 2f64.sqrt() / ((self.categories * self.keys) as f64).sqrt();
        let name = |size: &Sized| match size.functions {
            Functions::One(first, second) => format!("k1 = {first}, k2 = {second}"),
            Functions::Zero(count) => format!("k = {count}"),
        };
        let entropy = plan.entropy_bits() / 8.0;
        let least = 1.05 * entropy + 1000.0;
        let steady = sizes.iter().find(|size| size.name == "algorithm 1: 3,4 always");
        let steady = steady.map_or(0, |size| size.bytes) as f64;
        let changed = of_one().filter(|size| size.name.contains("then")).map(|size| size.bytes);
        let changed = changed.min().unwrap_or(0) as f64;
        vec![
            Verdict::new("every key has its category in every cascade")
                .expected("0 wrong")
                .measured(format!("{wrong} wrong in {} cascades", sizes.len() + 1))
                .tolerance("none")
                .holds(wrong == 0),
            Verdict::new("sizes are as computed")
                .expected(format!("all {}", sizes.len()))
                .measured(format!("{right}, {} % off at most", significant(100.0 * furthest)))
                .tolerance(format!("{:.1} % and 16 bytes for each filter", 100.0 * part))
                .holds(right == sizes.len()),
            Verdict::new("the smallest cascade is the one that is computed")
                .expected(name(expected))
                .measured(name(found))
                .tolerance(format!("any within {:.1} % of the least", 100.0 * alike))
                .holds(found.computed as f64 <= expected.computed as f64 * (1.0 + alike)),
            Verdict::new("changing the functions per round gains little")
                .expected("less than 5 % against 3 and 4 always")
                .measured(format!("{:.1} %", 100.0 * (1.0 - changed / steady)))
                .tolerance(format!("{:.1} %", 100.0 * alike))
                .holds(1.0 - changed / steady < 0.05 + alike),
            Verdict::new("the Tamis engine is near the entropy")
                .expected(format!("at most 1.05 of {} bytes", grouped(entropy.ceil() as u64)))
                .measured(significant(tamis as f64 / entropy))
                .tolerance("1,000 bytes of header and padding")
                .holds(tamis as f64 <= least),
        ]
    }
}
