//! Static filters as files: kind 10.
//!
//! Parameters: the bits of the shorter fingerprints u32, how many of `2^32` keys have one bit more u32, designed rate f64,
//! then the description (see [`crate::ribbon`]): whether there is a structure of shorter ones, and of longer ones, one byte each, and
//! those structures.

use super::{Prints, StaticFilter};
use crate::codec::{File, Header, Kind, Parameters};
use crate::filter::stored::{Lines, Stored};
use crate::filter::{Design, Storage};
use crate::ribbon::{MAX_BITS, Reader, write_described};
use crate::{Error, Result};
use std::io::Write;

impl<S: Storage> Stored for StaticFilter<S> {
    type Storage = S;
    const KIND: Kind = Kind::Static;

    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let parameters =
            Parameters::new().u32(self.prints.bits).u32(self.prints.longer).f64(self.design.rate);
        let items = self.design.items;
        let header = Header { kind: Kind::Static, hash: self.hash, items, parameters };
        let [shorter, longer] = &self.ribbons;
        let description =
            Parameters::new().u8(u8::from(shorter.is_some())).u8(u8::from(longer.is_some()));
        let ribbons = self.ribbons.iter().flatten();
        let description = ribbons.fold(description, |list, ribbon| ribbon.describe(list));
        write_described(header, &description, self.storage.lines(), out)
    }

    fn parse(file: &File<'_>, lines: &mut Lines<'_, S>) -> Result<Self> {
        let mut fields = file.parameters();
        let prints = Prints { bits: fields.u32()?, longer: fields.u32()? };
        if prints.bits >= MAX_BITS {
            return Err(Error::malformed("the bits of fingerprints", "less than 32", prints.bits));
        }
        let design = Design { items: file.items(), rate: fields.f64()? };
        if design.rate != prints.rate() {
            return Err(Error::malformed("the rate", prints.rate(), design.rate));
        }
        let mut reader = Reader::open(file, fields, lines)?;
        let there = [reader.fields.u8()?, reader.fields.u8()?];
        let mut ribbons = [None, None];
        for (longer, ribbon) in ribbons.iter_mut().enumerate() {
            match there[longer] {
                0 => continue,
                1 => *ribbon = Some(reader.ribbon()?),
                other => return Err(Error::malformed("a structure", "0 or 1", other)),
            }
            let bits = prints.bits + longer as u32;
            if ribbon.as_ref().is_some_and(|ribbon| ribbon.bits != bits) {
                return Err(Error::malformed("the bits of a structure", bits, "others"));
            }
        }
        let storage = reader.finish(lines)?;
        Ok(Self { hash: file.hash(), design, prints, ribbons, storage })
    }
}
