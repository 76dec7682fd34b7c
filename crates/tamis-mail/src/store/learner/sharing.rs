//! Lessons of other hosts, and lessons for them ([`crate::store::shared`]).

use super::Learner;
use crate::Result;
use crate::filter::{HAM, SPAM};
use crate::labels::is_name;
use crate::store::frames;
use crate::store::record::{Digest, Record};
use crate::store::shared::apply::{self, Change, Effect};
use crate::store::shared::entry::{Entry, Lesson};
use crate::store::shared::{Kind, LessonId, Pending, Position, Shared};

/// The number of a label that no message has.
const NO_LABEL: u8 = u8::MAX;

/// An own lesson that is to be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The next call goes on after it.
    pub serial: u64,
    /// The entry of the shared journal.
    pub entry: Vec<u8>,
}

/// What an entry of the shared journal was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// A lesson; it is applied.
    Lesson,
    /// It was heard before.
    Known,
    /// Nothing that a host has written.
    Strange,
}

impl Learner {
    /// Shares lessons by this journal from now on. If it did not before, everything that is known is offered to the
    /// other hosts.
    pub fn share(&mut self, journal: u64) {
        if self.ledger.shared.as_ref().is_none_or(|shared| shared.journal() != journal) {
            self.note(Record::Joins { journal });
            self.ledger.shared = Some(Box::new(Shared::offering(&self.ledger, journal)));
        }
    }

    /// Numbers own lessons under this origin, which no other process ever has.
    pub const fn set_origin(&mut self, origin: u64) {
        self.origin = Some(origin);
    }

    /// Where it is in the shared journal; none if it does not share its lessons.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.ledger.shared.as_ref().map(|shared| shared.position())
    }

    /// How many own lessons were not heard back yet; none if it does not share them.
    #[must_use]
    pub fn undelivered(&self) -> Option<usize> {
        self.ledger.shared.as_ref().map(|shared| shared.undelivered())
    }

    /// Asks for another name of a label, or for none; false if lessons are not shared.
    pub(super) fn asks(&mut self, from: &str, to: Option<&str>) -> bool {
        if self.ledger.shared.is_none() {
            return false;
        }
        self.ledger.issue(Kind::Relabel, Digest::default(), None, self.journal.end());
        self.note(Record::Asks { from: from.to_owned(), to: to.map(str::to_owned) });
        true
    }

    /// Gives numbers to own lessons that have none.
    pub(super) fn number(&mut self) {
        let (Some(origin), Some(shared)) = (self.origin, &mut self.ledger.shared) else { return };
        if shared.has_unnumbered() {
            let first = shared.next_number(origin);
            shared.number(origin, first);
            self.note(Record::Number { origin, first });
        }
    }

    /// Notes the state of sharing, before tables are written that do not have it; false if it is too long for a
    /// record. Readers then begin with that record.
    pub(super) fn note_shared(&mut self) -> Result<bool> {
        if let Some(shared) = self.ledger.shared.clone() {
            let record = Record::Shared(shared);
            if record.write().as_bytes().len() > frames::LONGEST as usize {
                return Ok(false);
            }
            self.note(record);
            self.journal.commit()?;
        }
        Ok(true)
    }

    /// The entries of own lessons after a serial number, oldest first: about as many as have `most` bytes. They are on
    /// disk, and have numbers if there is an origin.
    ///
    /// # Errors
    /// What the system says.
    pub fn outgoing(&mut self, after: Option<u64>, most: usize) -> Result<Vec<Outgoing>> {
        self.commit()?;
        let mut found = Vec::new();
        let mut size = 0;
        let Some(shared) = &self.ledger.shared else { return Ok(found) };
        for (serial, pending) in shared.after(after) {
            let entry = self.entry(&pending)?.write(self.identity());
            size += entry.len();
            found.push(Outgoing { serial, entry });
            if size >= most {
                break;
            }
        }
        Ok(found)
    }

    fn entry(&self, pending: &Pending) -> Result<Entry> {
        let Pending { id, offset, kind, digest } = *pending;
        let label = |label: u8| self.filter.name(label).to_owned();
        let teacher = |teacher: u8| self.ledger.teacher_name(teacher).to_owned();
        let lesson = match self.journal.read(offset)? {
            Record::Forget(digest) => Lesson::Forget(digest),
            Record::Taught { digest, teacher: by } => {
                let known = self.ledger.row_of(&digest).map_or(0, |row| row.label);
                Lesson::Taught { digest, label: label(known), teacher: teacher(by) }
            }
            Record::Asks { from, to } => Lesson::Relabel { from, to },
            _ => {
                let learn = self.journal.lesson(offset)?;
                // Its label may have another number by now, and who confirmed it is its teacher.
                let row = self.ledger.row_of(&digest).filter(|row| row.offset == offset);
                let (of, by) = row.map_or((learn.label, learn.teacher), |r| (r.label, r.teacher));
                Lesson::Learn { kind, label: label(of), teacher: teacher(by), learn }
            }
        };
        Ok(Entry { id, lesson })
    }

    /// Applies the entry at a place of the [shared](Self::share) journal. It is safe once [`Learner::commit`] has returned.
    ///
    /// # Errors
    /// [`crate::Error::SharedSeed`], [`crate::Error::Mismatch`] or [`crate::Error::NewerEntry`] for an entry that does not
    /// fit this store, or what the system says.
    pub fn hear(&mut self, position: Position, entry: &[u8]) -> Result<Heard> {
        if self.position().is_none_or(|last| position <= last) {
            return Ok(Heard::Known);
        }
        let entry = Entry::read(entry, self.identity())?;
        let is_strange = entry.is_none();
        let (id, change) = match entry {
            Some(Entry { id, lesson }) => (id, self.change(id, lesson)?),
            None => (LessonId::default(), Change::None),
        };
        let mut heard = apply::Heard { position, id, effect: Effect::None, change };
        let (filter, offset) = (Some(&mut self.filter), self.journal.end());
        heard.effect = apply::hear(filter, &mut self.ledger, &self.journal, offset, &heard)?;
        self.note(Record::Heard(heard));
        Ok(if is_strange { Heard::Strange } else { Heard::Lesson })
    }

    /// What a lesson changes, in the numbers of this store.
    fn change(&mut self, id: LessonId, lesson: Lesson) -> Result<Change> {
        Ok(match lesson {
            Lesson::Learn { kind, label, teacher, mut learn } => {
                learn.label = self.heard_label(&label);
                learn.teacher = self.heard_teacher(&teacher);
                let pending = self.ledger.shared.as_ref().and_then(|shared| shared.pending(id));
                let own = pending.map(|pending| self.journal.lesson(pending.offset)).transpose()?;
                let replaces = learn.replaces;
                match own {
                    Some(mut own) => {
                        own.replaces = replaces;
                        own.traits.suspicions = learn.traits.suspicions;
                        if own == learn { Change::Own } else { Change::Learn(kind, learn) }
                    }
                    None => Change::Learn(kind, learn),
                }
            }
            Lesson::Forget(digest) => Change::Forget(digest),
            Lesson::Taught { digest, label, teacher } => {
                let label = self.filter.label(&label).unwrap_or(NO_LABEL);
                Change::Taught { digest, label, teacher: self.heard_teacher(&teacher) }
            }
            Lesson::Relabel { from, to } => {
                let to = to.filter(|to| *to != from);
                let is_usable = to.as_ref().is_none_or(|to| is_name(to));
                match self.filter.label(&from).filter(|from| *from > SPAM && is_usable) {
                    Some(from) => {
                        let to = to.map_or(0, |to| self.heard_label(&to));
                        Change::Relabel { from, to }
                    }
                    None => Change::None,
                }
            }
        })
    }

    /// The number of a label of another host; ham if there is no room for it.
    fn heard_label(&mut self, name: &str) -> u8 {
        match name {
            HAM => 0,
            name => self.label(name).unwrap_or(0),
        }
    }

    /// The number of a teacher of another host; the owner if there is no room for it.
    fn heard_teacher(&mut self, name: &str) -> u8 {
        self.teacher(name).unwrap_or(0)
    }
}
