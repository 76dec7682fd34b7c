//! What does the threshold of the report's method decide, and what does the full filter do?

use super::sample_mail;
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, significant};
use crate::plot::{Axis, Chart, Mark, Panel, Series};
use crate::row;
use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tamis_mail::evaluation::{self, Options, PaperFindings, Split, ranking};

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MailThreshold {
    /// Thresholds of the report's method; 1 is taken as 0.999, which the method still accepts.
    pub thresholds: Vec<f64>,
    /// Look at the body alone: the senders of some collections give the class away.
    pub body_only: bool,
}

impl Default for MailThreshold {
    fn default() -> Self {
        let thresholds = (1..=10).map(|tenths| f64::from(tenths) / 10.0).collect();
        Self { thresholds, body_only: true }
    }
}

impl Experiment for MailThreshold {
    const ABOUT: About = About {
        name: "mail-threshold",
        title: "Mail threshold",
        question: "How much spam does the report's method find and how much wanted mail does it lose at thresholds from 0.1 to 1, beside the full filter?",
        theory: &[
            "The report's method calls a message spam if its stop-word shingles are similar to those of a learned spam, or if it has none. A higher threshold finds less and loses less: what is similar at \
             a high threshold is so at a lower one. (The bands change with the threshold, and candidates are a matter of chance: a twentieth of the messages may be out of order.) What has no shingle is lost at any threshold.",
            "The full filter gives a score, so it has a whole curve: the part of spam found for any part of wanted mail lost. Its curve should lie above every point of the report's method: at the same loss it finds at least as much, \
             but for three standard deviations of a part, 3 sqrt(q (1 - q) / spam), and one message. The sample has ten messages to judge; a collection with folders spam/training, \
             ham/testing and so on says more.",
        ],
        data: Some("a folder with spam/training, spam/testing, ham/training and ham/testing"),
        timed: false,
    };

    fn quick() -> Self {
        Self { thresholds: vec![0.1, 0.3, 0.6, 1.0], ..Self::default() }
    }

    fn run(&self, seed: u64, data: Option<&Path>) -> Result<Outcome> {
        let split = match data {
            Some(folder) => Split::read(folder)?,
            None => sample_mail::split(),
        };
        anyhow::ensure!(self.thresholds.is_sorted(), "thresholds are given in ascending order");
        let by_paper = self
            .thresholds
            .par_iter()
            .map(|threshold| {
                let threshold = threshold.min(0.999);
                Ok(evaluation::judge_by_paper(&split, threshold, self.body_only)?)
            })
            .collect::<Result<Vec<_>>>()?;
        let options = Options { body_only: self.body_only, order: seed, ..Options::default() };
        let (_, judged) =
            evaluation::train_and_test(&split.labels, &split.training, &split.testing, options)?;
        let scores: Vec<(f64, bool)> =
            judged.iter().map(|judged| (judged.judgement.score, judged.label == 1)).collect();
        Ok(self.outcome(&by_paper, &scores))
    }
}

/// Parts of the spam found and of the ham lost.
fn parts(findings: &PaperFindings) -> (f64, f64) {
    let part = |class: usize, of: usize| {
        let called =
            findings.by_sender[class] + findings.without_shingle[class] + findings.similar[class];
        called as f64 / of.max(1) as f64
    };
    (part(0, findings.tested.0), part(1, findings.tested.1))
}

impl MailThreshold {
    fn outcome(&self, by_paper: &[PaperFindings], scores: &[(f64, bool)]) -> Outcome {
        let mut table = Table::new(
            "thresholds",
            "The report's method, and the full filter where it loses as much",
            &["threshold", "spam found", "ham lost", "lost without shingle", "full filter finds"],
        );
        let mut rows = Vec::new();
        for (threshold, findings) in self.thresholds.iter().zip(by_paper) {
            let (found, lost) = parts(findings);
            let full = ranking::recall_at(scores, lost + 1e-9);
            let without = findings.without_shingle[1] as f64 / findings.tested.1.max(1) as f64;
            table.push(row![*threshold, found, lost, without, full]);
            rows.push((*threshold, found, lost, full));
        }
        let mut curve = Table::new("curve", "The full filter's curve", &["ham lost", "spam found"]);
        let ham = scores.iter().filter(|(_, spam)| !spam).count().max(1);
        let most = (ham / 5).clamp(1, 200);
        let points: Vec<(f64, f64)> = (0..=most)
            .map(|lost| lost as f64 / ham as f64)
            .map(|lost| (lost, ranking::recall_at(scores, lost + 1e-9)))
            .collect();
        points.iter().for_each(|(lost, found)| curve.push(row![*lost, *found]));
        let widest = rows.iter().map(|row| row.2).fold(most as f64 / ham as f64, f64::max);
        let chart = Chart::new(vec![
            Panel::new(
                "The report's method by its threshold",
                Axis::linear("threshold").from_to(0.0, 1.05),
                Axis::linear("part of the messages").from_to(0.0, 1.05),
                vec![
                    Series::new("spam found", Mark::Line, 0, rows.iter().map(|r| (r.0, r.1))),
                    Series::new("ham lost", Mark::Line, 1, rows.iter().map(|r| (r.0, r.2))),
                ],
            ),
            Panel::new(
                "Both methods",
                Axis::linear("part of the ham that is lost").from_to(0.0, widest * 1.05),
                Axis::linear("part of the spam that is found").from_to(0.0, 1.05),
                vec![
                    Series::new("full filter", Mark::Line, 2, points),
                    Series::new(
                        "report's method",
                        Mark::Points,
                        0,
                        rows.iter().map(|r| (r.2, r.1)),
                    ),
                ],
            ),
        ]);
        let spam = scores.len() - ham.min(scores.len());
        let verdicts = self.verdicts(&rows, spam.max(1) as f64);
        let findings = Findings { tables: vec![table, curve], chart };
        Outcome { findings, verdicts, timings: None }
    }

    fn verdicts(&self, rows: &[(f64, f64, f64, f64)], spam: f64) -> Vec<Verdict> {
        let risen = |value: fn(&(f64, f64, f64, f64)) -> f64| {
            rows.windows(2).map(|pair| value(&pair[1]) - value(&pair[0])).fold(0.0, f64::max)
        };
        let (found, lost) = (risen(|row| row.1), risen(|row| row.2));
        let short = |row: &(f64, f64, f64, f64)| {
            let chance = 3.0 * (row.1 * (1.0 - row.1) / spam).sqrt() + 1.0 / spam;
            row.1 - row.3 - chance
        };
        let behind = rows.iter().map(|row| row.1 - row.3).fold(f64::NEG_INFINITY, f64::max);
        vec![
            Verdict::new("a higher threshold finds and loses no more")
                .expected("no rise")
                .measured(format!(
                    "{} of the spam, {} of the ham at most",
                    significant(found),
                    significant(lost)
                ))
                .tolerance("0.05: bands change with the threshold")
                .holds(found <= 0.05 && lost <= 0.05),
            Verdict::new("the full filter finds at least as much where it loses as much")
                .expected("0 more at least")
                .measured(format!("{} more at least", significant(-behind)))
                .tolerance("three standard deviations, and one message")
                .holds(rows.iter().all(|row| short(row) <= 1e-9)),
        ]
    }
}
