//! Who has taught what.
//!
//! Each lesson has a teacher: the owner, or a name such as `imap`, `watch` or [`AUTOLEARN`]. All
//! lessons of a teacher can be taken back at once ([`Learner::forget_teacher`]).
//!
//! 1. Whoever teaches a known message another label becomes its teacher.
//! 2. Whoever teaches a message the label that it has becomes its teacher, too: a person who confirms
//!    what was learned automatically keeps it.
//! 3. [`AUTOLEARN`] guesses, and a guess changes nothing about a message that is known.

use super::Learner;
use crate::labels::is_plain;
use crate::store::ledger::OWNER;
use crate::store::record::{Digest, Record};
use crate::store::shared::Kind;
use crate::{Error, Result};

/// The teacher whose lessons are guesses of the filter itself.
pub const AUTOLEARN: &str = "autolearn";

/// The most teachers besides the owner.
const MOST: usize = 255;

impl Learner {
    /// The number of a teacher, which is added if it is new.
    pub(super) fn teacher(&mut self, name: &str) -> Result<u8> {
        if let Some(number) = self.ledger.teacher(name) {
            return Ok(number);
        }
        if !is_plain(name) || self.ledger.teachers().len() >= MOST {
            return Err(Error::Teacher { got: name.to_owned() });
        }
        self.note(Record::Teacher { name: name.to_owned() });
        self.ledger.add_teacher(name).ok_or_else(|| Error::Teacher { got: name.to_owned() })
    }

    /// Whether this teacher has no say about a message that is known.
    pub(super) fn is_guess_about_known(&self, teacher: &str, digest: &Digest) -> bool {
        let of = |number: usize| self.ledger.teacher_name(self.ledger.get(number).teacher);
        teacher == AUTOLEARN
            && self.ledger.find(digest).is_some_and(|number| of(number) != AUTOLEARN)
    }

    /// Notes that a teacher has taught a known message the label that it has.
    pub(super) fn taught_again(&mut self, digest: &Digest, teacher: &str) -> Result<()> {
        let Some(number) = self.ledger.find(digest) else { return Ok(()) };
        let before = self.ledger.get(number).teacher;
        if teacher == AUTOLEARN || self.ledger.teacher(teacher) == Some(before) {
            return Ok(());
        }
        let teacher = self.teacher(teacher)?;
        let offset = self.journal.end();
        let row = self.ledger.get(number);
        self.ledger.issue(Kind::Taught, *digest, Some(row), offset);
        self.note(Record::Taught { digest: *digest, teacher });
        self.ledger.taught(number, teacher);
        Ok(())
    }

    /// How many lessons each teacher has given, the owner first.
    #[must_use]
    pub fn teachers(&self) -> Vec<(String, usize)> {
        self.ledger.taught_by()
    }

    /// The label of a message that is known, and who has taught it.
    #[must_use]
    pub fn taught(&self, raw: &[u8]) -> Option<(&str, &str)> {
        let digest = crate::store::digest(raw, self.reader.hash().seed());
        let (digest, label) = self.find(raw, digest)?;
        let row = self.ledger.get(self.ledger.find(&digest)?);
        Some((self.filter.name(label), self.ledger.teacher_name(row.teacher)))
    }

    /// Takes back everything that a teacher has taught, exactly; how many messages is returned.
    ///
    /// # Errors
    /// [`Error::NoTeacher`] for a name that never taught, or what the system says.
    pub fn forget_teacher(&mut self, name: &str) -> Result<usize> {
        let no_teacher = || Error::NoTeacher { got: name.to_owned() };
        let teacher = self.ledger.teacher(name).ok_or_else(no_teacher)?;
        let rows = self.ledger.iter().filter(|row| row.teacher == teacher);
        let taught: Vec<Digest> = rows.map(|row| row.digest).collect();
        for digest in &taught {
            self.forget_digest(digest)?;
        }
        Ok(taught.len())
    }
}

impl crate::store::ledger::Ledger {
    /// How many messages that are there each teacher has taught, the owner first.
    pub(in crate::store) fn taught_by(&self) -> Vec<(String, usize)> {
        let names = std::iter::once(OWNER).chain(self.teachers().iter().map(String::as_str));
        let mut counts: Vec<(String, usize)> = names.map(|name| (name.to_owned(), 0)).collect();
        for row in self.iter() {
            if let Some((_, count)) = counts.get_mut(usize::from(row.teacher)) {
                *count += 1;
            }
        }
        counts
    }
}
