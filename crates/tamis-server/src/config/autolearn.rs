//! What is learned without anybody's word.

use crate::{Error, Result};
use serde::Deserialize;

/// Learning that happens by itself; off by default.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Autolearn {
    /// Whether it happens.
    pub enabled: bool,
    /// Spam with at least this probability teaches spam.
    pub spam_from: f64,
    /// Ham with at most this probability of spam teaches ham.
    pub ham_to: f64,
    /// Whether mail of senders who have logged in teaches their stores ham.
    pub sent: bool,
    /// The most lessons of a store in a day, half of them spam.
    pub per_day: usize,
}

impl Default for Autolearn {
    fn default() -> Self {
        Self { enabled: false, spam_from: 0.999, ham_to: 0.001, sent: true, per_day: 100 }
    }
}

impl Autolearn {
    /// # Errors
    /// [`Error::Setting`].
    pub(super) fn check(&self) -> Result<()> {
        let refused = |what: &str| Err(Error::Setting { what: what.to_owned() });
        if !(self.spam_from > 0.5 && self.spam_from <= 1.0) {
            return refused("autolearn.spam_from is a probability above 0.5, such as 0.999");
        }
        if !(self.ham_to >= 0.0 && self.ham_to < 0.5) {
            return refused("autolearn.ham_to is a probability below 0.5, such as 0.001");
        }
        if !(1..=1_000_000).contains(&self.per_day) {
            return refused("autolearn.per_day lies between 1 and 1000000");
        }
        Ok(())
    }
}
