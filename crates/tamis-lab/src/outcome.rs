//! What an experiment has found: tables, a chart, and verdicts.

use crate::plot::Chart;
use serde::Serialize;
use std::fmt;

/// A value in a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A name.
    Text(String),
    /// A number of things.
    Count(u64),
    /// A measured or computed number.
    Number(f64),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<u8> for Cell {
    fn from(count: u8) -> Self {
        Self::Count(u64::from(count))
    }
}

impl From<u32> for Cell {
    fn from(count: u32) -> Self {
        Self::Count(u64::from(count))
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

/// For a person: four significant digits, separators between thousands.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.pad(text),
            Self::Count(count) => f.pad(&grouped(*count)),
            Self::Number(number) => f.pad(&significant(*number)),
        }
    }
}

/// A number with four significant digits.
#[must_use]
pub fn significant(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{number:.3e}");
    }
    if size >= 1e4 {
        let sign = if number < 0.0 { "-" } else { "" };
        return format!("{sign}{}", grouped(size.round() as u64));
    }
    let decimals = (3 - size.log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A number with a separator between thousands.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Rows under named columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// Its name in files.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The names of the columns, with units.
    pub columns: Vec<String>,
    /// The rows, as long as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// No row yet.
    #[must_use]
    pub fn new(name: &str, title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(ToString::to_string).collect();
        Self { name: name.to_owned(), title: title.into(), columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = row.into_iter().collect();
        debug_assert_eq!(row.len(), self.columns.len(), "{}", self.name);
        self.rows.push(row);
    }
}

/// A row of a table.
#[macro_export]
macro_rules! row {
    ($($cell:expr),* $(,)?) => { [$($crate::outcome::Cell::from($cell)),*] };
}

/// Whether something holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// What is claimed, a sentence.
    pub claim: String,
    /// What theory says.
    pub expected: String,
    /// What was found.
    pub measured: String,
    /// How far they may be apart.
    pub tolerance: String,
    /// Whether they are no further apart than that.
    pub holds: bool,
}

impl Verdict {
    /// A claim; not held yet.
    #[must_use]
    pub fn new(claim: impl Into<String>) -> Self {
        let nothing = String::new;
        let claim = claim.into();
        Self { claim, expected: nothing(), measured: nothing(), tolerance: nothing(), holds: false }
    }

    /// What theory says.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = expected.into();
        self
    }

    /// What was found.
    #[must_use]
    pub fn measured(mut self, measured: impl Into<String>) -> Self {
        self.measured = measured.into();
        self
    }

    /// How far they may be apart.
    #[must_use]
    pub fn tolerance(mut self, tolerance: impl Into<String>) -> Self {
        self.tolerance = tolerance.into();
        self
    }

    /// Whether it holds.
    #[must_use]
    pub const fn holds(mut self, holds: bool) -> Self {
        self.holds = holds;
        self
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { claim, expected, measured, tolerance, holds } = self;
        let mark = if *holds { "holds" } else { "FAILS" };
        write!(f, "{mark}  {claim}: expected {expected}, measured {measured} ({tolerance})")
    }
}

/// Numbers and how they are drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Findings {
    /// The numbers; the first table is the main one.
    pub tables: Vec<Table>,
    /// The picture.
    pub chart: Chart,
}

/// What an experiment has found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The same for the same seed.
    pub findings: Findings,
    /// Whether theory and measurement agree; no verdict depends on a time.
    pub verdicts: Vec<Verdict>,
    /// What depends on measured times.
    pub timings: Option<Findings>,
}

impl Outcome {
    /// Whether every verdict holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.holds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(significant(0.0215), "0.0215");
        assert_eq!(significant(123_456.7), "123,457");
        assert_eq!(significant(-3.0), "-3");
        assert_eq!(significant(0.000_012), "1.200e-5");
        assert_eq!(Cell::from(1_000_000u64).to_string(), "1,000,000");
    }
}
