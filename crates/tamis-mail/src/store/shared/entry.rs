//! An entry of the shared journal, as bytes. Labels and teachers have names; messages are hashes, under a seed that is
//! not in the journal.
//!
//! ```text
//! offset  size
//!      0     1  version       1
//!      1     2  features      the version of the rules that made the places
//!      3     1  bits          of the tables
//!      4     8  seed check    see [`crate::store::seed`]
//!     12     8  origin
//!     20     8  number        of the lesson, ascending for an origin
//!     28     1  what          0 learn, 2 offer, 3 again: label, teacher, and a message as in the local journal
//!                             4 forget: digest; 5 taught: digest, label, teacher
//!                             6 relabel: label, new label, which is empty if the label is removed
//!               checksum      XXH3-64 of all bytes before
//! ```
//!
//! A name is its length as u8 and its bytes. The number of the label in a message is zero.

use super::{Kind, LessonId};
use crate::model::LARGEST_SURPRISE;
use crate::stages::Stage;
use crate::store::journal::Identity;
use crate::store::record::{Digest, Learn, name_of, named};
use crate::store::seed;
use crate::{Error, Result};
use tamis::codec::{Fields, Parameters};
use tamis::hash::KeyHash;

const VERSION: u8 = 1;

/// The longest entry. That of a message with the most features is half as long.
const LONGEST: usize = 8 << 20;

/// A lesson with names.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly every lesson is a learned message")]
pub(crate) enum Lesson {
    Learn { kind: Kind, label: String, teacher: String, learn: Learn },
    Forget(Digest),
    Taught { digest: Digest, label: String, teacher: String },
    Relabel { from: String, to: Option<String> },
}

/// What stands in the shared journal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub id: LessonId,
    pub lesson: Lesson,
}

impl Entry {
    /// The bytes.
    pub fn write(&self, identity: Identity) -> Vec<u8> {
        let Self { id, lesson } = self;
        let out = Parameters::new().u8(VERSION).u16(identity.features).u8(identity.bits as u8);
        let out = out.u64(seed::check(identity.seed)).u64(id.origin).u64(id.number);
        let out = match lesson {
            Lesson::Learn { kind, label, teacher, learn } => {
                // A guess is told by its teacher.
                let kind = if *kind == Kind::Guess { Kind::Learn } else { *kind };
                let learn = Learn { label: 0, teacher: 0, replaces: false, ..learn.clone() };
                learn.write(named(named(out.u8(kind as u8), label), teacher))
            }
            Lesson::Forget(digest) => out.u8(Kind::Forget as u8).bytes(digest),
            Lesson::Taught { digest, label, teacher } => {
                named(named(out.u8(Kind::Taught as u8).bytes(digest), label), teacher)
            }
            Lesson::Relabel { from, to } => {
                named(named(out.u8(Kind::Relabel as u8), from), to.as_deref().unwrap_or_default())
            }
        };
        let mut bytes = out.as_bytes().to_vec();
        bytes.extend_from_slice(&KeyHash::default().bytes(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the bytes; none for what no host has written.
    ///
    /// # Errors
    /// [`Error::NewerEntry`], or [`Error::OtherSeed`] and [`Error::Mismatch`] for what was written by a store that does
    /// not fit.
    pub fn read(bytes: &[u8], identity: Identity) -> Result<Option<Self>> {
        let Some((head, checksum)) = bytes.split_at_checked(bytes.len().saturating_sub(8)) else {
            return Ok(None);
        };
        if bytes.len() > LONGEST || KeyHash::default().bytes(head).to_le_bytes() != *checksum {
            return Ok(None);
        }
        let mut input = Fields::new(head);
        match input.u8() {
            Ok(VERSION) => {}
            Ok(got) if got > VERSION => return Err(Error::NewerEntry { expected: VERSION, got }),
            _ => return Ok(None),
        }
        let (Ok(features), Ok(bits), Ok(check)) = (input.u16(), input.u8(), input.u64()) else {
            return Ok(None);
        };
        let same = |what, expected: u64, got: u64| match expected == got {
            true => Ok(()),
            false => {
                Err(Error::Mismatch { what, expected: expected.to_string(), got: got.to_string() })
            }
        };
        if check != seed::check(identity.seed) {
            return Err(Error::SharedSeed);
        }
        same(
            "the version of features of the shared journal",
            identity.features.into(),
            features.into(),
        )?;
        same("the size of tables of the shared journal", identity.bits.into(), bits.into())?;
        Ok(Self::parts(&mut input, identity).filter(|_| input.u8().is_err()))
    }

    fn parts(input: &mut Fields<'_>, identity: Identity) -> Option<Self> {
        let id = LessonId { origin: input.u64().ok()?, number: input.u64().ok()? };
        if id.origin == 0 || id.number == 0 {
            return None;
        }
        let kind = *Kind::ALL.get(usize::from(input.u8().ok()?))?;
        let lesson = match kind {
            Kind::Learn | Kind::Offer | Kind::Again => {
                let (label, teacher) = (name_of(input)?, name_of(input)?);
                let learn = Learn::read(input, 0).filter(|learn| is_sound(learn, identity.bits))?;
                Lesson::Learn { kind, label, teacher, learn }
            }
            Kind::Forget => Lesson::Forget(input.array().ok()?),
            Kind::Taught => {
                let digest = input.array().ok()?;
                Lesson::Taught { digest, label: name_of(input)?, teacher: name_of(input)? }
            }
            Kind::Relabel => {
                let (from, to) = (name_of(input)?, name_of(input)?);
                Lesson::Relabel { from, to: Some(to).filter(|to| !to.is_empty()) }
            }
            Kind::Guess => return None,
        };
        Some(Self { id, lesson })
    }
}

/// Whether the tables have room for a message.
fn is_sound(learn: &Learn, bits: u32) -> bool {
    let fits = |stage: Stage| {
        let own = &learn.traits.places[stage as usize];
        own.last().is_none_or(|place| u64::from(*place) < 1 << stage.bits(bits))
    };
    Stage::ALL.into_iter().all(fits)
        && learn.learned.score.is_finite()
        && learn.learned.surprises.iter().all(|surprise| *surprise <= LARGEST_SURPRISE)
        && !learn.replaces
        && learn.label == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const IDENTITY: Identity = Identity { features: 4, bits: 12, seed: 7, generation: 1 };

    fn lessons() -> impl Strategy<Value = Lesson> {
        let name = || "[a-z]{1,9}";
        prop_oneof![
            any::<[u8; 16]>().prop_map(Lesson::Forget),
            (any::<[u8; 16]>(), name(), name())
                .prop_map(|(digest, label, teacher)| Lesson::Taught { digest, label, teacher }),
            (name(), prop::option::of(name())).prop_map(|(from, to)| Lesson::Relabel { from, to }),
        ]
    }

    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let checksum = KeyHash::default().bytes(&bytes).to_le_bytes();
        bytes.extend_from_slice(&checksum);
        bytes
    }

    proptest! {
        #[test]
        fn an_entry_is_read_as_it_was_written(lesson in lessons(), origin in 1..u64::MAX, number in 1..u64::MAX) {
            let entry = Entry { id: LessonId { origin, number }, lesson };
            let bytes = entry.write(IDENTITY);
            prop_assert_eq!(Entry::read(&bytes, IDENTITY).expect("it fits"), Some(entry));
            let other = Identity { seed: 8, ..IDENTITY };
            prop_assert!(matches!(Entry::read(&bytes, other), Err(Error::SharedSeed)));
            let mut newer = bytes[..bytes.len() - 8].to_vec();
            newer[0] = 2;
            let refused = Entry::read(&sealed(newer), IDENTITY);
            prop_assert!(matches!(refused, Err(Error::NewerEntry { .. })), "{:?}", refused);
        }

        /// An attacker who can write to the stream makes valid checksums: nothing else in an entry is trusted.
        #[test]
        fn whatever_is_sealed_ends_in_an_entry_or_nothing(kind in 0..9_u8, rest in prop::collection::vec(any::<u8>(), 0..300)) {
            let head = Entry { id: LessonId { origin: 1, number: 1 }, lesson: Lesson::Forget([0; 16]) };
            let mut bytes = head.write(IDENTITY)[..28].to_vec();
            bytes.push(kind);
            bytes.extend(rest);
            drop(Entry::read(&sealed(bytes), IDENTITY));
        }
    }
}
