//! All experiments on one page that needs nothing else: contents, verdicts, plots, tables, versions and seeds.
//!
//! Plots are inline SVG, a panel each, so that a phone shows them one below the other. No script is needed; long tables are
//! folded.

mod page;

pub use page::html;

use crate::ENTRIES;
use crate::experiment::{Record, Request};
use crate::files;
use anyhow::{Context, Result};
use rayon::prelude::*;
use std::path::Path;

/// Runs all experiments: those that measure no time side by side, then the others one by one, so that nothing disturbs
/// their times. `request` says what is asked of the one of this name; `done` is told of each that has ended.
///
/// # Errors
/// The first experiment that cannot be run.
pub fn run(
    request: &(dyn Fn(&str) -> Request + Sync),
    done: &(dyn Fn(&Record) + Sync),
) -> Result<Vec<Record>> {
    let one = |entry: &'static crate::experiment::Entry| {
        let record = entry.run(&request(entry.about.name))?;
        done(&record);
        Ok(record)
    };
    let (timed, untimed): (Vec<_>, Vec<_>) = ENTRIES.iter().partition(|entry| entry.about.timed);
    let mut records = untimed.into_par_iter().map(one).collect::<Result<Vec<Record>>>()?;
    for entry in timed {
        records.push(one(entry)?);
    }
    let place =
        |record: &Record| ENTRIES.iter().position(|entry| entry.about.name == record.about.name);
    records.sort_by_key(place);
    Ok(records)
}

/// Writes `report.html` and the files of every record into a folder, which is made.
///
/// # Errors
/// A file that cannot be written.
pub fn write(records: &[Record], folder: &Path) -> Result<()> {
    for record in records {
        files::write(record, folder)?;
    }
    let path = folder.join("report.html");
    std::fs::write(&path, html(records)?)
        .with_context(|| format!("cannot write {}", path.display()))
}
