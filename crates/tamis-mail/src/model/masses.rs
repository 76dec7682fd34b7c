//! How much spam and ham had each word.

use super::{Cell, Class};
use crate::table::Table;
use serde::{Deserialize, Serialize};

/// Keeps logarithms of nothing finite: a hundredth of the mass of a message.
const PRIOR: f64 = 10.24;

/// What was learned in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// The mass of all spam.
    pub spam_mass: i64,
    /// The mass of everything else.
    pub ham_mass: i64,
    /// Messages of spam.
    pub spam: i64,
    /// Other messages.
    pub ham: i64,
    /// Cells that have a mass.
    pub used: i64,
}

/// A table of masses: of spam, and of everything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masses {
    cells: Table<Cell>,
    totals: Totals,
}

/// What is the same for all words of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    trust: f64,
    balance: f64,
}

impl Masses {
    pub(super) fn new(bits: u32) -> Self {
        Self { cells: Table::new(1 << bits), totals: Totals::default() }
    }

    pub(crate) const fn from_parts(cells: Table<Cell>, totals: Totals) -> Self {
        Self { cells, totals }
    }

    /// What was learned in all.
    #[must_use]
    pub const fn totals(&self) -> Totals {
        self.totals
    }

    /// The cells: the mass of spam and of everything else.
    #[must_use]
    pub const fn cells(&self) -> &Table<Cell> {
        &self.cells
    }

    /// The mass of everything but spam in the cells that share all bits of a place but the lowest `shift`.
    #[must_use]
    pub fn ham_around(&self, place: u32, shift: u32) -> i64 {
        let first = (place >> shift << shift) as usize;
        (first..first + (1 << shift)).map(|place| i64::from(self.cells.get(place)[1])).sum()
    }

    pub(super) fn scale(&self, features: usize) -> Scale {
        let Totals { spam_mass, ham_mass, spam, ham, used } = self.totals;
        if spam <= 0 || ham <= 0 {
            // One class alone says nothing about the other.
            return Scale { trust: 0.0, balance: 0.0 };
        }
        let fewer = spam.min(ham) as f64;
        let long = (features as f64 / 300.0).max(1.0).powf(-0.35);
        let prior = PRIOR * used as f64;
        Scale {
            trust: 0.5 * fewer / (fewer + 5.0) * long,
            balance: ((ham_mass as f64 + prior) / (spam_mass as f64 + prior)).ln(),
        }
    }

    /// The weight of each of these places.
    pub(super) fn weights(
        &self,
        places: &[u32],
        scale: Scale,
    ) -> impl Iterator<Item = f64> + use<> {
        let mut cells = Vec::with_capacity(places.len());
        self.cells.gather(places.iter().map(|place| *place as usize), &mut cells);
        cells.into_iter().map(move |cell| {
            if cell == [0, 0] {
                return 0.0;
            }
            let [spam, ham] = cell.map(|mass| f64::from(mass.max(0)) + PRIOR);
            scale.trust * ((spam / ham).ln() + scale.balance)
        })
    }

    /// Adds the mass of a message, or takes it away with a direction of -1.
    pub(super) fn add(&mut self, places: &[u32], class: Class, mass: i32, direction: i32) {
        let own = usize::from(class == Class::Ham);
        let has_mass = |cell: &Cell| cell[0].wrapping_add(cell[1]) != 0;
        let mut used = 0;
        for &place in places {
            self.cells.update(place as usize, |cell| {
                let before = has_mass(cell);
                cell[own] = cell[own].wrapping_add(direction * mass);
                used += i64::from(has_mass(cell)) - i64::from(before);
            });
        }
        self.totals.used += used;
        let all = i64::from(direction) * places.len() as i64 * i64::from(mass);
        let (total, messages) = match class {
            Class::Spam => (&mut self.totals.spam_mass, &mut self.totals.spam),
            Class::Ham => (&mut self.totals.ham_mass, &mut self.totals.ham),
        };
        *total += all;
        *messages += i64::from(direction);
    }
}
