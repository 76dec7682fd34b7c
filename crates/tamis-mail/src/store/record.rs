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
//! Integers are little-endian; a varint has seven bits in a byte, the lowest first.

use crate::filter::Learned;
use crate::neighbours::{COMPONENTS, Signature};
use crate::traits::{Sender, Traits};

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
    /// Appends the bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Learn(learn) => learn.write(out),
            Self::Forget(digest) => {
                out.push(2);
                out.extend_from_slice(digest);
            }
            Self::Label { name, surprises, scores } => {
                out.extend_from_slice(&[3, name.len() as u8]);
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(&(surprises.len() as u32).to_le_bytes());
                out.extend_from_slice(surprises);
                scores.iter().for_each(|score| out.extend_from_slice(&score.to_le_bytes()));
            }
        }
    }

    /// Reads the bytes of one record; none if they are not exactly that.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut input = Input(bytes);
        let record = match input.byte()? {
            1 => Self::Learn(Learn::read(&mut input)?),
            2 => Self::Forget(input.array()?),
            3 => {
                let length = input.byte()?;
                let name = std::str::from_utf8(input.take(usize::from(length))?).ok()?.to_owned();
                let messages = u32::from_le_bytes(input.array()?) as usize;
                let surprises = input.take(messages)?.to_vec();
                Self::Label { name, surprises, scores: input.scores(messages)? }
            }
            _ => return None,
        };
        input.0.is_empty().then_some(record)
    }
}

impl Learn {
    fn write(&self, out: &mut Vec<u8>) {
        let Self { digest, time, label, replaces, traits, learned } = self;
        out.push(1);
        out.extend_from_slice(digest);
        out.extend_from_slice(&time.to_le_bytes());
        out.extend_from_slice(&[*label, u8::from(*replaces), learned.surprises.len() as u8]);
        out.extend_from_slice(&learned.surprises);
        learned.scores.iter().for_each(|score| out.extend_from_slice(&score.to_le_bytes()));
        out.push(
            u8::from(traits.sender.is_some())
                | u8::from(traits.contradicted) << 1
                | u8::from(traits.signature.is_some()) << 2,
        );
        if let Some(sender) = traits.sender {
            out.extend_from_slice(&sender.address.to_le_bytes());
            out.extend_from_slice(&sender.domain.to_le_bytes());
        }
        out.extend(traits.signature.iter().flatten());
        write_varint(out, traits.places.len() as u32);
        let mut before = 0;
        for &place in &traits.places {
            write_varint(out, place - before);
            before = place;
        }
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        let digest = input.array()?;
        let time = u64::from_le_bytes(input.array()?);
        let (label, replaces, tables) = (input.byte()?, input.byte()?, input.byte()?);
        let surprises = input.take(usize::from(tables))?.to_vec();
        let scores = input.scores(usize::from(tables))?;
        let flags = input.byte()?;
        if flags > 7 || replaces > 1 {
            return None;
        }
        let number = |input: &mut Input<'_>| input.array().map(u64::from_le_bytes);
        let sender = match flags & 1 {
            0 => None,
            _ => Some(Sender { address: number(input)?, domain: number(input)? }),
        };
        let signature: Option<Signature> = match flags & 4 {
            0 => None,
            _ => Some(input.array::<COMPONENTS>()?),
        };
        let count = input.varint()? as usize;
        // Each takes at least a byte.
        if count > input.0.len() {
            return None;
        }
        let mut places = Vec::with_capacity(count);
        let mut place = 0u32;
        for _ in 0..count {
            place = place.checked_add(input.varint()?)?;
            places.push(place);
        }
        let traits = Traits { places, sender, contradicted: flags & 2 != 0, signature };
        let learned = Learned { surprises, scores };
        Some(Self { digest, time, label, replaces: replaces == 1, traits, learned })
    }
}

fn write_varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// What is left of the bytes.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn scores(&mut self, count: usize) -> Option<Vec<f32>> {
        let (scores, _) = self.take(count.checked_mul(4)?)?.as_chunks::<4>();
        Some(scores.iter().map(|score| f32::from_le_bytes(*score)).collect())
    }

    fn varint(&mut self) -> Option<u32> {
        let mut number = 0u32;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            let bits = u32::from(byte & 0x7F);
            if shift == 28 && bits > 0xF {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
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
            let mut bytes = Vec::new();
            record.write(&mut bytes);
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
