//! An entry of the shared journal, applied to a store.

use super::{Kind, LessonId, Pending, Position, Shared};
use crate::Result;
use crate::filter::{Filter, SPAM};
use crate::store::AUTOLEARN;
use crate::store::journal::Journal;
use crate::store::ledger::{Ledger, Row};
use crate::store::record::{Digest, Learn};
use crate::store::replay::take_back;
use tamis::codec::{Fields, Parameters};

/// An entry that was heard, in the numbers of this store.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heard {
    pub position: Position,
    pub id: LessonId,
    pub effect: Effect,
    pub change: Change,
}

/// What an entry has changed in the tables, for readers that have no ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    None,
    /// Its message was added.
    Adds,
    /// The message of the record at this offset is the newest one from now on.
    Moves(u64),
    /// Anything else.
    Other,
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly every change is a learned message")]
pub(crate) enum Change {
    /// Nothing that concerns this store.
    None,
    /// What the record of the pending lesson says.
    Own,
    /// A message was learned.
    Learn(Kind, Learn),
    /// A message was unlearned.
    Forget(Digest),
    /// A message with this label has another teacher.
    Taught { digest: Digest, label: u8, teacher: u8 },
    /// All messages of a label have another one.
    Relabel { from: u8, to: u8 },
}

impl Heard {
    /// The bytes of a record: position u64 x 2, origin and number u64, effect u8 (2: and an offset u64), then what
    /// it says: u8, and for 2 the kind u8, teacher u8 and the message; for 3 a digest; for 4 a digest, label and teacher
    /// u8; for 5 two labels u8.
    pub fn write(&self, out: Parameters) -> Parameters {
        let Self { position, id, effect, change } = self;
        let out = out.u64(position.time).u64(position.number).u64(id.origin).u64(id.number);
        let out = match effect {
            Effect::None => out.u8(0),
            Effect::Adds => out.u8(1),
            Effect::Moves(offset) => out.u8(2).u64(*offset),
            Effect::Other => out.u8(3),
        };
        match change {
            Change::None => out.u8(0),
            Change::Own => out.u8(1),
            Change::Learn(kind, learn) => learn.write(out.u8(2).u8(*kind as u8).u8(learn.teacher)),
            Change::Forget(digest) => out.u8(3).bytes(digest),
            Change::Taught { digest, label, teacher } => {
                out.u8(4).bytes(digest).u8(*label).u8(*teacher)
            }
            Change::Relabel { from, to } => out.u8(5).u8(*from).u8(*to),
        }
    }

    /// Reads the bytes of a record.
    pub fn read(input: &mut Fields<'_>) -> Option<Self> {
        let position = Position { time: input.u64().ok()?, number: input.u64().ok()? };
        let id = LessonId { origin: input.u64().ok()?, number: input.u64().ok()? };
        let effect = match input.u8().ok()? {
            0 => Effect::None,
            1 => Effect::Adds,
            2 => Effect::Moves(input.u64().ok()?),
            3 => Effect::Other,
            _ => return None,
        };
        let change = match input.u8().ok()? {
            0 => Change::None,
            1 => Change::Own,
            2 => {
                let kind = *Kind::ALL.get(usize::from(input.u8().ok()?))?;
                let teacher = input.u8().ok()?;
                Change::Learn(kind, Learn::read(input, teacher)?)
            }
            3 => Change::Forget(input.array().ok()?),
            4 => {
                let digest = input.array().ok()?;
                Change::Taught { digest, label: input.u8().ok()?, teacher: input.u8().ok()? }
            }
            5 => Change::Relabel { from: input.u8().ok()?, to: input.u8().ok()? },
            _ => return None,
        };
        Some(Self { position, id, effect, change })
    }
}

/// Applies an entry whose record is at `offset`, or will be; to the ledger alone, if there is no filter. What it has
/// changed is returned.
pub(in crate::store) fn hear(
    filter: Option<&mut Filter>,
    ledger: &mut Ledger,
    journal: &Journal,
    offset: u64,
    heard: &Heard,
) -> Result<Effect> {
    // A store of which the beginning was lost has no state, and becomes what it hears.
    let shared = ledger.shared.take();
    let has_state = shared.is_some();
    let mut shared = shared.unwrap_or_default();
    let mut applying = Applying { filter, ledger, journal, shared: &mut shared };
    let effect = applying.hear(offset, heard);
    if has_state {
        ledger.shared = Some(shared);
    }
    effect
}

struct Applying<'a> {
    filter: Option<&'a mut Filter>,
    ledger: &'a mut Ledger,
    journal: &'a Journal,
    shared: &'a mut Shared,
}

impl Applying<'_> {
    fn hear(&mut self, offset: u64, heard: &Heard) -> Result<Effect> {
        let is_new = self.shared.hear(heard.position, heard.id);
        if !is_new {
            return Ok(Effect::None);
        }
        let own = self.shared.deliver(heard.id);
        let serial = own.map(|(serial, _)| serial);
        match (&heard.change, own) {
            (Change::None, _) | (Change::Own, None) => Ok(Effect::None),
            (Change::Own, Some((_, Pending { offset, kind, .. }))) => {
                let learn = self.journal.lesson(offset)?;
                self.replace(learn.digest, offset, &Change::Learn(kind, learn), serial, false)
            }
            (Change::Relabel { from, to }, _) => {
                if let Some(filter) = &mut self.filter {
                    filter.move_label(*from, *to);
                }
                self.ledger.relabel(*from, *to);
                self.shared.relabel(*from, *to);
                Ok(Effect::Other)
            }
            (change @ Change::Learn(_, Learn { digest, .. }), _)
            | (change @ (Change::Forget(digest) | Change::Taught { digest, .. }), _) => {
                self.replace(*digest, offset, change, serial, true)
            }
        }
    }

    /// Applies a change of one message. `is_inline` says whether the record of the entry has the message.
    fn replace(
        &mut self,
        digest: Digest,
        offset: u64,
        change: &Change,
        serial: Option<u64>,
        is_inline: bool,
    ) -> Result<Effect> {
        let visible = self.ledger.row_of(&digest);
        let before = self.shared.waiting(&digest).map_or(visible, |waiting| waiting.confirmed);
        let after = self.after(before, change, offset);
        let is_spam = |offset| Ok(self.journal.lesson(offset)?.label == SPAM);
        if self.shared.confirm(&digest, after.row, is_spam)? {
            return Ok(Effect::None);
        }
        match (visible, after.row) {
            (None, None) => Ok(Effect::None),
            (Some(_), None) => self.take_back(&digest),
            (None, Some(row)) => {
                self.add(row, change, offset)?;
                let is_simple = is_inline && after.is_replaced && self.says(change, &row);
                Ok(if is_simple { Effect::Adds } else { Effect::Other })
            }
            (Some(visible), Some(row))
                if visible.offset == row.offset && visible.label == row.label =>
            {
                self.set_teacher(&digest, row.teacher);
                let is_late = serial.is_none_or(|serial| serial < self.shared.barrier);
                match after.is_replaced && is_late {
                    true => self.move_to_end(row, change),
                    false => Ok(Effect::None),
                }
            }
            (Some(_), Some(row)) => {
                self.take_back(&digest)?;
                self.add(row, change, offset)?;
                Ok(Effect::Other)
            }
        }
    }

    /// The message after a change.
    fn after(&self, before: Option<Row>, change: &Change, offset: u64) -> After {
        let kept = After { row: before, is_replaced: false };
        let is_guess = |teacher: u8| self.ledger.teacher_name(teacher) == AUTOLEARN;
        match change {
            Change::Learn(kind, learn) => {
                let new = Ledger::row_at(learn, offset);
                let row = match (kind, before) {
                    (Kind::Offer, Some(_)) => return kept,
                    (Kind::Again, None) => return kept,
                    (Kind::Again, Some(before)) => {
                        if (before.label == SPAM) != (new.label == SPAM) {
                            return kept;
                        }
                        Row { label: before.label, teacher: before.teacher, ..new }
                    }
                    (_, Some(before)) if is_guess(new.teacher) && !is_guess(before.teacher) => {
                        return kept;
                    }
                    _ => new,
                };
                After { row: Some(row), is_replaced: true }
            }
            Change::Forget(_) => After { row: None, is_replaced: true },
            Change::Taught { label, teacher, .. } => {
                let taught = |row: Row| match row.label == *label {
                    true => Row { teacher: *teacher, ..row },
                    false => row,
                };
                After { row: before.map(taught), is_replaced: false }
            }
            Change::None | Change::Own | Change::Relabel { .. } => kept,
        }
    }

    /// Whether a change has a message as a row of the ledger has it.
    fn says(&self, change: &Change, row: &Row) -> bool {
        matches!(change, Change::Learn(_, learn) if learn.label == row.label)
    }

    fn add(&mut self, row: Row, change: &Change, offset: u64) -> Result<()> {
        if let Some(filter) = &mut self.filter {
            let read;
            let learn = match change {
                Change::Learn(_, learn) if row.offset == offset => learn,
                _ => {
                    read = self.journal.lesson(row.offset)?;
                    &read
                }
            };
            filter.learn_again(&learn.traits, row.label, &row.surprises, row.digest, row.time);
        }
        self.ledger.push_row(row);
        self.shared.barrier = self.shared.next;
        Ok(())
    }

    fn take_back(&mut self, digest: &Digest) -> Result<Effect> {
        match &mut self.filter {
            Some(filter) => {
                take_back(filter, self.ledger, self.journal, digest)?;
            }
            None => self.ledger.forget(digest),
        }
        Ok(Effect::Other)
    }

    fn set_teacher(&mut self, digest: &Digest, teacher: u8) {
        if let Some(number) = self.ledger.find(digest) {
            self.ledger.taught(number, teacher);
        }
    }

    fn move_to_end(&mut self, row: Row, change: &Change) -> Result<Effect> {
        self.ledger.forget(&row.digest);
        self.ledger.push_row(row);
        self.shared.barrier = self.shared.next;
        if let (Some(filter), Change::Learn(_, learn)) = (&mut self.filter, change)
            && let Some(signature) = learn.traits.signature
        {
            filter.renew(signature, row.label, row.digest, row.time);
        }
        Ok(if self.says(change, &row) { Effect::Moves(row.offset) } else { Effect::Other })
    }
}

/// A message after a change, and whether the change has made it what it is.
struct After {
    row: Option<Row>,
    is_replaced: bool,
}
