//! Are pairs found as often as the S-curve of bands and rows says?

use crate::chance::Chance;
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, grouped};
use crate::plot::{Axis, Chart, Heat, Mark, Panel, Series};
use crate::row;
use crate::statistics::{ALARM, count_tails, count_tails_within, rate_interval};
use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tamis::hash::KeyHash;
use tamis::similar::lsh::Bands;
use tamis::similar::{Method, Signer, jaccard};

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SCurves {
    /// How many components a signature has, `k = b r`.
    pub components: usize,
    /// Rows of a band, `r`, of the curves.
    pub rows: Vec<usize>,
    /// The threshold of the ideal step.
    pub threshold: f64,
    /// Members of all sets of a pair together.
    pub members: usize,
    /// Pairs at each similarity.
    pub pairs: usize,
}

impl Default for SCurves {
    fn default() -> Self {
        let rows = vec![2, 4, 5, 10, 20];
        Self { components: 100, rows, threshold: 0.6, members: 1000, pairs: 2000 }
    }
}

impl Experiment for SCurves {
    const ABOUT: About = About {
        name: "s-curves",
        title: "S-curves of bands and rows",
        question: "With b bands of r rows, are pairs of similarity s candidates as often as 1 - (1 - s^r)^b says?",
        theory: &[
            "All r rows of a band are equal with probability s^r, and none of b bands is with probability (1 - s^r)^b. The curve 1 - (1 - s^r)^b is steepest near (1 / b)^(1 / r). \
             An ideal one would be a step at the threshold: the area under the curve below it stands for false candidates, the area above the curve beyond it for misses.",
            "Pairs of sets of known similarity are signed, each pair with functions of its own, and cut into bands. Classic signatures have independent components, so the number of candidates \
             is binomial and judged by Chernoff's bound. Components of the default method are slightly dependent, which moves the curve by less than 0.02; that is added to the \
             tolerance. Areas are computed a second time, by the trapezoid rule over 20,000 steps.",
        ],
        data: None,
        timed: false,
    };

    fn quick() -> Self {
        Self { rows: vec![2, 5, 10], members: 200, pairs: 150, ..Self::default() }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        anyhow::ensure!(
            self.rows.iter().all(|rows| (1..=self.components).contains(rows)),
            "rows are from 1 to the number of components"
        );
        let bands: Vec<Bands> = self.rows.iter().map(|rows| self.bands(*rows)).collect();
        let mut measured = Table::new(
            "candidates",
            "Candidates among pairs of known similarity",
            &["method", "bands", "rows", "similarity", "theory", "measured", "from", "to"],
        );
        let mut verdicts = Vec::new();
        let mut panels = Vec::new();
        let steps: Vec<f64> = (1..=19).map(|step| f64::from(step) / 20.0).collect();
        for (method, slack) in [(Method::Classic, 0.0), (Method::Fast, 0.02)] {
            let counts = steps
                .par_iter()
                .map(|similarity| self.candidates(seed, method, *similarity, &bands))
                .collect::<Result<Vec<_>>>()?;
            let tests = (steps.len() * bands.len()) as f64;
            let mut explained = 0;
            let mut series = vec![self.step()];
            for (index, bands) in bands.iter().enumerate() {
                let curve = bands.curve(101);
                series.push(Series::new("", Mark::Line, index, curve));
                let mut points = Vec::new();
                for (truth, found) in &counts {
                    let (found, pairs) = (found[index], self.pairs as u64);
                    let p = bands.probability(*truth);
                    let around = ((p - slack).max(0.0), (p + slack).min(1.0));
                    let tail = match slack {
                        0.0 => count_tails(found, pairs, p),
                        _ => count_tails_within(found, pairs, around),
                    };
                    explained += usize::from(tail >= ALARM / tests);
                    let part = found as f64 / pairs as f64;
                    let (low, high) = rate_interval(found, pairs, ALARM);
                    let name = method.name();
                    measured.push(row![name, bands.bands, bands.rows, *truth, p, part, low, high]);
                    points.push((*truth, part));
                }
                let name = format!("{} x {}", bands.bands, bands.rows);
                series.push(Series::new(name, Mark::Points, index, points));
            }
            let name = method.name();
            panels.push(Panel::new(
                format!("Candidates by {name} signatures, bands x rows"),
                Axis::linear("similarity of a pair").from_to(0.0, 1.0),
                Axis::linear("part of pairs that are candidates").from_to(0.0, 1.02),
                series,
            ));
            let slack = if slack > 0.0 { format!("{slack} and ") } else { String::new() };
            verdicts.push(
                Verdict::new(format!("candidates by {name} signatures lie on the curves"))
                    .expected(format!("all {tests} counts explained"))
                    .measured(format!("{explained}"))
                    .tolerance(format!("{slack}Chernoff's bound for {} pairs each, one false alarm in a million runs", grouped(self.pairs as u64)))
                    .holds(explained as f64 == tests),
            );
        }
        let (areas, verdict) = self.areas();
        verdicts.push(verdict);
        panels.push(self.grid());
        let findings = Findings { tables: vec![measured, areas], chart: Chart::new(panels) };
        Ok(Outcome { findings, verdicts, timings: None })
    }
}

impl SCurves {
    const fn bands(&self, rows: usize) -> Bands {
        Bands { bands: self.components / rows, rows }
    }

    fn step(&self) -> Series {
        let at = self.threshold;
        let step = [(0.0, 0.0), (at, 0.0), (at, 1.0), (1.0, 1.0)];
        Series::new("ideal", Mark::Dashed, 6, step)
    }

    /// How many of the pairs of nearly this similarity are candidates with each choice of bands.
    fn candidates(
        &self,
        seed: u64,
        method: Method,
        similarity: f64,
        bands: &[Bands],
    ) -> Result<(f64, Vec<u64>)> {
        let common = (similarity * self.members as f64).round() as usize;
        let half = (self.members - common) / 2;
        let mut found = vec![0; bands.len()];
        let mut truth = 0.0;
        let signer = Signer::with_method(method, self.components)?;
        let mut signatures = [vec![0; self.components], vec![0; self.components]];
        for pair in 0..self.pairs as u64 {
            let mut chance = Chance::new(seed, 300_000 + pair * 1000 + common as u64);
            let shared = chance.numbers(common);
            let signer = signer.with_hash(KeyHash::new(chance.number()));
            let mut sets: [Vec<u64>; 2] = [shared.clone(), shared];
            for (set, signature) in sets.iter_mut().zip(&mut signatures) {
                set.extend(chance.numbers(half));
                set.sort_unstable();
                signer.sign_into(set, signature);
            }
            truth = jaccard::similarity(&sets[0], &sets[1]);
            for (found, bands) in found.iter_mut().zip(bands) {
                let mut both = bands.hashes(&signatures[0]).zip(bands.hashes(&signatures[1]));
                *found += u64::from(both.any(|(left, right)| left == right));
            }
        }
        Ok((truth, found))
    }

    /// Areas of false candidates and misses, by the library and a second time here.
    fn areas(&self) -> (Table, Verdict) {
        let mut table = Table::new(
            "areas",
            format!("Areas at a threshold of {}", self.threshold),
            &["bands", "rows", "steepest near", "false candidates", "misses"],
        );
        let mut off = 0.0f64;
        let mut best = (f64::INFINITY, 0);
        for rows in 1..=self.components / 4 {
            let bands = self.bands(rows);
            let (below, above) = bands.areas(self.threshold);
            let steepest = (1.0 / bands.bands as f64).powf(1.0 / rows as f64);
            table.push(row![bands.bands, rows, steepest, below, above]);
            let again = trapezoid(0.0, self.threshold, |s| bands.probability(s));
            let beyond = trapezoid(self.threshold, 1.0, |s| 1.0 - bands.probability(s));
            off = off.max((below - again).abs()).max((above - beyond).abs());
            if again + beyond < best.0 {
                best = (again + beyond, rows);
            }
        }
        let chosen = Bands::for_trade_off(self.components, self.threshold, 0.5);
        let chosen = chosen.map_or(0, |bands| bands.rows);
        let verdict =
            Verdict::new("areas are right, and the best trade-off is the one that is chosen")
                .expected(format!("{} rows", best.1))
                .measured(format!("{chosen} rows, areas off by {off:.1e}"))
                .tolerance("0.00001: the steps of the sums")
                .holds(chosen == best.1 && off < 1e-5);
        (table, verdict)
    }

    /// Both areas together over a grid of bands and rows.
    fn grid(&self) -> Panel {
        let bands: Vec<usize> = vec![5, 10, 20, 40, 80, 160];
        let rows: Vec<usize> = (1..=10).collect();
        let cell = |rows: usize, bands: usize| {
            let (below, above) = Bands { bands, rows }.areas(self.threshold);
            below + above
        };
        let values: Vec<Vec<f64>> =
            rows.iter().map(|r| bands.iter().map(|b| cell(*r, *b)).collect()).collect();
        let cells = values
            .iter()
            .enumerate()
            .flat_map(|(r, row)| row.iter().enumerate().map(move |(c, v)| (*v, r, c)));
        let least = cells.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, r, c)| (r, c));
        let heat = Heat {
            rows: values,
            columns: bands.iter().map(ToString::to_string).collect(),
            names: rows.iter().map(ToString::to_string).collect(),
            range: (0.0, 0.6),
            decimals: Some(3),
            marked: least,
        };
        let title = format!("False candidates + misses at {}", self.threshold);
        Panel::heat(title, "bands", "rows", heat)
    }
}

fn trapezoid(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    const STEPS: u32 = 20_000;
    let step = (to - from) / f64::from(STEPS);
    let inner: f64 = (1..STEPS).map(|index| f(from + f64::from(index) * step)).sum();
    (inner + 0.5 * (f(from) + f(to))) * step
}
