//! The findings as text.

use super::Findings;
use super::accuracy::Accuracy;
use super::peers::Peer;
use super::process::Cost;
use super::speed::Speed;
use crate::bar;
use crate::report::Table;
use std::fmt::Write as _;

/// All tables and the claims.
pub(crate) fn render(findings: &Findings) -> String {
    let mut text = format!(
        "{}, {} cores. {} spam and {} ham{}.\n",
        findings.machine.processor,
        findings.machine.cores,
        findings.spam,
        findings.ham,
        match (&findings.stream, findings.bodies) {
            (Some(_), _) => " judged in the order of a stream",
            (None, true) => ", bodies alone",
            (None, false) => "",
        },
    );
    if let Some(stream) = &findings.stream {
        let (plan, learned, bits) = (&stream.plan, stream.learned, stream.bits);
        let _ = writeln!(
            text,
            "{learned} learned: {plan}, the same for all. Tamis has 2^{bits} cells."
        );
    }
    for absent in &findings.left_out {
        let _ = writeln!(text, "Without {absent}.");
    }
    for division in divisions(&findings.accuracies) {
        let rows = findings.accuracies.iter().filter(|row| row.division == division);
        let rows: Vec<&Accuracy> = rows.collect();
        let judged = rows.first().map_or(0, |row| row.judged);
        let _ = write!(text, "\nAccuracy, {division}, {judged} judged\n{}", accuracies(&rows));
    }
    if findings.speeds.is_empty() {
        let _ = write!(text, "\nBars\n{}", bar::table(&findings.bars));
        return text;
    }
    let core = if findings.one_core { "on one core" } else { "on any core" };
    let _ = write!(text, "\nSpeed, {core}, as a part of bogofilter's\n{}", speeds(findings));
    let _ = write!(text, "\nMemory and store\n{}", sizes(findings));
    let _ = write!(text, "\nBars\n{}", bar::table(&findings.bars));
    text
}

/// The names of the divisions, each once.
pub(crate) fn divisions(accuracies: &[Accuracy]) -> Vec<&'static str> {
    let mut names: Vec<&str> = accuracies.iter().map(|row| row.division).collect();
    names.dedup();
    names
}

fn accuracies(rows: &[&Accuracy]) -> String {
    let mut table = Table::new([
        "in %", "1-AUC", "at 0.1", "at 0.5", "at 1", "found", "lost", "unsure", "error", "learn/s",
        "judge/s",
    ]);
    let percent = |part: f64| format!("{:.2}", 100.0 * part);
    for row in rows {
        let mut cells = vec![row.contender.to_owned(), format!("{:.4}", row.one_minus_auc_percent)];
        cells.extend(row.recall_at.map(percent));
        cells.extend([row.found, row.lost, row.unsure, row.expected_error].map(percent));
        cells.extend(
            [row.pace.learn_rate(), row.pace.judge_rate()].map(|rate| format!("{rate:.0}")),
        );
        table.row(cells);
    }
    table.render()
}

fn speeds(findings: &Findings) -> String {
    let mut table = Table::new(["", "learn/s", "", "CPU s", "check/s", "", "CPU s", "one, ms", ""]);
    let base = findings.speeds.iter().find(|row| row.contender == Peer::Bogofilter.name());
    let ratio = |own: f64, of: fn(&Speed) -> f64| {
        base.map(|base| format!("({:.2})", own / of(base))).unwrap_or_default()
    };
    let processor = |cost: Cost| cost.processor.map(|s| format!("{s:.2}")).unwrap_or_default();
    for row in &findings.speeds {
        table.row([
            row.name(),
            format!("{:.0}", row.learn_rate()),
            ratio(row.learn_rate(), Speed::learn_rate),
            processor(row.learn),
            format!("{:.0}", row.check_rate()),
            ratio(row.check_rate(), Speed::check_rate),
            processor(row.check),
            format!("{:.2}", row.one),
            ratio(row.one, |row| row.one),
        ]);
    }
    table.render()
}

fn sizes(findings: &Findings) -> String {
    let mut table = Table::new(["MB", "learn", "check", "store"]);
    let memory = |cost: Cost| cost.memory.map(|mb| format!("{mb:.1}")).unwrap_or_default();
    for row in &findings.speeds {
        let store = format!("{:.1}", row.store as f64 / 1e6);
        table.row([row.name(), memory(row.learn), memory(row.check), store]);
    }
    table.render()
}
