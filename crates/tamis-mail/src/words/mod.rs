//! The model of words: a table of fixed size, in integers, that learns and unlearns.
//!
//! Every feature of a message falls into a cell of four numbers. `S` and `H` are the masses of spam and ham that had
//! it, as in a Bayes classifier, and `G`, `Q` a logistic correction of what that gets wrong. With `n` features:
//!
//! ```text
//! X = round(1024 / sqrt(max(n, 16)))                   the mass of a feature: messages count alike
//! c = ln((Th + aV) / (Ts + aV))                        a = 10.24; 0 until both classes were seen
//! t = 0.5 m / (m + 50) max(1, n / 300)^-0.25           m the messages of the rarer class
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    cells: Vec<Cell>,
    totals: Totals,
}

/// The share of one feature in a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight {
    /// The feature.
    pub feature: u64,
    /// Its share; positive for spam.
    pub weight: f64,
}

impl Words {
    /// An empty table of `2^bits` cells; 20 bits serve a person, 22 a server.
    ///
    /// # Panics
    /// Unless there are 4 to 28 bits.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        assert!((4..=28).contains(&bits), "2^4 to 2^28 cells");
        Self { cells: vec![Cell::default(); 1 << bits], totals: Totals::default() }
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

    fn place(&self, feature: u64) -> usize {
        reduce(feature, self.cells.len() as u64) as usize
    }

    /// The score of a message with these distinct features: positive for spam, 0 if nothing is known.
    #[must_use]
    pub fn score(&self, features: &[u64]) -> f64 {
        let scale = self.scale(features.len());
        let sum: f64 = features.iter().map(|&feature| self.weight(feature, scale)).sum();
        sum / (features.len().max(1) as f64).sqrt()
    }

    /// The share of each feature in the score; they add up to it.
    pub fn weights(&self, features: &[u64]) -> impl Iterator<Item = Weight> {
        let scale = self.scale(features.len());
        let norm = (features.len().max(1) as f64).sqrt();
        features
            .iter()
            .map(move |&feature| Weight { feature, weight: self.weight(feature, scale) / norm })
    }

    fn scale(&self, features: usize) -> Scale {
        let Totals { spam_mass, ham_mass, spam, ham, used } = self.totals;
        if spam <= 0 || ham <= 0 {
            // Of one class alone nothing can be told but what surprised.
            return Scale { trust: 0.0, balance: 0.0 };
        }
        let fewer = spam.min(ham) as f64;
        let long = (features as f64 / 300.0).max(1.0).powf(-0.25);
        let prior = PRIOR * used as f64;
        Scale {
            trust: 0.5 * fewer / (fewer + 50.0) * long,
            balance: ((ham_mass as f64 + prior) / (spam_mass as f64 + prior)).ln(),
        }
    }

    fn weight(&self, feature: u64, scale: Scale) -> f64 {
        let cell = &self.cells[self.place(feature)];
        if cell.is_empty() {
            return 0.0;
        }
        let [spam, ham] = [cell.spam, cell.ham].map(|mass| f64::from(mass.max(0)) + PRIOR);
        let correction = f64::from(cell.gradient)
            / (4_194_304.0 + 1024.0 * f64::from(cell.square.max(0))).sqrt();
        scale.trust * ((spam / ham).ln() + scale.balance) + correction
    }

    /// Learns a message; what is returned takes it back.
    pub fn learn(&mut self, features: &[u64], class: Class) -> Update {
        let score = self.score(features);
        let wrong = 64.0 / (1.0 + (f64::from(class.sign()) * score).exp());
        let update = Update { class, surprise: wrong.round() as u8 };
        self.apply(features, update, 1);
        update
    }

    /// Learns a message that was learned before, with the surprise that it was then.
    pub fn learn_again(&mut self, features: &[u64], update: Update) {
        self.apply(features, update, 1);
    }

    /// Takes back what a message has changed, bit for bit.
    pub fn unlearn(&mut self, features: &[u64], update: Update) {
        self.apply(features, update, -1);
    }

    fn apply(&mut self, features: &[u64], Update { class, surprise }: Update, direction: i32) {
        let mass = (1024.0 / (features.len().max(16) as f64).sqrt()).round() as i32;
        let surprise = i32::from(surprise);
        let square = (surprise * surprise * mass * mass + 512) >> 10;
        for &feature in features {
            let place = self.place(feature);
            let cell = &mut self.cells[place];
            let before = cell.has_mass();
            let of_class = match class {
                Class::Spam => &mut cell.spam,
                Class::Ham => &mut cell.ham,
            };
            *of_class = of_class.wrapping_add(direction * mass);
            cell.gradient = cell.gradient.wrapping_add(direction * class.sign() * surprise * mass);
            cell.square = cell.square.wrapping_add(direction * square);
            self.totals.used += i64::from(cell.has_mass()) - i64::from(before);
        }
        let mass = i64::from(direction) * features.len() as i64 * i64::from(mass);
        let (total, messages) = match class {
            Class::Spam => (&mut self.totals.spam_mass, &mut self.totals.spam),
            Class::Ham => (&mut self.totals.ham_mass, &mut self.totals.ham),
        };
        *total += mass;
        *messages += i64::from(direction);
    }
}

/// What is the same for all features of a message.
#[derive(Debug, Clone, Copy)]
struct Scale {
    trust: f64,
    balance: f64,
}

/// The probability that belongs to a score.
#[must_use]
pub fn probability(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn features(seed: u64, count: usize) -> Vec<u64> {
        let mut features: Vec<u64> =
            tamis::hash::Functions::new(tamis::hash::KeyHash::new(seed).integer(1))
                .take(count)
                .collect();
        features.sort_unstable();
        features
    }

    #[test]
    fn it_learns_what_it_is_shown() {
        let mut words = Words::new(12);
        let (spam, ham) = (features(1, 40), features(2, 40));
        assert_eq!(words.score(&spam), 0.0);
        for _ in 0..20 {
            words.learn(&spam, Class::Spam);
            words.learn(&ham, Class::Ham);
        }
        assert!(probability(words.score(&spam)) > 0.9);
        assert!(probability(words.score(&ham)) < 0.1);
        let sum: f64 = words.weights(&spam).map(|weight| weight.weight).sum();
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
            let mut words = Words::new(6);
            let kept = features(99, 30);
            words.learn(&kept, Class::Ham);
            let before = words.clone();
            let mut learned: Vec<(Vec<u64>, Update)> = messages
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
