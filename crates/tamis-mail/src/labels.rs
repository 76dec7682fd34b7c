//! Labels besides `spam` and `ham`: which of them does wanted mail have?
//!
//! Whether a message is spam is decided first and without them. A label is a table of masses of the words in its
//! messages, four word cells to one; everything else that is not spam is known from the masses of ham:
//!
//! ```text
//! L = mass of the label, R = mass of ham - L, each in four cells around a word
//! score = 1/2 m/(m+5) sum (ln((L+a)/(R+a)) + ln((Tr+aV)/(Tl+aV))) / sqrt(n)     m = min(messages with it, without)
//! ```
//!
//! The sums are those of [`crate::model::Masses`]; here the class is the label and everything else but spam.

use crate::model::Masses;
use crate::table::Table;
use serde::{Deserialize, Serialize};

/// Word cells that share a cell of a label, as a power of two.
pub(crate) const SHIFT: u32 = 2;

/// Keeps logarithms of nothing finite.
const PRIOR: f64 = 10.24;

/// A label with fewer messages is never chosen.
const LEAST: i64 = 5;

/// The score above which a label is chosen.
const CUT: f64 = 1.0;

/// Sums over the messages of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LabelTotals {
    /// Messages with the label.
    pub messages: i64,
    /// The mass of their words.
    pub mass: i64,
    /// Cells that have a mass.
    pub used: i64,
}

/// What is known of a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// Its name; none once it was removed.
    pub name: Option<String>,
    cells: Table<i32>,
    totals: LabelTotals,
}

impl Label {
    /// A label without messages, in a filter of `2^bits` word cells.
    pub(crate) fn new(name: &str, bits: u32) -> Self {
        let cells = Table::new(1 << (bits - SHIFT));
        Self { name: Some(name.to_owned()), cells, totals: LabelTotals::default() }
    }

    pub(crate) const fn from_parts(
        name: Option<String>,
        cells: Table<i32>,
        totals: LabelTotals,
    ) -> Self {
        Self { name, cells, totals }
    }

    /// The cells, to be kept.
    #[must_use]
    pub const fn cells(&self) -> &Table<i32> {
        &self.cells
    }

    /// Sums over its messages.
    #[must_use]
    pub const fn totals(&self) -> LabelTotals {
        self.totals
    }

    /// Adds a message with words in these places, or takes it out with a direction of -1.
    pub(crate) fn count(&mut self, places: &[u32], direction: i32) {
        let mass = (1024.0 / (places.len().max(16) as f64).sqrt()).round() as i32;
        for &place in places {
            self.cells.update((place >> SHIFT) as usize, |cell| {
                let before = *cell != 0;
                *cell = cell.wrapping_add(direction * mass);
                self.totals.used += i64::from(*cell != 0) - i64::from(before);
            });
        }
        self.totals.mass += i64::from(direction) * places.len() as i64 * i64::from(mass);
        self.totals.messages += i64::from(direction);
    }

    /// Forgets everything; the name is free.
    pub(crate) fn clear(&mut self) {
        self.name = None;
        self.totals = LabelTotals::default();
        self.cells = Table::new(self.cells.len());
    }

    /// As it is, and then without name and messages.
    pub(crate) fn taken(&mut self) -> Self {
        let taken = self.clone();
        self.clear();
        taken
    }

    /// Adds the messages of another label.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (place, mass) in other.cells.to_vec().into_iter().enumerate() {
            if mass != 0 {
                self.cells.update(place, |cell| {
                    let before = *cell != 0;
                    *cell = cell.wrapping_add(mass);
                    self.totals.used += i64::from(*cell != 0) - i64::from(before);
                });
            }
        }
        self.totals.mass += other.totals.mass;
        self.totals.messages += other.totals.messages;
    }

    /// How well a message with words in these places fits the label rather than the rest of the ham.
    #[must_use]
    pub fn score(&self, places: &[u32], ham: &Masses) -> f64 {
        let LabelTotals { messages, mass, used } = self.totals;
        let others = ham.totals().ham - messages;
        if messages <= 0 || others <= 0 {
            return 0.0;
        }
        let fewer = messages.min(others) as f64;
        let features = places.len().max(1) as f64;
        let trust = 0.5 * fewer / (fewer + 5.0) * (features / 300.0).max(1.0).powf(-0.35);
        let prior = PRIOR * used.max(1) as f64;
        let rest = (ham.totals().ham_mass - mass).max(0) as f64;
        let balance = ((rest + prior) / (mass.max(0) as f64 + prior)).ln();
        let weight = |place: &u32| {
            let own = self.cells.get((place >> SHIFT) as usize);
            let rest = ham.ham_around(*place, SHIFT) - i64::from(own);
            if own == 0 && rest <= 0 {
                return 0.0;
            }
            let [own, rest] = [i64::from(own), rest].map(|mass| mass.max(0) as f64 + PRIOR);
            (own / rest).ln() + balance
        };
        trust * places.iter().map(weight).sum::<f64>() / features.sqrt()
    }

    /// Whether a message with this score has the label.
    #[must_use]
    pub fn takes(&self, score: f64) -> bool {
        self.name.is_some() && self.totals.messages >= LEAST && score > CUT
    }
}

/// Whether a word may be the name of a label: letters, digits, `-`, `_` and `.`, and no word that means a verdict.
#[must_use]
pub fn is_name(name: &str) -> bool {
    const RESERVED: [&str; 6] = ["ham", "spam", "unsure", "unknown", "none", "all"];
    is_plain(name) && !RESERVED.contains(&name.to_lowercase().as_str())
}

/// Whether a word has 1 to 64 bytes of letters, digits, `-`, `_` and `.` only.
pub(crate) fn is_plain(name: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 64 && name.chars().all(fits)
}
