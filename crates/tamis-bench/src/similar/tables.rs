//! The findings as text.

use super::Findings;
use super::accuracy::SEEDS;
use super::pairs::THRESHOLDS;
use crate::bar;
use crate::report::Table;
use std::fmt::Write as _;

/// All tables and the claims.
pub(crate) fn render(findings: &Findings) -> String {
    let mut text = format!(
        "{}, {} cores. {} texts, {:.1} MB, sets of word 3-shingles; one thread each.\n",
        findings.machine.processor,
        findings.machine.cores,
        findings.texts,
        findings.bytes as f64 / 1e6,
    );
    let _ = write!(text, "\nText to signature, MB/s, best (median)\n{}", speeds(findings));
    let _ = write!(
        text,
        "\nError as a part of that of independent functions, and mean error; {SEEDS} seeds\n{}",
        accuracies(findings)
    );
    for threshold in THRESHOLDS {
        let table = searches(findings, threshold);
        let _ = write!(text, "\nAll pairs at {threshold}\n{table}");
    }
    let _ = write!(text, "\nBars\n{}", bar::table(&findings.bars));
    text
}

fn speeds(findings: &Findings) -> String {
    let mut table = Table::new(["", "k", "MB/s", ""]);
    for row in &findings.speeds {
        let (best, median) = (format!("{:.1}", row.best), format!("({:.1})", row.median));
        table.row([row.contender.clone(), row.components.to_string(), best, median]);
    }
    table.render()
}

fn accuracies(findings: &Findings) -> String {
    let mut table = Table::new(["", "k", "sets", "pairs", "ratio", "mean error"]);
    for row in &findings.accuracies {
        table.row([
            row.contender.to_owned(),
            row.components.to_string(),
            row.sizes.name().to_owned(),
            row.pairs.to_string(),
            format!("{:.3}", row.ratio),
            format!("{:+.5}", row.mean_error),
        ]);
    }
    table.render()
}

fn searches(findings: &Findings, threshold: f64) -> String {
    let mut table = Table::new([
        "",
        "CPU s",
        "memory MB",
        "pairs",
        "precision",
        "recall",
        "copies",
        "precision",
        "recall",
    ]);
    for row in findings.searches.iter().filter(|row| row.threshold == threshold) {
        table.row([
            row.contender.to_owned(),
            format!("{:.3}", row.cpu),
            row.memory.map(|memory| format!("{memory:.0}")).unwrap_or_default(),
            if row.has_pairs { row.pairs.to_string() } else { "none told".to_owned() },
            if row.has_pairs { format!("{:.4}", row.precision) } else { String::new() },
            if row.has_pairs { format!("{:.4}", row.recall) } else { String::new() },
            row.copies.removed.to_string(),
            format!("{:.4}", row.copies.precision),
            format!("{:.4}", row.copies.recall),
        ]);
    }
    table.render()
}
