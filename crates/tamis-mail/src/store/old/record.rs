//! A record of a journal of version 1.
//!
//! ```text
//! 1  learn   digest [16], time u64, label u8, replaces u8, tables u8, surprises u8 x tables,
//!            scores f32 x tables, flags u8 (1 sender, 2 contradicted, 4 signature),
//!            sender u64 x 2, signature [128], count varint, places as differences, varint each
//! 2  forget  digest [16]
//! 3  label   length u8, name, messages u32, surprises u8 x messages, scores f32 x messages
//! ```
//!
//! Surprises and scores belong to tables that are no longer there; they are skipped.

use crate::neighbours::COMPONENTS;
use crate::stages::prior::Suspicions;
use crate::stages::{Places, Stage};
use crate::store::record::Digest;
use crate::traits::{Sender, Traits};
use tamis::codec::Fields;

/// What has happened.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly every record is a learned message")]
pub(super) enum Record {
    Learn(Message),
    Forget(Digest),
    Label { name: String },
}

/// A message that was learned.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::store) struct Message {
    pub digest: Digest,
    pub time: u64,
    pub(super) label: u8,
    pub traits: Traits,
}

impl Record {
    /// Reads the bytes of one record; none if they are not exactly that.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut input = Fields::new(bytes);
        let record = match input.u8().ok()? {
            1 => Self::Learn(Message::read(&mut input)?),
            2 => Self::Forget(input.array().ok()?),
            3 => {
                let length = input.u8().ok()?;
                let name = input.bytes(usize::from(length)).ok()?;
                let name = std::str::from_utf8(name).ok()?.to_owned();
                let messages = input.u32().ok()? as usize;
                input.bytes(messages.checked_mul(1 + size_of::<f32>())?).ok()?;
                Self::Label { name }
            }
            _ => return None,
        };
        let at_end = input.u8().is_err();
        at_end.then_some(record)
    }
}

impl Message {
    fn read(input: &mut Fields<'_>) -> Option<Self> {
        let (digest, time) = (input.array().ok()?, input.u64().ok()?);
        let (label, replaces, tables) = (input.u8().ok()?, input.u8().ok()?, input.u8().ok()?);
        input.bytes(usize::from(tables) * (1 + size_of::<f32>())).ok()?;
        let flags = input.u8().ok()?;
        if flags > 7 || replaces > 1 {
            return None;
        }
        let sender = match flags & 1 {
            0 => None,
            _ => Some(Sender { address: input.u64().ok()?, domain: input.u64().ok()? }),
        };
        let signature = match flags & 4 {
            0 => None,
            _ => Some(input.array::<COMPONENTS>().ok()?),
        };
        // The list grows with the input: nothing is allocated by the count alone.
        let (mut words, mut place) = (Vec::new(), 0u32);
        for _ in 0..input.varint().ok()? {
            place = place.checked_add(input.varint().ok()?.try_into().ok()?)?;
            words.push(place);
        }
        // Two words in one place are one feature today.
        words.dedup();
        let mut places = Places::default();
        places[Stage::Words as usize] = words;
        let (contradicted, suspicions) = (flags & 2 != 0, Suspicions::default());
        let traits = Traits { places, sender, contradicted, signature, suspicions };
        Some(Self { digest, time, label, traits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_is_read_ends_in_a_record_or_nothing(
            kind in 0..5u8,
            bytes in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            drop(Record::read(&[&[kind], &bytes[..]].concat()));
        }
    }

    #[test]
    fn a_record_is_exactly_as_long_as_it_says() {
        let label = b"\x03\x04spam\x01\x00\x00\x00\x20\x00\x00\x00\x00";
        assert_eq!(Record::read(label), Some(Record::Label { name: "spam".to_owned() }));
        assert_eq!(Record::read(&label[..label.len() - 1]), None);
        assert_eq!(Record::read(&[label, &[0][..]].concat()), None);
        let mut learn = [&[1][..], &[7; 16], &[9, 0, 0, 0, 0, 0, 0, 0], &[1, 0, 0, 0]].concat();
        // Three places: 5, 5 and 300.
        learn.extend([3, 5, 0, 0xA7, 2]);
        let Some(Record::Learn(message)) = Record::read(&learn) else { panic!("a message") };
        assert_eq!((message.digest, message.time, message.label), ([7; 16], 9, 1));
        assert_eq!(message.traits.places[0], [5, 300]);
    }
}
