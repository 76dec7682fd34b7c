//! What a run leaves on disk: JSON, CSV, SVG and PNG.
//!
//! `NAME.json`, `NAME.svg` and `NAME.png`; the first table is `NAME.csv`, others are `NAME.TABLE.csv`. What depends on
//! measured times is in `NAME.timings.json`, `.csv`, `.svg` and `.png`: everything else is the same for the same seed.

use crate::experiment::Record;
use crate::outcome::{Cell, Findings, Table};
use crate::plot;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::Path;

/// The version of the library that was examined.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A run as JSON, without what depends on time.
#[must_use]
pub fn json(record: &Record) -> Value {
    json!({
        "name": record.about.name,
        "title": record.about.title,
        "question": record.about.question,
        "theory": record.about.theory,
        "version": VERSION,
        "seed": record.seed,
        "parameters": record.parameters,
        "verdicts": record.outcome.verdicts,
        "tables": record.outcome.findings.tables,
    })
}

/// A table as CSV.
#[must_use]
pub fn csv(table: &Table) -> String {
    let quoted = |text: &str| match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) => quoted(text),
        Cell::Count(count) => count.to_string(),
        Cell::Number(number) => number.to_string(),
    };
    let mut text = table.columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
    text.push('\n');
    for row in &table.rows {
        text += &row.iter().map(cell).collect::<Vec<_>>().join(",");
        text.push('\n');
    }
    text
}

/// Writes everything of a run into a folder, which is made.
///
/// # Errors
/// A file that cannot be written.
pub fn write(record: &Record, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let name = record.about.name;
    write_findings(&record.outcome.findings, &json(record), folder, name)?;
    if let Some(timings) = &record.outcome.timings {
        let value = json!({
            "name": name,
            "version": VERSION,
            "seed": record.seed,
            "parameters": record.parameters,
            "tables": timings.tables,
        });
        write_findings(timings, &value, folder, &format!("{name}.timings"))?;
    }
    Ok(())
}

fn write_findings(findings: &Findings, value: &Value, folder: &Path, name: &str) -> Result<()> {
    let write = |name: String, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    write(format!("{name}.json"), format!("{}\n", serde_json::to_string_pretty(value)?))?;
    for (index, table) in findings.tables.iter().enumerate() {
        let name = match index {
            0 => format!("{name}.csv"),
            _ => format!("{name}.{}.csv", table.name),
        };
        write(name, csv(table))?;
    }
    if !findings.chart.panels.is_empty() {
        plot::save(&findings.chart, folder, name)?;
    }
    Ok(())
}
