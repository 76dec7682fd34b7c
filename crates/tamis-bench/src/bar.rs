//! A claim of the project, with its limit and what was measured.

use crate::report::Table;
use serde::Serialize;

/// One claim.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Bar {
    /// What is claimed.
    pub(crate) claim: String,
    /// What it must be.
    pub(crate) limit: String,
    /// What it was.
    pub(crate) measured: String,
    /// Whether it holds; nothing if this run did not measure it.
    pub(crate) holds: Option<bool>,
}

impl Bar {
    /// The verdict in words.
    pub(crate) fn verdict(&self) -> &'static str {
        match self.holds {
            Some(true) => "holds",
            Some(false) => "falls short",
            None => "not in this run",
        }
    }
}

/// The claims as a table.
pub(crate) fn table(bars: &[Bar]) -> String {
    let mut table = Table::new(["claim", "limit", "measured", "verdict"]);
    for bar in bars {
        let verdict = bar.verdict().to_owned();
        table.row([bar.claim.clone(), bar.limit.clone(), bar.measured.clone(), verdict]);
    }
    table.render()
}
