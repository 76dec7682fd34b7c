//! A store as lines of JSON, to move it to another machine or to learn it in another store.
//!
//! The first line has what all messages have in common; each other line is one message, as hashes.
//! Form 1 is that of version 1: `places` is one list, of words. It can still be imported.

use super::learner::Learner;
use super::ledger::OWNER;
use super::old;
use super::record::{Digest, Learn};
use crate::features;
use crate::model::BITS;
use crate::stages::prior::Suspicions;
use crate::stages::{Places, Stage};
use crate::traits::{Sender, Traits};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};

/// An export in errors: whoever opened it knows its name.
const EXPORT: &str = "the export";

/// The version of the form that is written, and of the oldest one that is read.
const FORM: u16 = 2;
const OLDEST_FORM: u16 = 1;

/// The longest line that is read.
const LONGEST: u64 = 64 << 20;

#[derive(Debug, Serialize, Deserialize)]
struct First {
    /// The version of this form.
    tamis_mail: u16,
    features: u16,
    bits: u32,
    seed: u64,
    messages: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    digest: String,
    label: String,
    time: u64,
    /// Who has taught it, unless it was the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    teacher: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sender: Option<[u64; 2]>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    contradicted: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    signature: String,
    places: Differences,
}

/// The differences between the places of features, the first one to 0.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Differences {
    /// For each stage.
    Stages(Vec<Vec<u32>>),
    /// Of words alone, in form 1.
    Words(Vec<u32>),
}

/// Writes all messages of a store; how many is returned.
///
/// # Errors
/// [`Error::Damaged`], or what `out` says.
pub fn export(store: &Learner, out: &mut dyn Write) -> Result<u64> {
    let identity = store.identity();
    let messages = store.messages() as u64;
    let first = First {
        tamis_mail: FORM,
        features: identity.features,
        bits: identity.bits,
        seed: identity.seed,
        messages,
    };
    write_line(out, &first)?;
    store.for_each(|label, teacher, Learn { digest, time, traits, .. }| {
        let differences = |places: &Vec<u32>| {
            let mut before = 0;
            places.iter().map(|place| place - std::mem::replace(&mut before, *place)).collect()
        };
        let line = Line {
            digest: hex(digest),
            label: label.to_owned(),
            time: *time,
            teacher: (teacher != OWNER).then(|| teacher.to_owned()),
            sender: traits.sender.map(|sender| [sender.address, sender.domain]),
            contradicted: traits.contradicted,
            signature: traits.signature.as_ref().map(|bytes| hex(bytes)).unwrap_or_default(),
            places: Differences::Stages(traits.places.iter().map(differences).collect()),
        };
        write_line(out, &line)
    })?;
    Ok(messages)
}

fn write_line(out: &mut dyn Write, line: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_vec(line).unwrap_or_default();
    text.push(b'\n');
    let written = out.write_all(&text);
    Ok(written.map_err(|source| tamis_corpus::Error::Write { name: EXPORT.into(), source })?)
}

/// The size of tables, in bits, and the seed of an export: a store that takes it must have the same.
///
/// # Errors
/// [`Error::Import`] for what is no export.
pub fn export_identity(input: &mut dyn BufRead) -> Result<(u32, u64)> {
    let mut lines = Lines { input, number: 0 };
    let first = lines.first()?;
    if !BITS.contains(&first.bits) {
        return Err(lines.refused());
    }
    Ok((first.bits, first.seed))
}

/// Learns all messages of an export that a store does not have yet; how many were there and how many are new is
/// returned. They are learned in their order, as if they had come now.
///
/// # Errors
/// [`Error::Mismatch`] if tables, seeds or features are others, [`Error::Import`] for what is no export.
pub fn import(store: &mut Learner, input: &mut dyn BufRead) -> Result<(u64, u64)> {
    let mut lines = Lines { input, number: 0 };
    let first = lines.first()?;
    let identity = store.identity();
    let same = |what, expected: u64, got: u64| {
        let (expected, got) = (expected.to_string(), got.to_string());
        if expected == got { Ok(()) } else { Err(Error::Mismatch { what, expected, got }) }
    };
    let is_old = first.tamis_mail == OLDEST_FORM && first.features == old::VERSION;
    if !is_old {
        same("the version of the form", u64::from(FORM), u64::from(first.tamis_mail))?;
        same("the version of features", u64::from(features::VERSION), u64::from(first.features))?;
    }
    same("the size of tables", u64::from(identity.bits), u64::from(first.bits))?;
    same("the seed", identity.seed, first.seed)?;
    let (mut there, mut new) = (0, 0);
    while let Some(bytes) = lines.next()? {
        let message: Line = serde_json::from_slice(&bytes).map_err(|_| lines.refused())?;
        let digest: Digest = unhex(&message.digest).ok_or_else(|| lines.refused())?;
        let traits = traits_of(&message, identity.bits, is_old).ok_or_else(|| lines.refused())?;
        let label = if is_old { old::usable(&message.label) } else { (&*message.label).into() };
        there += 1;
        if !store.knows(&digest) {
            let teacher = message.teacher.as_deref().unwrap_or(OWNER);
            store.learn_traits(traits, &label, digest, message.time, teacher)?;
            store.commit_if_much()?;
            new += 1;
        }
    }
    if there != first.messages {
        let what = "messages are missing before its end";
        return Err(Error::Import { line: lines.number, what });
    }
    store.commit()?;
    Ok((there, new))
}

/// The lines of an export.
struct Lines<'a> {
    input: &'a mut dyn BufRead,
    number: u64,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        self.number += 1;
        let mut bounded = std::io::Read::take(&mut *self.input, LONGEST);
        let read = bounded.read_until(b'\n', &mut bytes);
        let read = read.map_err(|source| Error::Read { name: EXPORT.into(), source })?;
        Ok((read > 0).then_some(bytes))
    }

    fn first(&mut self) -> Result<First> {
        let line = self.next()?.unwrap_or_default();
        serde_json::from_slice(&line).map_err(|_| self.refused())
    }

    fn refused(&self) -> Error {
        Error::Import { line: self.number, what: "an export has no such line" }
    }
}

fn traits_of(message: &Line, bits: u32, is_old: bool) -> Option<Traits> {
    let mut places = Places::default();
    match &message.places {
        Differences::Words(words) if is_old => places[0] = summed(words, bits, true)?,
        // A list without elements has either form.
        Differences::Stages(stages) if is_old && stages.is_empty() => {}
        Differences::Stages(stages) if !is_old && stages.len() == places.len() => {
            for (stage, differences) in Stage::ALL.into_iter().zip(stages) {
                places[stage as usize] = summed(differences, stage.bits(bits), false)?;
            }
        }
        _ => return None,
    }
    let signature = match message.signature.as_str() {
        "" => None,
        text => Some(unhex(text)?),
    };
    let sender = message.sender.map(|[address, domain]| Sender { address, domain });
    let (contradicted, suspicions) = (message.contradicted, Suspicions::default());
    Some(Traits { places, sender, contradicted, signature, suspicions })
}

/// Places from their differences, ascending and distinct; form 1 may repeat a place.
fn summed(differences: &[u32], bits: u32, may_repeat: bool) -> Option<Vec<u32>> {
    let mut places = Vec::with_capacity(differences.len());
    let mut place = 0u32;
    for difference in differences {
        place = place.checked_add(*difference).filter(|place| *place < 1 << bits)?;
        if places.last() != Some(&place) {
            places.push(place);
        } else if !may_repeat {
            return None;
        }
    }
    Some(places)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N || !text.is_ascii() {
        return None;
    }
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(bytes)
}
