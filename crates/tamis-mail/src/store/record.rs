//! One entry of the journal, as bytes.
//!
//! ```text
//! 1  learn   digest [16], time u64, label u8, flags u8 (1 replaces, 2 sender, 4 contradicted, 8 signature),
//!            surprises u8 x 6, score f32, sender u64 x 2, signature [128], places of the six stages
//! 2  forget  digest [16]
//! 3  label   length u8, name                 a new label; its number is the next one
//! 4  rename  label u8, length u8, name
//! 5  remove  label u8                        its messages are ham from now on
//! 6  learn   teacher u8, then as 1           taught by somebody else than the owner
//! 7  teacher length u8, name                 a new teacher; its number is the next one, from 1 on
//! 8  taught  digest [16], teacher u8         from now on this is who has taught the message
//! 9  number  origin u64, first u64           numbers for the own lessons that have none yet
//! 10 joins   journal u64                     from now on the store shares its lessons by this shared journal
//! 11 heard   an entry of the shared journal  [`super::shared::apply::Heard`] has its bytes
//! 12 shared  the state of sharing            [`super::shared::Shared`] has its bytes; written before tables are
//! 13 asks    two names                       a label gets another name, or none, once this is heard back
//! 14 again   teacher u8, as 1                learned again by a rebuild
//! ```
//!
//! Teacher 0 is the owner. Kinds 6 to 8 are not in journals of version 2, and kinds 9 to 14 are only in the journals of
//! stores that share their lessons ([`super::shared`]).
//!
//! Integers are little-endian; a varint has seven bits in a byte, the lowest first, and no more bytes than it needs.
//! Places of a stage that learned nothing from a message may be missing ([`super::places`] has their code).

use super::places;
use super::shared::Shared;
use super::shared::apply::{Change, Heard};
use crate::filter::Learned;
use crate::neighbours::{COMPONENTS, Signature};
use crate::stages::Places;
use crate::stages::prior::Suspicions;
use crate::traits::{Sender, Traits};
use tamis::codec::{Fields, Parameters};

/// Which message it is: a hash of 128 bits.
pub type Digest = [u8; 16];

/// What has happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Record {
    /// A message was learned.
    Learn(Learn),
    /// A message was unlearned.
    Forget(Digest),
    /// A label was added.
    Label { name: String },
    /// A label was given another name.
    Rename { label: u8, name: String },
    /// A label was removed.
    Remove { label: u8 },
    /// A teacher was added.
    Teacher { name: String },
    /// Somebody else has taught the same.
    Taught { digest: Digest, teacher: u8 },
    /// Own lessons were given numbers.
    Number { origin: u64, first: u64 },
    /// The store begins to share its lessons.
    Joins { journal: u64 },
    /// An entry of the shared journal.
    Heard(Heard),
    /// How far it has followed the shared journal, and what is to be delivered.
    Shared(Box<Shared>),
    /// A label shall have another name, or be removed.
    Asks { from: String, to: Option<String> },
    /// A message was learned again by a rebuild.
    Again(Learn),
}

/// A message that was learned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Learn {
    pub digest: Digest,
    /// When, in seconds since 1970.
    pub time: u64,
    pub label: u8,
    /// Who has taught it; 0 for the owner.
    pub teacher: u8,
    /// Whether it was there with another label.
    pub replaces: bool,
    pub traits: Traits,
    pub learned: Learned,
}

impl Record {
    /// The bytes.
    pub fn write(&self) -> Parameters {
        match self {
            Self::Learn(learn) if learn.teacher == 0 => learn.write(Parameters::new().u8(1)),
            Self::Learn(learn) => learn.write(Parameters::new().u8(6).u8(learn.teacher)),
            Self::Forget(digest) => Parameters::new().u8(2).bytes(digest),
            Self::Label { name } => named(Parameters::new().u8(3), name),
            Self::Rename { label, name } => named(Parameters::new().u8(4).u8(*label), name),
            Self::Remove { label } => Parameters::new().u8(5).u8(*label),
            Self::Teacher { name } => named(Parameters::new().u8(7), name),
            Self::Taught { digest, teacher } => Parameters::new().u8(8).bytes(digest).u8(*teacher),
            Self::Number { origin, first } => Parameters::new().u8(9).u64(*origin).u64(*first),
            Self::Joins { journal } => Parameters::new().u8(10).u64(*journal),
            Self::Heard(heard) => heard.write(Parameters::new().u8(11)),
            Self::Shared(shared) => shared.write(Parameters::new().u8(12)),
            Self::Asks { from, to } => {
                named(named(Parameters::new().u8(13), from), to.as_deref().unwrap_or_default())
            }
            Self::Again(learn) => learn.write(Parameters::new().u8(14).u8(learn.teacher)),
        }
    }

    /// Reads the bytes of one record; none if they are not exactly that.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut input = Fields::new(bytes);
        let record = match input.u8().ok()? {
            1 => Self::Learn(Learn::read(&mut input, 0)?),
            2 => Self::Forget(input.array().ok()?),
            3 => Self::Label { name: name_of(&mut input)? },
            4 => Self::Rename { label: input.u8().ok()?, name: name_of(&mut input)? },
            5 => Self::Remove { label: input.u8().ok()? },
            6 => {
                let teacher = input.u8().ok().filter(|teacher| *teacher > 0)?;
                Self::Learn(Learn::read(&mut input, teacher)?)
            }
            7 => Self::Teacher { name: name_of(&mut input)? },
            8 => Self::Taught { digest: input.array().ok()?, teacher: input.u8().ok()? },
            9 => Self::Number { origin: input.u64().ok()?, first: input.u64().ok()? },
            10 => Self::Joins { journal: input.u64().ok()? },
            11 => Self::Heard(Heard::read(&mut input)?),
            12 => Self::Shared(Box::new(Shared::read(&mut input)?)),
            13 => {
                let (from, to) = (name_of(&mut input)?, name_of(&mut input)?);
                Self::Asks { from, to: Some(to).filter(|to| !to.is_empty()) }
            }
            14 => {
                let teacher = input.u8().ok()?;
                Self::Again(Learn::read(&mut input, teacher)?)
            }
            _ => return None,
        };
        let at_end = input.u8().is_err();
        at_end.then_some(record)
    }

    /// The message that was learned.
    pub fn into_learn(self) -> Option<Learn> {
        match self {
            Self::Learn(learn) | Self::Again(learn) => Some(learn),
            Self::Heard(Heard { change: Change::Learn(_, learn), .. }) => Some(learn),
            _ => None,
        }
    }
}

/// Appends a name.
pub(super) fn named(out: Parameters, name: &str) -> Parameters {
    out.u8(name.len() as u8).bytes(name.as_bytes())
}

/// Reads a name.
pub(super) fn name_of(input: &mut Fields<'_>) -> Option<String> {
    let length = input.u8().ok()?;
    let name = input.bytes(usize::from(length)).ok()?;
    std::str::from_utf8(name).ok().map(str::to_owned)
}

impl Learn {
    /// Appends everything but the teacher.
    pub(super) fn write(&self, out: Parameters) -> Parameters {
        let Self { digest, time, label, replaces, traits, learned, .. } = self;
        let flags = u8::from(*replaces)
            | u8::from(traits.sender.is_some()) << 1
            | u8::from(traits.contradicted) << 2
            | u8::from(traits.signature.is_some()) << 3;
        // Two bytes are enough for most places.
        let count: usize = traits.places.iter().map(Vec::len).sum();
        let out = out.reserve(2 * count + 256);
        let mut out = out.bytes(digest).u64(*time).u8(*label).u8(flags);
        out = out.bytes(&learned.surprises).bytes(&learned.score.to_le_bytes());
        if let Some(sender) = traits.sender {
            out = out.u64(sender.address).u64(sender.domain);
        }
        if let Some(signature) = &traits.signature {
            out = out.bytes(signature);
        }
        traits.places.iter().fold(out, |out, own| places::write(out, own))
    }

    /// Reads what [`Self::write`] has appended.
    pub(super) fn read(input: &mut Fields<'_>, teacher: u8) -> Option<Self> {
        let (digest, time) = (input.array().ok()?, input.u64().ok()?);
        let (label, flags) = (input.u8().ok()?, input.u8().ok()?);
        if flags > 15 {
            return None;
        }
        let surprises = input.array().ok()?;
        let score = f32::from_le_bytes(input.array().ok()?);
        let sender = match flags & 2 {
            0 => None,
            _ => Some(Sender { address: input.u64().ok()?, domain: input.u64().ok()? }),
        };
        let signature: Option<Signature> = match flags & 8 {
            0 => None,
            _ => Some(input.array::<COMPONENTS>().ok()?),
        };
        let mut all = Places::default();
        for own in &mut all {
            *own = places::read(input)?;
        }
        let traits = Traits {
            places: all,
            sender,
            contradicted: flags & 4 != 0,
            signature,
            suspicions: Suspicions::default(),
        };
        let learned = Learned { surprises, score };
        let replaces = flags & 1 != 0;
        Some(Self { digest, time, label, teacher, replaces, traits, learned })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::shared::apply::Effect;
    use crate::store::shared::{LessonId, Position};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn records() -> impl Strategy<Value = Record> {
        let learn = (
            any::<[u8; 16]>(),
            any::<(u64, u8, u8, bool, bool)>(),
            prop::option::of(any::<(u64, u64)>()),
            prop::option::of(any::<u8>()),
            any::<[BTreeSet<u32>; 6]>(),
            (any::<[u8; 6]>(), -9.0..9.0f32),
        )
            .prop_map(
                |(digest, numbers, sender, signature, places, (surprises, score))| {
                    let (time, label, teacher, replaces, contradicted) = numbers;
                    let sender = sender.map(|(address, domain)| Sender { address, domain });
                    let signature = signature.map(|byte| [byte; COMPONENTS]);
                    let places = places.map(|own| own.into_iter().collect());
                    let suspicions = Suspicions::default();
                    let traits = Traits { places, sender, contradicted, signature, suspicions };
                    let learned = Learned { surprises, score };
                    let learn = Learn { digest, time, label, teacher, replaces, traits, learned };
                    Record::Learn(learn)
                },
            );
        prop_oneof![
            learn,
            any::<[u8; 16]>().prop_map(Record::Forget),
            "[a-z]{1,9}".prop_map(|name| Record::Label { name }),
            (any::<u8>(), "[a-z]{1,9}").prop_map(|(label, name)| Record::Rename { label, name }),
            any::<u8>().prop_map(|label| Record::Remove { label }),
            "[a-z]{1,9}".prop_map(|name| Record::Teacher { name }),
            any::<([u8; 16], u8)>()
                .prop_map(|(digest, teacher)| Record::Taught { digest, teacher }),
            any::<(u64, u64)>().prop_map(|(origin, first)| Record::Number { origin, first }),
            any::<u64>().prop_map(|journal| Record::Joins { journal }),
            ("[a-z]{1,9}", prop::option::of("[a-z]{1,9}"))
                .prop_map(|(from, to)| Record::Asks { from, to }),
            any::<((u64, u64), (u64, u64), Option<u64>, [u8; 16])>().prop_map(
                |((time, number), (origin, own), moves, digest)| {
                    let position = Position { time, number };
                    let id = LessonId { origin, number: own };
                    let effect = moves.map_or(Effect::Other, Effect::Moves);
                    let change = match time % 3 {
                        0 => Change::Forget(digest),
                        1 => Change::Taught { digest, label: 3, teacher: 4 },
                        _ => Change::Relabel { from: 5, to: 0 },
                    };
                    Record::Heard(Heard { position, id, effect, change })
                }
            ),
        ]
    }

    proptest! {
        #[test]
        fn a_record_is_read_as_it_was_written(record in records()) {
            let mut bytes = record.write().as_bytes().to_vec();
            prop_assert_eq!(Record::read(&bytes), Some(record));
            // Neither less nor more.
            prop_assert_eq!(Record::read(&bytes[..bytes.len() - 1]), None);
            bytes.push(0);
            prop_assert_eq!(Record::read(&bytes), None);
        }

        #[test]
        fn whatever_is_read_ends_in_a_record_or_nothing(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            drop(Record::read(&bytes));
        }
    }
}
