//! Do the functions of a key fall into all intervals alike?

use super::hashes::{Subject, subjects};
use crate::chance::Chance;
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, grouped, significant};
use crate::plot::{Axis, Chart, Mark, Panel, Series};
use crate::row;
use crate::statistics::{ALARM, chi_square_limit, chi_square_tail};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tamis::hash::{Functions, reduce};

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HashDistribution {
    /// How many random strings.
    pub strings: usize,
    /// How many functions of each.
    pub functions: usize,
    /// How many intervals of equal length.
    pub intervals: usize,
}

impl Default for HashDistribution {
    fn default() -> Self {
        Self { strings: 1_000_000, functions: 10, intervals: 100 }
    }
}

impl Experiment for HashDistribution {
    const ABOUT: About = About {
        name: "hash-distribution",
        title: "Hash distribution",
        question: "Do the functions of random strings fall into all intervals equally often?",
        theory: &[
            "Random strings of 1 to 50 letters and digits, all different, are hashed; each of ten functions of the hash is \
             mapped to one of 100 intervals. A good function takes each interval with probability 1/100, so that the counts \
             O against the expected E give a chi-square, the sum of (O - E)^2 / E, of 99 degrees of freedom: 99 on average, with a \
             standard deviation of 14.",
            "A function fails if its chi-square is so large that chance exceeds it once in ten million times (one in a million for the ten \
             functions of a hash together). A hash that adds up the letters of a string must fail.",
        ],
        data: None,
        timed: false,
    };

    fn quick() -> Self {
        Self { strings: 30_000, ..Self::default() }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        Ok(self.examine(seed, &subjects(seed)))
    }
}

impl HashDistribution {
    /// Examines these hashes.
    #[must_use]
    pub fn examine(&self, seed: u64, subjects: &[Subject]) -> Outcome {
        let strings = Chance::new(seed, 1).strings(self.strings);
        let limit =
            chi_square_limit(self.intervals as f64 - 1.0, ALARM / self.functions.max(1) as f64);
        let mut chi_squares = Table::new(
            "chi-square",
            "Chi-square of each function",
            &["hash", "function", "chi-square", "p"],
        );
        let mut histograms = Table::new(
            "histograms",
            "Strings in each interval, by the worst function of each hash",
            &["hash", "function", "interval", "strings"],
        );
        let mut panels = Vec::new();
        let mut lines = Vec::new();
        let mut verdicts = Vec::new();
        for (colour, subject) in subjects.iter().enumerate() {
            let name = subject.hash.name();
            let counts = self.counts(subject, &strings);
            let values: Vec<f64> = counts.iter().map(|counts| chi_square(counts)).collect();
            for (function, value) in (1usize..).zip(&values) {
                let p = chi_square_tail(*value, self.intervals as f64 - 1.0);
                chi_squares.push(row![name, function, *value, p]);
            }
            // The worst function is shown: of a bad hash it is seen there.
            let worst = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b]));
            let worst = worst.unwrap_or(0);
            let shown: Vec<(f64, f64)> =
                (1u32..).zip(&counts[worst]).map(|(i, n)| (f64::from(i), *n as f64)).collect();
            for (interval, strings) in (1usize..).zip(&counts[worst]) {
                histograms.push(row![name, worst + 1, interval, *strings]);
            }
            let mean = self.strings as f64 / self.intervals as f64;
            let top = shown.iter().map(|(_, n)| *n).fold(1.5 * mean, f64::max);
            panels.push(Panel::new(
                format!("{name}: function {}, the worst", worst + 1),
                Axis::linear("interval").from_to(0.0, self.intervals as f64 + 1.0),
                Axis::linear("strings in the interval").from_to(0.0, top * 1.05),
                vec![Series::new("", Mark::Bars(1.0), colour, shown)],
            ));
            let points = (1u32..).zip(&values).map(|(i, value)| (f64::from(i), *value));
            lines.push(Series::new(name, Mark::Points, colour, points));
            verdicts.push(verdict(subject, &values, limit, self.intervals));
        }
        let ends = [(0.5, limit), (self.functions as f64 + 0.5, limit)];
        lines.push(Series::new("limit", Mark::Dashed, 6, ends));
        panels.push(Panel::new(
            format!("Chi-square of {} strings", grouped(self.strings as u64)),
            Axis::linear("function"),
            Axis::logarithmic("chi-square"),
            lines,
        ));
        let findings =
            Findings { tables: vec![chi_squares, histograms], chart: Chart::new(panels) };
        Outcome { findings, verdicts, timings: None }
    }

    /// For each function, strings in each interval.
    fn counts(&self, subject: &Subject, strings: &[Vec<u8>]) -> Vec<Vec<u64>> {
        let mut counts = vec![vec![0; self.intervals]; self.functions.max(1)];
        for string in strings {
            for (counts, value) in counts.iter_mut().zip(Functions::new(subject.hash.hash(string)))
            {
                counts[reduce(value, self.intervals as u64) as usize] += 1;
            }
        }
        counts
    }
}

fn chi_square(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum()
}

fn verdict(subject: &Subject, values: &[f64], limit: f64, intervals: usize) -> Verdict {
    let name = subject.hash.name();
    let largest = values.iter().copied().fold(0.0, f64::max);
    let verdict = if subject.is_sound {
        Verdict::new(format!("the functions of {name} fall into all intervals alike"))
            .expected(format!("a chi-square near {} for each", intervals - 1))
            .holds(largest <= limit)
    } else {
        Verdict::new(format!("{name} is caught"))
            .expected(format!("a chi-square above {limit:.0}"))
            .holds(largest > limit)
    };
    verdict
        .measured(format!("at most {}", significant(largest)))
        .tolerance(format!("limit {limit:.0}, which chance exceeds once in a million runs"))
}
