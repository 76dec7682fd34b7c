//! Cascades as files: kind 9.
//!
//! No parameters but the description (see [`crate::solve::ribbon`]): categories, filters, bits to refuse by; for each category how many
//! bytes its name shares with the one before (at most 255), the length of the rest, the rest, its keys, the length of its code; for each filter its category, and in one byte the variant of its fingerprints; then the structures (that which refuses, if there is one, those of the filters, those of the
//! code).

use super::MAX_CATEGORIES;
use super::code::Code;
use super::exact::Cascade;
use super::short::ShortCode;
use super::steps::{FilterStep, MOST_FILTERS};
use crate::codec::Write;
use crate::codec::stored::{Lines, Stored};
use crate::codec::{File, Header, Kind, Parameters};
use crate::hash::Record;
use crate::memory::Storage;
use crate::prelude::*;
use crate::solve::ribbon::{MAX_BITS, Reader, Ribbon, Values, write_described};
use crate::{Error, Result};

impl<S: Storage> Stored for Cascade<S> {
    type Storage = S;
    const KIND: Kind = Kind::Cascade;

    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let (items, parameters) = (self.counts.iter().sum(), Parameters::new());
        let (hash, keys) = (self.hash, self.keys.0);
        let header = Header { kind: Kind::Cascade, hash, keys, items, parameters };
        write_described(header, &self.description(), self.storage.lines(), out)
    }

    fn parse(file: &File<'_>, lines: &mut Lines<'_, S>) -> Result<Self> {
        let mut reader = Reader::open(file, file.parameters(), lines)?;
        let categories = reader.fields.varint()?;
        let (filters, reject) = (reader.fields.varint()?, reader.fields.varint()?);
        if categories == 0 || categories > MAX_CATEGORIES as u64 {
            return Err(Error::malformed("the number of categories", "1 to 65,536", categories));
        }
        let (mut names, mut counts, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..categories {
            let (shared, length) = (reader.fields.u8()?, reader.fields.varint()?);
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let before: &[u8] = names.last().map_or(&[], Vec::as_slice);
            let Some(shared) = before.get(..usize::from(shared)) else {
                return Err(Error::malformed("a name", "as long as what others share", shared));
            };
            names.push([shared, reader.fields.bytes(length)?].concat());
            counts.push(reader.fields.varint()?);
            lengths.push(reader.fields.u8()?);
        }
        let total = counts.iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
        if total != Some(file.items()) {
            return Err(Error::malformed("the number of keys", file.items(), "others"));
        }
        if filters >= MOST_FILTERS as u64 {
            return Err(Error::malformed("the number of filters", "less than 256", filters));
        }
        let mut of_filters = Vec::new();
        for _ in 0..filters {
            let category = reader.fields.varint()?;
            if category >= categories {
                return Err(Error::malformed("a category", categories, category));
            }
            let variant = reader.fields.u8()?;
            of_filters.push((category as u32, u32::from(variant)));
        }
        let reject_by = match reject {
            0 => None,
            bits if bits <= u64::from(MAX_BITS) => {
                Some(reader.ribbon_of(Values::even(bits as u32))?)
            }
            bits => return Err(Error::malformed("the bits to refuse by", "at most 32", bits)),
        };
        let mut with_filters = Vec::new();
        for (category, variant) in of_filters {
            let ribbon = reader.ribbon()?;
            if ribbon.values.are_uneven() {
                return Err(Error::malformed("a filter", "fingerprints of one length", "others"));
            }
            with_filters.push((FilterStep { category, bits: ribbon.bits(), variant }, ribbon));
        }
        let code = Code::new(&lengths)
            .ok_or_else(|| Error::malformed("the lengths of codes", "a prefix code", "none"))?;
        let mut steps = Vec::new();
        for bits in code.steps() {
            let ribbon = reader.ribbon()?;
            if ribbon.values == code.whole() && code.table().is_some() {
                steps.push(ribbon);
                break;
            }
            if ribbon.values != Values::even(bits) {
                return Err(Error::malformed("the bits of a step", bits, ribbon.bits()));
            }
            steps.push(ribbon);
        }
        if steps.iter().skip(1).any(|step| step.values.are_uneven()) {
            return Err(Error::malformed("the steps of a code", "each or all", "others"));
        }
        let alone = reject_by.is_none() && with_filters.is_empty();
        let short = if alone { ShortCode::of(&code, &steps) } else { None };
        let storage = reader.finish(lines)?;
        Ok(Self {
            hash: file.hash(),
            keys: Record(file.keys()),
            otherwise: code.otherwise(&counts),
            names,
            counts,
            reject: reject_by,
            filters: with_filters,
            lengths,
            code,
            steps,
            short,
            storage,
        })
    }
}

impl<S> Cascade<S> {
    fn description(&self) -> Parameters {
        let mut list = Parameters::new()
            .varint(self.names.len() as u64)
            .varint(self.filters.len() as u64)
            .varint(self.reject.as_ref().map_or(0, |reject| u64::from(reject.bits())));
        let mut before: &[u8] = &[];
        for ((name, count), length) in self.names.iter().zip(&self.counts).zip(&self.lengths) {
            let shared = before.iter().zip(name).take_while(|(a, b)| a == b).count().min(255);
            let own = &name[shared..];
            list = list.u8(shared as u8).varint(own.len() as u64).bytes(own);
            list = list.varint(*count).u8(*length);
            before = name;
        }
        for (step, _) in &self.filters {
            list = list.varint(u64::from(step.category)).u8(step.variant as u8);
        }
        self.ribbons().fold(list, |list, ribbon| ribbon.describe(list))
    }

    pub(super) fn ribbons(&self) -> impl Iterator<Item = &Ribbon> {
        let filters = self.filters.iter().map(|(_, ribbon)| ribbon);
        self.reject.iter().chain(filters).chain(&self.steps)
    }
}

#[cfg(test)]
mod tests {
    use crate::cascade::{Cascade, Trainer};
    use crate::codec::File;
    use crate::filter::Stored;
    use crate::hash::KeyHash;

    fn file(reject: u32) -> Vec<u8> {
        let mut trainer = Trainer::new(KeyHash::new(1));
        for (category, size) in [("rare", 40), ("common", 3000), ("usual", 500)] {
            let number = trainer.category(category).unwrap();
            (0..size)
                .for_each(|key| trainer.insert(number, format!("{category} {key}").as_bytes()));
        }
        let cascade = trainer.build(reject).unwrap();
        let mut bytes = Vec::new();
        cascade.write(&mut bytes).unwrap();
        assert_eq!(Cascade::from_bytes(&bytes).unwrap(), cascade);
        bytes
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        let bytes = file(7);
        let cascade = Cascade::from_bytes(&bytes).unwrap();
        assert_eq!(cascade.counts(), [40, 3000, 500]);
        assert_eq!(cascade.reject_bits(), 7);
        let name = |key: &str| cascade.classify(key.as_bytes()).category().map(|c| cascade.name(c));
        assert_eq!(name("usual 77"), Some(&b"usual"[..]));
        assert_eq!(name("rare 39"), Some(&b"rare"[..]));
    }

    #[test]
    fn every_change_is_refused_and_nothing_panics() {
        let whole = file(0);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x21;
            let verified = File::open(&bytes).and_then(|file| file.verify());
            assert!(verified.is_err(), "changed at {at}");
            // Without its checksum a changed content may still say anything.
            if let Ok(cascade) = Cascade::from_bytes(&bytes) {
                let _answer = cascade.classify(b"key");
            }
        }
        for end in 0..whole.len() {
            assert!(Cascade::from_bytes(&whole[..end]).is_err(), "cut at {end}");
        }
    }
}
