//! Reports: rows of two names and a similarity, as a [`crate::table`].

use crate::table::{Holds, Rows, Sheet, Value, write_table};
use crate::{Error, Result};
use std::path::Path;

/// A row: a document, the one it is compared with, and how similar they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// The first name.
    pub left: &'a str,
    /// The second name.
    pub right: &'a str,
    /// From 0 to 1.
    pub similarity: f64,
}

/// What the columns of a report are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    /// The first name.
    pub left: &'static str,
    /// The second name.
    pub right: &'static str,
    /// Whether tab-separated lines start with a header.
    pub header: bool,
}

impl Columns {
    /// What was removed, and what was kept in its place.
    pub const REMOVED: Self = Self { left: "id", right: "kept", header: true };
    /// Two that are similar.
    pub const PAIRS: Self = Self { left: "left", right: "right", header: false };
}

/// The name of the third column.
pub const SIMILARITY: &str = "similarity";

/// Takes the rows of a report.
pub trait Report {
    /// Writes a row.
    ///
    /// # Errors
    /// [`Error::Write`] with the report's name.
    fn row(&mut self, row: Row<'_>) -> Result<()>;
}

/// Writes a report whole or not at all: `content` is given where to write the rows.
///
/// # Errors
/// [`Error::Write`] with the report's name, or what `content` says.
pub fn write_report<E: From<Error>>(
    path: &Path,
    columns: Columns,
    content: impl FnOnce(&mut dyn Report) -> Result<(), E>,
) -> Result<(), E> {
    write_report_about(path, columns, &[], content)
}

/// As [`write_report`], with how it came about in the metadata of Parquet.
///
/// # Errors
/// As [`write_report`].
pub fn write_report_about<E: From<Error>>(
    path: &Path,
    columns: Columns,
    about: &[(&str, String)],
    content: impl FnOnce(&mut dyn Report) -> Result<(), E>,
) -> Result<(), E> {
    let names =
        [(columns.left, Holds::Text), (columns.right, Holds::Text), (SIMILARITY, Holds::Fraction)];
    let sheet = Sheet { columns: &names, header: columns.header, about };
    write_table(path, sheet, |rows| content(&mut OfRows(rows)))
}

struct OfRows<'w>(&'w mut dyn Rows);

impl Report for OfRows<'_> {
    fn row(&mut self, row: Row<'_>) -> Result<()> {
        let Row { left, right, similarity } = row;
        self.0.row(&[Value::Text(left), Value::Text(right), Value::Fraction(similarity)])
    }
}
