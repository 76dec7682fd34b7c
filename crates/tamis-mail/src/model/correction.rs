//! A logistic regression over hashed features, in integers.
//!
//! The step size falls with what a cell has learned (`AdaGrad`), or stays the same ([`Pace`]).

use super::Cell;
use crate::table::Table;

/// The sum of squares before anything is learned: the larger, the smaller the first steps.
const FIRST: f64 = 4_194_304.0;

/// Divides gradients where the step size stays the same: a lesson changes the score of its own message by at most 6.4.
const STEADY: f64 = 10_240.0;

/// How the step size develops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// It falls with the squares of the gradients: what was seen often is settled.
    Falling,
    /// It stays the same: later lessons count as much as early ones.
    Steady,
}

/// A table of gradients and of their squares; a steady one has no squares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    pace: Pace,
    cells: Table<Cell>,
}

impl Correction {
    pub(super) fn new(pace: Pace, bits: u32) -> Self {
        Self { pace, cells: Table::new(1 << bits) }
    }

    pub(crate) const fn from_parts(pace: Pace, cells: Table<Cell>) -> Self {
        Self { pace, cells }
    }

    /// The cells: the sum of gradients, positive for spam, and of their squares.
    #[must_use]
    pub const fn cells(&self) -> &Table<Cell> {
        &self.cells
    }

    /// Replaces the content of `weights` by the weights of these places, each shifted. An empty cell
    /// weighs 0 without a branch: which cells are empty cannot be predicted.
    pub(super) fn weights(&self, places: &[u32], shift: u32, weights: &mut Vec<f64>) {
        weights.clear();
        weights.extend(self.each_weight(places, shift));
    }

    /// Adds the weights of this base to `factor` times the own ones.
    pub(super) fn add_weights(&self, places: &[u32], shift: u32, factor: f64, weights: &mut [f64]) {
        for (own, base) in weights.iter_mut().zip(self.each_weight(places, shift)) {
            *own = base + factor * *own;
        }
    }

    fn each_weight(&self, places: &[u32], shift: u32) -> impl Iterator<Item = f64> + use<> {
        let mut cells = Vec::with_capacity(places.len());
        self.cells.gather(places.iter().map(|place| (place >> shift) as usize), &mut cells);
        let pace = self.pace;
        cells.into_iter().map(move |[gradient, squares]| match pace {
            Pace::Steady => f64::from(gradient) / STEADY,
            Pace::Falling => {
                f64::from(gradient) / (FIRST + 1024.0 * f64::from(squares.max(0))).sqrt()
            }
        })
    }

    /// Adds a step to the cells of these places, each shifted; `step` has the sign of the class and the direction.
    pub(super) fn add(&mut self, places: &[u32], shift: u32, mass: i32, step: i32, direction: i32) {
        let square = match self.pace {
            Pace::Falling => direction * ((i64::from(step * mass).pow(2) + 512) >> 10) as i32,
            Pace::Steady => 0,
        };
        for &place in places {
            self.cells.update((place >> shift) as usize, |cell| {
                cell[0] = cell[0].wrapping_add(step * mass);
                cell[1] = cell[1].wrapping_add(square);
            });
        }
    }
}
