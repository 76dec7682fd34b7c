//! How does the error fall with the size of a filter?

use super::filters::{Theory, classic, found_strangers};
use crate::chance::Chance;
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, significant};
use crate::plot::{Axis, Chart, Mark, Panel, Series};
use crate::row;
use crate::statistics::{ALARM, rate_interval};
use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;
use std::path::Path;

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestSize {
    /// How many keys are inserted, `m`.
    pub keys: u64,
    /// Sizes go from `m` to so many times `m`, in steps of `m / 2`.
    pub most_bits_per_key: u64,
    /// How many strangers each filter is asked for.
    pub questions: u64,
}

impl Default for BestSize {
    fn default() -> Self {
        Self { keys: 1_000_000, most_bits_per_key: 10, questions: 4_000_000 }
    }
}

impl Experiment for BestSize {
    const ABOUT: About = About {
        name: "best-size",
        title: "Best size",
        question: "How do false positives fall as a filter grows from n = m to n = 10 m bits?",
        theory: &[
            "With the best number of functions, k = (n / m) ln 2 rounded, the rate is p = (1 - e^(-k m / n))^k, close to 0.6185^(n / m): each bit per \
             key divides it by 1.62, and one percent needs 9.59 bits. Rounding k costs most where n / m is small.",
            "Each measured rate is judged by Chernoff's bound around the rates that a filter's fill allows (McDiarmid's inequality); all 19 together give one false \
             alarm in a million runs.",
        ],
        data: None,
        timed: false,
    };

    fn quick() -> Self {
        Self { keys: 20_000, questions: 40_000, ..Self::default() }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        anyhow::ensure!(self.keys > 1 && self.questions > 0, "one at least");
        let halves: Vec<u64> = (2..=2 * self.most_bits_per_key.max(1)).collect();
        let sizes = halves
            .par_iter()
            .map(|&halves| {
                let bits = self.keys * halves / 2;
                let hashes = ((halves as f64 / 2.0 * LN_2).round() as u32).max(1);
                let mut chance = Chance::new(seed, 20_000 + halves);
                let sizes = (self.keys, self.questions);
                let (found, _) = found_strangers(&classic, (bits, hashes), sizes, &mut chance)?;
                Ok((halves as f64 / 2.0, hashes, Theory::new(bits, hashes, self.keys), found))
            })
            .collect::<Result<Vec<_>>>()?;

        let mut table = Table::new(
            "rates",
            "False positives by size",
            &["bits per key", "functions", "theory", "measured", "from", "to"],
        );
        let part = |found: u64| found as f64 / self.questions as f64;
        let mut right = 0;
        let mut worst = (0.0, 0.0, 0.0, 0.0);
        for (per_key, hashes, theory, found) in &sizes {
            let (low, high) = rate_interval(*found, self.questions, ALARM);
            table.push(row![*per_key, *hashes, theory.rate(), part(*found), low, high]);
            right += usize::from(theory.explains(*found, self.questions, sizes.len()));
            let off = (part(*found) / theory.rate() - 1.0).abs();
            if off >= worst.0 {
                worst = (off, *per_key, theory.rate(), part(*found));
            }
        }
        let verdict = Verdict::new("every measured rate is that of theory")
            .expected(format!("{} with {} bits per key", significant(worst.2), worst.1))
            .measured(format!(
                "{}, the furthest off; {right} of {} explained by chance",
                significant(worst.3),
                sizes.len()
            ))
            .tolerance("Chernoff and McDiarmid, one false alarm in a million runs")
            .holds(right == sizes.len());
        let ideal = sizes.iter().map(|size| (size.0, (-size.0 * LN_2 * LN_2).exp()));
        let panel = Panel::new(
            "False positives by size",
            Axis::linear("bits per key, n / m"),
            Axis::logarithmic("part of strangers that is found"),
            vec![
                Series::new("0.6185^(n / m)", Mark::Dashed, 1, ideal),
                Series::new(
                    "theory, k rounded",
                    Mark::Line,
                    6,
                    sizes.iter().map(|size| (size.0, size.2.rate())),
                ),
                Series::new(
                    "measured",
                    Mark::Points,
                    0,
                    sizes.iter().map(|size| (size.0, part(size.3))),
                ),
            ],
        );
        let findings = Findings { tables: vec![table], chart: Chart::new(vec![panel]) };
        Ok(Outcome { findings, verdicts: vec![verdict], timings: None })
    }
}
