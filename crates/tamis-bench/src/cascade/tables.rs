//! The findings as text.

use super::Findings;
use super::contender::COMP_VFUNC;
use super::grid::{self, MOST};
use super::trial::Trial;
use crate::bar;
use crate::report::Table;
use crate::timing::Times;
use std::fmt::Write as _;

/// All tables and the claims.
pub(crate) fn render(findings: &Findings) -> String {
    let mut text = format!(
        "{}, {} cores. Keys are texts of 12 to 20 characters, and hashing them is part of every lookup.\n\
         Nanoseconds per key, best (median), in random order; memory is that of the training, above the keys'.\n",
        findings.machine.processor, findings.machine.cores
    );
    for absent in &findings.left_out {
        let _ = writeln!(text, "Without {absent}.");
    }
    for set in &findings.sets {
        let rows = findings.trials.iter().filter(|row| row.set == set.name);
        let rows: Vec<&Trial> = rows.collect();
        let Some(first) = rows.first() else { continue };
        let part = match first.scale {
            scale if scale < 1.0 => format!(", {scale} of it"),
            _ => String::new(),
        };
        let _ = write!(
            text,
            "\n{}: {}{part}, n H = {:.0} bytes\n{}",
            set.name,
            set.about,
            first.bound,
            trials(&rows)
        );
    }
    if !findings.grid.is_empty() {
        let _ = write!(text, "\nClassic cascade, algorithm 1, on E: bytes by functions\n");
        text += &functions(findings);
    }
    if !findings.filters.is_empty() {
        let _ = write!(text, "\nStatic filters, 64-bit integers\n{}", filters(findings));
    }
    let _ = write!(text, "\nBars\n{}", bar::table(&findings.bars));
    text
}

fn times(times: Times) -> [String; 2] {
    [format!("{:.1}", times.best), format!("({:.1})", times.median)]
}

fn trials(rows: &[&Trial]) -> String {
    let mut table = Table::new([
        "",
        "bytes",
        "/ n H",
        "CPU s",
        "wall s",
        "MB",
        "errors",
        "single",
        "",
        "batched",
        "",
        "/ CompVFunc",
    ]);
    let base = rows.iter().find(|row| row.contender == COMP_VFUNC).map(|row| row.single.best);
    for row in rows {
        let mut cells = vec![
            row.contender.clone(),
            row.bytes.to_string(),
            format!("{:.4}", row.ratio()),
            format!("{:.2}", row.cpu),
            format!("{:.2}", row.wall),
            row.memory.map(|memory| format!("{memory:.0}")).unwrap_or_default(),
            row.errors.to_string(),
        ];
        cells.extend(times(row.single));
        cells.extend(row.batched.map(times).unwrap_or_default());
        cells.push(base.map(|base| format!("{:.2}", row.single.best / base)).unwrap_or_default());
        table.row(cells);
    }
    table.render()
}

/// A row for each number of functions of the first filter, a column for each of the second.
fn functions(findings: &Findings) -> String {
    let mut table = Table::new(["first, second", "1", "2", "3", "4", "5", "6", "7", "8"]);
    for first in 1..=MOST {
        let row = findings.grid.iter().filter(|cell| cell.first == first);
        let cells = std::iter::once(first.to_string());
        table.row(cells.chain(row.map(|cell| cell.bytes.to_string())));
    }
    let mut text = table.render();
    if let Some(least) = grid::least(&findings.grid) {
        let _ = writeln!(
            text,
            "The smallest file has {} and {} functions: {} bytes.",
            least.first, least.second, least.bytes
        );
    }
    text
}

fn filters(findings: &Findings) -> String {
    let mut table = Table::new([
        "",
        "keys",
        "rate %",
        "measured %",
        "bits/key",
        "/ log2(1/p)",
        "build",
        "positive",
        "",
        "negative",
        "",
    ]);
    for row in &findings.filters {
        let mut cells = vec![
            row.contender.to_owned(),
            row.keys.to_string(),
            format!("{:.3e}", 100.0 * row.requested),
            format!("{:.3e}", 100.0 * row.measured),
            format!("{:.3}", row.bits_per_key),
            format!("{:.4}", row.ratio()),
            format!("{:.1}", row.build),
        ];
        cells.extend(times(row.positive));
        cells.extend(times(row.negative));
        table.row(cells);
    }
    table.render()
}
