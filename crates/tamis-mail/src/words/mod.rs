//! The model of words: a table of fixed size, in integers, that learns and unlearns.
//!
//! Every feature of a message falls into a cell of four numbers. `S` and `H` are the masses of spam and ham that had
//! it, as in a Bayes classifier, and `G`, `Q` a logistic correction of what that gets wrong. With `n` features:
//!
//! ```text
//! X = round(1024 / sqrt(max(n, 16)))                   the mass of a feature: messages count alike
//! c = ln((Th + aV) / (Ts + aV))                        a = 10.24; 0 until both classes were seen
//! t = 0.5 m / (m + 50) max(1, n / 300)^-0.35           m the messages of the rarer class
//! w = t (ln((S + a) / (H + a)) + c) + G / sqrt(2^22 + 1024 Q)
//! score = sum w / sqrt(n)                              p = 1 / (1 + e^-score)
//!
//! learning, y = 1 for spam and -1 for ham:  q = round(64 / (1 + e^(y score)))
//! S or H += X,  G += y q X,  Q += (q^2 X^2 + 512) / 1024,  Ts or Th += n X
//! ```
//!
//! An update is a sum of integers that depend on the message, its class and `q` alone; whoever remembers `q` can take
//! exactly that update back, whatever was learned since. (The `q` of later messages stays what it was.)

mod cells;

pub use cells::Cell;

use crate::table::Table;
use serde::{Deserialize, Serialize};
use tamis::hash::reduce;

/// The number that keeps logarithms of nothing finite: a hundredth of the mass of a message.
const PRIOR: f64 = 10.24;

/// Spam or ham, of one label: does a message have it or not?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It has the label.
    Spam,
    /// It has not.
    Ham,
}

impl Class {
    const fn sign(self) -> i32 {
        match self {
            Self::Spam => 1,
            Self::Ham => -1,
        }
    }
}

/// What must be remembered of an update to take it back, beside the features themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Update {
    /// The class that was learned.
    pub class: Class,
    /// How wrong the model was, of 64.
    pub surprise: u8,
}

/// What the model has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// The mass of all spam.
    pub spam_mass: i64,
    /// The mass of all ham.
    pub ham_mass: i64,
    /// Messages of spam.
    pub spam: i64,
    /// Messages of ham.
    pub ham: i64,
    /// Cells that have a mass.
    pub used: i64,
}

/// The table.
///
/// 1. [`Self::unlearn`] inverts the [`Self::learn`] of the same message bit for bit, whatever came between.
/// 2. The table is the sum of what was learned and not taken back, in whatever order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    cells: Table<Cell>,
    totals: Totals,
}

/// Bits of a table: 2^10 to 2^26 cells.
pub const BITS: std::ops::RangeInclusive<u32> = 10..=26;

/// The cell that a feature falls into.
#[must_use]
pub const fn place(feature: u64, bits: u32) -> u32 {
    reduce(feature, 1 << bits) as u32
}

/// The cells that distinct features in ascending order fall into, in ascending order; some may fall into the same.
#[must_use]
pub fn places(features: &[u64], bits: u32) -> Vec<u32> {
    features.iter().map(|&feature| place(feature, bits)).collect()
}

impl Words {
    /// An empty table of `2^bits` cells; 20 bits serve a person, 22 a server.
    ///
    /// # Panics
    /// Unless the bits are among [`BITS`].
    #[must_use]
    pub fn new(bits: u32) -> Self {
        assert!(BITS.contains(&bits), "2^10 to 2^26 cells");
        Self { cells: vec![Cell::default(); 1 << bits].into(), totals: Totals::default() }
    }

    /// A table that was kept.
    pub(crate) const fn from_parts(cells: Table<Cell>, totals: Totals) -> Self {
        Self { cells, totals }
    }

    /// What it has seen.
    #[must_use]
    pub const fn totals(&self) -> Totals {
        self.totals
    }

    /// The cells.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The score of a message with features in these places: positive for spam, 0 if nothing is known.
    #[must_use]
    pub fn score(&self, places: &[u32]) -> f64 {
        let scale = self.scale(places.len());
        // Fetched before the first one is looked at: the memory then brings many at once.
        let cells: Vec<Cell> = places.iter().map(|&place| self.cell(place)).collect();
        let sum: f64 = cells.into_iter().map(|cell| scale.weight(cell)).sum();
        sum / (places.len().max(1) as f64).sqrt()
    }

    /// Gives the share of a place in the score of a message with so many features; the shares add up to it.
    pub fn share(&self, features: usize) -> impl Fn(u32) -> f64 {
        let scale = self.scale(features);
        let norm = (features.max(1) as f64).sqrt();
        move |place| scale.weight(self.cell(place)) / norm
    }

    /// The cell of a place, empty if there is none.
    fn cell(&self, place: u32) -> Cell {
        self.cells.get(place as usize).copied().unwrap_or_default()
    }

    fn scale(&self, features: usize) -> Scale {
        let Totals { spam_mass, ham_mass, spam, ham, used } = self.totals;
        if spam <= 0 || ham <= 0 {
            // Of one class alone nothing can be told but what surprised.
            return Scale { trust: 0.0, balance: 0.0 };
        }
        let fewer = spam.min(ham) as f64;
        let long = (features as f64 / 300.0).max(1.0).powf(-0.35);
        let prior = PRIOR * used as f64;
        Scale {
            trust: 0.5 * fewer / (fewer + 50.0) * long,
            balance: ((ham_mass as f64 + prior) / (spam_mass as f64 + prior)).ln(),
        }
    }

    /// Learns a message; what is returned takes it back.
    pub fn learn(&mut self, places: &[u32], class: Class) -> Update {
        let update = Update { class, surprise: surprise(self.score(places), class) };
        self.learn_again(places, update);
        update
    }

    /// Learns a message that was learned before, with the surprise that it was then.
    pub fn learn_again(&mut self, places: &[u32], update: Update) {
        self.apply(places, update, 1);
    }

    /// Takes back what a message has changed, bit for bit.
    pub fn unlearn(&mut self, places: &[u32], update: Update) {
        self.apply(places, update, -1);
    }

    fn apply(&mut self, places: &[u32], Update { class, surprise }: Update, direction: i32) {
        let mass = (1024.0 / (places.len().max(16) as f64).sqrt()).round() as i32;
        let surprise = i32::from(surprise);
        let square = (surprise * surprise * mass * mass + 512) >> 10;
        let cells: &mut [Cell] = &mut self.cells;
        let mut used = 0;
        for &place in places {
            let Some(cell) = cells.get_mut(place as usize) else { continue };
            let before = cell.has_mass();
            let of_class = match class {
                Class::Spam => &mut cell.spam,
                Class::Ham => &mut cell.ham,
            };
            *of_class = of_class.wrapping_add(direction * mass);
            cell.gradient = cell.gradient.wrapping_add(direction * class.sign() * surprise * mass);
            cell.square = cell.square.wrapping_add(direction * square);
            used += i64::from(cell.has_mass()) - i64::from(before);
        }
        self.totals.used += used;
        let mass = i64::from(direction) * places.len() as i64 * i64::from(mass);
        let (total, messages) = match class {
            Class::Spam => (&mut self.totals.spam_mass, &mut self.totals.spam),
            Class::Ham => (&mut self.totals.ham_mass, &mut self.totals.ham),
        };
        *total += mass;
        *messages += i64::from(direction);
    }
}

/// How wrong a score is about a message of this class, of 64.
#[must_use]
pub fn surprise(score: f64, class: Class) -> u8 {
    (64.0 / (1.0 + (f64::from(class.sign()) * score).exp())).round() as u8
}

/// What is the same for all features of a message.
#[derive(Debug, Clone, Copy)]
struct Scale {
    trust: f64,
    balance: f64,
}

impl Scale {
    fn weight(self, cell: Cell) -> f64 {
        if cell.is_empty() {
            return 0.0;
        }
        let [spam, ham] = [cell.spam, cell.ham].map(|mass| f64::from(mass.max(0)) + PRIOR);
        let correction = f64::from(cell.gradient)
            / (4_194_304.0 + 1024.0 * f64::from(cell.square.max(0))).sqrt();
        self.trust * ((spam / ham).ln() + self.balance) + correction
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BITS: u32 = 10;

    fn features(seed: u64, count: usize) -> Vec<u32> {
        let mut features: Vec<u64> =
            tamis::hash::Functions::new(tamis::hash::KeyHash::new(seed).integer(1))
                .take(count)
                .collect();
        features.sort_unstable();
        places(&features, BITS)
    }

    #[test]
    fn it_learns_what_it_is_shown() {
        let mut words = Words::new(BITS);
        let (spam, ham) = (features(1, 40), features(2, 40));
        assert_eq!(words.score(&spam), 0.0);
        for _ in 0..20 {
            words.learn(&spam, Class::Spam);
            words.learn(&ham, Class::Ham);
        }
        // Odds of nine to one.
        assert!(words.score(&spam) > 9f64.ln() && words.score(&ham) < -9f64.ln());
        let sum: f64 = spam.iter().map(|&place| words.share(spam.len())(place)).sum();
        assert!((sum - words.score(&spam)).abs() < 1e-9, "an explanation is the whole score");
        assert_eq!(words.score(&[]), 0.0);
    }

    proptest! {
        /// Messages of any size, learned in any order and taken back in any other.
        #[test]
        fn unlearning_in_any_order_leaves_the_table_as_it_was(
            messages in prop::collection::vec((0..50u64, 0..300usize, any::<bool>()), 1..12),
            order in any::<u64>(),
        ) {
            let mut words = Words::new(BITS);
            let kept = features(99, 30);
            words.learn(&kept, Class::Ham);
            let before = words.clone();
            let mut learned: Vec<(Vec<u32>, Update)> = messages
                .into_iter()
                .map(|(seed, count, spam)| {
                    let features = features(seed, count);
                    let class = if spam { Class::Spam } else { Class::Ham };
                    let update = words.learn(&features, class);
                    (features, update)
                })
                .collect();
            let start = (order % learned.len() as u64) as usize;
            learned.rotate_left(start);
            for (features, update) in &learned {
                words.unlearn(features, *update);
            }
            prop_assert_eq!(words, before);
        }
    }
}
