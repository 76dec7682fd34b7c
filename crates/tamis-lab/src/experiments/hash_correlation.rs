//! Does one function of a key say anything about another?

use super::hashes::{Subject, subjects};
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
use tamis::hash::Functions;

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HashCorrelation {
    /// How many functions.
    pub functions: usize,
    /// No two of them may correlate by more than this; it says how many strings are needed.
    pub limit: f64,
}

impl Default for HashCorrelation {
    fn default() -> Self {
        Self { functions: 100, limit: 0.01 }
    }
}

impl Experiment for HashCorrelation {
    const ABOUT: About = About {
        name: "hash-correlation",
        title: "Hash correlation",
        question: "Are functions 1 to 100 of a string uncorrelated, each with each?",
        theory: &[
            "Pearson's r of two independent functions over N strings is 0 on average with a standard deviation of 1 / sqrt(N). Of the 4,950 \
             pairs among 100 functions the largest |r| is about 4 / sqrt(N): with 100,000 strings it is near 0.0125, and a limit of 0.01 would \
             fail although nothing is wrong.",
            "To have all of them under 0.01 but for one run in a million, N = (z / 0.01)^2 strings are needed, where z is the number of \
             standard deviations that a normal number exceeds with probability 10^-6 / 4,950: z = 6.36, N = 404,000.",
        ],
        data: None,
        timed: false,
    };

    fn quick() -> Self {
        Self { functions: 24, limit: 0.03 }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        anyhow::ensure!(self.functions > 1, "two functions at least can correlate");
        anyhow::ensure!(self.limit > 0.001 && self.limit < 1.0, "a limit lies from 0.001 to 1");
        Ok(self.examine(seed, &subjects(seed)))
    }
}

/// Functions in a cell of the heat map.
const CELL: usize = 4;

impl HashCorrelation {
    /// How many strings are needed for the limit.
    #[must_use]
    pub fn strings(&self) -> usize {
        (self.deviations() / self.limit).powi(2).ceil() as usize
    }

    fn deviations(&self) -> f64 {
        deviations(ALARM / (self.functions * (self.functions - 1) / 2) as f64)
    }

    /// Examines these hashes.
    #[must_use]
    pub fn examine(&self, seed: u64, subjects: &[Subject]) -> Outcome {
        let needed = self.strings();
        let strings = Chance::new(seed, 2).strings(needed);
        let steps = steps(needed);
        let mut growing = Table::new(
            "growing",
            "The largest |r| of all pairs with so many strings",
            &["hash", "strings", "largest |r|"],
        );
        let mut by_distance = Table::new(
            "distances",
            "The largest |r| of functions that are so far apart",
            &["hash", "distance", "largest |r|"],
        );
        let mut panels = Vec::new();
        let mut lines = Vec::new();
        let mut verdicts = Vec::new();
        for (colour, subject) in subjects.iter().enumerate() {
            let name = subject.hash.name();
            let mut sums = Sums::new(self.functions);
            let mut points = Vec::new();
            let mut done = 0;
            for &step in &steps {
                sums.add(subject, &strings[done..step]);
                done = step;
                let largest = largest(&sums.correlations());
                growing.push(row![name, step, largest]);
                points.push((step as f64, largest));
            }
            let matrix = sums.correlations();
            for distance in 1..self.functions {
                let apart = (distance..self.functions).map(|i| matrix[i][i - distance].abs());
                by_distance.push(row![name, distance, apart.fold(0.0, f64::max)]);
            }
            panels.push(self.heat(name, &matrix));
            lines.push(Series::new(name, Mark::Points, colour, points));
            verdicts.push(self.verdict(subject, largest(&matrix), needed));
        }
        let curve = |z: f64| steps.iter().map(move |n| (*n as f64, z / (*n as f64).sqrt()));
        lines.push(Series::new("chance exceeds", Mark::Dashed, 6, curve(self.deviations())));
        panels.push(Panel::new(
            "The largest |r| of all pairs",
            Axis::logarithmic("strings"),
            Axis::logarithmic("largest |r|"),
            lines,
        ));
        let findings = Findings { tables: vec![growing, by_distance], chart: Chart::new(panels) };
        Outcome { findings, verdicts, timings: None }
    }

    fn heat(&self, name: &str, matrix: &[Vec<f64>]) -> Panel {
        let cells = self.functions.div_ceil(CELL);
        let cell = |row: usize, column: usize| {
            let mut most = 0.0f64;
            for i in row * CELL..((row + 1) * CELL).min(self.functions) {
                for j in column * CELL..((column + 1) * CELL).min(self.functions) {
                    most = if i == j { most } else { most.max(matrix[i.max(j)][i.min(j)].abs()) };
                }
            }
            most
        };
        let rows = (0..cells).map(|r| (0..cells).map(|c| cell(r, c)).collect()).collect();
        let label = |index: usize| match index % 5 {
            0 => (index * CELL + 1).to_string(),
            _ => String::new(),
        };
        let labels: Vec<String> = (0..cells).map(label).collect();
        let heat = Heat {
            rows,
            columns: labels.clone(),
            names: labels,
            range: (0.0, self.limit),
            decimals: None,
            marked: None,
        };
        let title = format!("{name}: |r|, white 0, black {} and more", self.limit);
        let axis = format!("function, largest of {CELL} x {CELL}");
        Panel::heat(title, &axis, "function", heat)
    }

    fn verdict(&self, subject: &Subject, largest: f64, strings: usize) -> Verdict {
        let name = subject.hash.name();
        let limit = self.limit;
        let verdict = if subject.is_sound {
            Verdict::new(format!("no two functions of {name} correlate"))
                .expected(format!("|r| under {limit}"))
                .holds(largest < limit)
        } else {
            Verdict::new(format!("{name} is caught"))
                .expected(format!("some |r| above {limit}"))
                .holds(largest >= limit)
        };
        let strings = grouped(strings as u64);
        verdict.measured(format!("at most {}", significant(largest))).tolerance(format!(
            "with {strings} strings chance exceeds {limit} once in a million runs"
        ))
    }
}

/// 1,000, 2,000, 4,000 and so on, and all.
fn steps(all: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(1000), |step| Some(step * 2));
    doubled.take_while(|step| *step < all).chain([all]).collect()
}

fn largest(matrix: &[Vec<f64>]) -> f64 {
    matrix.iter().flatten().map(|r| r.abs()).fold(0.0, f64::max)
}

/// Sums of values and of their products, from which correlations follow.
struct Sums {
    strings: f64,
    values: Vec<f64>,
    /// The lower half, with the diagonal.
    products: Vec<Vec<f64>>,
}

impl Sums {
    fn new(functions: usize) -> Self {
        let products = (1..=functions).map(|length| vec![0.0; length]).collect();
        Self { strings: 0.0, values: vec![0.0; functions], products }
    }

    fn add(&mut self, subject: &Subject, strings: &[Vec<u8>]) {
        const BLOCK: usize = 512;
        let functions = self.values.len();
        let mut columns = vec![[0.0f64; BLOCK]; functions];
        for block in strings.chunks(BLOCK) {
            for (index, string) in block.iter().enumerate() {
                let hash = subject.hash.hash(string);
                for (column, value) in columns.iter_mut().zip(Functions::new(hash)) {
                    // Around 0, so that sums stay small.
                    column[index] = value as f64 / 2f64.powi(64) - 0.5;
                }
            }
            let length = block.len();
            for (sum, column) in self.values.iter_mut().zip(&columns) {
                *sum += column[..length].iter().sum::<f64>();
            }
            self.products.par_iter_mut().enumerate().for_each(|(i, row)| {
                for (product, column) in row.iter_mut().zip(&columns) {
                    *product += dot(&columns[i][..length], &column[..length]);
                }
            });
        }
        self.strings += strings.len() as f64;
    }

    /// Below the diagonal.
    fn correlations(&self) -> Vec<Vec<f64>> {
        let n = self.strings;
        let covariance =
            |i: usize, j: usize| self.products[i][j] / n - self.values[i] * self.values[j] / n / n;
        let r = |i: usize, j: usize| {
            let scale = (covariance(i, i) * covariance(j, j)).sqrt();
            if scale > 0.0 { covariance(i, j) / scale } else { 1.0 }
        };
        (0..self.values.len()).map(|i| (0..i).map(|j| r(i, j)).collect()).collect()
    }
}

/// In eight sums, which the processor adds up side by side.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (left, left_rest) = left.as_chunks::<8>();
    let (right, right_rest) = right.as_chunks::<8>();
    for (a, b) in left.iter().zip(right) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}
