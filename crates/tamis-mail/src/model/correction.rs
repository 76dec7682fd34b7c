//! A logistic regression over hashed features, with a step size per cell (AdaGrad), in integers.

use super::Cell;
use crate::table::Table;

/// The sum of squares before anything is learned: the larger, the smaller the first steps.
const FIRST: f64 = 4_194_304.0;

/// A table of gradients and of their squares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    cells: Table<Cell>,
}

impl Correction {
    pub(super) fn new(bits: u32) -> Self {
        Self { cells: vec![Cell::default(); 1 << bits].into() }
    }

    pub(crate) const fn from_parts(cells: Table<Cell>) -> Self {
        Self { cells }
    }

    /// The cells: the sum of gradients, positive for spam, and of their squares.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Replaces the content of `weights` by the weights of these places, each shifted.
    pub(super) fn weights(&self, places: &[u32], shift: u32, weights: &mut Vec<f64>) {
        let cells: &[Cell] = &self.cells;
        weights.clear();
        weights.extend(places.iter().map(|place| match cells.get((place >> shift) as usize) {
            None | Some([0, 0]) => 0.0,
            Some(&[gradient, squares]) => {
                f64::from(gradient) / (FIRST + 1024.0 * f64::from(squares.max(0))).sqrt()
            }
        }));
    }

    /// Adds a step to the cells of these places, each shifted; `step` has the sign of the class and the direction.
    pub(super) fn add(&mut self, places: &[u32], shift: u32, mass: i32, step: i32, direction: i32) {
        let square = direction * ((step * step * mass * mass + 512) >> 10);
        let cells: &mut [Cell] = &mut self.cells;
        for &place in places {
            let Some(cell) = cells.get_mut((place >> shift) as usize) else { continue };
            cell[0] = cell[0].wrapping_add(step * mass);
            cell[1] = cell[1].wrapping_add(square);
        }
    }
}
