//! How results are shown: a table for people, one JSON document for machines.

use anyhow::Context as _;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// A table whose first column is text and whose others are figures.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<const N: usize>(head: [&str; N]) -> Self {
        Self { rows: vec![head.map(str::to_owned).to_vec()] }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Columns as wide as their widest cell; the first to the left, the others to the right.
    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let _ = match column {
                    0 => write!(line, "{cell:<width$}"),
                    _ => write!(line, "  {cell:>width$}"),
                };
            }
            let _ = writeln!(text, "{}", line.trim_end());
            if index == 0 {
                let total = widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1);
                let _ = writeln!(text, "{}", "-".repeat(total));
            }
        }
        text
    }
}

/// Where the figures come from.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) os: &'static str,
    pub(crate) arch: &'static str,
}

impl Machine {
    pub(crate) fn this() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpuinfo.lines().find(|line| line.starts_with("model name"));
        let model = model.and_then(|line| line.split_once(':'));
        Self {
            processor: model.map_or("unknown", |(_, name)| name.trim()).to_owned(),
            cores: std::thread::available_parallelism().map_or(1, Into::into),
            os: std::env::consts::OS,
            arch: std::env::consts::ARCH,
        }
    }
}

/// Prints to standard output; a closed pipe is no error.
///
/// # Errors
/// Any other failure to write.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes a file into a folder, which is made if it is not there.
///
/// # Errors
/// A folder that cannot be written into.
pub(crate) fn save(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join(name), text))
        .with_context(|| format!("cannot write into {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(["filter", "ns"]);
        table.row(["blocked".to_owned(), "3.1".to_owned()]);
        table.row(["classic".to_owned(), "10.2".to_owned()]);
        assert_eq!(table.render(), "filter     ns\n-------------\nblocked   3.1\nclassic  10.2\n");
    }
}
