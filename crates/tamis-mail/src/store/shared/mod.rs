//! A store that shares its lessons with other hosts by a journal that all of them follow.
//!
//! The shared journal is a log of *entries*: lessons with the names of labels and teachers
//! ([`entry`]). What a store knows is defined by their order alone. Each message is a register, and an
//! entry is a function of it:
//!
//! | entry | the message afterwards |
//! |---|---|
//! | learn | is known with this label, teacher and these surprises; a guess changes nothing that others taught |
//! | offer | as learn, if it was not known: what a host knew before it took part |
//! | again | as learn, if it was known and the class is the same; label and teacher stay: a rebuild |
//! | forget | is not known |
//! | taught | has another teacher, if it has this label |
//! | rename, remove | all messages of one label have another one, or are ham |
//!
//! The tables are sums over the messages that are known ([`crate::model`]), so equal registers are equal tables.
//! The messages are kept in the order in which their entries stand in the shared journal, so cuts and
//! similar messages are equal as well.
//!
//! 1. An own lesson is in the local journal, and thereby acknowledged, before it is anywhere else. It
//!    is *pending* until it is heard back: the records of pending lessons are the outbox.
//! 2. Pending lessons count at once. As long as a lesson about a message is pending, what was heard
//!    about the same message is remembered ([`Waiting`]) and yields to it. When the lesson is heard
//!    back, the message becomes what the shared journal says.
//! 3. A lesson gets its number before it is sent, and keeps it. Numbers of an origin ascend, so an entry
//!    that was sent twice is applied once. An origin belongs to one run of one process.
//! 4. Position, pending lessons and what was heard about them are part of the local journal: a process
//!    that is killed goes on where it was.

pub(super) mod apply;
pub(super) mod entry;

use super::ledger::{Ledger, Row};
use super::record::Digest;
use crate::Result;
use crate::filter::SPAM;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;
use tamis::codec::{Fields, Parameters};

/// Origins whose last number is remembered: entries are sent again within moments, not many restarts later.
const MOST_ORIGINS: usize = 1024;

/// A place in a shared journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// Milliseconds since 1970.
    pub time: u64,
    /// A number among those of the same time.
    pub number: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.time, self.number)
    }
}

impl FromStr for Position {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let (time, number) = text.split_once('-').ok_or(())?;
        Ok(Self { time: time.parse().map_err(drop)?, number: number.parse().map_err(drop)? })
    }
}

/// Which lesson of which origin; origin 0 for a lesson without a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct LessonId {
    pub origin: u64,
    pub number: u64,
}

/// What an own lesson does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Learn = 0,
    /// Learned by [`super::AUTOLEARN`].
    Guess = 1,
    Offer = 2,
    Again = 3,
    Forget = 4,
    Taught = 5,
    /// A label is renamed or removed.
    Relabel = 6,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Learn,
        Self::Guess,
        Self::Offer,
        Self::Again,
        Self::Forget,
        Self::Taught,
        Self::Relabel,
    ];

    /// Whether it decides about a message that is known otherwise.
    const fn decides(self, confirmed: Option<Row>, is_spam: bool) -> bool {
        match self {
            Self::Learn | Self::Forget => true,
            Self::Guess | Self::Offer => confirmed.is_none(),
            Self::Again => match confirmed {
                Some(row) => (row.label == SPAM) == is_spam,
                None => false,
            },
            Self::Taught | Self::Relabel => false,
        }
    }
}

/// An own lesson that was not heard back yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pending {
    pub id: LessonId,
    /// Where its record is in the local journal.
    pub offset: u64,
    pub kind: Kind,
    /// The message; zero for a label.
    pub digest: Digest,
}

/// A message with pending lessons.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Waiting {
    /// What the shared journal says about it so far.
    pub confirmed: Option<Row>,
    /// The pending lessons.
    own: Vec<u64>,
}

/// How far a store has followed a shared journal, and what it has to deliver.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Shared {
    /// Which shared journal.
    journal: u64,
    position: Position,
    /// The last number that was heard of each origin; the origin that was heard last is at the end.
    heard: Vec<LessonId>,
    /// The last number that was given to an own lesson.
    last: LessonId,
    /// The serial number of the next own lesson.
    next: u64,
    /// Own lessons from this serial number on have no number yet.
    unnumbered: u64,
    /// Pending lessons before this serial number stand before something that was heard before them.
    barrier: u64,
    pending: BTreeMap<u64, Pending>,
    by_id: HashMap<LessonId, u64>,
    waiting: HashMap<Digest, Waiting>,
}

impl Shared {
    /// A store begins to take part: it offers all that it knows.
    pub fn offering(ledger: &Ledger, journal: u64) -> Self {
        let mut shared = Self { journal, ..Self::default() };
        for row in ledger.iter() {
            shared.issue(Kind::Offer, row.digest, None, row.offset);
        }
        shared
    }

    /// As it is, with every message known as `ledger` says: before all of them are learned again.
    pub fn before_rebuild(&self, ledger: &Ledger) -> Self {
        let mut shared = self.clone();
        for row in ledger.iter() {
            let waiting = Waiting { confirmed: Some(*row), own: Vec::new() };
            shared.waiting.insert(row.digest, waiting);
        }
        shared
    }

    /// Which shared journal it follows.
    pub const fn journal(&self) -> u64 {
        self.journal
    }

    /// Where it is in the shared journal.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// How many own lessons were not heard back yet.
    pub fn undelivered(&self) -> usize {
        self.pending.len()
    }

    /// Notes an own lesson; `before` is how the message was known.
    pub fn issue(&mut self, kind: Kind, digest: Digest, before: Option<Row>, offset: u64) {
        let serial = self.next;
        self.next += 1;
        self.pending.insert(serial, Pending { id: LessonId::default(), offset, kind, digest });
        if kind != Kind::Relabel {
            let waiting = || Waiting { confirmed: before, own: Vec::new() };
            self.waiting.entry(digest).or_insert_with(waiting).own.push(serial);
        }
    }

    /// Whether an own lesson has no number yet.
    pub const fn has_unnumbered(&self) -> bool {
        self.unnumbered < self.next
    }

    /// The first number that an origin may give.
    pub const fn next_number(&self, origin: u64) -> u64 {
        if self.last.origin == origin { self.last.number + 1 } else { 1 }
    }

    /// Gives numbers to all own lessons that have none.
    pub fn number(&mut self, origin: u64, first: u64) {
        let mut id = LessonId { origin, number: first };
        for (serial, pending) in self.pending.range_mut(self.unnumbered..) {
            pending.id = id;
            self.by_id.insert(id, *serial);
            self.last = id;
            id.number += 1;
        }
        self.unnumbered = self.next;
    }

    /// The pending lessons with a number, after a serial number.
    pub fn after(&self, serial: Option<u64>) -> impl Iterator<Item = (u64, Pending)> {
        let first = serial.map_or(0, |serial| serial + 1);
        let numbered = self.pending.range(first..self.unnumbered.max(first));
        numbered.map(|(serial, pending)| (*serial, *pending))
    }

    /// The pending lesson with a number.
    pub fn pending(&self, id: LessonId) -> Option<Pending> {
        self.by_id.get(&id).and_then(|serial| self.pending.get(serial)).copied()
    }

    /// Notes that an entry was heard; whether for the first time.
    fn hear(&mut self, position: Position, id: LessonId) -> bool {
        self.position = position;
        if id.origin == 0 {
            return false;
        }
        let known = self.heard.iter().position(|known| known.origin == id.origin);
        let last = known.map_or(0, |index| self.heard.remove(index).number);
        self.heard.push(LessonId { number: last.max(id.number), ..id });
        if self.heard.len() > MOST_ORIGINS {
            self.heard.remove(0);
        }
        id.number > last
    }

    /// Takes a pending lesson out, with its serial number.
    fn deliver(&mut self, id: LessonId) -> Option<(u64, Pending)> {
        let serial = self.by_id.remove(&id)?;
        self.take(serial).map(|pending| (serial, pending))
    }

    fn take(&mut self, serial: u64) -> Option<Pending> {
        let pending = self.pending.remove(&serial)?;
        self.by_id.remove(&pending.id);
        if let Some(waiting) = self.waiting.get_mut(&pending.digest) {
            waiting.own.retain(|own| *own != serial);
        }
        Some(pending)
    }

    /// Notes what the shared journal says about a message; whether a pending lesson says otherwise. `is_spam` tells the
    /// class of the message in a record.
    fn confirm(
        &mut self,
        digest: &Digest,
        confirmed: Option<Row>,
        is_spam: impl Fn(u64) -> Result<bool>,
    ) -> Result<bool> {
        let Some(waiting) = self.waiting.get_mut(digest) else { return Ok(false) };
        waiting.confirmed = confirmed;
        let mut yields = false;
        for serial in waiting.own.clone() {
            let Some(Pending { kind, offset, .. }) = self.pending.get(&serial).copied() else {
                continue;
            };
            // What is known already need not be offered.
            if confirmed.is_some() && kind == Kind::Offer {
                self.take(serial);
            } else if kind.decides(confirmed, kind == Kind::Again && is_spam(offset)?) {
                yields = true;
            }
        }
        if self.waiting.get(digest).is_some_and(|waiting| waiting.own.is_empty()) {
            self.waiting.remove(digest);
        }
        Ok(yields)
    }

    /// What the shared journal says about a message with pending lessons.
    fn waiting(&self, digest: &Digest) -> Option<&Waiting> {
        self.waiting.get(digest)
    }

    fn relabel(&mut self, from: u8, to: u8) {
        let rows = self.waiting.values_mut().filter_map(|waiting| waiting.confirmed.as_mut());
        rows.filter(|row| row.label == from).for_each(|row| row.label = to);
    }

    /// The bytes of a record: journal u64, position u64 x 2, last u64 x 2, next, unnumbered and barrier u64; origins
    /// varint, each u64 x 2; pending varint, each serial, origin, number and offset u64, kind u8, digest;
    /// waiting varint, each digest, flag u8 and, if it is 1, a row of the ledger.
    pub fn write(&self, out: Parameters) -> Parameters {
        let Self { journal, position, heard, last, next, unnumbered, barrier, .. } = self;
        let Self { pending, waiting, .. } = self;
        let id = |out: Parameters, id: &LessonId| out.u64(id.origin).u64(id.number);
        let out = out.reserve(128 + 16 * heard.len() + 57 * pending.len() + 81 * waiting.len());
        let out = id(out.u64(*journal).u64(position.time).u64(position.number), last);
        let out = out.u64(*next).u64(*unnumbered).u64(*barrier).varint(heard.len() as u64);
        let out = heard.iter().fold(out, id).varint(pending.len() as u64);
        let out = pending.iter().fold(out, |out, (serial, pending)| {
            let out = id(out.u64(*serial), &pending.id).u64(pending.offset);
            out.u8(pending.kind as u8).bytes(&pending.digest)
        });
        let mut sorted: Vec<_> = waiting.iter().collect();
        sorted.sort_unstable_by_key(|(digest, _)| **digest);
        sorted.into_iter().fold(out.varint(waiting.len() as u64), |out, (digest, waiting)| {
            let out = out.bytes(digest).u8(u8::from(waiting.confirmed.is_some()));
            match &waiting.confirmed {
                Some(row) => out.bytes(bytemuck::bytes_of(row)),
                None => out,
            }
        })
    }

    /// Reads the bytes of a record.
    pub fn read(input: &mut Fields<'_>) -> Option<Self> {
        fn id(input: &mut Fields<'_>) -> Option<LessonId> {
            Some(LessonId { origin: input.u64().ok()?, number: input.u64().ok()? })
        }
        let journal = input.u64().ok()?;
        let position = Position { time: input.u64().ok()?, number: input.u64().ok()? };
        let last = id(input)?;
        let [next, unnumbered, barrier] = [(); 3].map(|()| input.u64().ok());
        let (next, unnumbered, barrier) = (next?, unnumbered?, barrier?);
        let mut shared =
            Self { journal, position, last, next, unnumbered, barrier, ..Self::default() };
        for _ in 0..input.varint().ok()? {
            shared.heard.push(id(input)?);
        }
        for _ in 0..input.varint().ok()? {
            let (serial, id, offset) = (input.u64().ok()?, id(input)?, input.u64().ok()?);
            let kind = *Kind::ALL.get(usize::from(input.u8().ok()?))?;
            let digest: Digest = input.array().ok()?;
            shared.pending.insert(serial, Pending { id, offset, kind, digest });
            if id.origin != 0 {
                shared.by_id.insert(id, serial);
            }
            if kind != Kind::Relabel {
                shared.waiting.entry(digest).or_default().own.push(serial);
            }
        }
        for _ in 0..input.varint().ok()? {
            let digest: Digest = input.array().ok()?;
            let confirmed = match input.u8().ok()? {
                0 => None,
                1 => Some(bytemuck::pod_read_unaligned(input.bytes(size_of::<Row>()).ok()?)),
                _ => return None,
            };
            shared.waiting.entry(digest).or_default().confirmed = confirmed;
        }
        Some(shared)
    }
}
