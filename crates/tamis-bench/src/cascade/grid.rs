//! How many functions the two filters of algorithm 1 should have: the size of the file for each pair.

use super::ours::training;
use super::sets::Set;
use serde::Serialize;
use tamis::cascade::classic::Functions;

/// The most functions.
pub(crate) const MOST: u8 = 8;

/// The file with so many functions.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Cell {
    /// Functions of the first filter.
    pub(crate) first: u8,
    /// Functions of the second filter.
    pub(crate) second: u8,
    pub(crate) bytes: usize,
}

/// All pairs up to [`MOST`].
///
/// # Errors
/// Keys that are refused.
pub(crate) fn measure(set: &Set) -> anyhow::Result<Vec<Cell>> {
    let texts = set.texts();
    let keys = texts.keys();
    let classes = set.classes(&keys);
    let training = training(&classes)?;
    let mut cells = Vec::new();
    for first in 1..=MOST {
        for second in 1..=MOST {
            let mut file = Vec::new();
            training.build(Functions::One(first, second), 1)?.write(&mut file)?;
            cells.push(Cell { first, second, bytes: file.len() });
        }
    }
    Ok(cells)
}

/// The smallest file.
pub(crate) fn least(cells: &[Cell]) -> Option<Cell> {
    cells.iter().copied().min_by_key(|cell| cell.bytes)
}
