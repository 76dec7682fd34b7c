//! Static filters as files: kind 10.
//!
//! Parameters: the bits of the shorter fingerprints u32, how many of `2^32` have one bit more u32, designed rate f64,
//! then the description (see [`crate::ribbon`]) of the structure, if there is any key.

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
        let description = match &self.ribbon {
            Some(ribbon) => ribbon.describe(Parameters::new()),
            None => Parameters::new(),
        };
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
        let ribbon = match design.items {
            0 => None,
            _ => Some(reader.ribbon_of(prints.values())?),
        };
        let storage = reader.finish(lines)?;
        Ok(Self { hash: file.hash(), design, prints, ribbon, storage })
    }
}
