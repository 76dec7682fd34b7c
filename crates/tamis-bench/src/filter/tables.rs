//! The findings as text.

use super::Findings;
use super::bars::{Speeds, short};
use super::speed::Speed;
use crate::bar;
use crate::report::Table;
use crate::timing::Times;
use std::fmt::Write as _;

/// With whom a contender is compared in the tables: the peer that the claims name.
fn rival(contender: &str) -> Option<&'static str> {
    match contender {
        name if name.starts_with("classic") => Some("fastbloom foldhash"),
        name if name.starts_with("blocked") => Some("sbbf-rs-safe"),
        name if name.starts_with("counting") => Some("fastbloom-rs counting"),
        name if name.starts_with("concurrent") && name.ends_with("many") => Some("blocked many"),
        name if name.starts_with("concurrent") => Some("blocked"),
        _ => None,
    }
}

/// All tables and the claims.
pub(crate) fn render(findings: &Findings) -> String {
    let mut text = format!(
        "{}, {} cores. Nanoseconds per key, best (median); rates and bits at 1 %.\n\
         Ratios are of the best times, to the filter in the last column.\n",
        findings.machine.processor, findings.machine.cores
    );
    let mut rest = &findings.speeds[..];
    while let Some(first) = rest.first() {
        let same = |row: &&Speed| (row.keys, row.size) == (first.keys, first.size);
        let count = rest.iter().take_while(same).count();
        let _ = write!(text, "\n{} {}\n{}", short(first.size), first.keys, race(&rest[..count]));
        rest = &rest[count..];
    }
    let _ = write!(text, "\nMeasured false-positive rates\n{}", rates(findings));
    let _ = write!(text, "\nBars\n{}", bar::table(&findings.bars));
    text
}

fn race(rows: &[Speed]) -> String {
    let mut table = Table::new([
        "", "insert", "", "positive", "", "negative", "", "bits/key", "rate %", "ratios", "", "",
        "to",
    ]);
    let times = |times: Times| [format!("{:.1}", times.best), format!("({:.1})", times.median)];
    for row in rows {
        let mut cells = vec![row.contender.to_owned()];
        cells.extend([row.insert, row.positive, row.negative].into_iter().flat_map(times));
        cells.push(format!("{:.2}", row.bits_per_key));
        cells.push(match row.contender.starts_with("floor") {
            true => String::new(),
            false => format!("{:.3}", row.measured_rate * 100.0),
        });
        if let Some(rival) = rival(row.contender)
            && let Some(ratios) = Speeds(rows).ratios(row.keys, row.size, row.contender, rival)
        {
            cells.extend(ratios.map(|ratio| format!("{ratio:.2}")));
            cells.push(rival.to_owned());
        }
        table.row(cells);
    }
    table.render()
}

fn rates(findings: &Findings) -> String {
    let mut table = Table::new([
        "",
        "keys",
        "kind",
        "requested %",
        "measured %",
        "ratio",
        "absent keys",
        "bits/key",
    ]);
    for rate in &findings.rates {
        table.row([
            rate.contender.to_owned(),
            short(rate.size),
            rate.keys.to_owned(),
            format!("{}", rate.requested * 100.0),
            format!("{:.5}", rate.measured * 100.0),
            format!("{:.3}", rate.ratio),
            rate.absent_keys.to_string(),
            format!("{:.3}", rate.bits_per_key),
        ]);
    }
    table.render()
}
