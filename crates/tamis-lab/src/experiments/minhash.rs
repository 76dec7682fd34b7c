//! Is the part of equal components of two signatures the similarity of the sets?

use crate::chance::Chance;
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, grouped, significant};
use crate::plot::{Axis, Chart, Mark, Panel, Series};
use crate::row;
use crate::statistics::{ALARM, chi_square_limit, count_tails, deviations};
use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tamis::hash::KeyHash;
use tamis::similar::matrix::BinaryMatrix;
use tamis::similar::{Method, Signer, jaccard, signature};

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MinHashProperty {
    /// How many rows the two random columns have.
    pub rows: usize,
    /// How many random permutations of the rows.
    pub permutations: usize,
    /// Numbers of components, `k`.
    pub components: Vec<usize>,
    /// How many members sets have.
    pub set_sizes: Vec<usize>,
    /// How similar they are.
    pub similarity: f64,
    /// How often each is repeated with other sets and functions.
    pub trials: usize,
}

impl Default for MinHashProperty {
    fn default() -> Self {
        Self {
            rows: 1000,
            permutations: 10_000,
            components: vec![16, 32, 64, 128, 256, 512, 1024],
            set_sizes: vec![100, 5000],
            similarity: 0.5,
            trials: 1000,
        }
    }
}

/// Makes the signature of a set: a seed, the number of components, and the members, ascending.
pub type Sign<'a> = dyn Fn(u64, usize, &[u64]) -> tamis::Result<Vec<u64>> + Sync + 'a;

/// A way to make signatures.
pub struct Subject<'a> {
    /// Its name in tables and legends.
    pub name: &'static str,
    /// Whether its components are independent, so that the error is known exactly.
    pub independent: bool,
    /// Signs a set.
    pub sign: &'a Sign<'a>,
}

impl Experiment for MinHashProperty {
    const ABOUT: About = About {
        name: "minhash",
        title: "MinHash property",
        question: "Is the first row of a random order equal for two sets as often as they are similar, and do signatures estimate that?",
        theory: &[
            "In a random order of the rows, the first row that either of two columns has is in both with probability J = |A and B| / |A or B|, Jaccard's \
             similarity. So the part of k permutations with equal minima is binomial: J on average, with a standard deviation of sqrt(J (1 - J) / k). Hash functions stand for permutations: \
             the classic signature takes the least value of each of k functions. The library's default, fast similarity sketching, \
             throws each member into one of k bins; its components are not independent of each other but better than that, and its error is smaller, the more so for small sets.",
            "The permutations are judged by Chernoff's bound. For signatures, the mean of T trials may be off by z standard deviations over sqrt(T), and the sum of T squared errors \
             over the variance is a chi-square of T degrees of freedom for the classic method, which may not exceed the limit that chance exceeds once in a million runs, nor be as far below; \
             for the default method it may only not exceed it. (A binomial part has lighter tails than a normal number, so that the limit is a safe one.)",
        ],
        data: None,
        timed: false,
    };

    fn quick() -> Self {
        Self {
            rows: 200,
            permutations: 1000,
            components: vec![16, 64, 256],
            set_sizes: vec![50, 500],
            trials: 60,
            ..Self::default()
        }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        let sign = |method: Method| {
            move |seed: u64, components: usize, items: &[u64]| {
                let signer = Signer::with_method(method, components)?;
                let mut signature = vec![0; components];
                signer.with_hash(KeyHash::new(seed)).sign_into(items, &mut signature);
                Ok(signature)
            }
        };
        let (classic, fast) = (sign(Method::Classic), sign(Method::Fast));
        self.examine(
            seed,
            &[
                Subject { name: "classic", independent: true, sign: &classic },
                Subject { name: "fast", independent: false, sign: &fast },
            ],
        )
    }
}

/// The errors of many estimates.
struct Errors {
    bias: f64,
    mean_square: f64,
}

impl MinHashProperty {
    /// Examines these ways to make signatures.
    ///
    /// # Errors
    /// Numbers of components that are refused.
    pub fn examine(&self, seed: u64, subjects: &[Subject<'_>]) -> Result<Outcome> {
        anyhow::ensure!(self.trials > 1 && self.rows > 1, "two at least");
        anyhow::ensure!(
            self.similarity > 0.0 && self.similarity < 1.0,
            "a similarity is between 0 and 1"
        );
        let (permutations, first_panel, first_verdict) = self.permute(seed);
        let mut table = Table::new(
            "errors",
            "Errors of the estimated similarity",
            &["method", "members", "components", "mean error", "standard error", "theory", "ratio"],
        );
        let mut panels = vec![first_panel];
        let mut verdicts = vec![first_verdict];
        let tests = self.set_sizes.len() * self.components.len() * subjects.len();
        for &size in &self.set_sizes {
            let pairs: Vec<(Vec<u64>, Vec<u64>)> = (0..self.trials as u64)
                .map(|trial| sets(size, self.similarity, &mut Chance::new(seed, 100_000 + trial)))
                .collect();
            let truth = jaccard::similarity(&pairs[0].0, &pairs[0].1);
            let mut series = Vec::new();
            for (colour, subject) in subjects.iter().enumerate() {
                let mut verdict = Summary::new(subject, size);
                let mut points = Vec::new();
                for &components in &self.components {
                    let errors = self.errors(seed, subject, components, &pairs)?;
                    let theory = (truth * (1.0 - truth) / components as f64).sqrt();
                    let standard = errors.mean_square.sqrt();
                    table.push(row![
                        subject.name,
                        size,
                        components,
                        errors.bias,
                        standard,
                        theory,
                        standard / theory
                    ]);
                    points.push((components as f64, standard));
                    verdict.add(&errors, theory, self.trials as f64, tests as f64);
                }
                series.push(Series::new(subject.name, Mark::Points, colour, points));
                verdicts.extend(verdict.finish());
            }
            let theory = self.components.iter();
            let theory = theory.map(|k| (*k as f64, (truth * (1.0 - truth) / *k as f64).sqrt()));
            series.push(Series::new("sqrt(J (1 - J) / k)", Mark::Line, 6, theory));
            panels.push(Panel::new(
                format!("Sets of {} members, J = {truth:.3}", grouped(size as u64)),
                Axis::logarithmic("components k"),
                Axis::logarithmic("standard error of the estimate"),
                series,
            ));
        }
        let findings = Findings { tables: vec![table, permutations], chart: Chart::new(panels) };
        Ok(Outcome { findings, verdicts, timings: None })
    }

    /// Two random columns under growing numbers of random permutations.
    fn permute(&self, seed: u64) -> (Table, Panel, Verdict) {
        let mut chance = Chance::new(seed, 10);
        let rows: Vec<[u8; 2]> =
            (0..self.rows).map(|_| [chance.below(2) as u8, chance.below(2) as u8]).collect();
        let rows: Vec<&[u8]> = rows.iter().map(<[u8; 2]>::as_slice).collect();
        let matrix = BinaryMatrix::from_rows(&rows);
        let truth = matrix.similarity(0, 1);
        let mut table = Table::new(
            "permutations",
            "Equal minima under random permutations",
            &["permutations", "equal", "estimate", "similarity"],
        );
        let mut order: Vec<usize> = (1..=self.rows).collect();
        let mut equal = 0;
        let mut points = Vec::new();
        for done in 1..=self.permutations {
            chance.shuffle(&mut order);
            equal += usize::from(matrix.minimum(0, &order) == matrix.minimum(1, &order));
            // Ten points to a decade.
            let decade = (10.0 * (done as f64).log10()).floor();
            if decade > (10.0 * ((done - 1) as f64).log10()).floor() || done == self.permutations {
                let estimate = equal as f64 / done as f64;
                table.push(row![done, equal, estimate, truth]);
                points.push((done as f64, estimate));
            }
        }
        let z = deviations(0.05);
        let off = |k: f64| z * (truth * (1.0 - truth) / k).sqrt();
        let upper = points.iter().map(|(k, _)| (*k, (truth + off(*k)).min(1.0)));
        let lower = points.iter().map(|(k, _)| (truth - off(*k)).max(0.0)).collect();
        let panel = Panel::new(
            "Two random columns, random permutations",
            Axis::logarithmic("permutations"),
            Axis::linear("part with equal minima").from_to(0.0, 1.0),
            vec![
                Series::new("19 of 20 times", Mark::Band(lower), 6, upper),
                Series::new("similarity", Mark::Dashed, 6, points.iter().map(|(k, _)| (*k, truth))),
                Series::new("measured", Mark::Points, 0, points.clone()),
            ],
        );
        let verdict = Verdict::new(
            "minima under random permutations are equal as often as the columns are similar",
        )
        .expected(format!("{truth:.4}"))
        .measured(format!("{:.4}", equal as f64 / self.permutations as f64))
        .tolerance(format!(
            "Chernoff's bound for {} permutations, one false alarm in a million runs",
            grouped(self.permutations as u64)
        ))
        .holds(count_tails(equal as u64, self.permutations as u64, truth) >= ALARM);
        (table, panel, verdict)
    }

    fn errors(
        &self,
        seed: u64,
        subject: &Subject<'_>,
        components: usize,
        pairs: &[(Vec<u64>, Vec<u64>)],
    ) -> Result<Errors> {
        let errors = pairs
            .par_iter()
            .enumerate()
            .map(|(trial, (left, right))| {
                let own = Chance::new(seed, 200_000 + trial as u64).number();
                let a = (subject.sign)(own, components, left)?;
                let b = (subject.sign)(own, components, right)?;
                let estimate = signature::equal(&a, &b) as f64 / components as f64;
                Ok(estimate - jaccard::similarity(left, right))
            })
            .collect::<Result<Vec<f64>>>()?;
        let count = errors.len() as f64;
        Ok(Errors {
            bias: errors.iter().sum::<f64>() / count,
            mean_square: errors.iter().map(|error| error * error).sum::<f64>() / count,
        })
    }
}

/// Two sets of so many random members, nearly so similar: `c` in common gives `J = c / (2 n - c)`.
fn sets(size: usize, similarity: f64, chance: &mut Chance) -> (Vec<u64>, Vec<u64>) {
    let common = (2.0 * size as f64 * similarity / (1.0 + similarity)).round() as usize;
    let shared = chance.numbers(common);
    let mut with = |own: usize| {
        let mut set = shared.clone();
        set.extend(chance.numbers(own));
        set.sort_unstable();
        set
    };
    (with(size - common), with(size - common))
}

/// What is judged about a method on sets of one size.
struct Summary<'a> {
    subject: &'a Subject<'a>,
    size: usize,
    /// The largest mean error, in its standard deviations, and how many are allowed.
    bias: (f64, f64),
    /// The least and the largest ratio of standard errors, and what is allowed.
    ratios: (f64, f64),
    limits: (f64, f64),
}

impl<'a> Summary<'a> {
    fn new(subject: &'a Subject<'a>, size: usize) -> Self {
        let ratios = (f64::INFINITY, 0.0);
        Self { subject, size, bias: (0.0, 0.0), ratios, limits: (0.0, 0.0) }
    }

    fn add(&mut self, errors: &Errors, theory: f64, trials: f64, tests: f64) {
        let off = errors.bias.abs() * trials.sqrt() / theory;
        self.bias = (self.bias.0.max(off), deviations(ALARM / tests));
        let ratio = errors.mean_square.sqrt() / theory;
        self.ratios = (self.ratios.0.min(ratio), self.ratios.1.max(ratio));
        let limit = |probability: f64| (chi_square_limit(trials, probability) / trials).sqrt();
        let alarm = ALARM / tests;
        let low = if self.subject.independent { limit(1.0 - alarm) } else { 0.0 };
        self.limits = (low, limit(alarm));
    }

    fn finish(&self) -> [Verdict; 2] {
        let (name, size) = (self.subject.name, grouped(self.size as u64));
        let (low, high) = self.limits;
        let expected = if self.subject.independent { "1" } else { "at most 1" };
        [
            Verdict::new(format!("{name} signatures of {size} members are right on average"))
                .expected("a mean error of 0")
                .measured(format!(
                    "{} of its standard deviations at most",
                    significant(self.bias.0)
                ))
                .tolerance(format!("{:.1}, one false alarm in a million runs", self.bias.1))
                .holds(self.bias.0 <= self.bias.1),
            Verdict::new(format!(
                "the error of {name} signatures of {size} members, over sqrt(J (1 - J) / k)"
            ))
            .expected(expected)
            .measured(format!("{:.3} to {:.3}", self.ratios.0, self.ratios.1))
            .tolerance(format!(
                "from {low:.3} to {high:.3}: chi-square, one false alarm in a million runs"
            ))
            .holds(self.ratios.0 >= low && self.ratios.1 <= high),
        ]
    }
}
