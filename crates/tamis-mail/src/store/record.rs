//! One entry of the journal, as bytes.
//!
//! ```text
//! 1  learn   digest [16], time u64, label u8, replaces u8, tables u8, surprises u8 x tables,
//!            scores f32 x tables, flags u8 (1 sender, 2 contradicted, 4 signature),
//!            sender u64 x 2, signature [128], count varint, places as differences, varint each
//! 2  forget  digest [16]
//! 3  label   length u8, name, messages u32, surprises u8 x messages, scores f32 x messages
//! ```
//!
//! Integers are little-endian; a varint has seven bits in a byte, the lowest first, and no more bytes than it needs.

use crate::filter::Learned;
use crate::neighbours::{COMPONENTS, Signature};
use crate::traits::{Sender, Traits};
use tamis::codec::{Fields, Parameters};

/// Which message it is: a hash of 128 bits.
pub type Digest = [u8; 16];

/// What has happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Record {
    /// A message was learned.
    Learn(Learn),
    /// A message was taken back.
    Forget(Digest),
    /// A label came, for whose table all messages so far were learned in their order.
    Label { name: String, surprises: Vec<u8>, scores: Vec<f32> },
}

/// A message that was learned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Learn {
    pub digest: Digest,
    /// When, in seconds since 1970.
    pub time: u64,
    pub label: u8,
    /// Whether it was there with another label.
    pub replaces: bool,
    pub traits: Traits,
    pub learned: Learned,
}

impl Record {
    /// The bytes.
    pub fn write(&self) -> Parameters {
        match self {
            Self::Learn(learn) => learn.write(Parameters::new().u8(1)),
            Self::Forget(digest) => Parameters::new().u8(2).bytes(digest),
            Self::Label { name, surprises, scores } => {
                let out = Parameters::new().u8(3).u8(name.len() as u8).bytes(name.as_bytes());
                write_scores(out.u32(surprises.len() as u32).bytes(surprises), scores)
            }
        }
    }

    /// Reads the bytes of one record; none if they are not exactly that.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut input = Fields::new(bytes);
        let record = match input.u8().ok()? {
            1 => Self::Learn(Learn::read(&mut input)?),
            2 => Self::Forget(input.array().ok()?),
            3 => {
                let length = input.u8().ok()?;
                let name = input.bytes(usize::from(length)).ok()?;
                let name = std::str::from_utf8(name).ok()?.to_owned();
                let messages = input.u32().ok()? as usize;
                let surprises = input.bytes(messages).ok()?.to_vec();
                Self::Label { name, surprises, scores: read_scores(&mut input, messages)? }
            }
            _ => return None,
        };
        let at_end = input.u8().is_err();
        at_end.then_some(record)
    }
}

impl Learn {
    fn write(&self, out: Parameters) -> Parameters {
        let Self { digest, time, label, replaces, traits, learned } = self;
        // Three bytes are enough for most differences of places.
        let out = out.reserve(3 * traits.places.len() + 256);
        let out = out.bytes(digest).u64(*time).u8(*label).u8(u8::from(*replaces));
        let out = out.u8(learned.surprises.len() as u8).bytes(&learned.surprises);
        let mut out = write_scores(out, &learned.scores).u8(u8::from(traits.sender.is_some())
            | u8::from(traits.contradicted) << 1
            | u8::from(traits.signature.is_some()) << 2);
        if let Some(sender) = traits.sender {
            out = out.u64(sender.address).u64(sender.domain);
        }
        if let Some(signature) = &traits.signature {
            out = out.bytes(signature);
        }
        out = out.varint(traits.places.len() as u64);
        let mut before = 0;
        for &place in &traits.places {
            out = out.varint(u64::from(place - before));
            before = place;
        }
        out
    }

    fn read(input: &mut Fields<'_>) -> Option<Self> {
        let (digest, time) = (input.array().ok()?, input.u64().ok()?);
        let (label, replaces, tables) = (input.u8().ok()?, input.u8().ok()?, input.u8().ok()?);
        let surprises = input.bytes(usize::from(tables)).ok()?.to_vec();
        let scores = read_scores(input, usize::from(tables))?;
        let flags = input.u8().ok()?;
        if flags > 7 || replaces > 1 {
            return None;
        }
        let sender = match flags & 1 {
            0 => None,
            _ => Some(Sender { address: input.u64().ok()?, domain: input.u64().ok()? }),
        };
        let signature: Option<Signature> = match flags & 4 {
            0 => None,
            _ => Some(input.array::<COMPONENTS>().ok()?),
        };
        // The list grows with what is there: nothing is allocated on a record's word.
        let (mut places, mut place) = (Vec::new(), 0u32);
        for _ in 0..input.varint().ok()? {
            place = place.checked_add(input.varint().ok()?.try_into().ok()?)?;
            places.push(place);
        }
        let traits = Traits { places, sender, contradicted: flags & 2 != 0, signature };
        let learned = Learned { surprises, scores };
        Some(Self { digest, time, label, replaces: replaces == 1, traits, learned })
    }
}

fn write_scores(out: Parameters, scores: &[f32]) -> Parameters {
    scores.iter().fold(out, |out, score| out.bytes(&score.to_le_bytes()))
}

fn read_scores(input: &mut Fields<'_>, count: usize) -> Option<Vec<f32>> {
    let (scores, _) = input.bytes(count.checked_mul(4)?).ok()?.as_chunks::<4>();
    Some(scores.iter().map(|score| f32::from_le_bytes(*score)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn records() -> impl Strategy<Value = Record> {
        let learn = (
            any::<[u8; 16]>(),
            any::<(u64, u8, bool, bool)>(),
            prop::option::of(any::<(u64, u64)>()),
            prop::option::of(any::<u8>()),
            prop::collection::vec(any::<u32>(), 0..50),
            prop::collection::vec((any::<u8>(), -9.0..9.0f32), 0..4),
        )
            .prop_map(|(digest, numbers, sender, signature, mut places, learned)| {
                let (time, label, replaces, contradicted) = numbers;
                places.sort_unstable();
                let sender = sender.map(|(address, domain)| Sender { address, domain });
                let signature = signature.map(|byte| [byte; COMPONENTS]);
                let traits = Traits { places, sender, contradicted, signature };
                let (surprises, scores) = learned.into_iter().unzip();
                let learned = Learned { surprises, scores };
                Record::Learn(Learn { digest, time, label, replaces, traits, learned })
            });
        let label = ("[a-z]{1,9}", prop::collection::vec((any::<u8>(), -9.0..9.0f32), 0..9))
            .prop_map(|(name, learned)| {
                let (surprises, scores) = learned.into_iter().unzip();
                Record::Label { name, surprises, scores }
            });
        prop_oneof![learn, any::<[u8; 16]>().prop_map(Record::Forget), label]
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
