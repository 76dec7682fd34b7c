//! Records that cannot be read: how many are accepted, and a list of all of them.

use crate::problem::Problem;
use crate::table::{Holds, Sheet, Value, write_table};
use crate::{Error, Result};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The part of the records that may be bad unless another one is given: 1 %.
pub const DEFAULT_MAX_BAD: f64 = 0.01;

/// What is done about records that cannot be read.
#[derive(Debug, Clone)]
pub struct Tolerance {
    /// Stop at the first problem, instead of counting it.
    pub strict: bool,
    /// The largest part of the records that may be bad, from 0 to 1. More are an error once all
    /// is read.
    pub max_bad: f64,
    /// Where all of them are listed.
    pub bad: Option<BadList>,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { strict: false, max_bad: DEFAULT_MAX_BAD, bad: None }
    }
}

/// A list of records that are left out: file, line, problem and detail, in the format that its
/// name says. It appears when it is finished, whole.
#[derive(Clone)]
pub struct BadList {
    path: PathBuf,
    /// A line of JSON for each of them, in a temporary file that is made with the first.
    rows: Arc<Mutex<Option<BufWriter<File>>>>,
}

/// A row of the list.
type Row = (String, Option<u64>, String, String);

impl fmt::Debug for BadList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BadList({:?})", self.path)
    }
}

impl BadList {
    /// The columns of the list.
    pub const COLUMNS: [(&'static str, Holds); 4] = [
        ("file", Holds::Text),
        ("line", Holds::Number),
        ("problem", Holds::Text),
        ("detail", Holds::Text),
    ];

    /// An empty list, which is kept in a temporary file until it is finished.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), rows: Arc::default() }
    }

    fn failed(&self) -> impl Fn(io::Error) -> Error + use<> {
        let name = self.path.clone();
        move |source| Error::Write { name: name.clone(), source }
    }

    pub(crate) fn push(
        &self,
        problem: Problem,
        name: &Path,
        line: Option<u64>,
        detail: &dyn fmt::Display,
    ) -> Result<()> {
        let row: Row = (name.display().to_string(), line, problem.to_string(), detail.to_string());
        let mut held = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = match held.as_mut() {
            Some(rows) => rows,
            None => held.insert(BufWriter::new(tempfile::tempfile().map_err(self.failed())?)),
        };
        serde_json::to_writer(&mut *rows, &row)
            .map_err(io::Error::from)
            .and_then(|()| rows.write_all(b"\n"))
            .map_err(self.failed())
    }

    /// Puts the list in its place.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn finish(&self) -> Result<()> {
        let failed = self.failed();
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let sheet = Sheet { columns: &Self::COLUMNS, header: true, about: &[] };
        write_table(&self.path, sheet, |table| -> Result<()> {
            let Some(rows) = rows.as_mut() else { return Ok(()) };
            rows.flush().map_err(&failed)?;
            let file = rows.get_mut();
            file.rewind().map_err(&failed)?;
            for line in BufReader::new(file).lines() {
                let line = line.map_err(&failed)?;
                let row: Row = serde_json::from_str(&line).map_err(|e| failed(e.into()))?;
                let number = row.1.map_or(Value::Null, Value::Number);
                table.row(&[
                    Value::Text(&row.0),
                    number,
                    Value::Text(&row.2),
                    Value::Text(&row.3),
                ])?;
            }
            Ok(())
        })
    }
}
