//! How much spam and how much else a sender has sent: a counting filter.
//!
//! Two counters of 32 bits for each sender and class, of which the lower one counts. Unlike those of
//! [`tamis::filter::CountingFilter`] they never saturate: a saturated counter cannot be decremented.

use crate::table::Table;
use crate::traits::Sender;
use tamis::hash::{function, reduce};

/// The report's rule: an address with so many messages of a label is known for it.
pub const KNOWN: i64 = 2;

/// A domain is known later than an address: many people write from one.
pub const KNOWN_DOMAIN: i64 = 5;

/// The counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Senders {
    counters: Table<i32>,
}

/// What is known of a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Record {
    /// Spam and other messages from the address.
    pub address: (i64, i64),
    /// Spam and other messages from its domain.
    pub domain: (i64, i64),
}

impl Senders {
    /// How many counters belong to a table of `2^bits` cells.
    #[must_use]
    pub const fn counters_for(bits: u32) -> usize {
        1 << (bits - 3)
    }

    /// No message yet.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        Self { counters: Table::new(Self::counters_for(bits)) }
    }

    pub(crate) const fn from_parts(counters: Table<i32>) -> Self {
        Self { counters }
    }

    /// The counters, to be kept.
    #[must_use]
    pub const fn counters(&self) -> &Table<i32> {
        &self.counters
    }

    fn places(&self, hash: u64, label: u8) -> [usize; 2] {
        let of = |index| reduce(function(hash, index), self.counters.len() as u64) as usize;
        [of(2 * u32::from(label)), of(2 * u32::from(label) + 1)]
    }

    /// Counts a message, or takes it back with a direction of -1.
    pub fn count(&mut self, sender: Sender, label: u8, direction: i32) {
        for hash in [sender.address, sender.domain] {
            for place in self.places(hash, label) {
                self.counters.update(place, |counter| *counter = counter.wrapping_add(direction));
            }
        }
    }

    fn messages(&self, hash: u64, label: u8) -> i64 {
        let [first, second] = self.places(hash, label);
        i64::from(self.counters.get(first).min(self.counters.get(second)).max(0))
    }

    /// What is known of a sender.
    #[must_use]
    pub fn record(&self, sender: Sender) -> Record {
        let of = |hash: u64| (self.messages(hash, 1), self.messages(hash, 0));
        Record { address: of(sender.address), domain: of(sender.domain) }
    }
}

impl Record {
    /// With a record of the base, where this one says too little by itself.
    #[must_use]
    pub const fn over(self, base: Self) -> Self {
        const fn either(own: (i64, i64), base: (i64, i64), known: i64) -> (i64, i64) {
            match own.0 >= known || own.1 >= known {
                true => own,
                false => (own.0 + base.0, own.1 + base.1),
            }
        }
        Self {
            address: either(self.address, base.address, KNOWN),
            domain: either(self.domain, base.domain, KNOWN_DOMAIN),
        }
    }

    /// What own lessons about an address add to the record's evidence where a base says otherwise: twenty of one kind
    /// outweigh everything that the base says about such messages. A message from an address that the base does not know as
    /// one of spam gets no such credit, as addresses are forged.
    #[must_use]
    pub fn outweighing(&self, base: &Self, contradicted: bool) -> f64 {
        let (spam, ham) = self.address;
        let odds = ((spam as f64 + 1.0) / (ham as f64 + 1.0)).ln();
        let is_known = spam >= KNOWN || ham >= KNOWN;
        let is_credit = odds < 0.0;
        if !is_known || is_credit && (contradicted || base.address.0 <= base.address.1) {
            return 0.0;
        }
        (2.7 * odds).clamp(-8.0, 8.0)
    }

    /// What the record adds to the logarithm of the odds. Nobody gets credit for an address that is not theirs.
    #[must_use]
    pub fn evidence(&self, contradicted: bool) -> f64 {
        let odds =
            |(with, without): (i64, i64)| ((with as f64 + 1.0) / (without as f64 + 1.0)).ln();
        let known = |(with, without): (i64, i64), least: i64| with >= least || without >= least;
        let evidence = if known(self.address, KNOWN) {
            (0.5 * odds(self.address)).clamp(-1.5, 1.5)
        } else if known(self.domain, KNOWN_DOMAIN) {
            (0.25 * odds(self.domain)).clamp(-0.5, 0.5)
        } else {
            0.0
        };
        if contradicted { evidence.max(0.0) } else { evidence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(number: u64) -> Sender {
        let hash = tamis::hash::KeyHash::default();
        Sender { address: hash.integer(number), domain: hash.integer(1000 + number / 10) }
    }

    #[test]
    fn own_lessons_about_an_address_outweigh_a_base_but_forgers_get_no_credit() {
        let record = |address| Record { address, domain: address };
        let (unknown, of_spam, of_ham) = (record((0, 0)), record((50, 0)), record((0, 50)));
        let own_spam = record((20, 0));
        for base in [unknown, of_spam, of_ham] {
            assert_eq!(own_spam.outweighing(&base, true), 8.0);
        }
        let own_ham = record((0, 20));
        assert_eq!(own_ham.outweighing(&of_spam, false), -8.0);
        for (base, contradicted) in [(of_spam, true), (unknown, false), (of_ham, false)] {
            assert_eq!(own_ham.outweighing(&base, contradicted), 0.0);
        }
        assert_eq!(record((1, 0)).outweighing(&of_ham, false), 0.0, "one lesson is little");
        assert_eq!(record((9, 9)).outweighing(&of_ham, false), 0.0, "no opinion");
    }

    #[test]
    fn messages_are_counted_and_taken_back() {
        let mut senders = Senders::new(14);
        let empty = senders.clone();
        for label in [1, 1, 1, 0] {
            senders.count(sender(1), label, 1);
        }
        senders.count(sender(2), 1, 1);
        let record = senders.record(sender(1));
        assert_eq!(record, Record { address: (3, 1), domain: (4, 1) });
        assert!(record.evidence(false) > 0.0);
        for label in [0, 1, 1, 1] {
            senders.count(sender(1), label, -1);
        }
        senders.count(sender(2), 1, -1);
        assert_eq!(senders, empty);
    }

    #[test]
    fn one_message_proves_nothing_and_two_do() {
        let record = |with, without| Record { address: (with, without), ..Record::default() };
        assert_eq!(record(1, 0).evidence(false), 0.0);
        assert!(record(2, 0).evidence(false) > 0.0);
        assert!(record(0, 2).evidence(false) < 0.0);
        assert_eq!(record(0, 2).evidence(true), 0.0, "no credit for a borrowed name");
        assert!(record(2, 0).evidence(true) > 0.0);
        assert!(record(20, 20).evidence(false).abs() < 1e-9);
    }
}
