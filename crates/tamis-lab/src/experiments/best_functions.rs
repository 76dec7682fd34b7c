//! How many functions make a filter of given size best?

use super::filters::{Maker, Theory, classic, found_strangers};
use crate::chance::Chance;
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, significant};
use crate::plot::{Axis, Chart, Mark, Panel, Series};
use crate::row;
use crate::statistics::{ALARM, deviations, rate_interval};
use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestFunctions {
    /// How many keys are inserted, `m`.
    pub keys: u64,
    /// Bits for each key, `n / m`.
    pub bits_per_key: u64,
    /// From one to so many functions, `k`.
    pub most_functions: u32,
    /// How many strangers each filter is asked for.
    pub questions: u64,
    /// How many filters are filled where theory is within a part in fifty of the least rate.
    pub filters: u64,
}

impl Default for BestFunctions {
    fn default() -> Self {
        let (keys, questions) = (1_000_000, 8_000_000);
        Self { keys, bits_per_key: 8, most_functions: 15, questions, filters: 20 }
    }
}

impl Experiment for BestFunctions {
    const ABOUT: About = About {
        name: "best-functions",
        title: "Best number of functions",
        question: "With n = 8 m bits for m keys, how many functions k give the fewest false positives?",
        theory: &[
            "After m keys with k functions each, a bit is still 0 with probability e^(-k m / n), and a stranger finds all its bits set with probability \
             p = (1 - e^(-k m / n))^k, which is least for k = (n / m) ln 2 = 5.55. Of whole numbers 6 is the best, with p = 0.02158; 5 gives \
             0.02168, half a percent more.",
            "Each measured rate is judged by Chernoff's bound around the rates that a filter's fill allows (McDiarmid's inequality), one false alarm in a \
             million runs. To tell 6 from 5, these are asked 160 million strangers in 20 filters each: their rates then have standard \
             deviations of 0.000013, and the difference of 0.0001 is five of its own. With fewer questions the verdict takes every k that chance could take for the best.",
        ],
        data: None,
        timed: false,
    };

    fn quick() -> Self {
        Self { keys: 20_000, questions: 40_000, filters: 1, ..Self::default() }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        anyhow::ensure!(self.keys > 0 && self.questions > 0 && self.filters > 0, "one at least");
        anyhow::ensure!((1..=64).contains(&self.most_functions), "a filter has 1 to 64 functions");
        self.examine(seed, &classic)
    }
}

struct Measured {
    hashes: u32,
    theory: Theory,
    found: u64,
    questions: u64,
    filters: u64,
}

impl Measured {
    fn rate(&self) -> f64 {
        self.found as f64 / self.questions as f64
    }

    /// The variance of the measured rate: that of the count and that of the filters' fill.
    fn variance(&self) -> f64 {
        let p = self.theory.rate();
        p * (1.0 - p) / self.questions as f64 + self.theory.spread().powi(2) / self.filters as f64
    }
}

impl BestFunctions {
    /// Examines the filters that `make` makes.
    ///
    /// # Errors
    /// As `make`.
    pub fn examine(&self, seed: u64, make: &Maker<'_>) -> Result<Outcome> {
        let bits = self.bits_per_key * self.keys;
        let theory = |hashes: u32| Theory::new(bits, hashes, self.keys);
        let least = |rates: &mut dyn Iterator<Item = f64>| rates.fold(f64::INFINITY, f64::min);
        let best = least(&mut (1..=self.most_functions).map(|hashes| theory(hashes).rate()));
        let tasks: Vec<(u32, u64)> = (1..=self.most_functions)
            .flat_map(|hashes| {
                let close = theory(hashes).rate() < 1.02 * best;
                (0..if close { self.filters } else { 1 }).map(move |filter| (hashes, filter))
            })
            .collect();
        let counts = tasks
            .par_iter()
            .map(|&(hashes, filter)| {
                let mut chance = Chance::new(seed, 1000 + u64::from(hashes) * 1000 + filter);
                let sizes = (self.keys, self.questions);
                let (found, _) = found_strangers(make, (bits, hashes), sizes, &mut chance)?;
                Ok((hashes, found))
            })
            .collect::<Result<Vec<_>>>()?;
        let measured: Vec<Measured> = (1..=self.most_functions)
            .map(|hashes| {
                let own = counts.iter().filter(|(of, _)| *of == hashes);
                let filters = own.clone().count() as u64;
                Measured {
                    hashes,
                    theory: theory(hashes),
                    found: own.map(|(_, found)| found).sum(),
                    questions: filters * self.questions,
                    filters,
                }
            })
            .collect();
        Ok(self.outcome(&measured))
    }

    fn outcome(&self, measured: &[Measured]) -> Outcome {
        let mut table = Table::new(
            "rates",
            format!("False positives with {} bits per key", self.bits_per_key),
            &["functions", "theory", "measured", "from", "to", "questions"],
        );
        for row in measured {
            let (low, high) = rate_interval(row.found, row.questions, ALARM);
            table.push(row![row.hashes, row.theory.rate(), row.rate(), low, high, row.questions]);
        }
        let line = |rate: fn(&Measured) -> f64| {
            measured.iter().map(move |row| (f64::from(row.hashes), rate(row)))
        };
        let panel = Panel::new(
            format!("False positives, n = {} m", self.bits_per_key),
            Axis::linear("functions k"),
            Axis::linear("part of strangers that is found"),
            vec![
                Series::new("theory", Mark::Line, 6, line(|row| row.theory.rate())),
                Series::new("measured", Mark::Points, 0, line(Measured::rate)),
            ],
        );
        let verdicts = vec![agreement(measured), self.best(measured)];
        let findings = Findings { tables: vec![table], chart: Chart::new(vec![panel]) };
        Outcome { findings, verdicts, timings: None }
    }

    fn best(&self, measured: &[Measured]) -> Verdict {
        let by = |rate: fn(&Measured) -> f64| {
            measured.iter().min_by(|a, b| rate(a).total_cmp(&rate(b))).expect("one at least")
        };
        let (expected, found) = (by(|row| row.theory.rate()), by(Measured::rate));
        // Each k is compared with the best one.
        let z = deviations(ALARM / measured.len() as f64);
        let alike: Vec<u32> = measured
            .iter()
            .filter(|row| {
                let apart = row.theory.rate() - expected.theory.rate();
                apart <= z * (row.variance() + expected.variance()).sqrt()
            })
            .map(|row| row.hashes)
            .collect();
        let names: Vec<String> = alike.iter().map(ToString::to_string).collect();
        Verdict::new("the best number of functions is (n / m) ln 2, rounded")
            .expected(expected.hashes.to_string())
            .measured(found.hashes.to_string())
            .tolerance(format!("so many questions cannot tell apart: {}", names.join(", ")))
            .holds(alike.contains(&found.hashes))
    }
}

/// Every measured rate is one that chance explains.
fn agreement(measured: &[Measured]) -> Verdict {
    let explained = |row: &&Measured| row.theory.explains(row.found, row.questions, measured.len());
    let off = |row: &Measured| (row.rate() / row.theory.rate() - 1.0).abs();
    let worst = measured.iter().max_by(|a, b| off(a).total_cmp(&off(b))).expect("one at least");
    let right = measured.iter().filter(explained).count();
    Verdict::new("every measured rate is that of theory")
        .expected(format!("{} with k = {}", significant(worst.theory.rate()), worst.hashes))
        .measured(format!(
            "{}, the furthest off; {right} of {} explained by chance",
            significant(worst.rate()),
            measured.len()
        ))
        .tolerance("Chernoff and McDiarmid, one false alarm in a million runs")
        .holds(right == measured.len())
}
